// Fences and atomics work through memory; a tangle plays no part in them ("inter-thread communication that occurs outside of
// the memory model" is what makes an operation convergent).
kernel void k(global int *out, global atomic_int *count) {
  int t = get_local_id(0);
  if (t & 1)
    goto on;
  out[t] = 1;
on:  //~ implementation-defined
  mem_fence(CLK_GLOBAL_MEM_FENCE);  //~ implementation-defined
  read_mem_fence(CLK_GLOBAL_MEM_FENCE);
  write_mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
  atomic_add(out, 1);
  atomic_inc(out);
  atomic_fetch_add_explicit(count, 1, memory_order_relaxed, memory_scope_device);
  atomic_store(count, 0);
}
