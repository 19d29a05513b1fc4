// Kernels whose results `tangle simulate` and a plain C++ emulation must agree on. Each gets 256 integers to change, 256 to
// read, 256 numbers, and 23. There are two blocks of 64 threads, in one row or in two.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

#define RANK (threadIdx.x + blockDim.x * threadIdx.y)
#define AT (blockIdx.x * 64 + RANK)

__constant__ int weights[8] = {3, 1, 4, 1, 5, 9, 2, 6};

struct Pair {
  int first, second;
  __device__ int sum() const { return first + second; }
  __device__ void add(int to_first, int to_second) { first += to_first; second += to_second; }
  __device__ int &at(int index) { if (index & 1) return second; return first; }
};

struct Counter {
  int value, step;
  __device__ Counter(int value, int step) : value(value), step(step) {}
  __device__ int next() { value += step; return value; }
  __device__ int operator()(int x) const { return x * step + value; }
};

struct Scaled {
  float factor;
  __device__ explicit Scaled(float factor) : factor(factor) {}
  __device__ float of(float x) const { return factor * x; }
};

__device__ int square(int x) { return x * x; }
__device__ void exchange(int &a, int &b) { int t = a; a = b; b = t; }
__device__ void split(int x, int *low, int *high) { *low = x & 7; *high = x >> 3; }
__device__ Pair ordered(int a, int b) { Pair result = {a, b}; if (b < a) exchange(result.first, result.second); return result; }
__device__ int gcd(int a, int b) { while (b) { int rest = a % b; a = b; b = rest; } return a; }

// ---- Control flow

__global__ void indices(int *p, const int *q, float *f, int n) {
  p[AT] = threadIdx.x + 100 * threadIdx.y + 1000 * blockIdx.x + 3 * blockDim.x + 7 * blockDim.y + gridDim.x;
}

__global__ void branches(int *p, const int *q, float *f, int n) {
  int x = q[AT];
  if (x > 60) x -= 7;
  else if (x > 30) x *= 2;
  else x = -x;
  p[AT] = x > n ? x : n - x;
}

__global__ void loops(int *p, const int *q, float *f, int n) {
  int sum = 0;
  for (int i = 0; i < q[AT] % 9; i++) {
    if (i == 3) continue;
    if (sum > 40) break;
    sum += i * q[i] % 13;
  }
  int count = 0;
  while (sum > 0) { sum /= 2; count++; }
  do { count += 2; } while (count < 5);
  p[AT] = count;
}

__global__ void switches(int *p, const int *q, float *f, int n) {
  int x = 0;
  switch (q[AT] & 7) {
    case 0: x = 5; break;
    case 1:
    case 2: x += 3;
    case 3: x += 10; break;
    case 5: x = -1;
    default: x += 100;
  }
  p[AT] = x;
}

__global__ void jumps(int *p, const int *q, float *f, int n) {
  int x = q[AT], i = 0;
again:
  if (x > 20) {
    x -= 13;
    i++;
    if (i < 5) goto again;
    goto done;
  }
  x += 1000;
done:
  p[AT] = x + i;
}

__global__ void early_return(int *p, const int *q, float *f, int n) {
  __shared__ int tile[64];
  tile[RANK] = q[AT];
  if (RANK >= 40) return;
  __syncthreads();
  p[AT] = tile[39 - RANK];
}

__global__ void nested_loops(int *p, const int *q, float *f, int n) {
  int sum = 0;
  for (int i = 0; i < 4; i++)
    for (int j = i; j < 6; j += 2)
      for (int k = j; k > 0; k--)
        if ((i + j + k + RANK) % 3 == 0) sum += i * 100 + j * 10 + k;
  p[AT] = sum;
}

__global__ void greatest_common_divisors(int *p, const int *q, float *f, int n) { p[AT] = gcd(q[AT] * 6, n * 4 + RANK); }

// ---- Arithmetic

__global__ void integers(int *p, const int *q, float *f, int n) {
  int x = q[AT] - 40;
  unsigned u = x;
  p[AT] = (x / 3) ^ (x % 5) ^ (x << 2) ^ (x >> 1) ^ int(u >> 28) ^ ~x ^ -(x & n) ^ (x | 9);
}

__global__ void narrow_integers(int *p, const int *q, float *f, int n) {
  signed char c = q[AT] * 3;
  unsigned char u = q[AT] * 5;
  short s = q[AT] * 1000;
  unsigned short w = s;
  p[AT] = c + u * 2 + s * 3 + w;
}

