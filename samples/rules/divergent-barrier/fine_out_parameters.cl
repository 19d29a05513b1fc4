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

typedef struct {
  int rows, columns;
} shape;

static void shape_of(shape *s, int n) {
  s->rows = n / 4;
  s->columns = n % 4;
}

static shape turned(shape s) {
  shape t;
  t.rows = s.columns;
  t.columns = s.rows;
  return t;
}

static void both(int id, int n, int *own, int *all) {
  *all = n;
  *own = id * n;
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

kernel void records(global int *p, int n) {
  shape s;
  shape_of(&s, n);
  shape t = turned(s);
  for (int i = 0; i < t.rows; i++)
    barrier(CLK_GLOBAL_MEM_FENCE);
  s.rows = get_local_id(0);
  p[get_global_id(0)] = s.rows + t.columns;
}

kernel void one_of_two(global int *p, int n) {
  int own, all;
  both(get_local_id(0), n, &own, &all);
  if (all > 3)
    barrier(CLK_GLOBAL_MEM_FENCE);
  p[get_global_id(0)] = own;
}

// A function of the language gives back two values as well.
kernel void of_the_language(global float *p, float x) {
  float whole;
  float rest = modf(x, &whole);
  if (rest > 0.5f)
    barrier(CLK_GLOBAL_MEM_FENCE);
  p[get_global_id(0)] = whole;
}

// What was there before is gone where each way through a helper writes it.
static void element(int *of, int n) { of[0] = n; of[1] = n + 1; }

static void inner(int n, int *out) { *out = n; }
static void outer(int n, int *out) {
  if (n < 0) {
    inner(0, out);
    return;
  }
  inner(n, out);
}

kernel void overwritten(global int *p, int n) {
  int a = get_local_id(0), b = a * 2;
  p[get_global_id(0)] = a + b;
  tile(get_group_id(0), n, &a, &b);
  for (int i = a; i < b; ++i)
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void elements(global int *p, int n) {
  int of[4] = {get_local_id(0), get_local_id(0), get_local_id(0), n};
  element(of, n);
  if (of[0] + of[1] + of[3] > 4)
    barrier(CLK_LOCAL_MEM_FENCE);
  element(of + 2, n);
  p[get_global_id(0)] = of[2];
}

kernel void on_each_way(global int *p, int n) {
  int v = get_local_id(0);
  p[get_global_id(0)] = v;
  outer(n, &v);
  if (v)
    barrier(CLK_LOCAL_MEM_FENCE);
}
