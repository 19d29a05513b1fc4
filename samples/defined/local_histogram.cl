// A histogram by way of local memory; atomics are no convergent operations.
#define BINS 256

kernel void histogram(global const uchar *image, uint size, volatile global uint *bins) {
  local uint counts[BINS];
  for (uint b = get_local_id(0); b < BINS; b += get_local_size(0))
    counts[b] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
  for (uint i = get_global_id(0); i < size; i += get_global_size(0))
    atomic_inc((volatile local uint *)&counts[image[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
  for (uint b = get_local_id(0); b < BINS; b += get_local_size(0)) {
    if (!counts[b])
      continue;
    atomic_add(&bins[b], counts[b]);
  }
}
