// The same convergent call on both sides of a divergent branch. Each runs with the threads of its side. A compiler that takes both for one
// runs it with all, and gives other results; who wrote it may have thought of either.

// The plain case.
kernel void both_sides(global int *p) {
  int i = get_global_id(0), sum;
  if (p[i] > 0)
    sum = sub_group_non_uniform_reduce_add(p[i]);  //~ note[merged-convergent-branches]: sub_group_non_uniform_reduce_add
  else
    sum = sub_group_non_uniform_reduce_add(p[i]);
  p[i] = sum;
}

// With other arguments: a compiler chooses the argument and calls once.
kernel void other_arguments(global int *p) {
  int i = get_global_id(0), sum;
  if (p[i] > 0)
    sum = sub_group_non_uniform_reduce_add(p[i]);  //~ note[merged-convergent-branches]
  else
    sum = sub_group_non_uniform_reduce_add(-p[i]);
  p[i] = sum;
}

// With other code before it.
kernel void behind_other_code(global int *p) {
  int i = get_global_id(0);
  if (p[i] > 0) {
    p[i]--;
    p[i] = sub_group_ballot_bit_count(sub_group_ballot(1));  //~ note[merged-convergent-branches]: sub_group_ballot
  } else {
    p[i]++;
    p[i] = sub_group_ballot_bit_count(sub_group_ballot(1));
  }
}

// The operands of `?:`.
kernel void operands(global int *p) {
  int i = get_global_id(0);
  p[i] = p[i] > 0 ? sub_group_broadcast_first(p[i])  //~ note[merged-convergent-branches]: sub_group_broadcast_first
                  : sub_group_broadcast_first(-p[i]);
}

// Two arms of a `switch`.
kernel void arms(global int *p) {
  int i = get_global_id(0);
  switch (p[i]) {
  case 0:
    p[i] = sub_group_non_uniform_reduce_max(i);  //~ note[merged-convergent-branches]
    break;
  case 1:
    p[i] = sub_group_non_uniform_reduce_max(i);
    break;
  }
}

// A helper that is convergent.
int here(void) { return sub_group_non_uniform_reduce_add(1); }
kernel void helper(global int *p) {
  int i = get_global_id(0);
  if (p[i] > 0)
    p[i] = here();  //~ note[merged-convergent-branches]: `here`
  else
    p[i] = -here();
}

// The election, on each side one.
kernel void elections(global int *p, volatile global int *count) {
  if (p[get_global_id(0)] > 0) {
    if (sub_group_elect())  //~ note[merged-convergent-branches]: sub_group_elect
      atomic_inc(&count[0]);
  } else {
    if (sub_group_elect())
      atomic_inc(&count[1]);
  }
}

// An `else if` with the same call.
kernel void chain(global int *p) {
  int i = get_global_id(0);
  if (p[i] > 8)
    p[i] = sub_group_non_uniform_reduce_add(1);  //~ note[merged-convergent-branches]
  else if (p[i] > 4)
    p[i] = sub_group_non_uniform_reduce_add(1);
}

// Before an early return, and behind it.
kernel void early_return(global int *p) {
  int i = get_global_id(0);
  if (p[i] > 8) {
    p[i] = sub_group_non_uniform_reduce_add(1);  //~ note[merged-convergent-branches]
    return;
  }
  p[i] = sub_group_non_uniform_reduce_add(1);
}
