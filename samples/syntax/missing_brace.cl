// Two missing `}`: each error stands at the brace that is not closed, since that is where one begins to look.
kernel void a(global uint *out) {  //~ error[syntax-error]@33: unclosed
  int t = get_local_id(0);
  if (t & 1) {  //~ error[syntax-error]@14: unclosed
    out[t] = 1;
  out[t] += 2;
