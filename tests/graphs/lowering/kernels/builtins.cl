// Builtins: overloads, scalar and vector, with conversions of arguments. The harness defines their results. The test
// checks that both compilers call the same builtins with the same arguments.

kernel void integers(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  int a = in[i], b = in[i + 64];
  uint u = in[i], v = in[i + 64];
  int4 x = (int4)(a, b, 1, -1), y = (int4)(b);
  global int *o = out + 16 * i;
  o[0] = min(a, b) + max(u, v);
  o[1] = clamp(a, -100, 100);
  o[2] = abs(a);
  o[3] = rotate(u, 7u) ^ rotate(a, b & 31);
  o[4] = popcount(u) + clz(v | 1);
  o[5] = mul24(a & 0xffff, 77) + mad24(a & 0xfff, b & 0xfff, 5);
  o[6] = mul_hi(a, b) + (int)mul_hi(u, v);
  int4 z = min(x, y) + max(x, 3);
  o[7] = z.x ^ z.w;
  o[8] = select(a, b, a < b) + select(u, v, 0u);
  int4 s = select(x, y, x < y);
  o[9] = s.x ^ s.y ^ s.z;
  o[10] = any(x < y) + 2 * all(x != y);
  o[11] = bitselect(a, b, 0xff00ff);
  o[12] = hadd(a, b);
  o[13] = (int)max((long)a, (long)b) + min((uchar)a, (uchar)b) + max((short)a, (short)3);
  o[14] = add_sat((char)a, (char)b);
  o[15] = upsample((short)a, (ushort)b);
}

kernel void floats(global const int *in, global float *out) {
  size_t i = get_global_id(0);
  float a = (float)(in[i] % 1000) / 8, b = (float)(in[i + 64] % 1000) / 8;
  float4 v = (float4)(a, b, 1, 2), w = (float4)(b, a, 2, 1);
  global float *o = out + 12 * i;
  o[0] = fabs(a) + sqrt(fabs(b));
  o[1] = floor(a) + ceil(b) + trunc(a);
  o[2] = fmin(a, b) * fmax(a, 2.0f);
  o[3] = clamp(a, 0.0f, 1.0f) + mix(a, b, 0.5f) + step(a, b);
  o[4] = fma(a, b, 1.0f) + mad(a, 2.0f, b);
  o[5] = dot(v, w);
  float4 m = fmin(v, 3.0f) + fabs(w);
  o[6] = m.x + m.y + m.z;
  o[7] = isnan(a) + isequal(a, b) + isless(a, b);
  o[8] = copysign(a, b) + sign(b);
  o[9] = (float)fmax((double)a, 2.0);
  o[10] = max(a, b) + min(v, w).y;
  o[11] = native_sqrt(fabs(a)) + half_recip(b + 1000.0f);
}

kernel void conversions(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  int4 a = (int4)(in[i], in[i + 1], -1, 300);
  global int *o = out + 8 * i;
  uchar4 c = convert_uchar4_sat(a);
  o[0] = c.x + c.w;
  float4 f = convert_float4(a & 0xffff);
  o[1] = (int)f.x;
  int4 r = convert_int4_rte(f * 0.25f);
  o[2] = r.x ^ r.y;
  o[3] = convert_int(2.75f) + convert_char_sat(1000) + convert_uint((uchar)in[i]);
  long2 l = convert_long2((int2)(in[i], 2));
  o[4] = (int)(l.x >> 3);
  short4 s = convert_short4(a);
  o[5] = s.x;
  o[6] = convert_int_rtz((float)(in[i] % 999) / 10);
  o[7] = convert_ushort_sat(in[i]);
}

kernel void memory(global const uint *in, global uint *out, local uint *scratch) {
  size_t i = get_global_id(0);
  uint4 a = vload4(i, in);
  vstore4(a.wzyx, 0, out + 12 * i);
  uint3 b = vload3(0, in + i);
  vstore3(b + 1u, 0, out + 12 * i + 4);
  vstore2(a.xy, 0, scratch);
  uint2 c = vload2(0, scratch);
  out[12 * i + 7] = c.x + c.y;
  out[12 * i + 8] = 5;
  out[12 * i + 9] = atomic_add(&out[12 * i + 8], 7) + atomic_inc(out + 12 * i + 8);
  out[12 * i + 10] = atomic_cmpxchg(&out[12 * i + 8], 13u, in[i]);
  private uint p[4] = {1, 2, 3, 4};
  out[12 * i + 11] = vload2(1, p).y;
}

kernel void compiler_builtins(global const uint *in, global uint *out) {
  size_t i = get_global_id(0);
  uint a = in[i] | 1;
  out[5 * i] = __builtin_popcount(a) + __builtin_clz(a) + __builtin_ctz(a);
  out[5 * i + 1] = __builtin_expect(a > 5, 1) ? __builtin_bswap32(a) : 3;
  out[5 * i + 2] = __builtin_popcountl((ulong)a << 5);
  uint4 v = (uint4)(a, 2, 3, 4);
  v = __builtin_shufflevector(v, v, 3, 0, 5, 2);
  out[5 * i + 3] = v.x * 3 + v.y + v.z;
  out[5 * i + 4] = shuffle((uint4)(1, 2, 3, a), (uint4)(a & 3, 3, 0, 1)).x;
}
