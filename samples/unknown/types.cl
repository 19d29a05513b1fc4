// A type that nothing declares: its members and its size are not known; a value is as divergent as what it is made of (docs/semantics.md §9).

kernel void values(global real_t *p, int n) { //~ note[unknown-type]: `real_t`
  real_t x = p[n];
  if (x > 0)
    barrier(CLK_LOCAL_MEM_FENCE);
  real_t y = p[get_local_id(0)];
  if (y > x)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `y`
}

kernel void members(const pair_t given, int n) { //~ note[unknown-type]: `pair_t`
  if (given.first < n)
    barrier(CLK_LOCAL_MEM_FENCE);
  pair_t own = given;
  own.second = n;
  if (own.first < n)
    barrier(CLK_LOCAL_MEM_FENCE);
  own.second = get_local_id(0);
  if (own.first < n)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `own` (from `get_local_id(0)`)
}

kernel void arrays(int n) {  // No execution shows it: the elements of other rows are undefined
  local real_t tile[ROWS][COLUMNS]; //~ note[unknown-name]: `ROWS` //~ note[unknown-name]: `COLUMNS`
  tile[get_local_id(0)][0] = n;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (n > ROWS)
    barrier(CLK_LOCAL_MEM_FENCE);
  if (tile[0][get_local_id(0)] > 1)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `tile[0][get_local_id(0)]`
}

struct point {
  real_t x;
  int n;
};

kernel void records(global struct point *points, int n) {
  struct point own = points[n];
  if (own.n > 1)
    barrier(CLK_LOCAL_MEM_FENCE);
  own.x = get_local_id(0);
  if (own.x > 1)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

// An atomic on a member that nothing declares gives each thread its own.
kernel void counters(global queue_item *queue, int n) { //~ note[unknown-type]: `queue_item`
  if (atomic_inc(&queue->next) == n)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `atomic_inc(&queue->next)`
}
