// Runs the kernels of a shared library on random data, one work-item after the other, and prints their output.
//
//   harness LIBRARY KERNEL...
//
// Symbols are resolved on first use, so functions that no kernel calls may be missing. Every kernel is called as
// `void kernel(in, out, scratch)`; a kernel with fewer parameters ignores the rest. A work-group is one item, so
// barriers do not wait. The harness defines the work-item functions of the library, with mangled names.

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 64, BYTES = 1 << 15, SEEDS = 3 };

static size_t item;

size_t _Z13get_global_idj(unsigned d) { return d ? 0 : item; }
size_t _Z12get_local_idj(unsigned d) { return (void)d, 0; }
size_t _Z12get_group_idj(unsigned d) { return d ? 0 : item; }
size_t _Z15get_global_sizej(unsigned d) { return d ? 1 : ITEMS; }
size_t _Z14get_local_sizej(unsigned d) { return (void)d, 1; }
size_t _Z14get_num_groupsj(unsigned d) { return d ? 1 : ITEMS; }
size_t _Z17get_global_offsetj(unsigned d) { return (void)d, 0; }
unsigned _Z12get_work_dimv(void) { return 1; }
void _Z7barrierj(unsigned flags) { (void)flags; }
void _Z18work_group_barrierj(unsigned flags) { (void)flags; }
void _Z9mem_fencej(unsigned flags) { (void)flags; }

static uint64_t state;

static uint64_t next(void) { // splitmix64
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static void fill(unsigned char *bytes, int sparse) {
  for (int i = 0; i < BYTES; i += 8) {
    uint64_t word = next();
    // Small numbers satisfy the conditions of programs more often than random ones do.
    if (sparse && next() & 1) word &= 0x0000001f0000001fu;
    memcpy(bytes + i, &word, 8);
  }
}

int main(int count, char **arguments) {
  void *library = dlopen(arguments[1], RTLD_LAZY | RTLD_LOCAL);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
  static _Alignas(128) unsigned char in[BYTES], out[BYTES], scratch[BYTES];
  for (int k = 2; k < count; k++) {
    void (*kernel)(void *, void *, void *) = (void (*)(void *, void *, void *))dlsym(library, arguments[k]);
    if (!kernel) return fprintf(stderr, "%s\n", dlerror()), 1;
    printf("%s\n", arguments[k]);
    for (int seed = 0; seed < SEEDS; seed++) {
      state = seed;
      fill(in, seed > 0);
      memset(out, 0, BYTES);
      memset(scratch, 0, BYTES);
      for (item = 0; item < ITEMS; item++) kernel(in, out, scratch);
      for (int i = 0; i < BYTES; i++) {
        printf("%02x", out[i]);
        if (i % 64 == 63) putchar('\n');
      }
    }
  }
  return 0;
}
