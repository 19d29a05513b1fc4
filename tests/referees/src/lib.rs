//! Programs, libraries and kernels that tests compare `tangle` with or read, and that are not part of this repository.
//!
//! If the referee of a test is missing on this machine, the test prints a message and passes. With
//! `TANGLE_REQUIRE=all`, as in CI, it fails instead, so that no check is skipped unnoticed.
//!
//! ```
//! let Some(opt) = tangle_referees::llvm("opt") else { return };
//! ```
//!
//! [`random`] makes kernels and derives their tangles from the text of the specification. [`table`] reads the thread
//! tables of the normative texts. Both are always available, because the tests contain their input.

pub mod random;
pub mod table;

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use thiserror::Error;

/// The reason why a test without its referee fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
enum MissingError<'a> {
    /// `TANGLE_REQUIRE` requires all referees. `what` is the missing one.
    #[error("TANGLE_REQUIRE=all, and there is no {what} on this machine; {remedy}")]
    Required { what: &'a str, remedy: &'a str },
    /// `TANGLE_REQUIRE` has an unknown value.
    #[error("TANGLE_REQUIRE is `{0}`: expected `all`, or nothing")]
    UnknownSetting(&'a str),
}

/// Returns whether tests check all their inputs, as in CI, instead of a tenth of them: `TANGLE_THOROUGH=1`.
pub fn is_thorough() -> bool {
    std::env::var_os("TANGLE_THOROUGH").is_some_and(|set| set != "0")
}

/// Returns how many of `all` programs or files to check: all if tests are thorough, otherwise a tenth.
pub fn of_all(all: u64) -> u64 {
    if is_thorough() { all } else { all.div_ceil(10) }
}

/// Returns all elements if tests are thorough, otherwise every tenth.
pub fn some_of<T>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    all.into_iter().step_by(if is_thorough() { 1 } else { 10 }).collect()
}

/// The same for elements that take seconds each: every fiftieth.
pub fn few_of<T>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    all.into_iter().step_by(if is_thorough() { 1 } else { 50 }).collect()
}

/// Returns a program of LLVM 19 by its Debian name, or from the folder `TANGLE_LLVM`, whose programs have no version in
/// their names.
pub fn llvm(name: &str) -> Option<String> {
    let program = match std::env::var("TANGLE_LLVM") {
        Ok(folder) => format!("{folder}/{name}"),
        Err(_) => format!("{name}-19"),
    };
    found(program, "set TANGLE_LLVM")
}

/// Returns the program that `TANGLE_CLANG` names, or the clang of LLVM.
pub fn clang() -> Option<String> {
    match std::env::var("TANGLE_CLANG") {
        Ok(program) => found(program, "set TANGLE_CLANG"),
        Err(_) => llvm("clang"),
    }
}

/// Returns the program `dot` of Graphviz.
pub fn dot() -> Option<String> {
    found("dot".to_owned(), "install graphviz")
}

/// Returns Microsoft's validator for SARIF, which knows the rules of GitHub.
pub fn sarif_multitool() -> Option<String> {
    let program = std::env::var("TANGLE_SARIF_MULTITOOL").unwrap_or_else(|_| "sarif-multitool".to_owned());
    found(program, "set TANGLE_SARIF_MULTITOOL")
}

fn found(program: String, remedy: &str) -> Option<String> {
    let started =
        Command::new(&program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if started.is_ok() {
        return Some(program);
    }
    missing(&program, remedy);
    None
}

/// Returns the path of a library of libclc.
pub fn libclc(name: &str) -> Option<PathBuf> {
    let library = Path::new("/usr/lib/clc").join(name);
    if library.exists() {
        return Some(library);
    }
    missing(&library.display().to_string(), "install libclc-19");
    None
}

/// Kernels of real projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corpus {
    /// Debian's package `hashcat-data`, or the folder that `TANGLE_HASHCAT` names.
    Hashcat,
    /// Debian's package `darktable`, or the folder of kernels that `TANGLE_DARKTABLE` names.
    Darktable,
    /// The folder of pyopencl's `.cl` files that `TANGLE_PYOPENCL` names.
    Pyopencl,
}

