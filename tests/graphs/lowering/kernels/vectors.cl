// Vectors of every width: lane by lane operators, widening, literals, swizzles, comparisons, selection.

#define EACH_WIDTH(NAME, T, N) \
  kernel void NAME(global const T *in, global T *out) { \
    size_t i = get_global_id(0); \
    T##N a, b; \
    for (int n = 0; n < N; n++) { ((private T *)&a)[n] = in[i + n]; ((private T *)&b)[n] = in[i + 16 + n]; } \
    T##N r[6]; \
    r[0] = a + b * (T)3; \
    r[1] = (a - b) ^ (T)5; \
    r[2] = (a & b) | ~a; \
    r[3] = -a; \
    r[4] = a / ((b & (T)15) + (T)3); \
    r[5] = (a << (b & (T)7)) + (a >> (T)1); \
    for (int k = 0; k < 6; k++) for (int n = 0; n < N; n++) out[(i * 6 + k) * N + n] = ((private T *)&r[k])[n]; \
  }

EACH_WIDTH(vector_char2, char, 2)
EACH_WIDTH(vector_uchar16, uchar, 16)
EACH_WIDTH(vector_short8, short, 8)
EACH_WIDTH(vector_int3, int, 3)
EACH_WIDTH(vector_int4, int, 4)
EACH_WIDTH(vector_uint8, uint, 8)
EACH_WIDTH(vector_long2, long, 2)
EACH_WIDTH(vector_ulong3, ulong, 3)

kernel void vector_float4(global const int *in, global float *out) {
  size_t i = get_global_id(0);
  float4 a = (float4)((float)(in[i] % 512), 1.5f, (float)(in[i + 1] % 512), -2.25f);
  float4 b = (float4)(0.5f);
  float4 c = a * b + 2.0f - a / 3.0f;
  c = -c;
  out[8 * i + 0] = c.x;
  out[8 * i + 1] = c.y;
  out[8 * i + 2] = c.z;
  out[8 * i + 3] = c.w;
  float2 d = c.xy * c.zw;
  out[8 * i + 4] = d.x;
  out[8 * i + 5] = d.y;
  double2 e = (double2)(c.x, 2.0) * 3.0;
  out[8 * i + 6] = (float)e.x;
  out[8 * i + 7] = (float)e.s1;
}

kernel void comparisons(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  int4 a = (int4)(in[i], in[i + 1], 7, -3) % 16, b = (int4)(in[i + 2] % 16, 0, 7, 9);
  int4 r = (a < b) + 2 * (a == b) + 4 * (a >= b) + 8 * (a != b) + 16 * !a + 32 * (a && b) + 64 * (a || b);
  for (int n = 0; n < 4; n++) out[12 * i + n] = ((private int *)&r)[n];
  float2 f = (float2)((float)(in[i] % 8), 1.0f), g = 3.0f;
  int2 s = f <= g;
  out[12 * i + 4] = s.x;
  out[12 * i + 5] = s.y;
  char4 c = (char4)(1, 2, 3, 4) > (char4)(2);
  out[12 * i + 6] = c.x + c.w;
  long2 l = (double2)(1.0, (double)in[i]) != (double2)(1.0, 2.0);
  out[12 * i + 7] = (int)(l.x + l.y);
  int4 t = a < b ? a : b;
  out[12 * i + 8] = t.x + t.y + t.z + t.w;
  uint2 u = (uint2)(3, 0x80000000u) > 5u ? (uint2)(1) : (uint2)(2);
  out[12 * i + 9] = u.x * 10 + u.y;
  float4 p = a > 0 ? (float4)(1.0f) : (float4)(0.0f, 2.0f, 3.0f, 4.0f);
  out[12 * i + 10] = (int)(p.x + p.y + p.z + p.w);
  out[12 * i + 11] = (in[i] & 1 ? a : b).z;
}

kernel void swizzles(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  int4 a = (int4)(in[i], in[i + 1], in[i + 2], in[i + 3]);
  int8 b = (int8)(a, a.wzyx);
  int16 c = (int16)(b, b.hi, b.lo.even, b.odd.lo);
  int3 d = a.xxy;
  global int *o = out + 16 * i;
  o[0] = a.hi.x ^ a.lo.y;
  o[1] = b.s7 + b.s0 * b.even.z + b.odd.w;
  o[2] = c.sf - c.sA + c.s5;
  o[3] = d.z * d.x;
  o[4] = a.wwww.y;
  a.xy = a.yx;
  o[5] = a.x;
  a.s3 += 5;
  o[6] = a.w;
  b.even = b.odd;
  o[7] = b.s2;
  b.lo.hi.x = 77;
  o[8] = b.s2;
  a.zx *= 3;
  o[9] = a.z - a.x;
  d.yz = (int2)(1, 2);
  o[10] = d.x + d.y + d.z;
  a.y++;
  --a.z;
  o[11] = a.y ^ a.z;
  o[12] = (a.xy + b.s45).y;
  int3 e = d.zyx;
  o[13] = e.x * 100 + e.y * 10 + e.z;
  c.s0123 = c.sfedc;
  o[14] = c.s0 ^ c.s3;
  o[15] = a.rgba.b + a.r;
}

