// A loop and a goto cycle that overlap: the way back leads from behind the loop into it. In the revision the doubt about
// the label lasts to the end of whichever ends later: the statement with the `goto`.
kernel void k(global int *p) {
  int c = p[0], d = p[1];
  while (c) {
  in:
    barrier(1);  //~[revised] implementation-defined //~[revised] rejoins: 11 //~ warning[implementation-defined-convergence]: `barrier`
    break;
  }
  p[2] = 1;  //~[revised] implementation-defined
  if (d--) goto in;
  barrier(1);  //~[revised] defined //~[tangles] warning[implementation-defined-convergence]: `barrier`
}
