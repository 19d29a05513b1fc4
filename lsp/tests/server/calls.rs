//! The hover on a call shows the resolved overload, the names of its parameters and the user's documentation, and says
//! whether the call waits.

use serde_json::json;

use crate::client::{Client, position};

const KERNEL: &str = "\
/* Licence of the file. */

// Adds the elements of a row.
//
// `count` is the number of elements.
float sum(const global float *row, int count);

/**
 * Scales a value.
 * @param factor  at least 1
 */
__attribute__((overloadable)) float scale(float value, float factor) { return value * factor; }
__attribute__((overloadable)) int scale(int value) { return value; } // Describes the line that it ends.
int plain(int x) { return x; }

/// Makes the tile visible.
void publish(local float *tile, int at) {
  tile[at] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
}
void step(local float *tile) { publish(tile, 0); }
int total(int x) { return sub_group_reduce_add(x); }
kernel void k(global float *data, local float *tile, int n) {
  data[0] = sum(data, n);
  data[1] = scale(data[2], 3.0f);
  n = scale(n);
  n = plain(n);
  publish(tile, n);
  step(tile);
  n = total(n);
  work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
  data[3] = fmax(data[4], 1.0f);
}
";

const CUDA: &str = "\
// Waits for the block.
__device__ void meet(int *p) { __syncthreads(); }
struct tile {
  int width;
  // Loads a row from global memory.
  __device__ void load(const float *from, int row) { __syncwarp(); }
};
__global__ void k(float *data, int n) {
  tile t;
  t.load(data, n);
  meet(&n);
  n = __shfl_down_sync(0xffffffff, n, 1);
}
";

fn hovers(language: &str, uri: &str, text: &str, calls: &[(&str, &[&str], &[&str])]) {
    let mut client = Client::with(json!({ "capabilities": { "textDocument": {
        "hover": { "contentFormat": ["markdown"] },
    } } }));
    client.open_as(uri, language, text);
    for (call, wanted, unwanted) in calls {
        let ask = json!({ "textDocument": { "uri": uri }, "position": position(text, call, 0, 0) });
        let hover = client.request("textDocument/hover", ask);
        let found = hover["contents"]["value"].as_str().unwrap_or_else(|| panic!("no hover on {call}"));
        for line in *wanted {
            assert!(found.contains(line), "{call}: {line:?} is not in\n{found}");
        }
        for line in *unwanted {
            assert!(!found.contains(line), "{call}: {line:?} is in\n{found}");
        }
    }
}

#[test]
fn calls_of_opencl_are_described() {
    const WAITS: &str = "It waits for all work-items of the work-group.";
    hovers(
        "opencl",
        "file:///nowhere/k.cl",
        KERNEL,
        &[
            (
                "sum(data",
                &[
                    "float sum(global const float *row, int count);",
                    "Adds the elements of a row.",
                    "`count` is the number of elements.",
                ],
                &["Licence", "// Adds"],
            ),
            (
                "scale(data",
                &[
                    "float scale(float value, float factor);\n// 1 other overload\n```",
                    "Scales a value.\n@param factor  at least 1",
                ],
                &["int scale(int", "/**"],
            ),
            ("scale(n)", &["int scale(int value);\n// 1 other overload"], &["Scales a value", "Describes"]),
            ("plain(n)", &["int plain(int x);"], &["Describes", "waits"]),
            (
                "publish(tile, n)",
                &["void publish(local float *tile, int at);", "Makes the tile visible.", WAITS],
                &[],
            ),
            (
                "step(tile);",
                &["`step` is a convergent function (it calls `publish`, which calls `barrier`)", WAITS],
                &[],
            ),
            ("total(n)", &["`total` is a convergent function"], &["waits"]),
            (
                "work_group_barrier(CLK",
                &[
                    "void work_group_barrier(uint flags, uint scope);\n// 1 other overload",
                    "Waits until all work-items",
                ],
                &[],
            ),
            ("fmax(data", &["float fmax(float x, float y);"], &["half"]),
        ],
    );
}

#[test]
fn calls_of_cuda_and_hip_are_described() {
    let calls: &[(&str, &[&str], &[&str])] = &[
        ("load(data", &["void load(const float *from, int row);", "Loads a row from global memory."], &[]),
        (
            "meet(&n)",
            &["void meet(int *p);", "Waits for the block.", "It waits for all threads of the block."],
            &["global"],
        ),
        ("__shfl_down_sync(0x", &["int __shfl_down_sync(", "mask, int var, uint delta);"], &["float var"]),
    ];
    hovers("cuda-cpp", "file:///nowhere/k.cu", CUDA, calls);
    hovers("hip", "file:///nowhere/k.hip", CUDA, calls);
}
