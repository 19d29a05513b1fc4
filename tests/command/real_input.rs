//! Kernels of other projects, if this machine has them. They are not part of this repository.

use std::path::Path;
use std::process::Command;

use tangle_referees::{Corpus, kernels};

/// Runs `tangle lint` in a folder. Returns its findings, one per line, and its summary.
fn lint(folder: &Path, args: &[&str]) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tangle"))
        .current_dir(folder)
        .args(["lint", "--format", "short", "--fail-on", "never"])
        .args(args)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (findings, summary) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(0), "{summary}");
    (findings, summary)
}

fn assert_understood(findings: &str) {
    let bad = |line: &&str| line.contains("[syntax-error]") || line.contains("[missing-include]");
    let bad: Vec<&str> = findings.lines().filter(bad).take(20).collect();
    assert!(bad.is_empty(), "{bad:#?}");
}

/// The macros that hashcat defines for its kernels, one per line, except the vector size.
const HASHCAT: &str = include_str!("../hashcat.defines");

fn check_hashcat(vector_size: u32) {
    let Some(folder) = Corpus::Hashcat.folder() else { return };
    let kernels = kernels(&folder).into_iter().map(|path| path.into_os_string().into_string().unwrap());
    let kernels: Vec<String> = kernels.filter(|name| name.starts_with("OpenCL/m")).collect();
    let kernels = tangle_referees::some_of(kernels);
    let size = format!("VECT_SIZE={vector_size}");
    let mut args = vec!["-I", "OpenCL", "-D", &size];
    args.extend(HASHCAT.lines().flat_map(|define| ["-D", define]));
    args.extend(kernels.iter().map(String::as_str));
    let (findings, summary) = lint(&folder, &args);
    assert_understood(&findings);
    assert!(summary.contains(&format!("in {} files", kernels.len())), "{summary}");
}

#[test]
fn hashcat_parses_without_errors_with_scalars() {
    check_hashcat(1);
}

#[test]
fn hashcat_parses_without_errors_with_vectors_of_2() {
    check_hashcat(2);
}

#[test]
fn hashcat_parses_without_errors_with_vectors_of_4() {
    check_hashcat(4);
}

#[test]
fn hashcat_parses_without_errors_with_vectors_of_8() {
    check_hashcat(8);
}

#[test]
fn darktable_parses_without_errors() {
    let Some(folder) = Corpus::Darktable.folder() else { return };
    let (findings, summary) = lint(&folder, &["-I", ".", "."]);
    assert_understood(&findings);
    assert!(summary.contains("in 36 files"), "{summary}");
}

#[test]
fn pyopencl_parses_without_errors() {
    let Some(folder) = Corpus::Pyopencl.folder() else { return };
    let (findings, _) = lint(&folder, &["-I", ".", "."]);
    assert_understood(&findings);
}
