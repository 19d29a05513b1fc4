// Variables, vectors, records and arrays that differ where a barrier depends on them, read and written by their names and by pointers.

typedef struct {
  int a, b;
} pair;

kernel void by_address(int n) {
  int v = 0;
  *&v = get_local_id(0);
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void by_pointer(int n) {
  int v = 0;
  int *at = &v;
  *at = get_local_id(0);
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void by_some(global const int *own, int n) {
  int v = n;
  int *at = &v;
  if (own[get_global_id(0)] == 0)
    *at = 42;
  if (v == 42)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

static int forty_two(void) { return 42; }

kernel void result_by_some(global const int *own, int n) {
  int v = n;
  if (own[get_global_id(0)] == 0)
    v = forty_two();
  if (v == 42)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void read_by_address(int n) {
  int v = get_local_id(0);
  if (*&v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void read_by_pointer(int n) {
  int v = get_local_id(0);
  int *at = &v;
  if (*at == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void memory_by_pointer(global int *rw, int n) {
  global int *at = &rw[get_global_id(0)];
  if (*at == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  *at = 1;
}

kernel void element_of_ones_own(int n) {
  int v[4] = {0, 1, 2, 3};
  int *at = &v[get_local_id(0) & 3];
  if (*at == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void one_element_differs(int n, int i) {
  int v[4] = {0, 0, 0, get_local_id(0)};
  int *at = &v[i & 3];
  if (*at == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void written_by_name_read_by_pointer(int n) {
  int v = 0;
  int *at = &v;
  v = get_local_id(0);
  if (*at == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void chain_that_writes(int n) {
  int v = 0;
  int *first = &*&v, *second = &*&*first;
  *&*&*second = get_local_id(0);
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void chain_that_reads(int n) {
  int v = get_local_id(0);
  int *first = &*&v, *second = &*&*first;
  if (*&*&*second == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void two_pointers_to_one(int n) {
  int v = 0;
  int *first = &v, *second = &v;
  *first = 42;
  *second = get_local_id(0);
  if (*first == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void added(int n) {
  int v = 0;
  v += get_local_id(0);
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void added_to(int n) {
  int v = get_local_id(0);
  v += 1;
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void stepped(int n) {
  int v = get_local_id(0);
  v++;
  if (v == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void lane_of_memory(global int4 *rw, int n) {
  if (rw[get_global_id(0)].z == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  rw[get_global_id(0)] = (int4)(n);
}

kernel void lanes_of_memory(global int4 *rw, int n) {
  if (any(rw[get_global_id(0)].xy == (int2)(n)))
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  rw[get_global_id(0)] = (int4)(1);
}

kernel void lanes_of_memory_by_pointer(global int4 *rw, int n) {
  global int4 *at = &rw[get_global_id(0)];
  if (any(at->xy == (int2)(n)))
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  *at = (int4)(1);
}

kernel void lane_spoiled(int n) {
  int4 v = (int4)(0);
  v.z = get_local_id(0);
  if (v.z == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void another_lane_mended(int n) {
  int4 v = (int4)(0);
  v.y = get_local_id(0);
  v.z = 42;
  if (v.y == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void any_lane_may_differ(int4 n) {
  int4 v = (int4)(0);
  v.y = get_local_id(0);
  if (any(v == n))
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void another_entry_mended(float n) {
  float4 m[3] = {n, n, n};
  m[1].y = get_local_id(0);
  m[2].z = 42.0f;
  if (m[1].y == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void another_entry_of_the_row_mended(float n) {
  float4 m[3] = {n, n, n};
  float4 *at = &m[1];
  m[1].y = get_local_id(0);
  (*at).x = 0.0f;
  if (m[1].y == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void another_entry_of_the_row_mended_by_arrow(float n) {
  float4 m[3] = {n, n, n};
  float4 *at = &m[1];
  m[1].y = get_local_id(0);
  at->x = 0.0f;
  if (m[1].y == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void field_of_memory(global pair *rw, int n) {
  if (rw[get_global_id(0)].b == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  rw[get_global_id(0)].b = 1;
}

kernel void field_spoiled(int n) {
  pair s = {0, 0};
  s.b = get_local_id(0);
  if (s.b == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void another_field_mended(int n) {
  pair s = {0, 0};
  s.a = get_local_id(0);
  s.b = 0;
  if (s.a == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void element_of_memory(global int *rw, int n) {
  if (rw[get_global_id(0) + 7] == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
  rw[get_global_id(0)] = 1;
}

kernel void element_spoiled(int n) {
  int a[4] = {0};
  a[2] = get_local_id(0);
  if (a[2] == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void another_element_mended(int n) {
  int a[4] = {0};
  a[1] = get_local_id(0);
  a[2] = 42;
  if (a[1] == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void another_element_mended_by_address(int n) {
  int a[4] = {0};
  a[1] = get_local_id(0);
  *(&(*(&(*(&(a[2])))))) = 42;
  if (a[1] == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void another_element_mended_by_pointer(int n) {
  int a[4] = {0};
  int *at = &(*(&a[2]));
  a[1] = get_local_id(0);
  *at = 42;
  if (a[1] == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void another_element_mended_by_the_third_pointer(int n) {
  int a[4] = {0};
  int *first = &a[2];
  int *second = first;
  int *third = second;
  a[1] = get_local_id(0);
  *third = 42;
  if (a[1] == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void another_element_mended_by_pointer_to_all(int n) {
  int a[4] = {0};
  int(*all)[4] = &a;
  a[1] = get_local_id(0);
  (*all)[2] = 42;
  if (a[1] == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void element_of_ones_own_written(int n) {
  int a[4] = {0, 0, 0, 0};
  a[get_local_id(0) & 3] = 1;
  if (a[0] == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void element_of_ones_own_written_by_address(int n) {
  int a[4] = {0, 0, 0, 0};
  *&(a[get_local_id(0) & 3]) = 1;
  if (a[0] == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}

kernel void element_of_ones_own_written_by_pointer(int n) {
  int a[4] = {0, 0, 0, 0};
  int *at = &(a[get_local_id(0) & 3]);
  *at = 1;
  if (a[0] == n)
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[divergent-barrier]
}
