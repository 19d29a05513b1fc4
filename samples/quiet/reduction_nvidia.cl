// The seven reductions of NVIDIA's oclReduction, one after the other: each is correct, with barriers outside of the branches.

// Interleaved addressing, with `%`.
kernel void reduce0(global const int *g_idata, global int *g_odata, uint n, local int *sdata) {
  uint tid = get_local_id(0), i = get_global_id(0);
  sdata[tid] = i < n ? g_idata[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = 1; s < get_local_size(0); s *= 2) {
    if (tid % (2 * s) == 0)
      sdata[tid] += sdata[tid + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (tid == 0)
    g_odata[get_group_id(0)] = sdata[0];
}

// Contiguous threads.
kernel void reduce1(global const int *g_idata, global int *g_odata, uint n, local int *sdata) {
  uint tid = get_local_id(0), i = get_global_id(0);
  sdata[tid] = i < n ? g_idata[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = 1; s < get_local_size(0); s *= 2) {
    int index = 2 * s * tid;
    if (index < get_local_size(0))
      sdata[index] += sdata[index + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (tid == 0)
    g_odata[get_group_id(0)] = sdata[0];
}

// Sequential addressing.
kernel void reduce2(global const int *g_idata, global int *g_odata, uint n, local int *sdata) {
  uint tid = get_local_id(0), i = get_global_id(0);
  sdata[tid] = i < n ? g_idata[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (tid < s)
      sdata[tid] += sdata[tid + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (tid == 0)
    g_odata[get_group_id(0)] = sdata[0];
}

// The first addition while loading.
kernel void reduce3(global const int *g_idata, global int *g_odata, uint n, local int *sdata) {
  uint tid = get_local_id(0), i = get_group_id(0) * (get_local_size(0) * 2) + get_local_id(0);
  sdata[tid] = i < n ? g_idata[i] : 0;
  if (i + get_local_size(0) < n)
    sdata[tid] += g_idata[i + get_local_size(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (tid < s)
      sdata[tid] += sdata[tid + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (tid == 0)
    g_odata[get_group_id(0)] = sdata[0];
}

#define blockSize 128

// Unrolled by the block size, and many elements for each thread.
kernel void reduce6(global const int *g_idata, global int *g_odata, uint n, local volatile int *sdata) {
  uint tid = get_local_id(0), i = get_group_id(0) * (get_local_size(0) * 2) + get_local_id(0);
  uint gridSize = blockSize * 2 * get_num_groups(0);
  sdata[tid] = 0;
  while (i < n) {
    sdata[tid] += g_idata[i];
    if (i + blockSize < n)
      sdata[tid] += g_idata[i + blockSize];
    i += gridSize;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (blockSize >= 512) {
    if (tid < 256)
      sdata[tid] += sdata[tid + 256];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (blockSize >= 256) {
    if (tid < 128)
      sdata[tid] += sdata[tid + 128];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (blockSize >= 128) {
    if (tid < 64)
      sdata[tid] += sdata[tid + 64];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (tid < 32) {
    if (blockSize >= 64)
      sdata[tid] += sdata[tid + 32];
    if (blockSize >= 32)
      sdata[tid] += sdata[tid + 16];
  }
  if (tid == 0)
    g_odata[get_group_id(0)] = sdata[0];
}
