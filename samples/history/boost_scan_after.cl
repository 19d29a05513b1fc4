// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// boostorg/compute 6b34c63f: an early return, and a loop whose length differs, around barriers: as it was mended.

kernel void carry_outs(global const uint *keys, global VALUE_T *vals, local uint *lkeys,
                       local VALUE_T *lvals, const uint count) {
  const uint gid = get_global_id(0), lid = get_local_id(0), wg_size = get_local_size(0);
  uint key;
  VALUE_T result;
  if (gid < count) {
    lkeys[lid] = key = keys[gid];
    lvals[lid] = result = vals[gid];
  }
  for (uint offset = 1; offset < wg_size; offset *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid >= offset) {
      if (lkeys[lid - offset] == key)
        result = OP(result, lvals[lid - offset]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    lvals[lid] = result;
  }
  if (gid < count)
    vals[gid] = result;
}
