// A `goto` to the end of the body of a loop, where no operation stands: a doubt at the empty statement in the draft of
// 2024, and nothing for a user to hear under either model (docs/semantics.md §5).
kernel void k(global int *data, int n) {
  int t = get_local_id(0);
  for (int i = 0; i < n; i++) {
    if (data[t] & 1)
      goto next;
    data[t] += sub_group_reduce_add(2);  //~ defined
  next:;  //~[tangles] implementation-defined //~[revised] defined
  }
  data[t] += sub_group_reduce_add(3);  //~ defined
}
