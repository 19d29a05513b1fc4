// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// openmm e7e6eeb0: a loop around a barrier that begins at the id of the work-item: as it was.

__kernel void execFFT(__global const real2* restrict in, __global real2* restrict out, int sign, __local real2* restrict data0) {
  for (int index = get_group_id(0)*BLOCKS_PER_GROUP+get_local_id(0)/ZSIZE; index < XSIZE*YSIZE; index += get_num_groups(0)*BLOCKS_PER_GROUP) {
    int x = index/YSIZE;
    int y = index-x*YSIZE;
#if LOOP_REQUIRED
    for (int z = get_local_id(0); z < ZSIZE; z += get_local_size(0))
      data0[z] = in[x*(YSIZE*ZSIZE)+y*ZSIZE+z];
#else
    data0[get_local_id(0)] = in[x*(YSIZE*ZSIZE)+y*ZSIZE+get_local_id(0)%ZSIZE];
#endif
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]
    COMPUTE_FFT
  }
}
