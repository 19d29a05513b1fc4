// Seventeen of eighteen kernels are built one at a time, by `-D KERNEL=n`: what a chain of `#if` leaves out is told, once for the file.
// What the file says of a name itself, and what compilers say, is no news.
#ifndef GUARD
#define GUARD
#endif

#if KERNEL == 1  //~ note[left-out-text]@2: 4 convergent operations such as `barrier` in inactive `#if` branches: `KERNEL` is not defined
kernel void first(global int *p) {
  barrier(CLK_LOCAL_MEM_FENCE);
}
#elif KERNEL == 2
kernel void second(global int *p) {
  barrier(CLK_LOCAL_MEM_FENCE);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  p[0] = 1;
}
#else
kernel void plain(global int *p) {  //~ not-convergent
  p[0] = 1;
}
#endif

kernel void any(global int *p) {  //~ not-convergent
#ifdef LATER
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
#ifdef __GPU__
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
#ifndef cl_khr_fp64
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
#ifdef NO_OPERATIONS
  p[1] = 1;
#endif
}
#define LATER

void last(void) {
#if KERNEL > 2
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
}
