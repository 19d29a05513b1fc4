// Both operands of `||` lead to both calls: neither call is on one side of a branch.
kernel void either_condition(global float *p, int s, int c, int low, int high) {
  int i = get_local_id(0);
  float x = p[i];
  if ((s && c + i < low) || (!s && c + i < high)) {
    x += sub_group_shuffle_xor(x, 1);  //~ note[divergent-subgroup-operation]
    x += sub_group_shuffle_xor(x, 2);  //~ note[divergent-subgroup-operation]
  }
  p[i] = x;
}

kernel void one_call_on_each_side(global float *p, int c, int low) {
  int i = get_local_id(0);
  float x = p[i];
  if (c + i < low)
    x += sub_group_shuffle_xor(x, 1);  //~ note[divergent-subgroup-operation] //~ note[merged-convergent-branches]
  else
    x -= sub_group_shuffle_xor(x, 1);  //~ note[divergent-subgroup-operation]
  p[i] = x;
}