__global__ void wide_integers(int *p, const int *q, float *f, int n) {
  long long x = (long long)q[AT] * 1000000007ll + n;
  unsigned long long u = x * 31;
  p[AT] = int(x >> 7) ^ int(u % 1000003);
}

__global__ void numbers(int *p, const int *q, float *f, int n) {
  float x = f[AT];
  f[AT] = (x * 3.0f + 1.5f) / (x * x + 1.0f) - 0.25f;
  p[AT] = int(x * 2.5f);
}

__global__ void double_precision(int *p, const int *q, float *f, int n) {
  double x = f[AT], sum = 0;
  for (int i = 0; i < 5; i++) sum = sum * 0.5 + x / (i + 1);
  f[AT] = sum;
  p[AT] = sum * 1000;
}

__global__ void comparisons(int *p, const int *q, float *f, int n) {
  bool a = f[AT] < 1.5f, b = q[AT] >= n;
  p[AT] = a + 2 * b + 4 * (a && !b) + 8 * (a != b) + 16 * (min(q[AT], n) == n) + max(q[AT], 7);
}

__global__ void bits(int *p, const int *q, float *f, int n) {
  unsigned x = q[AT] * 2654435761u;
  p[AT] = __popc(x) + 100 * __clz(x) + 10000 * __ffs(x) + int(__brev(x) >> 20);
}

__global__ void bits_of_numbers(int *p, const int *q, float *f, int n) {
  int bits = __float_as_int(f[AT]);
  p[AT] = bits >> 16;
  f[AT] = __int_as_float(bits ^ 0x00400000);
}

__global__ void constants(int *p, const int *q, float *f, int n) { p[AT] = weights[q[AT] & 7] * weights[RANK & 7]; }

__global__ void sizes(int *p, const int *q, float *f, int n) {
  p[AT] = sizeof(float3) + 100 * sizeof(Pair) + 10000 * sizeof(long long) + 100000 * sizeof(float4) + sizeof(int *);
}

// ---- Records, references, pointers, objects, lambdas

__global__ void records(int *p, const int *q, float *f, int n) {
  Pair a = {q[AT], n}, b = a;
  b.first += 5;
  a.second = b.sum();
  Pair all[2] = {a, b};
  p[AT] = all[RANK & 1].first * 3 + all[1].second;
}

__global__ void methods(int *p, const int *q, float *f, int n) {
  Pair a = {q[AT], n};
  a.add(3, RANK);
  a.at(RANK) += 50;
  p[AT] = a.sum() * 2 + a.first;
}

__global__ void references(int *p, const int *q, float *f, int n) {
  int a = q[AT], b = n;
  int &alias = a;
  if (alias > b) exchange(a, b);
  alias += 1000;
  p[AT] = a * 3 + b;
}

__global__ void out_parameters(int *p, const int *q, float *f, int n) {
  int low, high;
  split(q[AT] * 7, &low, &high);
  p[AT] = low * 100 + high;
}

__global__ void returned_records(int *p, const int *q, float *f, int n) {
  Pair pair = ordered(q[AT], n);
  p[AT] = pair.second - pair.first + ordered(n, q[RANK]).first;
}

__global__ void constructors(int *p, const int *q, float *f, int n) {
  Counter counter(q[AT], 3);
  int x = counter.next() + counter.next();
  p[AT] = x + Counter(n, 2)(RANK);
}

__global__ void temporaries(int *p, const int *q, float *f, int n) {
  f[AT] = Scaled(1.5f).of(f[AT]) + Scaled(2.0f).of(n);
  p[AT] = Counter(n, q[AT]).next();
}

__global__ void lambdas_by_reference(int *p, const int *q, float *f, int n) {
  int sum = 0, calls = 0;
  auto add = [&](int x) { sum += x; calls++; return sum; };
  for (int i = 0; i < (int)(RANK & 3) + 1; i++) add(q[AT] + i);
  p[AT] = sum * 10 + calls;
}

__global__ void lambdas_by_value(int *p, const int *q, float *f, int n) {
  int factor = q[AT] & 15;
  auto scale = [=](int x) { return x * factor + n; };
  p[AT] = scale(3) - scale(RANK);
}

__global__ void pointers(int *p, const int *q, float *f, int n) {
  int values[4] = {1, q[AT], n, 7};
  int *at = values + (RANK & 3), *end = values + 4;
  int sum = 0;
  while (at < end) sum = sum * 3 + *at++;
  p[AT] = sum;
}

