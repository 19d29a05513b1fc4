// Work-groups that agree on something through local memory: a queue, a flag, a count, each protected by barriers.

// Breadth-first search of one work-group: the frontier's size is read by all between two barriers.
kernel void search(global const int *restrict first, global const int *restrict next, global int *depth,
                   local int *frontier, local int *found, int source) {
  local int size, grown;
  int t = get_local_id(0);
  if (t == 0) {
    frontier[0] = source;
    size = 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  int level = 1;
  for (;;) {
    int count = size;
    if (t == 0)
      grown = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (count == 0)
      break;
    for (int i = t; i < count; i += get_local_size(0)) {
      int node = frontier[i];
      for (int e = first[node]; e < first[node + 1]; e++)
        if (atomic_cmpxchg(&depth[next[e]], -1, level) == -1)
          found[atomic_inc(&grown)] = next[e];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int total = grown;
    for (int i = t; i < total; i += get_local_size(0))
      frontier[i] = found[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0)
      size = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    level++;
  }
}

// Relaxation until nothing changes.
kernel void relax(global float *p, local int *changed, float limit) {
  int i = get_global_id(0), again;
  do {
    if (get_local_id(0) == 0)
      *changed = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    float old = p[i], new = 0.5f * (p[i - 1] + p[i + 1]);
    barrier(CLK_GLOBAL_MEM_FENCE);
    p[i] = new;
    if (fabs(new - old) > limit)
      *changed = 1;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    again = *changed;
    barrier(CLK_LOCAL_MEM_FENCE);
  } while (again);
}

// A persistent work-group takes jobs from a queue until it is empty.
kernel void consume(volatile global int *head, int count, global const int *restrict jobs, global int *results) {
  local int job;
  for (;;) {
    if (get_local_id(0) == 0)
      job = atomic_inc(head);
    barrier(CLK_LOCAL_MEM_FENCE);
    int mine = job;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (mine >= count)
      break;
    results[mine * get_local_size(0) + get_local_id(0)] = jobs[mine];
  }
}

// What each work-item keeps for itself is not the memory that they agree through.
kernel void counted(global int *results, global const int *restrict limits) {
  local int flag;
  int seen[4], last, *p = &last;
  if (get_local_id(0) == 0)
    flag = limits[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  while (flag != 0) {
    seen[get_local_id(0) & 3] = 7;
    *p = flag;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
      flag = limits[1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  results[get_global_id(0)] = seen[0] + last;
}
