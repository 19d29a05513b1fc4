//! Changes of the source that mend findings, and others that keep its meaning.
//!
//! | file | what it changes |
//! |---|---|
//! | `exits` | an early `return` or `continue` becomes a condition of the work behind it |
//! | `trips` | a loop that counts from the id of each thread runs equally often in all of them |
//! | `lift` | an operation leaves a branch |
//! | `jumps` | forward `goto`s become `if`s |
//! | `breaks` | a missing `break` |
//! | `arguments` | an argument of a collective becomes uniform |
//! | `variants` | an operation becomes its variant for divergent control flow |
//!
//! A change is made of facts about the source, with conditions under which it is correct; its file states them. [`of_finding`] keeps those
//! that mend the finding: the changed text, analysed in the same way, has the finding no longer, and no other instead.
//!
//! **Safe** change: executions in which no thread misses a convergent operation have the same results as before. All others change what the
//! program computes, and their titles say how.

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

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};
use tangle_grammar::ast::Span;
use tangle_grammar::lex::spelling;
use tangle_ir::types::Integer;

pub use self::edits::{Edits, applied};
use tangle_analysis::lookup::{At, BodyAt, ItemAt, Reading};
use tangle_analysis::tangle::Doubt;
use tangle_diagnostic::{Applicability, Diagnostic, Edit, Fix, Place};
use tangle_hir::body::{Body, StmtId, StmtKind};
use tangle_rules as lint;
use tangle_syntax::db::Database;
use tangle_syntax::source::Content;

/// What may still be spent on the findings of one file. Each try of a change analyses the changed file.
///
/// Both limits count what is there, not time: the same fixes are found on every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The changes that may be tried.
    tries: usize,
    /// The facts about tangles that these may have, all together: see [`facts`].
    facts: usize,
}

impl Budget {
    /// That of one file.
    pub const OF_A_FILE: Budget = Budget { tries: 100, facts: 1_000_000 };

    /// Takes as many tries as there are, up to `wanted`, each with so many facts.
    fn take(&mut self, wanted: usize, facts: usize) -> usize {
        let taken = wanted.min(self.tries).min(self.facts / facts.max(1));
        self.tries -= taken;
        self.facts -= taken * facts;
        taken
    }
}

/// How much an analysis of a file computes: its statements, their candidate tangles, and the ways to come where there is a doubt.
///
/// In a function of n jumps across n labels these are n² and more.
fn facts(reading: Reading) -> usize {
    let of_body = |found: BodyAt| {
        let ways: usize = found.tangles.doubts.iter().map(Doubt::count).sum();
        found.body.stmts.len() + found.tangles.candidates.len() + ways
    };
    reading.items().map(|item| item.bodies().map(of_body).sum::<usize>()).sum()
}

/// The places of a finding that are looked at for jumps.
const MOST_PLACES: usize = 8;

/// The edits of a fix: a reader is to see at a glance what it does.
const MOST_EDITS: usize = 200;

/// A change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// What it does, and whether it changes the meaning of the program.
    pub title: String,
    pub edits: Edits,
    pub applicability: Applicability,
    /// It mends a mistake wherever it can be made. Others are a matter of style.
    pub mends: bool,
    /// Threads come to operations that they did not come to before. Where not all reach these, the change is not safe.
    pub admits: bool,
}

/// A statement in a file, with what is needed to change the text around it.
struct Site<'a> {
    at: At<'a>,
    body: BodyAt<'a>,
    text: Arc<str>,
}

impl<'a> Site<'a> {
    fn find(reading: Reading<'a>, offset: usize) -> Option<Site<'a>> {
        let at = At::find(reading, offset)?;
        let body = at.body()?;
        Some(Site { at, body, text: reading.file.text(reading.db) })
    }

    fn item(&self) -> &ItemAt<'a> {
        &self.at.item
    }

