// args: -U CHECKED
// Only the checked build jumps. In this one there is no jump, no label that anybody jumps to, and nothing to say.
kernel void k(global int *data, int n) {
  int i = get_global_id(0);
#ifdef CHECKED
  if (data[i] < 0)
    goto fail;
#endif
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ tangles: function-body //~ defined
  data[i] *= n;
#if defined(CHECKED) && CHECKED > 1
  if (data[i] == 0)
    goto fail;
#endif
fail:  //~ tangles: function-body //~ defined
  data[i] += sub_group_reduce_add(data[i]);  //~ tangles: function-body //~ defined
}
