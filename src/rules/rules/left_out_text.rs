//! `left-out-text`: convergent operations, or early exits before them, in `#if` branches that are inactive because a
//! name is undefined or has only a default.

mod exits;

use crate::rule::{Check, Entry};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::lex::{LexToken, Lexed};
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;

use crate::file::FileFacts;
use crate::item_context::{finding, place};
use crate::quote::join_list;
use crate::raw_calls::{WordToken, inside, raw_calls_and_exits};
use crate::wording::headline::fitting;
use tangle_analysis::program::{Convergent, convergent};
use tangle_diagnostic::{Diagnostic, Rule, Severity, counted};
use tangle_syntax::db::Db;
use tangle_syntax::items::{Located, TextRange, Unit, spans, tokens, unit};
use tangle_syntax::preprocess::{FileId, SkippedGroup, UndefinedName};
use tangle_syntax::source::{Settings, SourceFile};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: ID,
        severity: Severity::Note,
        on: true,
        summary: "convergent operations, or early exits before them, in an inactive `#if` branch",
        page: include_str!("../pages/left-out-text.md"),
    },
    required: &[],
    evidence: None,
    check: Check::Files(check),
};

/// The id of the rule.
pub const ID: &str = "left-out-text";

/// The maximum number of further locations of a finding.
const PLACES: usize = 8;

/// The beginnings of names that compilers define, and not builds. Text for other compilers is inactive on purpose.
const COMPILER_PREFIXES: &[&str] = &["__", "cl_", "CL_", "_MSC_", "_WIN"];

/// Names with such a beginning that a build selects: the device, and the version of the compiler.
pub const TARGET_MACROS: &[&str] = &["__CUDA_ARCH__", "__CUDACC_VER_MAJOR__", "__CUDACC_VER_MINOR__"];

/// A group: the text of an inactive `#if` branch, with its convergent operations and early exits.
struct Group<'a> {
    left_out: &'a SkippedGroup,
    /// The undefined or default names that make it inactive. Never empty.
    missing: Vec<&'a UndefinedName>,
    operations: Vec<Symbol>,
    /// Early exits out of the group, before convergent operations.
    exits: Vec<Symbol>,
}

fn check(file: &FileFacts, found: &mut Vec<Diagnostic>) {
    notes(file.db, file.unit, file.settings, file.convergent, &|_| false, found);
}

/// Adds one note for each file of a unit. `besides` returns whether another reading has a group, which is then omitted.
fn notes(
    db: &dyn Db,
    unit: &Unit,
    settings: Settings,
    convergent: &Convergent,
    besides: &dyn Fn(&SkippedGroup) -> bool,
    found: &mut Vec<Diagnostic>,
) {
    let mut files: BTreeMap<FileId, Vec<Group>> = BTreeMap::new();
    for group in groups(db, unit, settings, convergent, besides) {
        files.entry(group.left_out.file).or_default().push(group);
    }
    found.extend(files.into_values().map(|mut groups| {
        groups.sort_by_key(|group| group.left_out.directive);
        note(db, &groups)
    }));
}

/// Returns the groups of a unit with convergent operations, or with early exits before such operations.
fn groups<'a>(
    db: &dyn Db,
    unit: &'a Unit,
    settings: Settings,
    convergent: &Convergent,
    besides: &dyn Fn(&SkippedGroup) -> bool,
) -> Vec<Group<'a>> {
    if unit.0.missing.is_empty() {
        return Vec::new();
    }
    let mut candidates: Vec<(&SkippedGroup, Vec<&UndefinedName>)> = Vec::new();
    for (left_out, mut missing) in unit.0.left_out() {
        missing.retain(|missing| is_missing_in_builds(missing));
        if !missing.is_empty() && !besides(left_out) {
            candidates.push((left_out, missing));
        }
    }
    if candidates.is_empty() {
        return Vec::new();
    }
    // The convergent functions and macros of this unit, and the files that call one or a builtin: usually few.
    let sources = unit.0.files.iter().map(|&file| db.source(file));
    let macros = sources.flat_map(|file| macros_for_operations(db, file, settings)).copied();
    let own: FxHashSet<Symbol> = macros.chain(convergent.names()).collect();
    let files: FxHashSet<FileId> = candidates.iter().map(|(left_out, _)| left_out.file).collect();
    let concerned = files.into_iter().filter_map(|id| {
        let file = db.source(id);
        let names = called_names(db, file).iter().copied();
        let called: FxHashSet<Symbol> = names.filter(|name| own.contains(name)).collect();
        (!called.is_empty() || !builtins(db, file, settings).is_empty()).then_some((id, called))
    });
    let concerned: FxHashMap<FileId, FxHashSet<Symbol>> = concerned.collect();
    let table = settings.builtins(db);
    let functions: FxHashSet<Symbol> = convergent.names().collect();
    // The table is queried once for each name, because it matches names against patterns.
    let known: RefCell<FxHashMap<Symbol, bool>> = RefCell::default();
    let is_convergent = |name| {
        let ask = || functions.contains(&name) || table.convergent(name).is_some();
        *known.borrow_mut().entry(name).or_insert_with(ask)
    };
    let wanted = candidates.iter().map(|(left_out, _)| *left_out);
    let items = exits::Items::of(db, &unit.0, wanted, &is_convergent);
    let mut groups: Vec<Group> = Vec::new();
    for (left_out, missing) in candidates {
        let file = db.source(left_out.file);
        let mut operations: Vec<Symbol> = Vec::new();
        if let Some(called) = concerned.get(&left_out.file) {
            operations.extend(inside(left_out, builtins(db, file, settings)).map(|(_, name)| name));
            let called = |name: &Symbol| called.contains(name);
            operations.extend(
                inside(left_out, &raw_calls_and_exits(db, file).calls).map(|(_, name)| name).filter(called),
            );
        }
        let exits = items.leaving(db, left_out);
        if !operations.is_empty() || !exits.is_empty() {
            groups.push(Group { left_out, missing, operations, exits });
        }
    }
    groups
}

