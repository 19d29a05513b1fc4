// A jump that enters a loop past its header: `goto` to a label inside, or `switch` around a loop with `case` inside. Off by default.

// Into a `while` loop.
kernel void into_while(global int *p, int n) {
  if (n > 0)
    goto inside;  //~ warning[jump-into-loop]: `goto inside`
  while (p[0] > 0) {
    p[0]--;
  inside:
    p[1]++;
  }
}

// Into a `for` loop.
kernel void into_for(global int *p, int n) {
  int i = 0;
  if (n > 0)
    goto inside;  //~ warning[jump-into-loop]
  for (i = 0; i < 9; i++) {
    p[i] = 0;
  inside:
    p[i]++;
  }
}

// Into a `do` loop, at its very beginning.
kernel void into_do(global int *p, int n) {
  if (n > 0)
    goto inside;  //~ warning[jump-into-loop]
  p[0] = 9;
  do {
  inside:
    p[0]--;
  } while (p[0] > 0);
}

// From behind.
kernel void from_behind(global int *p) {
  while (p[0] > 0) {
  again:
    p[0]--;
  }
  if (p[1]-- > 0)
    goto again;  //~ warning[jump-into-loop]
}

// Into the inner one of two loops, from the outer.
kernel void into_inner(global int *p, int n) {
  for (int i = 0; i < n; i++) {
    if (p[i])
      goto inside;  //~ warning[jump-into-loop]
    for (int j = 0; j < n; j++) {
      p[j] = 0;
    inside:
      p[i]++;
    }
  }
}

// From one loop into another.
kernel void across(global int *p, int n) {
  while (p[0]-- > 0)
    if (p[1])
      goto inside;  //~ warning[jump-into-loop]
  while (p[1]-- > 0) {
    p[2] = 0;
  inside:
    p[3]++;
  }
}

// Two jumps to one label.
kernel void two_jumps(global int *p, int n) {
  if (n > 3)
    goto inside;  //~ warning[jump-into-loop]
  p[0] = n;
  if (n > 2)
    goto inside;  //~ warning[jump-into-loop]
  while (p[0] > 0) {
  inside:
    p[0]--;
  }
}

// Duff's device: each `case` in the loop but the ones before it is a door.
kernel void duff(global int *p, int n) {
  switch (n & 3) {
  case 0:
    do {
      p[0]++;
  case 3:  //~ warning[jump-into-loop]: `case 3`
      p[0]++;
  case 2:  //~ warning[jump-into-loop]
      p[0]++;
  default:  //~ warning[jump-into-loop]: `default`
      p[0]++;
    } while ((n -= 4) > 0);
  }
}

// Past two headers at once: one jump, one finding.
kernel void past_two(global int *p, int n) {
  if (n > 0)
    goto inside;  //~ warning[jump-into-loop]
  while (p[0] > 0) {
    while (p[1] > 0) {
    inside:
      p[1]--;
    }
    p[0]--;
  }
}
