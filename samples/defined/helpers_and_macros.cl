// Helpers, macros and a check that returns: structured all the way down.
#define LANES get_sub_group_size()
#define REDUCE(value) \
  ({ \
    int reduced = (value); \
    for (uint step = LANES / 2; step > 0; step /= 2) \
      reduced += sub_group_scan_exclusive_add(reduced); \
    reduced; \
  })
#define REQUIRE(condition) do { if (!(condition)) return; } while (0)

static int group_sum(int value, local int *parts) {
  int sum = REDUCE(value);  //~ tangles: function-body //~ defined
  if (get_sub_group_local_id() == 0)
    parts[get_sub_group_id()] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
  sum = 0;
  for (uint i = 0; i < get_num_sub_groups(); i++)
    sum += parts[i];
  return sum;
}

kernel void k(global int *data, local int *parts, int n) {
  int i = get_global_id(0);
  REQUIRE(n > 0);  //~ tangles: function-body
  int sum = group_sum(i < n ? data[i] : 0, parts);  //~ tangles: sequence //~ defined
  REQUIRE(i < n);  //~ tangles: sequence
  data[i] = sum;  //~ tangles: sequence
}
