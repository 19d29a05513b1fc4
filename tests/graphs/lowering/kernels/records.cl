// Structs, unions, bit-fields, enums: access, copies, parameters, results, nesting, layout.

#pragma OPENCL EXTENSION __cl_clang_bitfields : enable

typedef struct { int a; char b; long c; short d[3]; } plain;
struct outer { plain p; struct { float x, y; } at; union { uint u; uchar b[4]; float f; }; struct outer *next; };
typedef struct __attribute__((packed)) { char a; int b; short c; long d; } squeezed;
typedef union { ulong l; uint i[2]; uchar b[8]; ushort4 v; } overlay;
enum color { RED, GREEN = 5, BLUE, LAST = BLUE * 2 + (1 << 4) };
struct flags { uint low : 3; int middle : 7; uint : 2; uint high : 20; ulong big : 40; uchar c : 1; bool yes : 1; };
typedef struct { float4 v; int3 w; uchar2 t; } with_vectors;

static plain made(int x) { plain p = {x, (char)x, (long)x * x, {1, (short)x, 3}}; return p; }
static int total(plain p) { p.a += 1; return p.a + p.b + (int)p.c + p.d[0] + p.d[1] + p.d[2]; }
static void change(plain *p, int x) { p->a = x; p->d[x & 1] = 7; (*p).c--; }

kernel void structs(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  plain p = made(in[i]), q = p;
  global int *o = out + 8 * i;
  o[0] = total(p);
  change(&q, in[i + 1]);
  o[1] = total(q) - total(p);
  p = q;
  o[2] = p.d[1] + p.a;
  struct outer a = {.p = p, .at = {1.5f, .y = 2.5f}}, b;
  a.u = in[i];
  b = a;
  b.next = &a;
  b.next->at.x += 2;
  o[3] = b.b[1] + (int)(a.at.x * b.next->at.y);
  o[4] = b.next->p.d[0];
  o[5] = sizeof(plain) + 100 * sizeof(struct outer) + __builtin_offsetof(struct outer, at.y);
  o[6] = (in[i] & 1 ? p : made(3)).b;
  o[7] = made(in[i]).d[1] + sizeof(squeezed);
}

kernel void in_memory(global const plain *in, global plain *out, local plain *scratch) {
  size_t i = get_global_id(0);
  plain p = in[i];
  scratch[0] = p;
  out[i].a = scratch->a ^ scratch[0].d[2];
  out[i].b = p.b;
  out[i].c = in[i].c * 2;
  for (int k = 0; k < 3; k++) out[i].d[k] = in[i].d[2 - k];
}

kernel void packed(global const uchar *in, global uchar *out) {
  size_t i = get_global_id(0);
  global const squeezed *s = (global const squeezed *)in;
  global squeezed *t = (global squeezed *)out;
  squeezed x = s[i];
  x.b += x.a;
  x.d ^= x.c;
  t[i] = x;
}

kernel void unions(global const ulong *in, global ulong *out) {
  size_t i = get_global_id(0);
  overlay u;
  u.l = in[i];
  u.i[1] += 3;
  u.b[2] = 0x77;
  u.v.w ^= u.v.x;
  overlay w = u, z = {5}, y = {.b = {1, 2, 3}};
  out[3 * i] = w.l;
  out[3 * i + 1] = z.i[0] + y.i[0];
  out[3 * i + 2] = sizeof(overlay) + u.v.y;
}

kernel void enums(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  enum color c = in[i] & 1 ? GREEN : BLUE;
  enum { A = 3, B };
  out[3 * i] = c + LAST + B;
  switch (c) { case GREEN: out[3 * i + 1] = 1; break; case BLUE: out[3 * i + 1] = 2; break; default: out[3 * i + 1] = 3; }
  out[3 * i + 2] = RED - 1 < 0;
}

