//! Checks of the architecture that need only the text of the source. `docs/architecture.md` describes the architecture.

mod cycles;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use tangle_base::Symbol;
use tangle_syntax::dialect::{cuda, hip, opencl};

/// A crate and its top-level modules, in the order of the data flow. A module may use only modules of its own row
/// and of the rows above.
struct CrateLayout {
    source: &'static str,
    /// Empty if the order of the modules is not checked.
    rooms: &'static [&'static [&'static str]],
    /// The modules that may use all others, such as `lib`.
    roots: &'static [&'static str],
}

const CRATES: &[CrateLayout] = &[
    CrateLayout {
        source: "src/syntax",
        rooms: &[&["dialect"], &["preprocess"], &["source", "db"], &["items"]],
        roots: &["lib", "build"],
    },
    CrateLayout { source: "src/hir", rooms: &[], roots: &["lib"] },
    CrateLayout {
        source: "src/analysis",
        rooms: &[&["tangle"], &["program"], &["flow"], &["uniformity"], &["races"], &["lookup"]],
        roots: &["lib"],
    },
    CrateLayout { source: "src/diagnostic", rooms: &[], roots: &["lib"] },
    CrateLayout { source: "src/emit", rooms: &[], roots: &["lib"] },
    CrateLayout { source: "src/rules", rooms: &[], roots: &["lib"] },
    CrateLayout { source: "src/fix", rooms: &[], roots: &["lib"] },
    CrateLayout { source: "src/execution", rooms: &[], roots: &["lib"] },
    CrateLayout { source: "src/project", rooms: &[], roots: &["lib"] },
    CrateLayout { source: "src/cli", rooms: &[], roots: &["lib"] },
    CrateLayout {
        source: "grammar/src",
        rooms: &[
            &["packing"],
            &["token"],
            &["lexicon"],
            &["ast"],
            &["lex", "literal", "tree"],
            &["adapt", "brackets"],
            &["height"],
            &["message", "parse", "kernel", "cpp"],
        ],
        roots: &["lib"],
    },
    CrateLayout {
        source: "ir/src",
        rooms: &[
            &["scope", "nest", "operation"],
            &["types", "layout", "display", "key", "value"],
            &["flow"],
            &["text"],
            &["uniformity"],
            &["warp_races"],
            &["llvm"],
        ],
        roots: &["lib"],
    },
    CrateLayout {
        source: "llvm/src",
        rooms: &[
            &["error"],
            &["lex", "types", "callee"],
            &["reader"],
            &["constant"],
            &["function"],
            &["module"],
        ],
        roots: &["lib"],
    },
    CrateLayout {
        source: "simulate/src",
        rooms: &[
            &["grid", "language", "launch", "order", "random"],
            &["position"],
            &["keys", "value", "memory"],
            &["outcome"],
            &["races"],
            &["observer", "program", "mask"],
            // A step of a thread: its operations, its calls of builtins, and its operations with other threads.
            &["machine", "builtin", "collective", "schedule", "unknown"],
            &["trace"],
        ],
        roots: &["lib"],
    },
    CrateLayout {
        source: "base/src",
        rooms: &[&["pattern", "space", "span", "symbol"], &["namespace"]],
        roots: &["lib"],
    },
    CrateLayout {
        source: "lsp/src",
        rooms: &[
            &["exit", "files", "input", "output", "pages", "text", "witnesses"],
            &["options"],
            &["client"],
            &["settings_file"],
            &["snapshot", "server_state"],
            &["inactive", "includes"],
            &["diagnostics"],
            &["features"],
            &["prefetch", "owner"],
            &["capabilities"],
            &["server"],
        ],
        roots: &["lib", "main"],
    },
    // The program: the command and the language server.
    CrateLayout { source: "program", rooms: &[], roots: &["main"] },
];

