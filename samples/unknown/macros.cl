// Words that only a macro explains are read as what they must stand for: statements, loops, further arguments, names (docs/semantics.md §9).

kernel void statements(int n) {
  LOAD //~ note[unknown-name]: `LOAD`
  if (get_local_id(0) < n)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
  UNROLL(4) //~ note[undeclared-function]: `UNROLL`
  for (int i = 0; i < n; i++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    STEP(i) //~ note[undeclared-function]: `STEP`
  }
  STEP(n)
  barrier(CLK_LOCAL_MEM_FENCE);
  if (n > 3)
    LOAD
  else
    barrier(CLK_LOCAL_MEM_FENCE);
  LOAD
}

kernel void loops(int n) {
  unroll_for (int i = 0; i < n; i++) //~ note[unknown-type]: undeclared name `unroll_for` is read as `for`
    barrier(CLK_LOCAL_MEM_FENCE);
  unroll_for (int i = 0; i < get_local_id(0); i++)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
  FOREACH(i, n) { //~ note[undeclared-function]: `FOREACH` //~ note[unknown-name]: `i`
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// What is passed is known up to the macro.
static int chosen(const event_kind kind, int n MORE_PARAMETERS) { //~ note[unknown-type]: `event_kind` //~ note[unknown-type]: `MORE_PARAMETERS`
  if (kind > 3)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `kind` (from `get_local_id(0)` in `arguments`)
  if (n > 3)
    barrier(CLK_LOCAL_MEM_FENCE);
  return n;
}

kernel void arguments(int n) {
  chosen(get_local_id(0), n MORE_ARGUMENTS); //~ note[unknown-name]: `MORE_ARGUMENTS`
  chosen(n MORE_ARGUMENTS);
}

ATTRIBUTES //~ note[unknown-type]: undeclared name `ATTRIBUTES` is ignored
kernel void NAME(softmax, float)(int n) { //~ note[unknown-type]: undeclared name `NAME` is read as a macro that forms the name
  if (get_local_id(0) < n)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void NAME(softmax, double)(int n) {
  barrier(CLK_LOCAL_MEM_FENCE);
}

DECLARE(relu)(int n) { //~ note[unknown-type]: `DECLARE`
  if (get_local_id(0) < n)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

// Pointers may lead somewhere, if a word that nothing declares says so.
void HIDDEN wait(const int n) { //~ note[unknown-type]: `HIDDEN`
  if (n > 4)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `n`
}

kernel void spaces(CONSTANT const int *p) { //~ note[unknown-type]: `CONSTANT`
  wait(p[0]);
  wait(get_local_id(0));
}
