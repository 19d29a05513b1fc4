// args: -D cl_khr_subgroup_shuffle=1 -D cl_khr_subgroup_ballot=1
// Shuffles, ballots and broadcasts talk within a sub-group, and are as sensitive to who arrives as a barrier
// (thread-convergence, Convergent Operations). Atomics, fences and ids are not.
kernel void talk(global int *data, global uint4 *masks, int n) {
  int t = get_local_id(0), value = data[t];
  value += sub_group_shuffle(value, 0);  //~ defined
  if (value < n)
    goto skip;
  masks[t] = sub_group_ballot(value > n);  //~ tangles: sequence //~ defined
skip:  //~ tangles: sequence, goto-label[forward] //~ implementation-defined
  value += sub_group_shuffle(value, t ^ 1);  //~ warning[implementation-defined-convergence]@12: sub_group_shuffle
  value += sub_group_shuffle_xor(value, 2);  //~ warning[implementation-defined-convergence]@12: sub_group_shuffle_xor
  masks[t] = sub_group_ballot(value);  //~ warning[implementation-defined-convergence]@14: sub_group_ballot
  value += sub_group_broadcast(value, 0);  //~ warning[implementation-defined-convergence]@12: sub_group_broadcast
  atomic_add(data, value);  //~ implementation-defined
  mem_fence(CLK_GLOBAL_MEM_FENCE);  //~ implementation-defined
  data[t] = get_local_id(0) + get_sub_group_id();  //~ implementation-defined
}
