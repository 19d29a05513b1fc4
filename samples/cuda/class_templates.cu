// Instances of class templates: their fields, constants, types, operators and conversions are known.

template <class T> struct Shared {
  __device__ operator T *() {
    extern __shared__ int words[];
    return (T *)words;
  }
};
template <> struct Shared<double> {
  __device__ operator double *() {
    extern __shared__ double doubles[];
    return doubles;
  }
};
template <class T> __global__ void exchange(T *p) {
  T *all = Shared<T>();
  all[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = all[threadIdx.x ^ 1];
  if (p[threadIdx.x] > 0)
    __syncthreads(); //~ error[divergent-barrier]
}
template __global__ void exchange<float>(float *);
template __global__ void exchange<double>(double *);

// `width` is 4 for float and 2 for double: a constant that a member declares.
template <class E> struct Pack {
  static constexpr int width = 16 / sizeof(E);
  E part[width];
  __device__ E &operator[](int i) { return part[i]; }
};
__global__ void constants(float *p, int n) {
  Pack<float> pack;
  for (int i = 0; i < pack.width; ++i)
    pack[i] = p[i];
  if (Pack<double>::width == 4)
    if (threadIdx.x > 3)
      __syncthreads(); // never reached: 16 / 8 is 2
  if (pack.width == 4)
    if (threadIdx.x > 3)
      __syncthreads(); //~ error[divergent-barrier]
}

// A partial specialisation has other members.
template <class T, int N> struct Index {
  int at;
  __device__ int first() const { return at; }
};
template <class T> struct Index<T, 1> {
  int at;
  __device__ int first() const { return 0; }
};
__global__ void specialised(int *p) {
  Index<float, 2> own{int(threadIdx.x)};
  Index<float, 1> none{int(threadIdx.x)};
  if (none.first() == 1)
    __syncthreads();
  if (own.first() == 1)
    __syncthreads(); //~ error[divergent-barrier]
}

// The operator of a class is a method: it writes a field of its object, and nothing else.
struct Pair {
  int own, same;
  __device__ Pair &operator+=(int by) {
    own += by;
    return *this;
  }
  __device__ bool operator<(const Pair &other) const { return same < other.same; }
};
__global__ void operators(int n) {
  Pair a{0, n}, b{0, 2 * n};
  a += threadIdx.x;
  if (a < b)
    __syncthreads();
  if (a.own < n)
    __syncthreads(); //~ error[divergent-barrier]
}
