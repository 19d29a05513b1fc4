// Latest revised text, "The noconvergent Statement": "When two threads execute a statement marked noconvergent, it is implementation-defined
// whether they are converged at that execution"; and once they are, inside of it "the usual rules" determine the rest. The draft does not know the
// statement. Who writes it asks for it: nothing warns.
kernel void k(global int *p) {
  int t = get_local_id(0);
  p[t] = sub_group_reduce_add(1);  //~ defined
  __attribute__((noconvergent)) {  //~[tangles] defined //~[revised] implementation-defined //~[revised] rejoins: 16
    p[t] += sub_group_reduce_add(2);  //~ token: anchor //~[tangles] defined //~[revised] implementation-defined
    if (p[t] > 0) {  //~[tangles] defined //~[revised] implementation-defined
      p[t] += sub_group_reduce_add(3);  //~ token: anchor //~[tangles] defined //~[revised] implementation-defined
    }
    for (int i = 0; i < t; i++) {
      p[t] += sub_group_reduce_add(4);  //~ token: loop@12 //~[tangles] defined //~[revised] implementation-defined
    }
    p[t] += sub_group_reduce_add(5);  //~ token: anchor
  }
  p[t] += sub_group_reduce_add(6);  //~ token: entry //~ defined
}

// "… by the usual rules": a jump within the statement leaves open what such a jump leaves open.
kernel void jump_within(global int *p) {
  int t = get_local_id(0);
  __attribute__((noconvergent)) {
  again:
    p[t] += sub_group_reduce_add(1);  //~[tangles] defined //~[revised] warning[implementation-defined-convergence]
    if (p[t] < 9)
      goto again;
  }
  p[t] += sub_group_reduce_add(2);  //~[revised] defined
}

// The mark is no word of the language: what is called so has nothing to do with it.
int noconvergent(int noconvergent) { return noconvergent; }
kernel void named(global int *p) {
  int t = noconvergent(p[0]);
noconvergent:
  p[t] = sub_group_reduce_add(1);
}
