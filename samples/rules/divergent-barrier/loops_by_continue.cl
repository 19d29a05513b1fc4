// Loops that threads continue at different places: what the ways back bring differs, or what the ways into the loop bring.

kernel void another_step(global int *p, int n) {
  int i = 0;
  while (i < n) {
    barrier(CLK_GLOBAL_MEM_FENCE); //~ error[divergent-barrier]
    if (get_local_id(0) == 3) {
      i += 2;
      continue;
    }
    i++;
  }
}

kernel void another_step_behind_a_pointer(global int *p, int n) {
  int i = 0;
  int *count = &i;
  while (*count < n) {
    barrier(CLK_GLOBAL_MEM_FENCE); //~ error[divergent-barrier]
    if (p[get_global_id(0)] < 0) {
      *count = n;
      continue;
    }
    *count += 1;
  }
}

// In the next round of the outer loop, those who left by `break` have another `i`.
kernel void left_by_some(global int *p, int n) {
  int i = 0;
  for (int round = 0; round < n; ++round) {
    while (n > i++) {
      barrier(CLK_GLOBAL_MEM_FENCE); //~ error[divergent-barrier]
      if (get_local_id(0) == 3)
        break;
    }
  }
}

kernel void entered_by_some(global int *p, int n) {
  int i = 0;
  if (get_local_id(0) > 7)
    i = 64;
  while (n > i++) {
    barrier(CLK_GLOBAL_MEM_FENCE); //~ error[divergent-barrier]
    if (p[0] < 5)
      continue;
    p[get_global_id(0)] = i;
  }
}

// Two labels into one cycle: no way into it is the header for all.
kernel void entered_in_the_middle(global int *p, int n) {
  int i = 0;
  if (p[0] > 3) goto middle;
again:
  i++;
  if (get_local_id(0) & 1)
    goto again;
middle:
  barrier(CLK_GLOBAL_MEM_FENCE); //~ error[divergent-barrier]
  i++;
  if (i < n)
    goto again;
}
