// Two ways back to one loop header, which threads of a sub-group take apart. One flow graph stands for a loop with `continue` and for two
// loops one in the other; which threads are together in its operations depends on which of the two the compiler sees.

// `continue` in an endless loop.
kernel void continue_in_endless(global int *p, global int *q) {
  int i = get_global_id(0);
  for (;;) {
    q[i] += sub_group_non_uniform_reduce_add(1);  //~ note[ambiguous-loop-nest]: back edge
    if (p[i]-- > 0)
      continue;
    if (q[i]++ > 9)
      break;
  }
}

// `continue` in a `while` loop: its condition is the header.
kernel void continue_in_while(global int *p, global int *q) {
  int i = get_global_id(0);
  while (q[i] < 9) {
    q[i] += sub_group_non_uniform_reduce_add(1);  //~ note[ambiguous-loop-nest]
    if (p[i]-- > 0)
      continue;
    q[i]++;
  }
}

// A chain of them.
kernel void chain(global int *p, global int *q) {
  int i = get_global_id(0);
  while (true) {
    q[i] += sub_group_non_uniform_reduce_add(1);  //~ note[ambiguous-loop-nest]
    if (p[i] > 7)
      continue;
    if (p[i] > 3)
      continue;
    if (p[i]-- == 0)
      break;
  }
}

// The operation behind the `continue`: those who went round may catch up before it, or not.
kernel void behind_continue(global int *p, global int *q) {
  int i = get_global_id(0);
  while (true) {
    if (p[i]-- > 7)
      continue;
    q[i] += sub_group_non_uniform_reduce_add(1);  //~ note[ambiguous-loop-nest]
    if (p[i] < 0)
      break;
  }
}

// The same graph, written as two loops.
kernel void nest_of_do(global int *p, global int *q) {
  int i = get_global_id(0);
  do {
    do {
      q[i] += sub_group_non_uniform_reduce_add(1);  //~ note[ambiguous-loop-nest]
    } while (p[i]-- > 0);
  } while (q[i]++ < 9);
}

// A `do` loop at the beginning of an endless one.
kernel void do_in_endless(global int *p, global int *q) {
  int i = get_global_id(0);
  for (;;) {
    do {
      q[i] += sub_group_non_uniform_reduce_add(1);  //~ note[ambiguous-loop-nest]
    } while (p[i]-- > 0);
    if (q[i]++ > 9)
      break;
  }
}

// A `while` loop at the beginning of an endless one.
kernel void while_in_endless(global int *p, global int *q) {
  int i = get_global_id(0);
  for (;;) {
    while (p[i] > 0) {
      p[i] -= sub_group_non_uniform_reduce_add(1);  //~ note[ambiguous-loop-nest]
    }
    p[i] = q[i]++;
    if (q[i] > 9)
      break;
  }
}

// In a helper that is called from such a loop.
int here(void) { return sub_group_non_uniform_reduce_add(1); }
kernel void helper(global int *p, global int *q) {
  int i = get_global_id(0);
  while (q[i] < 9) {
    q[i] += here();  //~ note[ambiguous-loop-nest]: `here`
    if (p[i]-- > 0)
      continue;
    q[i]++;
  }
}

// `continue` in an arm of a `switch`.
kernel void in_switch(global int *p, global int *q) {
  int i = get_global_id(0);
  while (q[i] < 9) {
    q[i] += sub_group_non_uniform_reduce_add(1);  //~ note[ambiguous-loop-nest]
    switch (p[i]--) {
    case 1:
      continue;
    case 2:
      q[i]++;
    }
    q[i]++;
  }
}
