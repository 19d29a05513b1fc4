//! Source changes that fix findings, and other changes that keep the meaning of the program.
//!
//! | file | change |
//! |---|---|
//! | `exits` | replaces an early `return` or `continue` by a condition on the following work |
//! | `trips` | gives a loop that counts from the id of each thread the same trip count in all threads |
//! | `lift` | moves an operation out of a branch |
//! | `jumps` | replaces forward `goto`s by `if`s |
//! | `breaks` | adds a missing `break` |
//! | `arguments` | makes an argument of a collective uniform |
//! | `variants` | replaces an operation by its variant for divergent control flow |
//! | `warp` | gives an operation of the warp a mask, and adds barriers of the warp |
//!
//! A change is built from facts about the source. The file of each change states the conditions that make it correct.
//! [`of_finding`] keeps the changes that fix the finding: the analysis of the changed text no longer reports it, and
//! reports no new finding.
//!
//! **Safe** change: it does not alter the results of executions where all threads reach the convergent operations. All
//! other changes alter the program, and their titles say how.
//!
//! ```
//! use std::sync::Arc;
//!
//! use tangle_analysis::lookup::FileContext;
//! use tangle_analysis::tangle::Model;
//! use tangle_fix::{Budget, of_finding};
//! use tangle_syntax::db::Database;
//! use tangle_syntax::source::NoHeaders;
//!
//! let mut db = Database::new(Arc::new(NoHeaders));
//! let settings = db.settings(&[], &[], &[], Vec::new());
//! let text = "kernel void k(int n, local int *p) { if (get_local_id(0) < n) { p[0] = 1; barrier(1); } }";
//! let file = db.set_text("k.cl", text);
//! let context = FileContext { db: &db, root: file, file, settings, model: Model::Tangles };
//!
//! let findings = tangle_rules::check(&db, file, settings, Model::Tangles);
//! let fixes = of_finding(&db, context, &findings[0], &mut Budget::OF_A_FILE.clone());
//! assert!(!fixes.is_empty());
//! ```

mod arguments;
mod breaks;
mod edits;
mod exits;
mod guard;
mod harm;
mod jumps;
mod lift;
mod trips;
mod variants;
mod warp;

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};
use tangle_grammar::ast::Span;
use tangle_grammar::lex::spelling;
use tangle_grammar::symbol::Symbol;
use tangle_ir::types::Integer;

pub use self::edits::{Edits, applied};
use tangle_analysis::lookup::{BodyLookup, FileContext, ItemLookup, TokenLookup};
use tangle_analysis::program::ConvergentCallee;
use tangle_analysis::tangle::ImplementationDefined;
use tangle_diagnostic::{Applicability, Diagnostic, Edit, Fix, Place};
use tangle_hir::body::{Body, StmtId, StmtKind};
use tangle_rules as lint;
use tangle_syntax::db::Database;
use tangle_syntax::source::Content;

/// The limits that remain for the findings of one file. Each tried change needs an analysis of the changed file.
///
/// The limits count work and not time, so every machine finds the same fixes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The number of changes that may be tried.
    tries: usize,
    /// The total number of facts about tangles in the tried changes: see [`facts`].
    facts: usize,
}

impl Budget {
    /// The budget of one file.
    pub const OF_A_FILE: Budget = Budget { tries: 100, facts: 1_000_000 };

    /// Takes up to `wanted` tries with `facts` facts each, and returns the number that the budget allows.
    fn take(&mut self, wanted: usize, facts: usize) -> usize {
        let taken = wanted.min(self.tries).min(self.facts / facts.max(1));
        self.tries -= taken;
        self.facts -= taken * facts;
        taken
    }
}

/// The amount of data in the analysis of a file: its statements, their candidate tangles, and the arrivals of all
/// doubts.
///
/// In a function with n jumps across n labels there are n² or more.
fn facts(reading: FileContext) -> usize {
    let of_body = |found: BodyLookup| {
        let paths: usize = found.tangles.doubts.iter().map(ImplementationDefined::count).sum();
        found.body.stmts.len() + found.tangles.candidates.len() + paths
    };
    reading.items().map(|item| item.bodies().map(of_body).sum::<usize>()).sum()
}

