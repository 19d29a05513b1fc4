// "For every label statement L occurring inside a noconvergent statement, every goto or switch statement that transfers control to L must also occur" inside
// of it. clang 19 does not know that yet.
kernel void by_goto(global int *p) {
  if (p[0])
    goto inside;  //~ error[syntax-error]: this jump enters a statement that is marked `noconvergent`
  __attribute__((noconvergent)) {
    p[1] = 0;
  inside:
    p[2] = 0;
    if (p[3])
      goto inside;
    goto out;
  }
out:
  p[4] = 0;
}

kernel void by_switch(global int *p) {
  switch (p[0]) {  //~ error[syntax-error]: this jump enters a statement
  case 0:
    __attribute__((noconvergent)) {
    case 1:
      p[1] = 0;
    }
  }
  __attribute__((noconvergent)) switch (p[1]) {
  case 0:
    p[2] = 0;
  }
}
