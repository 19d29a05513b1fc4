// Sparse matrices times vectors: CSR with a work-item for each row, CSR with a sub-block of work-items for each row, and ELL with its vector in tiles.

#define LANES 8
#define BLOCK 128

__attribute__((reqd_work_group_size(BLOCK, 1, 1)))
kernel void csr_scalar(global const int *restrict rows, global const int *restrict cols, global const float *restrict values,
                       global const float *restrict x, global float *restrict y, const int count) {
  local int starts[BLOCK + 1];
  const int row = get_global_id(0), t = get_local_id(0);
  if (row < count) {
    starts[t] = rows[row];
    if (t == BLOCK - 1 || row == count - 1)
      starts[t + 1] = rows[row + 1];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (row >= count)
    return;
  float sum = 0.0f;
  for (int e = starts[t]; e < starts[t + 1]; ++e)
    sum = fma(values[e], x[cols[e]], sum);
  y[row] = sum;
}

// The rows of a work-group end at different times: the tree of sums is the same for all.
kernel void csr_vector(global const int *restrict rows, global const int *restrict cols, global const float *restrict values,
                       global const float *restrict x, global float *restrict y, const int count, local volatile float *partial) {
  const int t = get_local_id(0), lane = t & (LANES - 1);
  const int of_group = get_local_size(0) / LANES;
  for (int first = get_group_id(0) * of_group; first < count; first += get_num_groups(0) * of_group) {
    const int row = first + t / LANES;
    float sum = 0.0f;
    if (row < count)
      for (int e = rows[row] + lane; e < rows[row + 1]; e += LANES)
        sum += values[e] * x[cols[e]];
    partial[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int width = LANES / 2; width > 0; width >>= 1) {
      if (lane < width)
        partial[t] += partial[t + width];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0 && row < count)
      y[row] = partial[t];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// Columns are stored one behind the other; the vector comes by tiles, and an entry counts in the tile that holds its column.
kernel void ell_tiled(global const int *restrict cols, global const float *restrict values, global const float *restrict x,
                      global float *restrict y, int n, int width) {
  local float tile[BLOCK];
  int row = get_global_id(0), t = get_local_id(0), step = min((int) get_local_size(0), BLOCK);
  float sum = 0.0f;
  for (int base = 0; base < n; base += step) {
    if (t < step)
      tile[t] = base + t < n ? x[base + t] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row < n) {
      for (int e = 0; e < width; ++e) {
        int col = cols[e * n + row] - base;
        if (col < 0 || col >= step)
          continue;
        sum += values[e * n + row] * tile[col];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < n)
    y[row] = sum;
}
