// A comment at one of several functions of a name speaks of that one alone, at its definition and at its prototype.
#define OVERLOADABLE __attribute__((overloadable))

OVERLOADABLE int half_of(global int *p, int n) { return p[n] + p[get_local_id(0)]; }  // tangle: uniform(workgroup)
OVERLOADABLE int half_of(global int *p, float x) { return p[0] + p[get_local_id(0)]; }

OVERLOADABLE int tile_of(int n);  // tangle: uniform(workgroup)
OVERLOADABLE int tile_of(float x);

OVERLOADABLE void step(global int *p,
                       int n) {  // tangle: uniform(workgroup)
  if (n) barrier(1);
  int last = p[get_local_id(0)];  // tangle: uniform(workgroup)
  if (last) barrier(1);
}

OVERLOADABLE void step(global int *p, float n) {
  if (n > 0) barrier(1);  //~ error[divergent-barrier]
  int last = p[get_local_id(0)];
  if (last) barrier(1);  //~ error[divergent-barrier]
}

kernel void k(global int *p) {
  int i = get_local_id(0);
  step(p, i);
  step(p, (float)i);
  if (half_of(p, 1)) barrier(1);
  if (half_of(p, 1.0f)) barrier(1);  //~ error[divergent-barrier]
  if (tile_of(1)) barrier(1);
  if (tile_of(1.0f)) barrier(1);  //~ error[divergent-barrier]
}
