// A kernel may be called by another one, and is then a helper like others.
kernel void inner(global int *data) {
  data[get_local_id(0)]++;
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ defined
}

kernel void outer(global int *data) {
  int t = get_local_id(0);
  if (data[t])
    goto out;
  inner(data);  //~ tangles: sequence //~ defined
out:
  inner(data);  //~ warning[implementation-defined-convergence]@3: inner
}
