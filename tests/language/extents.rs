//! A comparison with tree-sitter: the first and last lines of functions in CUDA and HIP.
//!
//! Its grammar is independent of ours, and it parses files without macro expansion. The test therefore uses samples
//! where no macro expands to a function. For both parsers, a template begins at its head.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tree_sitter::{Node, Parser};

/// The first and the last line of a function, counted from 1.
type Extent = (u64, u64);

fn samples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let folders = ["cuda", "hip", "history"].map(|folder| root.join(folder));
    let files =
        folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let is_asked = |path: &PathBuf| {
        let extension = path.extension().and_then(|it| it.to_str());
        matches!(extension, Some("cu" | "hip"))
    };
    let mut files: Vec<PathBuf> = files.filter(is_asked).collect();
    files.sort();
    files
}

/// Returns the functions with a body, except members, that tangle finds.
fn ours(path: &Path) -> BTreeSet<Extent> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
    let output = command.args(["show", "--what", "items", "--format", "json"]).arg(path).output().unwrap();
    let reported: Value = serde_json::from_slice(&output.stdout).unwrap();
    let items = reported["items"].as_array().unwrap().iter();
    let is_function = |item: &&Value| ["kernel", "function"].contains(&item["kind"].as_str().unwrap());
    let functions = items.filter(is_function);
    functions.map(|item| (item["line"].as_u64().unwrap(), item["end_line"].as_u64().unwrap())).collect()
}

/// Returns the same functions as tree-sitter finds them: those with `__device__` or `__global__` in their heads.
fn theirs(text: &str) -> BTreeSet<Extent> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_cuda::LANGUAGE.into()).unwrap();
    let tree = parser.parse(text, None).unwrap();
    let mut found = BTreeSet::new();
    let mut todo = vec![tree.root_node()];
    while let Some(node) = todo.pop() {
        if ["class_specifier", "struct_specifier"].contains(&node.kind()) {
            continue;
        }
        if node.kind() == "function_definition" {
            found.extend(extent(node, text));
            continue;
        }
        todo.extend((0..node.child_count()).filter_map(|at| node.child(at as u32)));
    }
    found
}

fn extent(function: Node, text: &str) -> Option<Extent> {
    let body = function.child_by_field_name("body")?;
    let mut whole = function;
    while let Some(parent) = whole.parent().filter(|parent| parent.kind() == "template_declaration") {
        whole = parent;
    }
    let head = &text[whole.start_byte()..body.start_byte()];
    let is_of_device = head.contains("__device__") || head.contains("__global__");
    is_of_device.then(|| (whole.start_position().row as u64 + 1, function.end_position().row as u64 + 1))
}

#[test]
fn function_extents_match_tree_sitter() {
    let mut functions = 0;
    for path in samples() {
        let text = fs::read_to_string(&path).unwrap();
        let (ours, theirs) = (ours(&path), theirs(&text));
        assert_eq!(ours, theirs, "{}", path.display());
        functions += ours.len();
    }
    assert!(functions > 100, "{functions}");
}
