// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// gwoltman/gpuowl, pull request 15: a helper that waits, called on one side of a branch: as it was mended.

#define OVERLOAD __attribute__((overloadable))
#define KERNEL(x) kernel __attribute__((reqd_work_group_size(x, 1, 1))) void
#define P(x) global x * restrict
typedef uint u32;
void OVERLOAD bar(void) {
#if FAST_BARRIER
  barrier(0);
#else
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
}
void OVERLOAD bar(const u32 WG) {
  if (WG > WAVEFRONT) bar();
}
KERNEL(G_W * WMUL) carryFused(P(T2) out, const P(T2) in, P(u32) ready) {
  u32 gr = get_group_id(0), me = get_local_id(0), lowMe = me % G_W;
  if (gr < H / WMUL) {
    write_mem_fence(CLK_GLOBAL_MEM_FENCE);
    bar();
    if (me == (WMUL-1) * G_W) { atomic_store((atomic_uint *) &ready[gr], 1); }
  }
  if (gr == 0) { return; }
  if (me == 0) { do { spin(); } while(!atomic_load_explicit((atomic_uint *) &ready[gr - 1], memory_order_relaxed, memory_scope_device)); }
  bar();
}
