// Bitonic sorting (NVIDIA's oclSortingNetworks) and one pass of a radix sort.

#define LOCAL_SIZE_LIMIT 512

inline void ComparatorLocal(local uint *keyA, local uint *keyB, uint arrowDir) {
  if ((*keyA > *keyB) == arrowDir) {
    uint t = *keyA;
    *keyA = *keyB;
    *keyB = t;
  }
}

kernel void bitonicSortLocal(global uint *d_DstKey, global uint *d_SrcKey, uint arrayLength, uint sortDir) {
  local uint l_key[LOCAL_SIZE_LIMIT];
  d_SrcKey += get_group_id(0) * LOCAL_SIZE_LIMIT + get_local_id(0);
  d_DstKey += get_group_id(0) * LOCAL_SIZE_LIMIT + get_local_id(0);
  l_key[get_local_id(0) + 0] = d_SrcKey[0];
  l_key[get_local_id(0) + (LOCAL_SIZE_LIMIT / 2)] = d_SrcKey[LOCAL_SIZE_LIMIT / 2];
  for (uint size = 2; size < arrayLength; size <<= 1) {
    uint dir = ((get_local_id(0) & (size / 2)) != 0);
    for (uint stride = size / 2; stride > 0; stride >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      uint pos = 2 * get_local_id(0) - (get_local_id(0) & (stride - 1));
      ComparatorLocal(&l_key[pos + 0], &l_key[pos + stride], dir);
    }
  }
  for (uint stride = arrayLength / 2; stride > 0; stride >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint pos = 2 * get_local_id(0) - (get_local_id(0) & (stride - 1));
    ComparatorLocal(&l_key[pos + 0], &l_key[pos + stride], sortDir);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  d_DstKey[0] = l_key[get_local_id(0) + 0];
  d_DstKey[LOCAL_SIZE_LIMIT / 2] = l_key[get_local_id(0) + (LOCAL_SIZE_LIMIT / 2)];
}

kernel void split_by_bit(global uint *keys, local uint *ones, local uint *moved, uint bit) {
  uint t = get_local_id(0), n = get_local_size(0), key = keys[get_global_id(0)];
  ones[t] = (key >> bit) & 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 1; d < n; d <<= 1) {
    uint before = t >= d ? ones[t - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    ones[t] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  uint zeros = n - ones[n - 1], own = ones[t];
  moved[(key >> bit) & 1 ? zeros + own - 1 : t - own] = key;
  barrier(CLK_LOCAL_MEM_FENCE);
  keys[get_global_id(0)] = moved[t];
}
