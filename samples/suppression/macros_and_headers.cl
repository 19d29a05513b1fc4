// args: -I include
// A finding in a macro stands where the macro is used, and is suppressed there. A header's comments hold for the header.
#include "retry.h"
#define SYNC barrier(CLK_LOCAL_MEM_FENCE)  /* tangle: allow(implementation-defined-convergence): not here */

kernel void k(global int *p) {
  if (p[0])
    goto out;
  p[1] = 0;
out:
  SYNC;  //~ warning[implementation-defined-convergence]
  // tangle: allow(implementation-defined-convergence): here
  SYNC;  //~ suppressed[implementation-defined-convergence]: here
  retry(p);  //~ warning[implementation-defined-convergence]
}
