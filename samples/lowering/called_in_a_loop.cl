// "llvm.experimental.convergence.entry": the callee's operation has the token of its entry, the call that of the loop around it.
static void callee(void) {  //~ convergent
  sub_group_barrier(CLK_GLOBAL_MEM_FENCE);  //~ token: entry
}

kernel void example(int n) {  //~ convergent
  while (n--)
    callee();  //~ token: loop@7
}
