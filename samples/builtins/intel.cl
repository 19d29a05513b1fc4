// Intel's shuffles, block reads and block writes (cl_intel_subgroups).
kernel void k(global uint *out) {
  uint t = get_local_id(0), v = t;
  if (t & 1)
    goto on;
  out[t] = 1;
on:
  v += intel_sub_group_shuffle(v, 3);  //~ warning[implementation-defined-convergence]: intel_sub_group_shuffle
  v += intel_sub_group_shuffle_down(v, v, 1);  //~ warning[implementation-defined-convergence]: intel_sub_group_shuffle_down
  v += intel_sub_group_shuffle_xor(v, 1);  //~ warning[implementation-defined-convergence]: intel_sub_group_shuffle_xor
  v += intel_sub_group_block_read(out);  //~ warning[implementation-defined-convergence]: intel_sub_group_block_read
  v += intel_sub_group_block_read4(out).x;  //~ warning[implementation-defined-convergence]: intel_sub_group_block_read4
  intel_sub_group_block_write(out, v);  //~ warning[implementation-defined-convergence]: intel_sub_group_block_write
}
