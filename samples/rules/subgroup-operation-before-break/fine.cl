// Operations in and behind loops of which source and flow graph think alike, or in which all leave together.

// Behind the loop: meant for all who left.
kernel void behind(global int *p, global int *q, int n) {
  int i = get_global_id(0);
  for (int k = 0; k < n; k++)
    if (p[i] == k)
      break;
  q[i] = sub_group_non_uniform_reduce_add(1);
}

// In the loop, before those leave who leave.
kernel void before_condition(global int *p, global int *q, int n) {
  int i = get_global_id(0);
  for (int k = 0; k < n; k++) {
    q[i] = sub_group_non_uniform_reduce_add(1);
    if (p[i] == k)
      break;
  }
}

// All leave together.
kernel void all_leave(global int *p, global int *q, int n, int last) {
  int i = get_global_id(0);
  for (int k = 0; k < n; k++) {
    if (k == last) {
      q[i] = sub_group_reduce_add(p[i]);
      break;
    }
    p[i]--;
  }
}

// The sub-group votes, and leaves together.
kernel void voted(global int *p, global int *q) {
  int i = get_global_id(0);
  while (1) {
    if (sub_group_all(p[i] <= 0)) {
      q[i] = sub_group_reduce_add(p[i]);
      break;
    }
    p[i]--;
  }
}

// `continue` stays in the loop.
kernel void before_continue(global int *p, global int *q, int n) {
  int i = get_global_id(0);
  for (int k = 0; k < n; k++) {
    if (p[i] == k) {
      q[i] = sub_group_non_uniform_reduce_add(1);
      continue;
    }
    p[i]--;
  }
}

// `break` of a `switch`, not of a loop.
kernel void of_switch(global int *p, global int *q) {
  int i = get_global_id(0);
  switch (p[i]) {
  case 0:
    q[i] = sub_group_non_uniform_reduce_add(1);
    break;
  }
}

// `break` of a `switch` in a loop: it goes on.
kernel void of_switch_in_loop(global int *p, global int *q, int n) {
  int i = get_global_id(0);
  for (int k = 0; k < n; k++) {
    switch (p[i]) {
    case 0:
      q[i] = sub_group_non_uniform_reduce_add(1);
      break;
    }
    p[i]--;
  }
}

// Before `break` there is nothing convergent: an atomic is each one's own.
kernel void atomics(global int *p, volatile global int *count, int n) {
  int i = get_global_id(0);
  for (int k = 0; k < n; k++) {
    if (p[i] == k) {
      atomic_inc(count);
      break;
    }
  }
}

// `return` outside of a loop.
kernel void no_loop(global int *p, global int *q) {
  int i = get_global_id(0);
  if (p[i]) {
    q[i] = sub_group_non_uniform_reduce_add(1);
    return;
  }
  q[i] = 0;
}
