// A jump and its label inside one statement expression: the compound in it holds both, so outside of it nothing is in doubt.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  int a = ({  //~ tangles: function-body //~ defined
    int r = 0;
    if (t & 1)
      goto skip;
    r = 1;
  skip:  //~ implementation-defined
    r += sub_group_ballot(1).x;  //~ warning[implementation-defined-convergence]: sub_group_ballot //~ rejoins: 12
    r;
  });
  out[t] = sub_group_ballot(a > 1).x;  //~ defined
}
