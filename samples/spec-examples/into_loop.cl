// Third example of the section Examples: a `goto` into the body of a loop. Two sequences of tangles run through the loop,
// one from each entry, so every statement of the cycle has both ("Maximal Convergence": "operations in this cycle have two
// unrelated tangles"), also the one before the label, which the jump reaches in its next iteration.
kernel void foo(global uint *out) {
  int t = get_local_id(0), i = 0;
  if (t & 1) {
    out[t] = 2;  //~ tangles: if-branch
    goto Target2;
  }
  for (; i < 4; ++i) {  //~ tangles: sequence //~ defined
    out[t] += 1;  //~ implementation-defined
  Target2:  //~ implementation-defined
    out[t] += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 16
  }
  out[t] += 1;  //~ implementation-defined //~ rejoins: 16
}
