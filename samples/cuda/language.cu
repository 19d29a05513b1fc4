// C++ as kernels use it: the barrier in the branch on `threadIdx` is found through each construct, and the others are not.
#include <cuda_runtime.h>
#include <cstdio>

namespace tools {
template <typename T> __device__ inline T largest(T a, T b) { return a > b ? a : b; }

struct Range {
  int first, last;
  __device__ Range(int n) : first(blockIdx.x * n), last(first + n) {}
  __device__ bool holds(int i) const { return first <= i && i < last; }
  __device__ int size() const { return last - first; }
};

__device__ void wait() { __syncthreads(); }
}

template <typename T, int N> __global__ void templates(T *p, int n) {
  __shared__ T part[N];
  if (N > 32)
    __syncthreads();
  if constexpr (N > 64)
    __syncthreads();
  part[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  if (part[0] > static_cast<T>(n))
    __syncthreads();
  if (part[threadIdx.x] > T(n))
    __syncthreads(); //~ error[divergent-barrier]
}

__global__ void methods(int *p, int n) {
  tools::Range range(n);
  if (range.size() > 32)
    __syncthreads();
  if (range.holds(threadIdx.x))
    tools::wait(); //~ error[divergent-barrier]
}

__device__ void by_reference(int &to, int v) { to = v; }

__global__ void references(int *p, int n) {
  int a = 0, b = 0;
  by_reference(a, n);
  by_reference(b, threadIdx.x);
  int &again = a;
  if (again > 2)
    __syncthreads();
  again = threadIdx.x;
  if (a > 2)
    __syncthreads(); //~ error[divergent-barrier]
  if (b > 2)
    __syncthreads(); //~ error[divergent-barrier]
}

__global__ void lambdas(int *p, int n) {
  auto put = [&](int i) { p[i] = n; };
  auto sync = [] { __syncthreads(); };
  put(threadIdx.x);
  sync();
  if (threadIdx.x < n)
    sync(); //~ error[divergent-barrier]
}

__global__ void indices(float3 *p, uint3 n) {
  const dim3 block = blockDim;
  const uint3 me = threadIdx;
  if (blockIdx.x < n.x && block.x > 32)
    __syncthreads();
  if (me.x < n.x)
    __syncthreads(); //~ error[divergent-barrier]
}

struct Pair {
  int first, second;
};

__device__ Pair pair_of(int i) { return Pair{i, i + 1}; }

__global__ void bindings(int *p, int n) {
  auto [a, b] = pair_of(n);
  auto [c, d] = pair_of(threadIdx.x);
  if (a < b)
    __syncthreads();
  if (c < n)
    __syncthreads(); //~ error[divergent-barrier]: `c`
  for (int i : {n, n + 1})
    if (i > 3)
      __syncthreads();
  for (int i : {n, d})
    if (i > 3)
      __syncthreads(); //~ error[divergent-barrier]
  if (int e = p[threadIdx.x]; e > 0)
    __syncthreads(); //~ error[divergent-barrier]
}

// The host's code is left alone.
int main() {
  int *p;
  cudaMalloc(&p, 256 * sizeof(int));
  templates<int, 32><<<1, 32>>>(p, 3);
  for (auto &x : {1, 2, 3})
    std::printf("%d\n", x);
  return 0;
}

// One of several functions may write what it is given by reference. An operator of a class is a method.
__device__ void set(float &x, int t) { x = t; }
__device__ void set(double &x, int t) { x = t; }
struct Sum {
  float v;
  __device__ Sum &operator+=(int t) {
    v += t;
    return *this;
  }
};
template <class R> __global__ void written_by_reference(int *p) {
  R x = 0;
  set(x, threadIdx.x);
  if (x > 3)
    __syncthreads(); //~ warning[divergent-barrier]
  Sum q;
  q.v = 0;
  q += threadIdx.x;
  if (q.v > 3)
    __syncthreads(); //~ error[divergent-barrier]
}

// A lambda yields what it is given, and what it has captured.
__global__ void yields(int n) {
  int t = threadIdx.x;
  auto same = [](int u) { return u; };
  auto captured = [=]() { return t; };
  if (same(n))
    __syncthreads();
  if (same(threadIdx.x))
    __syncthreads(); //~ error[divergent-barrier]
  if (captured())
    __syncthreads(); //~ error[divergent-barrier]
}

// A null pointer leads nowhere.
__global__ void null(const int *degrees, int *rows, int n) {
  int *one = nullptr, *other = NULL;
  if (n > 3)
    one = other = rows;
  for (int i = 0; i < n; ++i) {
    if (degrees[i] < n)
      __syncthreads();
    one[threadIdx.x] = other[threadIdx.x + 1] = 0;
  }
}

// A pragma that a macro makes says nothing of the program.
#define UNROLL #pragma unroll
template <class T, class F = auto(T, T)->void>
__global__ void unrolled(T *p, F f) {
  UNROLL
  for (int i = 0; i < 4; ++i)
    f(p[i], p[threadIdx.x]);
  __syncthreads();
}

// A name that is a template outside of a class and a type in it; and one that an enumerator's value is given.
template <typename T, int N> struct exchange {
  struct storage {};
  __device__ void run(int);
};
struct none {};
template <typename A, typename B> struct same {
  enum { value = 0 };
};
template <typename T, int N> struct load {
  enum { all = same<T, none>::value, more = (1 << (5)) };
  typedef int is_whole[((N % more == 0)) ? 1 : -1];
  typedef void (*callback)(int count);
  template <int Way, int Dummy> struct inside;
  template <int Dummy> struct inside<0, Dummy> {
    typedef exchange<T, N> exchange;
    __device__ void run() { exchange().run(3); }
  };
  template <int Dummy> struct inside<1, Dummy> {
    typedef exchange<T, N> exchange;
    struct storage : exchange::storage {};
    __device__ void run() {
      none values[N];
      int count = more;
      use(values, count);  //~ note[undeclared-function]: `use`
      __syncthreads();
    }
  };
};

// A macro of a missing header between a parameter's type and its name; and objects that are made in place.
template <typename T> __device__ void quietly(T maybe_unused value) {
  if (threadIdx.x == 0)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}
__device__ inline void quietly(float3 maybe_unused value, int other) {}
__global__ void made_in_place() {
  __shared__ int sum;
  if (threadIdx.x == 0) {
    new (&sum) decltype(sum){0};
    new (&sum) int(0);
  }
  __syncthreads();
}
