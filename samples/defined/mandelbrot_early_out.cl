// Each thread stops by itself, and a sub-group stops when all its threads have; the vote is in the condition.
kernel void mandelbrot(global int *out, int width, float zoom, int limit) {
  int i = get_global_id(0), n = 0;
  float cx = (i % width) * zoom, cy = (i / width) * zoom, x = 0, y = 0;
  bool inside = true;
  while (n < limit && sub_group_any(inside)) {  //~ tangles: function-body //~ defined
    float x2 = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = x2;
    if (x * x + y * y > 4.0f) {
      inside = false;
      continue;
    }
    n++;
  }
  out[i] = n;  //~ tangles: function-body
}
