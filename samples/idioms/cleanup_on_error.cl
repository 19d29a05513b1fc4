// Two checks jump to a clean-up behind the main path, and a barrier stands there. Up to the label only those that run on
// are there; at the label the two jumps meet them (thread-convergence, The goto Statement: even a simple forward jump
// produces divergence), and stay apart to the end of the body.
kernel void checked(global int *data, global int *status, int n) {
  int i = get_global_id(0), code = 0;
  if (i >= n)  //~ tangles: function-body
    goto done;  //~ tangles: if-branch
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ tangles: sequence //~ defined
  if (data[i] < 0) {  //~ tangles: sequence
    code = -1;
    goto done;  //~ tangles: if-branch
  }
  data[i] = sub_group_reduce_add(data[i]);  //~ tangles: sequence //~ defined
done:  //~ tangles: sequence, goto-label[forward], goto-label[forward] //~ implementation-defined //~ rejoins: 17
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]@3: goto done
  status[i] = code;  //~ tangles: sequence, goto-label, goto-label
}
