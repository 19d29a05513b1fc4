// The part of CUDA's own header that `reduce.cu` needs. clangd cannot parse CUDA without such a header.
#pragma once
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
extern const __device__ dim3 threadIdx, blockIdx, blockDim, gridDim;
__device__ void __syncthreads();

enum cudaError_t { cudaSuccess };
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaMalloc(float **memory, unsigned long size);
cudaError_t cudaDeviceSynchronize();
extern "C" int cudaConfigureCall(dim3 grid, dim3 block, unsigned long shared = 0, void *stream = nullptr);
