// Sum the elements of a work-group in a tree. Only the lower half of the work-items adds, so only this half waits.
kernel void sum(global const float *in, global float *out, local float *part) {
  int lid = get_local_id(0);
  part[lid] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);

  for (int stride = get_local_size(0) / 2; stride > 0; stride /= 2) {
    if (lid < stride) {
      part[lid] += part[lid + stride];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }

  if (lid == 0)
    out[get_group_id(0)] = part[0];
}
