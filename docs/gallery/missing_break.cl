// Count particles of two kinds. Kind 0 is handled first, and then there should be a `break`.
kernel void count(global const int *kind, global int *age, global int *heavy) {
  int i = get_global_id(0);
  switch (kind[i]) {
  case 0:
    age[i] += 1;
  case 1:
    heavy[i] = sub_group_non_uniform_reduce_add(1);
    break;
  default:
    break;
  }
}
