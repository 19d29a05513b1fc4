//! Findings do not depend on the spelling of users' names, except by the rows of `src/syntax/dialect/conventions.toml`.
//!
//! Each project is linted twice: unchanged, and with all names that its users chose replaced by others of the same
//! length. The findings must be the same, at the same places. All other names stay: keywords, names that a dialect
//! knows, reserved names, names of the standard library and the SDK, and names that a row of the conventions covers.
//!
//! ```cuda
//! __device__ int round_up(int n) { return (n + 31) / 32 * 32; }   // __device__ int kqzjmwxa(int p) { return (p + 31) / 32 * 32; }
//! ```
//!
//! By default the projects are `samples/cuda` and `samples/hip`. `TANGLE_RENAMED` adds folders, separated by `:`. At
//! most `TANGLE_RENAMED_FILES` files with device code are linted per folder.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_base::Symbol;
use tangle_grammar::lexicon::Macro;
use tangle_syntax::dialect::{self, Conventions, Dialect};

/// Names of C, C++ and their libraries that no table of a dialect contains.
const STANDARD: &str = "std main printf fprintf sprintf snprintf puts exit abort malloc calloc realloc free memcpy memset memmove assert
    NULL EOF FILE stdout stderr stdin va_list va_start va_end va_arg offsetof begin end size data first second value type override final
    defined once unroll pragma push pop pack include define ifdef ifndef if elif else endif error warning undef line aligned packed
    always_inline noinline unused noreturn optimize visibility this nullptr_t result_type value_type argc argv get tuple pair array
    vector string max min swap move forward declval decay enable_if enable_if_t is_same is_same_v conditional conditional_t
    numeric_limits integral_constant true_type false_type lowest infinity quiet_NaN epsilon cout cerr endl cstdint x y z w";

/// Namespaces of libraries. Names after them belong to the library.
const LIBRARIES: [&str; 10] = [
    "std",
    "cuda",
    "thrust",
    "cub",
    "cooperative_groups",
    "nvcuda",
    "hipcub",
    "rocprim",
    "rocwmma",
    "cutlass",
];

/// Returns whether a name belongs to the host part of the SDK, which no table contains: `cudaMalloc`, `CUDART_VERSION`.
fn is_of_sdk(name: &str) -> bool {
    let rest = |beginning: &str| name.strip_prefix(beginning).and_then(|rest| rest.chars().next());
    let functions =
        ["cuda", "hip", "cu", "cublas", "cusparse", "cufft", "curand", "hiprand", "cudnn", "nccl", "nvtx"];
    let macros = [
        "CU", "CUDA", "CUDART", "HIP", "CUBLAS", "HIPBLAS", "FLT", "DBL", "INT", "UINT", "LONG", "SIZE",
        "INT32", "UINT32",
    ];
    name.starts_with("__")
        || name.starts_with('_') && rest("_").is_some_and(|c| c.is_ascii_uppercase())
        || functions.iter().any(|&it| rest(it).is_some_and(|c| c.is_ascii_uppercase() || c == '_'))
        || macros.iter().any(|&it| rest(it) == Some('_'))
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word(c)).filter(|it| it.starts_with(|c: char| !c.is_ascii_digit()))
}

/// The names that are not replaced: names of the dialects, and names that a row of the conventions covers.
struct KeptNames {
    names: FxHashSet<String>,
    dialects: [Dialect; 2],
    conventions: Conventions,
}

impl KeptNames {
    fn new() -> KeptNames {
        let dialects = [dialect::cuda(), dialect::hip()];
        let mut names: FxHashSet<String> = identifiers(STANDARD).map(str::to_owned).collect();
        let mut add = |text: &str| names.extend(identifiers(text).map(str::to_owned));
        LIBRARIES.into_iter().for_each(&mut add);
        for dialect in dialects {
            dialect.lexicon().keywords().for_each(|name| add(name.as_str()));
            dialect.types().names().for_each(|name| add(name.as_str()));
            dialect.signatures().names().for_each(|name| add(name.as_str()));
            add(dialect.predefined());
            for row in dialect.builtins().rows() {
                let (dialect::Name::Exact(name) | dialect::Name::Pattern(name)) = &row.name;
                add(name);
                row.gives.as_deref().into_iter().for_each(&mut add);
            }
        }
        KeptNames { names, dialects, conventions: Conventions::default() }
    }

    fn has(&self, name: &str) -> bool {
        let symbol = Symbol::intern(name);
        self.names.contains(name)
            || is_of_sdk(name)
            || self.dialects.iter().any(|it| it.is_own_name(symbol) || it.builtins().leads(symbol))
            || self.is_in_a_row(symbol)
    }

    fn is_in_a_row(&self, name: Symbol) -> bool {
        let rows = &self.conventions;
        let is_macro = |implied| self.dialects.iter().any(|it| it.lexicon().implies(name, implied));
        rows.of(name).is_some() || [Macro::Kernel, Macro::Device].into_iter().any(is_macro)
    }
}

