//! One source with several builds, through the command: `[[builds]]`, `--all-branches` and `prelude`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

/// Returns a temporary folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn lint(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
    let output =
        command.current_dir(folder).args(["lint", "--fail-on", "never"]).args(args).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the findings as strings: location, rule, and the build or definitions with which the finding holds.
fn short(folder: &Path, args: &[&str]) -> Vec<String> {
    let text = lint(folder, &[&["--format", "short"], args].concat());
    let line = |line: &str| {
        let mut parts = line.split(':');
        let (file, number) = (parts.next().unwrap(), parts.next().unwrap());
        let rule = line.rsplit('[').next().unwrap().trim_end_matches(']');
        let holds = line.rsplit_once(" (").map_or("", |(_, holds)| holds.split(')').next().unwrap());
        let holds = if holds.starts_with("with ") || holds.starts_with("in ") { holds } else { "" };
        format!("{file}:{number} {rule} {holds}").trim_end().to_owned()
    };
    text.lines().map(line).collect()
}

/// Returns eighteen kernels in one `#if` chain, as in myGEMM. A build takes one of them.
fn chain() -> String {
    let mut text = String::new();
    for number in 1..=18 {
        let word = if number == 1 { "if" } else { "elif" };
        text += &format!("#{word} KERNEL == {number}\nkernel void k{number}(int n) {{\n");
        text += "if (get_local_id(0) < n) barrier(1);\n}\n";
    }
    text + "#endif\n"
}

#[test]
fn all_branches_option_checks_every_branch_of_a_chain() {
    let folder = folder(&[("k.cl", &chain())]);
    assert_eq!(short(folder.path(), &["--only-active-branches", "k.cl"]), ["k.cl:1 left-out-text"]);
    // The first of four readings defines no macro and takes no branch; each other reading takes one branch.
    let bounded = short(folder.path(), &["k.cl"]);
    assert_eq!(
        bounded,
        [
            "k.cl:3 divergent-barrier with `-D KERNEL=1`",
            "k.cl:7 divergent-barrier with `-D KERNEL=2`",
            "k.cl:11 divergent-barrier with `-D KERNEL=3`",
            "k.cl:13 left-out-text",
        ]
    );
    let found = short(folder.path(), &["--all-branches", "k.cl"]);
    let expected = (1..=18).map(|n| format!("k.cl:{} divergent-barrier with `-D KERNEL={n}`", 4 * n - 1));
    assert_eq!(found, expected.collect::<Vec<_>>());
    // This build selects kernel 7. No further definition selects another branch of the chain.
    let found = short(folder.path(), &["--all-branches", "-D", "KERNEL=7", "k.cl"]);
    assert_eq!(found, ["k.cl:27 divergent-barrier"]);
}

#[test]
fn nested_branches_and_multi_name_conditions_are_checked() {
    let text = "\
kernel void k(int n) {
#ifdef OUTER
#ifdef INNER
  if (get_local_id(0) < n) barrier(1);
#endif
#endif
#if defined(A) && B > 3
  if (get_local_id(0) < n) barrier(1);
#endif
#ifndef C
  n = 1;
#else
  if (get_local_id(0) < n) barrier(1);
#endif
#ifdef __GPU__
  if (get_local_id(0) < n) barrier(1);
#endif
}
";
    let folder = folder(&[("k.cl", text), ("tangle.toml", "all-branches = true\n")]);
    assert_eq!(
        short(folder.path(), &["k.cl"]),
        [
            "k.cl:4 divergent-barrier with `-D OUTER=1 -D INNER=1`",
            "k.cl:8 divergent-barrier with `-D B=4 -D A=1`",
            "k.cl:13 divergent-barrier with `-D C=1`",
        ]
    );
}

#[test]
fn branch_that_no_definition_activates_is_reported() {
    // The condition needs two names with different values; the search tries one value for all names.
    let text = "#if X + Y == 7 && X > 0 && Y > 0\nvoid f(void) { barrier(1); }\n#endif\n";
    let folder = folder(&[("k.cl", text)]);
    assert_eq!(short(folder.path(), &["--all-branches", "k.cl"]), ["k.cl:1 left-out-text"]);
}

#[test]
fn trial_definitions_cause_no_false_findings() {
    let text = "kernel void k(int n) {\n#ifdef TYPE\n  TYPE x = n +;\n#endif\n}\n";
    let folder = folder(&[("k.cl", text)]);
    assert_eq!(short(folder.path(), &["--all-branches", "k.cl"]), [""; 0]);
    // A suppression counts as used if one reading of the file has its finding.
    let text = "kernel void k(int n) {\n#ifdef A\n  if (get_local_id(0) < n)\n    barrier(1); // tangle: allow(divergent-barrier): known\n#endif\n}\n";
    let folder = self::folder(&[("k.cl", text)]);
    assert_eq!(short(folder.path(), &["--all-branches", "k.cl"]), [""; 0]);
}

