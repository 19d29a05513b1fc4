//! The command as a process: exit status, closed streams, help.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

fn tangle(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tangle")).args(args).stdin(Stdio::null()).output().unwrap()
}

fn code(args: &[&str]) -> i32 {
    tangle(args).status.code().unwrap()
}

#[test]
fn exit_status_is_0_for_success_and_2_for_usage_errors() {
    assert_eq!(code(&["rules"]), 0);
    assert_eq!(code(&["--help"]), 0);
    assert_eq!(code(&["explain", "syntax-error"]), 0);
    assert_eq!(code(&["explain", "no-such-rule"]), 2);
    assert_eq!(code(&[]), 2);
    assert_eq!(code(&["lint", "--no-such-option"]), 2);
    assert_eq!(code(&["lint", "-j", "0"]), 2);
    assert_eq!(code(&["lint", "no/such/file.cl"]), 2);
    assert_eq!(code(&["lint", "-"]), 0, "empty input has no findings");
}

#[test]
fn every_rule_has_a_page_that_begins_with_its_name() {
    for rule in tangle_rules::RULES {
        let page = tangle(&["explain", rule.id]).stdout;
        let page = String::from_utf8(page).unwrap();
        assert!(page.starts_with(&format!("# {}", rule.id)), "{page}");
    }
}

#[cfg(unix)]
#[test]
fn closed_output_pipe_is_not_an_error() {
    for args in
        [&["rules"][..], &["rules", "--format=json"], &["explain", "syntax-error"], &["lint", "--help"]]
    {
        // The reader of the pipe ends at once. The shell prints the status of the command to standard error.
        let tangle = env!("CARGO_BIN_EXE_tangle");
        let script = format!("{{ sleep 0.2; {tangle} {}; echo $? >&2; }} | true", args.join(" "));
        let run = Command::new("sh").args(["-c", &script]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&run.stderr), "0\n", "{args:?}");
    }
}

/// Runs the command with `input` on standard input.
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
fn language_of_stdin_follows_from_content_name_or_dialect() {
    const CUDA: &str = "__global__ void k(int n) { if (threadIdx.x < n) __syncthreads(); }\n";
    let (code, out) = piped(&["lint", "--format", "short", "-"], CUDA);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.starts_with("<stdin>:1:49: error: not all threads reach this `__syncthreads`"), "{out}");
    let (code, out) = piped(&["lint", "--format", "short", "--stdin-filename", "src/a.cl", "-"], CUDA);
    assert_eq!(code, Some(1), "{out}");
    let reported =
        "src/a.cl:1:1: note: the file is read as CUDA: it has `__global__` and no words of OpenCL C";
    assert!(out.starts_with(reported) && out.contains("src/a.cl:1:49: error: not all threads"), "{out}");
    let (code, out) = piped(&["lint", "--format", "short", "--dialect", "opencl", "-"], CUDA);
    assert!(code == Some(0) && out.contains("note: CUDA in an OpenCL file"), "{out}");
    let (_, out) =
        piped(&["show", "--stdin-filename", "a.cu", "-"], "__device__ void f() { __syncthreads(); }\n");
    assert!(out.contains("1  T0   ●  │ __device__ void f()"), "{out}");
    const OPENCL: &str = "kernel void k(int n) { if (get_local_id(0) < n) barrier(1); }\n";
    let (code, out) = piped(&["lint", "--format", "short", "-"], OPENCL);
    assert!(code == Some(1) && out.contains("this `barrier`"), "{out}");
}

