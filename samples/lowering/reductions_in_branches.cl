// "Reductions inside divergent control flow": two operations in two branches, each with the token of the entry; one is not the other.
kernel void example_kernel(global int *out, global const int *in) {  //~ convergent
  int delta = in[get_global_id(0)];
  if (delta > 0) {
    int total_gains = sub_group_reduce_add(delta);  //~ token: entry
    out[0] = total_gains;
  } else {
    int total_losses = sub_group_reduce_add(delta);  //~ token: entry
    out[1] = total_losses;
  }
}
