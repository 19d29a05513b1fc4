// A statement that is not understood is taken to run on; the function around it is looked at.

kernel void broken(int n) {
  int lid = get_local_id(0);
  lid n; //~ error[syntax-error]
  if (lid < n)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `lid`
}

// Inline assembly: what it writes is as divergent as what it reads; without inputs it may ask which lane it runs on.
kernel void assembly(int n) {  // No execution shows it: what the assembly yields is undefined
  int sum, lane;
  __asm__("add %0, %1, 1;" : "=r"(sum) : "r"(n));
  if (sum)
    barrier(CLK_LOCAL_MEM_FENCE);
  __asm__("mov %0, %%laneid;" : "=r"(lane));
  if (lane)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: from `"mov %0, %%laneid;"`
}

// The name of a member is not that of the variable.
struct lanes {
  int lane;
};

kernel void member(global const struct lanes *of) {  // No execution shows it: what the assembly yields is undefined
  int lane = get_local_id(0), sum;
  __asm__("add %0, %1, 1;" : "=r"(sum) : "r"(of->lane));
  if (sum)
    barrier(CLK_LOCAL_MEM_FENCE);
  if (lane)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `lane`
}

// A record with a member that it has not, and a call with too few arguments, are errors; what follows is looked at.
struct pair {
  int first;
};

int twice(int a, int b) { return a; }

kernel void mistakes(struct pair given, int n) {
  if (given.second) //~ error[type-error]: no member `second`
    barrier(CLK_LOCAL_MEM_FENCE);
  if (twice(n)) //~ error[type-error]: `twice` takes 2 arguments
    barrier(CLK_LOCAL_MEM_FENCE);
  if (twice(get_local_id(0))) //~ error[type-error]: `twice` takes 2 arguments
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}