#[test]
fn number_of_readings_of_a_file_is_bounded() {
    let groups = (0..200).map(|n| format!("#ifdef N{n}\n  p[{n}] = 1;\n#endif\n"));
    let text = format!(
        "kernel void k(int n, global int *p) {{\n{}#ifdef LAST\n  if (get_local_id(0) < n) barrier(1);\n#endif\n}}\n",
        groups.collect::<String>()
    );
    let folder = folder(&[("k.cl", &text)]);
    assert_eq!(short(folder.path(), &["--all-branches", "k.cl"]), ["k.cl:602 left-out-text"]);
}

const BUILDS: &str = "\
[[builds]]
name = 'one'
files = ['src/*.cl']
define = ['ONE']

[[builds]]
name = 'two'
files = ['src/**']
define = ['TWO']
";

const TWO_BUILDS: &str = "\
kernel void k(int n) {
  if (get_local_id(0) < n) barrier(1);
#ifdef ONE
  if (get_local_id(0) < n) barrier(2);
#endif
#ifndef TWO
  if (get_local_id(0) < n) sub_group_barrier(1);
#else
  if (get_local_id(0) < n) barrier(3);
#endif
#ifdef THREE
  barrier(1);
#endif
}
";

#[test]
fn finding_of_several_builds_is_reported_once_with_its_builds() {
    let folder = folder(&[("tangle.toml", BUILDS), ("src/k.cl", TWO_BUILDS), ("src/in/k.cl", TWO_BUILDS)]);
    let divergence = |file: &str| -> Vec<String> {
        let found = short(folder.path(), &[file]).into_iter();
        found.filter(|line| !line.contains("subgroup")).map(|line| line.replace(file, "")).collect()
    };
    assert_eq!(
        divergence("src/k.cl"),
        [
            ":2 divergent-barrier",
            ":4 divergent-barrier in the build `one`",
            ":9 divergent-barrier in the build `two`",
        ]
    );
    // Only the build `two` includes this file, so the finding names no build.
    assert_eq!(
        divergence("src/in/k.cl"),
        [":2 divergent-barrier", ":4 divergent-barrier with `-D ONE=1`", ":9 divergent-barrier"]
    );
    let note = lint(folder.path(), &["--format", "short", "src/in/k.cl"]);
    let note = note.lines().find(|line| line.contains("ONE=1")).unwrap();
    assert!(note.contains("k.cl:4:28: note:"), "the branch is inactive in the build: {note}");
}

#[test]
fn json_findings_name_their_builds() {
    let folder = folder(&[("tangle.toml", BUILDS), ("src/k.cl", TWO_BUILDS)]);
    let text = lint(folder.path(), &["--format", "json", "--all-branches", "src/k.cl"]);
    let found: Value = serde_json::from_str(&text).unwrap();
    let of_line = |line: u64| {
        let mut findings = found["findings"].as_array().unwrap().iter();
        findings.find(|finding| finding["line"] == line && finding["rule"] == "divergent-barrier").unwrap()
    };
    assert_eq!(of_line(2).get("builds"), None, "the finding holds in all builds");
    assert_eq!(of_line(4)["builds"], serde_json::json!(["one"]));
    assert_eq!(of_line(4).get("definitions"), None);
}

#[test]
fn prelude_is_read_before_each_source() {
    let folder = folder(&[
        ("tangle.toml", "prelude = ['lib/sync.cl', 'lib/part.cl']\n"),
        ("lib/sync.cl", "#define SYNC() barrier(CLK_LOCAL_MEM_FENCE)\n"),
        ("lib/part.cl", "void part(int n) { if (n) SYNC(); }\n"),
        (
            "src/k.cl",
            "kernel void k(int n) {\n  part(get_local_id(0));\n  if (get_local_id(0) < n) SYNC();\n}\n",
        ),
    ]);
    let found = short(folder.path(), &["src/k.cl"]);
    assert!(found.contains(&"src/k.cl:3 divergent-barrier".to_owned()), "{found:?}");
    assert!(!found.iter().any(|line| line.contains("unknown")), "{found:?}");
    // A file of the prelude is analysed with the files before it, and is not included twice.
    assert_eq!(short(folder.path(), &["lib/part.cl", "lib/sync.cl"]), [""; 0]);
}

