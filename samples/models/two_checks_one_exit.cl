// Two forward jumps to a common exit. The draft of 2024 keeps the three ways apart to the end of the body; the revision
// lets them reconverge at the label, since no loop is entered (docs/semantics.md §4c).
kernel void k(global int *data, int n) {
  int i = get_global_id(0);
  if (i >= n)
    goto done;
  data[i] += sub_group_reduce_add(1);  //~ defined
  if (data[i] < 0)
    goto done;
  data[i] += sub_group_reduce_add(2);  //~ defined
done:  //~[tangles] implementation-defined //~[revised] defined
  data[i] += sub_group_reduce_add(3);  //~[tangles] warning[implementation-defined-convergence]@14: goto done //~[revised] defined
}
