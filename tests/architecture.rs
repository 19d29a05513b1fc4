//! The invariants of the house that can be read off the source (`src/lib.rs` states them).

use std::fs;
use std::path::{Path, PathBuf};

/// The stages, in the order of the pipeline: none uses a later one.
const STAGES: &[&str] = &[
    "source",
    "preprocess",
    "syntax",
    "hir",
    "tangle",
    "program",
    "flow",
    "uniformity",
    "wording",
    "emit",
    "lint",
    "diagnostic",
    "project",
    "cli",
];

/// Uses against the order, and why they stand.
const ALLOWED: &[(&str, &str, &str)] = &[
    ("source", "preprocess", "a file is an input under the number that tokens carry"),
    ("source", "hir", "settings carry what the user adds to the table of builtins, and says is uniform"),
    ("lint", "diagnostic", "findings are data that `lint` makes and `diagnostic` prints"),
];

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The stage that a file belongs to: the first part of its path, without the extension.
fn stage(file: &Path) -> String {
    let relative = file.strip_prefix(source()).unwrap();
    relative.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs").to_owned()
}

/// The code of a file, without its comments.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn no_stage_uses_a_later_one() {
    let mut wrong = Vec::new();
    for file in rust_files(&source()) {
        let user = stage(&file);
        let Some(position) = STAGES.iter().position(|stage| *stage == user) else { continue };
        for later in &STAGES[position + 1..] {
            let allowed = ALLOWED.iter().any(|(by, used, _)| *by == user && used == later);
            if !allowed && code(&file).contains(&format!("crate::{later}")) {
                wrong.push(format!("{} uses {later}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn libraries_stay_in_their_rooms() {
    for (library, rooms) in [
        ("ariadne", &["diagnostic/human"][..]),
        ("clap", &["cli"]),
        ("indicatif", &["cli"]),
        ("ignore::", &["project/walk"]),
        ("shlex", &["project/compile_commands"]),
        // Settings and sources are read in one room; the command writes what it was asked for.
        ("std::fs", &["project", "cli"]),
        ("std::env", &["cli"]),
        ("std::io::stdout", &["cli"]),
        ("println!", &["cli"]),
    ] {
        for file in rust_files(&source()) {
            let relative = file.strip_prefix(source()).unwrap().to_str().unwrap().to_owned();
            // What a test inside a stage reads or prints is its own business.
            let test = relative.contains("test");
            let inside = rooms.iter().any(|room| relative.starts_with(room)) || test;
            assert!(inside || !code(&file).contains(library), "{relative} uses {library}");
        }
    }
}

#[test]
fn the_parser_knows_neither_database_nor_disk() {
    for file in rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar/src")) {
        for word in ["salsa", "std::fs", "std::io", "std::env", "println!"] {
            assert!(!code(&file).contains(word), "{} uses {word}", file.display());
        }
    }
}
