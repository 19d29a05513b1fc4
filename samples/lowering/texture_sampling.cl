// "Texture sampling in a pixel shader": what is computed from the neighbours is not sunk into the branch that uses it. A
// sub-group shuffle stands for the derivatives.
kernel void example_shader(global float *out, float coordinates, int condition) {  //~ convergent
  float color = coordinates - sub_group_shuffle_xor(coordinates, 1);  //~ token: entry
  if (condition)
    out[get_global_id(0)] = color;
}
