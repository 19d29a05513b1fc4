// Why a barrier is not reached by all, where threads that parted meet with different values, or do not meet before it.

kernel void conditional(int n) {
  int v = get_local_id(0) < 8 ? n : n + 1; //~ origin: `get_local_id(0)`
  if (v > 2)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void second_operand_of_and(int n) {
  int ok = n > 0 && get_local_id(0) < 4; //~ origin: `get_local_id(0)`
  if (ok)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void both_ways_assign(int n) {
  int v;
  if (get_local_id(0) == n) //~ origin: `get_local_id(0)`
    v = 1;
  else
    v = 2;
  while (v < 2) {
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
    v++;
  }
}

kernel void jump_around_an_assignment(int n) {
  int v = 0;
  if (get_local_id(0) > n) //~ origin: `get_local_id(0)`
    goto out;
  v = 1;
out:
  if (v)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)` //~ warning[implementation-defined-convergence]
}

kernel void early_return(global int *p, int n) {
  if (get_global_id(0) >= n) //~ origin: `get_global_id(0)`
    return;
  p[get_global_id(0)] = n;
  barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_global_id(0)`
}

kernel void outer_branch_is_uniform(int n) {
  if (n > 4) {
    if (get_local_id(0) < 4) //~ origin: `get_local_id(0)`
      barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
  }
}

kernel void inner_branch_is_uniform(int n) {
  if (get_local_id(0) < 4) { //~ origin: `get_local_id(0)`
    if (n > 4)
      barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
  }
}

kernel void three_names_on_the_way(int n) {
  int id = get_local_id(0); //~ origin: `get_local_id(0)`
  int row = id / n;
  int last = row + 1;
  if (last == n)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}
