// A call of what nothing defines, declared or not: its result, and what it writes through pointers, differ where its arguments do (docs/semantics.md §9).

int declared(int);
int nothing_told(void);
void fill(global int *p, int value);

kernel void results(int n) {
  int lid = get_local_id(0);
  if (undeclared(n)) //~ note[undeclared-function]: `undeclared`
    barrier(CLK_LOCAL_MEM_FENCE);
  if (declared(n))
    barrier(CLK_LOCAL_MEM_FENCE);
  if (undeclared(n + lid))
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `lid`
  if (declared(lid))
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `lid`
}

// What gets no more than constants may ask who it is.
kernel void no_arguments(int n) {
  if (nothing_told())
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `nothing_told()`
  if (which_id(0)) //~ note[undeclared-function]: `which_id`
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `which_id(0)`
}

kernel void through_pointers(int n) {
  int lid = get_local_id(0);
  int same = 0, own = 0, id;
  store(&same, n); //~ note[undeclared-function]: `store`
  if (same)
    barrier(CLK_LOCAL_MEM_FENCE);
  store(&own, lid);
  if (own)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `own` (from `get_local_id(0)`)
  ask(&id); //~ note[undeclared-function]: `ask`
  if (id)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]
}

// It changes no more than what it gets.
kernel void other_memory(global const int *table, global int *out, int n) {
  fill(out, n);
  undeclared(n);
  if (table[n])
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Nobody else stops for it: the rest of the function is looked at.
kernel void goes_on(int n) {
  undeclared(n);
  if (get_local_id(0) < n)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

// Which of the overloads is meant, types do not tell: any of them.
__attribute__((overloadable)) int pick(int a, int b) { return a; }
__attribute__((overloadable)) int pick(float a, int b) { return b; }

kernel void any_overload(int n) {
  int lid = get_local_id(0);
  if (pick(SCALE, n)) //~ note[unknown-name]: `SCALE`
    barrier(CLK_LOCAL_MEM_FENCE);
  if (pick(SCALE, lid))
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `lid`
}
