// Functions of one name that are not the same: each is convergent or not by its own body.
__attribute__((overloadable)) void step(int n) { barrier(n); }  //~ convergent
__attribute__((overloadable)) void step(float x) { (void)x; }  //~ not-convergent
void calls_int(void) { step(1); }  //~ convergent
void calls_float(void) { step(1.0f); }  //~ not-convergent

kernel void k(global int *p) {  //~ convergent
  if (p[get_local_id(0)])
    goto out;
  p[0] = 1;
out:
  step(1.0f);
  step(1);  //~ warning[implementation-defined-convergence]: `step`
}