/// A part of a text, classified by how it is renamed.
enum Part<'t> {
    /// A name that may be replaced.
    Name(&'t str),
    /// A name after that of a library.
    OfLibrary(&'t str),
    Other(&'t str),
}

/// Returns the parts of a text. Comments, literals and header names contain no names.
fn parts(text: &str) -> Vec<Part<'_>> {
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let (mut at, mut begin) = (0, 0);
    // Whether the last tokens were the name of a library and `::`.
    let (mut library, mut line_start) = (false, true);
    let until =
        |at: usize, end: &str| text[at..].find(end).map_or(text.len(), |found| at + found + end.len());
    while at < text.len() {
        let rest = &text[at..];
        let next = match bytes[at] {
            _ if rest.starts_with("//") => until(at, "\n"),
            _ if rest.starts_with("/*") => until(at + 2, "*/"),
            _ if rest.starts_with("R\"") => {
                let open = rest.find('(').map_or("", |open| &rest[2..open]);
                until(at, &format!("){open}\""))
            }
            b'#' if line_start => {
                let directive = rest[1..].trim_start();
                match directive.starts_with("include") || directive.starts_with("pragma") {
                    true => until(at, "\n"),
                    // The name of the directive is not replaced.
                    false => {
                        text.len() - directive.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len()
                    }
                }
            }
            quote @ (b'"' | b'\'') => {
                let mut end = at + 1;
                while end < bytes.len() && bytes[end] != quote && bytes[end] != b'\n' {
                    end += 1 + usize::from(bytes[end] == b'\\');
                }
                (end + 1).min(text.len())
            }
            byte if byte.is_ascii_digit() => {
                let number = |(i, c): (usize, char)| i > 0 && !(is_word(c) || c == '\'' || c == '.');
                rest.char_indices().find(|&it| number(it)).map_or(text.len(), |(end, _)| at + end)
            }
            byte if is_word(byte.into()) => {
                let end = rest.find(|c: char| !is_word(c)).map_or(text.len(), |end| at + end);
                let name = &text[at..end];
                parts.push(Part::Other(&text[begin..at]));
                parts.push(if library { Part::OfLibrary(name) } else { Part::Name(name) });
                library =
                    (library || LIBRARIES.contains(&name)) && text[end..].trim_start().starts_with("::");
                (begin, line_start) = (end, false);
                at = end;
                continue;
            }
            byte => {
                if !byte.is_ascii_whitespace() && byte != b':' {
                    library = false;
                }
                at + rest.chars().next().map_or(1, char::len_utf8)
            }
        };
        let mut next = next;
        while !text.is_char_boundary(next) {
            next += 1;
        }
        if text[at..next].contains('\n') {
            // A continuation line is not a directive.
            line_start = !text[..at].ends_with('\\');
        } else if !text[at..next].trim().is_empty() {
            line_start = false;
        }
        at = next;
    }
    parts.push(Part::Other(&text[begin..]));
    parts
}

/// The new names for the names of a project.
struct Renaming {
    new: FxHashMap<String, String>,
}

impl Renaming {
    fn of(texts: &[String], kept: &KeptNames) -> Renaming {
        let mut own: BTreeMap<&str, bool> = BTreeMap::new();
        for text in texts {
            // Names that `##` concatenates would become other names.
            let glued: FxHashSet<&str> =
                text.lines().filter(|it| it.contains("##")).flat_map(identifiers).collect();
            for part in parts(text) {
                match part {
                    Part::Name(name) => *own.entry(name).or_insert(true) &= !glued.contains(name),
                    Part::OfLibrary(name) => _ = own.insert(name, false),
                    Part::Other(_) => {}
                }
            }
            glued.into_iter().for_each(|name| _ = own.insert(name, false));
        }
        let all: FxHashSet<&str> = own.keys().copied().collect();
        let chosen = own.iter().filter(|&(name, free)| *free && !kept.has(name)).map(|(&name, _)| name);
        let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let letters = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        let mut new: FxHashMap<String, String> = FxHashMap::default();
        let mut taken: FxHashSet<String> = FxHashSet::default();
        let chosen: Vec<&str> = chosen.collect();
        let is_chosen: FxHashSet<&str> = chosen.iter().copied().collect();
        for name in chosen {
            // Short names are exchanged with each other, since there are few free ones.
            let among = if name.len() > 2 { 26 } else { letters.len() };
            let found = (0..5_000).find_map(|_| {
                let it: String = (0..name.len()).map(|_| char::from(letters[random(among)])).collect();
                let is_free = !all.contains(&*it) || name.len() < 3 && is_chosen.contains(&*it);
                (is_free && !taken.contains(&it) && !kept.has(&it)).then_some(it)
            });
            let found = found.unwrap_or_else(|| name.to_owned());
            taken.insert(found.clone());
            new.insert(name.to_owned(), found);
        }
        Renaming { new }
    }

    fn renamed(&self, text: &str) -> String {
        let mut result = String::with_capacity(text.len());
        for part in parts(text) {
            result.push_str(match part {
                Part::Name(name) => self.new.get(name).map_or(name, |new| new),
                Part::OfLibrary(text) | Part::Other(text) => text,
            });
        }
        result
    }
}

const SOURCES: [&str; 9] = ["cu", "cuh", "hip", "h", "hpp", "hh", "inl", "inc", "cpp"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().filter_map(|it| Some(it.ok()?.path())).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() && !path.is_symlink() {
            sources(&path, found);
        } else if path.extension().and_then(OsStr::to_str).is_some_and(|it| SOURCES.contains(&it)) {
            found.push(path);
        }
    }
}

