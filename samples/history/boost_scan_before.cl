// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// boostorg/compute 6b34c63f: an early return, and a loop whose length differs, around barriers: as it was.

kernel void carry_outs(global const uint *keys, global VALUE_T *vals, local uint *lkeys,
                       local VALUE_T *lvals, const uint count) {
  const uint gid = get_global_id(0), lid = get_local_id(0), wg_size = get_local_size(0);
  if (gid >= count) {
    return;
  }
  uint key = keys[gid];
  VALUE_T result = vals[gid];
  lkeys[lid] = key;
  lvals[lid] = result;
  for (uint offset = 1; offset < wg_size && lid >= offset; offset *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]
    if (lkeys[lid - offset] == key)
      result = OP(result, lvals[lid - offset]);
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]
    lvals[lid] = result;
  }
  vals[gid] = result;
}
