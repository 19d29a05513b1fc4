// An index that the launch gives can be any element: a write of another element is not known to be elsewhere.
kernel void written_after_the_read(global int *p, int n) {
  local int m[64];
  int l = get_local_id(0);
  m[l] = p[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  int v = m[n];
  m[2] = l;
  if (v > 3)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `m[n]`
}

kernel void written_before_the_read(global int *p, int n) {
  local int m[64];
  int l = get_local_id(0);
  m[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  m[l] = p[l];
  if (m[n & 7] > 0)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `m[n & 7]`
}

kernel void separated(global int *p, int n) {
  local int m[64];
  int l = get_local_id(0);
  m[l] = p[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  int v = m[n];
  barrier(CLK_LOCAL_MEM_FENCE);
  m[2] = l;
  if (v > 3)
    barrier(CLK_LOCAL_MEM_FENCE);
}