type Finding = (String, u64, u64, String, String);

/// Returns the findings of a folder, with their messages.
fn findings(folder: &Path, files: &[PathBuf]) -> BTreeMap<Finding, String> {
    let mut found = BTreeMap::new();
    for files in files.chunks(50) {
        let run = Command::new(env!("CARGO_BIN_EXE_tangle"))
            .args(["lint", "--format", "json", "--fail-on", "never"])
            .args(files)
            .current_dir(folder)
            .output()
            .expect("tangle runs");
        let json: serde_json::Value = serde_json::from_slice(&run.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&run.stderr)));
        for it in json["findings"].as_array().expect("findings are a list") {
            let text = |key: &str| it[key].as_str().unwrap_or_default().to_owned();
            let number = |key: &str| it[key].as_u64().unwrap_or_default();
            let message = format!("{} {}", text("message"), it["assumes"]);
            let place = (text("file"), number("line"), number("column"), text("rule"), text("severity"));
            found.insert(place, message);
        }
    }
    found
}

/// Returns the findings that differ after the names of a project are replaced: `-` only before, `+` only after.
fn differences(project: &Path, limit: usize) -> (usize, usize, Vec<String>) {
    let mut files = Vec::new();
    sources(project, &mut files);
    let texts: Vec<String> = files
        .iter()
        .map(|path| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned())
        .collect();
    let kept = KeptNames::new();
    let renaming = Renaming::of(&texts, &kept);
    let folder = tempfile::tempdir().expect("a folder");
    let [before, after] = ["before", "after"].map(|name| folder.path().join(name));
    let mut linted = Vec::new();
    for (path, text) in files.iter().zip(&texts) {
        let name = path.strip_prefix(project).expect("the file is in the project").to_owned();
        for (root, text) in [(&before, text), (&after, &renaming.renamed(text))] {
            let to = root.join(&name);
            fs::create_dir_all(to.parent().expect("the file is in a folder")).expect("a folder");
            fs::write(to, text).expect("a file");
        }
        let is_source = name.extension().is_some_and(|it| it == "cu" || it == "hip" || it == "cuh");
        if is_source && (text.contains("__global__") || text.contains("__device__")) {
            linted.push(name);
        }
    }
    if linted.len() > limit {
        // Select files evenly from the whole project.
        linted = (0..limit).map(|i| linted[i * linted.len() / limit].clone()).collect();
    }
    let (old, new) = (findings(&before, &linted), findings(&after, &linted));
    let mut lines = Vec::new();
    for (place, message) in &old {
        if !new.contains_key(place) {
            lines.push(format!("- {}:{}:{} {} [{}] {message}", place.0, place.1, place.2, place.4, place.3));
        }
    }
    for (place, message) in &new {
        if !old.contains_key(place) {
            lines.push(format!("+ {}:{}:{} {} [{}] {message}", place.0, place.1, place.2, place.4, place.3));
        }
    }
    lines.sort_by(|a, b| a[2..].cmp(&b[2..]));
    (linted.len(), old.len(), lines)
}

#[test]
fn sample_findings_do_not_depend_on_user_names() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut all = Vec::new();
    for project in ["cuda", "hip"] {
        let (files, findings, lines) = differences(&samples.join(project), usize::MAX);
        println!("samples/{project}: {files} files, {findings} findings, {} differences", lines.len());
        all.extend(lines);
    }
    println!("{}", all.join("\n"));
    assert_eq!(all.len(), 0);
}

#[test]
fn differences_in_renamed_projects_are_printed() {
    let Ok(folders) = std::env::var("TANGLE_RENAMED") else { return };
    let limit = std::env::var("TANGLE_RENAMED_FILES").ok().and_then(|it| it.parse().ok()).unwrap_or(200);
    for project in std::env::split_paths(&folders) {
        let (files, findings, lines) = differences(&project, limit);
        println!("{}: {files} files, {findings} findings, {} differences", project.display(), lines.len());
        println!("{}", lines.join("\n"));
    }
}
