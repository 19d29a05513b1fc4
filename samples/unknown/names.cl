// A name that nothing declares: one that is only read is a constant of the build, one that is assigned is a variable of the thread (docs/semantics.md §9).

kernel void read_only(int n) {
  if (SIZE > 4) //~ note[unknown-name]: `SIZE`
    barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < SIZE * n; i += WIDTH) //~ note[unknown-name]: `WIDTH`
    barrier(CLK_LOCAL_MEM_FENCE);
  if (USE_LOCAL && n) //~ note[unknown-name]: `USE_LOCAL`
    barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) < SIZE)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void assigned(int n) {
  row = n; //~ note[unknown-name]: `row`
  if (row < 4)
    barrier(CLK_LOCAL_MEM_FENCE);
  column = get_local_id(0); //~ note[unknown-name]: `column`
  if (column < 4)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `column` (from `get_local_id(0)`)
}

// What it holds at first is the thread's own.
kernel void stepped(int n) {
  count++; //~ note[unknown-name]: `count`
  if (count == n)
    barrier(CLK_LOCAL_MEM_FENCE); //~ warning[divergent-barrier]: `count`
}

kernel void cases(int n) {
  switch (n) {
  case FIRST: //~ note[unknown-name]: `FIRST`
    barrier(CLK_LOCAL_MEM_FENCE);
    break;
  case SECOND: //~ note[unknown-name]: `SECOND`
    break;
  }
  switch (get_local_id(0)) {
  case FIRST:
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
    break;
  }
}

// What `&&` makes of it is a `bool` that becomes an `int` again, and meets one.
kernel void both(int n) {
  int found = 0;
  if (get_group_id(0) > 1)
    found = n && SIZE;
  if (found)
    barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) > 1)
    found = n && SIZE;
  if (found)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `found`
}
