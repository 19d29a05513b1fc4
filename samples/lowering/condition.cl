// "Overview": the operation talks to the threads of the entry for which the condition holds. That it is in a branch needs no token.
kernel void example_kernel(global int *out, int condition) {  //~ convergent
  if (condition)
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);  //~ token: entry
}
