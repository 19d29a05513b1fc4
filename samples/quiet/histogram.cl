// Histograms: NVIDIA's oclHistogram with a sub-histogram for each warp, and AMD's with a column for each work-item.

#define WARP_COUNT 6
#define LOG2_WARP_SIZE 5
#define WARP_SIZE 32
#define BIN_COUNT 256
#define WORKGROUP_SIZE (WARP_COUNT * WARP_SIZE)

inline void addByte(local volatile uint *l_WarpHist, uint data) { atomic_inc(&l_WarpHist[data]); }

inline void addWord(local volatile uint *l_WarpHist, uint data) {
  addByte(l_WarpHist, (data >> 0) & 0xFF);
  addByte(l_WarpHist, (data >> 8) & 0xFF);
  addByte(l_WarpHist, (data >> 16) & 0xFF);
  addByte(l_WarpHist, (data >> 24) & 0xFF);
}

kernel void histogram256(global uint *d_PartialHistograms, global uint *d_Data, uint dataCount) {
  local uint l_Hist[WARP_COUNT * BIN_COUNT];
  local uint *l_WarpHist = l_Hist + (get_local_id(0) >> LOG2_WARP_SIZE) * BIN_COUNT;
  for (uint i = 0; i < BIN_COUNT / WARP_SIZE; i++)
    l_Hist[get_local_id(0) + i * WORKGROUP_SIZE] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint pos = get_global_id(0); pos < dataCount; pos += get_global_size(0))
    addWord(l_WarpHist, d_Data[pos]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint pos = get_local_id(0); pos < BIN_COUNT; pos += WORKGROUP_SIZE) {
    uint sum = 0;
    for (uint i = 0; i < WARP_COUNT; i++)
      sum += l_Hist[pos + i * BIN_COUNT];
    d_PartialHistograms[get_group_id(0) * BIN_COUNT + pos] = sum;
  }
}

kernel void mergeHistogram256(global uint *d_Histogram, global uint *d_PartialHistograms, uint histogramCount) {
  local uint l_Data[WORKGROUP_SIZE];
  uint sum = 0;
  for (uint i = get_local_id(0); i < histogramCount; i += WORKGROUP_SIZE)
    sum += d_PartialHistograms[get_group_id(0) + i * BIN_COUNT];
  l_Data[get_local_id(0)] = sum;
  for (uint stride = WORKGROUP_SIZE / 2; stride > 0; stride >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < stride)
      l_Data[get_local_id(0)] += l_Data[get_local_id(0) + stride];
  }
  if (get_local_id(0) == 0)
    d_Histogram[get_group_id(0)] = l_Data[0];
}

kernel void histogram_amd(global const uint *data, local uchar *sharedArray, global uint *binResult) {
  size_t localId = get_local_id(0), globalId = get_global_id(0), groupId = get_group_id(0);
  size_t groupSize = get_local_size(0);
  for (int i = 0; i < BIN_COUNT; ++i)
    sharedArray[localId * BIN_COUNT + i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < BIN_COUNT; ++i) {
    uint value = data[globalId * BIN_COUNT + i];
    sharedArray[localId * BIN_COUNT + value]++;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < BIN_COUNT / groupSize; ++i) {
    int binCount = 0;
    for (int j = 0; j < groupSize; ++j)
      binCount += sharedArray[j * BIN_COUNT + i * groupSize + localId];
    binResult[groupId * BIN_COUNT + i * groupSize + localId] = binCount;
  }
}
