// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// bulletphysics/bullet3 e9551929: an early return before barriers in a loop: as it was mended.

__kernel void findAllNodesMergedAabb(__global b3AabbCL* out_mergedAabb, int numAabbsNeedingMerge) {
  int numRemainingAabbs = numAabbsNeedingMerge / 2 + numAabbsNeedingMerge % 2;
  int numMergedAabbs = numAabbsNeedingMerge - numRemainingAabbs;
  int aabbIndex = get_global_id(0);
  if(aabbIndex >= numMergedAabbs) return;
  b3AabbCL aabb = out_mergedAabb[aabbIndex];
  b3AabbCL otherAabb = out_mergedAabb[aabbIndex + numRemainingAabbs];
  b3AabbCL mergedAabb;
  mergedAabb.m_min = b3Min(aabb.m_min, otherAabb.m_min);
  out_mergedAabb[aabbIndex] = mergedAabb;
}