kernel void bit_fields(global const int *in, global long *out) {
  size_t i = get_global_id(0);
  struct flags f = {1, -5, 77, 1234567890123ul, 1, true};
  f.low = in[i];
  f.middle += in[i + 1];
  f.high ^= in[i + 2];
  f.big = f.big * 3 + in[i];
  f.c = !f.c;
  f.yes = in[i] & 4;
  global long *o = out + 9 * i;
  o[0] = f.low; o[1] = f.middle; o[2] = f.high; o[3] = f.big; o[4] = f.c; o[5] = f.yes;
  o[6] = (f.low = 9) + (f.middle = 100) + f.low++ + --f.high;
  o[7] = sizeof(struct flags);
  struct flags g = f, *p = &g;
  p->middle--;
  o[8] = p->middle - g.low < 0;
}

struct __attribute__((packed)) tight {
  uint low : 7; ulong over : 60; long below : 64; int middle : 30; char c; ulong most : 63; bool last : 1; ushort end : 13;
};

kernel void bit_fields_over_two_units(global const int *in, global long *out) {
  size_t i = get_global_id(0);
  struct tight f = {1, 1234567890123ul, -77, -5, 2, 9876543210ul, true, 4097}, *p = &f;
  global long *o = out + 14 * i;
  o[0] = f.over; o[1] = f.below; o[2] = f.middle; o[3] = f.most;
  f.over = f.over * in[i] + in[i + 1];
  f.below -= (long)in[i] << 31 | in[i + 2];
  p->most ^= (ulong)in[i + 3] << 30;
  o[4] = p->over++; o[5] = --p->below; o[6] = (f.most = in[i] * 3ul);
  o[7] = f.low; o[8] = f.over; o[9] = f.below; o[10] = f.middle; o[11] = f.most + f.last; o[12] = f.c + f.end;
  o[13] = sizeof(struct tight);
}

#pragma pack(push, 2)
struct by_pragma { char c; int x; uint a : 20, b : 20; long l; short s; union { char d; double e; } u; float4 v; };
#pragma pack(1)
struct inner { char c; struct by_pragma p; long l; };
#pragma pack(pop)
struct wide { float4 v; int i; };
struct __attribute__((packed)) holder { char c; struct wide w, x; };
int sum(struct wide w) { return w.v.x + w.v.w + w.i; }

kernel void copies_of_unaligned_records(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  struct wide w = {(float4)(1, 2, 3, in[i] & 255), in[i + 1]};
  struct holder h[2] = {{1, w}, {2, {(float4)(in[i] & 15)}, w}};
  h[0].x = h[1].w;
  w = h[0].x;
  out[3 * i] = sum(h[1].x) + w.v.y;
  out[3 * i + 1] = sum(h[0].x) - sum(h[0].w);
  h[1].w = (struct wide){(float4)(7), 3};
  out[3 * i + 2] = sum(h[1].w);
}

kernel void packed_by_pragma(global const int *in, global long *out) {
  size_t i = get_global_id(0);
  struct inner n = {1, {2, in[i], 3, 4, 5, 6, {7}, (float4)(8)}, 9}, m[2] = {n, n};
  m[1].p.b += in[i + 1];
  m[1].p.l = m[0].p.x - m[0].l;
  m[0].p.v.y = m[1].p.a;
  global long *o = out + 8 * i;
  o[0] = m[0].p.v.y + m[1].p.b + m[0].p.u.d; o[1] = m[1].p.l; o[2] = m[1].p.s;
  o[3] = sizeof(m);
  private char *start = (private char *)m;
  o[4] = (private char *)&m[1].p.v - start; o[5] = (private char *)&m[1].p.l - start; o[6] = (private char *)&m[1].l - start;
  o[7] = start[sizeof(struct inner) + 3] + start[1];
}

kernel void vectors_inside(global const float *in, global int *out) {
  size_t i = get_global_id(0);
  with_vectors a = {(float4)(1, 2, 3, 4), (int3)(5, 6, 7), {8, 9}}, b[2];
  a.v.yw += 1.0f;
  a.w.z = (int)i;
  b[1] = a;
  b[0] = b[1];
  b[0].t.x ^= 1;
  out[4 * i] = (int)(b[0].v.y * b[1].v.w);
  out[4 * i + 1] = b[0].w.z - b[1].w.x;
  out[4 * i + 2] = b[0].t.x * 16 + b[1].t.y;
  out[4 * i + 3] = sizeof(with_vectors);
}
