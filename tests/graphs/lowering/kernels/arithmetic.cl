// Operators on scalars of every integer and floating-point type. Some shift counts exceed the width; OpenCL C takes
// them modulo the width. Divisors are odd, so never zero, and never -1 where the dividend may be the smallest number.

#define EACH_INTEGER(NAME, T) \
  kernel void NAME(global const T *in, global T *out) { \
    size_t i = get_global_id(0); \
    T a = in[2 * i], b = in[2 * i + 1], d = (T)((b & 0x3f) | 3); \
    global T *o = out + 16 * i; \
    o[0] = a + b; \
    o[1] = a - b; \
    o[2] = a * b; \
    o[3] = a / d; \
    o[4] = a % d; \
    o[5] = a << (b & 7); \
    o[6] = a >> (b & 7); \
    o[7] = a & b; \
    o[8] = a | b; \
    o[9] = a ^ b; \
    o[10] = ~a; \
    o[11] = -a; \
    o[12] = !a + (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a == b) + 32 * (a != b); \
    o[13] = (a && b) + 2 * (a || b) + 4 * (a > 5 ? 1 : 0); \
    o[14] = +a; \
    o[15] = (a, b); \
  }

EACH_INTEGER(integer_char, char)
EACH_INTEGER(integer_uchar, uchar)
EACH_INTEGER(integer_short, short)
EACH_INTEGER(integer_ushort, ushort)
EACH_INTEGER(integer_int, int)
EACH_INTEGER(integer_uint, uint)
EACH_INTEGER(integer_long, long)
EACH_INTEGER(integer_ulong, ulong)

kernel void wide_shifts(global const uint *in, global ulong *out) {
  size_t i = get_global_id(0);
  uint a = in[i], n = in[i + 64] & 255;
  ulong w = (ulong)a << 32 | in[i + 128];
  out[8 * i + 0] = a << n;
  out[8 * i + 1] = a >> n;
  out[8 * i + 2] = (int)a >> n;
  out[8 * i + 3] = w << n;
  out[8 * i + 4] = w >> n;
  out[8 * i + 5] = (long)w >> n;
  out[8 * i + 6] = (uchar)a << (n & 31);
  out[8 * i + 7] = (char)a >> (n & 31);
}

kernel void mixed_signs(global const int *in, global long *out) {
  size_t i = get_global_id(0);
  int a = in[i];
  uint b = in[i + 64];
  short s = in[i + 128];
  uchar c = in[i + 192];
  long l = in[i + 256];
  global long *o = out + 12 * i;
  o[0] = a + b;
  o[1] = s * c;
  o[2] = a < b;
  o[3] = s < c;
  o[4] = l + b;
  o[5] = l < b;
  o[6] = (uint)a / 7;
  o[7] = a / 7;
  o[8] = s - c;
  o[9] = (c << 24) >> 24;
  o[10] = a ? l : b;
  o[11] = (char)c == c;
}

#define TO_FLOAT(x) ((float)((int)(x) % 65536) / 32.0f)

kernel void floats(global const int *in, global float *out) {
  size_t i = get_global_id(0);
  float a = TO_FLOAT(in[i]), b = TO_FLOAT(in[i + 64]);
  global float *o = out + 12 * i;
  o[0] = a + b;
  o[1] = a - b;
  o[2] = a * b;
  o[3] = a / (b * b + 1.0f);
  o[4] = -a;
  o[5] = (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a == b) + 32 * (a != b);
  o[6] = !a;
  o[7] = a && b;
  o[8] = a || b;
  o[9] = a > 0 ? a : b;
  o[10] = 1.0f / 3.0f + a;
  o[11] = a * 0x1.8p-3f + .5f;
}

kernel void doubles(global const int *in, global double *out) {
  size_t i = get_global_id(0);
  double a = in[i] / 1024.0, b = in[i + 64] / 3.0;
  global double *o = out + 8 * i;
  o[0] = a + b;
  o[1] = a - b * 2;
  o[2] = a * b;
  o[3] = a / (b * b + 1.0);
  o[4] = a < b ? a : b;
  o[5] = -a + 1.0f;
  o[6] = (float)a;
  o[7] = (a == a) + (a != b);
}

kernel void not_a_number(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  float zero = (float)(in[i] & 0);
  float nan = zero / zero, infinity = 1.0f / zero, a = (float)in[i];
  global int *o = out + 10 * i;
  o[0] = nan == nan;
  o[1] = nan != nan;
  o[2] = nan < a;
  o[3] = nan >= a;
  o[4] = !nan;
  o[5] = (nan < nan || nan != nan) ? 1 : 2;
  o[6] = infinity > a;
  o[7] = -infinity < a;
  o[8] = nan && 1;
  o[9] = (bool)nan;
}

kernel void booleans(global const int *in, global uint *out) {
  size_t i = get_global_id(0);
  bool a = in[i] & 1, b = in[i + 64] & 2, c = TO_FLOAT(in[i]);
  bool d = a == b, e = !a;
  out[8 * i + 0] = a + b;
  out[8 * i + 1] = a << 3;
  out[8 * i + 2] = -(int)b;
  out[8 * i + 3] = c;
  out[8 * i + 4] = d * 5 + e;
  a |= b;
  out[8 * i + 5] = a;
  b = 512;
  out[8 * i + 6] = b;
  out[8 * i + 7] = sizeof(bool) + (a ? true : false);
}