    fn reading(&self) -> Reading<'a> {
        self.at.item.reading
    }

    /// What stands in the source at a span. None: its ends come from macros.
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

    /// The local id of a dimension as a value of a type.
    fn local_id(&self, dimension: usize, ty: Integer) -> Option<String> {
        let id = self.item().vocabulary().local_ids.get(dimension)?;
        match (ty.signed(), ty.bits()) {
            (false, 32 | 64) => Some(id.clone()),
            (true, 32) => Some(format!("(int){id}")),
            (true, 64) => Some(format!("(long){id}")),
            _ => None,
        }
    }

    /// The innermost statement around that of the site, or before it, whose condition holds a byte of the file.
    fn branch_at(&self, offset: usize) -> Option<StmtId> {
        let body: &Body = self.body.body;
        let holds = |stmt: &StmtId| {
            let condition = self.item().condition(body, *stmt);
            condition.and_then(|it| self.item().bytes(it)).is_some_and(|bytes| bytes.contains(&offset))
        };
        body.stmts.indices().rev().find(holds)
    }
}

/// The changes that can be made at an offset of a file, whether something is found there or not.
pub fn at(reading: Reading, offset: usize) -> Vec<Rewrite> {
    let Some(site) = Site::find(reading, offset) else { return Vec::new() };
    [breaks::at(&site), jumps::at(&site), lift::at(&site)].into_iter().flatten().collect()
}

/// The changes that may mend a finding.
fn candidates(reading: Reading, finding: &Diagnostic) -> Vec<Rewrite> {
    let Some(site) = Site::find(reading, finding.place.range.start) else { return Vec::new() };
    let is_here = |place: &&Place| *place.file == **reading.file.path(reading.db);
    match finding.rule {
        "divergent-barrier" | "barrier-after-return" | "divergent-subgroup-operation" => {
            let Some(cause) = finding.cause.as_ref().filter(is_here) else { return Vec::new() };
            let Some(branch) = site.branch_at(cause.range.start) else { return Vec::new() };
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

/// What the title of a safe change ends with.
const KEEPS: &str = "(keeps the meaning of the program)";

/// Rules about operations that not all threads reach.
const UNREACHED: [&str; 4] =
    ["divergent-barrier", "barrier-after-return", "divergent-subgroup-operation", "mismatched-barriers"];

/// The findings in the main file of a unit.
fn found_in(db: &Database, reading: Reading) -> Vec<Diagnostic> {
    let mut found = lint::check(db, reading.root, reading.settings, reading.model);
    found.retain(|finding| *finding.place.file == **reading.root.path(db));
    found
}

/// Findings by rule and function.
type Counts<'a> = FxHashMap<(&'static str, Option<&'a str>), usize>;

fn counted(found: &[Diagnostic]) -> Counts<'_> {
    let mut counts = Counts::default();
    for finding in found {
        *counts.entry((finding.rule, finding.function.as_deref())).or_default() += 1;
    }
    counts
}

/// Where a text before edits has what it has at an offset behind them.
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

/// The fixes of a finding, the first of them the one to be made. The finding must be in the main file of its unit.
///
/// `budget`: what may still be tried. None of the changes that go beyond it is.
pub fn of_finding(db: &Database, reading: Reading, finding: &Diagnostic, budget: &mut Budget) -> Vec<Fix> {
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
        let Rewrite { title, edits, applicability, admits, .. } = rewrite;
        let edits = edits.in_file(reading.file.path(db));
        let changed = applied(&text, &edits)?;
        let root = opened(db, reading, changed);
        let left = found_in(db, Reading { root, file: root, ..reading });
        let after = counted(&left);
        let count = |counts: &Counts| counts.get(&(finding.rule, own)).copied().unwrap_or(0);
        let is_cause = |other: &Diagnostic| match (&finding.cause, &other.cause) {
            (Some(cause), Some(other)) => cause.range.contains(&self::before(&edits, other.range.start)),
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
        // A helper may be called from there.
        let is_behind =
            |function: Option<&str>| function == own || !function.is_some_and(|it| kernels.contains(&it));
        let is_joined =
            after.keys().any(|&(rule, function)| UNREACHED.contains(&rule) && is_behind(function));
        match admits && applicability == Applicability::Safe && is_joined {
            true => {
                let what = title.trim_end_matches(KEEPS).trim_end();
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

/// A changed text as a file beside the original, for its headers.
fn opened(db: &Database, reading: Reading, text: String) -> tangle_syntax::source::SourceFile {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    let name = format!("{} [changed {:016x}]", reading.root.path(db), hasher.finish());
    db.open(&name, Content::Text(text.into()))
}

/// A text that fits a title.
fn shortened(text: String) -> String {
    const MOST: usize = 100;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}
