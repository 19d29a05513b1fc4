// "Opportunistic convergent operations": the function takes whatever threads it can get, so its operations have an anchor of their own, and
// neither it nor its caller is convergent.
__attribute__((noconvergent))
static uint reserveSpaceInBuffer(volatile global uint *bufferAllocationCount) {  //~ not-convergent
  uint4 ballot = sub_group_ballot(1);  //~ token: anchor
  uint numThreads = sub_group_ballot_bit_count(ballot);
  uint relativeThreadIdx = sub_group_ballot_exclusive_scan(ballot);
  uint baseOffset = 0;
  if (relativeThreadIdx == 0)
    baseOffset = atomic_add(bufferAllocationCount, numThreads);
  baseOffset = sub_group_broadcast_first(baseOffset);  //~ token: anchor
  return baseOffset + relativeThreadIdx;
}

kernel void append(volatile global uint *count, global int *buffer, global const int *in) {  //~ not-convergent
  int value = in[get_global_id(0)];
  if (value > 0)
    buffer[reserveSpaceInBuffer(count)] = value;
}
