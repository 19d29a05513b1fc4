//! The executor's policies differ exactly at operations with implementation-defined convergence (`docs/simulate.md`).
//!
//! Small random kernels read their conditions from memory, so that two work-items can take every pair of paths. Inputs
//! are 0 or 1, and 0 after [`READS`] reads. Each pair is executed with the strategy `tangles` and the policies `early`
//! and `must`. An operation *differs* if the two policies give it different groups of work-items for some pair.
//!
//! - A defined operation never differs.
//! - An implementation-defined operation differs for some pair, unless one of these holds:
//!   - A **defined operation between** its tangles keeps them from being there at the same time. Then it differs after
//!     all other operations are removed from the kernel.
//!   - Its tangles are in different **rounds** (iterations) of a goto cycle that threads enter past its label, or past
//!     a loop that contains the label. The text lets an implementation merge them; every policy counts iterations.
//!   - The tangles **never meet** with these inputs: the verdict does not know that a `switch` reads only 0 or 1.
//!
//! ```c
//! if (w[n++]) { L: op1(); } // the second tangle has passed op2, where it was converged with the first
//! op2();
//! if (w[n++]) goto L;
//! ```
//!
//! `TANGLE_PROGRAMS` sets the number of kernels, `TANGLE_SEED` the first seed.

mod samples;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use tangle::{Build, Source};
use tangle_analysis::flow::module::{Options, lower};
use tangle_analysis::flow::{Function, Module, Op, ValueId};
use tangle_hir::typed::Constant;
use tangle_referees::random::derivation;
use tangle_referees::random::source;
use tangle_simulate::{Argument, Launch, Number, Policy, Program, Random, Strategy};
use tangle_syntax::db::Database;
use tangle_syntax::dialect::opencl;
use tangle_syntax::source::NoHeaders;

use tangle_referees::random::source::{Input, InputText, Stmt};

/// The number of inputs of each work-item that may be 1.
const READS: usize = 12;
/// The number of inputs of each work-item in memory.
const INPUTS: usize = 64;
/// The maximum number of compared pairs of paths of one kernel.
const MOST_PAIRS: usize = 20_000;
const STEPS: u32 = 1200;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|it| it.parse().ok()).unwrap_or(otherwise)
}

/// Returns the text of a kernel that reads its conditions from memory.
fn text(body: &[Stmt]) -> String {
    let head = format!("kernel void k(global const int *w) {{\n  int n = get_local_id(0) * {INPUTS};\n");
    let reading = InputText { input: &|_| "w[n++]".to_owned(), before_switch: "" };
    source::text_with(body, &head, &reading)
}

fn lowered(text: &str) -> Option<Module> {
    let mut db = Database::new(Arc::new(NoHeaders));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let file = db.set_text("k.cl", text);
    let lowered = lower(&db, file, settings, &Options::default());
    (lowered.errors.is_empty() && lowered.module.functions.len() == 1).then_some(lowered.module)
}

/// Returns for each reachable operation of a kernel whether it is defined.
fn verdicts(text: &str) -> BTreeMap<u32, bool> {
    let lines: Vec<&str> = text.lines().collect();
    let source = Source::of_text("k.cl", text, &Build::default());
    let statements = source.tangles("k").expect("the text defines `k`");
    let reached = statements.into_iter().filter(|statement| statement.reachable);
    let numbered = |line: usize| {
        let op = lines[line - 1].trim().strip_prefix("sub_group_reduce_add(")?;
        op.strip_suffix(");")?.parse().ok()
    };
    reached.filter_map(|it| Some((numbered(it.line)?, !it.implementation_defined))).collect()
}

fn operation(function: &Function, call: ValueId) -> u32 {
    let Op::Call(data) = &function.values[call].op else { unreachable!("only calls are operations") };
    let Op::Constant(Constant::Integer(number)) = function.values[data.arguments[0].0].op else {
        unreachable!("operations have a constant argument")
    };
    number as u32
}

/// A lowered kernel. A path of a work-item is the sequence of its inputs; only the first [`READS`] may be 1.
struct Executed<'a> {
    program: Program<'a>,
    function: &'a Function,
}

