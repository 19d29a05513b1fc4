// All of the sub-group come, or the operation is made for those who come.

// Behind the branch.
kernel void behind_if(global int *p) {
  int i = get_global_id(0), own = 0;
  if (p[i] > 0)
    own = p[i];
  p[i] = sub_group_reduce_add(own);
}

// Which sub-group it is, is the same for all in it.
kernel void by_sub_group(global int *p, local int *x) {
  int i = get_global_id(0);
  if (get_sub_group_id() == 0)
    x[get_sub_group_local_id()] = sub_group_reduce_add(p[i]);
}

// A vote decides for all in the sub-group.
kernel void voted(global int *p) {
  int i = get_global_id(0);
  if (sub_group_any(p[i] > 0))
    p[i] = sub_group_reduce_add(p[i]);
}

// The padded loop.
kernel void padded(global int *p, int n) {
  int sum = 0;
  for (int base = get_group_id(0) * get_local_size(0); base < n; base += get_global_size(0)) {
    int i = base + get_local_id(0);
    sum += sub_group_reduce_add(i < n ? p[i] : 0);
  }
  p[get_global_id(0)] = sum;
}

// The operations for any part of a sub-group.
kernel void for_some(global int *p) {
  int i = get_global_id(0);
  if (p[i] > 0) {
    p[i] = sub_group_non_uniform_reduce_add(p[i]);
    if (sub_group_elect())
      p[0] = sub_group_non_uniform_all(p[i] > 3);
  }
}

// Ballot and the first one's value are defined for those who come, too.
kernel void ballot(global int *p) {
  int i = get_global_id(0);
  if (p[i] > 0) {
    uint4 here = sub_group_ballot(1);
    p[i] = sub_group_broadcast_first(p[i]) + sub_group_ballot_bit_count(here);
  }
}

// The result of a reduction of the work-group.
kernel void reduced(global int *p) {
  int i = get_global_id(0);
  int steps = work_group_reduce_max(p[i]);
  for (int s = 0; s < steps; s++)
    p[i] += sub_group_shuffle_xor(p[i], 1);
}

// A tree of shuffles in a loop of all.
kernel void tree(global int *p) {
  int sum = p[get_global_id(0)];
  for (int s = get_max_sub_group_size() / 2; s > 0; s /= 2)
    sum += sub_group_shuffle_down(sum, s);
  if (get_sub_group_local_id() == 0)
    p[get_group_id(0)] = sum;
}

// The work-group branches as a whole.
kernel void by_group(global int *p) {
  int i = get_global_id(0);
  if (get_group_id(0) & 1)
    p[i] = sub_group_scan_exclusive_add(p[i]);
}

// What the broadcast gave is the same in the sub-group.
kernel void broadcast(global int *p) {
  int i = get_global_id(0);
  int steps = sub_group_broadcast(p[i], 0);
  while (steps-- > 0)
    p[i] = sub_group_scan_inclusive_add(p[i]);
}
