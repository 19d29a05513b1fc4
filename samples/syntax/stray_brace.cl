// A `}` too many, behind a function that is complete.
kernel void a(global uint *out) {
  int t = get_local_id(0);
  out[t] += sub_group_ballot(1).x;  //~ defined
}
}  //~ error[syntax-error]

kernel void b(global uint *out) {
  int t = get_local_id(0);
  out[t] += sub_group_ballot(2).x;  //~ defined
}
