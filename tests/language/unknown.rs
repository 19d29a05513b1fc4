//! Unknown code never hides findings about known code: after a part of a sample is removed, all findings remain, except
//! those about the removed part.
//!
//! **Mutation**: a declaration, definition, macro, include directive or local declaration is replaced by blanks, so
//! that locations stay the same; or a number is replaced by an undeclared name.
//! **Touched**: a finding that overlaps the removed part, or whose locations contain a name from that part.
//!
//! [`CHANGED`] lists all other changes, with reasons. The number of mutations is printed (`--nocapture`).

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use tangle_analysis::tangle::Model;
use tangle_diagnostic::{Diagnostic, Place, Severity};
use tangle_rules as lint;
use tangle_syntax::db::Database;
use tangle_syntax::source::{Content, Loader, Macro};

struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str) -> Content {
        match fs::read(path) {
            Ok(bytes) => Content::Text(String::from_utf8(bytes).expect("samples are UTF-8").into()),
            Err(_) => Content::Missing,
        }
    }
}

/// A mutation of a sample that removes a finding that it does not touch or, in `quiet`, adds one.
struct Changed {
    sample: &'static str,
    /// The beginning of the removed part.
    without: &'static str,
    reason: &'static str,
}

const HOLDER: &str = "the removed part contains the convergent operation, or the jump, that the finding is about without its name";
const SHARED: &str = "a shared variable becomes a variable of each thread: a warning, not an error";

const OWN: &str = "an undeclared variable may be divergent or in shared memory: a warning, not an error";

const HELPER: &str = "a function with a barrier becomes unknown: a warning, not an error";

const COUNTER: &str =
    "a variable with a uniform initial value becomes an unknown variable: a warning, not an error";

const MEMBER: &str = "a known record lacks a used member: an error for every compiler";

const MOVED: &str = "the values of an initialiser list belong to the fields in order: without the first field, the second gets the first value";

