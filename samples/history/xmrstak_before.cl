// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// fireice-uk/xmr-stak 4a2e32a8: an early return before the barrier behind the setting up of tables: as it was.

#define IDX(x) (x)
__attribute__((reqd_work_group_size(WORKSIZE, 8, 1)))
__kernel void cn0(__global ulong *input, __global uint4 *Scratchpad, __global ulong *states, ulong Threads) {  // No execution shows it: `AES0_C` is not defined here
  __local uint AES0[256];
  const ulong gIdx = get_global_id(0) - get_global_offset(0);
  if (gIdx >= Threads) return;
  states += 25 * gIdx;
  for (int i = get_local_id(0); i < 256; i += WORKSIZE)
    AES0[i] = AES0_C[i];
  barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  Scratchpad[IDX(gIdx)] = vload4(get_local_id(1) + 4, (__global uint *)(states)) ^ AES0[gIdx & 0xFF];
}
