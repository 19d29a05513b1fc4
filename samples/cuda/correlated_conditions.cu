// Conditions on template arguments: the value is unknown, but it is one value.
#include <type_traits>

template <bool B>
__global__ void set_where_it_is_used() {
  int x = threadIdx.x;
  if constexpr (B)
    x = 0;
  if constexpr (B) {
    if (x == 0)
      __syncthreads();
  }
}

template <bool B>
__global__ void set_in_the_other_case() {
  int x = threadIdx.x;
  if constexpr (B)
    x = 0;
  if constexpr (!B) {
    if (x == 0)
      __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
  }
}

template <class T>
__global__ void size_of_a_type() {
  int x = threadIdx.x;
  if constexpr (sizeof(T) == 4)
    x = 0;
  if (sizeof(T) == 4) {
    if (x == 0)
      __syncthreads();
  }
}

template <class T>
__global__ void property_of_a_type() {
  int x = threadIdx.x;
  if constexpr (std::is_same_v<T, float>)
    x = 0;
  if constexpr (std::is_same_v<T, float>) {
    if (x == 0)
      __syncthreads();
  }
}

template <class T>
__global__ void another_property() {
  int x = threadIdx.x;
  if constexpr (std::is_same_v<T, float>)
    x = 0;
  if constexpr (std::is_same_v<T, int>) {
    if (x == 0)
      __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
  }
}

template <class T>
__global__ void property_of_a_local_type() {
  int x = threadIdx.x;
  {
    using U = typename T::first;
    if constexpr (U::value)
      x = 0;
  }
  {
    using U = typename T::second;
    if constexpr (U::value) {
      if (x == 0)
        __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
    }
  }
}
