// `__has_include` asks for the file that the macro names: the header is there, and with it the barrier.
#define HEADER "include/sync.h"
#if __has_include(HEADER)
#include HEADER
#else
#define SYNC_GROUP()
#endif

kernel void k(global int *out, int n) {
  if (get_local_id(0) < n) goto out;
  out[0] = 1;
out:
  SYNC_GROUP();  //~ warning[implementation-defined-convergence]: barrier
}
