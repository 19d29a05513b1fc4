// A statement expression holds a barrier, which is as good as elsewhere, and a jump out, which meets at the label those that
// ran on; the declaration may be left by the jump, so a new sequence begins behind it (docs/semantics.md §2).
kernel void parse(global const int *in, global int *out, local int *tile) {
  int t = get_local_id(0);
  int value = ({  //~ tangles: function-body
    barrier(CLK_LOCAL_MEM_FENCE);  //~ defined
    if (in[t] < 0)
      goto bad;
    tile[t] = in[t];  //~ defined
    tile[t ^ 1];
  });
  barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: sequence //~ defined
  out[t] = value;
bad:  //~ tangles: sequence, goto-label[forward] //~ implementation-defined
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]@3: goto bad
}
