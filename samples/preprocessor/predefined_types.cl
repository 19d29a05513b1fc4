// The names that compilers predefine for the types of sizes and pointers: headers that take care to need no other header
// declare their own `size_t` by them. Each is the type that clang has for a device of 64 bits.
typedef __SIZE_TYPE__ my_size;
typedef __UINTPTR_TYPE__ my_address;

kernel void k(global int *p) {
  my_size n = sizeof(my_address);
  p[n] = _Generic(n, ulong: 1);
  p[1] = _Generic((__PTRDIFF_TYPE__)n, long: 1);
  p[2] = _Generic((__INTPTR_TYPE__)n, long: 1);
  p[3] = _Generic((__UINTPTR_TYPE__)n, ulong: 1);
}
