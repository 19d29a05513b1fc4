// An interpreter: every `case` ends by `break`, `continue` or `return`, so that each label stands alone.
kernel void interpret(global const int *code, global int *stack, int n) {  // No execution shows it: programs with such opcodes are rare
  int t = get_local_id(0), pc = 0, top = 0;
  while (pc < n) {
    int op = code[pc++];
    switch (op) {
    case 0:  //~ tangles: case-label //~ defined
      return;
    case 1:  //~ tangles: case-label //~ defined
      top += sub_group_reduce_add(t);  //~ defined
      break;
    case 2:  //~ tangles: case-label //~ defined
      if (top) {
        pc = code[pc];
        continue;
      } else {
        break;
      }
    case 3: {  //~ tangles: case-label //~ defined
      int other = sub_group_broadcast(top, 0);  //~ defined
      top ^= other;
      break;
    }
    default:  //~ tangles: case-label //~ defined
      top = sub_group_all(op < 0) ? 0 : top;  //~ defined
    }
    barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: sequence //~ defined
  }
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: sequence //~ defined
  stack[t] = top;
}
