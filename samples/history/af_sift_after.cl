// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// arrayfire faefa30c: barriers, one of them in a helper, under a condition on the work-item: as it was mended.

inline void normalizeDesc(__local float *desc, __local float *accum, const int histlen, int lid_x, int lid_y, int lsz_x) {
  for (int i = lid_x; i < histlen; i += lsz_x)
    accum[i] = desc[lid_y * histlen + i] * desc[lid_y * histlen + i];
  barrier(CLK_LOCAL_MEM_FENCE);
}
__kernel void computeDescriptor(__global float *desc_out, const unsigned total_feat, __local float *l_mem) {
  const unsigned f = get_global_id(1);
  __local float *desc = l_mem, *accum = l_mem + DESCR_LEN * get_local_size(1);
  if (f < total_feat)
    desc[get_local_id(1) * DESCR_LEN + get_local_id(0)] = desc_out[f];
  barrier(CLK_LOCAL_MEM_FENCE);
  normalizeDesc(desc, accum, DESCR_LEN, get_local_id(0), get_local_id(1), get_local_size(0));
  if (f < total_feat)
    desc_out[f] = round(desc[0] * INT_DESCR_FCTR);
}
