// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// FBGEMM 0ab213dd: groups that are behind the end return in front of four barriers: as it was.

template <typename T, bool several_warps>
__global__ void quantize_mx4(const T *in, unsigned char *out, int group_size, unsigned total, unsigned smem_stride) {
  const auto group = (blockIdx.x * blockDim.y) + threadIdx.y;
  const auto i = group * group_size + threadIdx.x;
  if (i >= total)
    return;
  extern __shared__ float smem[];
  int *base = reinterpret_cast<int *>(smem + threadIdx.y * smem_stride);
  int exponent = get_exponent(in[i]);
  if (several_warps) {
    if (threadIdx.x % 32 == 0)
      base[threadIdx.x / 32] = exponent;
    __syncthreads(); //~ note[barrier-after-return]
    exponent = base[0];
  }
  if (threadIdx.x % 2 == 0)
    base[threadIdx.x / 2] = exponent << 4; //~ warning[implicit-warp-synchronous]: `base[0]`
  __syncthreads(); //~ note[barrier-after-return]
  if (threadIdx.x % 2 != 0)
    base[threadIdx.x / 2] |= exponent;
  __syncthreads(); //~ note[barrier-after-return]
  out[i] = base[threadIdx.x / 2];
}
