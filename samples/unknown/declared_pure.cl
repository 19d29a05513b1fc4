// Attributes of a declaration count: `const` and `pure` say that the result follows from the arguments, and that nothing is written.

__attribute__((const)) int settled(void);
__attribute__((pure)) int first(int *values);

kernel void attributes(int n) {
  int lid = get_local_id(0);
  int same[2] = {n, n}, own[2] = {n, lid};
  if (settled())
    barrier(CLK_LOCAL_MEM_FENCE);
  if (first(same))
    barrier(CLK_LOCAL_MEM_FENCE);
  if (same[0])
    barrier(CLK_LOCAL_MEM_FENCE);
  if (first(own))
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `lid`
}
