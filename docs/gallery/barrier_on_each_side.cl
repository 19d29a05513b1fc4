// Exchange halves: the lower half publishes its values, the upper half clears its slots. Both sides wait.
kernel void exchange(global float *data, local float *slots) {
  int lid = get_local_id(0);
  int middle = get_local_size(0) / 2;

  if (lid < middle) {
    slots[lid] = data[lid];
    barrier(CLK_LOCAL_MEM_FENCE);
  } else {
    slots[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  data[lid] = slots[(lid + middle) % get_local_size(0)];
}
