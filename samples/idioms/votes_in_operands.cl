// An operation in an operand of `&&`, `||` or `?:` runs with the threads that evaluate the operand, which is defined
// (thread-convergence, Expressions, note). At a doubtful place it is as doubtful as the rest of the expression.
kernel void votes(global int *data, global int *out, int n) {
  int i = get_global_id(0), value = data[i], result;
  result = value > 0 && sub_group_any(value > n);  //~ defined
  result += value < 0 || sub_group_all(value < -n);  //~ defined
  result += value ? sub_group_reduce_add(value) : sub_group_reduce_max(n);  //~ defined
  if (result > 0)
    goto out;
  result = -result;
out:  //~ implementation-defined
  out[i] = result && sub_group_any(value);  //~ warning[implementation-defined-convergence]@22: sub_group_any
  out[i] += sub_group_all(n) ? 0
    : sub_group_reduce_add(1);  //~ warning[implementation-defined-convergence]@7: sub_group_reduce_add
  //~^^ warning[implementation-defined-convergence]@13: sub_group_all
}
