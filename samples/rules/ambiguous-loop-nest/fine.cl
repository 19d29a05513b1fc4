// One way back, or several that keep nothing apart.

// `continue` in a `for` loop: all go round by its step.
kernel void step(global int *p, global int *q, int n) {
  int i = get_global_id(0);
  for (int k = 0; k < n; k++) {
    q[i] += sub_group_non_uniform_reduce_add(1);
    if (p[i]-- > 0)
      continue;
    q[i]++;
  }
}

// `continue` in a `do` loop: all go round by its condition.
kernel void do_loop(global int *p, global int *q) {
  int i = get_global_id(0);
  do {
    q[i] += sub_group_non_uniform_reduce_add(1);
    if (p[i] > 3)
      continue;
    q[i]++;
  } while (p[i]-- > 0);
}

// All of the sub-group continue together.
kernel void together(global int *p, global int *q, int n) {
  int i = get_global_id(0), k = 0;
  while (k < n) {
    q[i] += sub_group_reduce_add(p[i]);
    k++;
    if (k & 1)
      continue;
    q[i]++;
  }
}

// `if` instead of `continue`: one way back.
kernel void structured(global int *p, global int *q) {
  int i = get_global_id(0);
  while (q[i] < 9) {
    q[i] += sub_group_non_uniform_reduce_add(1);
    if (p[i]-- <= 0)
      q[i]++;
  }
}

// Nothing convergent in the loop.
kernel void silent(global int *p, global int *q) {
  int i = get_global_id(0);
  while (q[i] < 9) {
    if (p[i]-- > 0)
      continue;
    q[i]++;
  }
  q[i] = sub_group_reduce_add(q[i]);
}

// Two loops with a statement between their headers.
kernel void headers_apart(global int *p, global int *q) {
  int i = get_global_id(0);
  do {
    p[i] = q[i];
    do {
      q[i] += sub_group_non_uniform_reduce_add(1);
    } while (p[i]-- > 0);
  } while (q[i]++ < 9);
}

// Two loops, the outer with a condition of its own.
kernel void conditions_apart(global int *p, global int *q) {
  int i = get_global_id(0);
  while (q[i] < 9) {
    while (p[i] > 0)
      p[i] -= sub_group_non_uniform_reduce_add(1);
    p[i] = q[i]++;
  }
}

// Nested `for` loops: each header has its own counter to look at.
kernel void counters(global int *p, global int *q, int n) {
  int i = get_global_id(0);
  for (int k = 0; k < p[i]; k++)
    for (int j = 0; j < k; j++)
      q[i] += sub_group_non_uniform_reduce_add(1);
}

// `break` is no way back.
kernel void left_twice(global int *p, global int *q) {
  int i = get_global_id(0);
  while (q[i] < 9) {
    q[i] += sub_group_non_uniform_reduce_add(1);
    if (p[i]-- > 0)
      break;
    q[i]++;
  }
}
