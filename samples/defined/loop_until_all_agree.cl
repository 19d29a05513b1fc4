// The waterfall loop: one value at a time, until no thread is left. An infinite loop left by `break`. Silent.
kernel void k(global const int *in, global int *out) {
  int t = get_local_id(0), v = in[t];
  for (;;) {  //~ tangles: function-body //~ defined
    int first = sub_group_broadcast_first(v);  //~ tangles: loop-body //~ defined
    if (v == first) {  //~ tangles: loop-body
      out[t] = sub_group_non_uniform_reduce_add(1);  //~ tangles: if-branch //~ defined
      break;  //~ tangles: if-branch
    }
  }
  out[t] += sub_group_reduce_add(v);  //~ tangles: function-body //~ defined
}
