//! What tests compare `tangle` with, or read: programs, libraries and kernels that are not part of this repository.
//!
//! A test whose referee is not on this machine says so and passes. Where `TANGLE_REQUIRE=all` is set, as in CI, it fails instead: there
//! nothing may be left out unseen.
//!
//! ```
//! let Some(opt) = tangle_referees::llvm("opt") else { return };
//! ```
//!
//! [`random`] makes kernels and derives their tangles from the text of the specification. [`table`] reads the thread tables of the
//! texts, which are always there: they stand in the tests.

pub mod random;
pub mod table;

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Whether tests check all that they can, as in CI, and not a tenth of it: `TANGLE_THOROUGH=1`.
pub fn is_thorough() -> bool {
    std::env::var_os("TANGLE_THOROUGH").is_some_and(|set| set != "0")
}

/// A number of programs or files: all if tests are thorough, otherwise a tenth.
pub fn of_all(all: u64) -> u64 {
    if is_thorough() { all } else { all.div_ceil(10) }
}

/// All of a list if tests are thorough, otherwise every tenth.
pub fn some_of<T>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    all.into_iter().step_by(if is_thorough() { 1 } else { 10 }).collect()
}

/// A program of LLVM 19 by its Debian name, or that of `TANGLE_LLVM` (a folder of programs without a version in their names).
pub fn llvm(name: &str) -> Option<String> {
    let program = match std::env::var("TANGLE_LLVM") {
        Ok(folder) => format!("{folder}/{name}"),
        Err(_) => format!("{name}-19"),
    };
    found(program, "set TANGLE_LLVM")
}

/// What `TANGLE_CLANG` names, or the clang among LLVM's programs.
pub fn clang() -> Option<String> {
    match std::env::var("TANGLE_CLANG") {
        Ok(program) => found(program, "set TANGLE_CLANG"),
        Err(_) => llvm("clang"),
    }
}

/// Graphviz.
pub fn dot() -> Option<String> {
    found("dot".to_owned(), "install graphviz")
}

/// Microsoft's validator of SARIF, which knows the rules of GitHub.
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

/// A library of libclc.
pub fn libclc(name: &str) -> Option<PathBuf> {
    let library = Path::new("/usr/lib/clc").join(name);
    if library.exists() {
        return Some(library);
    }
    missing(&library.display().to_string(), "install libclc-19");
    None
}

/// Kernels as they are in the wild.
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
    /// The folder of the kernels.
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

/// The kernels in a folder and all folders below it, as paths from it, sorted. At least one: a folder without any is a wrong one.
pub fn kernels(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(inner) = todo.pop() {
        let entries =
            std::fs::read_dir(&inner).unwrap_or_else(|error| panic!("{}: {error}", inner.display()));
        for entry in entries {
            let path = entry.expect("a folder that is read").path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension() == Some(OsStr::new("cl")) {
                found.push(path.strip_prefix(folder).expect("it is in the folder").to_owned());
            }
        }
    }
    assert!(!found.is_empty(), "no kernels in {}", folder.display());
    found.sort();
    found
}

/// Says that a referee is not here, or fails where it must be.
fn missing(what: &str, remedy: &str) {
    match judge(std::env::var("TANGLE_REQUIRE").ok().as_deref(), what, remedy) {
        // Not through `eprintln!`, which the test runner swallows.
        Ok(word) => _ = writeln!(std::io::stderr(), "{word}"),
        Err(word) => panic!("{word}"),
    }
}

fn judge(require: Option<&str>, what: &str, remedy: &str) -> Result<String, String> {
    match require {
        None | Some("") => Ok(format!("SKIPPED: no {what} on this machine; {remedy}")),
        Some("all") => Err(format!("TANGLE_REQUIRE=all, and there is no {what} on this machine; {remedy}")),
        Some(other) => Err(format!("TANGLE_REQUIRE is `{other}`: expected `all`, or nothing")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_a_failure_iff_all_is_required() {
        assert_eq!(
            judge(None, "opt-19", "set it"),
            Ok("SKIPPED: no opt-19 on this machine; set it".to_owned())
        );
        assert_eq!(judge(Some(""), "opt-19", "set it"), judge(None, "opt-19", "set it"));
        assert!(judge(Some("all"), "opt-19", "set it").unwrap_err().contains("there is no opt-19"));
        assert!(judge(Some("some"), "opt-19", "set it").unwrap_err().contains("`some`"));
    }

    #[test]
    fn a_program_that_is_not_there_is_not_found() {
        if std::env::var("TANGLE_REQUIRE").is_err() {
            assert_eq!(found("no-such-program".to_owned(), "do without"), None);
        }
    }

    #[test]
    fn kernels_are_found_at_every_depth() {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
        let depths =
            |depth: usize| kernels(&samples).iter().filter(|path| path.iter().count() == depth).count();
        assert!(depths(2) > 100 && depths(3) > 20, "{} and {}", depths(2), depths(3));
    }
}
