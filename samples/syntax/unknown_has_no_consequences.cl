// A type and some constants come from a header that is not here. Each is told of once; that sizes and lengths which depend on them are not
// known is no mistake of the kernel.

struct entry {
  payload_t payload;  //~ note[unknown-type]: payload_t
  int next;
};
struct table {
  struct entry entries[4];
  struct entry *free;
};
typedef struct { struct table tables[2]; float weights[LAYERS]; int size; } world;  //~ note[unknown-name]: LAYERS

kernel void walk(global world *all, global struct entry *list) {
  local float tile[TILE_X][TILE_Y];  //~ note[unknown-name]: TILE_X
                                     //~^ note[unknown-name]: TILE_Y
  local struct entry seen[sizeof(struct entry) * 2];
  global struct entry *first = list + 1;
  struct table mine = all[1].tables[0];
  mine.entries[1] = *first++;
  seen[0] = mine.entries[list[2].next];
  tile[get_local_id(0)][1] = all[get_global_id(0)].weights[0];
  all[1].size = sizeof(world) + sizeof(tile) + sizeof(tile[0]);
}
