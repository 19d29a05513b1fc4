// args: --rule implementation-defined-convergence=off
// Nobody falls in, or nothing convergent is reached before the end of the `switch`.

// Each `case` ends.
kernel void each_ends(global int *p, int n) {
  switch (n) {
  case 0:
    p[0] = 1;
    break;
  case 1:
    barrier(CLK_GLOBAL_MEM_FENCE);
    break;
  default:
    return;
  }
}

// By `return`, `continue` and `goto` as well.
kernel void ends_otherwise(global int *p, int n) {
  for (int i = 0; i < n; i++) {
    switch (p[i]) {
    case 0:
      p[i] = 1;
      continue;
    case 1:
      barrier(CLK_GLOBAL_MEM_FENCE);
      break;
    case 2:
      p[i] = 2;
      goto out;
    default:
      barrier(CLK_GLOBAL_MEM_FENCE);
    }
  }
out:
  p[0] = 0;
}

// Labels that stand together: nothing is between them that could keep threads apart.
kernel void stacked(global int *p, int n) {
  switch (n) {
  case 0:
  case 1:
  default:
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

// Nothing convergent behind the label.
kernel void nothing_convergent(global int *p, int n) {
  switch (n) {
  case 0:
    barrier(CLK_GLOBAL_MEM_FENCE);
  case 1:
    p[0] = 1;
    break;
  case 2:
    barrier(CLK_GLOBAL_MEM_FENCE);
    break;
  }
}

// The operation is behind the `switch`.
kernel void behind_switch(global int *p, int n) {
  switch (n) {
  case 0:
    p[0] = 1;
  case 1:
    p[0] += 2;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
}

// Both ways through the `case` end.
kernel void both_ways_end(global int *p, int n) {
  switch (n) {
  case 0:
    if (p[0])
      break;
    else
      return;
  case 1:
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

// An endless loop is not fallen out of.
kernel void endless(global int *p, int n) {
  switch (n) {
  case 0:
    for (;;)
      if (p[0]++ > 9)
        return;
  case 1:
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

// The first label: nobody can fall into it.
kernel void first(global int *p, int n) {
  switch (n) {
    p[0] = 1;
  case 0:
    barrier(CLK_GLOBAL_MEM_FENCE);
    break;
  case 1:
    p[1] = 1;
  }
}

// A fence is no convergent operation.
kernel void fence(global int *p, int n) {
  switch (n) {
  case 0:
    p[0] = 1;
  case 1:
    mem_fence(CLK_GLOBAL_MEM_FENCE);
  }
}
