//! From the PATH arguments to the list of files.
//!
//! A file is taken as it is named, whatever its extension. In a folder, kernel sources are taken by extension: `.cl`
//! and `.ocl`. Headers (`.clh`, `.h`) are not: they mean something only where they are included, and are analysed
//! there; name one to lint it on its own. Ignore files are respected and hidden files passed over. Sources of dialects
//! that this version does not analyse are counted, so that the user is told.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::WalkBuilder;

use super::options::Dialect;
use super::read;

/// The name under which standard input is printed.
pub const STDIN: &str = "<stdin>";

/// One file to lint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Where it is on the disk; nothing for standard input.
    pub path: Option<PathBuf>,
    /// Its name as it is printed: as given on the command line.
    pub name: Arc<str>,
}

impl SourceFile {
    /// The file that an argument names; `-` is standard input.
    pub fn named(argument: &Path) -> SourceFile {
        if argument == Path::new("-") {
            return SourceFile { path: None, name: STDIN.into() };
        }
        SourceFile { path: Some(argument.to_owned()), name: argument.to_string_lossy().into() }
    }
}

/// What the arguments led to.
#[derive(Debug, Default)]
pub struct Walk {
    /// In the order of the arguments, and sorted within each folder.
    pub files: Vec<SourceFile>,
    /// Arguments that are no file or folder, folders that cannot be read, and files of a dialect that cannot be
    /// analysed: each makes the exit status 2.
    pub troubles: Vec<String>,
    /// What the user should know though nothing is wrong.
    pub remarks: Vec<String>,
}

/// Finds the files that the arguments name; without any, the kernels of the current folder.
pub fn walk(arguments: &[PathBuf], dialect: Dialect) -> Walk {
    let mut walk = Walk::default();
    let here = [PathBuf::from(".")];
    let strip = arguments.is_empty();
    let arguments = if strip { &here } else { arguments };
    let mut seen = HashSet::new();
    let mut foreign = Vec::new();
    for argument in arguments {
        if argument == Path::new("-") {
            walk.add(SourceFile::named(argument), &mut seen);
            continue;
        }
        match std::fs::metadata(argument) {
            Err(error) => walk.troubles.push(format!("{}: {}", argument.display(), read::plain(&error))),
            Ok(metadata) if metadata.is_dir() => {
                walk.folder(argument, strip, &mut seen, &mut foreign);
            }
            Ok(_) => match foreign_dialect(argument).filter(|_| dialect == Dialect::Auto) {
                Some(dialect) => walk.troubles.push(format!("{}: {}", argument.display(), not_yet(dialect))),
                None => walk.add(SourceFile::named(argument), &mut seen),
            },
        }
    }
    if let Some(first) = foreign.first() {
        let files = crate::diagnostic::counted(foreign.len(), "file");
        walk.remarks.push(format!("{files} skipped, such as {first}: {}", not_yet("CUDA or HIP")));
    }
    walk
}

/// The sentence on a dialect that is known and not analysed.
pub fn not_yet(dialect: &str) -> String {
    format!("this version does not analyse {dialect}")
}

impl Walk {
    /// Takes a file once, however often it is named.
    fn add(&mut self, file: SourceFile, seen: &mut HashSet<PathBuf>) {
        // Without a current folder each name counts as it stands.
        let key = match &file.path {
            Some(path) => std::path::absolute(path).unwrap_or_else(|_| path.clone()),
            None => PathBuf::from(STDIN),
        };
        if seen.insert(key) {
            self.files.push(file);
        }
    }

    /// Takes the kernels of a folder; `strip` the `./` from names that nobody gave.
    fn folder(&mut self, folder: &Path, strip: bool, seen: &mut HashSet<PathBuf>, foreign: &mut Vec<String>) {
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
            let path = if strip { path.strip_prefix(".").unwrap_or(path) } else { path };
            // A link counts as the file behind it; one that leads nowhere is found out when it is read.
            let is_link = entry.file_type().is_some_and(|kind| kind.is_symlink());
            if entry.file_type().is_none_or(|kind| kind.is_dir()) || (is_link && path.is_dir()) {
                continue;
            }
            if is_kernel(path) {
                kernels += 1;
                self.add(SourceFile::named(path), seen);
            } else if foreign_dialect(path).is_some() {
                foreign.push(path.display().to_string());
            }
        }
        if kernels == 0 && self.troubles.len() == troubles {
            self.remarks.push(format!("{}: no kernel source (.cl, .ocl) in this folder", folder.display()));
        }
    }
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().unwrap_or_default();
    extensions.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

fn is_kernel(path: &Path) -> bool {
    has_extension(path, &["cl", "ocl"])
}

/// The dialect that an extension stands for, if it is one that this version does not analyse.
pub fn foreign_dialect(path: &Path) -> Option<&'static str> {
    if has_extension(path, &["cu", "cuh"]) {
        Some("CUDA")
    } else if has_extension(path, &["hip"]) {
        Some("HIP")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_printed_as_given() {
        let names = |arguments: &[&str]| -> Vec<String> {
            let arguments: Vec<PathBuf> = arguments.iter().map(PathBuf::from).collect();
            walk(&arguments, Dialect::Auto).files.iter().map(|file| file.name.to_string()).collect()
        };
        // Tests run in the folder of the package.
        assert_eq!(names(&["./Cargo.toml", "-", "Cargo.toml"]), ["./Cargo.toml", STDIN]);
        assert!(names(&["./samples"]).iter().all(|name| name.starts_with("./samples/")));
        assert!(names(&[]).iter().all(|name| !name.starts_with("./")));
    }

    #[test]
    fn other_dialects_are_known_by_extension() {
        assert_eq!(foreign_dialect(Path::new("a/b.CUH")), Some("CUDA"));
        assert_eq!(foreign_dialect(Path::new("b.hip")), Some("HIP"));
        assert_eq!(foreign_dialect(Path::new("cu")), None);
    }
}
