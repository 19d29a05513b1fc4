// A convolution, a stencil in a loop over planes, and n bodies: barriers in loops of all, checks inside.

#define RADIUS 4
#define TILE 64

kernel void convolve_rows(global float *dst, global const float *src, constant float *weights, int width, int height) {
  local float row[TILE + 2 * RADIUS];
  int x = get_global_id(0), y = get_group_id(1), t = get_local_id(0);
  for (int i = t; i < TILE + 2 * RADIUS; i += TILE) {
    int from = x - t + i - RADIUS;
    row[i] = from >= 0 && from < width ? src[y * width + from] : 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x >= width || y >= height)
    return;
  float sum = 0;
  for (int k = 0; k <= 2 * RADIUS; k++)
    sum += weights[k] * row[t + k];
  dst[y * width + x] = sum;
}

kernel void planes(global float *out, global const float *in, int dimx, int dimy, int dimz, local float *tile) {
  bool valid = get_global_id(0) < dimx && get_global_id(1) < dimy;
  int plane = dimx * dimy, at = get_global_id(1) * dimx + get_global_id(0);
  int place = get_local_id(1) * get_local_size(0) + get_local_id(0);
  float behind = 0, current = valid ? in[at] : 0;
  for (int z = 1; z < dimz; z++) {
    float infront = valid ? in[at + z * plane] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[place] = current;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (valid)
      out[at + (z - 1) * plane] = behind + infront + tile[place ^ 1];
    behind = current;
    current = infront;
  }
}

kernel void bodies(global const float4 *pos, global float4 *vel, int n, float dt, local float4 *shared) {
  float4 own = pos[get_global_id(0)], force = 0;
  int tiles = n / get_local_size(0);
  for (int tile = 0; tile < tiles; tile++) {
    shared[get_local_id(0)] = pos[tile * get_local_size(0) + get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < get_local_size(0); j++) {
      float4 d = shared[j] - own;
      force += d * rsqrt(dot(d, d) + 0.01f);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  vel[get_global_id(0)] += force * dt;
}