__global__ void arrays(int *p, const int *q, float *f, int n) {
  int grid[3][4];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) grid[i][j] = i * 10 + j * q[AT];
  p[AT] = grid[RANK % 3][RANK % 4] - grid[2][1];
}

__global__ void vectors(int *p, const int *q, float *f, int n) {
  float3 a = make_float3(f[AT], n, q[AT]);
  float3 both[2] = {a, make_float3(1.0f, 2.0f, 3.0f)};
  both[1].y += a.x;
  float4 b = make_float4(a.z, both[1].y, both[0].x, 4.0f);
  b.w *= b.x;
  int2 c = make_int2(q[AT], RANK);
  f[AT] = a.x * b.x + a.y * b.y + a.z * b.z + b.w;
  p[AT] = c.x * 2 - c.y;
}

template <int COUNT> __global__ void template_with_a_number(int *p, const int *q, float *f, int n) {
  __shared__ int tile[COUNT * 16];
  if (RANK < COUNT * 16) tile[RANK] = q[AT];
  __syncthreads();
  int values[COUNT], sum = tile[(RANK * 7) % (COUNT * 8)];
  for (int i = 0; i < COUNT; i++) values[i] = q[(AT + i) & 127];
  for (int i = 0; i < COUNT; i++) sum += values[COUNT - 1 - i] * (i + 1);
  if constexpr (COUNT > 4) sum += 1000;
  p[AT] = sum;
}
template <typename T> __global__ void template_with_a_type(int *p, const int *q, float *f, int n) {
  T x = q[AT] * 1000003;
  T y = x * 3;
  p[AT] = int(y >> 3) + int(sizeof(T));
}

// ---- Function templates that kernels call

template <class T> __device__ T larger(T a, T b) { return a < b ? b : a; }
template <class T> __device__ void rotate(T &a, T &b, T &c) { T t = a; a = b; b = c; c = t; }
template <class T> __device__ T total(const T *values, int count) {
  T sum = 0;
  for (int i = 0; i < count; i++) sum += values[i];
  return sum;
}
template <int N> __device__ int countdown(int x) {
  if constexpr (N > 0) return countdown<N - 1>(x * 3 + N);
  else return x;
}
template <class To, int SHIFT = 2> __device__ To scaled_to(int x) { return To(x) << SHIFT; }
template <bool UP, unsigned STEP> __device__ int moved(int x) { return UP ? x + STEP : x - STEP; }
template <class T> __device__ int bytes_of(T) { return sizeof(T); }
template <> __device__ int bytes_of<Pair>(Pair pair) { return 100 + pair.second; }
template <class T> __device__ T warp_total(T x) {
  for (int by = 16; by > 0; by /= 2) x += __shfl_xor_sync(0xffffffff, x, by);
  return x;
}
template <class T, int COUNT> __device__ T block_total(T x) {
  __shared__ T parts[COUNT];
  T sum = warp_total(x);
  if (RANK % 32 == 0) parts[RANK / 32] = sum;
  __syncthreads();
  sum = total(parts, COUNT);
  __syncthreads();
  return sum;
}
template <class Op> __device__ int folded(const int *q, Op op) {
  int x = q[0];
  for (int i = 1; i < 6; i++) x = op(x, q[i]);
  return x;
}
struct Larger { __device__ int operator()(int a, int b) const { return larger(a, b); } };
struct Weighted { int weight; __device__ int operator()(int a, int b) const { return a * weight + b; } };
namespace tools {
template <class T> __device__ T twice(T x) { return x + x; }
template <class T> __device__ T four_times(T x) { return twice(twice(x)); }
}
template <class T> __device__ T with_lambda(T x, T y) {
  T most = y;
  auto add = [&](T z) { most = z > most ? z : most; return z + x; };
  return add(y) * 2 + add(x) + most;
}

__global__ void calls_of_templates(int *p, const int *q, float *f, int n) {
  int a = larger(q[AT], n), b = q[AT + 1], c = 5;
  rotate(a, b, c);
  float x = larger(f[AT], 2.5f), y = f[RANK + 128], z = 0.25f;
  rotate(x, y, z);
  f[AT] = x * 4 + y * 2 + z;
  p[AT] = a * 10000 + b * 100 + c;
}

