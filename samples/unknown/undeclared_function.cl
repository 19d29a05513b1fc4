// A call of what nothing declares: a warning if its name is near a known one, or else one note for each name.

void helper_of_this_file(int);

kernel void near(global int *p) {
  int i = get_gloabl_id(0); //~ warning[undeclared-function]: did you mean `get_global_id`?
  barier(CLK_LOCAL_MEM_FENCE); //~ warning[undeclared-function]: did you mean `barrier`?
  helper_of_this_fil(i); //~ warning[undeclared-function]: did you mean `helper_of_this_file`?
}

// Relatives of builtins, and other styles, are what programs paste in when they run.
kernel void own(global int *p, int n) {
  p[0] = max3(n, n, n); //~ note[undeclared-function]: `max3`
  p[1] = AtomicAdd(p, n); //~ note[undeclared-function]: `AtomicAdd`
  p[2] = IS_NAN(n) + IS_NAN(n + 1); //~ note[undeclared-function]: `IS_NAN`
  my_barrier(); //~ note[undeclared-function]: `my_barrier`
}
