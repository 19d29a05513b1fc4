// Arithmetic on ids: what is left of them when they are taken away again, and loops over whole multiples of the work-group.

kernel void clear_rows(global float *v, uint count) {
  uint end = (count / get_local_size(0) + 1) * get_local_size(0);
  for (uint i = get_local_id(0); i < end; i += get_local_size(0)) {
    barrier(CLK_LOCAL_MEM_FENCE);
    v[i] = 0;
  }
}

kernel void clear_backwards(global float *v, uint count) {
  uint i = (count - 1) / get_local_size(0) * get_local_size(0) + get_local_id(0);
  while (1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    v[i] = 0;
    if (i < get_local_size(0))
      break;
    i -= get_local_size(0);
  }
}

kernel void clear_part_of_group(global float *v, uint work) {
  uint start = work * get_local_size(0) * get_group_id(0);
  uint stop = work * get_local_size(0) * (get_group_id(0) + 1);
  for (uint i = start + get_local_id(0); i < stop; i += get_local_size(0)) {
    barrier(CLK_LOCAL_MEM_FENCE);
    v[i] = 0;
  }
}

// The first work-item of the work-group has the same number for all.
kernel void from_the_first(global float *v, int n) {
  int first = get_global_id(0) - get_local_id(0);
  for (int i = first; i < n; i += 4) {
    barrier(CLK_LOCAL_MEM_FENCE);
    v[i + get_local_id(0)] = 0;
  }
}

kernel void tiles_of_the_grid(global float *v, int n) {
  int local_id = get_local_id(0);
  for (int i = get_global_id(0); i - local_id < n; i += get_global_size(0)) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
      v[i] = 0;
  }
}

// The work-group's own number, computed.
kernel void row_of_group(global float *v, int rows) {
  for (int row = get_global_id(0) / get_local_size(0); row < rows; row += get_num_groups(0)) {
    barrier(CLK_LOCAL_MEM_FENCE);
    v[row] = 0;
  }
  for (uint i = get_global_id(0); i < rows * get_local_size(0); i += get_global_size(0))
    barrier(CLK_LOCAL_MEM_FENCE);
}

// One work-item in the first dimension: its ids are the same for the work-group, whatever the other sizes are.
kernel __attribute__((reqd_work_group_size(1, 16 * 4, 1))) void one_column(global float *v, int batches) {
  long batch = get_global_id(0);
  if (batch >= batches)
    return;
  barrier(CLK_LOCAL_MEM_FENCE);
  v[batch * 64 + get_local_id(1)] = 0;
}

static void wait_for_all(int id) {
  if (get_local_id(1) == 0)
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel __attribute__((reqd_work_group_size(64, 1, 1), intel_reqd_sub_group_size(32)))
void of_64(global int *v, int n) {
  int lid = get_local_id(0), gid = get_global_id(0);
  wait_for_all(lid);
  if (lid < 64)
    barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = lid; i < n / 64 * 64; i += 64)
    barrier(CLK_LOCAL_MEM_FENCE);
  if (gid / 64 == n)
    barrier(CLK_LOCAL_MEM_FENCE);
  if (lid & 32)
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (lid / 32 == 1)
    v[gid] = sub_group_reduce_add(n + lid);
}

// A work-group that is one sub-group: what its sub-groups share, it shares.
kernel __attribute__((reqd_work_group_size(16, 1, 1), intel_reqd_sub_group_size(16)))
void one_sub_group(global int *v) {
  int sum = sub_group_reduce_add(v[get_global_id(0)]);
  if (sum > 4)
    barrier(CLK_LOCAL_MEM_FENCE);
  if (get_sub_group_id() == 0)
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The sum of an `int` and an id is computed in `size_t`; as an `int` again it is the number that it was, above zero or below.
static int group(void) { return get_group_id(0); }

kernel __attribute__((reqd_work_group_size(16, 1, 1))) void signed_again(global int *v, int n, int from) {
  int i = get_local_id(0) + group() * 16;
  if (i < n / 16 * 16)
    barrier(CLK_LOCAL_MEM_FENCE);
  int j = get_local_id(0) + (size_t)(from * 16 - 8);
  if (j < n * 16 + 8)
    barrier(CLK_LOCAL_MEM_FENCE);
  // Downwards: 17 to 32 for all threads.
  int k = 32 - get_local_id(0) + group() * 16;
  if (k > n * 16 + 16)
    barrier(CLK_LOCAL_MEM_FENCE);
}

// What these functions return is a multiple of `to`, so all threads have the same trip count.
static int pad(int n, int to) { return (n + to - 1) / to * to; }
static int cut(int n, int to) { return n - n % to; }
static int grow(int n, int to) { return n % to == 0 ? n : n + to - n % to; }
static int pad_bits(int n, int to) { return (n + to - 1) & ~(to - 1); }
static int pad_more(int n, int to) { return pad(n + to, to); }

kernel void multiples(int n) {
  for (int i = get_local_id(0); i < pad(n, get_local_size(0)); i += get_local_size(0))
    barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id(0); i < cut(n, get_local_size(0)); i += get_local_size(0))
    barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id(0); i < grow(n, get_local_size(0)); i += get_local_size(0))
    barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id(0); i < pad_more(n, get_local_size(0)); i += get_local_size(0))
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel __attribute__((reqd_work_group_size(16, 1, 1))) void multiples_of_16(int n) {
  for (int i = get_local_id(0); i < pad_bits(n, 16); i += 16)
    barrier(CLK_LOCAL_MEM_FENCE);
}
