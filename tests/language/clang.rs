//! A comparison with clang's parser: a sample has a syntax error exactly if clang reports an error.
//!
//! The test uses the samples of all subfolders.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const UNKNOWN: &str = "an undeclared name is not an error: the rest is analysed";

/// Samples where we differ from clang intentionally, and why.
const DIFFERENT: &[(&str, &str)] = &[
    ("syntax/missing_header_unneeded.cl", "a missing header is no error: the rest is analysed"),
    ("syntax/missing_header_needed.cl", "a missing header is no error: the rest is analysed"),
    (
        "syntax/header_is_missing_and_a_constant_needed.cl",
        "a missing header is no error: the rest is analysed",
    ),
    ("syntax/header_is_missing_and_needed.cl", "a missing header is no error: the rest is analysed"),
    ("syntax/unknown_type.cl", "an unknown name in a type position is treated as a type"),
    ("syntax/unknown_has_no_consequences.cl", "an unknown name in a type position is treated as a type"),
    ("syntax/error_for_want_of_a_header.cl", "a missing header is no error: the rest is analysed"),
    (
        "syntax/error_directive_needs_one.cl",
        "an `#error` about a missing setting is ignored: the build is unknown",
    ),
    ("syntax/jump_into_noconvergent.cl", "clang 19 does not know the current form of the statement"),
    ("suppression/several_rules.cl", "its header is missing and its error suppressed"),
    (
        "suppression/all_rules.cl",
        "an unknown name in a type position is treated as a type; the warning is suppressed",
    ),
    ("unknown/names.cl", UNKNOWN),
    ("unknown/calls.cl", UNKNOWN),
    ("unknown/types.cl", UNKNOWN),
    ("unknown/undeclared_function.cl", UNKNOWN),
    ("unknown/macros.cl", UNKNOWN),
    ("unknown/tiles.cl", UNKNOWN),
    ("builtins/amd.cl", "clang has these builtins only for AMD"),
    ("builtins/nvidia.cl", "clang has these builtins only for NVIDIA"),
    ("builtins/intel.cl", "clang's driver declares these builtins only with its header"),
];

fn samples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    tangle_referees::kernels(&root).into_iter().map(|path| root.join(path)).collect()
}

/// Returns the options in a sample's first line that clang also knows: all except those for rules.
fn reading(path: &Path) -> Vec<String> {
    let mut options = options(path).into_iter();
    let mut reading = Vec::new();
    while let Some(option) = options.next() {
        match option.as_str() {
            "--rule" => _ = options.next(),
            _ => reading.push(option),
        }
    }
    reading
}

/// Returns the options in a sample's first line.
fn options(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let first = text.lines().next().unwrap_or_default();
    let options = first.strip_prefix("// args:").unwrap_or_default();
    options.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn sample_has_syntax_error_iff_clang_rejects_it() {
    let Some(clang) = tangle_referees::clang() else { return };
    let all = samples();
    for (name, _) in DIFFERENT {
        assert!(all.iter().any(|sample| sample.ends_with(name)), "there is no sample {name}");
    }
    let mut wrong = Vec::new();
    for sample in tangle_referees::some_of(all) {
        let name = sample.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")).unwrap();
        let name = name.to_str().unwrap();
        let folder = sample.parent().unwrap();
        let clang_accepts = Command::new(&clang)
            .current_dir(folder)
            .args(["-x", "cl", "-cl-std=CL3.0", "-fsyntax-only", "-w", "-target", "spir64"])
            .args(reading(&sample))
            .arg(&sample)
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success();
        let ours = Command::new(env!("CARGO_BIN_EXE_tangle"))
            .current_dir(folder)
            .args(["lint", "--format", "short"])
            .args(options(&sample))
            .arg(&sample)
            .output()
            .unwrap();
        let we_accept = !String::from_utf8(ours.stdout).unwrap().contains("[syntax-error]");
        // Their builds define names that the samples do not declare.
        if name.starts_with("history/") {
            continue;
        }
        let different = DIFFERENT.iter().any(|(known, _)| *known == name);
        if (clang_accepts == we_accept) == different {
            wrong.push(format!("{name}: clang accepts: {clang_accepts}, we accept: {we_accept}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
