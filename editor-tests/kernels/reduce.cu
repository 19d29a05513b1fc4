// Sums of blocks: a barrier in the loop is reached by part of each block.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
#define CHECK(call) if (cudaError_t error = (call)) std::puts(cudaGetErrorString(error))
#define WIDTH 256

template <typename T> __device__ T twice(T value) { return value + value; }

__global__ void reduce(const float *data, float *sums, int count) {
  __shared__ float part[WIDTH];
  int i = threadIdx.x;
  auto at = [=](int block) { return block * WIDTH + i < count ? data[block * WIDTH + i] : 0.0f; };
  part[i] = twice(at(blockIdx.x));
  __syncthreads();
  for (int half = WIDTH / 2; half > 0; half /= 2) {
    if (i < half) {
      part[i] += part[i + half];
      __syncthreads();
    }
  }
  if (i == 0) sums[blockIdx.x] = part[0];
}

int main() {
  std::vector<float> host(WIDTH, 1.0f);
  float *data, *sums;
  CHECK(cudaMalloc(&data, WIDTH * sizeof(float)));
  CHECK(cudaMalloc(&sums, sizeof(float)));
  auto launch = [&](int blocks) { reduce<<<blocks, WIDTH>>>(data, sums, WIDTH); };
  for (int i = 0; i < 2; ++i) launch(1);
  CHECK(cudaDeviceSynchronize());
  return host.empty();
}
