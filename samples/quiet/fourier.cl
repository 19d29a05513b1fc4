// Fast Fourier transforms in local memory: Stockham's radix 2 between two buffers, and a radix-4 pass with the real and imaginary parts exchanged one
// after the other, as clFFT does.

#define N 64
#define TWO_PI 6.28318530718f

typedef float2 cplx;

inline cplx mul(cplx a, cplx b) { return (cplx)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

inline cplx twiddle(int k, int of) {
  float c, s = sincos(-TWO_PI * (float) k / (float) of, &c);
  return (cplx)(c, s);
}

kernel void stockham(global cplx *data, const int batches) {
  local cplx ping[N], pong[N];
  local cplx *from = ping, *to = pong;
  const int t = get_local_id(0), size = get_local_size(0);
  const int batch = get_group_id(0);
  if (batch >= batches)
    return;
  for (int i = t; i < N; i += size)
    from[i] = data[batch * N + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int apart = N / 2, stride = 1; apart >= 1; apart >>= 1, stride <<= 1) {
    for (int i = t; i < N / 2; i += size) {
      int p = i / stride, q = i % stride;
      cplx a = from[q + stride * p], b = from[q + stride * (p + apart)];
      to[q + stride * 2 * p] = a + b;
      to[q + stride * (2 * p + 1)] = mul(a - b, twiddle(p, 2 * apart));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    local cplx *other = from;
    from = to;
    to = other;
  }
  for (int i = t; i < N; i += size)
    data[batch * N + i] = from[i];
}

#define EXCHANGE(axis)                                                                                                                               \
  do {                                                                                                                                               \
    for (int k = 0; k < 4; ++k)                                                                                                                      \
      lds[4 * t + k] = v[k].axis;                                                                                                                    \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                                                    \
    for (int k = 0; k < 4; ++k)                                                                                                                      \
      v[k].axis = lds[t + k * (N / 4)];                                                                                                              \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                                                    \
  } while (0)

static void radix4(cplx *v) {
  cplx a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = (cplx)(v[1].y - v[3].y, v[3].x - v[1].x);
  v[0] = a + c;
  v[1] = b + d;
  v[2] = a - c;
  v[3] = b - d;
}

__attribute__((reqd_work_group_size(N / 4, 1, 1)))
kernel void fft64_radix4(global const cplx *restrict in, global cplx *restrict out) {
  local float lds[N];
  const int t = get_local_id(0), at = get_group_id(0) * N + t;
  cplx v[4];
  for (int k = 0; k < 4; ++k)
    v[k] = in[at + k * (N / 4)];
#pragma unroll
  for (int pass = 1; pass <= N / 4; pass *= 4) {
    for (int k = 1; k < 4; ++k)
      v[k] = mul(v[k], twiddle(k * (t % pass), 4 * pass));
    radix4(v);
    if (pass < N / 4) {
      EXCHANGE(x);
      EXCHANGE(y);
    }
  }
  for (int k = 0; k < 4; ++k)
    out[at + k * (N / 4)] = v[k];
}
