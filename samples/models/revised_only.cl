// model: revised
// A file can ask for the revision alone. A span is the source between label and jump, both included, and nothing else.
kernel void k(global uint *out) {
  int t = get_local_id(0), i = 0;
  out[t] += sub_group_ballot(1).x;  //~ defined
again:  //~ implementation-defined
  out[t] += sub_group_ballot(2).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
  if (++i < t) {  //~ implementation-defined
    out[t] += sub_group_ballot(3).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot
    goto again;  //~ implementation-defined
  }
  out[t] += sub_group_ballot(4).x;  //~ defined
}
