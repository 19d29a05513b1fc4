// Work-groups as pipelines: a filter on asynchronous copies, copies into two buffers in turn, and sub-groups that produce for others that consume.

#define TAPS 8
#define BLOCK 64

__attribute__((reqd_work_group_size(BLOCK, 1, 1)))
kernel void fir(global const float *restrict in, constant float *taps, global float *restrict out) {
  local float window[BLOCK + TAPS - 1];
  const size_t first = get_group_id(0) * BLOCK;
  event_t copied = async_work_group_copy(window, in + first, BLOCK + TAPS - 1, 0);
  wait_group_events(1, &copied);
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < TAPS; ++k)
    sum = mad(taps[k], window[get_local_id(0) + TAPS - 1 - k], sum);
  out[first + get_local_id(0)] = sum;
}

// The next block is on its way while this one is looked at.
kernel void double_buffered(global const int *restrict in, global int *restrict out, const int blocks) {
  local int buffer[2][BLOCK];
  event_t events[2];
  int sum = 0;
  if (blocks == 0)
    return;
  events[0] = async_work_group_copy(buffer[0], in, BLOCK, 0);
  for (int block = 0; block < blocks; ++block) {
    const int now = block & 1;
    if (block + 1 < blocks)
      events[1 - now] = async_work_group_copy(buffer[1 - now], in + (block + 1) * BLOCK, BLOCK, 0);
    wait_group_events(1, &events[now]);
    for (int i = get_local_id(0); i < BLOCK; i += get_local_size(0))
      sum += buffer[now][i] * (block + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}

#define SLOTS 128

// The lower half of the work-group reads ahead, the upper half takes what was read one round before; both come to each barrier.
kernel void produce_and_consume(global const uint *restrict in, global uint *restrict out, const int rounds) {
  local uint slots[2][SLOTS];
  const uint t = get_local_id(0), readers = get_local_size(0) / 2;
  const bool produces = t < readers;
  uint state = 0;
  for (int round = 0; round <= rounds; ++round) {
    if (produces) {
      if (round < rounds)
        slots[round & 1][t % SLOTS] = in[round * readers + t];
    } else if (round > 0) {
      state = state * 33u + slots[(round - 1) & 1][(t - readers) % SLOTS];
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (!produces)
    out[get_group_id(0) * readers + t - readers] = state;
}

// A line of work-groups through global memory: who is first in line says when the line moves.
kernel void transform_in_place(global float *data, const int length, const int stages, local float *line) {
  const int t = get_local_id(0), size = get_local_size(0);
  for (int base = get_group_id(0) * size; base < length; base += get_num_groups(0) * size) {
    const bool has = base + t < length;
    float value = has ? data[base + t] : 0.0f;
    for (int stage = 0; stage < stages; ++stage) {
      line[t] = value;
      barrier(CLK_LOCAL_MEM_FENCE);
      value = stage & 1 ? 0.5f * (value + line[(t + 1) % size]) : value - line[size - 1 - t];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (has)
      data[base + t] = value;
  }
}
