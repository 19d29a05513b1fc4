// A jump out of the inner loop to the end of the round of the outer one. It is a family for the rounds of the inner loop,
// up to the end of the body of the outer loop; behind the outer loop all is well (docs/semantics.md §3.1, 3.2).
kernel void rows(global const int *grid, global int *out, int n) {
  int t = get_local_id(0), sum = 0;
  for (int y = 0; y < n; y++) {
    for (int x = 0; x < n; x++) {  //~ tangles: loop-body
      if (grid[(y * n + x) ^ t] == 0)
        goto next_row;
      sum += sub_group_reduce_add(1);  //~ tangles: sequence //~ defined
    }
    sum += sub_group_reduce_add(2);  //~ tangles: sequence //~ defined
  next_row:  //~ tangles: sequence, goto-label*[forward] //~ implementation-defined //~ rejoins: 14
    sum += sub_group_reduce_add(3);  //~ warning[implementation-defined-convergence]@12: goto next_row
  }
  out[t] = sub_group_reduce_add(sum);  //~ tangles: function-body //~ defined
}
