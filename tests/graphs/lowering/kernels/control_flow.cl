// Statements: loops, switch, goto both ways, Duff's device, short circuits, statement expressions.

kernel void loops(global const uint *in, global uint *out) {
  size_t i = get_global_id(0);
  uint n = in[i] % 17, a = 0, b = 0, c = 0;
  while (n) { a = a * 3 + n; n--; if (a % 7 == 3) continue; a++; }
  do { b += a; if (b & 8) break; b = b * 5 + 1; } while (++n < 9);
  for (uint k = 0, m = 9; k < m; k++, m--) { if (k == 3) continue; c += k * m; for (;;) { if (c & 1) break; c += 3; } }
  for (; n;) n >>= 1;
  out[4 * i] = a;
  out[4 * i + 1] = b;
  out[4 * i + 2] = c;
  out[4 * i + 3] = n;
}

kernel void switches(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  for (int k = 0; k < 8; k++) {
    int r = 0;
    switch (in[i + k] % 11) {
      case 0: r = 1; break;
      case 1: r = 2;
      case 2: r += 3; break;
      default: r = 100; 
      case 5: r++;
      case -3: { r *= 2; break; }
      case 6 ... 8: switch (k & 3) { case 1: r = 7; break; case 2: r = 8; default: r += 9; } r++;
    }
    out[8 * i + k] = r;
  }
}

kernel void switch_types(global const uint *in, global uint *out) {
  size_t i = get_global_id(0);
  uint r = 0;
  switch ((uchar)in[i] & 3) { case 0: r = 10; break; case 257: r = 11; break; case 3: r = 13; }
  switch ((ulong)in[i] << 32 >> 31 & 7ul) { case 2ul: r += 100; break; case 4: r += 200; break; default: r += 300; }
  switch (in[i] > 5) { case true: r += 1000; break; case false: r += 2000; }
  switch ((char)in[i]) { case -1: r += 5; break; case 'a' ... 'z': r += 6; break; case -128 ... -2: r += 7; }
  switch (in[i] & 1) default: r += 1;
  switch (in[i] & 3) { r = 0; case 1: r += 3; }
  out[i] = r;
}

kernel void duffs_device(global const uchar *in, global uchar *out) {
  size_t i = get_global_id(0);
  global const uchar *from = in + 37 * i;
  global uchar *to = out + 64 * i;
  int count = in[i] % 37 + 1;
  int n = (count + 7) / 8;
  switch (count % 8) {
    case 0: do { *to++ = *from++;
    case 7:      *to++ = *from++;
    case 6:      *to++ = *from++;
    case 5:      *to++ = *from++;
    case 4:      *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--n > 0);
  }
}

kernel void gotos_forward(global const uint *in, global uint *out) {
  size_t i = get_global_id(0);
  uint a = in[i], r = 1;
  if (a & 1) goto odd;
  r = r * 3 + a;
  if (a & 2) goto end;
  for (uint k = 0; k < 5; k++) { for (uint m = 0; m < 5; m++) { if (k * m == a % 12) goto out_of_both; r += m; } r ^= k; }
out_of_both:
  r += 17;
odd:
  r = r * 5 + 1;
end:
  out[i] = r;
}

kernel void gotos_backward(global const uint *in, global uint *out) {
  size_t i = get_global_id(0);
  uint a = in[i] % 1000, steps = 0;
again:
  steps++;
  if (a > 1) {
    a = a & 1 ? 3 * a + 1 : a / 2;
    if (steps < 50) goto again;
  }
  uint k = 0, turns = 0;
outer:
  k++;
inner:
  a += k;
  if (a % 5 && ++turns < 30) { a++; goto inner; }
  if (k < 6) goto outer;
  out[2 * i] = steps;
  out[2 * i + 1] = a;
}

kernel void into_a_loop(global const uint *in, global uint *out) {
  size_t i = get_global_id(0);
  uint a = in[i], r = 0, k = a % 5;
  if (a & 16) goto middle;
  for (k = 0; k < 7; k++) {
    r = r * 2 + k;
    if (a & 1) continue;
  middle:
    r += 5;
    if (r % 13 == 2) break;
  }
  while (r > 100) {
    r /= 3;
    if (a & 32) goto second;
    r++;
  second:
    r -= 2;
  }
  out[i] = r;
}

