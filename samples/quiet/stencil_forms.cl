// Stencils and filters on tiles with halos: two and three dimensions, columns of a separable convolution, a median, an integral image.

#define TILE_X 8
#define TILE_Y 8
#define HALO 1
#define PITCH (TILE_X + 2 * HALO + 1) /* one more, against conflicts of banks */

__attribute__((reqd_work_group_size(TILE_X, TILE_Y, 1)))
kernel void heat_2d(global const float *restrict in, global float *restrict out, const int width, const int height, const float k) {
  local float tile[TILE_Y + 2 * HALO][PITCH];
  const int x = get_global_id(0), y = get_global_id(1), tx = get_local_id(0) + HALO, ty = get_local_id(1) + HALO;
  const bool inside = x < width && y < height;
  const int at = min(y, height - 1) * width + min(x, width - 1);
  tile[ty][tx] = in[at];
  if (get_local_id(0) < HALO) {
    tile[ty][tx - HALO] = x >= HALO ? in[at - HALO] : 0.0f;
    tile[ty][tx + TILE_X] = x + TILE_X < width ? in[at + TILE_X] : 0.0f;
  }
  if (get_local_id(1) < HALO) {
    tile[ty - HALO][tx] = y >= HALO ? in[at - HALO * width] : 0.0f;
    tile[ty + TILE_Y][tx] = y + TILE_Y < height ? in[at + TILE_Y * width] : 0.0f;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!inside)
    return;
  const float sum = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx];
  out[at] = tile[ty][tx] + k * (sum - 4.0f * tile[ty][tx]);
}

// Several steps on one tile in local memory: after each the tile that counts is smaller by a ring.
kernel void jacobi_3d(global const float *restrict in, global float *restrict out, const int3 size, const int steps, local float *tile,
                      local float *next) {
  const int3 t = (int3)(get_local_id(0), get_local_id(1), get_local_id(2));
  const int3 of = (int3)(get_local_size(0), get_local_size(1), get_local_size(2));
  const int3 from = (int3)(get_group_id(0), get_group_id(1), get_group_id(2)) * (of - 2 * steps) - steps + t;
  const int3 at = clamp(from, (int3)(0), size - 1);
  const int own = (t.z * of.y + t.y) * of.x + t.x, index = (at.z * size.y + at.y) * size.x + at.x;
  tile[own] = in[index];
  for (int step = 1; step <= steps; ++step) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (all(t >= step) && all(t < of - step))
      next[own] = (tile[own - 1] + tile[own + 1] + tile[own - of.x] + tile[own + of.x] + tile[own - of.x * of.y] + tile[own + of.x * of.y]) / 6.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (all(t >= step) && all(t < of - step))
      tile[own] = next[own];
  }
  if (all(t >= steps) && all(t < of - steps) && all(from == at))
    out[index] = tile[own];
}

#define COLUMN 32
#define RADIUS 3

kernel void convolve_columns(global float *restrict dst, global const float *restrict src, constant float *weights, const int width,
                             const int height, const int pitch) {
  local float column[TILE_X][COLUMN + 2 * RADIUS + 1];
  const int tx = get_local_id(0) % TILE_X, x = get_group_id(0) * TILE_X + tx, first = get_group_id(1) * COLUMN;
  const int rows = get_local_size(0) / TILE_X;
  for (int i = get_local_id(0) / TILE_X; i < COLUMN + 2 * RADIUS; i += rows) {
    const int y = first + i - RADIUS;
    column[tx][i] = x < width && y >= 0 && y < height ? src[y * pitch + x] : 0.0f;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id(0) / TILE_X; i < COLUMN; i += rows) {
    if (x >= width || first + i >= height)
      break;
    float sum = 0.0f;
    for (int k = -RADIUS; k <= RADIUS; ++k)
      sum += weights[RADIUS - k] * column[tx][i + RADIUS + k];
    dst[(first + i) * pitch + x] = sum;
  }
}

#define SORT(a, b)                                                                                                                                   \
  do {                                                                                                                                               \
    const float least = fmin(a, b);                                                                                                                  \
    b = fmax(a, b);                                                                                                                                  \
    a = least;                                                                                                                                       \
  } while (0)

kernel void median_3x3(read_only image2d_t in, write_only image2d_t out, local float *tile) {
  const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  const int w = get_local_size(0) + 2, h = get_local_size(1) + 2;
  const int2 origin = at - (int2)(get_local_id(0), get_local_id(1)) - 1;
  const int own = get_local_id(1) * get_local_size(0) + get_local_id(0), size = get_local_size(0) * get_local_size(1);
  for (int i = own; i < w * h; i += size)
    tile[i] = read_imagef(in, nearest, origin + (int2)(i % w, i / w)).x;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (at.x >= get_image_width(out) || at.y >= get_image_height(out))
    return;
  float v[9];
  for (int k = 0; k < 9; ++k)
    v[k] = tile[(get_local_id(1) + k / 3) * w + get_local_id(0) + k % 3];
  for (int last = 8; last >= 4; --last)
    for (int k = 0; k < last; ++k)
      SORT(v[k], v[k + 1]);
  write_imagef(out, at, (float4)(v[4]));
}

// Sums of a row, part by part: what is carried is the same for all.
kernel void integral_rows(global const uchar *restrict in, global uint *restrict out, const int width, const int pitch, local uint *sums) {
  const int t = get_local_id(0), size = get_local_size(0), row = get_group_id(1) * pitch;
  uint carry = 0;
  for (int base = 0; base < width; base += size) {
    const int x = base + t;
    sums[t] = x < width ? in[row + x] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < size; d <<= 1) {
      const uint add = t >= d ? sums[t - d] : 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      sums[t] += add;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (x < width)
      out[row + x] = carry + sums[t];
    carry += sums[size - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
