// One comment may allow several rules. Each is told of that finds nothing.
#include "not_there.h" // tangle: allow(missing-include, unknown-type): not told of a directive, see `unused.cl`
//~^ suppressed[missing-include]: not told of a directive

// tangle: allow(unknown-type, divergent-barrier): made by the build
kernel void k(global later *p, global float *q) {
  //~^ suppressed[unknown-type]: made by the build
  //~^^^ warning[unused-suppression]@32: unused suppression: no finding of `divergent-barrier` here
  // tangle: allow(type-error): a mistake that is kept for a test
  q[q] = 0;
  //~^ suppressed[type-error]: a mistake that is kept for a test
}
