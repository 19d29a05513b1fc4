// The value of the first lane, read once and read on both sides of a divergent branch (VT.3 of
// convergence-and-uniformity.rst): the phi of the two results is divergent.
kernel void first(global int *p) {
  int t = get_local_id(0), b;  //~ origin: `get_local_id(0)`
  int a = sub_group_broadcast_first(t);
  if (a > 3)  // No execution shows it: the first two lanes are both above 3, or neither is
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (t & 1)
    b = sub_group_broadcast_first(t);  //~ note[merged-convergent-branches]
  else
    b = sub_group_broadcast_first(t);
  if (b > 3)
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-subgroup-operation]: `b`
  p[t] = a + b;
}
