// Smooth a row with a work-group: each work-item starts at its id and advances by the size of the work-group.
kernel void smooth(global float *row, local float *window, int n) {
  int lid = get_local_id(0);
  for (int i = lid; i < n; i += get_local_size(0)) {
    window[lid] = row[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    float left = window[max(lid - 1, 0)];
    row[i] = 0.5f * (left + window[lid]);
    barrier(CLK_LOCAL_MEM_FENCE);  // before the next iteration overwrites `window`
  }
}