#[test]
fn extern_shared_array_is_shared_memory() {
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
fn binary_stdin_is_reported() {
    let output = fed(&["lint", "-"], b"int x;\n\0");
    assert_eq!(output.status.code(), Some(2));
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(
        err.contains("tangle: <stdin>: not a text file: a NUL byte at line 2, column 1 (byte 7)"),
        "{err}"
    );
}

#[test]
fn cuda_content_in_a_cl_file_is_read_as_cuda() {
    const KERNEL: &str = "__global__ void k(int n) { if (threadIdx.x < n) __syncthreads(); }\n";
    let folder = tempfile::tempdir().unwrap();
    let lint = |text: &str, args: &[&str]| {
        std::fs::write(folder.path().join("k.cl"), text).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
        let command = command.current_dir(folder.path()).args(["lint", "--format", "short"]);
        let output = command.args(args).arg("k.cl").output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, out) = lint(KERNEL, &[]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("k.cl:1:1: note: the file is read as CUDA: it has `__global__`"), "{out}");
    let (code, out) = lint(KERNEL, &["--dialect", "opencl"]);
    assert!(code == Some(0) && out.contains("CUDA in an OpenCL file"), "{out}");
    // A file that is written for both languages, or defines the keywords itself, is OpenCL C.
    for first in ["#define __global__ kernel", "#ifdef __OPENCL_VERSION__\n#endif", "kernel void other() {}"]
    {
        let (_, out) = lint(&format!("{first}\n{KERNEL}"), &[]);
        assert!(!out.contains("read as CUDA"), "{first}: {out}");
    }
}

#[test]
fn show_reports_where_uniform_jumps_preserve_one_tangle() {
    let kernel = |condition: &str| {
        format!(
            "kernel void k(global int *p, int n) {{\n  if ({condition}) goto end;\n  p[0] = 1;\nend:\n  barrier(1);\n}}\n"
        )
    };
    const SETTLED: &str = "; in effect one tangle: the jumps here are uniform in the work-group";
    for (condition, is_settled) in [("n > 3", true), ("get_local_id(0) > 3", false)] {
        let (code, out) = piped(&["show", "-"], &kernel(condition));
        assert_eq!(code, Some(0), "{out}");
        let sign = if is_settled { "·" } else { "!" };
        assert!(out.contains(&format!("5  T1 T2    {sign}●  │   barrier(1);\n")), "{out}");
        let why = out.lines().find(|line| line.contains("implementation-defined (goto 2:")).unwrap();
        assert!(why.starts_with("  lines 4-5: "), "{why}");
        assert_eq!(why.ends_with(SETTLED), is_settled, "{why}");
        let (_, out) = piped(&["show", "--format", "json", "-"], &kernel(condition));
        assert_eq!(out.contains("\"settled\": true"), is_settled, "{out}");
    }
}

#[test]
fn show_accepts_several_files() {
    let (one, two) = ("samples/idioms/early_return.cl", "samples/idioms/bounds_check_by_goto.cl");
    let text = |output: &Output| String::from_utf8(output.stdout.clone()).unwrap();
    for what in ["tangles", "uniformity", "flow", "items", "preprocessed"] {
        let json = |files: &[&str]| -> serde_json::Value {
            let output = tangle(&[&["show", "--format", "json", "--what", what], files].concat());
            serde_json::from_slice(&output.stdout).unwrap()
        };
        assert_eq!(json(&[one, two]), serde_json::json!([json(&[one]), json(&[two])]), "{what}");
    }
    let show = |files: &[&str]| tangle(&[&["show"], files].concat());
    let expected = format!("{one}:\n{}\n{two}:\n{}", text(&show(&[one])), text(&show(&[two])));
    assert_eq!(text(&show(&[one, two])), expected);
    // A missing file does not prevent the output for the others.
    let some = show(&["samples/none.cl", one]);
    assert_eq!((some.status.code(), text(&some)), (Some(2), format!("{one}:\n{}", text(&show(&[one])))));
    let none = tangle(&["show", "--format", "json", "samples/none.cl", "samples/none2.cl"]);
    assert_eq!(text(&none), "[]\n");
}

/// Several files include the same header. A finding in it has one entry, even if the baseline is written several times.
#[test]
fn baseline_lists_each_header_finding_once() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("wait.h", "void wait(int n) {\n  if (get_local_id(0) < n)\n    barrier(1);\n}\n");
    for name in ["a.cl", "b.cl"] {
        write(name, "#include \"wait.h\"\nkernel void k(int n) { wait(n); }\n");
    }
    let lint = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
        let output = command.current_dir(folder.path()).arg("lint").args(args).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for files in [&["."][..], &["."], &["a.cl"]] {
        lint(&[files, &["--write-baseline"]].concat());
        let text = fs::read_to_string(folder.path().join("tangle-baseline.json")).unwrap();
        assert_eq!((text.matches("wait.h").count(), text.matches("\"count\": 1").count()), (1, 1), "{text}");
        assert_eq!(lint(&["."]).0, Some(0));
    }
    // The finding is fixed in the header.
    write("wait.h", "void wait(int n) {}\n");
    assert!(lint(&["."]).1.contains("1 finding of the baseline no longer found"));
    lint(&["--prune-baseline"]);
    assert!(!lint(&["."]).1.contains("no longer found"));
}

/// The rule lists the header, but no text without a file, such as the built-in definitions. With an entry for such a
/// text, a build would never be up to date.
#[test]
fn depfile_lists_only_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("k.cl"), "#include \"h.h\"\nkernel void k(global int *p) { p[0] = H; }\n").unwrap();
    std::fs::write(path("h.h"), "#define H 1\n").unwrap();
    let run = tangle(&["lint", "-D", "M", "--depfile", &path("out.d"), &path("k.cl")]);
    assert_eq!(run.status.code(), Some(0));
    let rule = std::fs::read_to_string(path("out.d")).unwrap();
    assert_eq!(rule, format!("{}: \\\n  {} \\\n  {}\n", path("out"), path("h.h"), path("k.cl")));
}

#[test]
fn server_has_help_and_exits_at_end_of_input() {
    let help = tangle(&["server", "--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(String::from_utf8(help.stdout).unwrap().contains("Run the language server"));
    // Standard input is empty.
    for args in [&["server"][..], &["server", "--stdio"]] {
        assert_eq!(tangle(args).status.code(), Some(0), "{args:?}");
    }
    assert_eq!(tangle(&["server", "--port", "1"]).status.code(), Some(2));
}

/// Notes that are not printed take no tries from the errors. Printed notes come after the errors.
#[test]
fn errors_get_their_fixes_before_notes() {
    let note = |number| format!("__global__ void s{number}(int *p) {{ *p = __shfl_xor(threadIdx.x, 1); }}\n");
    // More notes than the tries of one file.
    let notes: String = (0..110).map(note).collect();
    let error = "__global__ void k(int *p, int n) {
  if (threadIdx.x < n) {
    p[0] = 1;
    __syncthreads();
  }
}
";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("k.cu");
    fs::write(&file, notes + error).unwrap();
    let counts = |options: &[&str]| {
        let output = tangle(&[&["lint", "--color", "never", file.to_str().unwrap()], options].concat());
        let counts = String::from_utf8(output.stderr).unwrap();
        counts.lines().filter(|line| line.contains("fixable")).map(str::to_owned).collect::<Vec<_>>()
    };
    let error = "1 finding fixable with `--fix --unsafe-fixes`";
    assert_eq!(counts(&[]), [error]);
    assert_eq!(counts(&["--notes"]), ["99 findings fixable with `--fix`", error]);
}
