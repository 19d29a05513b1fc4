//! OpenCL in string literals of C++, through the command: found in folders, and told at its places in the host.

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
fn kernels_in_literals_are_found_and_told_at_their_places() {
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
        "a file that is named is read as it is"
    );
}

#[test]
fn files_in_opencl_that_begin_as_a_literal_are_read_as_their_pieces() {
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
