// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// ROCm/MIOpen 0cf35042: a barrier for the first 64 work-items: as it was.

#define LAST_PIXELS (MLO_OUT_CHANNEL_STRIDE % MLO_READ_UNIT)
#if MLO_READ_UNIT > 0 && LAST_PIXELS > 0
#define MLO_MAX_LOADS2 (MLO_BATCH_SZ * LAST_PIXELS)
#endif
__attribute__((reqd_work_group_size(MLO_GRP_SZ0, MLO_GRP_SZ1, MLO_GRP_SZ2))) __kernel void
MIOpenCvBwdWrW_8x8map(const __global _FLOAT* __restrict top_df, __global _FLOAT* __restrict weights_df) {  // No execution shows it: the macros of the build are missing
  uint local_Id0 = get_local_id(0);
  __local _FLOAT sdata[MLO_GRP_SZ0 * MLO_N_LCL_IN_MAPS];
  __private _FLOAT accum_to_store = 0;
  for (uint K = 0; K < MLO_N_LCL_OUT_MAPS; K++) {
    sdata[local_Id0] = top_df[K];
    if ((local_Id0 & ~0x7) == (K * MLO_N_LCL_IN_MAPS))
      accum_to_store = sdata[0 + (local_Id0 & 0x7) * MLO_GRP_SZ0];
    if (local_Id0 < 64)
      barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]
  }
  weights_df[local_Id0] = accum_to_store;
}
