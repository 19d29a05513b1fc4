// A `#pragma pack` that compilers warn of and pass over: what was in force goes on.
#pragma pack(2)
#pragma pack(pop)  //~ note[preprocessor-note]: `pop` without a matching `push`
#pragma pack(3)  //~ note[preprocessor-note]: expected 1, 2, 4, 8 or 16, found `3`
struct pair { char a; int b; };
_Static_assert(sizeof(struct pair) == 6, "still 2");

kernel void k(global struct pair *p) {
  p[get_global_id(0)].b = 1;
}
