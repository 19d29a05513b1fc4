// One `#error` for want of a setting is told in its own words.
#ifndef WIDTH
#error "define WIDTH"  //~ note[preprocessor-note]: `#error "define WIDTH"`: `WIDTH` is not defined
#endif
kernel void k(global int *p) {  //~ not-convergent
  p[0] = WIDTH;  //~ note[unknown-name]: WIDTH
}
