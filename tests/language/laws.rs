//! Laws that hold for every kernel, tested on random kernels.
//!
//! `PROPTEST_CASES=100000 cargo test --release --test language laws::` tests more kernels than the default.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use proptest::prelude::*;
use tangle_analysis::tangle::{Model, Rule, Tangles, tangles_of};
use tangle_hir::bodies;
use tangle_hir::body::{Body, StmtId, StmtKind};
use tangle_rules::check;
use tangle_syntax::db::Database;
use tangle_syntax::items::{ChunkKey, SharedChunk, chunks, items, unit};
use tangle_syntax::source::NoHeaders;

/// A piece of a random kernel.
#[derive(Clone, Debug)]
enum Piece {
    Operation,
    If(Vec<Piece>, Vec<Piece>),
    While(Vec<Piece>),
    Do(Vec<Piece>),
    For(Vec<Piece>),
    Block(Vec<Piece>),
    /// Each case with its pieces, and whether it ends with `break`.
    Switch(Vec<(Vec<Piece>, bool)>),
    Break,
    Continue,
    Return,
    Label,
    /// A jump to one of the labels. Its number is the value modulo the number of labels.
    Goto(usize),
}

/// The kinds of pieces that random kernels may contain.
#[derive(Clone, Copy)]
struct Parts {
    gotos: bool,
    loops: bool,
    fall_through: bool,
}

fn pieces(parts: Parts) -> impl Strategy<Value = Vec<Piece>> {
    let leaf = prop_oneof![
        4 => Just(Piece::Operation),
        1 => Just(Piece::Break),
        1 => Just(Piece::Continue),
        1 => Just(Piece::Return),
        if parts.gotos { 4 } else { 0 } => (0usize..8).prop_map(Piece::Goto),
        if parts.gotos { 4 } else { 0 } => Just(Piece::Label),
    ];
    let piece = leaf.prop_recursive(4, 24, 4, move |inner| {
        let list = prop::collection::vec(inner, 0..4);
        let loops = if parts.loops { 1 } else { 0 };
        let ends = if parts.fall_through { any::<bool>().boxed() } else { Just(true).boxed() };
        prop_oneof![
            3 => (list.clone(), list.clone()).prop_map(|(then, otherwise)| Piece::If(then, otherwise)),
            1 => list.clone().prop_map(Piece::Block),
            2 => prop::collection::vec((list.clone(), ends), 1..4).prop_map(Piece::Switch),
            loops => list.clone().prop_map(Piece::While),
            loops => list.clone().prop_map(Piece::Do),
            loops => list.prop_map(Piece::For),
        ]
    });
    prop::collection::vec(piece, 1..6)
}

/// Writes a kernel. A jump without a valid target becomes an empty statement.
struct Printer {
    text: String,
    labels: usize,
    written: usize,
    forward_only: bool,
}

impl Printer {
    fn kernel(pieces: &[Piece], forward_only: bool) -> String {
        let mut printer =
            Printer { text: String::new(), labels: count_labels(pieces), written: 0, forward_only };
        printer.text += "kernel void k(global int *p) {\n";
        printer.list(pieces, false, false);
        printer.text += "}\n";
        printer.text
    }

    fn list(&mut self, pieces: &[Piece], in_loop: bool, breakable: bool) {
        pieces.iter().for_each(|piece| self.piece(piece, in_loop, breakable));
    }

    fn block(&mut self, head: &str, pieces: &[Piece], in_loop: bool, breakable: bool) {
        writeln!(self.text, "{head} {{").unwrap();
        self.list(pieces, in_loop, breakable);
        self.text += "}\n";
    }

    fn piece(&mut self, piece: &Piece, in_loop: bool, breakable: bool) {
        match piece {
            Piece::Operation => self.text += "barrier(1);\n",
            Piece::If(then, otherwise) => {
                self.block("if (p[0])", then, in_loop, breakable);
                if !otherwise.is_empty() {
                    self.block("else", otherwise, in_loop, breakable);
                }
            }
            Piece::While(body) => self.block("while (p[1])", body, true, true),
            Piece::Do(body) => {
                self.block("do", body, true, true);
                self.text += "while (p[2]);\n";
            }
            Piece::For(body) => self.block("for (int i = 0; i < p[3]; i++)", body, true, true),
            Piece::Block(body) => self.block("", body, in_loop, breakable),
            Piece::Switch(cases) => {
                self.text += "switch (p[4]) {\n";
                for (number, (body, ends)) in cases.iter().enumerate() {
                    writeln!(self.text, "case {number}:;").unwrap();
                    self.list(body, in_loop, true);
                    if *ends {
                        self.text += "break;\n";
                    }
                }
                self.text += "}\n";
            }
            Piece::Break if breakable => self.text += "break;\n",
            Piece::Continue if in_loop => self.text += "continue;\n",
            Piece::Break | Piece::Continue => self.text += ";\n",
            Piece::Return => self.text += "if (p[5]) return;\n",
            Piece::Label => {
                writeln!(self.text, "l{}:;", self.written).unwrap();
                self.written += 1;
            }
            Piece::Goto(number) => {
                let first = if self.forward_only { self.written } else { 0 };
                match self.labels - first {
                    0 => self.text += ";\n",
                    count => writeln!(self.text, "if (p[6]) goto l{};", first + number % count).unwrap(),
                }
            }
        }
    }
}

