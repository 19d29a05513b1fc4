//! The command as a process: exit status, streams that go away, help.

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn tangle(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tangle")).args(args).stdin(Stdio::null()).output().unwrap()
}

fn code(args: &[&str]) -> i32 {
    tangle(args).status.code().unwrap()
}

#[test]
fn the_exit_status_tells_how_it_went() {
    assert_eq!(code(&["rules"]), 0);
    assert_eq!(code(&["--help"]), 0);
    assert_eq!(code(&["explain", "syntax-error"]), 0);
    assert_eq!(code(&["explain", "no-such-rule"]), 2);
    assert_eq!(code(&[]), 2);
    assert_eq!(code(&["lint", "--no-such-option"]), 2);
    assert_eq!(code(&["lint", "-j", "0"]), 2);
    assert_eq!(code(&["lint", "no/such/file.cl"]), 2);
    assert_eq!(code(&["lint", "-"]), 0, "nothing is a kernel without findings");
}

#[test]
fn every_rule_has_a_page_that_begins_with_its_name() {
    for rule in tangle::lint::RULES {
        let page = tangle(&["explain", rule.id]).stdout;
        let page = String::from_utf8(page).unwrap();
        assert!(page.starts_with(&format!("# {}", rule.id)), "{page}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_trouble() {
    for args in
        [&["rules"][..], &["rules", "--format=json"], &["explain", "syntax-error"], &["lint", "--help"]]
    {
        // The shell's reader ends at once; the command is run by another that keeps its status.
        let tangle = env!("CARGO_BIN_EXE_tangle");
        let script = format!("{{ sleep 0.2; {tangle} {}; echo $? >&2; }} | true", args.join(" "));
        let run = Command::new("sh").args(["-c", &script]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&run.stderr), "0\n", "{args:?}");
    }
}

/// The command with this on standard input.
fn fed(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tangle"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

fn piped(args: &[&str], text: &str) -> (Option<i32>, String) {
    let output = fed(args, text.as_bytes());
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn the_language_of_standard_input_is_that_of_its_content_or_of_the_name_that_it_is_given() {
    const CUDA: &str = "__global__ void k(int n) { if (threadIdx.x < n) __syncthreads(); }\n";
    let (code, out) = piped(&["lint", "--format", "short", "-"], CUDA);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.starts_with("<stdin>:1:49: error: not all threads reach this `__syncthreads`"), "{out}");
    let (code, out) = piped(&["lint", "--format", "short", "--stdin-filename", "src/a.cl", "-"], CUDA);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.starts_with("src/a.cl:1:1: note: CUDA in an OpenCL file"), "{out}");
    let (_, out) =
        piped(&["show", "--stdin-filename", "a.cu", "-"], "__device__ void f() { __syncthreads(); }\n");
    assert!(out.contains("calls __syncthreads"), "{out}");
    const OPENCL: &str = "kernel void k(int n) { if (get_local_id(0) < n) barrier(1); }\n";
    let (code, out) = piped(&["lint", "--format", "short", "-"], OPENCL);
    assert!(code == Some(1) && out.contains("this `barrier`"), "{out}");
}

#[test]
fn shared_memory_of_the_size_of_the_launch_is_shared_memory() {
    let kernel = |outside: &str, inside: &str| {
        format!("{outside}__global__ void k(int n) {{ {inside}xs[threadIdx.x] = n; __syncthreads(); }}\n")
    };
    const SHARED: &str = "extern __shared__ float xs[];\n";
    for text in [kernel(SHARED, ""), kernel("", SHARED)] {
        let (code, out) = piped(&["show", "--what", "flow", "-"], &text);
        assert_eq!(code, Some(0), "{out}");
        assert!(out.contains("@xs: local float") && out.contains("element float @xs"), "{out}");
    }
}

#[test]
fn standard_input_that_is_binary_is_told() {
    let output = fed(&["lint", "-"], b"int x;\n\0");
    assert_eq!(output.status.code(), Some(2));
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(
        err.contains("tangle: <stdin>: not a text file: a NUL byte at line 2, column 1 (byte 7)"),
        "{err}"
    );
}