type Groups = BTreeMap<u32, Vec<Vec<usize>>>;

impl Executed<'_> {
    /// Returns for each operation the groups of work-items that took part in it together.
    fn run(&self, inputs: [u32; 2], policy: Policy) -> Groups {
        let bits =
            |inputs: u32| (0..INPUTS).map(move |at| Number::Integer((inputs >> at.min(31) & 1).into()));
        let launch = Launch {
            local_size: [2, 1, 1],
            sub_group_size: 2,
            lenient: true,
            steps: STEPS,
            strategy: Strategy::Tangles,
            policy,
            arguments: vec![Argument::Array(inputs.into_iter().flat_map(bits).collect())],
            ..Launch::default()
        };
        let run = self.program.run(0, &launch, &mut ()).expect("the kernel can be executed");
        let mut groups = Groups::new();
        for done in run.communications {
            groups.entry(operation(self.function, done.value)).or_default().push(done.threads);
        }
        groups.values_mut().for_each(|groups| groups.sort());
        groups
    }
}

/// Returns the inputs of every path of one work-item, each once. Inputs after the last read are 0.
fn paths(body: &[Stmt]) -> Vec<u32> {
    let program = derivation::Program::of(body).expect("the body is a valid program");
    let mut paths = BTreeSet::new();
    let mut todo = vec![(0u32, 0usize)];
    while let Some((inputs, known)) = todo.pop() {
        let mut read = 0;
        let mut arena = derivation::Arena::default();
        let mut next = |_: Input| {
            read += 1;
            Some(if read <= READS { inputs >> (read - 1) & 1 } else { 0 })
        };
        program.run(&mut next, 400, &mut arena);
        paths.insert(inputs);
        // Each input that was read after the fixed ones may also be 1.
        todo.extend((known..read.min(READS)).map(|at| (inputs | 1 << at, at + 1)));
    }
    paths.into_iter().collect()
}

/// Returns the operations that differ. The search stops when it has found all of `wanted`.
fn differing(body: &[Stmt], wanted: &BTreeSet<u32>) -> Option<BTreeSet<u32>> {
    let text = text(body);
    let module = lowered(&text)?;
    let program = Program::new(&module, opencl().builtins()).ok()?;
    let executed = Executed { program, function: &module.functions[0] };
    let paths = paths(body);
    let mut differing = BTreeSet::new();
    let mut pairs = 0;
    // Compare neighbouring paths first: they diverge late.
    for distance in 1..paths.len() {
        for at in 0..paths.len() - distance {
            pairs += 1;
            if wanted.is_subset(&differing) || pairs > MOST_PAIRS {
                return Some(differing);
            }
            let inputs = [paths[at], paths[at + distance]];
            let (early, must) = (executed.run(inputs, Policy::Early), executed.run(inputs, Policy::Must));
            let ops: BTreeSet<u32> = early.keys().chain(must.keys()).copied().collect();
            differing.extend(ops.into_iter().filter(|op| early.get(op) != must.get(op)));
        }
    }
    Some(differing)
}

/// Returns the body with all operations removed except one.
fn with_only(body: &[Stmt], op: u32) -> Vec<Stmt> {
    body.iter()
        .map(|stmt| match stmt {
            Stmt::Op(number) if *number != op => Stmt::Empty,
            Stmt::If(chance, then, otherwise) => {
                Stmt::If(*chance, with_only(then, op), with_only(otherwise, op))
            }
            Stmt::While(chance, body) => Stmt::While(*chance, with_only(body, op)),
            Stmt::For(chance, body) => Stmt::For(*chance, with_only(body, op)),
            Stmt::Do(body, chance) => Stmt::Do(with_only(body, op), *chance),
            Stmt::Switch(ways, body) => Stmt::Switch(*ways, with_only(body, op)),
            Stmt::Block(body) => Stmt::Block(with_only(body, op)),
            Stmt::Label(number, inner) => Stmt::Label(*number, one(inner, op)),
            Stmt::Case(number, inner) => Stmt::Case(*number, one(inner, op)),
            Stmt::Default(inner) => Stmt::Default(one(inner, op)),
            other => other.clone(),
        })
        .collect()
}

