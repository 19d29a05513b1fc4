// An `#error` for want of a header is reported as the missing header. The other code is checked.
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
