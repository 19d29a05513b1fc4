// Give all lanes the key of a leader: each lane names the leader that it found in its own table.
kernel void share(global const uint *leader, global float *key) {
  int i = get_global_id(0);
  uint lane = leader[i] % get_sub_group_size();
  key[i] = sub_group_broadcast(key[i], lane);
}