kernel void literals(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  int2 p = (int2)(in[i], in[i + 1]);
  int4 a = (int4)(p, p), b = (int4)(1, p, 2), c = (int4)(3), d = {1, 2, 3, 4};
  int8 e = (int8)(a.lo, 5, b.xyz, p);
  global int *o = out + 8 * i;
  o[0] = a.w + b.y + c.z + d.y;
  o[1] = e.s2 + e.s5 * e.s7;
  uchar4 f = (uchar4)(255, 256, -1, in[i]);
  o[2] = f.x + f.y + f.z + f.w;
  float4 g = (float4)(1, 2u, 3.5, in[i] & 15);
  o[3] = (int)(g.x + g.y * g.z * 2 + g.w);
  int4 h = p.xyxy + (int4)(in[i + 2]);
  o[4] = h.w;
  const int3 k = (int3)(p, 9);
  o[5] = k.z;
  o[6] = ((int4)(1, 2, 3, 4)).z;
  int2 m[2] = {(int2)(1, 2), p};
  o[7] = m[1].y + m[0].x;
}

kernel void lanes_by_number(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  int8 a = (int8)(0);
  for (int n = 0; n < 8; n++) a[n] = in[i + n];
  int sum = 0;
  for (int n = 7; n >= 0; n--) sum = sum * 3 + a[n];
  a[in[i] & 7] += 9;
  out[2 * i] = sum;
  out[2 * i + 1] = a[in[i] & 7];
}

kernel void widening(global const int *in, global ulong *out) {
  size_t i = get_global_id(0);
  uchar2 c = (uchar2)(in[i], 7);
  c += (uchar)1;
  c = c * (uchar)3;
  short4 s = (short4)(in[i]) << 2;
  s >>= (short4)(1, 2, 3, 4);
  ulong2 l = (ulong2)(5, 6) * (ulong)in[i];
  l -= 1;
  float2 f = 2 * (float2)(1.5f, in[i] & 3);
  out[4 * i + 0] = c.x | c.y << 8;
  out[4 * i + 1] = s.x ^ s.y ^ s.z ^ s.w;
  out[4 * i + 2] = l.x ^ l.y;
  out[4 * i + 3] = (ulong)(f.x + f.y);
}

typedef float float6 __attribute__((ext_vector_type(6)));
typedef int int5 __attribute__((ext_vector_type(5)));
typedef uchar uchar64 __attribute__((ext_vector_type(64)));
typedef short short7 __attribute__((vector_size(14)));

kernel void of_any_number_of_lanes(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  float6 a = (float6)(1, 2, in[i] & 7, 4, 5, in[i + 1] & 15), b[2] = {a, a * 2};
  int5 c = {in[i], 2, 3, 4, in[i + 2]}, d = c < 4;
  uchar64 e = (uchar)in[i];
  short7 f = {1, 2, 3, 4, 5, 6, in[i]};
  e[33] += 5;
  e ^= (uchar)3;
  b[1].s5 = 9;
  b[0] = b[1] > a ? b[1] : a;
  f += f[6];
  out[8 * i] = b[0].s5 + a.hi.y + a.lo.z + a.even.z + a.odd.x;
  out[8 * i + 1] = c.s4 + d.s0 + d.s4 + c.lo.z;
  out[8 * i + 2] = e[33] * 256 + e[63];
  out[8 * i + 3] = sizeof(float6) + sizeof(int5) * 256 + sizeof(uchar64) * 65536;
  out[8 * i + 4] = _Alignof(float6) + _Alignof(int5) * 256;
  out[8 * i + 5] = f[3] + f[6];
  out[8 * i + 6] = __builtin_shufflevector(a, b[1], 0, 11, 7)[1] + __builtin_shufflevector(c, c, 9, 1, 2, 3, 4, 5, 6)[0];
  out[8 * i + 7] = vec_step(float4);
}

kernel void shuffled_and_converted_by_the_compiler(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  int4 v = (int4)(in[i], in[i + 1], in[i + 2], in[i + 3]);
  int3 t = v.xyz;
  int4 w = __builtin_shufflevector(v, v.wzyx), x = __builtin_shufflevector(v, v, 3, 4, 2, 7);
  int2 y = __builtin_shufflevector(t, t.zyx, 5, 1);
  float4 f = __builtin_convertvector(v & 4095, float4);
  uchar4 u = __builtin_convertvector(f * 0.0625f, uchar4);
  long4 l = __builtin_convertvector(v, long4);
  global int *o = out + 20 * i;
  o[0] = w.x; o[1] = w.y; o[2] = w.z; o[3] = w.w; o[4] = x.x; o[5] = x.y; o[6] = x.z; o[7] = x.w;
  o[8] = y.x; o[9] = y.y; o[10] = f.x; o[11] = f.w;
  o[12] = u.x; o[13] = u.y; o[14] = (int)(l.x >> 32); o[15] = l.y;
  int3 z = __builtin_shufflevector(t, (v.xyz & 1) + 4);
  o[16] = z.x; o[17] = z.y; o[18] = z.z;
}
