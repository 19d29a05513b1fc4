// Why a barrier is not reached by all, where threads leave a loop in different iterations, or skip a part of one.

kernel void loop_that_begins_at_an_id(int n) {
  for (int i = get_local_id(0); i < n; i += 64) //~ origin: `get_local_id(0)`
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void loop_left_by_break(int n) {
  for (int i = 0; i < n; i++) {
    if (i == get_local_id(0)) //~ origin: `get_local_id(0)`
      break;
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
  }
}

kernel void rest_skipped_by_continue(int n) {
  for (int i = 0; i < n; i++) {
    if (i == get_local_id(0)) //~ origin: `get_local_id(0)`
      continue;
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
  }
}

kernel void counter_brought_out(int n) {
  int i = 0;
  while (i < get_local_id(0)) //~ origin: `get_local_id(0)`
    i++;
  if (i > n)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void condition_at_the_end(int n) {
  int i = 0;
  do {
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
  } while (i++ < get_local_id(0)); //~ origin: `get_local_id(0)`
}

kernel void outer_bound(int n) {
  for (int i = 0; i < get_local_id(0); i++) { //~ origin: `get_local_id(0)`
    for (int j = 0; j < n; j++)
      barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
  }
}

kernel void bound_that_is_read(global const int *ends) {
  int end = ends[get_local_id(0)]; //~ origin: `get_local_id(0)`
  for (int i = 0; i < end; i++)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void return_out_of_a_loop(int n) {
  for (int i = 0; i < n; i++) {
    if (get_local_id(0) < i) //~ origin: `get_local_id(0)`
      return;
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
  }
}

kernel void goto_out_of_a_loop(int n) {
  for (int i = 0; i < n; i++) {
    if (get_local_id(0) < i) //~ origin: `get_local_id(0)`
      goto done;
  }
  barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
done:;
}
