//! The first lines of hovers, quoted below the hovered tokens, with expectations derived by hand.

use serde_json::json;

use crate::client::Client;

/// Opens a text and compares the first line of the hover at each `^` with the text after it. The `^` is below the
/// hovered token. Returns the number of hovers.
#[track_caller]
fn check(name: &str, text: &str) -> usize {
    let uri = format!("file:///nowhere/{name}");
    let mut client = Client::with(json!({ "capabilities": {} }));
    client.open(&uri, text);
    let mut code = 0;
    let mut count = 0;
    let mut wrong = String::new();
    for (number, line) in text.lines().enumerate() {
        let Some((before, expected)) = line.split_once("^ ").filter(|(it, _)| it.trim() == "//") else {
            code = number;
            continue;
        };
        let place = json!({ "line": code, "character": before.chars().count() });
        let ask = json!({ "textDocument": { "uri": uri }, "position": place });
        let hover = client.request("textDocument/hover", ask);
        let told = hover["contents"]["value"].as_str().unwrap_or_default().lines().next().unwrap_or_default();
        if told != expected {
            wrong += &format!("line {}: {told}\n    expected: {expected}\n", code + 1);
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{name}\n{wrong}");
    count
}

const OPENCL: &str = "\
kernel void k(global int *p, int n) {
  int gid = get_global_id(0);
  if (gid >= n)
//^ Divergent (work-group): gid ← get_global_id(0), line 2.
    return;
//  ^ Taken by part of the work-group: the branch on gid >= n, line 3 ← gid ← get_global_id(0), line 2.
  for (int j = 0; j < n; j++)
//^ Uniform: the work-items of a work-group that get here take the same path.
    p[gid] += j;
  for (int j = 0; j < gid; j++)
//^ Divergent (work-group): gid ← get_global_id(0), line 2. Reconverges at line 13.
    p[gid] -= j;
  if (n > 3) {
//^ Uniform: the work-items of a work-group that get here take the same path.
    barrier(CLK_LOCAL_MEM_FENCE);
//  ^ Reached by part of the work-group: return, line 5 ← gid ← get_global_id(0), line 2.
  } else {
//  ^ Uniform: the work-items of a work-group that get here take the same path.
    p[gid] = 2;
  }
}
kernel void l(global int *p) {
  switch (get_local_id(0)) {
//^ Divergent (work-group): get_local_id(0), line 23. Reconverges at line 34.
  case 0:
//^ Reached by part of the work-group: the branch on get_local_id(0), line 23.
    p[0] = 3;
    break;
//  ^ Taken by part of the work-group: the branch on get_local_id(0), line 23.
  default:
//^ Reached by part of the work-group: the branch on get_local_id(0), line 23.
    p[1] = 4;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
//^ Reached by all work-items of the work-group.
  do {
//^ Uniform: the work-items of a work-group that get here take the same path.
    if (get_sub_group_id() == 1)
//  ^ Divergent (work-group, not sub-group): get_sub_group_id(), line 38.
      goto out;
//    ^ Taken by part of the work-group: the branch on get_sub_group_id() == 1 ← get_sub_group_id(), line 38.
  } while (0);
out:
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
//^ Reached by all work-items of the sub-group.
}
void helper(int n) {
  if (n)
//^ Uniform in the work-group if these arguments are: n.
    barrier(CLK_LOCAL_MEM_FENCE);
//  ^ Reached by all work-items of the work-group if these arguments are uniform: n.
  barrier(CLK_LOCAL_MEM_FENCE);
//^ Reached by all work-items that call helper together.
}
";

const CUDA: &str = "\
__global__ void k(int *p, int n) {
  __shared__ int xs[64];
  int i = threadIdx.x;
  while (i < n) {
//^ Divergent (block): i ← threadIdx.x, line 3. Reconverges at line 11.
    if (xs[i & 63])
//  ^ Divergent (block): i ← threadIdx.x, line 3.
      break;
    i += 32;
  }
  xs[threadIdx.x] = i;
  __syncthreads();
//^ Reached by all threads of the block.
  if (blockIdx.x == 0)
//^ Uniform: the threads of a block that get here take the same path.
    __syncthreads();
//  ^ Reached by all threads of the block.
  if (threadIdx.x < 16)
//^ Divergent (block): threadIdx.x, line 18. Reconverges at line 24.
    p[i] = 0;
  else
//^ Divergent (block): threadIdx.x, line 18. Reconverges at line 24.
    p[i] = 1;
  p[0] = 1;
}
__device__ int f(int n) {
  if (n < 0)
//^ Uniform in the block if these arguments are: n.
    return 0;
//  ^ Taken by all threads of the block if these arguments are uniform: n.
  return n;
}
__global__ void l(int *p) {
  int i = threadIdx.x;
  if (i < 32)
    __syncthreads();
//  ^ Reached by part of the block: the branch on i < 32, line 35 ← i ← threadIdx.x, line 34.
  for (int j = 0; j < 9; j++) {
    if (i == 3) break;
    __syncthreads();
//  ^ Reached by part of the block: break, line 39 ← i ← threadIdx.x, line 34.
  }
}
";

/// Branches without a statement after them.
const LAST: &str = "\
kernel void m(global int *p, int n) {
  for (int j = 0; j < n; j++) {
    if (get_local_id(0) < j)
//  ^ Divergent (work-group): get_local_id(0), line 3. Reconverges at the end of the block, line 6.
      p[j] = 2;
  }
  for (int j = 0; j < n; j++) {
    if (get_local_id(0) < j)
//  ^ Divergent (work-group): get_local_id(0), line 8.
      break;
  }
  for (int i = 0; i < get_local_id(0); i++)
//^ Divergent (work-group): get_local_id(0), line 12. Reconverges at the end of the block, line 16.
    while (p[i] > i)
      break;
}
";

#[test]
fn first_line_names_the_end_of_a_block_where_threads_meet() {
    assert_eq!(check("m.cl", LAST), 3);
}

#[test]
fn first_line_says_whether_threads_part_and_meet_in_opencl() {
    assert_eq!(check("k.cl", OPENCL), 19);
}

#[test]
fn first_line_says_whether_threads_part_and_meet_in_cuda_and_hip() {
    assert_eq!(check("k.cu", CUDA), 11);
    assert_eq!(check("k.hip", CUDA), 11);
}
