// Overloads have summaries of their own: what one does says nothing of the other.

__attribute__((overloadable)) void wait_if(int n) { if (n) barrier(1); }  //~ error[divergent-barrier]: `n` (from `get_local_id(0)` in `waits`)
__attribute__((overloadable)) void wait_if(float x) { if (x > 0) x = 1; }
__attribute__((overloadable)) int which(int n) { return 1; }
__attribute__((overloadable)) int which(float x) { return get_local_id(0); }

kernel void waits(void) { wait_if((int)get_local_id(0)); }

kernel void waits_not(void) { wait_if((float)get_local_id(0)); }

kernel void called_apart(void) {
  if (get_local_id(0))
    wait_if(1.0f);
}

kernel void all_alike(void) {
  if (which(1))
    barrier(1);
}

kernel void each_its_own(void) {
  if (which(1.0f))
    barrier(1);  //~ error[divergent-barrier]: `get_local_id(0)`
}
