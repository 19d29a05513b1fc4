// Initialisers: of every shape, at file scope and in blocks.

constant int table[] = {1, 2, 3, [7] = 9, 10};
constant uchar text[] = "hello\n\x41\0tail";
constant char fixed[4] = "abcd";
constant float matrix[2][3] = {{1.5f, 2}, {[1] = 4.25f}};
constant struct { int a; struct { short b, c; } d; float e[2]; } records[] = {{1, {2, 3}, {4}}, {.d.c = 5, .e = {[1] = 6}}, 7, 8, 9, 10, 11};
constant float4 vectors[2] = {(float4)(1, 2, 3, 4), (float4)(5)};
constant ulong computed = sizeof(table) * 3 + (1ul << 35) - 'a';
constant int *constant pointer = table + 2;
constant uint negative = -1, shifted = 1 << 5 | 3;
constant double exact = 1.0 / 3;
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
constant half small[1] = {1.5h};
constant bool flags[3] = {1, 0, 5};
constant union { int i; float f; } either = {.f = 1.0f};
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
union bits { int low : 5; uint more : 20; char c; };
constant union bits five = {-3}, twenty[3] = {{.more = 0xabcde}, {}, {.c = 7}};
constant struct { char c; union bits b; union { ulong big : 50; } only; } mixed = {1, {.more = 77777}, {0x123456789abcul}};
constant struct __attribute__((packed)) { uint low : 7; ulong over : 60; int middle : 30; } tight = {5, 0x123456789abcdeul, -9};

kernel void bit_fields_at_file_scope(global const int *in, global long *out) {
  size_t i = get_global_id(0);
  global long *o = out + 10 * i;
  o[0] = five.low; o[1] = five.more; o[2] = twenty[in[i] & 1].more; o[3] = twenty[2].more;
  o[4] = mixed.c + mixed.b.low; o[5] = mixed.b.more; o[6] = mixed.only.big;
  o[7] = tight.low; o[8] = tight.over; o[9] = tight.middle;
}

kernel void at_file_scope(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  global int *o = out + 12 * i;
  o[0] = table[in[i] & 7] + table[8] + sizeof(table);
  o[1] = text[in[i] & 7] + sizeof(text);
  o[2] = fixed[in[i] & 3];
  o[3] = (int)(matrix[in[i] & 1][in[i + 1] & 1] * 100);
  o[4] = records[in[i] & 1].d.c + records[1].e[1] + records[2].a * records[2].e[1] + sizeof(records) / sizeof(records[0]);
  o[5] = (int)vectors[in[i] & 1].z;
  o[6] = (int)(computed >> 3);
  o[7] = pointer[0] + *pointer;
  o[8] = negative + shifted;
  o[9] = (int)(exact * 1e6);
  o[10] = flags[2] + flags[1] * 2 + as_ushort(small[0]);
  o[11] = either.i;
}

kernel void in_blocks(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  int a[5] = {in[i], 2, in[i + 1]};
  int b[] = {1, 2, 3, 4}, c[2][2] = {1, 2, 3}, d[4] = {[2] = in[i], 5, [0] = 7};
  struct { int x; char y[3]; struct { long z; } w; } e = {1, {2, 3}, {in[i]}}, f = {0}, g = {.w = {4}, .y[1] = 6};
  char h[] = "text", k[8] = {'a', "z"[0]};
  int4 v = {1, in[i], 3, 0}, w = (int4)(9);
  constant static int inner[3] = {10, 20, 30};
  constant char *s = "constant string";
  global int *o = out + 10 * i;
  o[0] = a[0] + a[2] + a[4];
  o[1] = b[3] + c[1][0] + c[1][1] + d[0] + d[1] + d[2] + d[3];
  o[2] = e.y[1] + e.y[2] + (int)e.w.z;
  o[3] = f.x + f.y[2] + (int)f.w.z;
  o[4] = g.x + g.y[1] + (int)g.w.z;
  o[5] = h[1] + sizeof(h) + k[0] + k[1] + k[7];
  o[6] = v.x + v.y + v.z + v.w + w.w;
  o[7] = inner[in[i] & 1];
  o[8] = s[in[i] & 7];
  int *p = (int[]){5, in[i], 7};
  o[9] = p[1] + ((struct { int a, b; }){1, 2}).b;
}

kernel void again_in_each_iteration(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  int r = 0;
  for (int k = 0; k < 4; k++) {
    int a[3] = {k};
    a[1] += in[i];
    a[2]++;
    int fresh = r;
    fresh += a[0] + a[1] + a[2];
    r = fresh;
  }
  out[i] = r;
}
