// A `goto` in the else-branch that leads back into the then-branch. No thread comes from the label to the jump, but the revision asks for
// the order in the source alone: it names this pattern among those that it takes for a cycle (docs/semantics.md §4b). To the draft it is a jump like
// any other.
kernel void k(global int *p) {
  int t = get_local_id(0);
  if (p[t] > 0) {
    p[t] += sub_group_reduce_add(1);  //~ defined
  label:  //~ implementation-defined
    p[t] += sub_group_reduce_add(2);  //~ warning[implementation-defined-convergence]: sub_group_reduce_add
  } else {
    p[t] += sub_group_reduce_add(3);  //~[tangles] defined //~[revised] warning[implementation-defined-convergence]: sub_group_reduce_add
    goto label;
  }
  p[t] += sub_group_reduce_add(4);  //~ defined
}
