// Scans and what is made of them: Hillis and Steele with two buffers, compaction, one by sub-groups, and the look-back over work-groups in one pass.

kernel void hillis_steele(global const int *restrict in, global int *restrict out, const uint n, local int *buffer) {
  const uint t = get_local_id(0), size = get_local_size(0), at = get_global_id(0);
  uint write = 0, read = 1;
  buffer[t] = at < n ? in[at] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint offset = 1; offset < size; offset *= 2) {
    write = 1 - write;
    read = 1 - write;
    if (t >= offset)
      buffer[write * size + t] = buffer[read * size + t] + buffer[read * size + t - offset];
    else
      buffer[write * size + t] = buffer[read * size + t];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (at < n)
    out[at] = buffer[write * size + t];
}

// Those elements that are kept move together; a work-group takes its part of the output with one atomic.
kernel void compact(global const int *restrict in, global int *restrict out, volatile global uint *length, const uint n, const int least) {
  local uint place;
  const uint at = get_global_id(0);
  const int element = at < n ? in[at] : 0;
  const uint keep = at < n && element >= least;
  const uint before = work_group_scan_exclusive_add(keep);
  const uint all = work_group_reduce_add(keep);
  if (all == 0)
    return;
  if (get_local_id(0) == 0)
    place = atomic_add(length, all);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (keep)
    out[place + before] = element;
}

#define MAX_SUB_GROUPS 32

kernel void scan_by_sub_groups(global const uint *restrict in, global uint *restrict out, const uint n) {
  local uint sums[MAX_SUB_GROUPS];
  const uint at = get_global_id(0), sub = get_sub_group_id(), lane = get_sub_group_local_id();
  const uint value = at < n ? in[at] : 0;
  const uint inclusive = sub_group_scan_inclusive_add(value);
  if (lane == get_sub_group_size() - 1)
    sums[sub] = inclusive;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint before = 0;
  for (uint i = 0; i < sub; ++i)
    before += sums[i];
  if (at < n)
    out[at] = before + inclusive;
}

#define EMPTY 0u
#define SUM (1u << 30)
#define PREFIX (2u << 30)
#define VALUE (SUM - 1)

// Merrill and Garland: each work-group says its sum at once, and adds up what those before it have said. The first work-item looks back alone.
kernel void look_back(global const uint *restrict in, global uint *restrict out, volatile global atomic_uint *states,
                      volatile global atomic_uint *next, const uint n) {
  local uint tile, before;
  const uint t = get_local_id(0);
  if (t == 0)
    tile = atomic_fetch_add_explicit(next, 1u, memory_order_relaxed, memory_scope_device);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint mine = tile, at = mine * get_local_size(0) + t;
  const uint value = at < n ? in[at] : 0;
  const uint inclusive = work_group_scan_inclusive_add(value);
  const uint sum = work_group_broadcast(inclusive, get_local_size(0) - 1);
  if (t == 0) {
    uint exclusive = 0;
    if (mine > 0) {
      atomic_store_explicit(&states[mine], SUM | sum, memory_order_release, memory_scope_device);
      for (uint from = mine; from > 0;) {
        uint state = atomic_load_explicit(&states[from - 1], memory_order_acquire, memory_scope_device);
        if ((state & ~VALUE) == EMPTY)
          continue;
        exclusive += state & VALUE;
        if ((state & ~VALUE) == PREFIX)
          break;
        --from;
      }
    }
    atomic_store_explicit(&states[mine], PREFIX | (exclusive + sum), memory_order_release, memory_scope_device);
    before = exclusive;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (at < n)
    out[at] = before + inclusive;
}