kernel void two_entries(global const uint *in, global uint *out) {
  size_t i = get_global_id(0);
  uint a = in[i], r = a & 3, n = 0;
  if (a & 1) goto second;
first:
  r = r * 3 + 1;
  if (++n > 10) goto done;
second:
  r ^= a >> (n & 31);
  if (r % 7 != 3) goto first;
  if (n++ < 3) goto second;
done:
  out[i] = r + n;
}

kernel void computed_gotos(global const uint *in, global uint *out) {
  size_t i = get_global_id(0);
  uint a = in[i], r = 0, pc = 0;
next:
  switch ((a >> (2 * pc++)) & 3) {
    case 0: r += 1; break;
    case 1: r *= 3; break;
    case 2: r ^= 0x55; break;
    case 3: r = r << 1 | r >> 31; break;
  }
  if (pc < 16) goto next;
  out[i] = r;
}

static uint noted(private uint *count, uint value) { ++*count; return value; }

kernel void short_circuits(global const uint *in, global uint *out) {
  size_t i = get_global_id(0);
  uint a = in[i], n = 0;
  uint r = noted(&n, a & 1) && noted(&n, a & 2);
  r = r * 2 + (noted(&n, a & 4) || noted(&n, a & 8));
  r = r * 2 + ((noted(&n, a & 16) && noted(&n, a & 32)) || (noted(&n, a & 64) && !noted(&n, a & 128)));
  r = r * 3 + (noted(&n, a & 1) ? noted(&n, 5) : noted(&n, a & 2) ? 6 : noted(&n, 7));
  r = r * 2 + (noted(&n, a & 3) ?: 9);
  if (!(a & 1) || (n++, a & 2)) r++;
  while (n < 20 && (n += 3) && !(n & 16)) r += n;
  out[2 * i] = r;
  out[2 * i + 1] = n;
}

#define MAXIMUM(x, y) ({ uint x_ = (x), y_ = (y); x_ > y_ ? x_ : y_; })

kernel void statement_expressions(global const uint *in, global uint *out) {
  size_t i = get_global_id(0);
  uint r = MAXIMUM(in[i] % 100, in[i + 1] % 100);
  r += ({ uint s = 0; for (uint k = 0; k < 5; k++) { if (k == 3) continue; s += in[i + k] & 7; } s; });
  r += MAXIMUM(MAXIMUM(r, 3), 5u);
  ({ r++; });
  out[i] = r;
}

static uint fibonacci(uint n) { uint a = 0, b = 1; while (n--) { uint c = a + b; a = b; b = c; } return a; }
static uint early(uint x) {
  if (x % 3 == 0) return 1;
  for (uint k = 2; ; k++) { if (k * k > x) return 2; if (x % k == 0) return k; }
}
static void store(global uint *p, uint x) { if (x == 7) return; *p = x; }

kernel void functions(global const uint *in, global uint *out) {
  size_t i = get_global_id(0);
  store(out + 2 * i, fibonacci(in[i] % 40));
  store(&out[2 * i + 1], early(in[i] % 1000 + 2));
}

kernel void nested_switches_and_loops(global const uchar *in, global uint *out) {
  size_t i = get_global_id(0);
  uint state = 0, r = 0;
  for (uint k = 0; k < 40; k++) {
    uchar c = in[40 * i + k];
    switch (state) {
      case 0:
        if (c < 64) { state = 1; continue; }
        if (c < 128) { state = 2; break; }
        r++;
        break;
      case 1:
        do { r += c & 15; if (c & 1) { state = 0; goto next; } c >>= 1; } while (c);
        state = 2;
        break;
      case 2:
        switch (c & 3) { case 0: state = 0; break; case 1: r ^= c; continue; case 2: r += 3; default: state = 1; }
        r *= 2;
    }
  next:
    r += state;
  }
  out[i] = r;
}

int of_old_c(a, p, f, n) int a, n; private int *p; float f; { *p += n; return a * 2 + (int)f; }

kernel void a_function_of_old_c(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  int m = in[i + 1];
  out[2 * i] = of_old_c(in[i], &m, 2.5f, 7);
  out[2 * i + 1] = m;
}
