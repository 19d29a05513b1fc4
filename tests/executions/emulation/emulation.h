// CUDA in plain C++, for kernels that clang compiles for the host. The threads of a block are fibers that run in turns.
// A barrier ends when all threads that have not returned wait at it; an operation of a warp ends when all lanes of its
// mask wait that have not returned. Blocks run one after the other.
#include <cassert>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define EMULATED
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __constant__ static
#define __shared__ static

struct uint3 { unsigned x, y, z; };
typedef uint3 dim3;
struct int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };
struct float2 { float x, y; };
struct float3 { float x, y, z; };
struct alignas(16) float4 { float x, y, z, w; };
static int2 make_int2(int x, int y) { return {x, y}; }
static int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
static float2 make_float2(float x, float y) { return {x, y}; }
static float3 make_float3(float x, float y, float z) { return {x, y, z}; }
static float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

enum State { RUNS, WAITS_FOR_BLOCK, WAITS_FOR_WARP, RETURNED };
struct Fiber {
  ucontext_t context;
  char stack[1 << 16];
  State state;
  unsigned mask;
  uint3 index;
  unsigned number;
  uint64_t word;
};
enum { MOST = 64, WARP = 32 };
static Fiber fibers[MOST], *self;
static unsigned count;
static ucontext_t scheduler;
static uint3 blockIdx, blockDim, gridDim;
static const int warpSize = WARP;
#define threadIdx (self->index)

static void wait(State state, unsigned mask) {
  self->state = state;
  self->mask = mask;
  swapcontext(&self->context, &scheduler);
}
static void __syncthreads() { wait(WAITS_FOR_BLOCK, 0); }
static void __syncwarp(unsigned mask = ~0u) { wait(WAITS_FOR_WARP, mask); }
static unsigned lane() { return self->number % WARP; }
static Fiber *of_lane(unsigned lane) { return &fibers[self->number - self->number % WARP + lane]; }
static bool takes_part(unsigned lane, unsigned mask) {
  unsigned number = self->number - self->number % WARP + lane;
  return (mask >> lane & 1) && number < count && fibers[number].state != RETURNED;
}

// Each lane publishes a word; all lanes read before anyone goes on.
template <typename Read> static auto together(unsigned mask, uint64_t word, Read read) {
  self->word = word;
  __syncwarp(mask);
  auto result = read();
  __syncwarp(mask);
  return result;
}
template <typename T> static uint64_t bits_of(T value) { uint64_t word = 0; memcpy(&word, &value, sizeof value); return word; }
template <typename T> static T value_of(uint64_t word) { T value; memcpy(&value, &word, sizeof value); return value; }
template <typename T> static T read_from(unsigned mask, T value, int from) {
  return value_of<T>(together(mask, bits_of(value), [&] { return of_lane(from)->word; }));
}
template <typename T> static T __shfl_sync(unsigned mask, T value, int from, int width = WARP) {
  int first = lane() & ~(width - 1);
  return read_from(mask, value, first + (from & (width - 1)));
}
template <typename T> static T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = WARP) {
  int first = lane() & ~(width - 1), from = int(lane()) - int(by);
  return read_from(mask, value, from < first ? lane() : from);
}
template <typename T> static T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = WARP) {
  int first = lane() & ~(width - 1), from = lane() + by;
  return read_from(mask, value, from >= first + width ? lane() : from);
}
template <typename T> static T __shfl_xor_sync(unsigned mask, T value, int by, int width = WARP) {
  int first = lane() & ~(width - 1), from = lane() ^ by;
  return read_from(mask, value, from >= first + width ? lane() : from);
}
template <typename Holds> static unsigned lanes_where(unsigned mask, Holds holds) {
  unsigned lanes = 0;
  for (unsigned lane = 0; lane < WARP; lane++)
    if (takes_part(lane, mask) && holds(of_lane(lane)->word)) lanes |= 1u << lane;
  return lanes;
}
static unsigned __ballot_sync(unsigned mask, int predicate) {
  return together(mask, predicate != 0, [&] { return lanes_where(mask, [](uint64_t word) { return word != 0; }); });
}
static int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
static int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }
template <typename T> static unsigned __match_any_sync(unsigned mask, T value) {
  uint64_t own = bits_of(value);
  return together(mask, own, [&] { return lanes_where(mask, [&](uint64_t word) { return word == own; }); });
}
template <typename T, typename Op> static T reduced(unsigned mask, T value, Op op) {
  return together(mask, bits_of(value), [&] {
    bool first = true;
    T result = value;
    for (unsigned lane = 0; lane < WARP; lane++)
      if (takes_part(lane, mask)) {
        T other = value_of<T>(of_lane(lane)->word);
        result = first ? other : op(result, other);
        first = false;
      }
    return result;
  });
}
template <typename T> static T __reduce_add_sync(unsigned mask, T value) { return reduced(mask, value, [](T a, T b) { return a + b; }); }
template <typename T> static T __reduce_max_sync(unsigned mask, T value) { return reduced(mask, value, [](T a, T b) { return a < b ? b : a; }); }

