// A header that is not there, and nothing that the file uses is missing: a note.
#include "vendor/config.h"  //~ note[missing-include]: config.h

kernel void k(global int *out) {
  out[get_global_id(0)] = 1;
}
