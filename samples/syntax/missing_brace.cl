// A missing `}`: the file ends inside the function, and that is where the error is.
kernel void a(global uint *out) {
  int t = get_local_id(0);
  if (t & 1) {
    out[t] = 1;
  out[t] += 2;  //~ error[syntax-error]