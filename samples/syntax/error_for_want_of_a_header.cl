// An `#error` that stands where a header is missing says that it is missing. The rest is looked at.
#if !__has_include(<vendor/half.h>)
#error "install the headers of the vendor"  //~ note[missing-include]: header `vendor/half.h` not found
#endif

#if __has_include("vendor/config.h")
#define SIZE 4
#else
#error "no configuration"  //~ note[missing-include]: header `vendor/config.h` not found
#endif

kernel void k(int n) {
  if (get_local_id(0) < n)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]: `get_local_id(0)`
}