__global__ void numbers_of_templates(int *p, const int *q, float *f, int n) {
  p[AT] = countdown<4>(q[AT]) + scaled_to<int>(q[AT]) + int(scaled_to<long long, 7>(n)) + moved<true, 5u>(n) * moved<false, 3u>(q[AT]);
}

__global__ void types_of_templates(int *p, const int *q, float *f, int n) {
  Pair pair = {q[AT], 3};
  p[AT] = bytes_of(q[AT]) + 10 * bytes_of(1.0) + 100 * bytes_of('x') + 1000 * bytes_of(pair) + bytes_of(&pair);
}

__global__ void reductions_of_templates(int *p, const int *q, float *f, int n) {
  int sum = block_total<int, 2>(q[AT]);
  long long wide = block_total<long long, 2>((long long)(q[AT]) << 33);
  p[AT] = sum + int(wide >> 32) + warp_total(q[AT]);
}

__global__ void functions_as_arguments(int *p, const int *q, float *f, int n) {
  Weighted weighted = {n % 5};
  p[AT] = folded(q + RANK, Larger()) * 1000 + folded(q + RANK, weighted);
}

__global__ void templates_in_templates(int *p, const int *q, float *f, int n) {
  p[AT] = tools::four_times(q[AT]) + with_lambda(q[AT], n);
  f[AT] = tools::four_times(f[AT]) + with_lambda(0.5f, f[RANK + 128]);
}

template <typename T> __global__ void template_that_calls_templates(int *p, const int *q, float *f, int n) {
  T x = larger<T>(q[AT], n), y = total<T>((const T *)f, 0);
  auto add = [&](T z) { return z + x; };
  p[AT] = int(add(y)) + bytes_of(x) + int(warp_total(x)) + folded(q + RANK, Larger());
}

// ---- Shared memory and barriers

__global__ void reversal(int *p, const int *q, float *f, int n) {
  __shared__ int tile[64];
  tile[RANK] = q[AT];
  __syncthreads();
  p[AT] = tile[63 - RANK];
}

__global__ void dynamic_shared_memory(int *p, const int *q, float *f, int n) {
#ifdef EMULATED
  static int values[128];
#else
  extern __shared__ int values[];
#endif
  values[RANK] = q[AT];
  values[64 + RANK] = n - RANK;
  __syncthreads();
  p[AT] = values[63 - RANK] + values[64 + (RANK ^ 5)] * 3;
}

__global__ void reduction(int *p, const int *q, float *f, int n) {
  __shared__ int sums[64];
  sums[RANK] = q[AT];
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads();
    if (RANK < half) sums[RANK] += sums[RANK + half];
  }
  __syncthreads();
  p[AT] = sums[0];
}

__global__ void inclusive_scan(int *p, const int *q, float *f, int n) {
  __shared__ int sums[2][64];
  int from = 0;
  sums[0][RANK] = q[AT];
  for (int by = 1; by < 64; by *= 2) {
    __syncthreads();
    int x = sums[from][RANK];
    if (RANK >= by) x += sums[from][RANK - by];
    sums[1 - from][RANK] = x;
    from = 1 - from;
  }
  p[AT] = sums[from][RANK];
}

__global__ void exclusive_scan(int *p, const int *q, float *f, int n) {
  __shared__ int sums[64];
  sums[RANK] = q[AT];
  int step = 1;
  for (int pairs = 32; pairs > 0; pairs /= 2) {
    __syncthreads();
    if (RANK < pairs) sums[step * (2 * RANK + 2) - 1] += sums[step * (2 * RANK + 1) - 1];
    step *= 2;
  }
  if (RANK == 0) sums[63] = 0;
  for (int pairs = 1; pairs < 64; pairs *= 2) {
    step /= 2;
    __syncthreads();
    if (RANK < pairs) {
      int left = step * (2 * RANK + 1) - 1, right = step * (2 * RANK + 2) - 1, t = sums[left];
      sums[left] = sums[right];
      sums[right] += t;
    }
  }
  __syncthreads();
  p[AT] = sums[RANK];
}

__global__ void bitonic_sort(int *p, const int *q, float *f, int n) {
  __shared__ int keys[64];
  keys[RANK] = q[AT];
  for (int size = 2; size <= 64; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      int other = RANK ^ stride;
      if (other > RANK) {
        bool up = (RANK & size) == 0;
        if ((keys[RANK] > keys[other]) == up) exchange(keys[RANK], keys[other]);
      }
    }
  __syncthreads();
  p[AT] = keys[RANK];
}

