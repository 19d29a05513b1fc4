// args: -I include
// Jump and operation both come from a header; the findings are in this file. A helper defined in the header is convergent
// like one defined here.
#include "retry.h"

kernel void k(global int *data, local int *tile, int n) {
  int t = get_local_id(0), value = data[t];
  FAIL_IF(value < 0, failed);  //~ tangles: function-body
  SYNC();  //~ tangles: sequence //~ defined
  {  //~ tangles: sequence
  retry:
    value = exchange(tile, t, value);  //~ defined
    RETRY_IF(QUIET_MAX(value, n) > n);  //~ defined
    SYNC();  //~ warning[implementation-defined-convergence]@5: barrier //~ rejoins: 15
  }
  SYNC();  //~ tangles: sequence //~ defined
failed:  //~ tangles: sequence, goto-label[forward] //~ implementation-defined
  data[t] = exchange(tile, t, value);  //~ warning[implementation-defined-convergence]@13: exchange
}
