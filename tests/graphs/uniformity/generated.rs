//! Thousands of random programs, whose executions must not contradict the analysis.
//!
//! `TANGLE_PROGRAMS` sets their number, `TANGLE_SEED` the first seed. A failure prints its seed, a minimal program, and
//! the paths of the two threads.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use tangle_analysis::flow::module::{Irreducible, Options};
use tangle_analysis::flow::tokens::TokenMethod;
use tangle_analysis::flow::{Function, Module};
use tangle_simulate::Random;

use super::claims::Claims;
use super::cuda_mistaken::{CudaMistake, cuda_claims};
use super::cuda_source::cuda_source;
use super::graphs::{self, Form};
use super::mistaken::{self, MemoryMistake, Mistake, RecordMistake};
use super::naive::{Rule, analyse};
use super::program::{Effort, Language, contradict, driven, module};
use super::shrink::{self, least};
use super::source::{Source, id_source, memory_source, open_source, record_source, source};
use super::waiting::{WaitingMistake, waiting_claims};
use super::waiting_source::waiting_source;

/// The analysis assumes that pointer arguments point to distinct memory.
const EFFORT: Effort =
    Effort { runs: 3, fuel: 600, aliases: false, whole_groups: false, language: Language::OpenCl };

pub fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|it| it.parse().ok()).unwrap_or(otherwise)
}

fn options(seed: u64) -> Options {
    Options {
        tokens: [TokenMethod::Placed, TokenMethod::Off, TokenMethod::Infer][(seed % 3) as usize],
        irreducible: if seed % 5 == 4 { Irreducible::Dispatch } else { Irreducible::Anchor },
    }
}

fn form(seed: u64) -> Form {
    Form { tokens: seed.is_multiple_of(2), dispatch: seed % 7 == 6 }
}

/// A kind of random program: how to make one from a seed, lower it, analyse it and shrink it.
struct Kind<T> {
    effort: Effort,
    make: fn(u64) -> T,
    module: fn(&T, u64) -> Option<Module>,
    of_tangle: fn(&T, u64) -> Option<Claimed>,
    smaller: fn(&T) -> Vec<T>,
    text: fn(&T) -> String,
}

/// Returns a kind of source programs.
const fn of_sources(make: fn(u64) -> Source) -> Kind<Source> {
    Kind {
        effort: EFFORT,
        make,
        module: |source, seed| module(Language::OpenCl, &source.text(), &options(seed)),
        of_tangle: |source, _| driven(Language::OpenCl, &source.text()),
        smaller: shrink::smaller,
        text: Source::text,
    }
}

const SOURCES: Kind<Source> = of_sources(|seed| source(&mut Random::new(seed)));

/// Sources with unknown names, types and calls: executions take any values that `docs/semantics.md` §9 allows.
const OPEN_SOURCES: Kind<Source> = of_sources(|seed| open_source(&mut Random::new(seed)));

/// Sources that compute with ids. Some of them have launch attributes.
const ID_SOURCES: Kind<Source> = of_sources(|seed| id_source(&mut Random::new(seed)));

/// Sources that write records, arrays, vectors, variables with pointers to them, and out-parameters.
const MEMORY_SOURCES: Kind<Source> = of_sources(|seed| memory_source(&mut Random::new(seed)));

/// Sources with records behind pointers, pointers in records, and branches on conditions that occur several times.
const RECORD_SOURCES: Kind<Source> = of_sources(|seed| record_source(&mut Random::new(seed)));

/// Sources in CUDA: indices in three dimensions, references, objects with methods, lambdas, groups, votes and shuffles.
const CUDA_SOURCES: Kind<Source> = Kind {
    effort: Effort { language: Language::Cuda, ..EFFORT },
    module: |source, seed| module(Language::Cuda, &source.text(), &options(seed)),
    of_tangle: |source, _| driven(Language::Cuda, &source.text()),
    ..of_sources(|seed| cuda_source(&mut Random::new(seed)))
};

/// Sources whose helpers contain barriers and access local memory. The loaded values depend on the waiting threads: if
/// only part of a work-group waited, all its actions are undefined.
const WAITING_SOURCES: Kind<Source> = Kind {
    effort: Effort { fuel: 3000, whole_groups: true, ..EFFORT },
    ..of_sources(|seed| waiting_source(&mut Random::new(seed)))
};