fn count_labels(pieces: &[Piece]) -> usize {
    let count = |piece: &Piece| match piece {
        Piece::Label => 1,
        Piece::If(a, b) => count_labels(a) + count_labels(b),
        Piece::While(a) | Piece::Do(a) | Piece::For(a) | Piece::Block(a) => count_labels(a),
        Piece::Switch(cases) => cases.iter().map(|(a, _)| count_labels(a)).sum(),
        _ => 0,
    };
    pieces.iter().map(count).sum()
}

/// Analyses a kernel, and passes its only body and the tangles of the body to `look`.
fn with_tangles(text: &str, model: Model, look: impl Fn(&Body, &Tangles)) {
    let mut db = Database::new(Arc::new(NoHeaders));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let file = db.set_text("k.cl", text);
    let findings = check(&db, file, settings, model);
    let unread = ["syntax-error", "type-error", "unknown-name", "unknown-type"];
    assert!(findings.iter().all(|finding| !unread.contains(&finding.rule)), "{findings:?}");
    let unit = unit(&db, file, settings).clone();
    let chunk = chunks(&unit).into_iter().find(|chunk| chunk.file == file.id(&db)).unwrap();
    let (item, _) = items(&db, ChunkKey::new(&db, SharedChunk(chunk)))[0];
    look(&bodies(&db, item).0[0], &tangles_of(&db, item, model).0[0]);
}

const ALL: Parts = Parts { gotos: true, loops: true, fall_through: true };

proptest! {
    #[test]
    fn structured_kernel_has_only_defined_convergence(
        pieces in pieces(Parts { gotos: false, loops: true, fall_through: false }),
    ) {
        let text = Printer::kernel(&pieces, false);
        for model in [Model::Tangles, Model::Revised] {
            with_tangles(&text, model, |_, tangles| {
                assert!(tangles.stmts.iter().all(|facts| facts.doubt.is_none()), "{model:?}\n{text}");
            });
        }
    }

    #[test]
    fn every_doubt_has_a_cause_and_a_reconvergence_point(pieces in pieces(ALL)) {
        let text = Printer::kernel(&pieces, false);
        for model in [Model::Tangles, Model::Revised] {
            with_tangles(&text, model, |body, tangles| {
                for (stmt, facts) in tangles.stmts.iter_enumerated() {
                    let Some(doubt) = facts.doubt.map(|doubt| &tangles.doubts[doubt]) else { continue };
                    assert!(facts.reachable, "{text}");
                    assert!(!tangle_analysis::tangle::print::causes(body, tangles, doubt).is_empty(), "{text}");
                    // In the model `revised`, threads reconverge after the last statement of the doubt. This
                    // statement need not contain the other statements of the doubt.
                    if model == Model::Tangles {
                        assert!(body.contains(doubt.reconverges_after, stmt), "{text}");
                    }
                }
            });
        }
    }

    #[test]
    fn every_candidate_tangle_derives_from_the_function_body(pieces in pieces(ALL)) {
        let text = Printer::kernel(&pieces, false);
        with_tangles(&text, Model::Tangles, |_, tangles| {
            for id in tangles.candidates.indices() {
                let mut at = id;
                let mut steps = 0;
                while let Some(parent) = tangles.candidates[at].parent {
                    at = parent;
                    steps += 1;
                    assert!(steps <= tangles.candidates.len(), "T{} derives from itself in\n{text}", id.index());
                }
                assert_eq!(tangles.candidates[at].rule, Rule::FunctionBody, "T{} in\n{text}", id.index());
            }
        });
    }

    #[test]
    fn statement_is_reachable_iff_it_has_a_candidate_tangle(pieces in pieces(ALL)) {
        let text = Printer::kernel(&pieces, false);
        with_tangles(&text, Model::Tangles, |body, tangles| {
            for (stmt, facts) in tangles.stmts.iter_enumerated() {
                assert_eq!(facts.reachable, !facts.candidates.is_empty(), "{:?}\n{text}", body.stmts[stmt]);
            }
        });
    }

    #[test]
    fn candidate_with_unrelated_instances_causes_a_doubt(pieces in pieces(ALL)) {
        let text = Printer::kernel(&pieces, false);
        with_tangles(&text, Model::Tangles, |_, tangles| {
            for facts in &tangles.stmts {
                let family = facts.candidates.iter().any(|&id| tangles.candidates[id].family);
                assert!(!family || facts.doubt.is_some(), "{text}");
            }
        });
    }

    /// Without loops and backward jumps, the rule *distinct until* can be evaluated thread by thread.
    #[test]
    fn loop_free_kernels_match_thread_by_thread_evaluation(
        pieces in pieces(Parts { gotos: true, loops: false, fall_through: true }),
    ) {
        let text = Printer::kernel(&pieces, true);
        with_tangles(&text, Model::Tangles, |body, tangles| {
            let mut histories = Histories::new(body);
            histories.run(Body::ROOT, BTreeSet::from([Vec::new()]));
            for (stmt, facts) in tangles.stmts.iter_enumerated() {
                // Threads enter the block of a `switch` at its labels. By convention, it has the facts of the
                // `switch`.
                let parent = body.stmts[stmt].parent;
                if parent.is_some_and(|parent| matches!(body.stmts[parent].kind, StmtKind::Switch { .. })) {
                    continue;
                }
                let met = histories.met[&stmt].len();
                let (reached, doubt) = (facts.reachable, facts.doubt.is_some());
                assert_eq!((reached, doubt), (met > 0, met > 1), "{:?} {:?}\n{text}", body.stmts[stmt], histories.met[&stmt]);
            }
        });
    }
}

