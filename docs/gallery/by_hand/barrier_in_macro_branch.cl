// A histogram with an optional cache in local memory. All work-items reach the barrier of the variant with the cache.
kernel void histogram(global const uchar *image, global atomic_int *bins, local atomic_int *cache, int n) {
  int i = get_global_id(0);
  int lid = get_local_id(0);
#ifdef USE_LOCAL_CACHE
  if (i < n)
    atomic_fetch_add(&cache[image[i]], 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add(&bins[lid], atomic_load(&cache[lid]));
#else
  if (i < n)
    atomic_fetch_add(&bins[image[i]], 1);
#endif
}