__global__ void transposition(int *p, const int *q, float *f, int n) {
  __shared__ int tile[8][9];
  int row = RANK / 8, column = RANK % 8;
  tile[row][column] = q[AT];
  __syncthreads();
  p[AT] = tile[column][row];
}

__global__ void matrix_product(int *p, const int *q, float *f, int n) {
  __shared__ float a[8][8], b[8][8];
  int row = RANK / 8, column = RANK % 8;
  a[row][column] = f[AT];
  b[row][column] = q[AT];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; k++) sum += a[row][k] * b[k][column];
  f[AT] = sum;
}

__global__ void stencil(int *p, const int *q, float *f, int n) {
  __shared__ int cells[66];
  cells[RANK + 1] = q[AT];
  if (RANK == 0) cells[0] = cells[65] = n;
  for (int round = 0; round < 3; round++) {
    __syncthreads();
    int next = (cells[RANK] + 2 * cells[RANK + 1] + cells[RANK + 2]) / 4;
    __syncthreads();
    cells[RANK + 1] = next;
  }
  p[AT] = cells[RANK + 1];
}

__global__ void shared_records(int *p, const int *q, float *f, int n) {
  __shared__ Pair pairs[64];
  __shared__ Pair chosen;
  pairs[RANK] = ordered(q[AT], n);
  if (RANK == 5) chosen = pairs[RANK];
  __syncthreads();
  Pair other = pairs[RANK ^ 1];
  p[AT] = other.sum() + chosen.second;
}

__global__ void count_of_the_block(int *p, const int *q, float *f, int n) { p[AT] = __syncthreads_count(q[AT] > n); }

__global__ void votes_of_the_block(int *p, const int *q, float *f, int n) {
  p[AT] = __syncthreads_or(q[AT] == 5) + 2 * __syncthreads_and(q[AT] < 97) + 4 * __syncthreads_and(q[AT] > 3);
}

__global__ void uniform_loop(int *p, const int *q, float *f, int n) {
  __shared__ int changed;
  __shared__ int values[64];
  values[RANK] = q[AT] & 31;
  do {
    __syncthreads();
    if (RANK == 0) changed = 0;
    __syncthreads();
    int left = RANK ? values[RANK - 1] : 0;
    __syncthreads();
    if (left > values[RANK]) {
      values[RANK] = left;
      changed = 1;
    }
    __syncthreads();
  } while (changed);
  p[AT] = values[RANK];
}

// ---- Atomics

__global__ void histogram(int *p, const int *q, float *f, int n) {
  __shared__ int bins[16];
  if (RANK < 16) bins[RANK] = 0;
  __syncthreads();
  atomicAdd(&bins[q[AT] & 15], 1);
  __syncthreads();
  p[AT] = RANK < 16 ? bins[RANK] : -1;
}

__global__ void atomics_on_shared_memory(int *p, const int *q, float *f, int n) {
  __shared__ int sum, least, most, ones, parity;
  if (RANK == 0) sum = 0, least = 1000, most = -1000, ones = 0, parity = 0;
  __syncthreads();
  atomicAdd(&sum, q[AT]);
  atomicMin(&least, q[AT] + 1);
  atomicMax(&most, q[AT]);
  atomicOr(&ones, 1 << (q[AT] & 15));
  atomicXor(&parity, q[AT]);
  __syncthreads();
  p[AT] = sum + least * 3 + most * 7 + ones + parity;
}

__global__ void atomics_of_all_blocks(int *p, const int *q, float *f, int n) {
  atomicAdd(&p[200 + (q[AT] & 7)], q[AT]);
  atomicMax(&p[210 + (AT & 3)], q[AT]);
  atomicSub(&p[220], 2);
}

__global__ void compare_and_swap(int *p, const int *q, float *f, int n) {
  __shared__ int product;
  if (RANK == 0) product = 1;
  __syncthreads();
  int old = product, expected;
  do {
    expected = old;
    old = atomicCAS(&product, expected, (expected * 3) % 1009);
  } while (old != expected);
  __syncthreads();
  p[AT] = product;
}

__global__ void wrapping_counter(int *p, const int *q, float *f, int n) {
  __shared__ unsigned tickets;
  if (RANK == 0) tickets = 0;
  __syncthreads();
  atomicInc(&tickets, 9);
  __syncthreads();
  p[AT] = tickets;
}

