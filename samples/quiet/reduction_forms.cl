// Reductions: a dot product that ends in an atomic, one by sub-groups, one that ends early where all agree, k-means with sums in local memory, and the last
// work-group that adds up what all have left.

static void atomic_add_float(volatile global float *to, const float value) {
  union {
    uint bits;
    float number;
  } before, after;
  do {
    before.number = *to;
    after.number = before.number + value;
  } while (atomic_cmpxchg((volatile global uint *) to, before.bits, after.bits) != before.bits);
}

kernel void dot_product(global const float4 *restrict a, global const float4 *restrict b, volatile global float *result, const int n,
                        local float *partial) {
  const int t = get_local_id(0);
  float sum = 0.0f;
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    sum += dot(a[i], b[i]);
  partial[t] = sum;
  int active = get_local_size(0);
  while (active > 1) {
    const int rest = (active + 1) / 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < active - rest)
      partial[t] += partial[t + rest];
    active = rest;
  }
  if (t == 0)
    atomic_add_float(result, partial[0]);
}

#define MAX_SUB_GROUPS 32

kernel void maximum_by_sub_groups(global const float *restrict in, global float *restrict out, const int n) {
  local float best[MAX_SUB_GROUPS];
  float mine = -INFINITY;
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    mine = fmax(mine, in[i]);
  mine = sub_group_reduce_max(mine);
  if (get_sub_group_local_id() == 0)
    best[get_sub_group_id()] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_sub_group_id() == 0) {
    mine = get_sub_group_local_id() < get_num_sub_groups() ? best[get_sub_group_local_id()] : -INFINITY;
    mine = sub_group_reduce_max(mine);
    if (get_sub_group_local_id() == 0)
      out[get_group_id(0)] = mine;
  }
}

// Whether all are below a limit: the rest is not read once somebody knows better.
kernel void all_below(global const int *restrict in, global int *restrict verdicts, const int n, const int limit) {
  int verdict = 1;
  const int of_group = n / get_num_groups(0), first = get_group_id(0) * of_group;
  for (int i = 0; i < of_group; i += get_local_size(0)) {
    const int at = i + get_local_id(0);
    const int below = at >= of_group || in[first + at] < limit;
    if (!work_group_all(below)) {
      verdict = 0;
      break;
    }
  }
  if (get_local_id(0) == 0)
    verdicts[get_group_id(0)] = verdict;
}

#define MAX_CLUSTERS 16

kernel void k_means(global const float2 *restrict points, global const float2 *restrict centers, global int *restrict nearest,
                    global int *restrict sums, const int n, const int clusters) {
  local float2 center[MAX_CLUSTERS];
  local int sum_x[MAX_CLUSTERS], sum_y[MAX_CLUSTERS], members[MAX_CLUSTERS];
  const int t = get_local_id(0), k = min(clusters, MAX_CLUSTERS);
  for (int i = t; i < k; i += get_local_size(0)) {
    center[i] = centers[i];
    sum_x[i] = sum_y[i] = members[i] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int at = get_global_id(0); at < n; at += get_global_size(0)) {
    const float2 point = points[at];
    int best = 0;
    float least = MAXFLOAT;
    for (int i = 0; i < k; ++i) {
      const float2 d = point - center[i];
      if (dot(d, d) < least) {
        least = dot(d, d);
        best = i;
      }
    }
    nearest[at] = best;
    atomic_add(&sum_x[best], convert_int_rte(point.x * 256.0f));
    atomic_add(&sum_y[best], convert_int_rte(point.y * 256.0f));
    atomic_inc(&members[best]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = t; i < k; i += get_local_size(0)) {
    if (members[i] == 0)
      continue;
    atomic_add(&sums[3 * i], sum_x[i]);
    atomic_add(&sums[3 * i + 1], sum_y[i]);
    atomic_add(&sums[3 * i + 2], members[i]);
  }
}

// The threadfence reduction of CUDA's samples.
kernel void in_one_pass(global const int *restrict in, volatile global int *partial, global int *restrict result, volatile global uint *done,
                        const int n, local int *shared) {
  local int last;
  const int t = get_local_id(0), size = get_local_size(0);
  int sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    sum += in[i];
  sum = work_group_reduce_add(sum);
  if (t == 0) {
    partial[get_group_id(0)] = sum;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    last = atomic_inc(done) == get_num_groups(0) - 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (last) {
    int all = 0;
    for (int i = t; i < get_num_groups(0); i += size)
      all += partial[i];
    shared[t] = all;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = size / 2; s > 0; s >>= 1) {
      if (t < s)
        shared[t] += shared[t + s];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0) {
      *result = shared[0];
      *done = 0;
    }
  }
}