const GRAPHS: Kind<Function> = Kind {
    effort: EFFORT,
    make: |seed| graphs::graph(&mut Random::new(seed), 12, seed % 3 > 0),
    module: |graph, seed| Some(graphs::module(graph, form(seed))),
    of_tangle: |graph, seed| {
        let module = graphs::module(graph, form(seed));
        let claims = graphs::claims(&module);
        Some((module, claims))
    },
    smaller: graphs::smaller,
    // The printed module already shows the graph.
    text: |_| String::new(),
};

/// A module, and the claims about its functions.
type Claimed = (Module, Vec<Claims>);

/// An analysis: returns the executed module and the claims about it, or `None` if the program cannot be lowered.
type Judge<'a, T> = &'a (dyn Fn(&T, u64) -> Option<Claimed> + Sync);

struct Failure<T> {
    seed: u64,
    program: T,
}

impl<T: Send + Sync> Kind<T> {
    /// Tests the programs of these seeds. Also returns the number of programs that cannot be lowered.
    fn search(&self, judge: Judge<T>, effort: Effort, seeds: Range<u64>) -> (Option<Failure<T>>, u64) {
        let lost = AtomicU64::new(0);
        let make = self.make;
        let failure = seeds.into_par_iter().find_map_any(|seed| {
            let program = make(seed);
            let Some((module, claims)) = judge(&program, seed) else {
                lost.fetch_add(1, Ordering::Relaxed);
                return None;
            };
            contradict(&module, &claims, effort, seed).map(|_| Failure { seed, program })
        });
        (failure, lost.into_inner())
    }

    /// Shrinks a failing program. Returns the minimal program, and a description of the contradiction.
    fn shrunk(&self, failure: Failure<T>, judge: Judge<T>, effort: Effort) -> (T, String) {
        let Failure { seed, program } = failure;
        let again = |program: &T| {
            let (module, claims) = judge(program, seed)?;
            let found = contradict(&module, &claims, effort, seed)?;
            Some((module, found))
        };
        let program = least(program, self.smaller, |program| again(program).is_some());
        let (module, found) = again(&program).expect("shrinking keeps the contradiction");
        let why = found.contradiction.explain(&module, &found.grid);
        let text = format!("seed {seed}\n{}\n{why}", (self.text)(&program));
        (program, text)
    }

    /// Returns the claims of the naive analysis, without the rule `dropped`.
    fn by_the_letter(&self, program: &T, seed: u64, dropped: Option<Rule>) -> Option<Claimed> {
        let module = (self.module)(program, seed)?;
        let claims = analyse(&module, dropped);
        Some((module, claims))
    }

    fn check(&self, judge: Judge<T>, effort: Effort, seeds: Range<u64>) {
        let count = seeds.end - seeds.start;
        let (failure, lost) = self.search(judge, effort, seeds);
        if let Some(failure) = failure {
            panic!("{}", self.shrunk(failure, judge, effort).1);
        }
        assert!(lost * 10 <= count, "{lost} of {count} programs do not lower");
    }

    /// Checks that executions contradict the naive analysis without a rule. Returns the minimal program.
    fn needs(&self, rule: Rule, seeds: Range<u64>) -> T {
        let without = |program: &T, seed| self.by_the_letter(program, seed, Some(rule));
        let (failure, _) = self.search(&without, EFFORT, seeds);
        let failure = failure.unwrap_or_else(|| panic!("nothing contradicts the analysis without {rule:?}"));
        self.shrunk(failure, &without, EFFORT).0
    }
}

fn seeds(share: u64) -> Range<u64> {
    let first = number("TANGLE_SEED", 0);
    first..first + number("TANGLE_PROGRAMS", tangle_referees::of_all(4000)) / share
}

#[test]
fn no_source_contradicts_the_analysis() {
    SOURCES.check(&SOURCES.of_tangle, EFFORT, seeds(2));
}

/// The test holds for any behaviour of the unknown parts.
#[test]
fn no_source_with_unknown_parts_contradicts_the_analysis() {
    OPEN_SOURCES.check(&OPEN_SOURCES.of_tangle, EFFORT, seeds(1));
}

#[test]
fn no_source_that_computes_with_ids_contradicts_the_analysis() {
    ID_SOURCES.check(&ID_SOURCES.of_tangle, EFFORT, seeds(1));
}

