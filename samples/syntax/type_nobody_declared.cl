// A name in the place of a type is taken for one, with a note; both kernels are analysed.
kernel void k(global particle_t *bodies, global int *data) {  //~ note[unknown-type]@22: particle_t
  int t = get_local_id(0);
  if (data[t])
    goto out;
  bodies[t].mass = 1;
out:  //~ implementation-defined
  barrier(CLK_GLOBAL_MEM_FENCE);  //~ warning[implementation-defined-convergence]@3: goto out
}

kernel void other(global int *data) {
  data[get_local_id(0)] = sub_group_reduce_add(1);  //~ defined
}
