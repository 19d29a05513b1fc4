// Work-groups that agree on something through local memory, with the barriers in helpers.

static void sync(void) { barrier(CLK_LOCAL_MEM_FENCE); }

static void block_copy(local int *to, global const int *from, int count) {
  for (int i = get_local_id(0); i < count; i += get_local_size(0))
    to[i] = from[i];
  sync();
}

// The number of the first work-item, for all.
static int together(local int *shared, int own) {
  shared[get_local_id(0)] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  int first = shared[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return first;
}

kernel void flags(global const int *restrict in, global int *out, local int *flags) {
  flags[get_local_id(0)] = in[get_global_id(0)];
  sync();
  if (flags[0])
    sync();
  sync();
  flags[get_local_id(0)] = 0;
  out[get_global_id(0)] = flags[get_local_id(0)];
}

kernel void rows(global const int *restrict in, global int *out, local int *row, int count) {
  block_copy(row, in, count);
  int length = row[0];
  sync();
  for (int i = 0; i < length; i++) {
    block_copy(row, in + i * count, count);
    out[i * count + get_local_id(0)] = row[get_local_id(0)];
    sync();
  }
}

kernel void found(global const int *restrict in, global int *out, local int *shared) {
  if (together(shared, in[get_global_id(0)]) > 0)
    barrier(CLK_LOCAL_MEM_FENCE);
  while (together(shared, out[get_global_id(0)]) < 4) {
    out[get_global_id(0)] += 1;
    sync();
  }
}

// Who calls it has written before, and may write again behind it.
static int load_uniform(local int *p) {
  barrier(CLK_LOCAL_MEM_FENCE);
  int value = *p;
  barrier(CLK_LOCAL_MEM_FENCE);
  return value;
}

kernel void rounds_of_the_group(global int *out, local int *flag, int n) {
  if (get_local_id(0) == 0)
    *flag = out[get_group_id(0)];
  while (load_uniform(flag) > n) {
    if (get_local_id(0) == 0)
      *flag -= 1;
    out[get_global_id(0)] = n;
  }
}
