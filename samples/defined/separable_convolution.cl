// A convolution along rows with a halo that the first and last threads load.
#define RADIUS 4

kernel void rows(global const float *in, global float *out, constant float *weights, local float *line, int width) {
  int x = get_global_id(0), t = get_local_id(0), size = get_local_size(0);
  global const float *row = in + get_global_id(1) * width;
  line[t + RADIUS] = row[min(x, width - 1)];
  if (t < RADIUS) {
    line[t] = row[max(x - RADIUS, 0)];
  } else if (t >= size - RADIUS) {
    line[t + 2 * RADIUS] = row[min(x + RADIUS, width - 1)];
  }
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
  if (x >= width)
    return;
  float sum = 0;
  for (int i = -RADIUS; i <= RADIUS; i++)
    sum += line[t + RADIUS + i] * weights[i + RADIUS];
  out[get_global_id(1) * width + x] = sum;  //~ tangles: sequence
}
