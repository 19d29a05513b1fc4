// Why a barrier is not reached by all, where the reason goes through pointers to private memory.

void gate(int *state) {
  int open = *state;
  if (open)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}
kernel void what_a_pointer_leads_to(global int *p) {
  int mine = get_local_id(0); //~ origin: `get_local_id(0)`
  gate(&mine);
}

void lane_to(int *out) {
  *out = get_local_id(0); //~ origin: `get_local_id(0)`
}
kernel void out_parameter(global int *p) {
  int v = 0;
  lane_to(&v);
  if (v == 0)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

void copy(int *to, const int *from) {
  *to = *from;
}
kernel void from_one_pointer_to_another(global int *p) {
  int a = get_local_id(0); //~ origin: `get_local_id(0)`
  int b = 0;
  copy(&b, &a);
  if (b)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void written_by_another_name(int n) {
  int v = n;
  int *p = &v;
  *p = get_local_id(0); //~ origin: `get_local_id(0)`
  if (v)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

typedef struct { int a, b; } Pair;
void set_b(Pair *pair) {
  pair->b = get_local_id(0); //~ origin: `get_local_id(0)`
}
kernel void field_of_a_record(int n) {
  Pair pair = { n, n };
  set_b(&pair);
  if (pair.b > pair.a)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

void store_lane(int *out) {
  *out = get_local_id(2); //~ origin: `get_local_id(2)`
}
void hand_on(int *out) {
  store_lane(out);
}
kernel void out_parameter_of_a_callee(int n) {
  int v = n;
  hand_on(&v);
  if (v)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(2)`
}

void sync_first(const int *values) {
  if (values[0])
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}
kernel void element_of_what_is_passed(int n) {
  int values[2];
  values[0] = get_local_id(0) + n; //~ origin: `get_local_id(0)`
  values[1] = 0;
  sync_first(values);
}

kernel void one_of_two(int n) {
  int first = n, second = 2;
  int *p = get_local_id(0) ? &first : &second; //~ origin: `get_local_id(0)`
  if (*p)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}