__global__ void exchanged(int *p, const int *q, float *f, int n) {
  __shared__ int slots[64];
  slots[RANK] = -1;
  __syncthreads();
  int old = atomicExch(&slots[(RANK * 5 + 3) & 63], q[AT]);
  __syncthreads();
  p[AT] = slots[RANK] + old;
}

// ---- Warps

__global__ void shuffle(int *p, const int *q, float *f, int n) {
  int lane = RANK % 32;
  p[AT] = __shfl_sync(~0u, q[AT], lane * 7 + 3) + __shfl_sync(~0u, q[AT], 5, 8) * 3;
  f[AT] = __shfl_sync(~0u, f[AT], 31 - lane);
}

__global__ void shuffles_by_distance(int *p, const int *q, float *f, int n) {
  int x = q[AT];
  p[AT] = __shfl_up_sync(~0u, x, 3) + 7 * __shfl_down_sync(~0u, x, 5) + 11 * __shfl_up_sync(~0u, x, 1, 4) + 13 * __shfl_down_sync(~0u, x, 2, 16);
}

__global__ void reduction_of_a_warp(int *p, const int *q, float *f, int n) {
  int sum = q[AT];
  for (int by = 16; by > 0; by /= 2) sum += __shfl_xor_sync(~0u, sum, by);
  p[AT] = sum;
}

__global__ void scan_of_a_warp(int *p, const int *q, float *f, int n) {
  int lane = RANK % 32, sum = q[AT];
  for (int by = 1; by < 32; by *= 2) {
    int other = __shfl_up_sync(~0u, sum, by);
    if (lane >= by) sum += other;
  }
  p[AT] = sum;
}

__global__ void shuffle_of_wide_values(int *p, const int *q, float *f, int n) {
  double x = f[AT] * 3.0;
  long long y = (long long)q[AT] << 33;
  x = __shfl_xor_sync(~0u, x, 4);
  y = __shfl_down_sync(~0u, y, 1);
  f[AT] = x;
  p[AT] = y >> 30;
}

__global__ void votes(int *p, const int *q, float *f, int n) {
  p[AT] = __any_sync(~0u, q[AT] == 14) + 2 * __all_sync(~0u, q[AT] < 96) + __popc(__ballot_sync(~0u, q[AT] > n)) * 100;
}

__global__ void votes_in_a_branch(int *p, const int *q, float *f, int n) {
  unsigned mask = __ballot_sync(~0u, q[AT] & 1);
  if (q[AT] & 1) p[AT] = __ballot_sync(mask, q[AT] > n) + __shfl_sync(mask, q[AT], __ffs(mask) - 1);
  else p[AT] = -1;
}

__global__ void compaction(int *p, const int *q, float *f, int n) {
  __shared__ int kept[2][32];
  int lane = RANK % 32, warp = RANK / 32;
  kept[warp][lane] = 0;
  __syncwarp();
  unsigned mask = __ballot_sync(~0u, q[AT] > n);
  if (q[AT] > n) kept[warp][__popc(mask & ((1u << lane) - 1))] = q[AT];
  __syncwarp();
  p[AT] = kept[warp][lane];
}

__global__ void matching_lanes(int *p, const int *q, float *f, int n) {
  unsigned mask = __match_any_sync(~0u, q[AT] & 7);
  p[AT] = __popc(mask) * 100 + __ffs(mask);
}

__global__ void reductions_of_hardware(int *p, const int *q, float *f, int n) {
  p[AT] = __reduce_add_sync(~0u, q[AT]) + 10000 * __reduce_max_sync(~0u, q[AT]);
}

__global__ void lanes_that_return(int *p, const int *q, float *f, int n) {
  if (RANK % 32 >= 20) return;
  p[AT] = __popc(__ballot_sync(0xfffffu, q[AT] > n)) * 10 + __any_sync(0xfffffu, q[AT] > 90);
}

__global__ void reduction_of_a_block(int *p, const int *q, float *f, int n) {
  __shared__ int sums[2];
  int sum = q[AT];
  for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(~0u, sum, by);
  if (RANK % 32 == 0) sums[RANK / 32] = sum;
  __syncthreads();
  p[AT] = sums[0] * 3 + sums[1];
}

// ---- Groups

__global__ void block_as_a_group(int *p, const int *q, float *f, int n) {
  __shared__ int tile[64];
  cg::thread_block block = cg::this_thread_block();
  tile[block.thread_rank()] = q[AT] + block.group_index().x;
  block.sync();
  p[AT] = tile[block.size() - 1 - block.thread_rank()] + block.thread_index().y * 1000 + block.group_dim().x;
}

