// What barriers keep apart in shared memory is the same for all who read it: fields of a record, elements with numbers of their own, whole records, what a
// function is given by pointer or reference; `volatile` or not. What differs does so because a write may run beside the read.
#include <cub/cub.cuh>

struct counter { int len, filtered; };

__global__ void fields(const int *in, int n) {
  __shared__ counter c;
  if (threadIdx.x == 0) c.len = n;
  __syncthreads();
  if (in[threadIdx.x]) c.filtered = 1;
  if (c.len > 3)
    __syncthreads();
}

__global__ void one_field(const int *in, int n) {
  __shared__ counter c;
  if (threadIdx.x == 0) c.len = n;
  __syncthreads();
  if (in[threadIdx.x]) c.len = 1;
  if (c.len > 3) //~ warning[implicit-warp-synchronous]: `c.len`
    __syncthreads();  //~ warning[divergent-barrier]: `c.len`
}

__global__ void elements(int *head, int *out, int m) {
  __shared__ int mem[2];
  if (threadIdx.x == 0) mem[1] = atomicAdd(head, 1);
  __syncthreads();
  while (mem[1] < m) {
    if (threadIdx.x == 0) mem[0] = m - mem[1];
    __syncthreads();
    out[mem[0] + threadIdx.x] = mem[1];
    __syncthreads();
    if (threadIdx.x == 0) mem[1] = atomicAdd(head, 1);
    __syncthreads();
  }
}

__global__ void elements_in_a_race(int *head, int *out, int m) {
  __shared__ int mem[2];
  if (threadIdx.x == 0) mem[1] = atomicAdd(head, 1);
  __syncthreads();
  while (mem[1] < m) {  //~ warning[unprotected-exit-flag]: `mem[1]`
    out[threadIdx.x] = mem[1];
    if (threadIdx.x == 0) mem[1] = atomicAdd(head, 1); //~ warning[implicit-warp-synchronous]: `mem[1]`
    __syncthreads();
  }
}

__global__ void whole_record(const int *in, int n) {
  __shared__ counter c;
  if (threadIdx.x == 0) c = counter{n, in[0]};
  __syncthreads();
  counter mine = c;
  __syncthreads();
  if (mine.len > 3)
    __syncthreads();
}

__global__ void said_to_be_volatile(const int *in) {
  __shared__ volatile int stop;
  if (threadIdx.x == 0) stop = in[0];
  __syncthreads();
  bool now = stop;
  __syncthreads();
  if (now)
    __syncthreads();
}

__global__ void volatile_of_the_grid(volatile int *stop) {
  if (*stop)
    __syncthreads();  //~ warning[divergent-barrier]: `*stop`
}

__global__ void stored_by_all(const float *in, int n) {
  __shared__ bool found;
  found = false;
  for (int i = 0; i < n && !found; ++i) {
    __syncthreads();
    if (in[i * 256 + threadIdx.x] > 0.5f) found = true;
    __syncthreads();
  }
}

__global__ void stored_by_some(const float *in, int n) {
  __shared__ bool found;
  if (threadIdx.x < n) found = false;
  for (int i = 0; i < n && !found; ++i) {
    __syncthreads();  //~ warning[divergent-barrier]: `found`
    if (in[i * 256 + threadIdx.x] > 0.5f) found = true;
    __syncthreads();  //~ warning[divergent-barrier]: `found`
  }
}

__device__ float agree(float v, float *total) {
  if (threadIdx.x == 0) *total = v;
  __syncthreads();
  return *total;
}

__global__ void given_shared_memory(const float *v) {
  __shared__ float total;
  if (agree(v[threadIdx.x], &total) > 0)
    __syncthreads();
}

__global__ void given_its_own(const float *v) {
  float total = 0;
  if (agree(v[threadIdx.x], &total) > 0)
    __syncthreads();  //~ note[possible-divergence]: `agree(v[threadIdx.x], &total)`
}

__device__ void read_too_late(float v, float &total, bool &more) {
  if (threadIdx.x == 0) total = v;
  __syncthreads();
  if (threadIdx.x == 1) total = 0;
  more = total > 0; //~ warning[implicit-warp-synchronous]: `total`
}

__global__ void given_what_is_written_again(const float *v) {
  __shared__ float total;
  bool more;
  read_too_late(v[threadIdx.x], total, more);
  if (more)
    __syncthreads();  //~ warning[divergent-barrier]: `more`
}

typedef cub::BlockReduce<float, 128> reduce;
struct scratch { reduce::TempStorage storage; float total; };

__global__ void bytes_seen_as_a_record(const float *v, float u) {
  extern __shared__ unsigned char raw[];
  scratch &s = reinterpret_cast<scratch &>(raw);
  float low = 0;
  do {
    float part = reduce(s.storage).Sum(v[threadIdx.x] * low);
    if (threadIdx.x == 0) s.total = part;
    __syncthreads();
    low += s.total;
    __syncthreads();
  } while (low < u);
}

// One array for several things, as launches with dynamic shared memory have it: what begins elsewhere is something else.
__global__ void parts_of_one_array(const float *y, int n, int m) {
  extern __shared__ float row[];  // n values, m counts, m flags
  if (threadIdx.x == 0) row[n + m + threadIdx.y] = 1.f;
  __syncthreads();
  for (int i = 0; i < m; i++) {
    if (row[n + m + i] != -1.f) {
      if (threadIdx.x < n) row[threadIdx.x] = y[threadIdx.x];
      if (threadIdx.x < m) row[n + threadIdx.x] = 0;
      __syncthreads();
      if (row[n + threadIdx.y] < 3.f) row[n + m + threadIdx.y] = -1.f;
      __syncthreads();
    }
  }
}

__global__ void one_part_of_an_array(const float *y, int n, int m) {
  extern __shared__ float cells[];
  cells[n + threadIdx.x] = y[threadIdx.x];
  if (cells[n] > 0) //~ warning[implicit-warp-synchronous]: `cells[n]`
    __syncthreads();  //~ warning[divergent-barrier]: `cells[n]`
}

__global__ void the_last_element(const float *y, int n) {
  extern __shared__ float all[];
  all[threadIdx.x] = y[threadIdx.x];
  if (all[n - 1] > 0)
    __syncthreads();  //~ warning[divergent-barrier]: `all[n - 1]`
}
