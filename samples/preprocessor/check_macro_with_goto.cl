// A checking macro in the usual `do { … } while (0)`. That loop does not repeat: the jump out of it makes no family, but a
// candidate like any other forward jump (docs/semantics.md §2, constant conditions count).
#define CHECK(condition) do { if (!(condition)) goto fail; } while (0)

kernel void k(global int *data, int n) {
  int i = get_global_id(0);
  CHECK(i < n);  //~ tangles: function-body //~ defined
  data[i]++;  //~ tangles: sequence
  CHECK(data[i] > 0);  //~ tangles: sequence //~ defined
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ tangles: sequence //~ defined
fail:  //~ tangles: sequence, goto-label[forward], goto-label[forward] //~ implementation-defined //~ rejoins: 13
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]@3: goto fail
}
