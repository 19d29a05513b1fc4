// Compound assignment, increments, and their conversions.

kernel void compound(global const int *in, global long *out) {
  size_t i = get_global_id(0);
  char c = in[i]; uchar uc = in[i]; short s = in[i]; int n = in[i]; uint u = in[i]; long l = in[i]; float f = in[i] % 1000;
  c += 100; c *= 3; c -= n; c <<= 1; c >>= 2; c |= 8; c ^= 0x55; c &= 0x7e;
  uc += 100; uc /= 3; uc %= 50; uc <<= 2; uc -= 200;
  s *= s; s += 1.5f; s >>= 3;
  n = in[i] % 1000; n *= 2.5f; n /= 3; n %= 100; n <<= 33; n ^= u;
  u += -1; u >>= 31 + (in[i] & 3); u |= l;
  l += u; l <<= 3; l -= c;
  f += 1; f *= 0.5; f -= s; f /= 4;
  global long *o = out + 8 * i;
  o[0] = c; o[1] = uc; o[2] = s; o[3] = n; o[4] = u; o[5] = l; o[6] = as_int(f);
  bool b = in[i] & 1; b += 1; b ^= true; o[7] = b;
}

kernel void increments(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  int n = in[i]; uchar c = in[i]; float f = in[i] & 255; bool b = in[i] & 1;
  global int *o = out + 12 * i;
  *o++ = n++; *o++ = ++n; *o++ = n--; *o++ = --n;
  *o++ = c++; *o++ = ++c; *o++ = c-- - --c;
  *o++ = (int)f++ + (int)--f;
  *o++ = b++ + b;
  private int a[4] = {1, 2, 3, 4}; private int *p = a;
  *o++ = *p++ + *++p; *o++ = (*p)-- * 10 + *p; *o++ = p - a;
}

kernel void values_of_assignments(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  int a, b; uchar c; short s;
  a = b = c = in[i];
  out[4 * i] = a + b;
  out[4 * i + 1] = (s = in[i]) + (c += 200);
  int x[3]; int k = 0;
  x[k++] = 1; x[k] = x[k - 1] + in[i]; k++; x[k] = k;
  out[4 * i + 2] = x[0] + x[1] * x[2];
  out[4 * i + 3] = (a = 5, b += a, a) + b;
}

kernel void volatiles(global const int *in, global volatile int *out) {
  size_t i = get_global_id(0);
  volatile int a = in[i];
  a += a; a++;
  out[i] = a;
  out[i] += 3;
  out[i] <<= 1;
}
