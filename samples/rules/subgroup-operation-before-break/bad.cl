// An operation of the sub-group on the way out of a loop. In the source it belongs to the iteration; a compiler that sees only the
// flow graph finds it outside of the loop, and may run it once for all who leave, whenever they leave.

// The plain case: who is done counts those who are done with it.
kernel void before_break(global int *p, global int *q, int n) {
  int i = get_global_id(0);
  for (int k = 0; k < n; k++) {
    if (p[i] == k) {
      q[i] = sub_group_non_uniform_reduce_add(1);  //~ warning[subgroup-operation-before-break]: `break`
      break;
    }
    p[i]--;
  }
}

// Before `return`.
kernel void before_return(global int *p, global int *q, int n) {
  int i = get_global_id(0);
  for (int k = 0; k < n; k++) {
    if (p[i] == k) {
      q[i] = sub_group_non_uniform_reduce_add(1);  //~ warning[subgroup-operation-before-break]: `return`
      return;
    }
  }
  q[i] = 0;
}

// Before `goto`.
kernel void before_goto(global int *p, global int *q, int n) {
  int i = get_global_id(0);
  for (int k = 0; k < n; k++) {
    for (int j = 0; j < n; j++) {
      if (p[i + j] == k) {
        q[i] = sub_group_non_uniform_reduce_add(1);  //~ warning[subgroup-operation-before-break]: `goto`
        goto found;
      }
    }
  }
found:
  q[i + 1] = 1;
}

// The waterfall: each turn serves those with the same value as the first one.
kernel void waterfall(global int *p, global int *q) {
  int i = get_global_id(0), own = p[i];
  for (;;) {
    int first = sub_group_broadcast_first(own);
    if (own == first) {
      q[first] = sub_group_non_uniform_reduce_add(1);  //~ warning[subgroup-operation-before-break]
      break;
    }
  }
}

// One is elected among those who leave.
kernel void elected(global int *p, volatile global int *count) {
  int i = get_global_id(0);
  while (true) {
    p[i]--;
    if (p[i] <= 0) {
      uint4 leaving = sub_group_ballot(1);  //~ warning[subgroup-operation-before-break]: sub_group_ballot
      if (sub_group_elect())                //~ warning[subgroup-operation-before-break]: sub_group_elect
        atomic_add(count, sub_group_ballot_bit_count(leaving));
      break;
    }
  }
}

// In the `else`.
kernel void in_else(global int *p, global int *q) {
  int i = get_global_id(0);
  while (1) {
    if (p[i] > 0) {
      p[i]--;
    } else {
      q[i] = sub_group_non_uniform_reduce_add(1);  //~ warning[subgroup-operation-before-break]
      break;
    }
  }
}

// In a helper.
int here(void) { return sub_group_non_uniform_reduce_add(1); }
kernel void helper(global int *p, global int *q, int n) {
  int i = get_global_id(0);
  for (int k = 0; k < n; k++) {
    if (p[i] == k) {
      q[i] = here();  //~ warning[subgroup-operation-before-break]: `here`
      break;
    }
  }
}

// In a `do` loop.
kernel void do_loop(global int *p, global int *q, int n) {
  int i = get_global_id(0), k = 0;
  do {
    if (p[i] == k) {
      q[i] = sub_group_non_uniform_reduce_add(1);  //~ warning[subgroup-operation-before-break]
      break;
    }
  } while (k++ < n);
}

// A `switch` in the loop: `return` leaves both.
kernel void in_switch(global int *p, global int *q) {
  int i = get_global_id(0);
  while (1) {
    switch (p[i]--) {
    case 0:
      q[i] = sub_group_non_uniform_reduce_add(1);  //~ warning[subgroup-operation-before-break]
      return;
    default:
      break;
    }
  }
}
