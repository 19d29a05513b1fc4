// A header that is not there, and a name that nobody declares: the name may come from it, so the missing header is
// more than a note.
#include "not/there.h"  //~ warning[missing-include]: not/there.h

kernel void k(global int *data) {
  int t = get_local_id(0);
  data[t] = from_the_header(data[t]);  //~ defined
  if (data[t])
    goto out;
  data[t] = 1;
out:  //~ implementation-defined
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]@3: goto out
}
