// A histogram in local memory: atomics between two barriers, loops with a stride. Silent.
kernel void histogram(global const uchar *in, global uint *out, local uint *bins, int n) {
  for (int i = get_local_id(0); i < 256; i += get_local_size(0))
    bins[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(&bins[in[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: function-body //~ defined
  for (int i = get_local_id(0); i < 256; i += get_local_size(0))
    atomic_add(&out[i], bins[i]);
}
