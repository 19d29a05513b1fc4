// Macros hide the operation. The finding stands where the outermost macro is used, in the file that the reader looks at.
#define SYNC barrier(CLK_LOCAL_MEM_FENCE)
#define STORE(where, what) do { where = what; SYNC; } while (0)
#define VOTE(x) sub_group_any(x)

kernel void k(global int *data, local int *tile) {
  int t = get_local_id(0);
  STORE(tile[t], data[t]);  //~ defined
  if (tile[t ^ 1] == 0)
    goto out;
  STORE(tile[t], 0);  //~ tangles: sequence //~ defined
out:  //~ implementation-defined
  SYNC;  //~ warning[implementation-defined-convergence]@3: barrier
  data[t] = 1 + VOTE(tile[t]);  //~ warning[implementation-defined-convergence]@17: sub_group_any
  STORE(tile[t], 1);  //~ warning[implementation-defined-convergence]@3: barrier
}
