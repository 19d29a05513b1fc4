// Irregular work: a Mandelbrot set by a queue of tiles, rays through a tree of boxes with a stack, the frontier of a graph, particles in cells, a hash table,
// and a search for words.

#define TILE 8

kernel void mandelbrot(global int *restrict image, volatile global int *queue, const int width, const int height, const int limit) {
  local int taken;
  const int tiles_x = (width + TILE - 1) / TILE, tiles = tiles_x * ((height + TILE - 1) / TILE);
  while (true) {
    if (get_local_id(0) == 0)
      taken = atomic_inc(queue);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int tile = taken;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tile >= tiles)
      return;
    for (int i = get_local_id(0); i < TILE * TILE; i += get_local_size(0)) {
      const int px = tile % tiles_x * TILE + i % TILE, py = tile / tiles_x * TILE + i / TILE;
      if (px >= width || py >= height)
        continue;
      const float2 c = (float2)(3.0f * px / width - 2.0f, 2.0f * py / height - 1.0f);
      float2 z = (float2)(0.0f);
      int steps = 0;
      while (steps < limit && dot(z, z) <= 4.0f) {
        z = (float2)(z.x * z.x - z.y * z.y, 2.0f * z.x * z.y) + c;
        ++steps;
      }
      image[py * width + px] = steps;
    }
  }
}

#define DEPTH 16
#define CACHED 32

typedef struct {
  float4 low, high; /* in w: the left child, or the triangle; whether it is a leaf */
} box_t;

static bool hits(const float3 from, const float3 inverse, const local box_t *box, const float best) {
  const float3 a = (box->low.xyz - from) * inverse, b = (box->high.xyz - from) * inverse;
  const float3 near = fmin(a, b), far = fmax(a, b);
  const float enter = fmax(fmax(near.x, near.y), near.z), leave = fmin(fmin(far.x, far.y), far.z);
  return leave >= fmax(enter, 0.0f) && enter < best;
}

// The top of the tree is kept in local memory; each ray has a stack of its own.
kernel void trace(global const box_t *restrict boxes, global const float8 *restrict rays, global int *restrict found, const int count,
                  const int rays_count) {
  local box_t top[CACHED];
  const int cached = min(count, CACHED);
  for (int i = get_local_id(0); i < cached; i += get_local_size(0))
    top[i] = boxes[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int ray = get_global_id(0);
  if (ray >= rays_count || cached == 0)
    return;
  const float3 from = rays[ray].s012, inverse = 1.0f / rays[ray].s456;
  int stack[DEPTH], height = 0, hit = -1;
  stack[height++] = 0;
  do {
    const local box_t *box = &top[stack[--height]];
    if (!hits(from, inverse, box, rays[ray].s7))
      continue;
    const int child = (int) box->low.w;
    if (box->high.w != 0.0f)
      hit = child;
    else if (child > 0 && child + 1 < cached && height + 2 <= DEPTH) {
      stack[height++] = child;
      stack[height++] = child + 1;
    }
  } while (height > 0);
  found[ray] = hit;
}

#define QUEUE 256

// One level of a breadth-first search: a queue in local memory, which is emptied into the global one.
kernel void expand_frontier(global const int *restrict first, global const int *restrict edges, global int *restrict depth,
                            global const int *restrict frontier, const int count, global int *restrict next, volatile global int *next_count,
                            const int level) {
  local int queue[QUEUE], length, place;
  if (get_local_id(0) == 0)
    length = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int at = get_global_id(0);
  if (at < count) {
    const int node = frontier[at];
    for (int e = first[node]; e < first[node + 1]; ++e) {
      const int other = edges[e];
      if (atomic_cmpxchg(&depth[other], -1, level) != -1)
        continue;
      const int slot = atomic_inc(&length);
      if (slot < QUEUE)
        queue[slot] = other;
      else
        next[atomic_inc(next_count)] = other;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int kept = min(length, QUEUE);
  if (get_local_id(0) == 0)
    place = atomic_add(next_count, kept);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id(0); i < kept; i += get_local_size(0))
    next[place + i] = queue[i];
}

#define CELLS 64

kernel void bin_particles(global const float4 *restrict particles, global int *restrict order, global int *restrict starts, const int n,
                          const float cell) {
  local int counts[CELLS], begins[CELLS];
  const int t = get_local_id(0), size = get_local_size(0);
  for (int i = t; i < CELLS; i += size)
    counts[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = t; i < n; i += size)
    atomic_inc(&counts[((int) (particles[i].x / cell) & 7) * 8 + ((int) (particles[i].y / cell) & 7)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t == 0)
    for (int i = 0, sum = 0; i < CELLS; ++i) {
      begins[i] = sum;
      sum += counts[i];
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = t; i < CELLS; i += size)
    starts[i] = begins[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = t; i < n; i += size) {
    const int own = ((int) (particles[i].x / cell) & 7) * 8 + ((int) (particles[i].y / cell) & 7);
    order[atomic_inc(&begins[own])] = i;
  }
}

#define TABLE 128
#define FREE 0u

// Keys go into a table in local memory by open addressing, and from there to the next free places outside.
kernel void distinct(global const uint *restrict keys, global uint *restrict out, volatile global uint *out_count, const uint n) {
  local uint table[TABLE], lost;
  const uint t = get_local_id(0), size = get_local_size(0);
  for (uint i = t; i < TABLE; i += size)
    table[i] = FREE;
  if (t == 0)
    lost = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
    const uint key = keys[i] + 1u;
    uint slot = key * 2654435761u % TABLE, tries = 0;
    for (; tries < TABLE; ++tries) {
      const uint before = atomic_cmpxchg(&table[slot], FREE, key);
      if (before == FREE || before == key)
        break;
      slot = (slot + 1) % TABLE;
    }
    if (tries == TABLE)
      atomic_inc(&lost);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lost > 0)
    return;
  for (uint i = t; i < TABLE; i += size)
    if (table[i] != FREE)
      out[atomic_inc(out_count)] = table[i] - 1u;
}

#define MAX_WORD 32

// AMD's StringSearch: the word in local memory, each work-item with a part of the text, and the matches of a work-group side by side.
kernel void search_word(global const uchar *restrict text, const uint length, global const uchar *restrict word, const uint of_word,
                        global uint *restrict matches, global uint *restrict counts, const uint most) {
  local uchar pattern[MAX_WORD];
  local uint count;
  const uint t = get_local_id(0), part = (length + get_num_groups(0) - 1) / get_num_groups(0), first = get_group_id(0) * part;
  if (of_word == 0 || of_word > MAX_WORD || first + of_word > length)
    return;
  if (t == 0)
    count = 0;
  for (uint i = t; i < of_word; i += get_local_size(0))
    pattern[i] = word[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint last = min(first + part, length - of_word + 1);
  for (uint at = first + t; at < last; at += get_local_size(0)) {
    uint k = 0;
    while (k < of_word && text[at + k] == pattern[k])
      ++k;
    if (k == of_word) {
      const uint slot = atomic_inc(&count);
      if (slot < most)
        matches[get_group_id(0) * most + slot] = at;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t == 0)
    counts[get_group_id(0)] = count;
}
