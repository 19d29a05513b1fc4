// The jump leaves a `switch` and the loop around it: `break` would only leave the `switch`. The loop repeats, so the jump
// makes a family at the label (docs/semantics.md §3.2).
kernel void lex(global const char *text, global int *out, int n) {
  int t = get_local_id(0), words = 0;
  for (int i = t; i < n; i++) {
    switch (text[i]) {
    case ' ':
      words++;
      break;
    case 0:  //~ tangles: case-label //~ defined
      goto end;
    default:
      words += sub_group_any(text[i] == '-');  //~ tangles: case-label //~ defined
    }
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: sequence //~ defined
  }
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: sequence //~ defined
end:  //~ tangles: sequence, goto-label*[forward] //~ implementation-defined //~ rejoins: 20
  out[t] = sub_group_reduce_add(words);  //~ warning[implementation-defined-convergence]@12: goto end
}
