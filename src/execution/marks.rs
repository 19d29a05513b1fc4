//! The marks of flow graphs in pictures: divergent branches with their causes, labels, and findings.

use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

use tangle_analysis::flow::{Function, Op};
use tangle_analysis::uniformity::analysis::Analysis;
use tangle_analysis::uniformity::cause::Subject;
use tangle_analysis::uniformity::graph::is_branch;
use tangle_analysis::uniformity::unit::UnitFacts;
use tangle_diagnostic::{Diagnostic, Severity, SourceText};
use tangle_emit::picture::{DivergentBranch, Finding, Marks};
use tangle_grammar::ast::Span;
use tangle_hir::body::{Body, StmtId, StmtKind};
use tangle_rules::is_about_execution;
use tangle_rules::wording::uniformity::{smallest_divergent_scope, steps, verdict};
use tangle_syntax::db::Database;
use tangle_syntax::dialect::Vocabulary;
use tangle_syntax::items::find::spelled;
use tangle_syntax::source::{Settings, SourceFile};

/// The maximum length of the text of a source of divergence. A longer one is called by its name.
const MAX_SOURCE: usize = 40;

/// Finds the marks of the functions of a unit.
pub struct Marker<'db> {
    db: &'db Database,
    vocabulary: &'static Vocabulary,
    facts: UnitFacts<'db>,
    findings: Vec<Finding>,
}

impl<'db> Marker<'db> {
    /// Takes the findings of a file with the severities to show. Suppressed findings are not shown, and no notes about
    /// names and text.
    pub fn of(
        db: &'db Database,
        file: SourceFile,
        settings: Settings,
        findings: &[Diagnostic],
    ) -> Marker<'db> {
        let mut texts: FxHashMap<Arc<str>, Option<SourceText>> = FxHashMap::default();
        let is_shown = |it: &&Diagnostic| {
            it.suppression.is_none() && (it.severity > Severity::Note || is_about_execution(it.rule))
        };
        let located = findings.iter().filter(is_shown).filter_map(|it| {
            let read = || Some(SourceText::new(db.known(&it.place.file)?.text(db).to_string()));
            let text = texts.entry(it.place.file.clone()).or_insert_with(read).as_ref()?;
            let position = |byte: usize| {
                let position = text.position(byte);
                (position.line, position.column)
            };
            Some(Finding {
                severity: it.severity,
                rule: it.rule,
                headline: it.message.clone(),
                file: it.place.file.clone(),
                start: position(it.place.range.start),
                end: position(it.place.range.end),
            })
        });
        let findings = located.collect();
        let vocabulary = settings.dialect(db).vocabulary();
        Marker { db, vocabulary, facts: UnitFacts::of(db, file, settings), findings }
    }

    /// Returns the marks of a lowered function of the unit.
    pub fn marks(&self, function: &Function) -> Marks {
        let findings = self.findings.clone();
        let Some(at) = self.facts.functions().of_key(function.key) else {
            return Marks { findings, ..Marks::default() };
        };
        let definition = self.facts.functions().get(at);
        let tokens = &definition.item.scoped.item(self.db).tokens(self.db).0;
        let text = |span: Span| {
            spelled(tokens.tokens().get(span.start as usize..span.end as usize).unwrap_or_default())
        };
        let branches = self.facts.explain(at, |analysis| self.branches(analysis, &text));
        let labels = labels(definition.body(self.db));
        Marks { branches: branches.unwrap_or_default(), labels, findings }
    }

    fn branches(&self, analysis: &Analysis, text: &dyn Fn(Span) -> String) -> Vec<DivergentBranch> {
        let function = analysis.function;
        let written =
            function.values.iter().filter(|value| matches!(value.op, Op::Call(_) | Op::Load { .. }));
        let written: FxHashSet<Span> = written.map(|value| value.span).collect();
        let source = |(span, name): &(Span, String)| {
            let text = written.contains(span).then(|| text(*span));
            text.filter(|text| text.chars().count() <= MAX_SOURCE).unwrap_or_else(|| name.clone())
        };
        let branches = function.blocks.iter_enumerated().filter(|(id, _)| is_branch(function, *id));
        let branches = branches.filter_map(|(id, block)| {
            let divergence = analysis.state.branches[id].divergence;
            let scope = smallest_divergent_scope(divergence)?;
            let causes = steps(analysis, Subject::Branch(id), scope, text).into_iter();
            let causes: Vec<(Span, String)> = causes.map(|step| (step.span, step.what)).collect();
            let source = causes.last().map(|last| format!(": {}", source(last))).unwrap_or_default();
            let verdict = verdict(self.vocabulary, divergence) + &source;
            Some(DivergentBranch { span: block.end, divergence, verdict, causes })
        });
        branches.collect()
    }
}

/// Returns the labels of a body, each with the statement of the block that it names. `case 1: case 2:` name one block.
fn labels(body: &Body) -> Vec<(StmtId, Span)> {
    let is_case = |stmt: StmtId| matches!(body.stmts[stmt].kind, StmtKind::Case(_) | StmtKind::Default(_));
    let is_label = |stmt: StmtId| is_case(stmt) || matches!(body.stmts[stmt].kind, StmtKind::Label(_));
    let outer = |stmt: StmtId| body.stmts[stmt].parent.filter(|&outer| is_case(stmt) && is_case(outer));
    let label = |stmt: StmtId| {
        let named = std::iter::successors(Some(stmt), |&stmt| outer(stmt)).last()?;
        let start = body.stmts[stmt].span.start;
        Some((named, Span::new(start, start + 1)))
    };
    body.stmts.indices().filter(|&stmt| is_label(stmt)).filter_map(label).collect()
}

#[cfg(test)]
mod tests;