#[test]
fn no_source_that_writes_private_memory_contradicts_the_analysis() {
    MEMORY_SOURCES.check(&MEMORY_SOURCES.of_tangle, EFFORT, seeds(1));
}

#[test]
fn no_source_with_records_behind_pointers_contradicts_the_analysis() {
    RECORD_SOURCES.check(&RECORD_SOURCES.of_tangle, EFFORT, seeds(1));
}

#[test]
fn no_source_in_cuda_contradicts_the_analysis() {
    CUDA_SOURCES.check(&CUDA_SOURCES.of_tangle, CUDA_SOURCES.effort, seeds(2));
}

#[test]
fn no_source_with_helper_barriers_contradicts_the_analysis() {
    WAITING_SOURCES.check(&WAITING_SOURCES.of_tangle, WAITING_SOURCES.effort, seeds(1));
}

/// Checks that no execution contradicts the analysis without a mistake, and that a program of these seeds contradicts each
/// mistake.
fn contradicts_each<M: Copy + Debug + Sync>(
    kind: &Kind<Source>,
    mistakes: &[M],
    claims: impl Fn(&Module, Option<M>) -> Vec<Claims> + Sync,
    seeds: Range<u64>,
) {
    let of = |source: &Source, seed: u64, mistake: Option<M>| {
        let module = (kind.module)(source, seed)?;
        let claims = claims(&module, mistake);
        Some((module, claims))
    };
    kind.check(&|source, seed| of(source, seed, None), kind.effort, 0..300);
    for &mistake in mistakes {
        let judge = |source: &Source, seed| of(source, seed, Some(mistake));
        let (failure, _) = kind.search(&judge, kind.effort, seeds.clone());
        assert!(failure.is_some(), "nothing contradicts {mistake:?}");
    }
}

#[test]
fn each_seeded_error_about_ids_is_contradicted() {
    contradicts_each(&ID_SOURCES, &Mistake::ALL, mistaken::claims, 0..20_000);
}

#[test]
fn each_seeded_error_about_memory_is_contradicted() {
    contradicts_each(&MEMORY_SOURCES, &MemoryMistake::ALL, mistaken::memory_claims, 0..20_000);
}

#[test]
fn each_seeded_error_about_records_and_conditions_is_contradicted() {
    contradicts_each(&RECORD_SOURCES, &RecordMistake::ALL, mistaken::record_claims, 0..2_000);
}

#[test]
fn each_seeded_error_about_cuda_is_contradicted() {
    contradicts_each(&CUDA_SOURCES, &CudaMistake::ALL, cuda_claims, 0..2_000);
}

#[test]
fn each_seeded_error_about_helper_barriers_is_contradicted() {
    contradicts_each(&WAITING_SOURCES, &WaitingMistake::ALL, waiting_claims, 0..20_000);
}

#[test]
fn no_graph_contradicts_the_analysis() {
    GRAPHS.check(&GRAPHS.of_tangle, EFFORT, seeds(2));
}

#[test]
fn no_program_contradicts_the_naive_analysis() {
    let effort = Effort { aliases: true, ..EFFORT };
    SOURCES.check(&|source, seed| SOURCES.by_the_letter(source, seed, None), effort, 0..300);
    GRAPHS.check(&|graph, seed| GRAPHS.by_the_letter(graph, seed, None), effort, 0..600);
}

#[test]
fn small_source_contradicts_analysis_without_a_rule() {
    let rules = [
        Rule::Sources,
        Rule::Memory,
        Rule::Operands,
        Rule::Joins,
        Rule::TemporalDivergence,
        Rule::Parameters,
        Rule::Control,
    ];
    for rule in rules {
        let least = SOURCES.needs(rule, 0..4000);
        let lines: usize = least.functions.iter().map(|it| it.body.len()).sum();
        assert!(lines <= 4, "{rule:?}: {}", least.text());
    }
}

#[test]
fn small_graph_contradicts_analysis_without_a_rule() {
    for rule in [Rule::Joins, Rule::TemporalDivergence, Rule::Control] {
        let least = GRAPHS.needs(rule, 0..20_000);
        let reached = graphs::module(&least, form(0)).functions[0].blocks.len();
        assert!(reached <= 7, "{rule:?}: {reached} blocks");
    }
}
