// A name means what stands in the namespaces around it, in those that `using` makes known, and in those of the classes of its arguments.
namespace quiet {
__device__ void settle(int *p) { p[0] = 1; }
struct tile {
  int rows;
  __device__ void sync() { rows = 1; }
};
__device__ void wait(tile &t) { t.rows = 2; }
}
namespace loud {
__device__ void settle(int *p) { __syncthreads(); }
struct tile {
  int rows;
  __device__ void sync() { __syncthreads(); }
};
__device__ void wait(tile &t) { __syncthreads(); }
namespace detail {
__device__ void settle(int *p, int n) { p[n] = 1; }
}
}

__global__ void by_path(int *p) {
  if (threadIdx.x < 3)
    quiet::settle(p);
  if (threadIdx.x < 3)
    loud::settle(p); //~ error[divergent-barrier]
  if (threadIdx.x < 3)
    loud::detail::settle(p, 1);
}

namespace loud {
__global__ void from_inside(int *p) {
  if (threadIdx.x < 3)
    settle(p); //~ error[divergent-barrier]
  if (threadIdx.x < 3)
    detail::settle(p, 1);
  if (threadIdx.x < 3)
    quiet::settle(p);
}
}
namespace quiet { inline namespace v1 { namespace {
__global__ void from_deeper_inside(int *p) {
  if (threadIdx.x < 3)
    settle(p);
}
}}}

// A function that is defined outside of its namespace.
namespace declared {
__device__ void outside(int *p);
template <class T> __device__ void template_outside(T *p);
}
__device__ void declared::outside(int *p) { __syncthreads(); }
template <class T> __device__ void declared::template_outside(T *p) { __syncthreads(); }
__global__ void by_path_of_another(int *p) {
  if (threadIdx.x < 3)
    declared::outside(p); //~ error[divergent-barrier]
  if (threadIdx.x < 3)
    declared::template_outside(p); //~ error[divergent-barrier]
}

namespace other = loud;
__global__ void by_alias(int *p) {
  if (threadIdx.x < 3)
    other::settle(p); //~ error[divergent-barrier]
}
__global__ void by_using(int *p) {
  using quiet::settle;
  if (threadIdx.x < 3)
    settle(p);
}
// The `using` of a function before says nothing here.
__global__ void by_directive(int *p) {
  using namespace loud;
  if (threadIdx.x < 3)
    settle(p); //~ error[divergent-barrier]
}

__global__ void by_object(int *p) {
  quiet::tile a;
  loud::tile b;
  if (threadIdx.x < 3)
    a.sync();
  if (threadIdx.x < 3)
    b.sync(); //~ error[divergent-barrier]
}
__global__ void by_argument(int *p) {
  quiet::tile a;
  loud::tile b;
  if (threadIdx.x < 3)
    wait(a);
  if (threadIdx.x < 3)
    wait(b); //~ error[divergent-barrier]
}

// A function of the language in a namespace with an alias, beside a function of the user with its name.
namespace cg = cooperative_groups;
__device__ void sync(int x);
__global__ void by_alias_of_the_language(int *p) {
  auto block = cg::this_thread_block();
  if (threadIdx.x < 3)
    sync(p[1]);
  if (threadIdx.x < 3)
    cg::sync(block); //~ error[divergent-barrier]
}
