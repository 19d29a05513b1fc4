// LLNL/RAJA, 7d566df05, include/RAJA/policy/cuda/register/cuda_warp.hpp:272 (state before the fix)
template <int LANE_BITS> struct Register {
  double m_value;
  __device__ double get(int i) const {
    return __shfl_sync(0xffffffff, m_value, i + (threadIdx.x >> LANE_BITS)); // BUG: shuffle-width
  }
};
__global__ void broadcast(double *x) {
  Register<3> r{x[threadIdx.x]};
  x[threadIdx.x] = r.get(2);
}
