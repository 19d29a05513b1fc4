// Sorts: merging of runs by ranks, odd-even transposition until nothing changes, and a counting pass of a radix sort with a histogram for each digit.

#define RADIX 16
#define RADIX_MASK (RADIX - 1)

// How many of a sorted run are less than a key, or not greater.
static int rank(local const int *run, int length, int key, bool or_equal) {
  int low = 0, high = length;
  while (low < high) {
    int middle = (low + high) / 2;
    if (run[middle] < key || (or_equal && run[middle] == key))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

kernel void merge_sort(global int *keys, local int *a, local int *b) {
  const int t = get_local_id(0), n = get_local_size(0);
  local int *from = a, *to = b;
  from[t] = keys[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int run = 1; run < n; run *= 2) {
    const int own = t / run * run, pair = own ^ run;
    const int key = from[t], length = clamp(n - pair, 0, run);
    const int at = min(own, pair) + (t - own) + rank(from + min(pair, n - 1), length, key, pair < own);
    to[at] = key;
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *other = from;
    from = to;
    to = other;
  }
  keys[get_global_id(0)] = from[t];
}

kernel void odd_even(global int *keys, local int *sorted) {
  local int swapped;
  const uint t = get_local_id(0), n = get_local_size(0);
  sorted[t] = keys[get_global_id(0)];
  for (;;) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0)
      swapped = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint phase = 0; phase < 2; ++phase) {
      const uint left = 2 * t + phase;
      if (left + 1 < n && sorted[left] > sorted[left + 1]) {
        const int key = sorted[left];
        sorted[left] = sorted[left + 1];
        sorted[left + 1] = key;
        atomic_or(&swapped, 1);
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (!swapped)
      break;
  }
  keys[get_global_id(0)] = sorted[t];
}

// Places of the digits: those of a work-item follow those of the work-items before it, digit by digit.
kernel void radix_count(global const uint *restrict keys, global uint *restrict counts, const uint n, const uint shift, local uint *histogram) {
  const uint t = get_local_id(0), size = get_local_size(0);
  const uint of_group = (n + get_num_groups(0) - 1) / get_num_groups(0);
  const uint begin = get_group_id(0) * of_group, end = min(begin + of_group, n);
#pragma unroll
  for (uint digit = 0; digit < RADIX; ++digit)
    histogram[digit * size + t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = begin + t; i < end; i += size)
    ++histogram[((keys[i] >> shift) & RADIX_MASK) * size + t];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = size / 2; step > 0; step /= 2) {
    for (uint i = t; i < RADIX * step; i += size)
      histogram[i / step * size + i % step] += histogram[i / step * size + i % step + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t < RADIX)
    counts[t * get_num_groups(0) + get_group_id(0)] = histogram[t * size];
}