/// The maximum number of places of one finding that are searched for jumps.
const MOST_PLACES: usize = 8;

/// The maximum number of edits of a fix, so that readers can see its effect.
const MOST_EDITS: usize = 200;

/// A change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// The effect of the change, and whether it changes the meaning of the program.
    pub title: String,
    pub edits: Edits,
    pub applicability: Applicability,
    /// Whether it fixes a mistake wherever it can be made. Other changes are a matter of style.
    pub fixes_mistake: bool,
    /// Whether it lets more threads reach some operations. The change is not safe if not all threads reach them.
    pub adds_threads: bool,
}

/// A statement in a file, with the data for changes of the text around it.
struct Site<'a> {
    at: TokenLookup<'a>,
    body: BodyLookup<'a>,
    text: Arc<str>,
}

impl<'a> Site<'a> {
    fn find(reading: FileContext<'a>, offset: usize) -> Option<Site<'a>> {
        let at = TokenLookup::find(reading, offset)?;
        let body = at.body()?;
        Some(Site { at, body, text: reading.file.text(reading.db) })
    }

    fn item(&self) -> &ItemLookup<'a> {
        &self.at.item
    }

    fn reading(&self) -> FileContext<'a> {
        self.at.item.reading
    }

    /// The source text of a span. `None` if its first or last token comes from a macro.
    fn written(&self, span: Span) -> Option<&str> {
        let (first, last) = (self.item().plain_start(span)?, self.item().plain_end(span)?);
        self.text.get(first.start..last.end)
    }

    /// The tokens of a span.
    fn words(&self, span: Span) -> Vec<String> {
        let tokens = self.item().placed.item.tokens(self.reading().db).0.tokens();
        let tokens = tokens.get(span.start as usize..span.end as usize).unwrap_or_default();
        tokens.iter().map(|token| spelling(token.kind, token.text).to_owned()).collect()
    }

    /// The operation that the call at this site executes, and the range of its name. `None` if the site is no call of an
    /// operation, or if the name is spelled differently.
    fn operation(&self) -> Option<(Symbol, Range<usize>)> {
        let operations = self.item().operations(self.body);
        let mut calls = self.body.body.calls.iter_enumerated();
        let (call, _) = calls.find(|(_, call)| call.span.start == self.at.token)?;
        let Some(ConvergentCallee::Operation(name, _)) = operations.call(call) else { return None };
        let range = self.item().plain(Span::new(self.at.token, self.at.token + 1))?;
        (self.text.get(range.clone())? == name.as_str()).then_some((name, range))
    }

    /// An expression for the local id in a dimension, as a value of an integer type.
    fn local_id(&self, dimension: usize, ty: Integer) -> Option<String> {
        let id = self.item().vocabulary().local_ids.get(dimension)?;
        match (ty.signed(), ty.bits()) {
            (false, 32 | 64) => Some(id.clone()),
            (true, 32) => Some(format!("(int){id}")),
            (true, 64) => Some(format!("(long){id}")),
            _ => None,
        }
    }

    /// The innermost statement whose condition contains a byte of the file.
    fn branch_at(&self, offset: usize) -> Option<StmtId> {
        let body: &Body = self.body.body;
        let holds = |stmt: &StmtId| {
            let condition = self.item().condition(body, *stmt);
            condition.and_then(|it| self.item().bytes(it)).is_some_and(|bytes| bytes.contains(&offset))
        };
        body.stmts.indices().rev().find(holds)
    }
}

/// The changes that can be made at an offset of a file, with or without a finding there.
pub fn at(reading: FileContext, offset: usize) -> Vec<Rewrite> {
    let Some(site) = Site::find(reading, offset) else { return Vec::new() };
    [breaks::at(&site), jumps::at(&site), lift::at(&site)].into_iter().flatten().collect()
}

