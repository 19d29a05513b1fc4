// args: -U OFF
// A group is left out as well where the one before it was taken because a name is not defined; and an operation may hide in a macro or a function.
#define SYNC barrier(CLK_LOCAL_MEM_FENCE)
#define WAIT() SYNC

void all_wait(void) {  //~ convergent
  SYNC;
}

kernel void k(global int *p) {  //~ convergent
#ifndef FAST
  SYNC;
#else  //~ note[left-out-text]@2: 2 convergent operations in inactive `#if` branches: `FAST` and `WIDTH` are not defined
  all_wait();
#endif
#if !defined(WIDTH) || WIDTH < 32
  p[0] = 1;
#elif WIDTH < 64
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  // The user says that nothing defines this one.
#ifdef OFF
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
}
