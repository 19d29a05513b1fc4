//! No thread arrives late: each instance of a convergent operation executes once in a group, with all threads that
//! reach it.
//!
//! The executor lets threads continue at an operation when it finds that no other thread can still join. If this were
//! wrong, a thread would reach an instance that has already executed: two communications of one group would have the
//! same key. Threads must also not wait for each other if no operation requires its whole group.

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use tangle_analysis::flow::Module;
use tangle_analysis::flow::module::Options;
use tangle_analysis::flow::tokens::TokenMethod;
use tangle_grammar::symbol::Symbol;
use tangle_ir::text::print_module;
use tangle_referees::of_all;
use tangle_simulate::{
    Builtin, Headers, Language, Launch, Outcome, PartialArrival, Policy, Program, Random, Strategy,
};
use tangle_syntax::dialect::opencl;

use super::graphs::{self, Form};
use super::program::{Effort, Language as SourceLanguage, launch, module};
use super::source::source;

const EFFORT: Effort =
    Effort { runs: 1, fuel: 500, aliases: false, whole_groups: false, language: SourceLanguage::OpenCl };

/// The builtins of OpenCL C, changed so that none requires its whole group.
struct Patient;

impl Language for Patient {
    fn builtin(&self, name: Symbol) -> Option<Builtin> {
        let builtin = opencl().builtins().builtin(name)?;
        Some(Builtin { partial: PartialArrival::Executes, ..builtin })
    }
}

/// Returns the number of executions that execute a convergent operation.
fn check(module: &Module, seed: u64) -> usize {
    let builtins = opencl().builtins();
    let program = Program::new(module, builtins).expect("a lowered module obeys the rules");
    let patient = Program::new(module, &Patient).expect("a lowered module obeys the rules");
    let mut executed = 0;
    let kernels = (0..module.functions.len()).filter(|&it| module.functions[it].kernel);
    for kernel in kernels {
        for (strategy, policy, headers) in [
            (Strategy::Tokens, Policy::Early, Headers::Llvm),
            (Strategy::Tokens, Policy::Random, Headers::Random),
            (Strategy::Graph, Policy::Early, Headers::Random),
            (Strategy::Graph, Policy::Must, Headers::Llvm),
        ] {
            let launch =
                Launch { strategy, policy, headers, ..launch(&module.functions[kernel], EFFORT, seed) };
            let run = program.run(kernel, &launch, &mut ()).expect("the launch fits the kernel");
            assert_eq!(run.outcome, Outcome::Finished, "lenient launches end when all threads do");
            let mut seen = FxHashSet::default();
            for it in &run.communications {
                let scope = builtins.convergent(it.callee).expect("the operation is convergent");
                let group = run.grid.group_of(&run.grid.place(it.threads[0]), scope);
                assert!(
                    seen.insert((it.key, group)),
                    "seed {seed}, {strategy:?}, {policy:?}: {:?} arrive late at `{}`\n{}",
                    it.threads,
                    it.callee,
                    print_module(module)
                );
            }
            // A thread executes an instance at most once.
            for thread in 0..run.grid.threads() {
                let mut own = FxHashSet::default();
                assert!(run.of_thread(thread).all(|it| own.insert(it.key)), "seed {seed}: thread {thread}");
            }
            let strict = Launch { lenient: false, ..launch };
            let run = patient.run(kernel, &strict, &mut ()).expect("the launch fits the kernel");
            let waits = matches!(run.outcome, Outcome::Deadlock { .. });
            assert!(!waits, "seed {seed}: all threads wait for each other\n{}", print_module(module));
            executed += usize::from(!run.communications.is_empty());
        }
    }
    executed
}

#[test]
fn no_thread_arrives_late_in_random_sources() {
    let of_seed = |seed: u64| {
        let tokens = [TokenMethod::Placed, TokenMethod::Infer][(seed % 2) as usize];
        let options = Options { tokens, ..Options::default() };
        let module = module(SourceLanguage::OpenCl, &source(&mut Random::new(seed)).text(), &options);
        module.map_or(0, |module| check(&module, seed))
    };
    let executed: usize = (0..of_all(1500)).into_par_iter().map(of_seed).sum();
    assert!(executed as u64 >= of_all(1500), "only {executed} executions came to an operation");
}

#[test]
fn no_thread_arrives_late_in_random_graphs() {
    let of_seed = |seed: u64| {
        let graph = graphs::graph(&mut Random::new(seed), 12, !seed.is_multiple_of(3));
        check(&graphs::module(&graph, Form { tokens: true, dispatch: seed % 7 == 6 }), seed)
    };
    let executed: usize = (0..of_all(4000)).into_par_iter().map(of_seed).sum();
    assert!(executed as u64 >= of_all(1500), "only {executed} executions came to an operation");
}