__global__ void tiles(int *p, const int *q, float *f, int n) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int sum = q[AT];
  for (int by = tile.size() / 2; by > 0; by /= 2) sum += tile.shfl_down(sum, by);
  p[AT] = tile.shfl(sum, 0) + 1000 * tile.thread_rank() + 10000 * tile.meta_group_rank() + 100000 * tile.meta_group_size();
}

__global__ void votes_of_tiles(int *p, const int *q, float *f, int n) {
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
  p[AT] = tile.ballot(q[AT] > n) + (tile.any(q[AT] == 50) << 20) + (tile.all(q[AT] > 0) << 21);
  tile.sync();
  p[AT] += tile.shfl_xor(q[AT], 9) + tile.shfl_up(q[AT], 2);
}

__global__ void reductions_of_tiles(int *p, const int *q, float *f, int n) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int sum = cg::reduce(tile, q[AT], cg::plus<int>());
  int most = cg::reduce(warp, q[AT], cg::greater<int>{}), least = cg::reduce(tile, q[AT] - 50, cg::less<int>());
  long long wide = cg::reduce(warp, (long long)q[AT] << 33, cg::plus<long long>{});
  p[AT] = sum + 1000 * most + 100000 * least + int(wide >> 31) + cg::reduce(tile, q[AT], cg::bit_xor<int>());
  float all = cg::reduce(warp, f[AT], cg::plus<float>{});
  f[AT] = all + cg::reduce(tile, f[AT], cg::greater<float>{});
}

__global__ void scans_of_tiles(int *p, const int *q, float *f, int n) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int with = cg::inclusive_scan(tile, q[AT], cg::plus<int>()), without = cg::exclusive_scan(tile, q[AT], cg::plus<int>());
  p[AT] = with * 10000 + without + cg::inclusive_scan(tile, q[AT], cg::greater<int>()) * 7;
  f[AT] = cg::exclusive_scan(tile, f[AT], cg::plus<float>());
}

template <class Tile> __device__ int passed(Tile tile, int x) { return cg::reduce(tile, x, cg::plus<int>()) + tile.thread_rank(); }
__global__ void tiles_as_arguments(int *p, const int *q, float *f, int n) {
  p[AT] = passed(cg::tiled_partition<4>(cg::this_thread_block()), q[AT]) + passed(cg::tiled_partition<32>(cg::this_thread_block()), n);
}

__global__ void cached_accesses(int *p, const int *q, float *f, int n) {
  assert(n > 0);
  __stcs(&p[AT], __ldg(q + AT) + __ldcs(&q[RANK]));
  __stcs(f + AT, __ldg(f + RANK + 128) * 2);
}

// Unless all its arguments are float, a function of <cmath> is that of double.
__global__ void functions_of_cmath(int *p, const int *q, float *f, int n) {
  float one = f[AT];
  double two = q[AT];
  int same = sizeof(fmax(one, one)) + 10 * sizeof(fmod(two, two)) + 100 * sizeof(sqrt(one));
  int mixed = sizeof(fmax(one, two)) + 10 * sizeof(fmod(two, n)) + 100 * sizeof(pow(n, one)) + 1000 * sizeof(sqrt(n));
  p[AT] = q[AT] + same * 10000 + mixed;
}

// Class templates: explicit and partial specialisations, default arguments, constants and types as members.
template <class T> struct Buffer {
  __device__ operator T *() { __shared__ int memory[256]; return (T *)memory; }
};
template <> struct Buffer<float> {
  __device__ operator float *() { __shared__ float floats[256]; return floats; }
};
template <class T> __device__ T neighbour(T mine) {
  T *all = Buffer<T>();
  all[threadIdx.x + threadIdx.y * blockDim.x] = mine;
  __syncthreads();
  T theirs = all[(threadIdx.x + threadIdx.y * blockDim.x) ^ 1];
  __syncthreads();
  return theirs;
}
__global__ void conversions_of_class_templates(int *p, const int *q, float *f, int n) {
  p[AT] = neighbour(q[AT]) + neighbour(short(q[AT] * 3));
  f[AT] = neighbour(f[AT]);
}

