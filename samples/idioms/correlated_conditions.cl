// Two branches on one condition: inside the second, only one way through the first is possible.
kernel void set_where_it_is_used(int n) {
  int x = get_local_id(0);
  if (n > 4)
    x = 0;
  if (n > 4) {
    if (x == 0)
      barrier(CLK_LOCAL_MEM_FENCE);
  }
}

kernel void set_in_the_other_case(int n) {
  int x = get_local_id(0);
  if (n > 4)
    x = 0;
  if (!(n > 4)) {
    if (x == 0)
      barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
  }
}

kernel void another_condition(int n) {
  int x = get_local_id(0);
  if (n > 4)
    x = 0;
  if (n > 3) {
    if (x == 0)
      barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
  }
}

kernel void changed_between(int n) {
  int x = get_local_id(0);
  if (n > 4)
    x = 0;
  n += 2;
  if (n > 4) {
    if (x == 0)
      barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
  }
}

// The condition itself differs between threads, but where it holds, all have the same `x`.
kernel void divergent_condition(int n) {
  int x = get_local_id(0);
  bool low = get_local_id(0) < n;
  if (low)
    x = n;
  if (low) {
    for (int i = 0; i < x; i++)
      n += i + 1;
  }
  if (n > 1)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void nested(int n, int m) {
  int x = get_local_id(0);
  if (n) {
    if (m)
      x = 1;
    else
      x = 2;
  }
  if (n != 0) {
    if (m != 0 && x == 1)
      barrier(CLK_LOCAL_MEM_FENCE);
  }
}

kernel void both_parts_of_a_conjunction(int n, int m) {
  int x = get_local_id(0);
  if (n > 1 && m > 1)
    x = 1;
  if (n > 1 && m > 1 && x == 1)
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void one_part_of_a_conjunction(int n, int m) {
  int x = get_local_id(0);
  if (n > 1 && m > 1)
    x = 1;
  if (n > 1 && x == 1)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

// `x` comes from the last iteration, whose condition was another one.
kernel void from_the_last_iteration(int n) {
  int x = 0;
  for (int i = 0; i < n; i++) {
    if (i > 1) {
      if (x == 0)
        barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
    }
    x = get_local_id(0);
    if (i > 1)
      x = 0;
  }
}

kernel void in_one_iteration(int n) {
  for (int i = 0; i < n; i++) {
    int x = get_local_id(0);
    if (i > 1)
      x = 0;
    if (i > 1) {
      if (x == 0)
        barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
}

kernel void condition_from_before_the_loop(int n, int m) {
  int x = 0;
  for (int i = 0; i < n; i++) {
    if (m > 1) {
      if (x == 0)
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    x = get_local_id(0);
    if (m > 1)
      x = 0;
  }
}

// Both branches compute the same.
kernel void same_in_both(int n) {
  int x;
  if (get_local_id(0) < 4)
    x = 2 * n + 1;
  else
    x = 2 * n + 1;
  if (x > 3)
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void not_quite_the_same(int n) {
  int x;
  if (get_local_id(0) < 4)
    x = 2 * n + 1;
  else
    x = 2 * n + 2;
  if (x > 3)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void same_operation_on_other_values(int n) {
  int x = n;
  if (get_local_id(0) < 4) {
    n++;
    x = n + 1;
  } else {
    x = n + 1;
  }
  if (x > 3)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void id_where_it_is_used(int n) {
  int x = 0;
  if (n & 1)
    x = get_local_id(0);
  if (n & 1) {
    if (x + 1 < 4)
      barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
  }
}

kernel void id_in_a_phi(int n) {
  int y = 0;
  if (n & 1) {
  } else {
    if (n & 1) {
    } else {
      y += get_local_id(0);
    }
  }
  if (y < 4)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}
