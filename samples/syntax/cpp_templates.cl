// Templates are of C++: that is told once, and not at each word that follows from it.
template <class T>  //~ error[syntax-error]@1: C++ in an OpenCL file: OpenCL C has no `template`
__kernel void softmax(global T *p) {
  p[0] = T(0);
}
template __attribute__((mangled_name(softmax_float))) __kernel void softmax<float>(global float *p);

kernel void k(global int *p) {
  if (get_local_id(0) < 5)
    barrier(CLK_LOCAL_MEM_FENCE);  //~ error[divergent-barrier]
}
