// arrayfire 0e0c726d: a loop with barriers for the threads that have a feature only: as it was.

template <unsigned feat_len, bool use_shmem>
__global__ void hamming_matcher(unsigned *out, const unsigned *query, const unsigned *train, unsigned nquery, unsigned ntrain, unsigned max_dist) {
  unsigned f = blockDim.x * blockIdx.x + threadIdx.x, tid = threadIdx.x;
  __shared__ unsigned s_dist[256];
  extern __shared__ unsigned smem[];
  unsigned *s_query = smem, *s_train = smem + feat_len;
  if (f < ntrain) {
    if (use_shmem) {
      for (unsigned i = 0; i < feat_len; i++)
        s_train[i * blockDim.x + tid] = train[i * ntrain + f];
      __syncthreads(); //~ error[divergent-barrier]
    }
    for (unsigned j = 0; j < nquery; j++) {
      if (tid < feat_len)
        s_query[tid] = query[tid * nquery + j];
      __syncthreads(); //~ error[divergent-barrier]
      s_dist[tid] = __popc(s_train[tid] ^ s_query[0]);
      __syncthreads(); //~ error[divergent-barrier]
      if (tid == 0)
        out[j] = s_dist[0];
    }
  }
}