/// Returns the groups of the source itself that deserve a further reading: with convergent operations, or with early
/// exits before such operations. Each group has the names that a build may define.
pub fn groups_to_read(
    db: &dyn Db,
    file: SourceFile,
    settings: Settings,
) -> Vec<(SkippedGroup, Vec<UndefinedName>)> {
    let id = file.id(db);
    let unit = unit(db, file, settings);
    let groups = groups(db, unit, settings, convergent(db, file, settings), &|left_out| left_out.file != id);
    let named = |group: Group<'_>| {
        (group.left_out.clone(), group.missing.into_iter().cloned().collect::<Vec<UndefinedName>>())
    };
    groups.into_iter().map(named).collect()
}

/// Returns the notes on groups that no other reading of a file has. `besides` returns whether another reading has one.
pub fn is_read_elsewhere(
    db: &dyn Db,
    file: SourceFile,
    settings: Settings,
    besides: &dyn Fn(&SkippedGroup) -> bool,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    notes(db, unit(db, file, settings), settings, convergent(db, file, settings), besides, &mut found);
    found
}

fn note(db: &dyn Db, groups: &[Group]) -> Diagnostic {
    let operations: Vec<Symbol> = groups.iter().flat_map(|group| &group.operations).copied().collect();
    let exits: Vec<Symbol> = groups.iter().flat_map(|group| &group.exits).copied().collect();
    let lines: usize = groups.iter().map(|group| lines(db, group.left_out)).sum();
    let branches = if groups.len() == 1 { "an inactive `#if` branch" } else { "inactive `#if` branches" };
    let (mut subjects, mut brief) = (Vec::new(), Vec::new());
    match &operations[..] {
        [] => {}
        [operation] => subjects.push(format!("convergent operation `{operation}`")),
        [first, ..] => subjects.push(format!("{} convergent operations such as `{first}`", operations.len())),
    }
    match &exits[..] {
        [] => {}
        [exit] => subjects.push(format!("early exit `{exit}` before convergent operations")),
        _ => subjects.push(format!("{} early exits before convergent operations", exits.len())),
    }
    for (count, noun) in [(operations.len(), "convergent operation"), (exits.len(), "early exit")] {
        if count > 0 {
            brief.push(counted(count, noun));
        }
    }
    let (lines, reasons) = (counted(lines, "line"), reasons(groups));
    let (subjects, brief) = (subjects.join(", and "), brief.join(" and "));
    let message = fitting([
        format!("{subjects} in {branches} ({lines}): {reasons}"),
        format!("{subjects} in {branches}: {reasons}"),
        format!("{brief} in {branches}: {reasons}"),
        format!("{brief} in {branches} ({lines})"),
    ]);
    let first = &groups[0];
    let mut finding =
        finding(db, &RULE.rule, &directive(db, first.left_out), message).with_label(label(first));
    for group in groups.iter().skip(1).take(PLACES) {
        finding = finding.with_related(place(db, &directive(db, group.left_out).at), label(group));
    }
    if let Some(missing) = first.missing.first() {
        let value = missing.values.first().copied().unwrap_or(1);
        finding = finding.with_help(format!(
            "define it with `-D {}={value}`, or in the list `define` of `tangle.toml`; or use `--all-branches` to \
             check inactive branches too",
            missing.name
        ));
        let same = groups.iter().flat_map(|group| &group.missing).filter(|other| other.name == missing.name);
        let values: BTreeSet<i64> = same.filter_map(|missing| missing.values.first().copied()).collect();
        if values.len() > 1 {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            finding = finding.with_help(format!(
                "other branches need other values of `{}`: {}",
                missing.name,
                join_list(&values, "and")
            ));
        }
    }
    finding
}

