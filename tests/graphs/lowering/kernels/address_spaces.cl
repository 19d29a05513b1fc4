// Memory of every kind: global, local (arrays of a kernel and arguments), constant, private, and pointers to any of them.

constant uint weights[8] = {3, 1, 4, 1, 5, 9, 2, 6};

static uint mixed(uint *p, uint n) { uint s = 0; for (uint k = 0; k < n; k++) s = s * 31 + p[k]; return s; }
static uint local_sum(local uint *p) { return p[0] + p[1]; }
static uint constant_sum(constant uint *p) { return p[0] * p[1]; }
static void put(global uint *p, uint x) { *p = x; }

kernel void all_spaces(global uint *in, global uint *out, local uint *scratch) {
  size_t i = get_global_id(0);
  local uint shared[16], one;
  uint own[4];
  for (int k = 0; k < 4; k++) { own[k] = in[i + k]; shared[k] = own[k] ^ weights[k]; scratch[k] = shared[k] + 1; }
  one = own[3];
  barrier(CLK_LOCAL_MEM_FENCE);
  global uint *o = out + 6 * i;
  o[0] = mixed(own, 4) + mixed(shared, 4) + mixed(scratch, 3) + mixed(in + i, 2);
  o[1] = local_sum(shared + 1) + local_sum(scratch);
  o[2] = constant_sum(weights + (in[i] & 3));
  put(o + 3, one);
  generic uint *any = in[i] & 1 ? (generic uint *)own : (generic uint *)shared;
  o[4] = any[2];
  *any = 5;
  o[5] = own[0] + shared[0];
}

kernel void local_records(global const uint *in, global uint *out) {
  size_t i = get_global_id(0);
  local struct { uint a[3]; float b; } s;
  local float4 v[2];
  s.a[in[i] & 1] = in[i];
  s.b = 2.5f;
  v[1] = (float4)(s.b, 1, 2, 3);
  v[1].z += 4;
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = s.a[in[i] & 1] + (uint)(v[1].z * s.b);
}

kernel void walk(global const uint *in, global uint *out) {
  size_t i = get_global_id(0);
  global const uint *p = in + i, *end = p + 20;
  uint s = 0;
  while (p < end) { s += *p++ >> 3; p += s & 1; }
  constant uint *w = weights;
  do s ^= *w; while (++w != weights + 8);
  out[i] = s;
}

kernel void ids(global const uint *in, global ulong *out) {
  size_t i = get_global_id(0);
  global ulong *o = out + 8 * i;
  o[0] = get_global_id(0) + get_local_id(0) * 100 + get_group_id(0) * 10000;
  o[1] = get_global_size(0) + get_local_size(0) * 1000 + get_num_groups(0) * 100000;
  o[2] = get_work_dim() + get_global_offset(0);
  o[3] = get_global_id(1) + get_local_size(2);
  for (uint d = 0; d < 3; d++) o[4 + d] = get_global_size(d);
}

kernel void barriers_in_loops(global const uint *in, global uint *out) {
  size_t i = get_global_id(0);
  local uint sum;
  sum = 0;
  for (uint k = 0; k < 4; k++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += in[i + k];
    if (sum & 1) { barrier(CLK_LOCAL_MEM_FENCE); break; }
  }
  out[i] = sum;
}
