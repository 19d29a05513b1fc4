// Nothing leaves the loop: what follows has no candidate, and the jump in it brings nobody to the label
// (docs/semantics.md §2, reachability).
kernel void serve(global int *queue, int n) {  // No execution shows it: the loop has no end, and all work-items stay in it
  int t = get_local_id(0);
  while (1) {
    queue[t] = sub_group_broadcast(queue[t], 0);  //~ defined
    barrier(CLK_GLOBAL_MEM_FENCE);  //~ defined
    if (queue[t] == n)
      continue;
    queue[t]++;
  }
  if (queue[t])  //~ unreachable
    goto end;  //~ unreachable
  queue[t] = 0;  //~ unreachable
end:  //~ unreachable
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ unreachable
}
