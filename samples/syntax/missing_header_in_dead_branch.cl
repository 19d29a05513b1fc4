// An `#include` that a condition removes is not looked for.
#ifdef HOST
#include <stdio.h>
#endif

kernel void k(global int *out) {
  barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
  out[get_global_id(0)] = 1;
}
