// Clamp an image through a tile. A work-item with an invalid pixel jumps to the clean-up at the end.
kernel void clamp_rows(global const int *in, global int *out, local int *tile, int limit) {
  int i = get_global_id(0);
  int lid = get_local_id(0);
  int status = 0;

  if (in[i] < 0) {
    status = -1;
    goto done;
  }

  tile[lid] = min(in[i], limit);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = tile[lid ^ 1];

done:
  if (status != 0)
    out[i] = status;
}
