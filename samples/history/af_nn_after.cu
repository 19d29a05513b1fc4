// arrayfire 0ed6cccc: a tree of minima, whose barrier only the half that takes part reaches: as it was mended.

__global__ void select_matches(unsigned *idx, unsigned *dist, const unsigned *in_idx, const unsigned *in_dist, unsigned nfeat,
                               unsigned nelem, unsigned max_dist) {
  unsigned f = blockIdx.x * blockDim.x + threadIdx.x, sid = threadIdx.x * blockDim.y + threadIdx.y;
  __shared__ unsigned s_dist[256], s_idx[256];
  s_dist[sid] = max_dist;
  if (f < nfeat) {
    for (unsigned i = threadIdx.y; i < nelem; i += blockDim.y)
      if (in_dist[f * nelem + i] < s_dist[sid]) {
        s_dist[sid] = in_dist[f * nelem + i];
        s_idx[sid] = in_idx[f * nelem + i];
      }
  }
  __syncthreads();
  for (unsigned i = blockDim.y / 2; i > 0; i >>= 1) {
    if (threadIdx.y < i) {
      if (s_dist[sid + i] < s_dist[sid]) {
        s_dist[sid] = s_dist[sid + i];
        s_idx[sid] = s_idx[sid + i];
      }
    }
    __syncthreads();
  }
  if (threadIdx.y == 0 && f < nfeat) {
    dist[f] = s_dist[sid];
    idx[f] = s_idx[sid];
  }
}
