//! The threads that a mask or a tile names. The expectations follow from the CUDA C++ Programming Guide, Warp Shuffle
//! Functions: each calling thread has its own bit in the mask, and all named threads that have not exited execute the
//! same operation with the same mask.

use serde_json::Value;

use super::{simulate_file, text};

/// Returns why the execution of a kernel in a block of one warp is undefined. `None`: all threads return. `v` is 1 in
/// odd threads, and 0 in even ones.
fn reason(body: &str) -> Option<String> {
    let kernel = format!(
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n\
         __global__ void k(int *p) {{ int v = threadIdx.x & 1, x = 0; {body} p[threadIdx.x] = x; }}"
    );
    let options = ["--local-size", "32", "--sub-group-size", "32", "--no-races", "--format", "json"];
    let output = simulate_file("a.cu", &kernel, &options);
    let report: Value = serde_json::from_str(&text(&output)).unwrap_or_else(|_| panic!("{output:?}"));
    match report["outcome"].as_str() {
        Some("finished") => None,
        Some("undefined") => Some(report["reason"].as_str().unwrap().to_owned()),
        _ => panic!("{kernel}\n{report}"),
    }
}

#[track_caller]
fn is_defined(body: &str) {
    assert_eq!(reason(body), None, "{body}");
}

#[track_caller]
fn is_undefined(body: &str, expected: &str) {
    assert_eq!(reason(body).as_deref(), Some(expected), "{body}");
}

#[test]
fn named_threads_must_execute_the_operation() {
    is_undefined(
        "if (threadIdx.x < 16) x = __shfl_xor_sync(0xffffffff, v, 1);",
        "only 16 of the 32 threads that `__shfl_xor_sync` names execute it",
    );
    is_undefined(
        "if (v) x = __any_sync(0x0000ffff << 16 | 0xffff, v);",
        "only 16 of the 32 threads that `__any_sync` names execute it",
    );
    // 18 threads execute the second iteration.
    is_undefined(
        "for (int i = threadIdx.x; i < 50; i += 32) x += __shfl_sync(~0u, v, 0); __syncwarp();",
        "only 18 of the 32 threads that `__shfl_sync` names execute it",
    );
    is_undefined("if (v) __syncwarp();", "only 16 of the 32 threads that `__syncwarp` names execute it");
}

#[test]
fn a_mask_names_its_callers() {
    is_undefined(
        "x = __shfl_xor_sync(0xffff, v, 1);",
        "a thread executes `__shfl_xor_sync`, but its mask does not name this thread",
    );
    is_undefined(
        "if (v) x = __ballot_sync(0x55555555, v);",
        "a thread executes `__ballot_sync`, but its mask does not name this thread",
    );
}

#[test]
fn threads_that_no_mask_names_may_be_elsewhere() {
    is_defined("if (threadIdx.x < 16) x = __shfl_xor_sync(0xffff, v, 1);");
    is_defined("if (threadIdx.x % 16 == 0) x = __shfl_xor_sync(0x00010001, v, 16);");
    is_defined("unsigned m = __ballot_sync(~0u, v); if (v) x = __shfl_sync(m, v, 1);");
    is_defined("if (v) { unsigned m = __activemask(); x = __shfl_sync(m, v, 1); }");
}

#[test]
fn threads_that_exited_are_not_awaited() {
    is_defined("if (threadIdx.x >= 20) return; x = __shfl_xor_sync(0xffffffff, v, 1);");
}

#[test]
fn threads_may_be_at_different_calls() {
    is_defined("if (v) x = __shfl_sync(~0u, v, 1); else x = __shfl_sync(~0u, v, 0);");
    is_defined("if (v) { __syncwarp(0xaaaaaaaa); x = __any_sync(~0u, v); } else x = __any_sync(~0u, !v);");
    is_undefined(
        "if (v) x = __shfl_sync(~0u, v, 1); else x = __shfl_xor_sync(~0u, v, 1);",
        "only 16 of the 32 threads that `__shfl_xor_sync` names execute it",
    );
}

#[test]
fn a_tile_names_its_threads() {
    let tile = |size: u32| format!("auto tile = cg::tiled_partition<{size}>(cg::this_thread_block());");
    is_defined(&format!("{} if (threadIdx.x < 16) x = tile.shfl_xor(v, 1);", tile(8)));
    is_undefined(
        &format!("{} if (threadIdx.x < 12) x = tile.shfl_xor(v, 1);", tile(8)),
        "only 4 of the 8 threads that `cooperative_groups::thread_block_tile::shfl_xor` names execute it",
    );
    is_undefined(
        &format!("{} if (v) tile.sync();", tile(4)),
        "only 2 of the 4 threads that `cooperative_groups::thread_block_tile::sync` names execute it",
    );
}

/// The threads 0, 3, … 30 have the ranks 0 to 10. A wrong result makes threads execute an operation that does not name
/// them.
#[test]
fn a_coalesced_group_numbers_its_threads() {
    let group = |wrong: &str| {
        format!(
            "int id = threadIdx.x; if (id % 3 == 0) {{ auto g = cg::coalesced_threads(); x = {wrong}; }} \
             if (x) x = __any_sync(0, v);"
        )
    };
    let undefined = "a thread executes `__any_sync`, but its mask does not name this thread";
    is_defined(&group("g.shfl(id, 2) != 6"));
    is_defined(&group("g.shfl_up(id, 1) != (id == 0 ? 0 : id - 3)"));
    is_defined(&group("g.shfl_down(id, 2) != (id > 24 ? id : id + 6)"));
    is_undefined(&group("g.shfl(id, 3) != 6"), undefined);
    is_undefined(&group("g.shfl_up(id, 1) != id - 3"), undefined);
    is_undefined(&group("g.shfl_down(id, 2) != id + 6"), undefined);
}
