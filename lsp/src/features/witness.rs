//! The executions that confirm findings (`docs/witnesses.md`).
//!
//! A search takes up to a second, so it runs only on request: `tangle/witness`, or the command [`COMMAND`] of a code lens or
//! code action. A change of the text cancels it. Each result is stored with the content of the files. Hovers show
//! the results for the current content.

use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};
use tangle_analysis::flow::module::Irreducible;
use tangle_diagnostic::{Diagnostic, Evidence, ThreadsAt, Witness};
use tangle_execution::lowered::FunctionLocations;
use tangle_execution::witness::{self, is_searched, shell};
use tangle_execution::{Executable, FunctionSelector, NotExecutable};
use tangle_syntax::db::Db;
use tangle_syntax::items::{TextRange, unit};
use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{Location, Position, Range, TextDocumentIdentifier};

use super::panels::failed;
use super::position::TokenAt;
use super::threads::{Launch, format_size, local_memory, not_lowered};
use crate::diagnostics;
use crate::snapshot::View;
use crate::witnesses::SearchResult;

/// Whether an execution of the document can confirm a finding. The thread table of the document has no further macro
/// definitions.
pub(super) fn is_executable(finding: &Diagnostic) -> bool {
    is_searched(finding) && finding.definitions.is_empty()
}

/// The command of this server that searches an execution and shows it as text.
pub const COMMAND: &str = "tangle.server.witness";

/// The maximum number of findings of a function that are searched.
const MAX_FINDINGS: usize = 8;

/// A finding, or a function with findings.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WitnessRequest {
    pub text_document: TextDocumentIdentifier,
    pub position: Position,
    /// The rule of the finding. `None`: any.
    #[serde(default)]
    pub rule: Option<String>,
}

/// The result of a search.
#[derive(Serialize)]
pub struct FoundWitness {
    /// The result as lines of text.
    pub text: String,
    /// `None`: no execution confirms a finding.
    pub witness: Option<ShownWitness>,
}

/// An execution that confirms a finding, for a thread table.
#[derive(Serialize)]
pub struct ShownWitness {
    rule: &'static str,
    /// The range of the finding in the document.
    range: Range,
    function: String,
    /// The definition of the executed function.
    definition: Option<Location>,
    launch: Launch,
    /// The second execution, if the finding is that both are allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    second: Option<Launch>,
    threads: Vec<ShownThreads>,
}

/// Threads of a work-group at one location.
#[derive(Serialize)]
struct ShownThreads {
    group: usize,
    threads: Vec<usize>,
    /// `executes`, `waits` or `absent`.
    part: &'static str,
    activity: String,
}

/// Searches an execution that confirms a finding at a position, or else a finding of the function there.
pub fn witness(view: &View, position: Position, rule: Option<&str>) -> Result<FoundWitness> {
    let findings = meant(view, position, rule);
    let content = content(view);
    let mut text = String::new();
    for finding in findings.iter().take(MAX_FINDINGS) {
        let Some(evidence) = evidence(view, content, finding) else { continue };
        let line = view.text().position(finding.place.range.start).line;
        let mut lines = evidence.lines(&finding.place.file);
        let first = lines.remove(0);
        let _ = writeln!(text, "`{}` on line {line}: {first}", finding.rule);
        let Evidence::Confirmed(witness) = &*evidence else { continue };
        if view.document.saved.is_none() || view.is_changed() {
            lines.push("save the file before you run the command".to_owned());
        }
        text += &lines.join("\n");
        return Ok(FoundWitness { text, witness: Some(shown(view, finding, witness)) });
    }
    match (text.is_empty(), findings.first()) {
        (false, _) => Ok(FoundWitness { text: text.trim_end().to_owned(), witness: None }),
        (true, None) => Err(failed("no finding at this position that an execution can confirm".to_owned())),
        (true, Some(_)) => Err(not_executed(view, position)),
    }
}

