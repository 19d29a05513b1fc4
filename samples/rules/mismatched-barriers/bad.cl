// Work-items of one work-group wait at different barriers: each side of a divergent branch has its own. It is one mistake, told at the
// first barrier; `divergent-barrier` says nothing of these.

// The plain case.
kernel void both_sides(local int *x) {
  int t = get_local_id(0);
  if (t < 16) {
    x[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[mismatched-barriers]: different barriers
  } else {
    x[t] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// A barrier before the early return, for those who leave, and another for those who stay.
kernel void before_return(global int *p, local int *x, int n) {
  int i = get_global_id(0);
  if (i >= n) {
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[mismatched-barriers]
    return;
  }
  x[get_local_id(0)] = p[i];
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Different kinds of barriers.
kernel void kinds(local int *x) {
  if (get_local_id(0) & 1)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[mismatched-barriers]
  else
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
}

// Two against one.
kernel void two_and_one(local int *x) {
  int t = get_local_id(0);
  if (t < 16) {
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[mismatched-barriers]
    x[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
  } else {
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// Producers and consumers, as it is done with named barriers elsewhere.
kernel void producers_and_consumers(global int *p, local int *x, int n) {
  int t = get_local_id(0);
  if (t < 32) {
    for (int i = 0; i < n; i++) {
      x[t] = p[i * 32 + t];
      barrier(CLK_LOCAL_MEM_FENCE);  //~ error[mismatched-barriers]
    }
  } else {
    for (int i = 0; i < n; i++) {
      barrier(CLK_LOCAL_MEM_FENCE);
      p[i] += x[t - 32];
    }
  }
}

// The arms of a `switch`.
kernel void arms(local int *x) {
  switch (get_local_id(0) & 3) {
  case 0:
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[mismatched-barriers]
    break;
  case 1:
    x[1] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    break;
  default:
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// Both operands of `?:`.
kernel void operands(global int *p) {
  int i = get_local_id(0);
  p[i] = i < 4 ? work_group_reduce_add(p[i])  //~ error[mismatched-barriers]: wait at different barriers
               : work_group_reduce_max(p[i]);
}

// One side in a helper.
void sync(void) { barrier(CLK_LOCAL_MEM_FENCE); }
kernel void helper(local int *x) {
  if (get_local_id(0) < 16)
    sync();  //~ error[mismatched-barriers]
  else
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The same helper on both sides: the call is another, and so is the barrier.
kernel void same_helper(local int *x) {
  if (get_local_id(0) < 16) {
    x[0] = 1;
    sync();  //~ error[mismatched-barriers]
  } else {
    sync();
  }
}

// `continue` with a barrier of its own.
kernel void before_continue(global int *p, int n) {
  for (int i = 0; i < n; i++) {
    if (p[get_global_id(0) + i] == 0) {
      barrier(CLK_GLOBAL_MEM_FENCE);  //~ error[mismatched-barriers]
      continue;
    }
    p[get_global_id(0) + i] = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}
