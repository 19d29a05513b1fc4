// A function that computes an index: if the caller subtracts the id again, the rest is uniform in the work-group.
int index_of(int local_id, int group, int size) { return local_id + group * size; }

int index_in_rows(int local_id, int group, int size, int first) {
  return index_of(local_id, group, size) * 4 + first;
}

kernel void id_cancels(int n) {
  int first = index_of(get_local_id(0), get_group_id(0), get_local_size(0)) - get_local_id(0);
  if (first < n)
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void id_is_left(int n) {
  int first = index_of(get_local_id(0), get_group_id(0), get_local_size(0)) - get_group_id(0);
  if (first < n)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void nested_call(int n) {
  int at = index_in_rows(get_local_id(0), get_group_id(0), get_local_size(0), n) - 4 * get_local_id(0);
  if (at < n)
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void nested_call_with_another_factor(int n) {
  int at = index_in_rows(get_local_id(0), get_group_id(0), get_local_size(0), n) - 3 * get_local_id(0);
  if (at < 8)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

// The product of two ids is not affine.
int product(int a, int b) { return a * b; }

kernel void product_of_ids(int n) {
  int at = product(get_local_id(0), get_local_id(0)) - get_local_id(0);
  if (at < n)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}
