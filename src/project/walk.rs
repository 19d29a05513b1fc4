//! From the PATH arguments to the list of files.
//!
//! A file is taken as it is named, whatever its extension. In a folder, kernel sources are taken by extension: `.cl`, `.ocl`, `.opencl`, `.cu`,
//! `.cuh` and `.hip`; and sources in C and C++ that hold OpenCL in string literals, which takes a look into them. Other headers (`.clh`, `.h`) are not: they mean something only where they are included, and are analysed
//! there; name one to lint it on its own. Of `.cuh` that holds where another file of the run includes it. Ignore files are respected and hidden files passed over. A link to a folder is followed if it is an
//! argument, and otherwise not: so a walk ends.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::WalkBuilder;

use super::embedded;
use super::language::is_kernel;
use super::paths::{absolute, normal};
use super::read;

/// The name under which standard input is printed.
pub const STDIN: &str = "<stdin>";

/// One file to analyse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Where it is on the disk; nothing for standard input.
    pub path: Option<PathBuf>,
    /// Its name as it is printed: as given on the command line, without detours. A header that is found from a source is named the same way, so a file that
    /// is found in both ways is one file.
    pub name: Arc<str>,
    /// An argument names it; it was not found in a folder.
    pub is_named: bool,
}

impl Input {
    /// The file that an argument names; `-` is standard input.
    pub fn named(argument: &Path) -> Input {
        if argument == Path::new("-") {
            return Input { path: None, name: STDIN.into(), is_named: true };
        }
        let name = normal(argument).to_string_lossy().into();
        Input { path: Some(argument.to_owned()), name, is_named: true }
    }
}

/// What the arguments led to.
#[derive(Debug, Default)]
pub struct Walk {
    /// In the order of the arguments, and sorted within each folder.
    pub files: Vec<Input>,
    /// Arguments that are no file or folder, and folders that cannot be read: each makes the exit status 2.
    pub troubles: Vec<String>,
    /// What the user should know though nothing is wrong.
    pub remarks: Vec<String>,
}

/// Finds the files that the arguments name; without any, the kernels of the current folder.
pub fn walk(arguments: &[PathBuf]) -> Walk {
    let mut walk = Walk::default();
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

impl Walk {
    /// Takes a file once, however often it is named.
    fn add(&mut self, file: Input, seen: &mut HashSet<PathBuf>) {
        let key = match &file.path {
            Some(path) => absolute(path),
            None => PathBuf::from(STDIN),
        };
        if seen.insert(key) {
            self.files.push(file);
        }
    }

    /// Takes the kernels of a folder.
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
            // A trouble with an ignore file leaves the walk going.
            if let Some(error) = entry.error() {
                self.remarks.push(error.to_string());
            }
            let path = entry.path();
            // A link counts as the file behind it; one that leads nowhere is found out when it is read.
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

/// All files of a folder, with the same ignore rules as [`walk`]. Their paths are relative to the folder.
pub fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = WalkBuilder::new(folder).sort_by_file_path(Path::cmp).build().flatten();
    let files = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    files.filter_map(move |entry| entry.path().strip_prefix(folder).ok().map(Path::to_owned))
}

/// Whether a file in another language holds OpenCL. One that cannot be read is none of ours.
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
    fn a_file_has_one_name_however_it_is_given() {
        let names = |arguments: &[&str]| -> Vec<String> {
            let arguments: Vec<PathBuf> = arguments.iter().map(PathBuf::from).collect();
            walk(&arguments).files.iter().map(|file| file.name.to_string()).collect()
        };
        // Tests run in the folder of the package.
        assert_eq!(names(&["./Cargo.toml", "-", "Cargo.toml"]), ["Cargo.toml", STDIN]);
        assert!(names(&["./../samples"]).iter().all(|name| name.starts_with("../samples/")));
        assert!(names(&["lint/../../samples"]).iter().all(|name| name.starts_with("../samples/")));
        assert_eq!(names(&["."]), names(&[]));
        assert!(names(&[]).iter().all(|name| !name.starts_with("./")));
    }

    #[cfg(unix)]
    #[test]
    fn links_that_go_round_end() {
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
        // A link to itself leads nowhere, which is found out when it is read.
        assert_eq!(names(folder), [folder.join("a/b/k.cl"), folder.join("self.cl")]);
        assert_eq!(names(&folder.join("a/up")).len(), 2, "an argument is followed");
    }
}
