// Of a function without a body only its prototype can tell. With `convergent` its call counts as an operation, with
// `noconvergent` or with nothing said it does not (docs/semantics.md §6).
__attribute__((convergent)) int vote_here(int value);
int vote_there(int value) __attribute__((convergent));
__attribute__((noconvergent)) float curve(float x);
float line(float x);

kernel void k(global int *data, global float *out) {
  int t = get_local_id(0);
  if (data[t] < 0)
    goto out;
  out[t] = vote_here(t);  //~ tangles: sequence //~ defined
out:  //~ implementation-defined
  out[t] += curve(1.0f);  //~ implementation-defined
  out[t] += line(1.0f);  //~ implementation-defined
  out[t] += vote_here(t);  //~ warning[implementation-defined-convergence]@13: vote_here
  out[t] += vote_there(t);  //~ warning[implementation-defined-convergence]@13: vote_there
}
