// A barrier that only part of the work-group reaches.
kernel void reduce(global float *data, local float *part) {
  int i = get_local_id(0);
  part[i] = data[i];
  if (i < 32) {
    part[i] += part[i + 32];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  data[i] = part[i];
}