static int votes(int predicate) {
  self->word = predicate != 0;
  __syncthreads();
  int sum = 0;
  for (unsigned number = 0; number < count; number++)
    if (fibers[number].state != RETURNED) sum += fibers[number].word;
  __syncthreads();
  return sum;
}
static int __syncthreads_count(int predicate) { return votes(predicate); }
static int __syncthreads_or(int predicate) { return votes(predicate) != 0; }
static int __syncthreads_and(int predicate) { return votes(!predicate) == 0; }

template <typename T> static T atomicAdd(T *at, T value) { T old = *at; *at = old + value; return old; }
template <typename T> static T atomicSub(T *at, T value) { T old = *at; *at = old - value; return old; }
template <typename T> static T atomicMax(T *at, T value) { T old = *at; if (old < value) *at = value; return old; }
template <typename T> static T atomicMin(T *at, T value) { T old = *at; if (value < old) *at = value; return old; }
template <typename T> static T atomicOr(T *at, T value) { T old = *at; *at = old | value; return old; }
template <typename T> static T atomicXor(T *at, T value) { T old = *at; *at = old ^ value; return old; }
template <typename T> static T atomicExch(T *at, T value) { T old = *at; *at = value; return old; }
template <typename T> static T atomicCAS(T *at, T wanted, T value) { T old = *at; if (old == wanted) *at = value; return old; }
static unsigned atomicInc(unsigned *at, unsigned most) { unsigned old = *at; *at = old >= most ? 0 : old + 1; return old; }
static void __threadfence() {}
static void __threadfence_block() {}
template <typename T> static T min(T a, T b) { return b < a ? b : a; }
template <typename T> static T max(T a, T b) { return a < b ? b : a; }
static int __popc(unsigned word) { return __builtin_popcount(word); }
static int __clz(unsigned word) { return word ? __builtin_clz(word) : 32; }
static int __ffs(int word) { return __builtin_ffs(word); }
static unsigned __brev(unsigned word) { return __builtin_bitreverse32(word); }
static int __float_as_int(float number) { return value_of<int>(bits_of(number)); }
static float __int_as_float(int bits) { return value_of<float>(bits_of(bits)); }

template <typename T> static T __ldg(const T *at) { return *at; }
template <typename T> static T __ldcs(const T *at) { return *at; }
template <typename T> static void __stcs(T *at, T value) { *at = value; }

