// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// fireice-uk/xmr-stak 4a2e32a8: an early return before the barrier behind the setting up of tables: as it was mended.

#define IDX(x) (x)
__attribute__((reqd_work_group_size(WORKSIZE, 8, 1)))
__kernel void cn0(__global ulong *input, __global uint4 *Scratchpad, __global ulong *states, ulong Threads) {
  __local uint AES0[256];
  const ulong gIdx = get_global_id(0) - get_global_offset(0);
  for (int i = get_local_id(1) * WORKSIZE + get_local_id(0); i < 256; i += WORKSIZE * 8)
    AES0[i] = AES0_C[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (gIdx < Threads)
    states += 25 * gIdx;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  if (gIdx < Threads)
    Scratchpad[IDX(gIdx)] = vload4(get_local_id(1) + 4, (__global uint *)(states)) ^ AES0[gIdx & 0xFF];
}
