// A jump into a loop: irreducible in both models, so that they agree within the loop. Behind it only the draft of 2024 keeps
// the ways apart: no cycle holds what follows (docs/semantics.md §4a, 4d).
kernel void k(global int *data, int n) {
  int t = get_local_id(0), i = 0;
  if (data[t] > 0)
    goto inside;
  while (i < n) {
    data[t] += sub_group_reduce_add(1);  //~ warning[implementation-defined-convergence]@16
  inside:  //~ implementation-defined
    data[t] += sub_group_reduce_add(2);  //~ warning[implementation-defined-convergence]@16
    i++;
  }
  data[t] += sub_group_reduce_add(3);  //~[tangles] warning[implementation-defined-convergence]@14 //~[revised] defined
}
