// args: -D CHECKED=1
// The checked build of the same kernel: one of the two jumps is there, and meets the others at the label.
kernel void k(global int *data, int n) {
  int i = get_global_id(0);
#ifdef CHECKED
  if (data[i] < 0)
    goto fail;
#endif
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ tangles: sequence //~ defined
  data[i] *= n;
#if defined(CHECKED) && CHECKED > 1
  if (data[i] == 0)
    goto fail;
#endif
fail:  //~ tangles: sequence, goto-label[forward] //~ implementation-defined
  data[i] += sub_group_reduce_add(data[i]);  //~ warning[implementation-defined-convergence]@14: goto fail
}
