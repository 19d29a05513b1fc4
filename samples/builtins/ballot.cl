// A ballot is convergent; counting or testing the bits of a mask that is already there is not.
kernel void k(global uint *out) {
  int t = get_local_id(0);
  uint4 mask = sub_group_ballot(t & 2);  //~ defined
  if (t & 1)
    goto on;
  out[t] = 1;
on:  //~ implementation-defined
  out[t] += sub_group_ballot_bit_count(mask);  //~ implementation-defined
  out[t] += sub_group_ballot_find_lsb(mask);
  out[t] += sub_group_ballot_find_msb(mask);
  out[t] += sub_group_ballot_inclusive_scan(mask);
  out[t] += sub_group_ballot_exclusive_scan(mask);
  out[t] += sub_group_ballot_bit_extract(mask, 3);
  out[t] += sub_group_inverse_ballot(mask);
  out[t] += get_sub_group_lt_mask().x;
  mask = sub_group_ballot(t & 4);  //~ warning[implementation-defined-convergence]: sub_group_ballot
  out[t] += mask.x;
}
