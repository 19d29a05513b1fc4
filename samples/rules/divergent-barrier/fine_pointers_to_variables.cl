// Variables that are read and written by their names and by pointers in turn: the last write before a read counts.

kernel void by_address(global int *p) {
  int v = get_local_id(0);
  p[get_global_id(0)] = v;
  *&v = 42;
  if (v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void by_pointer(global int *p) {
  int v = get_local_id(0);
  int *at = &v;
  p[get_global_id(0)] = v;
  *at = 42;
  if (v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void read_by_address(int n) {
  int v = n;
  if (*&v == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void read_by_pointer(int n) {
  int v = n;
  int *at = &v;
  if (*at == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void written_by_name_read_by_pointer(global int *p, int n) {
  int v = get_local_id(0);
  int *at = &v;
  p[get_global_id(0)] = v;
  v = n;
  if (*at == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void two_pointers_to_one(int n) {
  int v = 0;
  int *first = &v, *second = &v;
  *first = get_local_id(0);
  *second = n;
  if (*first == 0)
    barrier(CLK_GLOBAL_MEM_FENCE);
}
