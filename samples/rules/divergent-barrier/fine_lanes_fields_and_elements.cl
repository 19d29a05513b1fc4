// Vectors, records, arrays and rows of matrices, of which one part differs, or differed: the part that a barrier depends on does not.

typedef struct {
  int a, b;
} pair;

typedef struct {
  float4 rows[3];
} matrix;

typedef struct {
  int v[4];
} four;

kernel void lane_of_an_argument(int4 v) {
  if (v.z == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void all_lanes_assigned(global int3 *rw, int3 u) {
  int3 x = rw[get_global_id(0)];
  rw[get_global_id(0)] = x + 1;
  x.xyz = u;
  if (x.x == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void all_lanes_assigned_in_another_order(global int3 *rw, int3 u) {
  int3 x = rw[get_global_id(0)];
  rw[get_global_id(0)] = x + 1;
  x.zyx = u;
  if (x.x == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void lanes_of_lanes_assigned(global int4 *rw, int4 u) {
  int4 x = rw[get_global_id(0)];
  rw[get_global_id(0)] = x + 1;
  x.hi.yx = u.lo;
  x.lo.yx = u.hi;
  if (x.x == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void two_lanes_assigned(global int3 *rw, int3 u) {
  int3 x = rw[get_global_id(0)];
  rw[get_global_id(0)] = x + 1;
  x.xy = u.xy;
  if (x.x == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void lane_spoiled_behind_the_condition(global int *p, int n) {
  int4 v = (int4)(n);
  if (v.z == 0) {
    v.z = get_local_id(0);
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
  p[get_global_id(0)] = v.z;
}

kernel void another_lane_spoiled(global int *p, int n) {
  int4 v = (int4)(n);
  v.y = get_local_id(0);
  if (v.z == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
  p[get_global_id(0)] = v.y;
}

kernel void lane_mended(int n) {
  int4 v = (int4)(n);
  v.y = get_local_id(0);
  v.y = 42;
  if (v.y == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void vector_assigned(int n) {
  int4 v = (int4)(n);
  v.y = get_local_id(0);
  v = (int4)(1, n, 3, 4);
  if (v.y == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void vector_assigned_by_address(int n) {
  int4 v = (int4)(n);
  v.y = get_local_id(0);
  *(&v) = (int4)(1, n, 3, 4);
  if (v.y == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void vector_assigned_by_a_chain(int n) {
  int4 v = (int4)(n);
  v.y = get_local_id(0);
  *(&(*(&(*(&v))))) = (int4)(1, n, 3, 4);
  if (v.y == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void vector_assigned_by_pointer(int n) {
  int4 v = (int4)(n);
  v.y = get_local_id(0);
  int4 *at = &v;
  *at = (int4)(1, n, 3, 4);
  if (v.y == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void vector_with_one_lane_kept(int n) {
  int4 v = (int4)(n);
  v.y = get_local_id(0);
  v = (int4)(1, n, 3, v.w);
  if (v.y == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void vector_with_one_lane_kept_by_pointer(int n) {
  int4 v = (int4)(n);
  int4 *at = &v;
  (*at).y = get_local_id(0);
  v = (int4)(1, n, 3, v.w);
  if (v.y == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void vector_with_one_lane_kept_by_arrow(int n) {
  int4 v = (int4)(n);
  int4 *at = &v;
  at->y = get_local_id(0);
  v = (int4)(1, n, 3, v.w);
  if (v.y == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void entry_mended(float x) {
  float4 m[3] = {x, x, x};
  m[1].y = get_local_id(0);
  m[1].y = 42.0f + x;
  if (m[1].y == 0.0f)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void matrix_assigned(float x) {
  matrix m = {{x, x, x}};
  m.rows[1].y = get_local_id(0);
  m = (matrix){{(float4)(1.0f, x, 3.0f, 4.0f), (float4)(5.0f, x, 7.0f, 8.0f), (float4)(x)}};
  if (m.rows[1].y == 0.0f)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void matrix_assigned_by_address(float x) {
  matrix m = {{x, x, x}};
  m.rows[1].y = get_local_id(0);
  *(&(*(&m))) = (matrix){{(float4)(1.0f, x, 3.0f, 4.0f), (float4)(5.0f, x, 7.0f, 8.0f), (float4)(x)}};
  if (m.rows[1].y == 0.0f)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void matrix_assigned_by_pointer(float x) {
  matrix m = {{x, x, x}};
  matrix *at = &m;
  m.rows[1].y = get_local_id(0);
  *at = (matrix){{(float4)(1.0f, x, 3.0f, 4.0f), (float4)(5.0f, x, 7.0f, 8.0f), (float4)(x)}};
  if (m.rows[1].y == 0.0f)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void row_assigned(float x) {
  float4 m[3] = {x, x, x};
  m[1].y = get_local_id(0);
  m[1] = (float4)(0.0f, 42.0f, x, x);
  if (m[1].y == 0.0f)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void row_assigned_by_address(float x) {
  float4 m[3] = {x, x, x};
  m[1].y = get_local_id(0);
  *(&(*(&m[1]))) = (float4)(0.0f, 42.0f, x, x);
  if (m[1].y == 0.0f)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void row_assigned_by_pointer(float x) {
  float4 m[3] = {x, x, x};
  float4 *at = &m[1];
  m[1].y = get_local_id(0);
  *at = (float4)(0.0f, 42.0f, x, x);
  if (m[1].y == 0.0f)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void row_assigned_by_pointer_to_all(float x) {
  matrix m = {{x, x, x}};
  matrix *at = &m;
  m.rows[1].y = get_local_id(0);
  (*at).rows[1] = (float4)(0.0f, 42.0f, x, x);
  if (m.rows[1].y == 0.0f)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void matrix_with_one_row_kept(float x) {
  matrix m = {{x, x, x}};
  m.rows[1].y = get_local_id(0);
  m = (matrix){{(float4)(1.0f, x, 3.0f, 4.0f), (float4)(5.0f, x, 7.0f, 8.0f), m.rows[2]}};
  if (m.rows[1].y == 0.0f)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void matrix_with_one_row_kept_by_pointer(float x) {
  matrix m = {{x, x, x}};
  matrix *at = &(*(&m));
  m.rows[1].y = get_local_id(0);
  *at = (matrix){{(float4)(1.0f, x, 3.0f, 4.0f), (float4)(5.0f, x, 7.0f, 8.0f), (*at).rows[2]}};
  if (m.rows[1].y == 0.0f)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void field_of_an_argument(pair s) {
  if (s.b == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void field_spoiled_behind_the_condition(global int *p, int n) {
  pair s = {n, n};
  if (s.b == 0) {
    s.b = get_local_id(0);
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
  p[get_global_id(0)] = s.b;
}

kernel void another_field_spoiled(global int *p, int n) {
  pair s = {n, n};
  s.a = get_local_id(0);
  if (s.b == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
  p[get_global_id(0)] = s.a;
}

kernel void field_mended(int n) {
  pair s = {n, n};
  s.a = get_local_id(0);
  s.a = 0;
  if (s.a == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void field_mended_by_pointer_to_all(int n) {
  pair s = {n, n};
  pair *at = &s;
  s.a = get_local_id(0);
  (*at).a = n;
  if (s.a == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void field_mended_by_address(int n) {
  pair s = {n, n};
  s.a = get_local_id(0);
  *&s.a = n;
  if (s.a == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void field_mended_by_pointer(int n) {
  pair s = {n, n};
  int *at = &s.a;
  s.a = get_local_id(0);
  *at = n;
  if (s.a == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void record_assigned(int n) {
  pair s = {n, n};
  s.a = get_local_id(0);
  s = (pair){n, 2};
  if (s.a == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void record_assigned_by_pointer(int n) {
  pair s = {n, n};
  pair *at = &(*(&s));
  s.a = get_local_id(0);
  *at = (pair){n, 2};
  if (s.a == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void record_with_one_field_kept(int n) {
  pair s = {n, n};
  s.a = get_local_id(0);
  s = (pair){n, s.b};
  if (s.a == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void record_with_one_field_kept_by_pointer(int n) {
  pair s = {n, n};
  pair *at = &(*(&s));
  s.a = get_local_id(0);
  *at = (pair){n, (*at).b};
  if (s.a == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void element_of_memory_that_is_only_read(global const int *a) {
  if (a[7] == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void element_spoiled_behind_the_condition(global int *p, int n) {
  int a[4] = {n, n, n, n};
  if (a[2] == 0) {
    a[2] = get_local_id(0);
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
  p[get_global_id(0)] = a[2];
}

kernel void another_element_spoiled(global int *p, int n) {
  int a[4] = {n, n, n, n};
  a[1] = get_local_id(0);
  if (a[2] == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
  p[get_global_id(0)] = a[1];
}

kernel void another_element_spoiled_by_pointer(global int *p, int n) {
  int a[4] = {n, n, n, n};
  int *at = &a[1];
  *at = get_local_id(0);
  if (a[2] == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
  p[get_global_id(0)] = a[1];
}

kernel void element_mended(int n) {
  int a[4] = {n, n, n, n};
  a[1] = get_local_id(0);
  a[1] = n;
  if (a[1] == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void array_assigned(int n) {
  four a = {{n, n, n, n}};
  a.v[1] = get_local_id(0);
  a = (four){{1, n, 3, 4}};
  if (a.v[1] == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void array_assigned_by_pointer(int n) {
  four a = {{n, n, n, n}};
  four *at = &(*(&a));
  a.v[1] = get_local_id(0);
  *at = (four){{1, n}};
  if (a.v[1] == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void array_with_one_element_kept(int n) {
  four a = {{n, n, n, n}};
  a.v[1] = get_local_id(0);
  a = (four){{1, n, 3, a.v[3]}};
  if (a.v[1] == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void each_element_assigned(int n) {
  int a[4] = {n, n, n, n};
  a[1] = get_local_id(0);
  for (int i = 0; i < 4; i++)
    a[i] = n;
  if (a[2] == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

// A field of one element of an array of records.
kernel void field_of_an_element_mended(int n) {
  pair a[2] = {{n, n}, {n, n}};
  a[0].a = get_local_id(0);
  a[0].a = n;
  if (a[0].a == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void another_field_of_the_element_spoiled(global int *p, int n) {
  pair a[2] = {{n, n}, {n, n}};
  a[0].a = get_local_id(0);
  if (a[0].b == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
  if (a[1].a == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
  p[get_global_id(0)] = a[0].a;
}

// A row of a matrix in a record, entry by entry.
kernel void another_row_spoiled(global float *p, float x) {
  matrix m = {{x, x, x}};
  m.rows[1].y = get_local_id(0);
  if (m.rows[2].y == 0.0f)
    barrier(CLK_GLOBAL_MEM_FENCE);
  if (m.rows[1].x == 0.0f)
    barrier(CLK_GLOBAL_MEM_FENCE);
  p[get_global_id(0)] = m.rows[1].y;
}
