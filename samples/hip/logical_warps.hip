// Without a known wavefront, only a logical warp of 64 threads is a whole wavefront for sure.
#include <hipcub/hipcub.hpp>

__global__ void k(int *p) {
  __shared__ hipcub::WarpReduce<int>::TempStorage storage;
  if (threadIdx.x < 32)
    p[0] = hipcub::WarpReduce<int, 64>(storage).Sum(p[1]); //~ error[divergent-subgroup-operation]
  if (threadIdx.x < 32)
    p[0] = hipcub::WarpReduce<int, 32>(storage).Sum(p[1]);
}
