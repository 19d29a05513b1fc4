// A work-group has a tile of W elements, where the build defines W (docs/semantics.md §9). It lies below a multiple of W, or it does not. Two work-items
// of the group can be on different sides of any other number.

kernel void one_element_each(int n) {
  int i = get_group_id(0) * W + get_local_id(0);  //~ note[unknown-name]: `W`
  if (i < n / W * W)
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void several_elements_each(int n, int m) {
  int i = get_local_id(0) * M + get_group_id(0) * W;  //~ note[unknown-name]: `M`
  int j = get_local_id(1) * N + get_group_id(1) * W;  //~ note[unknown-name]: `N`
  if (i < n / W * W && m / W * W > j)
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void any_bound(int n) {
  int i = get_group_id(0) * W + get_local_id(0);
  if (i < n)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void without_a_tile(int n) {
  if (get_local_id(0) < W)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

// The first element of a tile can be the bound itself; the others are above it.
kernel void on_the_bound(int n) {
  int i = get_group_id(0) * W + get_local_id(0);
  if (i > n / W * W)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void tiles_of_another_size(int n) {
  int i = get_group_id(0) * W + get_local_id(0);
  if (i < n / V * V)  //~ note[unknown-name]: `V`
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void downwards(int n) {
  int i = get_group_id(0) * W - get_local_id(0);
  if (i < n / W * W)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void factors_that_differ(int n) {
  int i = get_local_id(0) * M - get_local_id(0) * N;
  if (i < 0)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

// Nothing declares `tile_number`, so its result counts as divergent. Its name does not count. The ids cancel.
kernel void a_number_that_nobody_declares(int n) {
  int i = get_local_id(0) * M + tile_number() * W;  //~ note[undeclared-function]: `tile_number`
  if (i < n / W * W)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `tile_number()`
}
