// What C++20 says of templates and operators says nothing of threads. The statements around it are looked at.
template <integral A, std::floating_point B = float>
__device__ auto sum(A a, B b) -> decltype(a + b) {
  if (a > threadIdx.x)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
  return a + b;
}

struct Scale {
  int factor;
  __device__ explicit Scale(int factor) requires(sizeof(int) == 4) : factor(factor) {}
  int operator() __device__(int x) const { return x * factor; }
  __device__ auto operator+=(Scale const &other) & -> Scale & {
    factor += other.factor;
    return *this;
  }
  constexpr auto operator=(Scale const &) noexcept -> Scale & = default;
  template <typename T> friend struct Scales;
};

template <typename T> __global__ void k(T *state, int n) {
  Scale scale(n);
  int x = static_cast<int>(sum(n, 1.0f)) + scale(n);
  if constexpr (requires { state->nesting; }) {
    if (threadIdx.x < x)
      __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
  }
  if constexpr (requires(T t) { t.size(); } && sizeof(T) > 4)
    __syncthreads();
}
