// args: -I include
// A helper from a header (found beside the file, in `include`) is judged by its body like one written here; the header's macro
// is expanded at its use.
#include "sync.h"

kernel void k(global int *out, local int *x) {
  int t = get_local_id(0);
  sync_group();  //~ defined
  if (t & 1)
    goto on;
  x[t] = out[t];
on:
  sync_group();  //~ warning[implementation-defined-convergence]: sync_group
  SYNC_GROUP();  //~ warning[implementation-defined-convergence]: barrier
  out[t] = x[t ^ 1];
}
