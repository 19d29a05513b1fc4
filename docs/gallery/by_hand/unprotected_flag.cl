// Repeat a relaxation until no element of the work-group changes.
kernel void relax(global float *data, local float *row, local int *changed) {
  int lid = get_local_id(0);
  row[lid] = data[get_global_id(0)];
  *changed = 1;
  barrier(CLK_LOCAL_MEM_FENCE);

  while (*changed) {
    barrier(CLK_LOCAL_MEM_FENCE);  // all work-items have read the flag
    *changed = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    float next = 0.5f * (row[lid] + row[lid ^ 1]);
    if (fabs(next - row[lid]) > 1e-3f)
      *changed = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    row[lid] = next;
  }
  data[get_global_id(0)] = row[lid];
}
