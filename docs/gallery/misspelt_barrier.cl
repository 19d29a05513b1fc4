// Reverse the elements of a work-group in local memory.
kernel void reverse(global float *data, local float *tile) {
  int lid = get_local_id(0);
  int size = get_local_size(0);

  tile[lid] = data[get_global_id(0)];
  work_group_barier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = tile[size - 1 - lid];
}
