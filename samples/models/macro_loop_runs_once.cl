// A check in `do { … } while (0)` jumps forward out of a statement that does not repeat. In the draft of 2024 that is a
// forward jump like any other, not a family; in the revision it reconverges.
#define CHECK(condition) do { if (!(condition)) goto out; } while (0)

kernel void k(global int *data, int n) {
  int t = get_local_id(0);
  CHECK(data[t] < n);
  data[t] += sub_group_reduce_add(1);  //~ defined
out:  //~[tangles] tangles: sequence, goto-label[forward] //~[tangles] implementation-defined //~[revised] defined
  data[t] += sub_group_reduce_add(2);  //~[tangles] warning[implementation-defined-convergence]@14: goto out //~[revised] defined
}