/// The changes that may fix a finding.
fn candidates(reading: FileContext, finding: &Diagnostic) -> Vec<Rewrite> {
    let Some(site) = Site::find(reading, finding.place.range.start) else { return Vec::new() };
    let is_here = |place: &&Place| *place.file == **reading.file.path(reading.db);
    match finding.rule {
        "divergent-barrier"
        | "divergent-grid-sync"
        | "barrier-after-return"
        | "divergent-subgroup-operation"
        | "full-mask-in-divergent-flow"
        | "group-sync-outside-group" => {
            let Some(branch) = finding.branch.as_ref().filter(is_here) else { return Vec::new() };
            let Some(branch) = site.branch_at(branch.range.start) else { return Vec::new() };
            let (body, own) = (site.body.body, site.at.stmt(site.body));
            let is_around = own.is_some_and(|own| body.contains(branch, own));
            let moved = match &body.stmts[branch].kind {
                StmtKind::If { .. } if is_around => {
                    lift::at(&site).into_iter().chain(lift::divergent(&site, branch)).collect()
                }
                StmtKind::If { .. } => exits::guarded(&site, branch).into_iter().collect(),
                StmtKind::For { .. } if is_around => trips::rounded(&site, branch),
                _ => Vec::new(),
            };
            variants::defined(&site).into_iter().chain(moved).collect()
        }
        "mismatched-barriers" => {
            let places = std::iter::once(&finding.place).chain(finding.related.iter().map(|it| &it.place));
            let sites = places.filter(is_here).filter_map(|place| Site::find(reading, place.range.start));
            sites.filter_map(|site| lift::at(&site)).collect()
        }
        "legacy-warp-intrinsic" => warp::masked(&site).into_iter().collect(),
        "implicit-warp-synchronous" => {
            // The first label is the earlier access, and the others are further accesses like the later one.
            let further = finding.related.iter().skip(1).map(|it| &it.place).filter(is_here);
            let further = further.filter_map(|place| Site::find(reading, place.range.start));
            let mut sites = vec![site];
            let one = warp::synchronized(&sites);
            sites.extend(further.take(MOST_PLACES));
            let all = warp::synchronized(&sites);
            [one, all].into_iter().flatten().collect()
        }
        "divergent-collective-argument" => arguments::uniform(&site).into_iter().collect(),
        "fallthrough-into-convergent" => breaks::at(&site).into_iter().collect(),
        "implementation-defined-convergence" | "jump-into-loop" => {
            let places = finding.related.iter().map(|it| &it.place).chain([&finding.place]);
            let sites = places.filter(is_here).filter_map(|place| Site::find(reading, place.range.start));
            let sites: Vec<Site> = sites.take(MOST_PLACES).collect();
            let jumps = sites.iter().filter_map(jumps::at);
            jumps.chain(sites.iter().filter_map(breaks::at)).collect()
        }
        _ => Vec::new(),
    }
}

/// The end of the title of a safe change.
const SAFE_SUFFIX: &str = "(keeps the meaning of the program)";

/// The rules about operations that not all threads reach.
const UNREACHED: [&str; 7] = [
    "divergent-barrier",
    "divergent-grid-sync",
    "barrier-after-return",
    "divergent-subgroup-operation",
    "full-mask-in-divergent-flow",
    "group-sync-outside-group",
    "mismatched-barriers",
];

/// The findings in the main file of a unit.
fn found_in(db: &Database, reading: FileContext) -> Vec<Diagnostic> {
    let mut found = lint::check(db, reading.root, reading.settings, reading.model);
    found.retain(|finding| *finding.place.file == **reading.root.path(db));
    found
}

/// The number of findings by rule and function.
type Counts<'a> = FxHashMap<(&'static str, Option<&'a str>), usize>;

fn counted(found: &[Diagnostic]) -> Counts<'_> {
    let mut counts = Counts::default();
    for finding in found {
        *counts.entry((finding.rule, finding.function.as_deref())).or_default() += 1;
    }
    counts
}

