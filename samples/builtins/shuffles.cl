// Shuffles and rotations read the register of another work-item, which must be there.
kernel void k(global int *out) {
  int t = get_local_id(0), v = t;
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  v += sub_group_shuffle(v, 3);  //~ warning[implementation-defined-convergence]: sub_group_shuffle
  v += sub_group_shuffle_xor(v, 1);  //~ warning[implementation-defined-convergence]: sub_group_shuffle_xor
  v += sub_group_shuffle_up(v, 1);  //~ warning[implementation-defined-convergence]: sub_group_shuffle_up
  v += sub_group_shuffle_down(v, 1);  //~ warning[implementation-defined-convergence]: sub_group_shuffle_down
  v += sub_group_rotate(v, 1);  //~ warning[implementation-defined-convergence]: sub_group_rotate
  v += sub_group_clustered_rotate(v, 1, 4);  //~ warning[implementation-defined-convergence]: sub_group_clustered_rotate
  out[t] = v;
}
