// rapidsai/cudf, 507a3c54c7e, cpp/src/io/comp/debrotli.cu:1889 (reads at 1635) (state after the fix)
struct state { int p1, p2, pos; };
__device__ void process(state *s, int t, const int *cmd, int n) {
  int p1 = s->p1, p2 = s->p2;
  for (int i = 0; i < n; ++i) {
    p2 = p1;
    p1 = cmd[i];
  }
  __syncwarp();
  if (!t) {
    s->p1 = p1;
    s->p2 = p2;
  }
}
__global__ void debrotli(const int *cmd, int n) {
  __shared__ state s;
  if (threadIdx.x == 0) s.p1 = s.p2 = s.pos = 0;
  __syncwarp();
  process(&s, threadIdx.x, cmd, n);
}
