// NVIDIA/cub, 075e6132, cub/block/block_exchange.cuh:290, 321, 435, 467 (state after the fix)
__global__ void blocked_to_striped(const int *in, int *out) {
  __shared__ int temp_storage[128];
  int lane = threadIdx.x % 32;
  for (int item = 0; item < 4; item++) temp_storage[lane * 4 + item] = in[lane * 4 + item];
  __syncwarp();
  for (int item = 0; item < 4; item++) out[item * 32 + lane] = temp_storage[item * 32 + lane];
}
