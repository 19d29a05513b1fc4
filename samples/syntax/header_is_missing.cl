// A header that is not there, and nothing that needs it: a note, and the kernel is analysed as if it were empty.
#include "not/there.h"  //~ note[missing-include]: not/there.h

kernel void k(global int *data) {
  int t = get_local_id(0);
  if (data[t])
    goto out;
  data[t] = 1;
out:  //~ implementation-defined
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]@3: goto out
}