/// Texts that the code of a crate must not contain: names of libraries, crates and system interfaces.
const FORBIDDEN_TEXTS: &[(&str, &[&str])] = &[
    ("base/src", &["salsa", "tangle_", "std::fs", "std::io", "std::env", "println!"]),
    ("grammar/src", &["salsa", "tangle_ir", "std::fs", "std::io", "std::env", "println!"]),
    ("ir/src", &["salsa", "tangle_grammar", "mangle", "std::fs", "std::io", "std::env", "println!"]),
    ("llvm/src", &["salsa", "tangle_grammar", "std::fs", "std::io", "std::env", "println!"]),
    ("simulate/src", &["salsa", "tangle_grammar", "tangle::", "std::fs", "std::io", "std::env", "println!"]),
    ("src", &["tower_lsp"]),
];

/// Libraries and system interfaces, each with the modules that may use it.
const RESTRICTED: &[(&str, &[&str])] = &[
    ("ariadne", &["cli/human"]),
    ("clap", &["cli"]),
    ("indicatif", &["cli"]),
    ("ignore::", &["project/walk"]),
    // For patterns of header names in the data of a language, and of file names in settings.
    ("globset", &["syntax/dialect", "project/tangle_toml"]),
    ("shlex", &["project/compile_commands"]),
    ("quick_junit", &["diagnostic/junit"]),
    // Its hashes are the same in all versions of the library.
    ("siphasher", &["diagnostic/fingerprint"]),
    // `project` reads settings and sources; the command writes the requested files.
    ("std::fs", &["project", "cli"]),
    ("std::env", &["cli"]),
    ("std::io::stdout", &["cli"]),
    // A build script tells cargo which files it reads.
    ("println!", &["cli", "syntax/build.rs"]),
];

/// The modules that express causes as text. All others, including rules and hovers, pass causes on as data.
const WORDING_MODULES: &[&str] = &["src/rules/wording"];

