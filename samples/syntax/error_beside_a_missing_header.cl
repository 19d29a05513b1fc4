// The missing header is not the reason for the `#error` in another condition.
#if __has_include(<vendor/other.h>)
#else
#if 4 > 3
#error "too large"  //~ error[syntax-error]: too large
#endif
#endif
