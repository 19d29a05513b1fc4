// All pairs of bodies by tiles, two barriers in each round.
kernel void forces(global const float4 *bodies, global float4 *result, local float4 *tile, int n) {
  int i = get_global_id(0), t = get_local_id(0), size = get_local_size(0);
  float4 me = bodies[i], sum = (float4)(0);
  for (int base = 0; base < n; base += size) {
    tile[t] = base + t < n ? bodies[base + t] : (float4)(0);
    barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: loop-body //~ defined
    for (int j = 0; j < size; j++) {
      float4 way = tile[j] - me;
      float squared = dot(way.xyz, way.xyz) + 1e-6f;
      if (squared > 100.0f)
        continue;
      sum += way * (tile[j].w * rsqrt(squared * squared * squared));
    }
    barrier(CLK_LOCAL_MEM_FENCE);  //~ tangles: loop-body //~ defined
  }
  result[i] = sum;
}
