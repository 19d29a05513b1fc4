// Fields of a record in shared memory, through a pointer, a reference and `this`: a barrier separates the write of one
// thread from the reads of all. Each kernel has a mutant without the barrier, or with the write after it.

struct Work {
  int n, m;

  __device__ void member(int *out) {
    if (threadIdx.x == 0)
      m = out[0];
    __syncthreads();
    if (m > 0)
      __syncthreads();
    __syncthreads();
    if (threadIdx.x == 0)
      this->n = out[2];
    __syncthreads();
    while (n > 0) {
      __syncthreads();
      if (!threadIdx.x)
        n--;
      __syncthreads();
    }
  }

  __device__ void member_without_barrier(int *out) {
    if (threadIdx.x == 0)
      m = out[0];
    if (m > 0) //~ warning[implicit-warp-synchronous]: `m`
      __syncthreads();  //~ warning[divergent-barrier]
  }
};

__device__ void by_pointer(Work *s, int *out) {
  if (threadIdx.x == 0)
    s->m = out[0];
  __syncthreads();
  if (s->m > 0)
    __syncthreads();
  __syncthreads();
}

__device__ void by_pointer_without_barrier(Work *s, int *out) {
  if (threadIdx.x == 0)
    s->m = out[0];
  if (s->m > 0)
    __syncthreads();  //~ warning[divergent-barrier]
  __syncthreads();
}

__device__ void by_pointer_written_late(Work *s, int *out) {
  __syncthreads();
  if (threadIdx.x == 0)
    s->m = out[0];
  if (s->m > 0)
    __syncthreads();  //~ warning[divergent-barrier]
  __syncthreads();
}

__device__ void by_reference(Work &s, int *out) {
  if (threadIdx.x == 0)
    s.m = out[0];
  __syncthreads();
  if (s.m > 0)
    __syncthreads();
  __syncthreads();
}

__device__ void loop_by_pointer(Work *s) {
  __syncthreads();
  while (s->n > 0) {
    __syncthreads();
    if (!threadIdx.x)
      s->n--;
    __syncthreads();
  }
}

// The decrement and the test of the next iteration race. Two rules report it: if the record were private to the thread,
// only the first thread would leave the loop.
__device__ void loop_without_second_barrier(Work *s) {
  __syncthreads();
  while (s->n > 0) {  //~ warning[unprotected-exit-flag]: `s->n`
    __syncthreads();  //~ warning[divergent-barrier]
    if (!threadIdx.x)
      s->n--;
  }
}

__device__ void loop_by_reference(Work &s) {
  __syncthreads();
  while (s.n > 0) {
    __syncthreads();
    if (!threadIdx.x)
      s.n--;
    __syncthreads();
  }
}

template <typename T> struct Queue {
  T n, m;

  __device__ void member(T *out) {
    if (threadIdx.x == 0)
      m = out[0];
    __syncthreads();
    if (m > 0)
      __syncthreads();
    __syncthreads();
    if (threadIdx.x == 0)
      this->n = out[2];
    __syncthreads();
    while (this->n > 0) {
      __syncthreads();
      if (!threadIdx.x)
        this->n--;
      __syncthreads();
    }
  }

  __device__ void member_without_barrier(T *out) {
    if (threadIdx.x == 0)
      m = out[0];
    if (m > 0) //~ warning[implicit-warp-synchronous]: `m`
      __syncthreads();  //~ warning[divergent-barrier]
  }
};

__global__ void all(int *out) {
  __shared__ Work work;
  work.member(out);
  work.member_without_barrier(out);
  by_pointer(&work, out);
  by_pointer_without_barrier(&work, out);
  by_pointer_written_late(&work, out);
  by_reference(work, out);
  loop_by_pointer(&work);
  loop_without_second_barrier(&work);
  loop_by_reference(work);
  __shared__ Queue<int> queue;
  queue.member(out);
  queue.member_without_barrier(out);
}

// A helper reads memory after its last barrier, and the caller writes this memory before the next one.
__device__ int last_read(int *p, int n) {
  atomicAdd(p + 2, 1);
  __syncthreads();
  return p[n & 7];
}
__device__ int last_read_in_a_callee(int *p, int n) { return last_read(p, n) + 1; }
__global__ void written_after_the_call(int *p, int n) {
  int y = last_read(p, n);
  p[threadIdx.x & 15] = y;
  if (y > 3)
    __syncthreads(); //~ warning[divergent-barrier]
}
__global__ void written_after_the_call_of_a_caller(int *p, int n) {
  int y = last_read_in_a_callee(p, n);
  p[threadIdx.x & 15] = y;
  if (y > 3)
    __syncthreads(); //~ warning[divergent-barrier]
}
__global__ void written_after_a_barrier(int *p, int n) {
  int y = last_read(p, n);
  __syncthreads();
  p[threadIdx.x & 15] = y;
  if (y > 3)
    __syncthreads();
}
__global__ void other_memory_written_after_the_call(int *p, int *q, int n) {
  int y = last_read(p, n);
  q[threadIdx.x & 15] = y;
  if (y > 3)
    __syncthreads();
}
__global__ void read_again_in_each_iteration(int *p, int n) {
  for (int i = 0; i < n; i++)
    if (last_read(p, i) > 3)
      __syncthreads(); //~ warning[divergent-barrier]
}
