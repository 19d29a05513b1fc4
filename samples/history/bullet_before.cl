// args: --rule unknown-name=off --rule unknown-type=off --rule undeclared-function=off --rule left-out-text=off
// bulletphysics/bullet3 e9551929: an early return before barriers in a loop: as it was.

__kernel void findAllNodesMergedAabb(__global b3AabbCL* out_mergedAabb, int numAabbs) {
  int aabbIndex = get_global_id(0);
  if(aabbIndex >= numAabbs) return;
  int offset = numAabbs / 2;
  while(offset >= 1) {
    if(aabbIndex < offset) {
      b3AabbCL aabb = out_mergedAabb[aabbIndex];
      b3AabbCL otherAabb = out_mergedAabb[aabbIndex + offset];
      b3AabbCL mergedAabb;
      mergedAabb.m_min = b3Min(aabb.m_min, otherAabb.m_min);
      out_mergedAabb[aabbIndex] = mergedAabb;
    }
    offset /= 2;
    barrier(CLK_GLOBAL_MEM_FENCE); //~ error[divergent-barrier]
  }
}
