// `__has_include` asks first, so there is nothing to report.
#if __has_include("vendor/config.h")
#include "vendor/config.h"
#endif

kernel void k(global int *out) {
  out[get_global_id(0)] = 1;
}
