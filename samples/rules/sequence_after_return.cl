// Rule sequence: after a statement that some threads leave by `return`, a new tangle begins; each such statement begins one.
kernel void k(global uint *out, int n) {
  int t = get_local_id(0);  //~ tangles: function-body
  if (t >= n)  //~ tangles: function-body
    return;  //~ tangles: if-branch
  out[t] = sub_group_ballot(1).x;  //~ tangles: sequence //~ defined
  if (t & 1) {  //~ tangles: sequence
    if (t & 2)  //~ tangles: if-branch
      return;  //~ tangles: if-branch
    out[t] += sub_group_ballot(1).x;  //~ tangles: sequence //~ defined
  }
  out[t] += sub_group_ballot(1).x;  //~ tangles: sequence //~ defined
}
