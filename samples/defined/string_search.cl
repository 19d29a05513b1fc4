// A text search: `break` out of the comparison, `return` for those out of range, and results counted by a reduction.
kernel void count(global const char *text, int length, constant char *word, int size, global int *hits) {
  int found = 0;
  for (int at = get_global_id(0); at + size <= length; at += get_global_size(0)) {
    int i = 0;
    while (i < size) {
      if (text[at + i] != word[i])
        break;
      i++;
    }
    found += i == size;
  }
  int sum = sub_group_reduce_add(found);  //~ tangles: function-body //~ defined
  if (get_sub_group_local_id() != 0)
    return;
  atomic_add(hits, sum);  //~ tangles: sequence
}
