//! The output and the exit status of `tangle diff`.

use std::fs;
use std::process::{Command, Output};

use expect_test::expect;
use serde_json::Value;
use tempfile::TempDir;

const REDUCE: &str = "\
kernel void k(global int *out) {
  int i = get_global_id(0);
  if (i < 1) out[i] = sub_group_non_uniform_reduce_add(1);
  else out[i] = -sub_group_non_uniform_reduce_add(1);
}
";

const MERGED: &str = "\
kernel void k(global int *out) {
  int i = get_global_id(0);
  int sum = sub_group_non_uniform_reduce_add(1);
  if (i < 1) out[i] = sum;
  else out[i] = -sum;
}
";

/// Runs the command on two files.
fn diff(files: [(&str, &str); 2], options: &[&str]) -> Output {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    Command::new(env!("CARGO_BIN_EXE_tangle"))
        .current_dir(folder.path())
        .args(["diff", files[0].0, files[1].0])
        .args(options)
        .output()
        .unwrap()
}

#[track_caller]
fn trouble(files: [(&str, &str); 2], options: &[&str], message: &str) {
    let output = diff(files, options);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains(message), "{error}");
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn difference_is_shown_with_both_tables() {
    let output = diff([("old.cl", REDUCE), ("new.cl", MERGED)], &["--local-size", "4"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    expect![[r#"
        `k`: difference in work-item 0: other work-items take part in the operation
          old: 3:23 `sub_group_non_uniform_reduce_add`: work-item 0
          new: 3:13 `sub_group_non_uniform_reduce_add`: work-items 0-3

        --- old: old.cl ---

        k in old.cl: 4 work-items, sub-groups of 4; tokens, early, seed 0

        work-item  2  3  4  3*  4*  5
                0  A  B      B      A
                1  A     C       C  A
                2  A     C       C  A
                3  A     C       C  A

        same letter: work-items that execute together; *: convergent operation
        A: work-items 0-3
        B: work-item 0
        C: work-items 1-3

        2 |   int i = get_global_id(0);
        3 |   if (i < 1) out[i] = sub_group_non_uniform_reduce_add(1);
        4 |   else out[i] = -sub_group_non_uniform_reduce_add(1);
        5 | }

        finished

        executed together:
          3:23 `sub_group_non_uniform_reduce_add`: work-item 0
          4:18 `sub_group_non_uniform_reduce_add`: work-items 1-3

        --- new: new.cl ---

        k in new.cl: 4 work-items, sub-groups of 4; tokens, early, seed 0

        work-item  2  3*  4  5  6
                0  A   A  B     A
                1  A   A     C  A
                2  A   A     C  A
                3  A   A     C  A

        same letter: work-items that execute together; *: convergent operation
        A: work-items 0-3
        B: work-item 0
        C: work-items 1-3

        2 |   int i = get_global_id(0);
        3 |   int sum = sub_group_non_uniform_reduce_add(1);
        4 |   if (i < 1) out[i] = sum;
        5 |   else out[i] = -sum;
        6 | }

        finished

        executed together:
          3:13 `sub_group_non_uniform_reduce_add`: work-items 0-3
    "#]]
    .assert_eq(&text(&output));
}

#[test]
fn equal_graphs_are_a_proof() {
    let renamed = REDUCE.replace("get_global_id(0);", "get_global_id(0); // a comment");
    let output = diff(
        [
            ("old.cl", REDUCE),
            (
                "new.cl",
                &renamed.replace("int i", "int index").replace("[i]", "[index]").replace("i <", "index <"),
            ),
        ],
        &[],
    );
    assert_eq!(text(&output), "`k`: no difference: the flow graphs are equal\n");
    assert_eq!(output.status.code(), Some(0));
    let silent = "kernel void k(global int *out) { out[0] = 1; }";
    let output =
        diff([("old.cl", silent), ("new.cl", "kernel void k(global int *out) { out[1] = 2; }")], &[]);
    assert_eq!(text(&output), "`k`: no difference: no convergent operations\n");
}

#[test]
fn json_has_both_executions() {
    let output = diff([("old.cl", REDUCE), ("new.cl", MERGED)], &["--format", "json"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let difference = &document["difference"];
    assert_eq!(difference["launch"]["local_size"], serde_json::json!([8, 1, 1]));
    assert_eq!(difference["old"]["communications"][0]["threads"], serde_json::json!([0]));
    assert_eq!(difference["new"]["communications"][0]["threads"], serde_json::json!([0, 1, 2, 3]));
    let output = diff([("old.cl", REDUCE), ("new.cl", REDUCE)], &["--format", "json"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["difference"], Value::Null);
    assert_eq!(document["functions"][0]["proof"], "equal-graphs");
}

#[test]
fn source_and_its_flow_graph_are_the_same() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("k.cl");
    fs::write(&path, REDUCE).unwrap();
    let lowered = Command::new(env!("CARGO_BIN_EXE_tangle"))
        .args(["lower", "--emit", "flow"])
        .arg(path)
        .output()
        .unwrap();
    let graph = String::from_utf8(lowered.stdout).unwrap();
    let output = diff([("old.cl", REDUCE), ("new.flow", &graph)], &[]);
    assert_eq!(text(&output), "`k`: no difference: the flow graphs are equal\n");
}

/// Returns what `tangle lower` writes for a file.
fn lowered(name: &str, source: &str, options: &[&str]) -> String {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, source).unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_tangle")).arg("lower").args(options).arg(path).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The parameters get their types from the source: LLVM IR has no signs, and pointers point to nothing.
#[test]
fn source_and_its_llvm_ir_are_the_same() {
    let uses_signs = "\
kernel void k(global uint *in, global float *out, uint n, char c) {
  size_t i = get_global_id(0);
  uint x = in[i] - 3u;
  for (uint j = 0; j < n % 3u; j++) {
    x = sub_group_shuffle(x >> 1 | x << 31, (uint)(j ^ get_sub_group_local_id()) & 1u);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = sub_group_reduce_max(x) / 7u + (float)c;
}
";
    for target in ["spirv64", "amdgcn", "nvptx64", "none", "x86_64"] {
        let llvm = lowered("k.cl", uses_signs, &["--target", target]);
        for files in
            [[("old.cl", uses_signs), ("new.ll", &*llvm)], [("old.ll", &llvm), ("new.cl", uses_signs)]]
        {
            let output = diff(files, &[]);
            assert_eq!(text(&output), "`k`: no difference in 32 launches\n", "{target}: {llvm}");
        }
    }
}

/// On NVIDIA's devices, a shuffle moves the bits of a number.
#[test]
fn cuda_and_its_llvm_ir_are_the_same() {
    let source = "\
__global__ void k(float *out, const float *in, int n) {
  __shared__ float part[64];
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  part[threadIdx.x] = in[i];
  __syncthreads();
  float v = part[threadIdx.x];
  for (int o = 1; o < n % 4; o++)
    v += __shfl_xor_sync(0xffffffff, v, o);
  if (__any_sync(0xffffffff, v > 2))
    out[i] = __ballot_sync(0xffffffff, i & 1) + v;
}
";
    for (name, target) in [("old.cu", "nvptx64"), ("old.hip", "amdgcn")] {
        let llvm = lowered(name, source, &["--target", target]);
        let options = ["--local-size", "32", "--groups", "2", "--sub-group-size", "32", "--launches", "8"];
        let output = diff([(name, source), ("new.ll", &llvm)], &options);
        if target == "amdgcn" {
            // The operations of HIP with masks are ones without masks on AMD's devices.
            assert_eq!(output.status.code(), Some(1), "{output:?}");
        } else {
            assert_eq!(text(&output), "`k`: no difference in 8 launches\n", "{llvm}");
        }
        let output = diff([("old.ll", &llvm), ("new.ll", &llvm)], &options);
        assert_eq!(text(&output), "`k`: no difference: the flow graphs are equal\n");
    }
}

#[test]
fn kernels_of_one_file_only_are_not_compared() {
    let more = format!("{REDUCE}kernel void more(void) {{}}\n");
    let output = diff([("old.cl", &more), ("new.cl", REDUCE)], &[]);
    let expected =
        "`k`: no difference: the flow graphs are equal\n`more`: not compared: only in the old file\n";
    assert_eq!(text(&output), expected);
}

#[test]
fn troubles_have_their_own_status() {
    let invoke = "define void @k() {\n  invoke void @f()\n}\n";
    trouble([("a.cl", REDUCE), ("b.ll", invoke)], &[], "b.ll:2:3: `invoke` is not supported");
    trouble([("a.cl", REDUCE), ("b.ll", "")], &[], "no kernel is in both files");
    trouble([("a.cl", REDUCE), ("b.bc", "")], &[], "b.bc: cannot read bitcode");
    trouble([("a.cl", REDUCE), ("b.flow", "function k(")], &[], "b.flow:1:");
    trouble([("a.cl", REDUCE), ("b.cl", "kernel void other(void) {}")], &[], "no kernel is in both files");
    trouble(
        [("a.cl", REDUCE), ("b.cl", "kernel void k(int n) { barrier(1); }")],
        &[],
        "different parameters",
    );
    trouble([("a.cl", REDUCE), ("b.cl", REDUCE)], &["--function", "m"], "cannot find function `m`");
    trouble([("a.flow", ""), ("b.flow", "")], &["--function", "m"], "cannot find function `m`");
    trouble([("a.cl", REDUCE), ("b.cl", MERGED)], &["--arg", "in=1"], "has no parameter `in`");
    let beyond = REDUCE.replace("out[i] = s", "out[100000] = s");
    trouble([("a.cl", &beyond), ("b.cl", MERGED)], &[], "no launch could be compared");
}
