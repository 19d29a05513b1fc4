// Text in CUDA is no OpenCL, whatever the file is called: that is told once, and not at each word. What stands beside it is analysed.
__forceinline__ __device__ float2 make_float2(float s) { return make_float2(s, s); }  //~ note[syntax-error]@17: CUDA in an OpenCL file: OpenCL C has no `__device__`
__forceinline__ __device__ float2 make_float2(int2 a) { return make_float2(float(a.x), float(a.y)); }
extern "C" __global__ void cuda(float *p) { p[threadIdx.x] = 0; }

kernel void k(global int *p) {
  if (get_local_id(0) < 5)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
}
