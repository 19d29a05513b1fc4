//! `--depfile`: a makefile rule with the files that a report depends on, for `ninja` and `make`. A build then lints
//! again only after one of these files has changed.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use tangle_project::paths::absolute;

/// Returns the settings file for a folder: the nearest `tangle.toml`, in the folder or in a parent folder.
fn settings(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join("tangle.toml")).find(|file| file.is_file())
}

/// Returns a makefile rule. Its target is the path of the depfile without `.d`. Its prerequisites are all files, and
/// the settings file of each source.
pub fn rule<'a>(
    depfile: &Path,
    sources: impl IntoIterator<Item = &'a Path>,
    others: impl IntoIterator<Item = PathBuf>,
) -> String {
    let target = match depfile.extension() {
        Some(extension) if extension == "d" => depfile.with_extension(""),
        _ => depfile.to_owned(),
    };
    let mut files: BTreeSet<PathBuf> = others.into_iter().map(|path| absolute(&path)).collect();
    for source in sources {
        let source = absolute(source);
        files.extend(source.parent().and_then(settings));
        files.insert(source);
    }
    // The texts with the definitions of the language and of the command line are not files on the disk.
    files.retain(|path| path.is_file());
    let mut text = format!("{}:", escaped(&target));
    for file in files {
        let _ = write!(text, " \\\n  {}", escaped(&file));
    }
    text + "\n"
}

/// Escapes a path as compilers do in makefile rules.
fn escaped(path: &Path) -> String {
    let mut text = String::new();
    for c in path.to_string_lossy().chars() {
        match c {
            ' ' | '#' | '\\' => text.extend(['\\', c]),
            '$' => text.push_str("$$"),
            c => text.push(c),
        }
    }
    // On Windows, `ninja` and `make` accept slashes in paths.
    if cfg!(windows) { text.replace("\\\\", "/") } else { text }
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::super::tests::{Folder, tangle};

    #[test]
    fn depfile_lists_sources_headers_and_settings() {
        let files = [("a b.cl", "#include \"h.h\"\n"), ("h.h", "int h;\n"), ("tangle.toml", "")];
        let folder = Folder::new("depfile", &files);
        let rule = folder.path("out.txt.d");
        let (source, report) = (folder.path("a b.cl"), folder.path("out.txt"));
        let args = ["lint", &source, "--depfile", &rule, "--output-file", &report, "--format", "short"];
        let (status, out, _) = tangle(&folder, "", &args);
        assert_eq!((status, &*out), (Status::Clean, ""));
        let text = std::fs::read_to_string(&rule).unwrap().replace(&folder.path(""), "DIR/");
        let (target, files) = text.split_once(':').unwrap();
        assert_eq!(target, "DIR/out.txt");
        for file in ["DIR/a\\ b.cl", "DIR/h.h", "DIR/tangle.toml"] {
            assert!(files.contains(file), "{text}");
        }
        assert!(!files.contains('<'), "{text}");
    }
}