template <class E> struct Pack {
  Pack() = default;
  __device__ explicit Pack(int4 bits) { memcpy(&part, &bits, sizeof(bits)); }
  __device__ static Pack constant(E value) {
    Pack made;
    for (int k = 0; k < size; ++k) made.part[k] = value;
    return made;
  }
  __device__ static Pack zeros() { return constant(E(0)); }
  __device__ E &operator[](int at) { return part[at]; }
  __device__ Pack operator+(const Pack &other) const {
    Pack sum;
    for (int k = 0; k < size; ++k) sum.part[k] = part[k] + other.part[k];
    return sum;
  }
  __device__ int4 bits() const { int4 all; memcpy(&all, &part, sizeof(all)); return all; }
  static constexpr const size_t size = sizeof(int4) / sizeof(E);
  E part[size];
};
template <class E> __device__ Pack<E> read_pack(const E *at) { return Pack<E>{*reinterpret_cast<const int4 *>(at)}; }
template <class E> __device__ void write_pack(E *at, Pack<E> pack) { *reinterpret_cast<int4 *>(at) = pack.bits(); }
typedef Pack<float> floats;
__global__ void packs(int *p, const int *q, float *f, int n) {
  int i = AT / floats::size * floats::size;
  floats pack = read_pack(f + i), sum = floats::zeros();
  __syncthreads();
  for (int k = 0; k < pack.size; k++) sum[k] = 2 * pack[k] + k;
  if (AT % 4 == 0) write_pack(f + i, sum + pack);
  Pack<short> small = Pack<short>::constant(n);
  small[3] += q[AT];
  p[AT] = small[3] * 100 + small[7] + Pack<char>::size;
}

template <class T, int N = 4> struct Ring {
  using type = T;
  enum { last = N - 1 };
  T slots[N];
  __device__ void put(int at, T value) { slots[at & last] = value; }
  __device__ T sum() const { T all = 0; for (int i = 0; i < N; i++) all += slots[i]; return all; }
  template <class U> __device__ U sum_as(U start) const { return start + U(sum()); }
};
template <class T> struct Ring<T, 1> {
  using type = long long;
  T only;
  __device__ void put(int, T value) { only = value; }
  __device__ T sum() const { return only * 7; }
};
template <class T> struct Ring<T *, 2> {
  T *at;
  __device__ T first() const { return at[0] - at[1]; }
};
__global__ void specialisations(int *p, const int *q, float *f, int n) {
  Ring<int> ring;
  Ring<int, 1> one;
  for (int i = 0; i < 6; i++) ring.put(i, q[(AT + i) % 128]);
  one.put(3, q[AT]);
  Ring<float *, 2> pointers{f + RANK};
  typename Ring<int, 1>::type wide = 1LL << 33;
  Ring<int>::type narrow = Ring<int, 8>::last;
  p[AT] = ring.sum() + one.sum() + int(pointers.first()) + int(wide >> 30) + narrow + sizeof(ring) + ring.sum_as(short(n));
}

template <class T> struct Link {
  T value;
  Link *next;
  __device__ Link *append(Link *other);
};
template <class T> __device__ Link<T> *Link<T>::append(Link<T> *other) { next = other; return this; }
struct Steps {
  static constexpr int STEP = 5;
  int count;
  __device__ Steps(int start) : count(start) {}
  __device__ Steps &operator++() { count += STEP; return *this; }
  __device__ Steps operator++(int) { Steps old = *this; count += STEP; return old; }
  __device__ Steps &operator+=(int by) { count += by * STEP; return *this; }
  __device__ operator int() const { return count; }
  __device__ bool operator<(const Steps &other) const { return count < other.count; }
};
__device__ Steps operator*(const Steps &a, int by) { return Steps(a.count * by + 1); }
__global__ void operators_of_classes(int *p, const int *q, float *f, int n) {
  Link<float> second{f[AT], nullptr}, first{1.5f, nullptr};
  Link<float> *list = first.append(&second);
  Steps a(q[AT]), b = a++;
  ++a;
  b += 2;
  Steps c = b * 3;
  p[AT] = (a < b) + 10 * int(a) + c + (c < a ? Steps::STEP : n);
  f[AT] = list->next->value + list->value;
}

#ifndef EMULATED
void host(dim3 blocks, dim3 threads) {
  template_with_a_number<5><<<blocks, threads>>>(0, 0, 0, 0);
  template_with_a_number<3><<<blocks, threads>>>(0, 0, 0, 0);
  template_that_calls_templates<short><<<blocks, threads>>>(0, 0, 0, 0);
  template_with_a_type<unsigned long long><<<blocks, threads>>>(0, 0, 0, 0);
}
#endif
