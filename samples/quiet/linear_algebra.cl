// Dense linear algebra by one work-group: the panel of an LU factorization with pivots, a tridiagonal solver by cyclic reduction, the three phases of a
// blocked Floyd-Warshall in one kernel, and a product of matrices with registers, padding and vectors.

#define PANEL 16

kernel void lu_panel(global float *a, global int *pivots, const int n, const int lda, local float *best, local int *where) {
  const int t = get_local_id(0), size = get_local_size(0);
  local int singular;
  if (t == 0)
    singular = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < min(n, PANEL); ++k) {
    float greatest = -1.0f;
    int row = k;
    for (int i = k + t; i < n; i += size) {
      const float here = fabs(a[i * lda + k]);
      if (here > greatest) {
        greatest = here;
        row = i;
      }
    }
    best[t] = greatest;
    where[t] = row;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = size / 2; s > 0; s >>= 1) {
      if (t < s && best[t + s] > best[t]) {
        best[t] = best[t + s];
        where[t] = where[t + s];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    const int pivot = where[0];
    if (t == 0) {
      pivots[k] = pivot;
      if (best[0] == 0.0f)
        singular = k + 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (singular)
      break;
    if (pivot != k)
      for (int j = t; j < PANEL; j += size) {
        const float other = a[pivot * lda + j];
        a[pivot * lda + j] = a[k * lda + j];
        a[k * lda + j] = other;
      }
    barrier(CLK_GLOBAL_MEM_FENCE);
    const float inverse = 1.0f / a[k * lda + k];
    for (int i = k + 1 + t; i < n; i += size) {
      const float factor = a[i * lda + k] * inverse;
      a[i * lda + k] = factor;
      for (int j = k + 1; j < PANEL; ++j)
        a[i * lda + j] -= factor * a[k * lda + j];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}

// Parallel cyclic reduction: after each step the equations lie twice as far apart.
kernel void tridiagonal(global const float *restrict lower, global const float *restrict diagonal, global const float *restrict upper,
                        global const float *restrict right, global float *restrict x, local float *shared) {
  const int t = get_local_id(0), n = get_local_size(0), at = get_global_id(0);
  local float *a = shared, *b = shared + n, *c = shared + 2 * n, *d = shared + 3 * n;
  a[t] = t > 0 ? lower[at] : 0.0f;
  b[t] = diagonal[at];
  c[t] = t < n - 1 ? upper[at] : 0.0f;
  d[t] = right[at];
  for (int step = 1; step < n; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const int i = max(t - step, 0), j = min(t + step, n - 1);
    const float alpha = t >= step ? -a[t] / b[i] : 0.0f, beta = t + step < n ? -c[t] / b[j] : 0.0f;
    const float na = alpha * a[i], nb = b[t] + alpha * c[i] + beta * a[j], nc = beta * c[j], nd = d[t] + alpha * d[i] + beta * d[j];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[t] = na;
    b[t] = nb;
    c[t] = nc;
    d[t] = nd;
  }
  x[at] = d[t] / b[t];
}

#define SIDE 8

static void load_block(global const float *from, int pitch, int row, int col, local float (*to)[SIDE + 1]) {
  to[get_local_id(1)][get_local_id(0)] = from[(row * SIDE + get_local_id(1)) * pitch + col * SIDE + get_local_id(0)];
}

// The phase is the same for a launch; the work-groups that have nothing to do in it leave as a whole.
__attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
kernel void floyd_warshall(global float *distances, const int pitch, const int k, const int phase) {
  local float own[SIDE][SIDE + 1], by_row[SIDE][SIDE + 1], by_col[SIDE][SIDE + 1];
  const int bx = get_group_id(0), by = get_group_id(1), x = get_local_id(0), y = get_local_id(1);
  const bool on_row = by == k, on_col = bx == k;
  switch (phase) {
  case 1:
    if (!on_row || !on_col)
      return;
    break;
  case 2:
    if (on_row == on_col)
      return;
    break;
  default:
    if (on_row || on_col)
      return;
  }
  load_block(distances, pitch, by, bx, own);
  load_block(distances, pitch, by, k, by_row);
  load_block(distances, pitch, k, bx, by_col);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (int i = 0; i < SIDE; ++i) {
    const float through = (on_col ? own[y][i] : by_row[y][i]) + (on_row ? own[i][x] : by_col[i][x]);
    barrier(CLK_LOCAL_MEM_FENCE);
    own[y][x] = fmin(own[y][x], through);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  distances[(by * SIDE + y) * pitch + bx * SIDE + x] = own[y][x];
}

#define TS 16
#define WPT 4

// A tile of 16 by 64, four elements for each work-item, the next tile in registers while this one is multiplied.
__attribute__((reqd_work_group_size(TS, TS, 1)))
kernel void gemm_registers(const int M, const int N, const int K, global const float *restrict A, global const float *restrict B,
                           global float *restrict C) {
  local float Asub[TS][TS + 1];
  local float4 Bsub[TS][TS];
  const int tx = get_local_id(0), ty = get_local_id(1), row = get_group_id(1) * TS + ty, col = get_group_id(0) * TS * WPT + tx * WPT;
  float4 acc = (float4)(0.0f);
  const int tiles = K / TS;
  float nextA = tiles > 0 && row < M ? A[row * K + tx] : 0.0f;
  float4 nextB = tiles > 0 && col + WPT <= N ? vload4(0, B + ty * N + col) : (float4)(0.0f);
  int tile = 0;
  while (tile < tiles) {
    Asub[ty][tx] = nextA;
    Bsub[ty][tx] = nextB;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (++tile < tiles) {
      nextA = row < M ? A[row * K + tile * TS + tx] : 0.0f;
      nextB = col + WPT <= N ? vload4(0, B + (tile * TS + ty) * N + col) : (float4)(0.0f);
    }
#pragma unroll
    for (int k = 0; k < TS; ++k)
      acc += Asub[ty][k] * Bsub[k][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row >= M || col + WPT > N)
    return;
  vstore4(acc, 0, C + row * N + col);
}
