// Barriers order the accesses, or no lane accesses what another one stores.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void barrier_of_the_warp(const float *in, float *out) {
  __shared__ float s[32];
  int lane = threadIdx.x % 32;
  s[lane] = in[lane];
  __syncwarp();
  out[lane] = s[lane ^ 1];
}

__global__ void barrier_of_the_block(const float *in, float *out) {
  __shared__ float s[256];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  out[threadIdx.x] = s[0];
}

__global__ void reads_and_stores_apart(const float *in, float *out) {
  __shared__ float s[64];
  int tid = threadIdx.x;
  s[tid] = in[tid];
  __syncthreads();
  if (tid < 32) {
    for (int d = 32; d > 0; d /= 2) {
      float v = s[tid + d];
      __syncwarp();
      s[tid] += v;
      __syncwarp();
    }
  }
  if (tid == 0)
    out[0] = s[0];
}

__global__ void own_elements(float *p) {
  __shared__ float s[256];
  s[threadIdx.x] = p[threadIdx.x];
  s[threadIdx.x] *= 2;
  p[threadIdx.x] = s[threadIdx.x];
}

__global__ void own_rows(const float *p, float *out) {
  __shared__ float s[256][5];
  for (int k = 0; k < 5; k++)
    s[threadIdx.x][k] = p[threadIdx.x * 5 + k];
  float sum = 0;
  for (int k = 0; k < 5; k++)
    sum += s[threadIdx.x][k];
  out[threadIdx.x] = sum;
}

__global__ void halves_apart(const float *in, float *out) {
  __shared__ float s[64];
  int tid = threadIdx.x;
  s[tid] = in[tid];
  __syncthreads();
  for (int d = 16; d > 0; d /= 2) {
    if (tid < d)
      s[tid] += s[tid + d];
    __syncwarp();
  }
  out[tid] = s[0];
}

__global__ void barrier_of_a_tile(const float *in, float *out) {
  __shared__ float s[256];
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  s[threadIdx.x] = in[threadIdx.x];
  tile.sync();
  out[threadIdx.x] = s[threadIdx.x ^ 4];
}

__global__ void opposite_conditions(int *p, int mode) {
  __shared__ int s[32];
  int lane = threadIdx.x % 32;
  if (mode == 0)
    s[lane] = p[lane];
  if (mode == 1)
    p[lane] = s[31 - lane];
}

__global__ void halved_twice(int *p, unsigned n) {
  __shared__ int s[512];
  unsigned tid = threadIdx.x, offset = 1;
  s[tid] = p[tid];
  for (unsigned d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (tid < d)
      s[offset * (2 * tid + 2) - 1] += s[offset * (2 * tid + 1) - 1];
    offset <<= 1;
  }
  for (unsigned d = 2; d < n; d <<= 1) {
    offset >>= 1;
    __syncthreads();
    if (tid < d - 1)
      s[offset * (tid + 1) - 1 + (offset >> 1)] += s[offset * (tid + 1) - 1];
  }
  __syncthreads();
  p[tid] = s[tid];
}

__global__ void lock(int *total, int *mutex) {
  bool done = false;
  while (!done) {
    if (atomicCAS(mutex, 0, 1) == 0) {
      __threadfence();
      *total += threadIdx.x;
      __threadfence();
      atomicExch(mutex, 0);
      done = true;
    }
  }
}

__global__ void one_lane_alone(int *p) {
  __shared__ int s[32];
  int leader = __ffs(__activemask()) - 1;
  if (threadIdx.x % 32 == leader) {
    s[0] = p[0];
    s[1] = s[0] + 1;
    p[0] = s[1];
  }
}

template <class T> __device__ void swap(T &a, T &b) {
  T old = a;
  a = b;
  b = old;
}

__global__ void sorted_pairs(short *p) {
  __shared__ short s[64];
  int i = threadIdx.x;
  s[2 * i] = p[2 * i];
  s[2 * i + 1] = p[2 * i + 1];
  if (s[2 * i] > s[2 * i + 1])
    swap(s[2 * i], s[2 * i + 1]);
  p[2 * i] = s[2 * i];
}

__global__ void outside_of_the_row(const float *in, float *out) {
  __shared__ float s[16][16];
  for (int i = 0; i < 16; i++)
    s[i][threadIdx.x] = in[i * 16 + threadIdx.x];
  for (int i = 0; i < 16; i++)
    out[i * 16 + threadIdx.x] = s[i][threadIdx.x];
}