#[test]
fn header_in_a_folder_is_checked_through_its_includer() {
    let header = "#define STEP TILE\n\
                  __global__ void sum(int *p) {\n\
                    for (int i = threadIdx.x; i < 64; i += STEP) __syncthreads();\n\
                    if (LEFT) __syncthreads();\n\
                  }\n";
    let main = "#define TILE 64\n#define LEFT threadIdx.x\n#include \"sum.cuh\"\n";
    let alone = "__global__ void k() { if (threadIdx.x) __syncthreads(); }\n";
    let folder = folder(&[("main.cu", main), ("sum.cuh", header), ("other.cuh", alone)]);
    let found = short(folder.path(), &[]);
    // `sum.cuh` is reported once, as `main.cu` includes it. No file includes `other.cuh`.
    assert_eq!(found, ["other.cuh:1 divergent-barrier", "sum.cuh:4 divergent-barrier"]);
    // A header that an argument names is linted alone, without the macros of files that include it.
    assert_eq!(short(folder.path(), &["sum.cuh"]), ["sum.cuh:3 divergent-barrier"]);
}

#[test]
fn header_is_searched_in_the_folders_above_the_source() {
    let header = "struct grid { int *cells; int size; __device__ int height() const { return size; } };\n\
                  __device__ void wait() { __syncthreads(); }\n";
    let main = "#include \"app/mvs/grid.h\"\n\
                #include <lib/none.h>\n\
                __global__ void k(grid g) {\n  if (threadIdx.x < g.height()) wait();\n}\n";
    let folder = folder(&[
        ("src/app/mvs/k.cu", main),
        ("src/app/mvs/grid.h", header),
        // The search tries the folders above the source, not their `include` folders.
        ("include/lib/none.h", "#error not to be read\n"),
    ]);
    let found = |at: &str| short(&folder.path().join(at), &["."]);
    assert_eq!(
        found(""),
        ["src/app/mvs/k.cu:2 missing-include", "src/app/mvs/k.cu:4 divergent-barrier"],
        "from the folder of the project"
    );
    let nearer = folder.path().join("src/app/app/mvs");
    fs::create_dir_all(&nearer).unwrap();
    fs::write(nearer.join("grid.h"), "#error the nearer one\n").unwrap();
    assert!(found("").contains(&"src/app/app/mvs/grid.h:1 syntax-error".to_owned()));
}

#[test]
fn finding_in_a_header_that_is_also_walked_is_reported_once() {
    let header = "__device__ void wait(int n) {\n  if (threadIdx.x < n) __syncthreads();\n}\n";
    let folder = folder(&[
        ("tests/k.cu", "#include \"../include/wait.cuh\"\n__global__ void k(int n) { wait(n); }\n"),
        ("include/wait.cuh", header),
    ]);
    for from in [&[][..], &["."], &["./"], &["./tests", "include"], &["tests/../include", "tests"]] {
        assert_eq!(short(folder.path(), from), ["include/wait.cuh:2 divergent-barrier"], "{from:?}");
    }
}

#[test]
fn branches_for_other_devices_are_reported_and_checked() {
    let text = "__global__ void k(int *p) {\n\
                #if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900\n  if (threadIdx.x) __syncthreads();\n#endif\n\
                #if CUDA_VERSION >= 99000\n  if (p[threadIdx.x]) __syncthreads();\n#endif\n}\n";
    let folder = folder(&[("k.cu", text)]);
    assert_eq!(short(folder.path(), &["k.cu", "--only-active-branches"]), ["k.cu:2 left-out-text"]);
    for arguments in [&["k.cu"][..], &["k.cu", "--all-branches"]] {
        assert_eq!(
            short(folder.path(), arguments),
            [
                "k.cu:3 divergent-barrier with `-D __CUDA_ARCH__=900`",
                "k.cu:6 divergent-barrier with `-D CUDA_VERSION=99000`",
            ]
        );
    }
    assert_eq!(
        short(folder.path(), &["k.cu", "-D", "__CUDA_ARCH__=900"]),
        ["k.cu:3 divergent-barrier", "k.cu:6 divergent-barrier with `-D CUDA_VERSION=99000`"]
    );
}