const CHANGED: &[Changed] = &[
    Changed { sample: "functions/returned_record.cl", without: "int of_launch", reason: MOVED },
    Changed { sample: "functions/call_chain.cl", without: "int innermost", reason: HOLDER },
    Changed { sample: "functions/call_chain.cl", without: "int middle", reason: HOLDER },
    Changed { sample: "functions/chain_of_three.cl", without: "static void innermost", reason: HOLDER },
    Changed { sample: "functions/chain_of_three.cl", without: "static void middle", reason: HOLDER },
    Changed {
        sample: "idioms/nothing_after_endless_loop.cl",
        without: "1",
        reason: "the code after `while (1)` is unreachable; the code after `while (Q)` is not",
    },
    Changed {
        sample: "history/gpuowl_before.cl",
        without: "#define OVERLOAD",
        reason: "the macro makes overloads: without it one function has two definitions, and the last one is used",
    },
    Changed {
        sample: "ids/launch_comments.cl",
        without: "128",
        reason: "without a size in the attribute, the comment gives the size, and with that size no thread diverges",
    },
    Changed { sample: "models/macro_loop_runs_once.cl", without: "#define CHECK", reason: HOLDER },
    Changed { sample: "preprocessor/check_macro_with_goto.cl", without: "#define CHECK", reason: HOLDER },
    Changed { sample: "preprocessor/has_include_of_a_macro.cl", without: "#define HEADER", reason: HOLDER },
    Changed { sample: "preprocessor/has_include_of_a_macro.cl", without: "#include HEADER", reason: HOLDER },
    Changed { sample: "preprocessor/helper_in_header.cl", without: "#include", reason: HOLDER },
    Changed { sample: "preprocessor/macros_from_header.cl", without: "#include", reason: HOLDER },
    Changed { sample: "preprocessor/label_by_token_pasting.cl", without: "#define LEAVE", reason: HOLDER },
    Changed {
        sample: "preprocessor/label_by_token_pasting.cl",
        without: "1",
        reason: "the number is part of a label's name, which then has no jump",
    },
    Changed {
        sample: "preprocessor/label_by_token_pasting.cl",
        without: "2",
        reason: "the number is part of a label's name, which then has no jump",
    },
    Changed { sample: "quiet/agreement.cl", without: "local int size", reason: SHARED },
    Changed { sample: "quiet/agreement.cl", without: "local int job", reason: SHARED },
    Changed { sample: "quiet/agreement.cl", without: "local int flag", reason: SHARED },
    Changed { sample: "quiet/agreement_in_helpers.cl", without: "static void block_copy", reason: HELPER },
    Changed { sample: "quiet/agreement_in_helpers.cl", without: "static int together", reason: HELPER },
    Changed { sample: "quiet/linear_algebra.cl", without: "local int singular", reason: SHARED },
    Changed { sample: "quiet/linear_algebra.cl", without: "int tile = 0", reason: COUNTER },
    Changed { sample: "quiet/pipelines.cl", without: "local int buffer", reason: OWN },
    Changed { sample: "quiet/queues_and_tables.cl", without: "local int taken", reason: SHARED },
    Changed { sample: "quiet/queues_and_tables.cl", without: "float4 low, high", reason: MEMBER },
    Changed { sample: "quiet/random_numbers.cl", without: "local int walking", reason: OWN },
    Changed { sample: "quiet/reduction_forms.cl", without: "uint bits", reason: MEMBER },
    Changed { sample: "quiet/reduction_forms.cl", without: "float number", reason: MEMBER },
    Changed { sample: "quiet/reduction_forms.cl", without: "int active", reason: COUNTER },
    Changed { sample: "quiet/reduction_forms.cl", without: "local int last", reason: SHARED },
    Changed { sample: "quiet/sorting_forms.cl", without: "local int swapped", reason: OWN },
    Changed { sample: "quiet/loops_by_continue.cl", without: "int i = 0", reason: COUNTER },
    Changed { sample: "quiet/loops_by_continue.cl", without: "int *count", reason: OWN },
    Changed { sample: "quiet/loops_by_continue.cl", without: "int size", reason: COUNTER },
    Changed { sample: "quiet/out_parameters.cl", without: "int a, b", reason: OWN },
    Changed { sample: "quiet/out_parameters.cl", without: "int a = 0, b = 0", reason: OWN },
    Changed { sample: "quiet/private_memory_in_order.cl", without: "int v = n", reason: OWN },
    Changed { sample: "quiet/private_memory_in_order.cl", without: "int scratch[2]", reason: OWN },
];

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")
}

fn kernels(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            kernels(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "cl") {
            found.push(path);
        }
    }
}

/// Returns the findings of a text in the place of a sample.
fn findings(path: &Path, text: &str) -> Vec<Diagnostic> {
    let first = text.lines().next().unwrap_or_default();
    let mut args = first.strip_prefix("// args:").unwrap_or_default().split_whitespace();
    let (mut folders, mut macros) = (Vec::new(), Vec::new());
    while let Some(option) = args.next() {
        let value = args.next().unwrap_or_default();
        match option {
            "-I" => folders.push(path.parent().unwrap().join(value).to_str().unwrap().to_owned()),
            "-D" => macros.push(Macro::Define(value)),
            _ => {}
        }
    }
    let model = if first.trim() == "// model: revised" { Model::Revised } else { Model::Tangles };
    let mut db = Database::new(Arc::new(Disk));
    let settings = db.settings(&folders, &macros, &[], Vec::new());
    let file = db.set_text(path.to_str().unwrap(), text);
    let mut findings = lint::check(&db, file, settings, model);
    findings.retain(|finding| finding.suppression.is_none());
    findings
}

