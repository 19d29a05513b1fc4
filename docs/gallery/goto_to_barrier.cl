// Load a tile. Work-items outside the array skip the load and join the others at the barrier.
kernel void load(global const float *in, global float *out, local float *tile, int n) {
  int i = get_global_id(0);
  int lid = get_local_id(0);

  tile[lid] = 0;
  if (i >= n)
    goto wait;

  // Squares of the positive elements only.
  if (in[i] > 0)
    tile[lid] = in[i] * in[i];

wait:
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = tile[lid ^ 1];
}