/// Reduced bugs of other projects in inactive branches: file name, definitions that activate the branch, and text.
const HIDDEN: &[(&str, &str, &str)] = &[
    // ggml: warps exit before a barrier at which the others wait.
    (
        "mma.cuh",
        "NEW_MMA_AVAILABLE=1",
        "__global__ void k(int *p) {\n#ifdef NEW_MMA_AVAILABLE\n  if (threadIdx.y) {\n    __syncthreads();\n  }\n#endif\n}\n",
    ),
    // ggml: some threads skip the barrier of an iteration.
    (
        "vec.cuh",
        "FLASH_ATTN_AVAILABLE=1 -D FP16_AVAILABLE=1",
        "__global__ void k(int *p) {\n#if defined(FLASH_ATTN_AVAILABLE) && defined(FP16_AVAILABLE)\n  for (int i = 0; i < 8; i++) {\n    if (p[threadIdx.x + i]) continue;\n    __syncthreads();\n  }\n#endif\n}\n",
    ),
    // flashinfer: for devices from sm_90 on.
    (
        "gemm.cu",
        "__CUDA_ARCH__=900",
        "__global__ void k(int *p) {\n#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 900)\n  if (threadIdx.x / 32 < 4) {\n    __syncthreads();\n  }\n#endif\n}\n",
    ),
    // ArrayFire: each kernel is built alone.
    (
        "edge.cl",
        "EDGE_TRACER=1",
        "#if defined(INIT_EDGE_OUT)\nkernel void a(global int *p) { p[0] = 0; }\n#endif\n#if defined(EDGE_TRACER)\nkernel void b(global int *p) {\n  while (p[get_local_id(0)])\n    barrier(1);\n}\n#endif\n",
    ),
    // ArrayFire: the barrier is in a function, in the same inactive branch.
    (
        "fill.cl",
        "FLOOD_FILL_STEP=1",
        "#if defined(FLOOD_FILL_STEP)\nint any(local int *p) { barrier(1); return p[0]; }\nkernel void b(global int *p, local int *l) {\n  while (p[get_local_id(0)]) any(l);\n}\n#endif\n",
    ),
];

#[test]
fn bugs_in_inactive_branches_are_found_by_default() {
    for (name, definitions, text) in HIDDEN {
        let folder = folder(&[(name, text)]);
        let line = 1 + text
            .lines()
            .position(|line| {
                line.contains("syncthreads") || line.contains("  barrier(1)") || line.contains(" any(l)")
            })
            .unwrap();
        assert_eq!(
            short(folder.path(), &[name]),
            [format!("{name}:{line} divergent-barrier with `-D {definitions}`")],
            "{name}"
        );
        let active: Vec<String> = short(folder.path(), &["--only-active-branches", name]);
        assert!(active.iter().all(|line| line.ends_with("left-out-text")), "{name}: {active:?}");
        // The arguments give a build. The branch is inactive in it, and the findings are notes that say so.
        let text = lint(folder.path(), &["--format", "short", "-D", "OTHER", name]);
        assert!(text.contains(definitions) && text.lines().all(|line| line.contains(": note: ")), "{text}");
    }
}

#[test]
fn names_in_nested_conditions_are_first_left_undefined() {
    // As in ArrayFire's `flood_fill.cl`: with the inner branch active, the bug would be unreachable.
    let text = "#ifdef STEP\nkernel void k(int n) {\n#ifdef NVIDIA\n  barrier(2);\n  return;\n#endif\n  \
                if (get_local_id(0) < n) barrier(1);\n}\n#endif\n";
    let folder = folder(&[("k.cl", text)]);
    assert_eq!(short(folder.path(), &["k.cl"]), ["k.cl:7 divergent-barrier with `-D STEP=1`"]);
}

#[test]
fn exclusive_names_of_a_chain_are_not_defined_together() {
    // With both names defined, the early exit would come before a barrier.
    let text = "kernel void k(int n) {\n#ifdef A\n  barrier(1);\n#elif defined(B)\n  barrier(2);\n#endif\n\
                #ifdef B\n  if (get_local_id(0)) return;\n  barrier(1);\n#endif\n#ifdef A\n  barrier(4);\n#endif\n}\n";
    let folder = folder(&[("k.cl", text)]);
    let found = short(folder.path(), &["k.cl"]);
    assert_eq!(found, ["k.cl:9 divergent-barrier with `-D B=1`"]);
}

#[test]
fn exclusive_names_of_a_nested_chain_are_not_defined_together() {
    let text = "#ifdef OUTER\nkernel void k(int n) {\n#ifdef A\n  barrier(1);\n#elif defined(B)\n  barrier(2);\n#endif\n\
                #ifdef B\n  if (get_local_id(0)) return;\n  barrier(3);\n#endif\n#ifdef A\n  barrier(4);\n#endif\n}\n#endif\n";
    let folder = folder(&[("k.cl", text)]);
    let found = short(folder.path(), &["k.cl"]);
    assert_eq!(found, ["k.cl:10 divergent-barrier with `-D OUTER=1 -D B=1`"]);
}

