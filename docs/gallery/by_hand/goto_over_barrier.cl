// Clamp an image through a tile. A work-item with an invalid pixel takes part in the barrier, and does no work.
kernel void clamp_rows(global const int *in, global int *out, local int *tile, int limit) {
  int i = get_global_id(0);
  int lid = get_local_id(0);
  int status = in[i] < 0 ? -1 : 0;

  if (status == 0)
    tile[lid] = min(in[i], limit);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = status == 0 ? tile[lid ^ 1] : status;
}
