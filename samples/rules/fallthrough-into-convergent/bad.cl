// args: --rule implementation-defined-convergence=off
// A `case` that threads fall into, and jump to, and that runs a convergent operation: who takes part together is left open. Off by default.

// Behind a `case` without `break`.
kernel void into_barrier(global int *p, int n) {
  switch (n) {
  case 0:
    p[0] = 1;
  case 1:  //~ warning[fallthrough-into-convergent]: `barrier`
    barrier(CLK_GLOBAL_MEM_FENCE);
    break;
  }
}

// Into `default`.
kernel void into_default(global int *p, int n) {
  switch (n) {
  case 0:
    p[0] = 1;
  default:  //~ warning[fallthrough-into-convergent]: `default`
    p[1] = work_group_reduce_add(1);
  }
}

// The operation comes later, in the next `case` but one: each door counts.
kernel void later(global int *p, int n) {
  switch (n) {
  case 0:
    p[0] = 1;
  case 1:  //~ warning[fallthrough-into-convergent]
    p[0] += 2;
  case 2:  //~ warning[fallthrough-into-convergent]
    p[0] = sub_group_reduce_add(p[0]);
  }
}

// Only one way through the `case` falls.
kernel void one_way_falls(global int *p, int n) {
  switch (n) {
  case 0:
    if (p[0])
      break;
    p[0] = 1;
  case 1:  //~ warning[fallthrough-into-convergent]
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

// In a helper.
void sync(void) { barrier(CLK_GLOBAL_MEM_FENCE); }
kernel void helper(global int *p, int n) {
  switch (n) {
  case 0:
    p[0] = 1;
  case 1:  //~ warning[fallthrough-into-convergent]: `sync`
    sync();
    break;
  }
}

// In a branch or a loop inside of the `case`.
kernel void nested(global int *p, int n) {  // No execution shows it: nothing changes `p[1]` during the execution
  switch (n) {
  case 0:
    p[0] = 1;
  case 1:  //~ warning[fallthrough-into-convergent]
    for (int i = 0; i < n; i++) {
      if (p[1])
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    break;
  }
}

// Before the `break`, not behind it, and in an expression.
kernel void in_condition(global int *p, int n) {
  switch (n) {
  case 0:
    p[0] = 1;
  case 1:  //~ warning[fallthrough-into-convergent]: `work_group_any`
    if (work_group_any(p[get_local_id(0)]))
      p[1] = 1;
    break;
  }
}

// The operation is in the `case` that falls, too; what counts is that one is behind the label.
kernel void on_both_sides(global int *p, int n) {
  switch (n) {
  case 0:
    barrier(CLK_GLOBAL_MEM_FENCE);
  case 1:  //~ warning[fallthrough-into-convergent]
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

// Duff's device: what comes round in the loop falls in, too.
kernel void duff(global int *p, int n) {
  switch (n & 1) {
  case 0:
    do {
      barrier(CLK_GLOBAL_MEM_FENCE);
  case 1:  //~ warning[fallthrough-into-convergent]
      barrier(CLK_GLOBAL_MEM_FENCE);
    } while ((n -= 2) > 0);
  }
}
