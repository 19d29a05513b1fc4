// Rules case-label and sequence: a `case` that ends in `return` does not reach the next one, and what follows the `switch` is
// a new tangle, since some threads are gone.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  switch (t & 3) {
  case 0:
    out[t] = 7;
    return;
  case 1:  //~ tangles: case-label //~ defined
    out[t] = sub_group_ballot(2).x;  //~ tangles: case-label //~ defined
  }
  out[t] += sub_group_ballot(4).x;  //~ tangles: sequence //~ defined
}
