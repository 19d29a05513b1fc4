//! Cycles between the files of a crate.
//!
//! A file depends on each file whose items it names, by `use` or by a path in its code. A `pub use` makes no dependency
//! on the re-exporting file: the user of the name depends on the file with the declaration.

use std::collections::{BTreeMap, BTreeSet};

use tangle_ir::uniformity::groups::groups;

/// A module as its path in the crate. The path of the root is empty.
type Module = Vec<String>;

/// A path in the code of a file.
#[derive(Debug)]
struct CodePath<'a> {
    names: Vec<&'a str>,
    /// Whether the path is in a `pub use`, so that other modules can name its target as an item of this one.
    is_handed_on: bool,
}

/// Returns the groups of modules that depend on each other, each group sorted. `files` has the code of each module,
/// without comments.
pub fn cycles(files: &BTreeMap<Module, String>) -> Vec<Vec<Module>> {
    let modules: Vec<&Module> = files.keys().collect();
    let number = |module: &Module| modules.binary_search(&module).expect("a module of the list");
    let known: BTreeSet<&Module> = files.keys().collect();
    let texts: Vec<Vec<&str>> = files.values().map(|code| tokens(code)).collect();
    let written: Vec<Vec<CodePath>> = texts.iter().map(|tokens| paths(tokens)).collect();
    let mut handed_on: BTreeMap<(&Module, &str), Module> = BTreeMap::new();
    for (&module, paths) in modules.iter().zip(&written) {
        for path in paths.iter().filter(|path| path.is_handed_on) {
            if let Some((of, rest)) = resolved(module, &path.names, &known)
                && let Some(last) = rest.last().filter(|_| of != *module)
            {
                handed_on.insert((module, last), of);
            }
        }
    }
    let mut uses: Vec<Vec<usize>> = Vec::new();
    for (&module, paths) in modules.iter().zip(&written) {
        let mut used = BTreeSet::new();
        for path in paths {
            let Some((mut of, rest)) = resolved(module, &path.names, &known) else { continue };
            if let Some(first) = rest.first()
                && let Some(declared) = handed_on.get(&(&of, *first))
            {
                of = declared.clone();
            }
            let is_inside = of.starts_with(module) && path.is_handed_on;
            if of != *module && !is_inside {
                used.insert(number(&of));
            }
        }
        uses.push(used.into_iter().collect());
    }
    let mut found: Vec<Vec<Module>> = groups(&uses)
        .into_iter()
        .filter(|group| group.len() > 1)
        .map(|group| group.into_iter().map(|at| modules[at].clone()).collect())
        .collect();
    found.iter_mut().for_each(|group| group.sort());
    found.sort();
    found
}

/// Returns the module that a path in `module` refers to, and the rest of the path; `None` for a path to another crate.
fn resolved<'a>(
    module: &Module,
    names: &[&'a str],
    known: &BTreeSet<&Module>,
) -> Option<(Module, Vec<&'a str>)> {
    let mut at = module.clone();
    let mut rest = names;
    match names.first()? {
        &"crate" => (at, rest) = (Module::new(), &names[1..]),
        &"self" => rest = &names[1..],
        &"super" => {
            while let [first, after @ ..] = rest
                && *first == "super"
            {
                at.pop();
                rest = after;
            }
        }
        first => {
            let inside = [&at[..], &[(*first).to_owned()]].concat();
            if !known.contains(&inside) {
                return None;
            }
        }
    }
    while let [first, after @ ..] = rest {
        let inside = [&at[..], &[(*first).to_owned()]].concat();
        if !known.contains(&inside) {
            break;
        }
        (at, rest) = (inside, after);
    }
    known.contains(&at).then(|| (at, rest.to_vec()))
}

/// Returns the identifiers and punctuation of some code, without string literals; `::` is one token.
fn tokens(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else if first == '"' {
            let mut escaped = false;
            let end = rest[1..].find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |end| end + 2)
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        if !token.starts_with('"') && !first.is_whitespace() {
            found.push(token);
        }
        rest = after;
    }
    found
}

/// Returns the paths in some code.
fn paths<'a>(tokens: &[&'a str]) -> Vec<CodePath<'a>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at] == "use" {
            let is_handed_on = at > 0 && matches!(tokens[at - 1], "pub" | ")");
            at += 1;
            let mut written = Vec::new();
            tree(tokens, &mut at, &[], &mut written);
            found.extend(written.into_iter().map(|names| CodePath { names, is_handed_on }));
        } else if tokens.get(at + 1) == Some(&"::") && (at == 0 || !matches!(tokens[at - 1], "::" | "in")) {
            let mut names = vec![tokens[at]];
            while tokens.get(at + 1) == Some(&"::") && at + 2 < tokens.len() {
                names.push(tokens[at + 2]);
                at += 2;
            }
            found.push(CodePath { names, is_handed_on: false });
            at += 1;
        } else {
            at += 1;
        }
    }
    found
}

/// Reads one `use` tree: a path, or a group of paths with a common prefix.
fn tree<'a>(tokens: &[&'a str], at: &mut usize, before: &[&'a str], found: &mut Vec<Vec<&'a str>>) {
    let mut names = before.to_vec();
    while let Some(&token) = tokens.get(*at) {
        match token {
            "{" => {
                *at += 1;
                while tokens.get(*at).is_some_and(|&token| token != "}") {
                    let start = *at;
                    tree(tokens, at, &names, found);
                    *at += usize::from(tokens.get(*at) == Some(&",") || *at == start);
                }
                *at += 1;
                return;
            }
            "," | "}" | ";" => break,
            "as" => *at += 2,
            "::" => *at += 1,
            name => {
                names.push(name);
                *at += 1;
            }
        }
    }
    if names.len() > before.len() {
        found.push(names);
    }
}

#[test]
fn cyclic_file_dependencies_are_found() {
    let module =
        |path: &str| -> Module { path.split("::").filter(|it| !it.is_empty()).map(str::to_owned).collect() };
    let check = |files: &[(&str, &str)], expected: &[&[&str]]| {
        let files = files.iter().map(|&(path, code)| (module(path), code.to_owned())).collect();
        let found: Vec<Vec<String>> =
            cycles(&files).into_iter().map(|group| group.iter().map(|it| it.join("::")).collect()).collect();
        assert_eq!(found, expected);
    };
    check(&[("a", "use super::b::B;"), ("b", "use crate::a::{C, D};")], &[&["a", "b"]]);
    check(&[("a", "fn f() { super::b::g(); }"), ("b", "use crate::{a, c::X};"), ("c", "")], &[&["a", "b"]]);
    check(&[("a", "use crate::b::B;"), ("b", "let x = \"crate::a::A\";")], &[]);
    // The user of a re-export depends on the file with the declaration.
    let room = [("a", "mod b; mod c; pub use b::B;"), ("a::b", "use super::c::C;"), ("a::c", "")];
    check(&room, &[]);
    check(&[room[0], room[1], ("a::c", "use super::B;")], &[&["a::b", "a::c"]]);
    check(&[("a", "mod b; use b::B; struct A;"), ("a::b", "use super::A;")], &[&["a", "a::b"]]);
}