/// The jumps that a thread took and whose extents it has not left: source, target, extent.
type History = Vec<(StmtId, StmtId, StmtId)>;

/// A second, literal implementation of *distinct until*, for bodies without loops and backward jumps. Every thread has
/// the list of its jumps. When it leaves a statement, the jumps whose extent is that statement or inside it are
/// removed. Threads with the same list are one tangle.
struct Histories<'a> {
    body: &'a Body,
    met: BTreeMap<StmtId, BTreeSet<History>>,
    arriving: BTreeMap<StmtId, BTreeSet<History>>,
    breaking: BTreeMap<StmtId, BTreeSet<History>>,
}

impl<'a> Histories<'a> {
    fn new(body: &'a Body) -> Histories<'a> {
        Histories { body, met: BTreeMap::new(), arriving: BTreeMap::new(), breaking: BTreeMap::new() }
    }

    fn jump(&mut self, source: StmtId, target: StmtId, extent: StmtId, threads: &BTreeSet<History>) {
        for history in threads {
            let mut history = history.clone();
            history.push((source, target, extent));
            self.arriving.entry(target).or_default().insert(history);
        }
    }

    /// Returns the histories of threads after they leave a statement.
    fn out_of(&self, stmt: StmtId, threads: BTreeSet<History>) -> BTreeSet<History> {
        let forget = |mut history: History| {
            history.retain(|&(_, _, extent)| !self.body.contains(stmt, extent));
            history
        };
        threads.into_iter().map(forget).collect()
    }

    fn run(&mut self, stmt: StmtId, mut threads: BTreeSet<History>) -> BTreeSet<History> {
        threads.extend(self.arriving.remove(&stmt).unwrap_or_default());
        self.met.insert(stmt, threads.clone());
        let body = self.body;
        let after = match &body.stmts[stmt].kind {
            StmtKind::Compound(children) => {
                children.iter().fold(threads, |threads, &child| self.run(child, threads))
            }
            &StmtKind::Label(inner) | &StmtKind::Case(inner) | &StmtKind::Default(inner) => {
                self.run(inner, threads)
            }
            &StmtKind::If { then, otherwise, .. } => {
                let mut after = self.run(then, threads.clone());
                after.extend(match otherwise {
                    Some(otherwise) => self.run(otherwise, threads),
                    None => threads,
                });
                after
            }
            StmtKind::Switch { body: inner, labels } => {
                for &label in labels {
                    self.jump(stmt, label, stmt, &threads);
                }
                let mut after = self.run(*inner, BTreeSet::new());
                after.extend(self.breaking.remove(&stmt).unwrap_or_default());
                after.extend(threads);
                after
            }
            &StmtKind::Goto(Some(target)) => {
                let mut extent = target;
                while !body.contains(extent, stmt) {
                    extent = body.stmts[extent].parent.unwrap();
                }
                self.jump(stmt, target, extent, &threads);
                BTreeSet::new()
            }
            &StmtKind::Break(Some(left)) => {
                self.breaking.entry(left).or_default().extend(threads);
                BTreeSet::new()
            }
            StmtKind::Return => BTreeSet::new(),
            _ => threads,
        };
        self.out_of(stmt, after)
    }
}
