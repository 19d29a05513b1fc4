#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// Conversions between scalars: by assignment, by cast, in calls and returns.

#define FROM(NAME, T) \
  kernel void NAME(global const long *in, global ulong *out) { \
    size_t i = get_global_id(0); \
    T a = (T)in[i]; \
    global ulong *o = out + 10 * i; \
    char c = a; uchar uc = a; short s = a; ushort us = a; int n = a; uint un = a; long l = a; ulong ul = a; bool b = a; \
    o[0] = c; o[1] = uc; o[2] = s; o[3] = us; o[4] = n; o[5] = un; o[6] = l; o[7] = ul; o[8] = b; \
    o[9] = as_uint((float)a) ^ as_ulong((double)a); \
  }

FROM(from_char, char)
FROM(from_uchar, uchar)
FROM(from_short, short)
FROM(from_ushort, ushort)
FROM(from_int, int)
FROM(from_uint, uint)
FROM(from_long, long)
FROM(from_ulong, ulong)

kernel void from_float(global const int *in, global long *out) {
  size_t i = get_global_id(0);
  float a = (float)(in[i] % 120);
  double d = (double)(in[i] % 30000) / 7.0;
  float p = a < 0 ? -a : a;
  global long *o = out + 10 * i;
  o[0] = (char)a;
  o[1] = (short)d;
  o[2] = (int)d;
  o[3] = (long)d;
  o[4] = (uchar)p;
  o[5] = (uint)p;
  o[6] = (ulong)p;
  o[7] = (int)(float)d;
  o[8] = (bool)a;
  o[9] = as_int((float)d);
}

static char narrow(int x) { return x; }
static float widen(short x) { return x; }
static ulong extend(int x) { return x; }
static uint keep(uchar x) { return x; }

kernel void through_calls(global const int *in, global ulong *out) {
  size_t i = get_global_id(0);
  global ulong *o = out + 5 * i;
  o[0] = narrow(in[i]);
  o[1] = as_uint(widen(in[i]));
  o[2] = extend(in[i]);
  o[3] = keep(in[i]);
  o[4] = narrow(widen(keep(in[i])));
}

kernel void bits(global const uint *in, global uint *out) {
  size_t i = get_global_id(0);
  uint a = in[i];
  float f = as_float(a & 0x7effffff);
  out[6 * i + 0] = as_uint(f);
  uchar4 c = as_uchar4(a);
  out[6 * i + 1] = c.x + 256 * c.w;
  ulong w = as_ulong((uint2)(a, ~a));
  out[6 * i + 2] = (uint)(w >> 16);
  short2 s = as_short2(a);
  out[6 * i + 3] = s.x * s.y;
  out[6 * i + 4] = as_uint((uchar4)(1, 2, 3, (uchar)a));
  int3 t = as_int3((uint4)(a, a + 1, a + 2, a + 3));
  out[6 * i + 5] = t.z;
}

kernel void constants(global const int *in, global ulong *out) {
  size_t i = get_global_id(0);
  global ulong *o = out + 12 * i;
  o[0] = 0xffffffff;
  o[1] = 2147483648;
  o[2] = -2147483648;
  o[3] = 'A' + '\n' + '\x7f' + '\0';
  o[4] = 0777 + 0b101;
  o[5] = 1ul << 40;
  o[6] = sizeof(int) + sizeof(float4) + sizeof(float3) + sizeof(long16) + sizeof(char[7]) + sizeof in[0];
  o[7] = -1;
  o[8] = 4294967295u + 1;
  o[9] = (uint)-1 > 0;
  o[10] = -1 > 0u;
  o[11] = "text"[2] + sizeof("text");
}

kernel void halves(global const int *in, global ushort *out) {
  size_t i = get_global_id(0);
  half a = (half)(in[i] % 100), b = (half)((in[i + 64] % 100) / 4.0f);
  out[6 * i + 0] = as_ushort((half)(a + b));
  out[6 * i + 1] = as_ushort((half)(a * b));
  out[6 * i + 2] = as_ushort(-a);
  out[6 * i + 3] = a < b;
  out[6 * i + 4] = (ushort)(int)(float)a;
  half2 v = (half2)(a, b) + 1.0h;
  out[6 * i + 5] = as_ushort(v.x) ^ as_ushort(v.y);
}
