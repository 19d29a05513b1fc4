// AMD's Reduction: vectors of four, the tree in local memory; and its two-stage form with a grid-stride loop before the barrier.

kernel void reduce(global uint4 *input, global uint4 *output, local uint4 *sdata) {
  unsigned int tid = get_local_id(0), bid = get_group_id(0), gid = get_global_id(0);
  unsigned int localSize = get_local_size(0), stride = gid * 2;
  sdata[tid] = input[stride] + input[stride + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (unsigned int s = localSize >> 1; s > 0; s >>= 1) {
    if (tid < s)
      sdata[tid] += sdata[tid + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (tid == 0)
    output[bid] = sdata[0];
}

kernel void reduce_min(global const float *buffer, local float *scratch, const int length, global float *result) {
  int global_index = get_global_id(0);
  float accumulator = INFINITY;
  while (global_index < length) {
    float element = buffer[global_index];
    accumulator = (accumulator < element) ? accumulator : element;
    global_index += get_global_size(0);
  }
  int local_index = get_local_id(0);
  scratch[local_index] = accumulator;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int offset = get_local_size(0) / 2; offset > 0; offset = offset / 2) {
    if (local_index < offset) {
      float other = scratch[local_index + offset];
      float mine = scratch[local_index];
      scratch[local_index] = (mine < other) ? mine : other;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (local_index == 0)
    result[get_group_id(0)] = scratch[0];
}
