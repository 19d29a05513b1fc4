// Why a barrier is not reached by all, where what others write, or what is not known, is the reason.

kernel void memory_that_others_write(global int *p, int n) {
  p[get_global_id(0)] = n;
  if (p[0]) //~ origin: `p[0]`
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `p[0]`
}

kernel void local_flag_without_a_barrier(int n) {  // No execution shows it: local memory is undefined until it is written
  local int found;
  if (get_local_id(0) == 0)
    found = n;
  if (found) //~ origin: `found`
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `found`
}

kernel void result_of_an_atomic(global int *count) {
  int ticket = atomic_inc(count); //~ origin: `atomic_inc(count)`
  if (ticket == 0)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `atomic_inc(count)`
}

kernel void what_is_volatile(volatile global int *stop) {  // No execution shows it: nothing changes `stop[0]` during the execution
  if (stop[0]) //~ origin: `stop[0]`
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `stop[0]`
}

void not_known(int *out);
kernel void result_of_what_is_not_known(int n) {  // No execution shows it: an unknown function writes nothing to private memory
  int v;
  not_known(&v); //~ origin: `not_known(&v)`
  if (v)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `not_known(&v)`
}

kernel void number_in_the_sub_group(int n) {
  uint lane = get_sub_group_local_id(); //~ origin: `get_sub_group_local_id()`
  if (lane == 0)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_sub_group_local_id()`
}

kernel void image_that_is_written(read_write image2d_t image) {  // No execution shows it: images are not executed
  int4 color = read_imagei(image, (int2)(0, 0)); //~ origin: `read_imagei(image, (int2)(0, 0))`
  write_imagei(image, (int2)(get_global_id(0), 0), color);
  if (color.x)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `read_imagei(image, (int2)(0, 0))`
}

kernel void last_of_the_group(global int *done, global int *p) {
  local int last;
  if (get_local_id(0) == 0)
    last = atomic_inc(done) == get_num_groups(0) - 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  int mine = last & get_local_id(0); //~ origin: `get_local_id(0)`
  if (mine)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}