impl Corpus {
    /// Returns the folder of the kernels.
    pub fn folder(self) -> Option<PathBuf> {
        let (variable, usual, probe) = match self {
            Corpus::Hashcat => ("TANGLE_HASHCAT", "/usr/share/hashcat", "OpenCL/m00000_a0-pure.cl"),
            Corpus::Darktable => ("TANGLE_DARKTABLE", "/usr/share/darktable/kernels", "basic.cl"),
            Corpus::Pyopencl => ("TANGLE_PYOPENCL", "pyopencl/cl", "pyopencl-bessel-j.cl"),
        };
        let folder = std::env::var_os(variable).map_or_else(|| PathBuf::from(usual), PathBuf::from);
        if folder.join(probe).exists() {
            return Some(folder);
        }
        missing(&format!("{probe} in `{}`", folder.display()), &format!("set {variable}"));
        None
    }
}

/// Returns the kernels in a folder and its subfolders, as sorted paths relative to the folder. Panics without any,
/// because the folder is then wrong.
pub fn kernels(folder: &Path) -> Vec<PathBuf> {
    let found = files_with(folder, &["cl"]);
    assert!(!found.is_empty(), "no kernels in {}", folder.display());
    found
}

/// Returns the files below a folder with one of these extensions, relative to it, in order.
pub fn files_with(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(inner) = todo.pop() {
        let entries =
            std::fs::read_dir(&inner).unwrap_or_else(|error| panic!("{}: {error}", inner.display()));
        for entry in entries {
            let path = entry.expect("the folder is readable").path();
            if path.is_dir() {
                todo.push(path);
            } else if extensions.iter().any(|it| path.extension() == Some(OsStr::new(it))) {
                found.push(path.strip_prefix(folder).expect("the path is below the folder").to_owned());
            }
        }
    }
    found.sort();
    found
}

/// Reports a missing referee, or panics if it is required.
fn missing(what: &str, remedy: &str) {
    match judge(std::env::var("TANGLE_REQUIRE").ok().as_deref(), what, remedy) {
        // Direct output: the test runner captures `eprintln!`.
        Ok(word) => _ = writeln!(std::io::stderr(), "{word}"),
        Err(error) => panic!("{error}"),
    }
}

/// Returns the message for a skipped test, or the reason why it fails.
fn judge<'a>(require: Option<&'a str>, what: &'a str, remedy: &'a str) -> Result<String, MissingError<'a>> {
    match require {
        None | Some("") => Ok(format!("SKIPPED: no {what} on this machine; {remedy}")),
        Some("all") => Err(MissingError::Required { what, remedy }),
        Some(other) => Err(MissingError::UnknownSetting(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_referee_is_an_error_iff_all_are_required() {
        assert_eq!(
            judge(None, "opt-19", "set it"),
            Ok("SKIPPED: no opt-19 on this machine; set it".to_owned())
        );
        assert_eq!(judge(Some(""), "opt-19", "set it"), judge(None, "opt-19", "set it"));
        let error = |require| judge(Some(require), "opt-19", "set it").unwrap_err().to_string();
        assert!(error("all").contains("there is no opt-19"));
        assert!(error("some").contains("`some`"));
    }

    #[test]
    fn missing_program_is_not_found() {
        if std::env::var("TANGLE_REQUIRE").is_err() {
            assert_eq!(found("no-such-program".to_owned(), "do without"), None);
        }
    }

    #[test]
    fn kernels_in_nested_folders_are_found() {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
        let depths =
            |depth: usize| kernels(&samples).iter().filter(|path| path.iter().count() == depth).count();
        assert!(depths(2) > 100 && depths(3) > 20, "{} and {}", depths(2), depths(3));
    }
}
