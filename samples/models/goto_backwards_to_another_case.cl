// "A goto in a switch statement that jumps backwards to a case that is not a fall-through": the revision takes the statements between for a cycle by their
// order in the source, although no thread goes round (docs/semantics.md §4b). To the draft it is a jump like any other.
kernel void k(global int *p, int n) {
  int t = get_local_id(0);
  switch (p[t]) {
  case 1:
    p[t] += sub_group_reduce_add(1);  //~ defined
  label:  //~ implementation-defined
    p[t] += sub_group_reduce_add(2);  //~ warning[implementation-defined-convergence]
    break;
  case 2:
    p[t] += sub_group_reduce_add(3);  //~[tangles] defined //~[revised] warning[implementation-defined-convergence]
    goto label;
  case 3:
    p[t] += sub_group_reduce_add(4);  //~ defined
  }
  p[t] += sub_group_reduce_add(5);  //~ defined
}
