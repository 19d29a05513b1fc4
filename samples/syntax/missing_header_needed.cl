// A header that is not there, and a type that nothing else declares: a warning, since the analysis had to guess.
#include "types.h"  //~ warning[missing-include]: types.h

kernel void k(global real_t *out) {  //~ note[unknown-type]: real_t
  int t = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
  out[t] = out[t + 1];
}