#[test]
fn unchecked_branches_are_in_the_summary() {
    let folder = folder(&[("k.cl", &chain())]);
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
        let command = command.current_dir(folder.path()).args(["lint", "--fail-on", "never"]);
        String::from_utf8(command.args(arguments).output().unwrap().stderr).unwrap()
    };
    let said = "not checked: convergent operations in inactive `#if` branches of 1 file";
    assert!(run(&["k.cl"]).contains(said));
    assert!(run(&["--rule", "left-out-text=off", "k.cl"]).contains(said));
    assert!(!run(&["--all-branches", "k.cl"]).contains("not checked"));
}

/// A kernel with a mask on line 7, in column 36.
const MASKED: &str = "__global__ void k(int *p) {\n  int v = p[threadIdx.x];\n  if (v < 0)\n    goto on;\n  v = -v;\non:\n  \
                      p[threadIdx.x] = __shfl_xor_sync(0xffffffff, v, 1);\n}\n";

#[test]
fn mask_is_sufficient_from_sm_70_on() {
    let folder = folder(&[
        ("k.cu", MASKED),
        ("k.hip", MASKED),
        ("old/k.cu", MASKED),
        ("old/tangle.toml", "[cuda]\narch = 60\n"),
        ("new/k.cu", MASKED),
        ("new/tangle.toml", "[cuda]\narch = 70\n"),
    ]);
    for args in [&["k.cu"][..], &["new/k.cu"], &["k.cu", "-D", "__CUDA_ARCH__=700"]] {
        assert_eq!(short(folder.path(), args), [""; 0], "{args:?}");
    }
    let before = "before sm_70, they must reach this call together";
    for (args, expected) in [
        (&["old/k.cu"][..], before),
        (&["k.cu", "-D", "__CUDA_ARCH__=620"][..], before),
        (&["k.hip"][..], "in HIP, they must reach this call together"),
    ] {
        let text = lint(folder.path(), &[&["--format", "json"], args].concat());
        let run: Value = serde_json::from_str(&text).unwrap();
        let [finding] = &run["findings"].as_array().unwrap()[..] else { panic!("{args:?}: {text}") };
        assert_eq!(finding["rule"], "implementation-defined-convergence");
        let mut related = finding["related"].as_array().unwrap().iter();
        let mask = related.find(|place| place["line"] == 7 && place["column"] == 36);
        let expected = format!("the mask `0xffffffff` names the threads that take part; {expected}");
        assert_eq!(mask.unwrap()["message"], expected, "{args:?}");
    }
}

/// Each architecture of a list is a build, with the inactive branches that definitions activate.
#[test]
fn each_architecture_of_a_list_is_a_build() {
    let text = "\
__global__ void k(int n) {
#if __CUDA_ARCH__ >= 900
  if (threadIdx.x < n) __syncthreads();
#endif
#ifdef FEATURE
  if (threadIdx.x < n) __syncthreads();
#endif
#if __CUDA_ARCH__ < 800 && defined(OLD)
  if (threadIdx.x < n) __syncthreads();
#endif
}
";
    let folder = folder(&[("k.cu", text), ("tangle.toml", "[cuda]\narch = [70, 90]\n")]);
    assert_eq!(
        short(folder.path(), &["k.cu"]),
        [
            "k.cu:3 divergent-barrier in the build `arch = 90`",
            "k.cu:6 divergent-barrier with `-D FEATURE=1`",
            "k.cu:9 divergent-barrier in the build `arch = 70`, with `-D OLD=1`",
        ]
    );
}

/// A branch that is inactive only because of an `#error` is analysed, including kernels without convergent operations.
#[test]
fn macro_required_by_an_error_directive_is_assumed_defined() {
    let text = "\
#ifndef WIDTH
#error WIDTH is missing
#else
kernel void quiet(global int *p) { p[0] = WIDTH; }
kernel void k(int n) { if (get_local_id(0) < n) barrier(1); }
#endif
";
    let folder = folder(&[("k.cl", text)]);
    let read = || lint(folder.path(), &["--format", "json", "--only-active-branches", "k.cl"]);
    let document: Value = serde_json::from_str(&read()).unwrap();
    assert_eq!(document["kernels"], 2, "{document}");
    let found = short(folder.path(), &["k.cl"]);
    assert!(found.contains(&"k.cl:5 divergent-barrier".to_owned()), "{found:?}");
}
