// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// silx 29be84da: a reduction with barriers for the first 128 work-items: as it was.

kernel void descriptor_gpu2(global actual_keypoint *keypoints, global unsigned char *descriptors, global int *keypoints_end) {  // No execution shows it: a keypoint with these numbers is rare
  int lid = (get_local_id(0)*8+get_local_id(1))*8+get_local_id(2);
  int groupid = get_group_id(0);
  actual_keypoint kp = keypoints[groupid];
  if (!(groupid < *keypoints_end && kp.row >= 0.0f))
    return;
  local volatile float histogram[128], hist2[128];
  if (lid < 128) {
    histogram[lid] *= hist2[0];
    __local int changed[1];
    if (lid == 0) changed[0] = 0;
    if (histogram[lid] > 0.2f) {
      histogram[lid] = 0.2f;
      atomic_inc(changed);
    }
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]
    if (changed[0]) {
      hist2[lid] = histogram[lid]*histogram[lid];
      barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]
    }
    descriptors[128*groupid+lid] = (unsigned char) histogram[lid];
  }
}
