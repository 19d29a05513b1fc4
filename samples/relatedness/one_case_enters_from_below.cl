// As `two_cases_enter_from_below.cl` with one `case`: who comes back to the label derives from those who left it, so both are related
// (docs/semantics.md §3.3).
kernel void k(global int *p, int n) {
  int t = get_local_id(0);
  goto again;
  while (p[t] < n) {
    switch (p[t] % 3) {
      switch (n) {
      again:  //~ defined
        p[t] += sub_group_reduce_add(1);  //~ defined
        continue;
      }
    case 1:  //~ defined
      p[t] = 1;  //~ defined
      goto again;  //~ defined
    }
  }
}
