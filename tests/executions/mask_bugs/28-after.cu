// LLNL/RAJA, 7d566df05, include/RAJA/policy/cuda/register/cuda_warp.hpp:272 (state after the fix)
template <int LANE_BITS> struct Register {
  double m_value;
  __device__ double get(int i) const {
    return __shfl_sync(0xffffffff, m_value, i, 1 << LANE_BITS);
  }
};
__global__ void broadcast(double *x) {
  Register<3> r{x[threadIdx.x]};
  x[threadIdx.x] = r.get(2);
}
