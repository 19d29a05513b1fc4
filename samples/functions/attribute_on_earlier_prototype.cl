// The attribute of a prototype holds for the definition that follows, although its body has no operation.
__attribute__((convergent)) void marked(global int *data);

void marked(global int *data) {
  data[0] = 1;
}

kernel void k(global int *data) {
  int t = get_local_id(0);
again:
  data[t]--;
  marked(data);  //~ defined
  if (data[t] > 0)
    goto again;
  marked(data);  //~ warning[implementation-defined-convergence]@3: marked
}
