// Atomics in loops by which no thread of a sub-group waits for another of it.

// Who has the lock gives it back before the loop goes on.
kernel void inside_the_loop(volatile global int *lock, global int *sum, global int *p) {
  int done = 0;
  while (!done) {
    if (atomic_cmpxchg(lock, 0, 1) == 0) {
      *sum += p[get_global_id(0)];
      mem_fence(CLK_GLOBAL_MEM_FENCE);
      atomic_xchg(lock, 0);
      done = 1;
    }
  }
}

// One work-item of the work-group asks for it.
kernel void one_of_the_group(volatile global int *lock, global int *sum, global int *p) {
  if (get_local_id(0) == 0) {
    while (atomic_cmpxchg(lock, 0, 1) != 0)
      ;
    *sum += p[get_global_id(0)];
    atomic_xchg(lock, 0);
  }
}

// One of the sub-group.
kernel void one_of_the_sub_group(volatile global int *lock, global int *sum, global int *p) {
  int own = sub_group_reduce_add(p[get_global_id(0)]);
  if (get_sub_group_local_id() == 0) {
    while (atomic_cmpxchg(lock, 0, 1) != 0)
      ;
    *sum += own;
    atomic_xchg(lock, 0);
  }
}

// The one that is elected.
kernel void elected(volatile global int *lock, global int *sum) {
  if (sub_group_elect()) {
    while (atomic_xchg(lock, 1))
      ;
    *sum += 1;
    atomic_xchg(lock, 0);
  }
}

// No lock: the value itself is exchanged, and whoever fails tries again. Nobody waits for somebody.
kernel void add_float(volatile global uint *sum, global float *p) {
  uint old, new;
  do {
    old = *sum;
    new = as_uint(as_float(old) + p[get_global_id(0)]);
  } while (atomic_cmpxchg(sum, old, new) != old);
}

// The same as a maximum.
kernel void max_float(volatile global uint *most, global float *p) {
  uint own = as_uint(p[get_global_id(0)]), old = *most;
  while (old < own) {
    uint seen = atomic_cmpxchg(most, old, own);
    if (seen == old)
      break;
    old = seen;
  }
}

// Work from a queue: each gets another number.
kernel void queue(volatile global int *head, global int *p, int n) {
  int i;
  while ((i = atomic_inc(head)) < n)
    p[i] = 0;
}

// Asked for once, not in a loop.
kernel void try_once(volatile global int *lock, global int *sum) {
  if (atomic_cmpxchg(lock, 0, 1) == 0) {
    *sum += 1;
    atomic_xchg(lock, 0);
  }
}

// A place in a table: who finds it taken goes on to the next, and nothing is given back.
kernel void insert(volatile global int *table, global int *p) {
  int key = p[get_global_id(0)], at = key & 1023;
  while (atomic_cmpxchg(&table[at], 0, key) != 0)
    at = (at + 1) & 1023;
}

// In helpers, called by one.
void take(volatile global int *lock) {
  while (atomic_cmpxchg(lock, 0, 1) != 0)
    ;
}
void give(volatile global int *lock) { atomic_xchg(lock, 0); }
kernel void helpers(volatile global int *lock, global int *sum, global int *p) {
  if (get_local_id(0) == 0) {
    take(lock);
    *sum += p[get_global_id(0)];
    give(lock);
  }
}
