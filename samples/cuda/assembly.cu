// What inline assembly executes is known by its instructions.

__device__ unsigned lane() {
  unsigned l;
  asm("mov.u32 %0, %%laneid;" : "=r"(l));
  return l;
}
__device__ unsigned block() {
  unsigned b;
  asm("mov.u32 %0, %%ctaid.x;" : "=r"(b));
  return b;
}
__device__ void all() { asm volatile("{ // all\n\t" "bar.sync 0; }" ::: "memory"); }
__device__ void some(int id, int n) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n)); }

__global__ void k(int *p) {
  if (lane() < 5)
    asm volatile("barrier.sync 0;"); //~ error[divergent-barrier]@18: `barrier.sync a`
  if (block() < 5)
    __syncthreads();
  if (threadIdx.x < 5)
    all(); //~ error[divergent-barrier]: `all`
  // A barrier with a count waits for so many, of whichever warps.
  if (threadIdx.x < 64)
    some(1, 64);
  all();
}

// An element of an array is an output.
__global__ void array_as_output(unsigned *p, float *out) {
  float r[4];
  for (int i = 0; i < 2; i++)
    asm volatile("shl.b32 %0, %2, 16; and.b32 %1, %2, 0xffff0000;" : "=f"((&r[i * 2])[0]), "=f"((&r[i * 2])[1]) : "r"(p[i]));
  out[threadIdx.x] = r[1];
}