/// Returns the text for a hover about the findings at a position whose search has ended.
pub fn known(view: &View, position: Position) -> Option<String> {
    if view.snapshot.witnesses.is_empty() {
        return None;
    }
    let (offset, file) = (view.offset(position), view.file.path(view.db));
    let known = view.snapshot.witnesses.of(content(view)).into_iter();
    let here = known.filter(|it| it.file == *file && it.range.contains(&offset));
    let texts = here.map(|SearchResult { rule, evidence, .. }| {
        let lines = evidence.lines(file);
        match lines.split_first() {
            Some((first, [])) => format!("`{rule}`: {first}."),
            Some((first, rest)) => format!("`{rule}`: {first}\n```text\n{}\n```", rest.join("\n")),
            None => String::new(),
        }
    });
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// Returns the findings at a position that an execution can confirm. Without one, the findings of the function there.
fn meant(view: &View, position: Position, rule: Option<&str>) -> Vec<Diagnostic> {
    let mut findings = diagnostics::findings(view);
    findings.retain(|it| is_executable(it) && rule.is_none_or(|rule| rule == it.rule));
    let offset = view.offset(position);
    let is_here = |it: &Diagnostic| it.place.range.contains(&offset);
    if findings.iter().any(is_here) {
        findings.retain(is_here);
        return findings;
    }
    let at = TokenAt::find(*view, position);
    let function = at.and_then(|at| at.item.bytes(at.item.extent(at.function()?)));
    findings.retain(|it| function.as_ref().is_some_and(|all| all.contains(&it.place.range.start)));
    findings
}

/// Returns a hash of all files of the unit.
fn content(view: &View) -> u64 {
    let mut hasher = FxHasher::default();
    for &id in &*unit(view.db, view.root, view.analysis.settings).0.files {
        let file = view.db.source(id);
        file.path(view.db).hash(&mut hasher);
        file.text(view.db).hash(&mut hasher);
    }
    hasher.finish()
}

/// Returns the result of the search for a finding. `None` if nothing can be executed.
fn evidence(view: &View, content: u64, finding: &Diagnostic) -> Option<Arc<Evidence>> {
    let known = view.snapshot.witnesses.of(content).into_iter().find(|it| it.is_of(finding));
    if let Some(known) = known {
        return Some(known.evidence);
    }
    let (db, analysis) = (view.db, view.analysis);
    let file = shell(view.root.path(db));
    let command = format!("tangle simulate {file}{}", analysis.written);
    // A change of the text waits for all work on its previous state, so cancelled work must end.
    let watch = || salsa::Database::unwind_if_revision_cancelled(db);
    let mut searched = [finding.clone()];
    let (settings, model) = (analysis.settings, analysis.model);
    witness::search(db, view.root, settings, model, &command, Some(&watch), &mut searched);
    let [searched] = searched;
    let evidence = searched.evidence.filter(|it| !matches!(it, Evidence::NotTried(_)))?;
    let evidence = Arc::new(evidence);
    let result = SearchResult {
        rule: finding.rule,
        file: finding.place.file.clone(),
        range: finding.place.range.clone(),
        evidence: evidence.clone(),
    };
    view.snapshot.witnesses.add(content, result);
    Some(evidence)
}

/// Returns the reason why no execution was tried.
fn not_executed(view: &View, position: Position) -> tower_lsp::jsonrpc::Error {
    let (db, settings, model) = (view.db, view.analysis.settings, view.analysis.model);
    let places = FunctionLocations::of(db, view.root, settings);
    let at = TokenAt::find(*view, position);
    let key = at.and_then(|at| at.item.key(at.function()?));
    let executable = key.map(|key| {
        let which = FunctionSelector::Exactly(key);
        Executable::of(db, view.root, settings, model, Irreducible::Auto, which, &places)
    });
    match executable {
        Some(Err(NotExecutable::Unsupported(why))) => failed(why),
        Some(Err(NotExecutable::NotLowered(findings))) => not_lowered(view, &findings),
        _ => failed("no kernel of this file executes the operation of the finding".to_owned()),
    }
}

fn shown(view: &View, finding: &Diagnostic, witness: &Witness) -> ShownWitness {
    let launch = |strategy: &str, policy: &str| Launch {
        local_size: format_size(witness.local_size),
        groups: witness.groups.to_string(),
        sub_group_size: witness.sub_group_size.to_string(),
        strategy: strategy.to_owned(),
        policy: policy.to_owned(),
        seed: witness.seed.to_string(),
        local_memory: local_memory(witness.zero_local_memory).to_owned(),
        arguments: witness.arguments.iter().cloned().collect(),
    };
    let threads = |it: &ThreadsAt| ShownThreads {
        group: it.group,
        threads: it.threads.clone(),
        part: it.part.name(),
        activity: it.activity.clone(),
    };
    let definition = witness.definition.as_ref().and_then(|place| {
        let file = view.db.known(&place.file)?;
        view.snapshot.location(&TextRange { file, range: place.range.clone() })
    });
    ShownWitness {
        rule: finding.rule,
        range: view.range(&finding.place.range),
        function: witness.function.clone(),
        definition,
        launch: launch(witness.strategy, witness.policy),
        second: witness.alternative.as_ref().map(|it| launch(it.strategy, it.policy)),
        threads: witness.threads.iter().map(threads).collect(),
    }
}