/// Returns whether a finding is about threads, and not about declarations or syntax.
fn is_about_threads(finding: &Diagnostic) -> bool {
    !matches!(
        finding.rule,
        "unknown-name"
            | "unknown-type"
            | "undeclared-function"
            | "type-error"
            | "syntax-error"
            | "missing-include"
            | "preprocessor-note"
            | "left-out-text"
            | "unused-suppression"
    )
}

/// Returns the parts of a text that a mutation may remove.
fn parts(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    // Directives that define or include.
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let rest = line.trim_start().strip_prefix('#').map(str::trim_start);
        if rest.is_some_and(|rest| rest.starts_with("define") || rest.starts_with("include"))
            && !line.ends_with("\\\n")
        {
            found.push(offset..offset + line.trim_end().len());
        }
        offset += line.len();
    }
    // Declarations end with a `;` or `}` at file scope. In functions, they are statements that begin with the name of a
    // type.
    let (mut at, mut start, mut braces, mut parens) = (0, 0, 0, 0);
    let mut inner: Option<usize> = None;
    while at < bytes.len() {
        let rest = &text[at..];
        let line_end = || rest.find('\n').map_or(bytes.len(), |end| at + end);
        if rest.starts_with("//") || (rest.starts_with('#') && text[..at].ends_with('\n')) {
            let end = line_end();
            if text[start..at].trim().is_empty() {
                start = end;
            }
            at = end;
            continue;
        }
        if rest.starts_with("/*") {
            let end = rest.find("*/").map_or(bytes.len(), |end| at + end + 2);
            if text[start..at].trim().is_empty() {
                start = end;
            }
            at = end;
            continue;
        }
        match bytes[at] {
            b'(' => parens += 1,
            b')' => parens -= 1,
            b'{' => {
                braces += 1;
                inner = Some(at + 1);
            }
            b'}' => {
                braces -= 1;
                inner = Some(at + 1);
                let typed = text[start..at].trim_start().starts_with("typedef")
                    || rest[1..].trim_start().starts_with(';');
                if braces == 0 && !typed {
                    found.push(start..at + 1);
                    start = at + 1;
                }
            }
            b';' if parens == 0 => {
                if braces == 0 {
                    found.push(start..at + 1);
                    start = at + 1;
                } else if let Some(from) = inner.replace(at + 1)
                    && is_declaration(&text[from..at])
                {
                    found.push(from..at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    found.extend(numbers(text));
    // Kernels are kept, since they are executed.
    found.retain(|part| {
        let text = text[part.clone()].trim_start();
        !text.is_empty() && !text.starts_with("kernel") && !text.starts_with("__kernel")
    });
    found
}

/// Returns the numbers in the code of a text.
fn numbers(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or_default();
        let code = if code.trim_start().starts_with('#') || code.contains('"') { "" } else { code };
        let mut at = 0;
        while at < code.len() {
            let length =
                code[at..].bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
            // The digits around a decimal point are not integers.
            let is_part = code[..at].ends_with('.') || code[at + length..].starts_with('.');
            if length > 0 && !is_part && code[at..at + length].bytes().all(|byte| byte.is_ascii_digit()) {
                found.push(offset + at..offset + at + length);
            }
            at += length.max(1);
        }
        offset += line.len();
    }
    found
}

fn is_declaration(statement: &str) -> bool {
    const TYPES: [&str; 14] = [
        "int", "uint", "float", "size_t", "bool", "local", "__local", "const", "long", "char", "unsigned",
        "ulong", "int4", "float4",
    ];
    let words: Vec<&str> = statement.split_whitespace().collect();
    words.len() > 1 && words.first().is_some_and(|word| TYPES.contains(word)) && !statement.contains('{')
}

/// Returns the identifiers of a text.
fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
        .collect()
}

fn is_touched(finding: &Diagnostic, text: &str, part: &Range<usize>, gone: &BTreeSet<&str>) -> bool {
    let places = [&finding.place].into_iter().chain(finding.related.iter().map(|related| &related.place));
    places.into_iter().any(|place| {
        let range = &place.range;
        let overlaps = range.start < part.end && part.start < range.end;
        overlaps
            || text.get(range.clone()).is_some_and(|text| words(text).intersection(gone).next().is_some())
    })
}

/// Returns the number of mutations of one sample, and the unexpected changes.
fn mutated(path: &Path) -> (usize, Vec<String>) {
    let text = fs::read_to_string(path).unwrap();
    let before = findings(path, &text);
    let name = path.strip_prefix(samples()).unwrap().display().to_string();
    let quiet = name.starts_with("quiet");
    let mut changed = Vec::new();
    let parts = parts(&text);
    for part in &parts {
        let gone = &text[part.clone()];
        let is_number = gone.bytes().all(|byte| byte.is_ascii_digit());
        // A number is replaced by an undeclared name.
        let blank = |c: char| match c {
            '\n' => '\n',
            _ if is_number => 'Q',
            _ => ' ',
        };
        let blanks: String = gone.chars().flat_map(|c| std::iter::repeat_n(blank(c), c.len_utf8())).collect();
        let mutant = format!("{}{blanks}{}", &text[..part.start], &text[part.end..]);
        let after = findings(path, &mutant);
        let what = gone.trim().lines().next().unwrap_or_default();
        let known = |reason: &Changed| name == reason.sample && what.starts_with(reason.without);
        let is_known = CHANGED.iter().any(known);
        let names = words(gone);
        // A finding with several places holds at each of them, in any order.
        let holds = |at: &Diagnostic, place: &Place| at.place == *place || at.also.contains(place);
        let same = |a: &Diagnostic, b: &Diagnostic| a.rule == b.rule && holds(a, &b.place);
        for finding in before.iter().filter(|finding| is_about_threads(finding)) {
            if !is_known
                && !is_touched(finding, &text, part, &names)
                && !after.iter().any(|it| same(it, finding))
            {
                changed
                    .push(format!("{name}: without `{what}`: gone: {}: {}", finding.rule, finding.message));
            }
        }
        if quiet {
            let new = |finding: &&Diagnostic| {
                let worse = finding.severity == Severity::Error && finding.rule != "syntax-error";
                let warns = finding.severity == Severity::Warning && is_about_threads(finding);
                // An unknown name makes no error; a name that is known to be missing does.
                let may_be_error = CHANGED.iter().any(|row| known(row) && row.reason == MEMBER);
                let may_be_error = may_be_error && !is_about_threads(finding);
                let counts = worse && !may_be_error || warns && !is_known;
                counts && !before.iter().any(|it| same(it, finding))
            };
            for finding in after.iter().filter(new) {
                changed.push(format!("{name}: without `{what}`: new: {}: {}", finding.rule, finding.message));
            }
        }
    }
    (parts.len(), changed)
}

#[test]
fn unknown_code_hides_no_findings_about_known_code() {
    let mut paths = Vec::new();
    kernels(&samples(), &mut paths);
    // These samples test how text is split, or excluded from findings.
    paths.retain(|path| {
        !path.iter().any(|part| part == "syntax" || part == "suppression" || part == "include")
    });
    let paths = tangle_referees::some_of(paths);
    let results: Vec<(usize, Vec<String>)> = paths.par_iter().map(|path| mutated(path)).collect();
    let mutations: usize = results.iter().map(|(count, _)| count).sum();
    let changed: Vec<String> = results.into_iter().flat_map(|(_, changed)| changed).collect();
    println!(
        "{} samples, {mutations} mutations, {} known to change a verdict, {} more do",
        paths.len(),
        CHANGED.len(),
        changed.len()
    );
    for Changed { sample, without, reason } in CHANGED {
        println!("{sample}: without `{without}`: {reason}");
    }
    assert!(changed.is_empty(), "{}", changed.join("\n"));
    assert!(mutations as u64 > tangle_referees::of_all(2_000) / 2, "{mutations}");
}
