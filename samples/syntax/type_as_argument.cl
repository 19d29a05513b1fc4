// A type may stand where a value does in `vec_step`, `__builtin_astype` and the arguments of a macro from a missing header;
// what follows the parenthesis is an operator, not the operand of a cast.

kernel void mix(global int *out, int a, int b) {
  out[0] = vec_step(float4) * a;
  out[1] = __builtin_astype(a, int) ^ (a ^ b);
  out[2] = __builtin_astype(a, int) ^ (a > 1 ? b : 0);
  out[3] = sizeof(int) ^ (b);
  out[4] = (int)(1.5f16 * a);
}