fn one(stmt: &Stmt, op: u32) -> Box<Stmt> {
    Box::new(with_only(std::slice::from_ref(stmt), op).swap_remove(0))
}

/// The numbers of operations of a program in each class of the module's documentation.
#[derive(Default)]
struct Counted {
    defined: usize,
    differ: usize,
    ordered: usize,
    rounds: usize,
    not_met: usize,
    wrong: Vec<String>,
}

/// Returns whether two of these paths reach an operation with unrelated tangles, according to the derivation.
fn is_met(program: &derivation::Program, paths: &[u32], op: u32) -> bool {
    let mut arena = derivation::Arena::default();
    let mut instances: Vec<derivation::Instance> = Vec::new();
    for &inputs in paths {
        let mut read = 0;
        let mut next = |_: Input| {
            read += 1;
            Some(if read <= READS { inputs >> (read - 1) & 1 } else { 0 })
        };
        for instance in program.run(&mut next, 400, &mut arena).into_iter().filter(|it| it.op == op) {
            if !instances.contains(&instance) {
                if instances.iter().any(|other| !arena.related(&instance, other)) {
                    return true;
                }
                instances.push(instance);
            }
        }
    }
    false
}

/// Returns whether an operation is in a goto cycle whose `goto` is a second entry, or in the statement with its label.
fn in_rounds(program: &derivation::Program, op: u32) -> bool {
    let (_, place) = program.operations().find(|&(it, _)| it == op).expect("the operation exists");
    program.cycles.iter().any(|cycle| {
        let part = cycle.levels[cycle.levels.len().saturating_sub(2)];
        !cycle.repeats && (program.contains(part, place) || (cycle.label..=cycle.goto).contains(&place))
    })
}

fn check(body: &[Stmt]) -> Option<Counted> {
    let text = text(body);
    let program = derivation::Program::of(body)?;
    let verdicts = verdicts(&text);
    let free: BTreeSet<u32> = verdicts.iter().filter(|(_, defined)| !**defined).map(|(&op, _)| op).collect();
    let differing_here = differing(body, &free)?;
    let mut counted = Counted::default();
    for (&op, &defined) in &verdicts {
        match (defined, differing_here.contains(&op)) {
            (true, false) => counted.defined += 1,
            (false, true) => counted.differ += 1,
            (true, true) => counted.wrong.push(format!("{op} is defined, but differs:\n{text}")),
            (false, false) => {
                let alone = differing(&with_only(body, op), &BTreeSet::from([op]));
                match alone.is_some_and(|alone| alone.contains(&op)) {
                    true => counted.ordered += 1,
                    false if in_rounds(&program, op) => counted.rounds += 1,
                    false if !is_met(&program, &paths(body), op) => counted.not_met += 1,
                    false => counted.wrong.push(format!("{op} is not defined, but never differs:\n{text}")),
                }
            }
        }
    }
    Some(counted)
}

#[test]
fn policies_differ_where_convergence_is_implementation_defined() {
    let first = number("TANGLE_SEED", 0);
    let count = number("TANGLE_PROGRAMS", tangle_referees::of_all(60));
    let results: Vec<(u64, Option<Counted>)> = (first..first + count)
        .into_par_iter()
        .map(|seed| (seed, check(&source::small_body(&mut Random::new(seed)))))
        .collect();
    let mut all = Counted::default();
    let mut programs = 0;
    for (seed, counted) in results {
        let Some(counted) = counted else { continue };
        programs += 1;
        all.defined += counted.defined;
        all.differ += counted.differ;
        all.ordered += counted.ordered;
        all.rounds += counted.rounds;
        all.not_met += counted.not_met;
        all.wrong.extend(counted.wrong.into_iter().map(|what| format!("seed {seed}: {what}")));
    }
    let Counted { defined, differ, ordered, rounds, not_met, wrong } = all;
    println!(
        "{programs} programs: {defined} defined operations never differ, {differ} implementation-defined ones do, {ordered} more without the operations \
         between, {rounds} are in rounds, {not_met} never meet, {} are wrong",
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(programs * 10 > count * 9, "too few programs can be lowered");
}
