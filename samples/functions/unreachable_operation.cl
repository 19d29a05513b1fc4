// What no thread reaches makes no function convergent, and what a `noconvergent` statement holds makes none either.
void never(void) { return; barrier(1); }  //~ not-convergent
void never_again(void) { never(); }  //~ not-convergent
void behind_loop(void) { for (;;) ; barrier(1); }  //~ not-convergent
void left_open(int v) { __attribute__((noconvergent)) { sub_group_reduce_add(v); } }  //~ not-convergent
void reached(void) { goto on; on: barrier(1); }  //~ convergent
