// "Unstructured control flow": with the token of the entry the barrier has the same threads before jump threading and after it.
// The jumps of the second kernel are what a compiler makes of the first; as a program it leaves convergence to the implementation, and
// the lowering reconverges at the label, as the first one does.
kernel void example_original(global int *out, int cond1) {  //~ convergent
  bool flag = true;  // No execution shows it: nothing changes `out[1]` during the execution
  if (cond1) {
    out[0] = 1;
    flag = out[1];
  }
  if (flag)
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);  //~ token: entry
}

kernel void example_jumpthreaded(global int *out, int cond1) {  //~ convergent
  if (get_local_id(0) > cond1) goto then2;
  out[0] = 1;
  if (!out[1]) goto end;
then2:
  sub_group_barrier(CLK_GLOBAL_MEM_FENCE);  //~ token: entry //~ warning[implementation-defined-convergence]: sub_group_barrier
end:;
}