namespace cooperative_groups {
struct thread_block {
  unsigned thread_rank() const { return self->number; }
  unsigned size() const { return count; }
  uint3 thread_index() const { return self->index; }
  uint3 group_index() const { return blockIdx; }
  uint3 group_dim() const { return blockDim; }
  void sync() const { __syncthreads(); }
};
template <int N, typename Parent = void> struct thread_block_tile {
  unsigned mask() const { return (N == 32 ? ~0u : (1u << N % 32) - 1) << (lane() & ~(N - 1)); }
  unsigned thread_rank() const { return lane() % N; }
  unsigned size() const { return N; }
  unsigned meta_group_rank() const { return self->number / N; }
  unsigned meta_group_size() const { return (count + N - 1) / N; }
  void sync() const { __syncwarp(mask()); }
  template <typename T> T shfl(T value, int from) const { return __shfl_sync(mask(), value, from, N); }
  template <typename T> T shfl_up(T value, int by) const { return __shfl_up_sync(mask(), value, by, N); }
  template <typename T> T shfl_down(T value, int by) const { return __shfl_down_sync(mask(), value, by, N); }
  template <typename T> T shfl_xor(T value, int by) const { return __shfl_xor_sync(mask(), value, by, N); }
  int any(int predicate) const { return __any_sync(mask(), predicate); }
  int all(int predicate) const { return __all_sync(mask(), predicate); }
  unsigned ballot(int predicate) const { return __ballot_sync(mask(), predicate) >> (lane() & ~(N - 1)); }
};
template <typename T> struct plus { T operator()(T a, T b) const { return a + b; } };
template <typename T> struct less { T operator()(T a, T b) const { return b < a ? b : a; } };
template <typename T> struct greater { T operator()(T a, T b) const { return a < b ? b : a; } };
template <typename T> struct bit_xor { T operator()(T a, T b) const { return a ^ b; } };
template <int N, typename T, typename Op> static T reduce(thread_block_tile<N> tile, T value, Op op) {
  for (int by = N / 2; by > 0; by /= 2) value = op(value, tile.shfl_xor(value, by));
  return value;
}
template <int N, typename T, typename Op> static T inclusive_scan(thread_block_tile<N> tile, T value, Op op) {
  for (unsigned by = 1; by < N; by *= 2) {
    T before = tile.shfl_up(value, by);
    if (tile.thread_rank() >= by) value = op(before, value);
  }
  return value;
}
template <int N, typename T, typename Op> static T exclusive_scan(thread_block_tile<N> tile, T value, Op op) {
  T before = tile.shfl_up(inclusive_scan(tile, value, op), 1);
  return tile.thread_rank() == 0 ? 0 : before;
}
static thread_block this_thread_block() { return {}; }
template <int N> static thread_block_tile<N> tiled_partition(thread_block) { return {}; }
} // namespace cooperative_groups

typedef void Kernel(int *, const int *, float *, int);
static Kernel *kernel;
static int p[256], q[256], n = 23;
static float f[256];

static void run() {
  kernel(p, q, f, n);
  self->state = RETURNED;
  swapcontext(&self->context, &scheduler);
}

// Lets the threads go on that no other thread holds up. Returns whether there were any.
static bool release() {
  bool block = true, any = false, ready[MOST];
  for (unsigned number = 0; number < count; number++) {
    Fiber &fiber = fibers[number];
    block &= fiber.state == WAITS_FOR_BLOCK || fiber.state == RETURNED;
    bool is_ready = fiber.state == WAITS_FOR_WARP;
    for (unsigned lane = 0; lane < WARP && is_ready; lane++) {
      unsigned other = number - number % WARP + lane;
      if ((fiber.mask >> lane & 1) && other < count)
        is_ready = fibers[other].state == WAITS_FOR_WARP || fibers[other].state == RETURNED;
    }
    ready[number] = is_ready;
  }
  for (unsigned number = 0; number < count; number++)
    if (ready[number] || (block && fibers[number].state == WAITS_FOR_BLOCK)) fibers[number].state = RUNS, any = true;
  return any;
}

static void launch(unsigned width, unsigned height) {
  blockDim = {width, height, 1};
  gridDim = {2, 1, 1};
  count = width * height;
  for (unsigned block = 0; block < gridDim.x; block++) {
    blockIdx = {block, 0, 0};
    for (unsigned number = 0; number < count; number++) {
      Fiber &fiber = fibers[number];
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = fiber.stack;
      fiber.context.uc_stack.ss_size = sizeof fiber.stack;
      fiber.context.uc_link = &scheduler;
      fiber.index = {number % width, number / width, 0};
      fiber.number = number;
      fiber.state = RUNS;
      makecontext(&fiber.context, run, 0);
    }
    do {
      for (unsigned number = 0; number < count; number++)
        while (fibers[number].state == RUNS) self = &fibers[number], swapcontext(&scheduler, &self->context);
    } while (release());
  }
}

// Prints the memory after a kernel, for a block of one row and one of two rows.
static void show(const char *name, Kernel *chosen) {
  kernel = chosen;
  for (unsigned height = 1; height <= 2; height++) {
    for (int i = 0; i < 256; i++) p[i] = (i * 37 + 11) % 64 - 8, q[i] = (i * i + 5 * i) % 97, f[i] = i * 29 % 64 / 4.0f - 5;
    launch(64 / height, height);
    printf("%s\t%u\t", name, height);
    for (int i = 0; i < 256; i++) printf("%d ", p[i]);
    for (int i = 0; i < 256; i++) printf("%d ", __float_as_int(f[i]));
    printf("\n");
  }
}
