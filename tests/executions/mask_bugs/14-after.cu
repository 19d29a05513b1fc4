// kokkos/kokkos, 5c253180a, core/src/Cuda/Kokkos_Cuda_Version_9_8_Compatibility.hpp:17 (macro; called in the atomics for large types, core/src/impl/Kokkos_Atomic_*.hpp) (state after the fix)
__device__ bool lock(int *l); __device__ void unlock(int *l);
struct complex { double re, im; };
__device__ void atomic_add(complex *dest, complex val, int *l) {
  int done = 0;
  unsigned active = __ballot_sync(__activemask(), 1);
  unsigned done_active = 0;
  while (active != done_active) {
    if (!done && lock(l)) {
      dest->re += val.re;
      dest->im += val.im;
      unlock(l);
      done = 1;
    }
    done_active = __ballot_sync(__activemask(), done);
  }
}
__global__ void sum_into(complex *dest, const complex *v, int *l, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && v[i].re > 0) atomic_add(dest, v[i], l);
}
