// What decides whether lanes of a warp race: ids from assembly, unknown code between two accesses, and the size of the
// block in a launch by the host.

__device__ int lane_id() {
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

// Each lane has elements of its own.
__global__ void own_elements_by_assembly(float *p, float x) {
  __shared__ volatile float s[128];
  int lane = lane_id();
  for (int i = 0; i < 4; ++i) s[lane + 32 * i] = 0;
  for (int i = 0; i < 4; ++i) s[lane + 32 * i] -= x;
  p[threadIdx.x] = s[lane];
}

// Another lane stored the element.
__global__ void element_of_another_lane_by_assembly(float *p) {
  __shared__ float s[32];
  int lane = lane_id();
  s[lane] = p[lane];
  p[lane] = s[lane ^ 1]; //~ warning[implicit-warp-synchronous]: no barrier is between a store in one lane and this read of `s[lane ^ 1]`
}

// The output of other assembly can be anything.
__global__ void unknown_assembly(float *p) {
  __shared__ float s[1024];
  int place;
  asm("mad.lo.u32 %0, %%nwarpid, 32, %%laneid;" : "=r"(place));
  s[place] = 0;
  s[place] += p[threadIdx.x];
  p[threadIdx.x] = s[place];
}

// A function without a definition can return the lane.
__device__ int my_place();
__global__ void unknown_function(float *p) {
  __shared__ float s[1024];
  int place = my_place();
  s[place] += p[threadIdx.x];
  p[threadIdx.x] = s[place];
}

// A macro of a missing header can be a barrier.
__global__ void unknown_statement(int *p) {
  __shared__ int n;
  if (threadIdx.x == 0) n = p[0];
  WAIT_FOR_ALL;
  p[threadIdx.x] = n;
}

// Records of unknown size in an array of bytes: each lane has its own.
template <class T> struct moments;

template <class T, int Size> __global__ void records_in_bytes(const T *p, moments<T> *out) {
  __shared__ unsigned char bytes[Size * sizeof(moments<T>)];
  auto s = (moments<T> *)bytes;
  int thread = threadIdx.x + threadIdx.y * blockDim.x;
  moments<T> own = moments<T>(p[thread]);
  s[thread] = own;
  own = s[thread];
  out[thread] = own;
}

template <class T, int Size> __global__ void next_record_in_bytes(const T *p, moments<T> *out) {
  __shared__ unsigned char bytes[Size * sizeof(moments<T>)];
  auto s = (moments<T> *)bytes;
  moments<T> own = moments<T>(p[threadIdx.x]);
  s[threadIdx.x] = own;
  own = s[threadIdx.x + 1]; //~ warning[implicit-warp-synchronous]
  out[threadIdx.x] = own;
}

// The rows of a matrix do not overlap, whatever the size of its elements is.
__global__ void own_element_of_an_unknown_type(const given *p) {
  __shared__ given s[6][6];
  int i = threadIdx.x / 6;
  int j = threadIdx.x - 6 * i;
  if (threadIdx.x < 32) {
    s[i][j] = p[i];
    s[i][j] += p[j];
  }
}

__global__ void transposed_element_of_an_unknown_type(const given *p, given *out) {
  __shared__ given s[6][6];
  int i = threadIdx.x / 6;
  int j = threadIdx.x - 6 * i;
  if (threadIdx.x < 32) {
    s[i][j] = p[i];
    out[threadIdx.x] = s[j][i]; //~ warning[implicit-warp-synchronous]: no barrier is between a store in one lane and this read of `s[j][i]`
  }
}

// Launched with 16 threads: no lane reads what another one stores.
__global__ void half_a_warp(int *p) {
  __shared__ int s[48];
  s[threadIdx.x] = p[threadIdx.x];
  s[threadIdx.x + 16] = 0;
  p[threadIdx.x] = s[threadIdx.x];
}

// Launched with 64 threads: lane 16 stores what lane 0 stored before, and reads.
__global__ void whole_warps(int *p) {
  __shared__ int s[80];
  s[threadIdx.x] = p[threadIdx.x];
  s[threadIdx.x + 16] = 0;
  p[threadIdx.x] = s[threadIdx.x]; //~ warning[implicit-warp-synchronous]: no barrier is between a store in one lane and this read of `s[threadIdx.x]`
}

void host(int *p) {
  half_a_warp<<<1, 16>>>(p);
  dim3 block(64);
  whole_warps<<<1, block>>>(p);
}
