// The branch and the barrier are in different functions. The finding stands where the branch is: at the call of the function
// that holds the barrier, or at the barrier in a function whose parameter decides.

void sync(void) { barrier(CLK_LOCAL_MEM_FENCE); }
void sync_twice(void) { sync(); sync(); }

// A helper is called under a condition.
kernel void helper_in_branch(local int *x) {
  if (get_local_id(0) < 16)
    sync();  //~ error[divergent-barrier]: `sync`
}

// Two functions down.
kernel void helper_of_helper(local int *x) {
  if (get_local_id(0) < 16)
    sync_twice();  //~ error[divergent-barrier]: `sync_twice`
}

// The result of a helper decides.
int own_row(int width) { return get_global_id(0) / width; }
kernel void helper_result(int width) {
  if (own_row(width) == 0)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_global_id(0)`
}

// The result of a helper follows its argument.
int half_of(int x) { return x / 2; }
kernel void helper_passes_on(int width) {
  if (half_of(get_local_id(0)) == 0)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

// A parameter decides, and this kernel gives each work-item another.
void sync_if(int wanted) {
  if (wanted)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `wanted`
}
kernel void parameter_decides(local int *x) { sync_if(get_local_id(0) & 1); }

// A helper returns early for some.
void step(local int *x, int i, int n) {
  if (i >= n)
    return;
  x[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `i`
}
kernel void helper_returns(local int *x, int n) { step(x, get_local_id(0), n); }

// The result comes back through a pointer.
void own_id(int *to) { *to = get_local_id(0); }
kernel void result_through_pointer(local int *x) {
  int id;
  own_id(&id);
  if (id == 0)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
}

// The helper calls itself.
void again(int left) {
  if (left == 0)
    return;
  barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `left`
  again(left - 1);               //~ error[divergent-barrier]: `again`
}
kernel void recursion(local int *x) { again(get_local_id(0)); }

// A helper in an operand.
int by_name(local int *x) {
  barrier(CLK_LOCAL_MEM_FENCE);
  return x[0];
}
kernel void helper_in_operand(local int *x) {
  x[1] = get_local_id(0) == 0 ? by_name(x) : 0;  //~ error[divergent-barrier]: `by_name`
}
