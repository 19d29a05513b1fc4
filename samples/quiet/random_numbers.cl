// Random numbers: a Mersenne Twister whose state a work-group shares, a Monte Carlo estimate with a tree of sums, and paths of a random walk that meet
// after each step.

#define STATE 96
#define MIDDLE 37

static uint twist(uint upper, uint lower, uint other) {
  const uint y = (upper & 0x80000000u) | (lower & 0x7fffffffu);
  return other ^ (y >> 1) ^ (y & 1u ? 0x9908b0dfu : 0u);
}

// The new state is made in parts, none of which needs what another one makes.
kernel void twister(global const uint *restrict seeds, global uint *restrict out, const int rounds) {
  local uint state[STATE];
  const int t = get_local_id(0), size = min((int) get_local_size(0), STATE - MIDDLE);
  for (int i = t; i < STATE; i += get_local_size(0))
    state[i] = seeds[get_group_id(0) * STATE + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int round = 0; round < rounds; ++round) {
    for (int first = 0; first < STATE; first += size) {
      const int i = first + t;
      const bool makes = t < size && i < STATE;
      uint next = 0;
      if (makes)
        next = twist(state[i], state[(i + 1) % STATE], state[(i + MIDDLE) % STATE]);
      barrier(CLK_LOCAL_MEM_FENCE);
      if (makes)
        state[i] = next;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    uint y = state[t % STATE];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    out[(round * get_num_groups(0) + get_group_id(0)) * get_local_size(0) + t] = y ^ (y >> 18);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

static uint xorshift(uint *state) {
  uint x = *state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return *state = x;
}

kernel void monte_carlo_pi(global const uint *restrict seeds, global uint *restrict hits, const int tries, local uint *inside) {
  uint state = seeds[get_global_id(0)] | 1u, count = 0;
  for (int i = 0; i < tries; ++i) {
    const float x = xorshift(&state) * 0x1p-32f, y = xorshift(&state) * 0x1p-32f;
    if (x * x + y * y < 1.0f)
      ++count;
  }
  inside[get_local_id(0)] = count;
  for (uint s = get_local_size(0) / 2; s > 0; s /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < s)
      inside[get_local_id(0)] += inside[get_local_id(0) + s];
  }
  if (get_local_id(0) == 0)
    hits[get_group_id(0)] = inside[0];
}

// Walkers of one work-group: they stop together, when all have left.
kernel void walk(global const uint *restrict seeds, global int *restrict steps_taken, const int border, const int limit) {
  local int walking;
  uint state = seeds[get_global_id(0)] | 1u;
  int place = 0, steps = 0;
  for (int step = 0; step < limit; ++step) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
      walking = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (abs(place) < border) {
      place += xorshift(&state) & 1u ? 1 : -1;
      ++steps;
      atomic_inc(&walking);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (walking == 0)
      break;
  }
  steps_taken[get_global_id(0)] = steps;
}
