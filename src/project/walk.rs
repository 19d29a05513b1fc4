//! Finds the files to analyse from the PATH arguments.
//!
//! A file argument is included regardless of its extension. In a folder, kernel sources are found by extension: `.cl`,
//! `.ocl`, `.opencl`, `.cu`, `.cuh` and `.hip`. C and C++ files are read, and included if they contain OpenCL in string
//! literals. Other headers (`.clh`, `.h`) are analysed only with the files that include them; to lint one alone, name
//! it. The same applies to a `.cuh` file that another file of the run includes. Ignore files are respected, and hidden
//! files are skipped. A link to a folder is followed only if it is an argument, so the search terminates.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::WalkBuilder;

use super::embedded;
use super::language::is_kernel;
use super::paths::{absolute, normal};
use super::read;

/// The name that is printed for standard input.
pub const STDIN: &str = "<stdin>";

/// One file to analyse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The path of the file. `None` for standard input.
    pub path: Option<PathBuf>,
    /// The printed name: the path on the command line, without `.` and `..`. A header found through an `#include` is
    /// named in the same way, so a file found in both ways counts once.
    pub name: Arc<str>,
    /// Whether an argument names the file. Otherwise it was found in a folder.
    pub is_named: bool,
}

impl Input {
    /// Returns the input for an argument. `-` is standard input.
    pub fn named(argument: &Path) -> Input {
        if argument == Path::new("-") {
            return Input { path: None, name: STDIN.into(), is_named: true };
        }
        let name = normal(argument).to_string_lossy().into();
        Input { path: Some(argument.to_owned()), name, is_named: true }
    }
}

/// The result of the search.
#[derive(Debug, Default)]
pub struct FoundFiles {
    /// In the order of the arguments, and sorted within each folder.
    pub files: Vec<Input>,
    /// Arguments that are neither files nor folders, and folders that cannot be read. Each makes the exit status 2.
    pub troubles: Vec<String>,
    /// Remarks for the user that are not errors.
    pub remarks: Vec<String>,
}

/// Finds the files that the arguments name, or the kernels of the current folder without arguments.
pub fn walk(arguments: &[PathBuf]) -> FoundFiles {
    let mut walk = FoundFiles::default();
    let here = [PathBuf::from(".")];
    let arguments = if arguments.is_empty() { &here } else { arguments };
    let mut seen = HashSet::new();
    for argument in arguments {
        if argument == Path::new("-") {
            walk.add(Input::named(argument), &mut seen);
            continue;
        }
        match std::fs::metadata(argument) {
            Err(error) => walk.troubles.push(format!("{}: {}", argument.display(), read::plain(&error))),
            Ok(metadata) if metadata.is_dir() => walk.folder(argument, &mut seen),
            Ok(_) => walk.add(Input::named(argument), &mut seen),
        }
    }
    walk
}

impl FoundFiles {
    /// Adds a file, unless it is already in the list.
    fn add(&mut self, file: Input, seen: &mut HashSet<PathBuf>) {
        let key = match &file.path {
            Some(path) => absolute(path),
            None => PathBuf::from(STDIN),
        };
        if seen.insert(key) {
            self.files.push(file);
        }
    }

    /// Adds the kernels of a folder.
    fn folder(&mut self, folder: &Path, seen: &mut HashSet<PathBuf>) {
        let mut kernels = 0;
        let troubles = self.troubles.len();
        for entry in WalkBuilder::new(folder).sort_by_file_path(Path::cmp).build() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.troubles.push(read::plain(&error));
                    continue;
                }
            };
            // An error in an ignore file does not end the search.
            if let Some(error) = entry.error() {
                self.remarks.push(error.to_string());
            }
            let path = entry.path();
            // A link counts as its target. A broken link is reported when it is read.
            let is_link = entry.file_type().is_some_and(|kind| kind.is_symlink());
            if entry.file_type().is_none_or(|kind| kind.is_dir()) || (is_link && path.is_dir()) {
                continue;
            }
            if is_kernel(path) || holds_opencl(path) {
                kernels += 1;
                self.add(Input { is_named: false, ..Input::named(path) }, seen);
            }
        }
        if kernels == 0 && self.troubles.len() == troubles {
            self.remarks
                .push(format!("{}: no kernel sources found (.cl, .cu, .hip and others)", folder.display()));
        }
    }
}

/// Returns all files of a folder, with the same ignore rules as [`walk`]. The paths are relative to the folder.
pub fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = WalkBuilder::new(folder).sort_by_file_path(Path::cmp).build().flatten();
    let files = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    files.filter_map(move |entry| entry.path().strip_prefix(folder).ok().map(Path::to_owned))
}

/// Returns whether a file in another language contains OpenCL. An unreadable file is skipped.
fn holds_opencl(path: &Path) -> bool {
    let holds = |text: &str| {
        let embedded = embedded::read(text);
        !embedded.programs.is_empty() || !embedded.unread.is_empty()
    };
    embedded::is_host(path) && read::file(path).is_ok_and(|text| holds(text.text()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_name_is_independent_of_argument_form() {
        let names = |arguments: &[&str]| -> Vec<String> {
            let arguments: Vec<PathBuf> = arguments.iter().map(PathBuf::from).collect();
            walk(&arguments).files.iter().map(|file| file.name.to_string()).collect()
        };
        // Tests run in the folder of the package.
        assert_eq!(names(&["./Cargo.toml", "-", "Cargo.toml"]), ["Cargo.toml", STDIN]);
        let samples = names(&["../../samples/rules"]);
        assert!(samples.len() > 10 && samples.iter().all(|name| name.starts_with("../../samples/rules/")));
        assert_eq!(names(&["./../../samples/rules"]), samples);
        assert_eq!(names(&["embedded/../../../samples/rules"]), samples);
        assert_eq!(names(&["."]), names(&[]));
    }

    #[cfg(unix)]
    #[test]
    fn cyclic_symbolic_links_do_not_loop() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::create_dir_all(folder.join("a/b")).unwrap();
        std::fs::write(folder.join("a/b/k.cl"), "").unwrap();
        for (to, from) in [("..", "a/up"), ("../..", "a/b/top"), ("self.cl", "self.cl"), ("b", "a/other.cl")]
        {
            std::os::unix::fs::symlink(to, folder.join(from)).unwrap();
        }
        let names = |argument: &Path| -> Vec<PathBuf> {
            let found = walk(&[argument.to_owned()]);
            assert!(found.troubles.is_empty(), "{:?}", found.troubles);
            found.files.into_iter().map(|file| file.path.unwrap()).collect()
        };
        // The link to itself is included, because its error is found only when it is read.
        assert_eq!(names(folder), [folder.join("a/b/k.cl"), folder.join("self.cl")]);
        assert_eq!(names(&folder.join("a/up")).len(), 2, "an argument is followed");
    }
}
