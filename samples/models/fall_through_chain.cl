// A chain of fall-throughs. In the draft of 2024 each label adds a way; in the revision each label reconverges
// (docs/semantics.md §4c). After a `break` a label stands alone in both.
kernel void k(global int *data) {
  int t = get_local_id(0);
  switch (data[t]) {
  case 3:  //~[tangles] tangles: case-label //~ defined
    data[t] += sub_group_reduce_add(3);  //~ defined
  case 2:  //~[tangles] tangles: case-label, case-label //~[tangles] implementation-defined //~[revised] defined
    data[t] += sub_group_reduce_add(2);  //~[tangles] warning[implementation-defined-convergence]@16 //~[revised] defined
  case 1:  //~[tangles] tangles: case-label, case-label, case-label //~[revised] defined
    data[t] += sub_group_reduce_add(1);  //~[tangles] warning[implementation-defined-convergence]@16 //~[revised] defined
    break;
  default:  //~[tangles] tangles: case-label //~ defined
    data[t] += sub_group_reduce_add(0);  //~ defined
  }
  data[t] += sub_group_reduce_add(4);  //~ defined
}
