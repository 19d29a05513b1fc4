// An exit that a condition leaves out may part work-items in front of a barrier that is not left out, and so is told. One that nothing convergent comes after is not, nor
// one that ends a loop, or a pass of it, in which nothing is convergent.
kernel void search(volatile global int *out) {  //~ convergent
#ifdef FAST_EXIT  //~ note[left-out-text]@2: 4 early exits in inactive `#if` branches: `FAST_EXIT` and `EARLY` are not defined
  if (out[get_local_id(0)]) return;
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef NO_BARRIER_BEHIND
  if (out[0]) return;
#endif
}

kernel void loops(volatile global int *out) {  //~ convergent
  for (int i = 0; i < 4; i++) {
    barrier(CLK_LOCAL_MEM_FENCE);
#ifdef EARLY
    if (out[i]) break;
    if (out[get_local_id(0)]) {
      continue;
    }
#endif
    while (out[1]) {
      // Behind it comes the barrier of the loop around.
#ifdef EARLY
      if (out[i])
        goto end;
#endif
    }
    while (out[1]) {
      // All come to the barrier of the loop around.
#ifdef INNER
      if (out[i]) break;
      if (out[i]) continue;
#endif
      out[1]--;
    }
#ifdef OWN
    while (out[2]) {
      if (out[i]) break;
    }
    switch (i) {
    case 0: break;
    }
#endif
  }
end:
  out[0] = 1;
}

kernel void silent(volatile global int *out) {  //~ not-convergent
#ifdef FAST_EXIT
  if (out[get_local_id(0)]) return;
#endif
  out[0] = 1;
}

#ifdef OTHER
int whole(int a) {
  return a;
}
#endif
