// Private memory is read before something else is written there, or behind that: records, arrays, vectors, and variables behind pointers.

typedef struct {
  int begin, end;
} range;

typedef struct {
  range rows;
  int4 counts;
  int taps[3];
} plan;

// A field is read before it gets a value of one's own.
kernel void field_before(global int *p, int n, int c) {
  range r = {n, c};
  if (r.end == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
  r.end = get_local_id(0);
  p[get_global_id(0)] = r.end;
}

// A variable is written again, by its address.
kernel void by_pointer(global int *p, int n) {
  int v = get_local_id(0);
  int *at = &v;
  p[get_global_id(0)] = v;
  *at = n;
  if (v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
  p[get_global_id(0)] = v;
}

// The first lanes are written again.
kernel void swizzled(global int *p, int n) {
  int4 x = (int4)(get_local_id(0));
  p[get_global_id(0)] = x.x;
  x.xyz = (int3)(n);
  if (x.x > 3)
    barrier(CLK_GLOBAL_MEM_FENCE);
  x.w = n;
  if (x.w > 3)
    barrier(CLK_GLOBAL_MEM_FENCE);
  p[get_global_id(0)] = x.z;
}

// One place serves for two things, one after the other.
kernel void reused(global int *p, int n) {
  int scratch[4];
  scratch[0] = get_local_id(0);
  scratch[1] = scratch[0] * 2;
  p[get_global_id(0)] = scratch[1];
  scratch[0] = n;
  scratch[1] = n / 2;
  for (int i = scratch[1]; i < scratch[0]; i++)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

// Each iteration begins anew.
kernel void in_a_loop(global int *p, int n) {
  range r;
  for (int i = 0; i < n; i++) {
    r.begin = i;
    r.end = n - i;
    while (r.begin < r.end) {
      barrier(CLK_GLOBAL_MEM_FENCE);
      r.begin++;
    }
    r.begin = r.end = get_local_id(0);
    p[get_global_id(0)] += r.begin + r.end;
  }
}

// On both ways the same is written.
kernel void on_both_ways(global int *p, int n) {
  int2 v = (int2)(0);
  int2 *at = &v;
  if (get_local_id(0) < 4)
    p[get_global_id(0)] = 1;
  else
    p[get_global_id(0)] = 2;
  if (n > 2)
    *at = (int2)(n);
  else
    at->x = 3;
  if (v.x > 3)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

// A record is copied, and only then changed.
kernel void copied(global int *p, int n) {
  plan all = {{0, n}, (int4)(n), {1, n, 3}};
  plan own = all;
  own.rows.begin = get_local_id(0);
  own.taps[1] = get_local_id(0);
  if (all.rows.end > 2)
    barrier(CLK_GLOBAL_MEM_FENCE);
  if (own.counts.y > 2)
    barrier(CLK_GLOBAL_MEM_FENCE);
  p[get_global_id(0)] = own.rows.begin + own.taps[1];
  own = all;
  if (own.rows.begin + own.taps[1] > 7)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

// An element of one's own is written last.
kernel void own_element_last(global int *p, int n) {
  int taps[8];
  for (int i = 0; i < 8; i++)
    taps[i] = n >> i;
  if (taps[n & 7])
    barrier(CLK_GLOBAL_MEM_FENCE);
  taps[get_local_id(0) & 7] = 0;
  p[get_global_id(0)] = taps[n & 7];
}

// Volatile variables of one's own are nobody else's.
kernel void volatile_of_one(global int *p, int n) {
  volatile int tries = n;
  while (tries > 0) {
    barrier(CLK_GLOBAL_MEM_FENCE);
    tries--;
  }
  p[get_global_id(0)] = tries;
}
