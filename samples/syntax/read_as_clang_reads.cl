// C that is rare in kernels, and right: a comma that is an operator behind a declaration, a type that a parameter defines, constants made
// of constants, and pragmas where a block ends. Nothing is found.

constant int WIDTH = 4;
constant int AREA = WIDTH * WIDTH;
constant float NOWHERE = 0.0f / 0.0f;
constant int PRIMES[] = {2, 3, 5, WIDTH + 3};
constant int LAST = PRIMES[3];

int clamped(struct pair { int low, high; } range, int x) {
  struct pair copy = range;
  return x < copy.low ? copy.low : min(x, copy.high);
}

kernel void tiles(global int *p, int n) {
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_no_such_extension : disable
  const int rows = 2;
  local int tile[rows * AREA + WIDTH];
  for (int i = 0, j = n; j > 0, min(i, LAST) < n; i++, j--) {
    switch (p[i]) {
    case WIDTH: tile[i % AREA] = 1; break;
    case AREA: tile[0] = 2; break;
    case rows: tile[1] = NOWHERE > 0;
    }
#pragma OPENCL EXTENSION cl_khr_fp64 : disable
  }
  p[n] = tile[0];
#pragma OPENCL EXTENSION cl_no_such_extension : disable
}
