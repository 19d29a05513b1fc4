// Helpers that give back more than one value, by pointers.

static void tile(int group, int n, int *first, int *last) {
  *first = group * n;
  *last = *first + n;
}

static void limits(int n, int *first, int *last) {
  if (n > 64) {
    *first = 64;
    *last = n;
  } else {
    *first = 0;
    *last = 64;
  }
}

kernel void tiles(global int *p, int n) {
  int a, b;
  tile(get_group_id(0), n, &a, &b);
  for (int i = a; i < b; ++i) {
    p[get_global_id(0)] += i;
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

kernel void two_ways(global int *p, int n) {
  int a = 0, b = 0;
  for (int round = 0; round < n; round++) {
    limits(n + round, &a, &b);
    while (a < b) {
      barrier(CLK_GLOBAL_MEM_FENCE);
      a += 16;
    }
  }
  p[get_global_id(0)] = a;
}

// A function of the language gives back two values as well.
kernel void of_the_language(global float *p, float x) {
  float whole;
  float rest = modf(x, &whole);
  if (rest > 0.5f)
    barrier(CLK_GLOBAL_MEM_FENCE);
  p[get_global_id(0)] = whole;
}
