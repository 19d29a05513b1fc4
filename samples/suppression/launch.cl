// What a comment says of launches must stand before a kernel, be a size, and agree with what the kernel itself says.
// tangle: launch(local_size = 64): at the top, but about what follows all the same
kernel void first(global int *p) { p[0] = 0; }

// tangle: launch(local_size = 64)
//~^ warning[unused-suppression]@12: no kernel is defined after this `launch` comment
void helper(global int *p) { p[0] = 0; }

// tangle: launch(local_size = 0)
//~^ warning[unused-suppression]@19: `local_size` must be a number of at least 1, or a list of one to three such numbers
// tangle: launch(sub_group_size = [8, 8])
//~^ warning[unused-suppression]@19: `sub_group_size` must be a number of at least 1
// tangle: launch(work_group_size = 64)
//~^ warning[unused-suppression]@19: unknown key `work_group_size`
// tangle: launch
//~^ warning[unused-suppression]@12: `launch` needs a size
kernel void second(global int *p) { helper(p); }

// tangle: launch(local_size = 64, sub_group_size = 16)
//~^ warning[unused-suppression]@19: the attribute of the kernel gives another `local_size`, and takes precedence
// tangle: launch(sub_group_size = 32)
//~^ warning[unused-suppression]@19: `sub_group_size` is already given for this kernel
kernel __attribute__((reqd_work_group_size(32, 1, 1))) void third(global int *p) {
  // tangle: launch(local_size = 32)
  //~^ warning[unused-suppression]@14: no kernel is defined after this `launch` comment
  helper(p);
}

#ifdef NOWHERE_DEFINED
// tangle: launch(local_size = 64): left out with its kernel
kernel void fourth(global int *p) { helper(p); }
#endif
// tangle: launch(local_size = 64)
//~^ warning[unused-suppression]@12: no kernel is defined after this `launch` comment
