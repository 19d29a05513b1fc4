// A helper loads a tile and waits. It leaves early for elements outside the array, with the barrier still to come.
void load_tile(global const float *in, local float *tile, int i, int n) {
  if (i >= n)
    return;
  tile[get_local_id(0)] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void blur(global const float *in, global float *out, local float *tile, int n) {
  int i = get_global_id(0);
  load_tile(in, tile, i, n);
  if (i < n)
    out[i] = 0.5f * (tile[get_local_id(0)] + tile[get_local_id(0) ^ 1]);
}
