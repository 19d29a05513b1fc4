// `<nv/target>` selects statements by the device of the build, which has compute capability 8.0 here. What is selected is looked at, with and without
// parentheses around it; the rest is not compiled.
__device__ int level(int *p) {
  NV_IF_TARGET(NV_IS_DEVICE, p[0] = 1;)
  NV_IF_TARGET(NV_IS_DEVICE, (p[0] = 1, p[1] = 2;));
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_70, (return 1;), (return 2;))
}

__global__ void selected(int *p) {
  NV_IF_TARGET(NV_IS_HOST, (return;))
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_80,
    (if (threadIdx.x < 5)
       __syncthreads();),  //~ error[divergent-barrier]: `threadIdx.x`
    (__syncthreads();))
  NV_DISPATCH_TARGET(
    NV_PROVIDES_SM_90, (p[0] = 1;),
    NV_PROVIDES_SM_70,
    (if (threadIdx.x < level(p))
       __syncthreads();),  //~ error[divergent-barrier]: `threadIdx.x`
    NV_IS_DEVICE, (p[0] = 3;))
}

// On sm_90 the result is divergent, and there no barrier is in the call.
__device__ bool try_wait(int phase) {
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, return threadIdx.x == phase;, __syncthreads(); return true;)
}

__global__ void waiting(int phase) {
  while (!try_wait(phase))
    ;
}
