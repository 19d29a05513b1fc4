// Why a barrier is not reached by all, where all read the same memory at different places, or write it there.

constant int table[4] = { 0, 1, 0, 1 };
kernel void element_of_a_table(int n) {
  if (table[get_local_id(0) & 3]) //~ origin: `get_local_id(0)`
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void element_of_an_array(int n) {
  int a[4] = { 0, n, 0, 1 };
  int at = get_local_id(0) & 3; //~ origin: `get_local_id(0)`
  if (a[at])
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void element_written_at_an_id(int n) {
  int a[4] = { 0, 0, 0, 0 };
  a[get_local_id(0) & 3] = 1; //~ origin: `get_local_id(0)`
  if (a[0])
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

kernel void memory_that_nobody_writes(global const int *sizes) {
  int size = sizes[get_global_id(0)]; //~ origin: `get_global_id(0)`
  if (size > 3)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_global_id(0)`
}

void sync_at(global const int *sizes, int at) {
  if (sizes[at])
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}
kernel void index_that_is_passed(global const int *sizes) {
  sync_at(sizes, get_local_id(0)); //~ origin: `get_local_id(0)`
}

kernel void pointer_that_differs(global const int *sizes) {
  global const int *mine = sizes + get_local_id(0); //~ origin: `get_local_id(0)`
  if (*mine)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_local_id(0)`
}

const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP;
kernel void point_of_an_image(read_only image2d_t image) {
  int2 point = (int2)(get_global_id(0), 0); //~ origin: `get_global_id(0)`
  if (read_imagei(image, nearest, point).x)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_global_id(0)`
}

kernel void row_of_a_table(global const int *first, global const int *values) {
  int row = get_global_id(0); //~ origin: `get_global_id(0)`
  for (int i = first[row]; i < first[row + 1]; i++)
    barrier(CLK_LOCAL_MEM_FENCE); //~ error[divergent-barrier]: `get_global_id(0)`
}
