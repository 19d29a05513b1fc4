// A sparse matrix times a vector, a sub-group for each row; the loop over rows strides.
kernel void multiply(global const int *starts, global const int *columns, global const float *values,
                     global const float *x, global float *y, int rows) {
  int lane = get_sub_group_local_id(), width = get_sub_group_size();
  for (int row = get_group_id(0) * get_num_sub_groups() + get_sub_group_id(); row < rows;
       row += get_num_groups(0) * get_num_sub_groups()) {
    float sum = 0;
    for (int i = starts[row] + lane; i < starts[row + 1]; i += width)
      sum += values[i] * x[columns[i]];
    sum = sub_group_reduce_add(sum);  //~ tangles: loop-body //~ defined
    if (lane == 0)
      y[row] = sum;
  }
}
