//! OpenCL in string literals of C++, through the command. Findings have locations in the host file.

use std::fs;
use std::path::Path;
use std::process::Command;

fn lint(folder: &Path, args: &[&str]) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
    let command =
        command.current_dir(folder).args(["lint", "--format", "short", "--fail-on", "never"]).args(args);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |line: &str| {
        let place = line.split(": ").next().unwrap();
        format!("{place} {}", line.rsplit('[').next().unwrap().trim_end_matches(']'))
    };
    text.lines().map(line).collect()
}

const HOST: &str = r##"
#include <string>
// kernel void k() in a comment is nothing.
static const char *plain =
    "#define SYNC \\\n"
    "  barrier(CLK_LOCAL_MEM_FENCE)\n"
    "kernel void k(int n) {\n"
    "  if (get_local_id(0) < n) // known: \"n\"\n"
    "\tSYNC;\n"
    "}\n";
static const std::string raw = R"CLC(
kernel void k(int n) {
  if (get_local_id(0) < n)
    barrier(CLK_LOCAL_MEM_FENCE); // tangle: allow(divergent-barrier): the other one is enough
  if (get_local_id(0) < n) barrier(CLK_LOCAL_MEM_FENCE);
}
)CLC";
std::string made(int n) {
  return "kernel void k(int n) {\n"
         "  if (get_local_id(0) < n) barrier(CLK_LOCAL_MEM_FENCE);\n"
         "}\n"
         "kernel void made(int n) {\n"
         "  n = " + std::to_string(n) + ";\n"
         "  syntax error " + std::to_string(n) + ";\n"
         "}\n";
}
"##;

#[test]
fn findings_in_string_literals_are_reported_at_their_location() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("host.cpp"), HOST).unwrap();
    fs::write(folder.join("other.cpp"), "int main() { puts(\"kernel void\"); }\n").unwrap();
    fs::write(folder.join("k.h"), "kernel void k(int n) { if (get_local_id(0)) barrier(1); }\n").unwrap();
    let expected = [
        "host.cpp:9:8 divergent-barrier",
        "host.cpp:15:28 divergent-barrier",
        "host.cpp:20:38 divergent-barrier",
    ];
    assert_eq!(lint(folder, &[]), expected);
    assert_eq!(lint(folder, &["host.cpp"]), expected);
    assert_eq!(
        lint(folder, &["k.h"]),
        ["k.h:1:45 divergent-barrier"],
        "a file named as an argument is linted as OpenCL C"
    );
}

#[test]
fn opencl_file_wrapped_in_literals_is_read_as_their_content() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("common.opencl"), "// it's one\nR\"(\n#define SYNC barrier(1)\n)\"\n").unwrap();
    let kernel =
        "R\"(\nkernel void k(int n) {\n)\"\n// part 2\nR\"(\n  if (get_local_id(0) < n) SYNC;\n}\n)\"\n";
    fs::write(folder.join("k.opencl"), kernel).unwrap();
    let peak = "MSTRINGIFY(\n\\n#define SYNC barrier(1)\nkernel void k(int n) {\n  if (get_local_id(0) < n) SYNC;\n}\n)\n";
    fs::write(folder.join("peak.cl"), peak).unwrap();
    fs::write(folder.join("tangle.toml"), "prelude = ['common.opencl']\n").unwrap();
    assert_eq!(lint(folder, &["common.opencl", "k.opencl"]), ["k.opencl:6:28 divergent-barrier"]);
    let found = lint(folder, &["peak.cl", "-U", "SYNC"]);
    assert_eq!(found, ["peak.cl:4:28 divergent-barrier"]);
}

