// Pointers and arrays: arithmetic, comparison, decay, arrays of arrays, pointers to pointers and to arrays, casts.

kernel void arithmetic(global const int *in, global long *out) {
  size_t i = get_global_id(0);
  int a[10];
  for (int k = 0; k < 10; k++) a[k] = in[i + k];
  int *p = a + 2, *q = &a[7];
  global long *o = out + 12 * i;
  o[0] = q - p;
  o[1] = p[3] + *(q - 1) + 2[a] + *(p + 1);
  o[2] = (p < q) + 2 * (p == q) + 4 * (p != &a[2]) + 8 * (p <= a + 2);
  p += 3; q -= 2;
  o[3] = p == q;
  o[4] = *p-- - *--p;
  uchar k = 200;
  char m = -1;
  global const int *g = in + k;
  o[5] = g[m] + *(g - k + i);
  o[6] = (global const char *)g - (global const char *)in;
  o[7] = !p + !!p + (p ? 10 : 20) + (p && q);
  ulong number = (ulong)p;
  int *r = (int *)number;
  o[8] = *r + (r == p);
  int *null = 0;
  o[9] = null == NULL;
  uint u = 3;
  o[10] = a[u] + a[u - 1] + in[u * 2];
  o[11] = sizeof a / sizeof *a;
}

kernel void arrays(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  int a[3][4], b[2][2][2];
  for (int k = 0; k < 12; k++) a[k / 4][k % 4] = in[i + k];
  for (int k = 0; k < 8; k++) b[k >> 2][k >> 1 & 1][k & 1] = in[i + k + 3];
  int (*row)[4] = a + 1;
  int *flat = &a[0][0];
  out[6 * i] = (*row)[2] + row[1][3] + flat[5] + *a[2];
  out[6 * i + 1] = b[1][0][1] * b[0][1][0] - **b[1];
  int *rows[3] = {a[2], a[0], a[1]};
  out[6 * i + 2] = rows[0][1] - rows[1][2] + *rows[2];
  int **pp = rows + 1;
  out[6 * i + 3] = **pp + *pp[1];
  *pp = flat + 11;
  out[6 * i + 4] = *rows[1];
  out[6 * i + 5] = sizeof(a) + sizeof(a[0]) + sizeof(*row) + (int)(&a[2] - &a[0]);
}

static int sum(const int *p, int n) { int s = 0; while (n--) s = s * 3 + *p++; return s; }
static int first(int (*p)[2], int n) { return p[n][1] - (*p)[0]; }
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
static void deeper(int **p, int *q) { *p = q; **p += 5; }

kernel void parameters(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  int a[8], x = in[i], y = in[i + 1], *z = &x;
  for (int k = 0; k < 8; k++) a[k] = in[i + k];
  swap(&x, &y);
  swap(a, a + 5);
  out[5 * i] = sum(a, 8);
  out[5 * i + 1] = x - 2 * y;
  out[5 * i + 2] = first((int (*)[2])a, 3);
  deeper(&z, &y);
  out[5 * i + 3] = *z;
  out[5 * i + 4] = y;
}

kernel void reinterpreted(global const uint *in, global uint *out) {
  size_t i = get_global_id(0);
  uint a[4] = {in[i], in[i + 1], in[i + 2], in[i + 3]};
  uchar *bytes = (uchar *)a;
  ushort *shorts = (ushort *)&a[1];
  uint4 *vector = (uint4 *)a;
  bytes[5] = 0x42;
  shorts[3] ^= 0xffff;
  out[4 * i] = bytes[0] | bytes[15] << 8;
  out[4 * i + 1] = a[1] + a[2];
  global const ulong *longs = (global const ulong *)in;
  out[4 * i + 2] = (uint)(longs[i & 15] >> 20);
  out[4 * i + 3] = ((uchar *)&a[3])[1] + sizeof(*vector);
}
