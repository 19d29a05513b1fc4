// No `goto` and no fall-through: whatever loops, branches, `break`, `continue` and `return` do, both models call it defined.
kernel void k(global int *data, int n) {
  int t = get_local_id(0);
  if (t >= n)
    return;
  for (int i = 0; i < n; i++) {  //~ defined
    if (data[i] == t)
      continue;
    data[t] += sub_group_reduce_add(1);  //~ defined
    switch (data[i]) {
    case 0:
      data[t] += sub_group_reduce_add(2);  //~ defined
      break;
    case 1:
      return;
    }
    do {
      data[t] += sub_group_reduce_add(3);  //~ defined
      if (data[t] > 100)
        break;
    } while (data[t] > 0);
    if (data[t] == 7)
      break;
  }
  data[t] += sub_group_reduce_add(4);  //~ defined
}
