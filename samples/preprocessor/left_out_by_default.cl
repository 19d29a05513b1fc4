// A name that the file itself defines only if nothing else does is as much an option of the build as one that it does not define.
#ifndef ENABLE_BWD
#define ENABLE_BWD 0
#endif
#ifndef FORWARD
#define FORWARD 1
#endif
#define FIXED 0

#if ENABLE_BWD == 1  //~ note[left-out-text]@2: 2 convergent operations in inactive `#if` branches: `ENABLE_BWD` and `FORWARD` are not set
kernel void bwd(global float *p) {
  barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

kernel void fwd(global float *p) {  //~ convergent
#if FORWARD
  barrier(CLK_LOCAL_MEM_FENCE);
#else
  barrier(CLK_GLOBAL_MEM_FENCE);
#endif
#if FIXED
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
}
