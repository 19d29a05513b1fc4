//! Compares tangle's verdicts on convergence with a second implementation, written from the text of the
//! specification alone.
//!
//! `tangle_referees::random` derives tangles by the rules of *Thread Convergence*, and follows all paths up to a number
//! of inputs: an operation is implementation-defined if two of its tangles are unrelated. `revised` decides this for
//! the model `revised`. `by_hand` has kernels with known verdicts, and `claims` tests the second implementation itself.
//! The two disagree on about one program in 700: `adjudicated` has the kinds of these programs, with the correct
//! verdicts.
//!
//! ```c
//! if (w) goto L;
//! op1();           // defined
//! L: op2();        // implementation-defined: tangle must say so in the model `tangles`, and not in `revised`
//! ```
//!
//! The programs are random kernels. `TANGLE_PROGRAMS` gives their number,
//! `TANGLE_SEED` the first one.

mod adjudicated;
mod by_hand;
mod claims;
mod revised;

use std::collections::BTreeMap;
use std::fmt;

use rayon::prelude::*;
use tangle::{Build, Model, Source, StatementTangles};
use tangle_referees::random::source;
use tangle_simulate::Random;

use tangle_referees::random::derivation::Program;
use tangle_referees::random::source::Stmt;

/// The numbers of inputs on each explored path. A verdict "defined" is accepted if longer paths do not refute it.
const READS: [usize; 5] = [12, 16, 20, 26, 32];
const STEPS: usize = 1000;
/// At most one of this number of programs may have a disagreement.
const MOST_DISAGREE: u64 = 250;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|it| it.parse().ok()).unwrap_or(otherwise)
}

/// The result of comparing the two implementations on one program.
#[derive(Default)]
struct Compared {
    operations: usize,
    implementation_defined: usize,
    /// Reachable operations that no explored path reaches.
    unexplored: usize,
    disagreements: Vec<Disagreement>,
}

struct Disagreement {
    model: Model,
    operation: u32,
    what: &'static str,
    /// The derivations of two unrelated tangles; empty if there are none.
    why: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: operation {}: {}{}", self.model, self.operation, self.what, self.why)
    }
}

/// Returns tangle's facts about each line of a program, or `None` if it found no function.
fn facts(text: &str, model: Model) -> Option<BTreeMap<usize, StatementTangles>> {
    let source = Source::of_text("k.cl", text, &Build { model, ..Build::default() });
    Some(source.tangles("k")?.into_iter().map(|statement| (statement.line, statement)).collect())
}

/// Compares the verdicts on all operations of a body. Returns `None` if the body is not a valid program.
fn compare(body: &[Stmt], seed: u64) -> Option<Compared> {
    let program = Program::of(body)?;
    let text = source::text(body, seed as u32);
    let mut compared = Compared::default();
    for model in [Model::Tangles, Model::Revised] {
        let facts = facts(&text, model)?;
        let mut disagree = |operation, what, why| {
            compared.disagreements.push(Disagreement { model, operation, what, why });
        };
        let mut theirs = BTreeMap::new();
        for (op, place) in program.operations() {
            let Some(fact) = facts.get(&(program.statements[place].line as usize)) else {
                disagree(op, "tangle has no such statement", String::new());
                continue;
            };
            match (fact.reachable, program.reachable[place]) {
                (true, true) => _ = theirs.insert(op, fact.implementation_defined),
                (false, false) => {}
                (true, false) => disagree(op, "reachable only for tangle", String::new()),
                (false, true) => disagree(op, "unreachable only for tangle", String::new()),
            }
        }
        let mut ours = BTreeMap::new();
        match model {
            Model::Revised => {
                for (op, verdict) in revised::implementation_defined(&program) {
                    ours.insert(op, (verdict, String::new()));
                }
            }
            Model::Tangles => {
                for reads in READS {
                    let verdicts = program.explore(reads, STEPS);
                    for (&op, verdict) in &verdicts.ops {
                        let example = verdict.example.as_ref().map(|(one, other)| {
                            let [one, other] = [one, other].map(|it| verdicts.arena.describe(it.node));
                            format!("\n  {one}\n  {other}")
                        });
                        ours.insert(op, (example.is_some(), example.unwrap_or_default()));
                    }
                    let open = |(op, &verdict): (&u32, &bool)| match ours.get(op) {
                        Some((ours, _)) => verdict && !ours,
                        None => true,
                    };
                    if verdicts.complete || !theirs.iter().any(open) {
                        break;
                    }
                }
            }
        }
        for (op, verdict) in theirs {
            let Some((ours, why)) = ours.remove(&op) else {
                compared.unexplored += 1;
                continue;
            };
            compared.operations += 1;
            compared.implementation_defined += usize::from(ours);
            match (verdict, ours) {
                (true, false) => disagree(op, "implementation-defined only for tangle", why),
                (false, true) => disagree(op, "defined only for tangle", why),
                _ => {}
            }
        }
    }
    Some(compared)
}

/// Returns the smallest program with a disagreement of the same kind, as text.
fn least(mut body: Vec<Stmt>, seed: u64, found: &Disagreement) -> String {
    let contradiction = |body: &[Stmt]| {
        let mut all = compare(body, seed)?.disagreements.into_iter();
        all.find(|it| (it.model, it.what) == (found.model, found.what))
    };
    let mut last = found.to_string();
    loop {
        let smaller = source::smaller(&body).into_iter().find_map(|it| Some((contradiction(&it)?, it)));
        match smaller {
            Some((found, smaller)) => (body, last) = (smaller, found.to_string()),
            None => return format!("{last}\n{}", source::text(&body, seed as u32)),
        }
    }
}

#[test]
fn verdicts_of_both_implementations_agree() {
    let first = number("TANGLE_SEED", 0);
    let count = number("TANGLE_PROGRAMS", 1000);
    let results: Vec<(u64, Option<Compared>)> = (first..first + count)
        .into_par_iter()
        .map(|seed| (seed, compare(&source::body(&mut Random::new(seed)), seed)))
        .collect();
    let mut programs = 0;
    let mut all = Compared::default();
    let mut disagreements = 0;
    let mut failed = Vec::new();
    for (seed, compared) in results {
        let Some(compared) = compared else { continue };
        programs += 1;
        all.operations += compared.operations;
        all.implementation_defined += compared.implementation_defined;
        all.unexplored += compared.unexplored;
        disagreements += compared.disagreements.len();
        if let Some(found) = compared.disagreements.into_iter().next() {
            println!("seed {seed}: {}", found.to_string().lines().next().unwrap_or_default());
            failed.push((seed, found));
        }
    }
    let Compared { operations, implementation_defined, unexplored, .. } = all;
    println!(
        "{programs} programs, {operations} operations ({implementation_defined} implementation-defined, {unexplored} \
         more not explored), {disagreements} disagreements in {} programs",
        failed.len()
    );
    // The known kinds of disagreements are in `adjudicated`.
    if let Some((seed, found)) = failed.first()
        && failed.len() as u64 * MOST_DISAGREE > count.max(MOST_DISAGREE)
    {
        panic!("seed {seed}: {}", least(source::body(&mut Random::new(*seed)), *seed, found));
    }
    assert!(programs * 10 > count * 9, "too few bodies are valid programs");
    assert!(unexplored * 100 < operations.max(100), "too few operations are explored");
}
