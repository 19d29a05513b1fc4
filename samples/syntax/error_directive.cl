// `#error` where it is reached is an error on its line; one in a branch that is not taken is nothing. The kernel behind
// it is analysed.
#if 0
#error "not this one"
#else
#error "define a block size"  //~ error[syntax-error]: block size
#endif

kernel void k(global int *data) {
  int t = get_local_id(0);
  if (data[t])
    goto out;
  data[t] = 1;
out:  //~ implementation-defined
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]@3: goto out
}
