// Three helpers deep there is a barrier. Each function that may come to it is convergent, so its call is a convergent
// operation (docs/semantics.md §6; the RFC of the `convergent` attribute). Inside the helpers nothing is in doubt.
static void innermost(local int *tile, int t) {
  tile[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
}
static void middle(local int *tile, int t) {
  innermost(tile, t);  //~ tangles: function-body //~ defined
}
static int outermost(local int *tile, int t) {
  middle(tile, t);  //~ defined
  return tile[t ^ 1];
}
static int bystander(local int *tile, int t) {
  return tile[t ^ 1];
}

kernel void k(global int *data, local int *tile) {  // No execution shows it: `outermost` returns 0
  int t = get_local_id(0);
  data[t] = outermost(tile, t);  //~ defined
  if (data[t] > 0)
    goto out;
  data[t] = outermost(tile, t);  //~ tangles: sequence //~ defined
out:  //~ implementation-defined
  data[t] += bystander(tile, t);  //~ implementation-defined
  data[t] += outermost(tile, t);  //~ warning[implementation-defined-convergence]@14: outermost
  middle(tile, t);  //~ warning[implementation-defined-convergence]@3: middle
}
