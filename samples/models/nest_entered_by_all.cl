// A nest of loops that a `goto` enters which all take. To the revision "an iteration statement is reducible if and only if for every label inside, every
// goto or switch that transfers control to it is also inside": who takes the jump does not matter, so that convergence in both loops is
// implementation-defined. But as no thread comes without the jump, all threads of a group come together; nothing warns of it where the jump is uniform.
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
