// Loops that threads leave at different iterations, "Divergent Loop Exits" of the revision: who leaves by `break` is converged with the others behind the
// loop, "but not at the respective execution of C in different iterations"; and so it is with an exit by `goto` to what follows the loop. Only the draft
// makes a family of the latter.
kernel void k(global int *p, int n) {
  int t = get_local_id(0);  // No execution shows it: with numbers that are not negative, all leave at once
  for (int i = 0; i < n; i++) {
    p[t] += sub_group_reduce_add(1);  //~ token: loop@6 //~ defined
    if (p[t] > i) {
      p[t] += sub_group_reduce_add(2);  //~ token: loop@6 //~ defined
      break;
    }
    if (p[t] < -i) {
      p[t] += sub_group_reduce_add(3);  //~ token: loop@6 //~ defined
      goto out;
    }
  }
  p[t] += sub_group_reduce_add(4);  //~ defined
out:
  p[t] += sub_group_reduce_add(5);  //~ token: entry //~[tangles] warning[implementation-defined-convergence] //~[revised] defined
}
