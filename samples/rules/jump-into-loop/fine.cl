// Jumps that enter no loop.

// Out of a loop.
kernel void out_of(global int *p, int n) {
  for (int i = 0; i < n; i++)
    if (p[i] == 0)
      goto out;
  p[0] = 1;
out:
  p[1] = 2;
}

// Inside of one loop.
kernel void inside(global int *p, int n) {
  for (int i = 0; i < n; i++) {
    if (p[i] == 0)
      goto next;
    p[i]--;
  next:
    p[i]++;
  }
}

// To the label before a loop: by its header.
kernel void to_the_head(global int *p, int n) {
  if (n > 0)
    goto loop;
  p[0] = 9;
loop:
  while (p[0] > 0)
    p[0]--;
}

// Over a loop.
kernel void over(global int *p, int n) {
  if (n > 0)
    goto behind;
  while (p[0] > 0)
    p[0]--;
behind:
  p[1] = 0;
}

// From an inner loop to the outer one around it.
kernel void to_outer(global int *p, int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      if (p[j] == i)
        goto next;
    p[i] = 0;
  next:
    p[i]++;
  }
}

// A loop made by `goto` has no header in the source: another rule's matter.
kernel void by_goto(global int *p, int n) {
  if (n > 0)
    goto middle;
again:
  p[0]--;
middle:
  if (p[0] > 0)
    goto again;
}

// A `switch` in a loop.
kernel void switch_in_loop(global int *p, int n) {
  for (int i = 0; i < n; i++) {
    switch (p[i]) {
    case 0:
      p[i] = 1;
      break;
    case 1:
      continue;
    }
    p[i]++;
  }
}

// A loop in a `switch`, with no `case` in it.
kernel void loop_in_switch(global int *p, int n) {
  switch (n) {
  case 0:
    while (p[0] > 0)
      p[0]--;
    break;
  case 1:
    p[1] = 0;
  }
}

// Into a branch, which is no loop.
kernel void into_branch(global int *p, int n) {
  if (n > 0)
    goto inside;
  if (p[0]) {
    p[1] = 0;
  inside:
    p[2] = 0;
  }
}

// A label in a loop that nobody jumps to from outside; and `break` and `continue` are no jumps into anything.
kernel void label_unused(global int *p, int n) {
  while (n-- > 0) {
  here:
    if (p[n])
      break;
    continue;
  }
}