/// Returns the reasons why groups are inactive.
fn reasons(groups: &[Group]) -> String {
    let names = |is_default: bool| {
        let mut names: Vec<String> = Vec::new();
        let missing = groups.iter().flat_map(|group| &group.missing);
        for missing in missing.filter(|missing| missing.is_default == is_default) {
            let name = format!("`{}`", missing.name);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    };
    let (undefined, defaults) = (names(false), names(true));
    let mut reasons = Vec::new();
    if !undefined.is_empty() {
        let are = if undefined.len() == 1 { "is" } else { "are" };
        reasons.push(format!("{} {are} not defined", join_list(&undefined, "and")));
    }
    match defaults.len() {
        0 => {}
        1 => reasons.push(format!("{} is not set", defaults[0])),
        _ => reasons.push(format!("{} are not set", join_list(&defaults, "and"))),
    }
    reasons.join(", and ")
}

/// Returns the label at the directive of a group.
fn label(group: &Group) -> String {
    let names: Vec<String> = group.missing.iter().map(|missing| format!("`{}`", missing.name)).collect();
    let names = join_list(&names, "or");
    let because = match group.missing.iter().all(|missing| missing.is_default) {
        true => format!("because the build does not set {names}"),
        false => format!("because {names} is not defined"),
    };
    let all: Vec<Symbol> = group.operations.iter().chain(&group.exits).copied().collect();
    match (&all[..], group.exits.is_empty()) {
        ([one], _) => format!("`{one}` is inactive {because}"),
        (operations, true) => format!("{} operations are inactive {because}", operations.len()),
        (all, false) => format!("{} operations and exits are inactive {because}", all.len()),
    }
}

fn directive(db: &dyn Db, left_out: &SkippedGroup) -> Located {
    let file = db.source(left_out.file);
    let range = spans(db, file).get(left_out.directive);
    Located { at: TextRange { file, range }, macros: Vec::new() }
}

/// Returns the number of lines of a group.
fn lines(db: &dyn Db, left_out: &SkippedGroup) -> usize {
    let file = db.source(left_out.file);
    let spans = spans(db, file);
    let (first, last) = (spans.get(left_out.tokens.start), spans.get(left_out.tokens.end - 1));
    file.text(db)[first.start..last.end].lines().count()
}

/// Whether a build, and not a compiler, may define a missing name or choose its value.
pub fn is_missing_in_builds(missing: &UndefinedName) -> bool {
    let name = missing.name.as_str();
    !COMPILER_PREFIXES.iter().any(|beginning| name.starts_with(beginning))
        || missing.is_default && TARGET_MACROS.contains(&name)
}

/// Returns the names that a file calls, each once, sorted.
#[salsa::tracked]
fn called_names(db: &dyn Db, file: SourceFile) -> Box<[Symbol]> {
    let mut names: Vec<Symbol> = raw_calls_and_exits(db, file).calls.iter().map(|&(_, name)| name).collect();
    names.sort_unstable();
    names.dedup();
    names.into()
}

/// Returns the calls of convergent builtins in a file.
#[salsa::tracked]
fn builtins(db: &dyn Db, file: SourceFile, settings: Settings) -> Box<[WordToken]> {
    let table = settings.builtins(db);
    let mut known: FxHashMap<Symbol, bool> = FxHashMap::default();
    let mut is_convergent = |name| *known.entry(name).or_insert_with(|| table.convergent(name).is_some());
    let calls = raw_calls_and_exits(db, file).calls.iter().copied();
    calls.filter(|&(_, name)| is_convergent(name)).collect()
}

/// Returns the macros of a file whose replacement calls a convergent builtin, in active and inactive `#if` branches.
#[salsa::tracked]
fn macros_for_operations(db: &dyn Db, file: SourceFile, settings: Settings) -> Box<[Symbol]> {
    let builtins = settings.builtins(db);
    let lexed: Arc<Lexed> = tokens(db, file);
    let mut macros = Vec::new();
    for &hash in &lexed.directives {
        let line = &lexed.tokens[hash as usize + 1..];
        let end = line.iter().position(|token| token.flags.line_start()).unwrap_or(line.len());
        let [word, name, body @ ..] = &line[..end] else { continue };
        let calls = |token: &LexToken| {
            token.kind == TokenKind::Identifier && builtins.convergent(token.text).is_some()
        };
        if word.text.as_str() == "define" && body.iter().any(calls) {
            macros.push(name.text);
        }
    }
    macros.into()
}
