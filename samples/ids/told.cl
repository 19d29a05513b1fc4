// Arithmetic on ids that leaves something of them, or of which a size would have to be known.

kernel __attribute__((reqd_work_group_size(64, 1, 1), intel_reqd_sub_group_size(32)))
void of_64(global int *v, int n) {
  int lid = get_local_id(0), gid = get_global_id(0);
  if (lid < 63)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `lid`
  for (int i = lid; i < n; i += 64)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `i`
  for (int i = lid; i <= n / 64 * 64; i += 64)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `i`
  for (int i = lid; i < n / 64 * 64; i += 32)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `i`
  // The sub-groups agree, the work-group does not.
  if (lid & 32)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `lid`
  // The first eight wrap.
  if (get_local_id(0) - 8u < 56u)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
  if (gid / 48 == n)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `gid`
  if (lid & 16)
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-subgroup-operation]: `lid`
}

kernel void of_any_size(global int *v, uint n) {
  int gid = get_global_id(0);
  if (gid / 64 == 3)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `gid`
  // The bound is no multiple of the size.
  for (uint i = get_local_id(0); i < n; i += get_local_size(0))
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `i`
  // The step is another size.
  for (uint i = get_local_id(0); i < n * get_local_size(0); i += get_local_size(1))
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `i`
  if (gid - 2 * (int)get_local_id(0) > 7)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `gid`
}

// Called with 64 work-items and with 128.
static void first_64(global int *v) {
  if (get_local_id(0) < 64)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void small(global int *v) { first_64(v); }
kernel __attribute__((reqd_work_group_size(128, 1, 1))) void large(global int *v) { first_64(v); }

// A hint promises nothing.
kernel __attribute__((work_group_size_hint(64, 1, 1))) void hinted(global int *v) {
  if (get_local_id(0) < 64)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

// As `size_t`, a number below zero is above all others: of one group, threads wrap and threads do not.
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void wraps(global int *v, int from, int to) {
  size_t i = get_local_id(0) + (size_t)(from * 8 - 4);
  if (i < (size_t)(to * 8 + 4))
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `i`
}

// One more than a multiple, a multiple of the other parameter, and bits of a number that is no power of two.
static int nearly(int n, int to) { return (n + to - 1) / to * to + 1; }
static int of_the_other(int n, int to) { return (n + to - 1) / to * n; }
static int by_bits(int n, int to) { return (n + to - 1) & ~(to - 1); }
// Divisible by `to` on the other side of the branch.
static int turned(int n, int to) { return n % to != 0 ? n : n + to - n % to; }

kernel void no_multiple(int n) {
  for (int i = get_local_id(0); i < nearly(n, get_local_size(0)); i += get_local_size(0))
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]
}
kernel void multiple_of_the_other(int n) {
  for (int i = get_local_id(0); i < of_the_other(n, get_local_size(0)); i += get_local_size(0))
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]
}
kernel __attribute__((reqd_work_group_size(12, 1, 1))) void no_power_of_two(int n) {
  for (int i = get_local_id(0); i < by_bits(n, 12); i += 12)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]
}
kernel void on_the_other_side(int n) {
  for (int i = get_local_id(0); i < turned(n, get_local_size(0)); i += get_local_size(0))
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]
}
