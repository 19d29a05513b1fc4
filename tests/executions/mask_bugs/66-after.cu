// rapidsai/raft, 29b3a1894, cpp/include/raft/spatial/knn/detail/fused_l2_knn.cuh:449 (state after the fix)
__global__ void fused_knn(const float *dist, float *out, float top) {
  __shared__ float queue[256];
  int lid = threadIdx.x;
  int count = lid;
  if (dist[lid] < top) {
    queue[count] = dist[lid];
    count++;
  }
  __syncwarp();
  int last = __shfl_sync(0xffffffff, count, 31);
  float best = top;
  for (int i = lid; i < last; i += 32) best = min(best, queue[31 - i]);
  out[lid] = best;
}
