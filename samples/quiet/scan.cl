// Scans: NVIDIA's oclScan with its helper functions, and AMD's ScanLargeArrays (Blelloch).

#define WORKGROUP_SIZE 256

inline uint scan1Inclusive(uint idata, local uint *l_Data, uint size) {
  uint pos = 2 * get_local_id(0) - (get_local_id(0) & (size - 1));
  l_Data[pos] = 0;
  pos += size;
  l_Data[pos] = idata;
  for (uint offset = 1; offset < size; offset <<= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint t = l_Data[pos] + l_Data[pos - offset];
    barrier(CLK_LOCAL_MEM_FENCE);
    l_Data[pos] = t;
  }
  return l_Data[pos];
}

inline uint scan1Exclusive(uint idata, local uint *l_Data, uint size) {
  return scan1Inclusive(idata, l_Data, size) - idata;
}

inline uint4 scan4Inclusive(uint4 data4, local uint *l_Data, uint size) {
  data4.y += data4.x;
  data4.z += data4.y;
  data4.w += data4.z;
  uint val = scan1Inclusive(data4.w, l_Data, size / 4) - data4.w;
  return data4 + (uint4)val;
}

kernel void scanExclusiveLocal1(global uint4 *d_Dst, global uint4 *d_Src, local uint *l_Data, uint size) {
  uint4 idata4 = d_Src[get_global_id(0)];
  uint4 odata4 = scan4Inclusive(idata4, l_Data, size) - idata4;
  d_Dst[get_global_id(0)] = odata4;
}

kernel void scanExclusiveLocal2(global uint *d_Buf, global uint *d_Dst, global uint *d_Src, local uint *l_Data, uint N,
                                uint arrayLength) {
  uint data = 0;
  if (get_global_id(0) < N)
    data = d_Dst[(4 * WORKGROUP_SIZE - 1) + (4 * WORKGROUP_SIZE) * get_global_id(0)] +
           d_Src[(4 * WORKGROUP_SIZE - 1) + (4 * WORKGROUP_SIZE) * get_global_id(0)];
  uint odata = scan1Exclusive(data, l_Data, arrayLength);
  if (get_global_id(0) < N)
    d_Buf[get_global_id(0)] = odata;
}

kernel void uniformUpdate(global uint4 *d_Data, global uint *d_Buf) {
  local uint buf[1];
  uint4 data4 = d_Data[get_global_id(0)];
  if (get_local_id(0) == 0)
    buf[0] = d_Buf[get_group_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  data4 += (uint4)buf[0];
  d_Data[get_global_id(0)] = data4;
}

kernel void blockScan(global float *output, global const float *input, local float *block, const uint block_size,
                      global float *sumBuffer) {
  int tid = get_local_id(0), gid = get_global_id(0), bid = get_group_id(0), offset = 1;
  block[2 * tid] = input[2 * gid];
  block[2 * tid + 1] = input[2 * gid + 1];
  for (int d = block_size >> 1; d > 0; d >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tid < d) {
      int ai = offset * (2 * tid + 1) - 1, bi = offset * (2 * tid + 2) - 1;
      block[bi] += block[ai];
    }
    offset *= 2;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (tid == 0) {
    sumBuffer[bid] = block[block_size - 1];
    block[block_size - 1] = 0;
  }
  for (int d = 1; d < block_size; d *= 2) {
    offset >>= 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tid < d) {
      int ai = offset * (2 * tid + 1) - 1, bi = offset * (2 * tid + 2) - 1;
      float t = block[ai];
      block[ai] = block[bi];
      block[bi] += t;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  output[2 * gid] = block[2 * tid];
  output[2 * gid + 1] = block[2 * tid + 1];
}
