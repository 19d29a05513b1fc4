#include "helper.h"
kernel void k(global int *p) {
  helper(p);
}
