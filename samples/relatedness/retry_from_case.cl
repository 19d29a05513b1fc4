// A backward `goto` out of a `switch`: all its threads passed the label before, so it is the label's next iteration. What
// follows the `goto` is reached on any iteration, by running on or through another `case`: a family.
kernel void k(global int *p) {
  int t = get_local_id(0);
again:  //~ tangles: function-body //~ defined
  p[t] += sub_group_ballot(1).x;
  switch (p[t] & 3) {  //~ tangles: function-body //~ defined
  case 0:  //~ tangles: case-label //~ defined
    p[t] += sub_group_ballot(2).x;
    goto again;
  case 1:  //~ tangles: case-label* //~ implementation-defined //~ rejoins: 18
    p[t] = 1;
    break;
  default:  //~ tangles: case-label* //~ implementation-defined //~ rejoins: 18
    p[t] = 2;
  }
  p[t] += sub_group_ballot(3).x;  //~ tangles: sequence* //~ implementation-defined //~ rejoins: 18 //~ warning[implementation-defined-convergence]: goto again
}
