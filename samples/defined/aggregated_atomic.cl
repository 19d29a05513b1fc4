// One atomic for all threads that are there: elect, add, broadcast, in a branch in a loop. Silent.
kernel void append(global const int *in, global int *out, global int *count, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
    if (in[i] > 0) {
      uint4 active = sub_group_ballot(1);  //~ tangles: if-branch //~ defined
      int base = 0;
      if (sub_group_elect())  //~ tangles: if-branch //~ defined
        base = atomic_add(count, sub_group_ballot_bit_count(active));
      base = sub_group_broadcast_first(base);  //~ defined
      out[base + sub_group_ballot_exclusive_scan(active)] = in[i];
    }
  }
}
