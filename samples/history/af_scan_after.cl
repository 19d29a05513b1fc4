// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// arrayfire be2fdf3e: a barrier under a condition that differs with the second dimension: as it was mended.

__kernel void scan_first_kernel(__global To *oData, KParam oInfo, __global const Ti *iData, KParam iInfo, uint groups_y, uint lim) {
  const int lidx = get_local_id(0), lidy = get_local_id(1), lid = lidy * get_local_size(0) + lidx;
  const int wid = get_group_id(1) / groups_y;
  const int yid = (get_group_id(1) - groups_y * wid) * get_local_size(1) + lidy;
  bool cond_yzw = (yid < oInfo.dims[1]) && (wid < oInfo.dims[3]);
  __local To l_val0[SHARED_MEM_SIZE];
  const To init_val = init;
  To val = init_val;
  for (int k = 0; k < lim; k++) {
    bool cond = (k < oInfo.dims[0]) && cond_yzw;
    val = binOp(val, cond ? transform(iData[yid * iInfo.strides[1] + k]) : init_val);
    l_val0[lid] = val;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (cond_yzw) oData[lid] = l_val0[lid];
}
