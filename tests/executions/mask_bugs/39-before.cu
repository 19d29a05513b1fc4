// openmm/openmm, df95e2d64, platforms/cuda/src/kernels/findInteractingBlocks.cu:118, 274, 320 (also customManyParticle.cu) (state before the fix)
__global__ void compact(const int *flags, int *atoms, int length) {
  int indexInWarp = threadIdx.x % 32;
  unsigned warpMask = (1u << indexInWarp) - 1;
  int numCompacted = 0;
  for (int start = 0; start < length; start += 32) {
    int i = start + indexInWarp;
    bool include = i < length && flags[i] != 0;
    int includeFlags = __ballot(include); // BUG: legacy-warp-intrinsic
    if (include) atoms[numCompacted + __popc(includeFlags & warpMask)] = i;
    numCompacted += __popc(includeFlags);
  }
}
