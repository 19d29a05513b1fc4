// A header that is not there, and a constant that nobody declares: the name may come from the header, so its absence is a
// warning. What is in doubt is found nevertheless.
#include "config.h"  //~ warning[missing-include]: config.h

kernel void k(global int *data) {
  int t = get_local_id(0);
  if (data[t] > THRESHOLD)
    goto out;
  data[t] = 1;
out:  //~ implementation-defined
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]@3: goto out
}