/// Converts an offset in the text after some edits to an offset in the text before them.
fn before(edits: &[Edit], offset: usize) -> usize {
    let (mut old, mut new) = (0, 0);
    for Edit { place, text } in edits {
        let unchanged = place.range.start - old;
        if offset < new + unchanged {
            break;
        }
        if offset < new + unchanged + text.len() {
            return place.range.start;
        }
        (old, new) = (place.range.end, new + unchanged + text.len());
    }
    old + (offset - new)
}

/// The fixes of a finding, best first. The finding must be in the main file of its unit.
///
/// `budget` limits the changes that are tried.
pub fn of_finding(
    db: &Database,
    reading: FileContext,
    finding: &Diagnostic,
    budget: &mut Budget,
) -> Vec<Fix> {
    if finding.suppression.is_some() || *finding.place.file != **reading.root.path(db) {
        return Vec::new();
    }
    let mut candidates: Vec<Rewrite> = Vec::new();
    for candidate in self::candidates(reading, finding) {
        if candidate.edits.len() <= MOST_EDITS && candidates.iter().all(|it| it.edits != candidate.edits) {
            candidates.push(candidate);
        }
    }
    candidates.truncate(budget.take(candidates.len(), facts(reading)));
    if candidates.is_empty() {
        return Vec::new();
    }
    let known = found_in(db, reading);
    let (before, text) = (counted(&known), reading.file.text(db));
    let threads = reading.settings.dialect(db).vocabulary().threads();
    let kernels: Vec<&str> = reading
        .items()
        .flat_map(|item| item.bodies().map(|found| found.body).collect::<Vec<_>>())
        .filter(|body| body.kernel)
        .map(|body| body.name.text.as_str())
        .collect();
    let own = finding.function.as_deref();
    let mends = |rewrite: Rewrite| {
        let Rewrite { title, edits, applicability, adds_threads: admits, .. } = rewrite;
        let edits = edits.in_file(reading.file.path(db));
        let changed = applied(&text, &edits)?;
        let root = open_changed(db, reading, changed);
        let left = found_in(db, FileContext { root, file: root, ..reading });
        let after = counted(&left);
        let count = |counts: &Counts| counts.get(&(finding.rule, own)).copied().unwrap_or(0);
        let is_cause = |other: &Diagnostic| match (&finding.branch, &other.branch) {
            (Some(branch), Some(other)) => branch.range.contains(&self::before(&edits, other.range.start)),
            _ => false,
        };
        let is_gone = count(&after) < count(&before)
            && !left
                .iter()
                .any(|it| it.rule == finding.rule && it.function == finding.function && is_cause(it));
        let has_new = after.iter().any(|(key, &count)| count > before.get(key).copied().unwrap_or(0));
        if !is_gone || has_new {
            return None;
        }
        // Other functions can call a helper function in that place.
        let is_after =
            |function: Option<&str>| function == own || !function.is_some_and(|it| kernels.contains(&it));
        let is_joined = after.keys().any(|&(rule, function)| UNREACHED.contains(&rule) && is_after(function));
        match admits && applicability == Applicability::Safe && is_joined {
            true => {
                let what = title.trim_end_matches(SAFE_SUFFIX).trim_end();
                let title = format!(
                    "{what} (changes the program: more {threads} come to operations that not all reach)"
                );
                Some(Fix { title, applicability: Applicability::Unsafe, edits })
            }
            false => Some(Fix { title, applicability, edits }),
        }
    };
    let mut fixes: Vec<Fix> = Vec::new();
    for fix in candidates.into_iter().filter_map(mends) {
        if fixes.iter().all(|known| known.edits != fix.edits) {
            fixes.push(fix);
        }
    }
    fixes.sort_by_key(|fix| fix.applicability);
    fixes
}

/// Opens a changed text as a file in the folder of the original, so that its headers are found.
fn open_changed(db: &Database, reading: FileContext, text: String) -> tangle_syntax::source::SourceFile {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    let name = format!("{} [changed {:016x}]", reading.root.path(db), hasher.finish());
    db.open(&name, Content::Text(text.into()))
}

/// Shortens a text for a title.
fn shortened(text: String) -> String {
    const MOST: usize = 100;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}
