// A function returns a record: each field of the result has its own contents.
struct numbers {
  int of_launch;
  int of_thread;
};

struct numbers both(int n) {
  struct numbers p;
  p.of_launch = n;
  p.of_thread = get_local_id(0);
  return p;
}

kernel void first_field(int n) {
  if (both(n).of_launch > 3)
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void second_field(int n) {
  if (both(n).of_thread > 3)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void in_a_variable(int n) {
  struct numbers p = both(n);
  if (p.of_launch > 3)
    barrier(CLK_LOCAL_MEM_FENCE);
  if (p.of_thread > 3)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

struct numbers of_arguments(int a, int b) {
  struct numbers p = {a, b};
  return p;
}

kernel void from_arguments(int n) {
  struct numbers p = of_arguments(n, get_local_id(0));
  if (p.of_launch > 3)
    barrier(CLK_LOCAL_MEM_FENCE);
  if (p.of_thread > 3)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

struct numbers one_of_two(int n) {
  struct numbers p = {n, n};
  struct numbers q = {n, get_local_id(0)};
  if (n > 5)
    return q;
  return p;
}

kernel void from_one_of_two_returns(int n) {
  struct numbers p = one_of_two(n);
  if (p.of_launch > 3)
    barrier(CLK_LOCAL_MEM_FENCE);
  if (p.of_thread > 3)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void in_a_loop(int n) {
  struct numbers p = of_arguments(n, n);
  for (int i = 0; i < n; i++) {
    if (p.of_thread > 3)
      barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
    p = of_arguments(i, p.of_launch + get_local_id(0));
  }
}