/// The types of causes: why threads diverge, why a value is divergent, how threads arrive.
const CAUSES: &[&str] = &["Reason::", "Why::", "Arrival::", "Contribution::"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

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

/// Returns the path of a file relative to the root of the repository.
fn relative_path(file: &Path) -> String {
    file.strip_prefix(root()).unwrap().to_str().unwrap().to_owned()
}

/// Returns whether a file contains only tests. The checks ignore these files.
fn is_test(file: &Path) -> bool {
    let own = file.strip_prefix(root()).unwrap();
    own.iter().any(|part| matches!(part.to_str(), Some("tests" | "tests.rs" | "testing.rs")))
}

/// Returns the code of a file, without its comments and without the test module at its end.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Returns the modules of the same crate that some code names: `crate::a`, `crate::{a, …}`, and `super::a` if `is_top`.
fn used(code: &str, is_top: bool) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    let prefixes = if is_top { &["crate::", "super::"][..] } else { &["crate::"] };
    for rest in prefixes.iter().flat_map(|prefix| code.split(prefix).skip(1)) {
        let name =
            |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        match rest.strip_prefix('{') {
            None => _ = used.insert(name(rest)),
            Some(list) => {
                // Take the first name of each path in the list.
                let (mut depth, mut begins) = (0, true);
                for (at, c) in list.char_indices() {
                    match c {
                        '}' if depth == 0 => break,
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        ',' if depth == 0 => begins = true,
                        c if begins && depth == 0 && !c.is_whitespace() => {
                            used.insert(name(&list[at..]));
                            begins = false;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    used
}

#[test]
fn every_file_and_folder_is_a_listed_module() {
    for layout in CRATES.iter().filter(|layout| !layout.rooms.is_empty()) {
        let known: BTreeSet<&str> =
            layout.rooms.iter().copied().flatten().chain(layout.roots).copied().collect();
        let entries = fs::read_dir(root().join(layout.source)).unwrap().map(|entry| entry.unwrap().path());
        let found: BTreeSet<String> = entries
            // `src` is itself a package, so it contains a manifest and a readme.
            .filter(|path| path.extension().is_none_or(|extension| extension != "toml" && extension != "md"))
            .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        let unknown: Vec<_> = found.iter().filter(|name| !known.contains(name.as_str())).collect();
        assert!(
            unknown.is_empty(),
            "{}: the files and folders {unknown:?} must be added to a row of `CRATES`",
            layout.source
        );
        let gone: Vec<_> = known.iter().filter(|name| !found.contains(**name)).collect();
        assert!(gone.is_empty(), "{}: the modules {gone:?} do not exist", layout.source);
    }
}

/// The crates with the folders of their packages. A crate may depend only on crates above it.
const CRATE_ORDER: &[(&str, &str)] = &[
    ("tangle-base", "base"),
    ("tangle-grammar", "grammar"),
    ("tangle-ir", "ir"),
    ("tangle-llvm", "llvm"),
    ("tangle-simulate", "simulate"),
    ("tangle-syntax", "src/syntax"),
    ("tangle-hir", "src/hir"),
    ("tangle-analysis", "src/analysis"),
    ("tangle-diagnostic", "src/diagnostic"),
    ("tangle-emit", "src/emit"),
    ("tangle-rules", "src/rules"),
    ("tangle-fix", "src/fix"),
    ("tangle-execution", "src/execution"),
    ("tangle-project", "src/project"),
    ("tangle", "src"),
    ("tangle-lsp", "lsp"),
    ("tangle-cli", "src/cli"),
    ("tangle-lint", "."),
];

#[test]
fn no_crate_depends_on_a_later_one() {
    let workspace: toml::Table = fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let members = workspace["workspace"]["members"].as_array().unwrap().iter().map(|it| it.as_str().unwrap());
    let members: BTreeSet<&str> = members.filter(|member| !member.starts_with("tests/")).collect();
    assert_eq!(members, CRATE_ORDER.iter().map(|(_, folder)| *folder).collect());
    for (at, (name, folder)) in CRATE_ORDER.iter().enumerate() {
        let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        assert_eq!(manifest["package"]["name"].as_str(), Some(*name));
        let used = manifest["dependencies"].as_table().unwrap().keys();
        let later: Vec<_> = used.filter(|it| CRATE_ORDER[at..].iter().any(|(name, _)| name == it)).collect();
        assert!(later.is_empty(), "{name} depends on {later:?}");
        // Each crate has an entry in `CRATES`.
        let has_layout =
            CRATES.iter().any(|layout| layout.source.split('/').next() == folder.split('/').next());
        assert!(has_layout || *folder == ".", "{name} has no entry in `CRATES`");
    }
}

/// Users run the server without a terminal.
#[test]
fn library_and_server_do_not_use_terminal_crates() {
    let manifest = |folder: &str| fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
    for (name, folder) in CRATE_ORDER.iter().filter(|(name, _)| !["tangle-cli", "tangle-lint"].contains(name))
    {
        let manifest: toml::Table = manifest(folder).parse().unwrap();
        for library in ["clap", "ariadne", "indicatif", "terminal_size"] {
            assert!(!manifest["dependencies"].as_table().unwrap().contains_key(library), "{name}: {library}");
        }
    }
}

#[test]
fn no_module_uses_a_later_module() {
    let mut wrong = Vec::new();
    for layout in CRATES {
        let place = |room: &str| layout.rooms.iter().position(|rooms| rooms.contains(&room));
        for file in rust_files(&root().join(layout.source)) {
            let inside = file.strip_prefix(root().join(layout.source)).unwrap();
            let room = inside.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
            let Some(own) = place(room) else { continue };
            if is_test(&file) {
                continue;
            }
            let later = used(&code(&file), inside.iter().count() == 1);
            let later = later.iter().filter(|used| place(used).is_some_and(|place| place > own));
            wrong.extend(later.map(|later| format!("{} uses {later}", relative_path(&file))));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The remaining cycles: the crate, the first file, and the number of files. Do not add to this list.
const KNOWN_CYCLES: &[(&str, &str, usize)] = &[
    ("src/syntax", "db", 2),
    ("src/syntax", "dialect", 2),
    ("src/syntax", "dialect::effects", 2),
    ("src/syntax", "dialect::notation", 2),
    ("src/hir", "check", 10),
    ("src/hir", "def::overload", 2),
    ("src/analysis", "tangle", 4),
    ("src/analysis", "uniformity::argument_summary", 2),
    ("src/analysis", "uniformity::barriers", 2),
    ("src/emit", "layout", 2),
    ("src/fix", "", 10),
    ("src/execution", "", 2),
    ("src/execution", "races", 2),
    ("src/project", "branches", 2),
    ("src/project", "embedded", 3),
    ("src/project", "reading", 3),
    ("grammar/src", "adapt", 9),
    ("grammar/src", "message", 2),
    ("ir/src", "flow::verify", 3),
    ("ir/src", "llvm", 5),
    ("ir/src", "llvm::compiler", 4),
    ("ir/src", "text::names", 2),
    ("ir/src", "text::read", 2),
    ("ir/src", "text::read::body", 2),
    ("ir/src", "uniformity::analysis", 2),
    ("simulate/src", "memory", 2),
    ("lsp/src", "features::actions", 2),
    ("lsp/src", "owner", 2),
    ("lsp/src", "server_state", 2),
];

#[test]
fn no_new_file_cycles_exist() {
    let mut found = Vec::new();
    for layout in CRATES {
        let mut files = BTreeMap::new();
        for file in rust_files(&root().join(layout.source)).into_iter().filter(|file| !is_test(file)) {
            let inside = file.strip_prefix(root().join(layout.source)).unwrap().with_extension("");
            let mut module: Vec<String> =
                inside.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
            if matches!(module.last().unwrap().as_str(), "mod" | "lib" | "main") {
                module.pop();
            }
            files.insert(module, code(&file));
        }
        let cycles = cycles::cycles(&files).into_iter();
        found.extend(cycles.map(|group| (layout.source, group[0].join("::"), group.len())));
    }
    let known: Vec<(&str, String, usize)> =
        KNOWN_CYCLES.iter().map(|&(source, first, files)| (source, first.to_owned(), files)).collect();
    assert_eq!(found, known);
}

/// The settings choose the language of a file, and the tables of the dialect describe it.
#[test]
fn stages_contain_no_language_specific_names() {
    let mut wrong = Vec::new();
    let rooms = ["src", "grammar/src", "lsp/src"];
    for file in rooms.iter().flat_map(|room| rust_files(&root().join(room))) {
        let relative = relative_path(&file);
        // A project assigns files to languages, and the database has default settings for users without a choice.
        let edge = ["src/syntax/dialect/", "src/project/", "src/syntax/db.rs"]
            .iter()
            .any(|edge| relative.starts_with(edge))
            || is_test(&file);
        let own = code(&file);
        for word in ["opencl()", "\"CLK_", "\"memory_order_", "\"memory_scope_", "\"float4\"", "\"barrier\""]
        {
            if !edge && own.contains(word) {
                wrong.push(format!("{relative} knows {word}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Methods that look into a text. The only texts in the executor are names, and it must not look into them.
const TEXT_METHODS: &[&str] = &[
    "starts_with(",
    "ends_with(",
    "strip_prefix(",
    "strip_suffix(",
    "split_once(",
    "rsplit(",
    "trim_start_matches(",
    "trim_end_matches(",
    "contains(\"",
    "find(\"",
];

/// Returns the places of some code that depend on the name of a builtin: literals with such a name, and lines.
fn decisions_by_name(code: &str) -> Vec<String> {
    let is_builtin = |name: &str| {
        let symbol = Symbol::intern(name);
        let has = |it: tangle_syntax::dialect::Dialect| {
            it.builtins().get(symbol).is_some() || it.signatures().has(symbol)
        };
        [opencl(), cuda(), hip()].into_iter().any(has)
    };
    let names = literals(code).into_iter().filter(|it| is_builtin(it));
    let decides = |line: &&str| {
        // A name may contribute to a hash, which `hash_of` computes.
        let reads_name = line.contains(".as_str()") && !line.contains("hash_of(");
        reads_name || TEXT_METHODS.iter().any(|method| line.contains(method))
    };
    let lines = code.lines().filter(decides).map(|line| line.trim().to_owned());
    names.chain(lines).collect()
}

/// The executor receives the operation of each builtin from the dialect (`src/syntax/dialect/effects.rs`). So a builtin
/// with another name needs no code there.
#[test]
fn executor_contains_no_builtin_names() {
    let mut wrong = Vec::new();
    for file in rust_files(&root().join("simulate/src")).into_iter().filter(|file| !is_test(file)) {
        let found = decisions_by_name(&code(&file));
        wrong.extend(found.into_iter().map(|it| format!("{}: {it}", relative_path(&file))));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn decisions_by_builtin_name_are_detected() {
    for code in [
        r#"if name == *"barrier" {"#,
        r#""__shfl_xor_sync" => shuffle(),"#,
        r#"let is_conversion = matches!(name, "convert_int_rte");"#,
        r#"let rest = name.strip_prefix("scan_")?;"#,
        r#"if text.contains("fetch") {"#,
        "match name.as_str() {",
    ] {
        assert_ne!(decisions_by_name(code), [""; 0], "{code}");
    }
    for code in [r#"let a = "two words"; x.expect("barrier");"#, "hash_of(&(name.as_str(), arguments))"] {
        assert_eq!(decisions_by_name(code), [""; 0], "{code}");
    }
}

/// The stages that analyse the code of users, except the grammar. The meaning of users' names is data, in
/// `src/syntax/dialect/conventions.toml`.
const STAGES: &[&str] = &[
    "src/syntax/preprocess",
    "src/syntax/items",
    "src/hir",
    "src/analysis/tangle",
    "src/analysis/program",
    "src/analysis/flow",
    "src/analysis/uniformity",
    "src/rules",
    "ir/src/flow",
    "ir/src/uniformity",
];

/// Expressions that look into the text of a name, or build a name from text.
const SPELLING: &[&str] = &[
    "is_ascii_uppercase",
    "is_ascii_lowercase",
    "as_str().starts_with(",
    "as_str().ends_with(",
    "as_str().contains(",
    "as_str().split_once(",
    "as_str().rsplit_once(",
    "as_str().strip_prefix(",
    "as_str().strip_suffix(",
    "name.starts_with(",
    "name.ends_with(",
    "name.contains(",
    "name.strip_prefix(",
    "text.starts_with(",
    "text.split_once(",
    "intern(&format!",
];

/// The files with such lines: the number of lines, and why no result depends on a name that the user chose.
const SPELLED: &[(&str, usize, &str)] = &[
    ("ir/src/uniformity/place.rs", 1, "the graph names the variables of a function `k.x`"),
    ("src/analysis/flow/build/mod.rs", 1, "the graph names the variables of a function `k.x`"),
    ("src/analysis/flow/module.rs", 1, "the graph numbers variables of one name"),
    ("src/hir/check/call.rs", 5, "reserved names: functions of the compiler"),
    ("src/hir/check/constant.rs", 1, "literals"),
    ("src/hir/check/cpp.rs", 2, "qualified names, as the tables of a dialect have them"),
    ("src/hir/check/callee.rs", 4, "qualified names, as the tables of a dialect have them"),
    ("src/hir/check/expr.rs", 3, "reserved names, and literals"),
    ("src/hir/check/member.rs", 1, "lanes of vectors"),
    ("src/hir/declare.rs", 2, "classes of the language"),
    ("src/hir/declare/kernel.rs", 1, "macros, which are in capitals, beside attributes"),
    ("src/hir/def/functions.rs", 3, "reserved names: the functions for operators and conversions"),
    ("src/hir/def/overload/special.rs", 4, "names of builtins"),
    ("src/rules/rules/divergent_subgroup_operation.rs", 1, "names of builtins, for a help"),
    ("src/rules/rules/left_out_text.rs", 1, "reserved names: macros of compilers"),
    ("src/rules/rules/missing_include.rs", 1, "words of a help"),
    ("src/rules/names.rs", 5, "names that are similar to builtins"),
    ("src/syntax/preprocess/cut/keep.rs", 2, "names of the language, and macros, which are in capitals"),
    ("src/syntax/preprocess/directive.rs", 1, "reserved names"),
    ("src/syntax/items/mod.rs", 2, "names of headers"),
];

#[test]
fn no_stage_decides_by_the_spelling_of_a_name() {
    let mut found: Vec<(String, usize)> = Vec::new();
    for file in STAGES.iter().flat_map(|stage| rust_files(&root().join(stage))).filter(|file| !is_test(file))
    {
        let code = code(&file);
        let lines = code.lines().filter(|line| SPELLING.iter().any(|word| line.contains(word))).count();
        found.extend((lines > 0).then(|| (relative_path(&file), lines)));
    }
    found.sort();
    let mut known: Vec<(String, usize)> =
        SPELLED.iter().map(|&(file, lines, _)| (file.to_owned(), lines)).collect();
    known.sort();
    assert_eq!(found, known);
}

#[test]
fn used_modules_are_found() {
    let code = "use crate::{db, flow::{self, Op}, hir};\nuse crate::lint::RULES;\nfn f(a: &super::Unit, b: crate::tangle::Model) {}";
    let names = |is_top| used(code, is_top).into_iter().collect::<Vec<_>>().join(" ");
    assert_eq!(names(false), "db flow hir lint tangle");
    assert_eq!(names(true), "Unit db flow hir lint tangle");
}

#[test]
fn no_crate_contains_its_forbidden_names() {
    for (source, words) in FORBIDDEN_TEXTS {
        for file in rust_files(&root().join(source)).into_iter().filter(|file| !is_test(file)) {
            let code = code(&file);
            let found: Vec<_> = words.iter().filter(|word| code.contains(**word)).collect();
            assert!(found.is_empty(), "{} uses {found:?}", relative_path(&file));
        }
    }
}

#[test]
fn libraries_are_used_only_in_their_modules() {
    for file in rust_files(&root().join("src")).into_iter().filter(|file| !is_test(file)) {
        for (library, rooms) in RESTRICTED {
            let inside = rooms.iter().any(|room| relative_path(&file).starts_with(&format!("src/{room}")));
            assert!(inside || !code(&file).contains(library), "{} uses {library}", relative_path(&file));
        }
    }
}

/// Returns the string literals of some code, except the texts of panics and lint reasons, which only developers read.
fn literals(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find('"') {
        let (before, opened) = rest.split_at(at);
        let is_char = before.ends_with('\'') && opened[1..].starts_with('\'');
        let mut escaped = false;
        let end = opened[1..].find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let Some(end) = end.filter(|_| !is_char) else {
            rest = &opened[1..];
            continue;
        };
        let panics = ["expect(", "panic!(", "unreachable!(", "reason = "];
        if !panics.iter().any(|word| before.trim_end().ends_with(word)) {
            found.push(opened[1..=end].to_owned());
        }
        rest = &opened[end + 2..];
    }
    found
}

/// Returns the string literals that are sentences.
fn sentences(code: &str) -> Vec<String> {
    let mut found = literals(code);
    // Text with three words or more counts as a sentence; shorter text is a name.
    found.retain(|text| {
        text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count() >= 3
    });
    found
}

#[test]
fn only_wording_modules_contain_text_about_causes() {
    let mut wrong = Vec::new();
    for source in CRATES.iter().map(|layout| layout.source) {
        for file in rust_files(&root().join(source)) {
            let name = relative_path(&file);
            // A printer (`print.rs`) writes causes in the notation of its analysis.
            let is_printer = name.ends_with("/print.rs");
            if is_test(&file) || is_printer || WORDING_MODULES.iter().any(|room| name.starts_with(room)) {
                continue;
            }
            let code = code(&file);
            if CAUSES.iter().any(|cause| code.contains(cause)) {
                wrong.extend(sentences(&code).into_iter().map(|text| format!("{name}: {text:?}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    for room in WORDING_MODULES {
        assert!(root().join(room).exists(), "{room} does not exist");
    }
}

#[test]
fn sentences_in_string_literals_are_found() {
    let code = r#"let a = "threads part \"here\" and there"; let b = '"'; let c = "two words"; x.expect("one that is not told");"#;
    assert_eq!(sentences(code), [r#"threads part \"here\" and there"#]);
}