/// Generators that write line by line: `endl` ends a directive and a comment.
#[test]
fn endl_and_newline_in_a_stream_end_a_line_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (end, is_new) in [
        ("<< std::endl", true),
        ("<< endl", true),
        ("<< '\\n'", true),
        ("<< \"\\n\"", true),
        ("<< ' '", false),
    ] {
        let host = format!(
            "void gen(std::stringstream &ss) {{\n  \
               ss << \"#define TYPE int // of all\" {end};\n  \
               ss << \"#if 1\" {end};\n  \
               ss << \"kernel void k(global TYPE *p) {{ // one\" {end};\n  \
               ss << \"  if (get_local_id(0) < \" << n << \") // \" << n {end};\n  \
               ss << \"    barrier(CLK_LOCAL_MEM_FENCE);\" {end} << \"}}\" {end} << \"#endif\" {end};\n}}\n"
        );
        fs::write(folder.join("host.cpp"), host).unwrap();
        let expected: &[&str] = if is_new { &["host.cpp:6:14 divergent-barrier"] } else { &[] };
        assert_eq!(lint(folder, &[]), expected, "{end}");
    }
}

/// The loop of the second arm has the same trip count for all threads. The loop of the first arm is divergent but
/// without a barrier.
const ARMS: &str = r#"
void gen_body(std::string &source, bool row_major) {
  source.append("__kernel void k(__global float *A, int n) {\n");
  if (row_major)
  {
    source.append("  for (int row = get_global_id(0); row < n; row += get_global_size(0)) {\n");
    source.append("    A[row] = 0;\n");
  }
  else
  {
    source.append("  for (int row = get_group_id(0); row < n; row += get_num_groups(0)) {\n");
    source.append("    barrier(CLK_LOCAL_MEM_FENCE);\n");
  }
  source.append("  }\n");
  source.append("  if (get_local_id(0) < 5) barrier(CLK_LOCAL_MEM_FENCE);\n");
  source.append("}\n");
}
void gen_head(std::string &source, bool ab) {
  if (ab)
    source.append("__kernel void a(\n");
  else
    source.append("__kernel void b(int m,\n");
  source.append("  int n) {\n");
  source.append("  if (n > 4) barrier(CLK_LOCAL_MEM_FENCE);\n");
  source.append(ab ? "  if (get_local_id(0) < 5)" : "  if (get_local_id(0) < m)");
  source.append("    barrier(CLK_LOCAL_MEM_FENCE);\n");
  source.append("}\n");
}
"#;

#[test]
fn only_one_host_branch_contributes_to_a_program() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("host.cpp"), ARMS).unwrap();
    let found = lint(folder, &[]);
    assert_eq!(found, ["host.cpp:15:45 divergent-barrier", "host.cpp:26:22 divergent-barrier"]);
}

const PARTS: &str = r#"
template <typename S> void gen_wait(S &source) {
  source.append("int wait(__local int *s) {\n");
  source.append("  if (get_local_id(0) < 5) barrier(CLK_LOCAL_MEM_FENCE);\n");
  source.append("  return s[0];\n");
  source.append("}\n");
}
template <typename S> void gen_kernel(S &source) {
  source.append("__kernel void k(__global int *p) {\n");
  source.append("  __local int s[1];\n");
  source.append("  p[0] = wait(s) + later(s);\n");
  source.append("  if (get_local_id(0) < 5) wait(s);\n");
  source.append("}\n");
}
template <typename S> void gen_later(S &source) {
  source.append("int later(__local int *s) {\n");
  source.append("  if (get_local_id(0) < 5) barrier(CLK_LOCAL_MEM_FENCE);\n");
  source.append("  return s[0];\n");
  source.append("}\n");
}
template <typename S> void gen_uncalled(S &source) {
  source.append("void uncalled(__global int *p) {\n");
  source.append("  if (get_local_id(0) < 5) barrier(CLK_LOCAL_MEM_FENCE);\n");
  source.append("}\n");
}
"#;

