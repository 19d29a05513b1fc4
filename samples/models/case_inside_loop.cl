// A `case` in a `while`: the loop is irreducible under both models. The `case` after it, reached by fall-through and by its
// label, is one place in the revision.
kernel void k(global int *data, int n) {
  int t = get_local_id(0), i = 0;
  switch (data[t]) {
  case 0:
    data[t] = sub_group_reduce_add(1);  //~ defined
    while (i < n) {
      i += sub_group_reduce_add(2);  //~ warning[implementation-defined-convergence]@12
  case 1:  //~ implementation-defined
      i += sub_group_reduce_add(3);  //~ warning[implementation-defined-convergence]@12
    }
  case 2:  //~[tangles] implementation-defined //~[revised] defined
    data[t] = sub_group_reduce_add(4);  //~[tangles] warning[implementation-defined-convergence]@15 //~[revised] defined
  }
  data[t] = sub_group_reduce_add(5);  //~ defined
}
