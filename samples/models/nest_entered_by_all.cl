// A nest of loops that a `goto` enters which all take. To the revision "an iteration statement is reducible if and only if for every label inside, every
// goto or switch that transfers control to it is also inside": who takes the jump does not matter, so that convergence in both loops is
// implementation-defined. Nothing warns of it where threads cannot tell: all take the jump, and all stay for as many iterations.
kernel void k(global int *p, int n) {
  int t = get_local_id(0), i = 0, j = 0;
  goto inside;
  while (i < n) {
    for (j = 0; j < n; j++) {  //~[revised] implementation-defined
    inside:  //~[revised] implementation-defined
      p[t] += sub_group_reduce_add(1);
    }
    i++;  //~[revised] implementation-defined
  }
  p[t] += sub_group_reduce_add(2);  //~ defined
}

// Here threads leave the loops at different iterations. Whether those who go on meet again in the next round of the outer loop, or only behind it, the revision
// leaves open for a loop that is not reducible; to the draft it is one tangle that goes round.
kernel void apart(global int *p, int n) {
  int t = get_local_id(0), i = 0, j = 0;
  goto inside;
  while (i < n) {
    for (j = 0; j < t; j++) {
    inside:
      p[t] += sub_group_reduce_add(1);  //~[tangles] defined //~[revised] warning[implementation-defined-convergence]: goto inside
    }
    i++;
  }
  p[t] += sub_group_reduce_add(2);  //~ defined
}
