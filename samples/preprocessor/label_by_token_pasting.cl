// The macro makes the name of the label by `##`, and the line of the jump is the line where the macro is used.
#define LEAVE(n) goto stage_##n
#define STAGE(n) stage_##n: barrier(CLK_LOCAL_MEM_FENCE)

kernel void k(global int *data) {
  int t = get_local_id(0);
  if (data[t] == 1)
    LEAVE(1);
  if (data[t] == 2)
    LEAVE(2);  //~ tangles: if-branch
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ tangles: sequence //~ defined
  STAGE(1);  //~ warning[implementation-defined-convergence]@3: goto stage_1 //~ tangles: sequence, goto-label[forward]
  data[t] = 0;
  STAGE(2);  //~ warning[implementation-defined-convergence]@3: several paths //~ tangles: sequence, goto-label[forward], goto-label[forward]
}