/// Each function of a kernel source is written by a function of the host.
#[test]
fn functions_called_by_kernels_of_the_same_file_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("host.hpp"), PARTS).unwrap();
    let expected = [
        "host.hpp:4:45 divergent-barrier",
        "host.hpp:12:45 divergent-barrier",
        "host.hpp:17:45 divergent-barrier",
        "host.hpp:23:45 divergent-barrier",
    ];
    assert_eq!(lint(folder, &[]), expected);
    // Literals that define the same function cannot be one program: each is analysed alone, each finding reported once.
    let variants = format!("{PARTS}{}", PARTS.replace("gen_", "gen_other_"));
    fs::write(folder.join("host.hpp"), variants).unwrap();
    let found = lint(folder, &[]);
    for place in expected {
        assert_eq!(found.iter().filter(|found| *found == place).count(), 1, "{place}: {found:#?}");
    }
    // In a file without a kernel, a literal is in no program. A literal without keywords of OpenCL is not OpenCL.
    let without_kernel = PARTS.replace("__kernel", "static");
    fs::write(folder.join("host.hpp"), without_kernel).unwrap();
    assert_eq!(lint(folder, &[]), ["host.hpp:4:45 unread-literal"]);
    let other = "const char *c = \"int f(int a) { return undeclared(a) }\";\nconst char *k = \"kernel void k() { f(1); }\";\n";
    fs::write(folder.join("host.hpp"), other).unwrap();
    assert_eq!(lint(folder, &[]), ["host.hpp:2:36 undeclared-function"]);
}

/// The kernels of these files are arguments of a macro that makes a string of them.
#[test]
fn stringizing_macro_around_kernels_is_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let kernels = "\n__kernel void a(__global int *p) {\n  if (get_local_id(0) < 7) barrier(1);\n}\nkernel void b() {\n  if (get_local_id(0) < 7) barrier(1);\n}\n);\n";
    let heads = [
        "static const char *src = CONVERT_KERNEL_TO_STRING(",
        "static const char* const src = STRINGIFY(",
        "const char src[] = MSTRINGIFY(",
        "#define STRINGIFY(x) #x // it\n// a text: char\nconst char *src = STRINGIFY(",
    ];
    for head in heads {
        for file in ["k.cl", "host.cpp"] {
            fs::write(folder.join(file), format!("#ifndef A\n#define A\n\n{head}{kernels}#endif\n")).unwrap();
            let line = 3 + head.lines().count();
            let expected = [line + 2, line + 5].map(|line| format!("{file}:{line}:28 divergent-barrier"));
            assert_eq!(lint(folder, &[file]), expected, "{head}");
        }
    }
    // A use of `STRINGIFY` in OpenCL code remains a string.
    let text =
        "#define STRINGIFY(x) #x\nconstant char *name = STRINGIFY(a b c { );\nkernel void k() { name[0]; }\n";
    fs::write(folder.join("k.cl"), text).unwrap();
    assert!(lint(folder, &["k.cl"]).is_empty());
}

/// A stringizing macro keeps the escapes in literals. In a plain literal, an escaped quote closes the name of a header.
#[test]
fn escapes_inside_embedded_programs_are_read_correctly() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("wait.h"), "#define WAIT barrier(CLK_LOCAL_MEM_FENCE)\n").unwrap();
    let host = r##"#define STRINGIFY(x) #x
const char *spoken = STRINGIFY(
  kernel void say(int n) {
    // "one\n
    if (get_local_id(0) < n) printf("fizz\n", '\n'); \n#define EACH if (get_local_id(0) < n)\n
    EACH barrier(CLK_LOCAL_MEM_FENCE);
  }
);
const char *included =
  "#include \"wait.h\"\n"
  "kernel void wait(int n) { char quote = '\"'; if (get_local_id(0) < n) WAIT; }\n";
"##;
    fs::write(folder.join("host.cpp"), host).unwrap();
    assert_eq!(lint(folder, &[]), ["host.cpp:6:10 divergent-barrier", "host.cpp:11:74 divergent-barrier"]);
}
