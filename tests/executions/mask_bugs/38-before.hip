// ROCm/rocSPARSE, 51a616bf, library/src/level2/gemvi_device.h:92 (state before the fix)
template <int WFSIZE> __global__ void gemvi(float *y) {
  __shared__ float sdata[1024];
  int lid = threadIdx.x & (WFSIZE - 1), wid = threadIdx.x / WFSIZE;
  sdata[wid * WFSIZE + lid] = y[threadIdx.x];
  __syncthreads();
  if (wid < 8) sdata[wid * WFSIZE + lid] += sdata[(wid + 8) * WFSIZE + lid]; // BUG: wave-width
  __syncthreads();
  if (wid < 4) sdata[wid * WFSIZE + lid] += sdata[(wid + 4) * WFSIZE + lid];
  __syncthreads();
  if (wid == 0) y[lid] = sdata[lid] + sdata[WFSIZE + lid] + sdata[2 * WFSIZE + lid] + sdata[3 * WFSIZE + lid];
}
template __global__ void gemvi<32>(float *);
