// A lock that several threads of one sub-group ask for in a loop. The one that has it may wait for the others to leave the loop,
// while they wait for it to give the lock back.

// Compare and swap.
kernel void compare_and_swap(volatile global int *lock, global int *sum, global int *p) {
  while (atomic_cmpxchg(lock, 0, 1) != 0)  //~ warning[divergent-spin-lock]: atomic_cmpxchg
    ;
  *sum += p[get_global_id(0)];
  atomic_xchg(lock, 0);
}

// Exchange.
kernel void exchange(volatile global int *lock, global int *sum, global int *p) {
  while (atomic_xchg(lock, 1))  //~ warning[divergent-spin-lock]: atomic_xchg
    ;
  *sum += p[get_global_id(0)];
  atomic_xchg(lock, 0);
}

// The old names.
kernel void old_names(volatile global int *lock, global int *sum, global int *p) {
  while (atom_cmpxchg(lock, 0, 1) == 1)  //~ warning[divergent-spin-lock]
    ;
  *sum += p[get_global_id(0)];
  atom_xchg(lock, 0);
}

// A lock of the work-group in local memory.
kernel void in_local(volatile local int *lock, local int *sum, global int *p) {
  while (atomic_cmpxchg(lock, 0, 1) != 0)  //~ warning[divergent-spin-lock]
    ;
  *sum += p[get_global_id(0)];
  atomic_xchg(lock, 0);
}

// `do`, and given back by a store.
kernel void do_loop(volatile global int *lock, global int *sum, global int *p) {
  int got;
  do {
    got = atomic_cmpxchg(lock, 0, 1) == 0;  //~ warning[divergent-spin-lock]
  } while (!got);
  *sum += p[get_global_id(0)];
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  *lock = 0;
}

// Left by `break`.
kernel void by_break(volatile global int *lock, global int *sum, global int *p) {
  for (;;) {
    if (atomic_cmpxchg(lock, 0, 1) == 0)  //~ warning[divergent-spin-lock]
      break;
  }
  *sum += p[get_global_id(0)];
  atomic_xchg(lock, 0);
}

// A lock for each bucket: two threads of a sub-group may still want the same.
kernel void by_bucket(volatile global int *locks, global int *sums, global int *p) {
  int b = p[get_global_id(0)] & 63;
  while (atomic_cmpxchg(&locks[b], 0, 1) != 0)  //~ warning[divergent-spin-lock]
    ;
  sums[b]++;
  atomic_xchg(&locks[b], 0);
}

// In helpers.
void take(volatile global int *lock) {
  while (atomic_cmpxchg(lock, 0, 1) != 0)  //~ warning[divergent-spin-lock]
    ;
}
void give(volatile global int *lock) { atomic_xchg(lock, 0); }
kernel void helpers(volatile global int *lock, global int *sum, global int *p) {
  take(lock);
  *sum += p[get_global_id(0)];
  give(lock);
}

// The atomics of OpenCL 2.0.
kernel void test_and_set(volatile global atomic_flag *lock, global int *sum, global int *p) {
  while (atomic_flag_test_and_set(lock))  //~ warning[divergent-spin-lock]: atomic_flag_test_and_set
    ;
  *sum += p[get_global_id(0)];
  atomic_flag_clear(lock);
}

// The branch keeps some out, but not all but one.
kernel void some(volatile global int *lock, global int *sum, global int *p) {
  if (get_local_id(0) < 4) {
    while (atomic_cmpxchg(lock, 0, 1) != 0)  //~ warning[divergent-spin-lock]
      ;
    *sum += p[get_global_id(0)];
    atomic_xchg(lock, 0);
  }
}
