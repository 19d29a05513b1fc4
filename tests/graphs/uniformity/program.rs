//! Programs to be run: lowered by the real pipeline, or made as graphs.

use std::sync::Arc;

use tangle_analysis::flow::module::{Irreducible, Options, lower};
use tangle_analysis::flow::{Function, Module, Passing};
use tangle_analysis::uniformity::unit::UnitFacts;
use tangle_grammar::ast::AddressSpace;
use tangle_simulate::{Argument, Grid, Headers, Launch, Program, Random, Strategy};
use tangle_syntax::db::Database;
use tangle_syntax::dialect::opencl;
use tangle_syntax::source::{Content, Loader};

use super::claims::Claims;
use super::evidence::{Contradiction, Evidence};

pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _: &str) -> Content {
        Content::Missing
    }
}

/// The module of a source, and whether all of its functions are in it.
pub fn lowered(text: &str, options: &Options) -> (Module, bool) {
    let mut db = Database::new(Arc::new(NoFiles));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let file = db.set_text("k.cl", text);
    let lowered = lower(&db, file, settings, options);
    (lowered.module, lowered.errors.is_empty())
}

/// The module of a source; None if a function of it cannot be lowered.
pub fn module(text: &str, options: &Options) -> Option<Module> {
    let (module, complete) = lowered(text, options);
    complete.then_some(module)
}

/// The module of a source, and what the driver that users get claims of its functions. None: a function cannot be lowered.
pub fn driven(text: &str) -> Option<(Module, Vec<Claims>)> {
    let (module, claims, complete) = claimed(text);
    complete.then_some((module, claims))
}

/// The same as far as functions can be lowered, and whether all of them can.
pub fn claimed(text: &str) -> (Module, Vec<Claims>, bool) {
    let mut db = Database::new(Arc::new(NoFiles));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let file = db.set_text("k.cl", text);
    // The analysis looks at cycles as the source has them.
    let options = Options { irreducible: Irreducible::Anchor, ..Options::default() };
    let lowered = lower(&db, file, settings, &options);
    let facts = UnitFacts::of(&db, file, settings);
    let of = |function: &Function| {
        let at = facts.functions().of_key(function.key).expect("the unit defines it");
        let known = facts.facts(at).expect("it is lowered");
        assert_eq!(known.function.values, function.values, "one function, whoever asks");
        Claims::from(known.uniformity)
    };
    let claims = lowered.module.functions.iter().map(of).collect();
    let mut module = lowered.module;
    // A kernel is launched as comments say, too.
    for function in module.functions.iter_mut().filter(|function| function.kernel) {
        let at = facts.functions().of_key(function.key).expect("the unit defines it");
        let known = facts.launch(at);
        function.work_group_size = function.work_group_size.or(known.work_group_size());
        function.sub_group_size = function.sub_group_size.or(known.sub_group_size);
    }
    (module, claims, lowered.errors.is_empty())
}

/// How often a kernel is run, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub runs: u64,
    /// Operations of one thread.
    pub fuel: u32,
    /// Whether pointers that a kernel is passed may point to the same memory.
    pub aliases: bool,
    /// Whether a work-group of which only a part goes past an operation for all is no evidence at all, also of what it did before.
    pub whole_groups: bool,
}

/// What two threads of an execution have against the claims.
pub struct Found {
    pub contradiction: Contradiction,
    pub grid: Grid,
}

/// A launch of two work-groups of 4 to 16 threads, or of as many as the kernel asks for.
pub fn launch(kernel: &Function, effort: Effort, seed: u64) -> Launch {
    let mut random = Random::new(seed);
    let shapes = [[4, 1, 1], [8, 1, 1], [16, 1, 1], [4, 2, 1], [8, 2, 1], [2, 4, 1], [2, 2, 2]];
    let local_size = kernel.work_group_size.unwrap_or_else(|| *random.pick(&shapes));
    let sub_group_size = *random.pick(&[2, 4, 4, 8]);
    let sub_group_size = kernel.sub_group_size.unwrap_or(sub_group_size);
    let mut shared: Option<usize> = None;
    let mut arguments = Vec::new();
    for (number, parameter) in kernel.parameters.iter().enumerate() {
        // Without `restrict`, two pointers may be one.
        let may_alias = effort.aliases
            && parameter.passing == Passing::Value
            && parameter.ty.as_pointer().is_some_and(|it| it.space == AddressSpace::Global && !it.restrict);
        let argument = match shared.filter(|_| may_alias && random.chance(40)) {
            Some(other) => Argument::Same(other),
            None => Argument::Random { bytes: 2048 },
        };
        if may_alias && shared.is_none() {
            shared = Some(number);
        }
        arguments.push(argument);
    }
    Launch {
        local_size,
        groups: 2,
        sub_group_size,
        arguments,
        seed,
        strategy: Strategy::Tokens,
        // What is uniform must be so in every hierarchy.
        headers: Headers::Random,
        lenient: true,
        steps: effort.fuel,
        turn: 24,
        depth: 8,
        ..Launch::default()
    }
}

/// Runs the kernels of a module, and gives the first contradiction. One that a data race between work-groups explains is none.
pub fn contradict(module: &Module, claims: &[Claims], effort: Effort, seed: u64) -> Option<Found> {
    let program = Program::new(module, opencl().builtins()).expect("what is lowered keeps the rules");
    let kernels: Vec<usize> = (0..module.functions.len()).filter(|&it| module.functions[it].kernel).collect();
    kernels.into_iter().find_map(|kernel| {
        (0..effort.runs).find_map(|run| {
            let plain = launch(&module.functions[kernel], effort, seed.wrapping_mul(31) + run);
            let contradiction = |launch: &Launch| {
                let mut evidence = Evidence::new(claims, launch.grid());
                let run = program.run(kernel, launch, &mut evidence).expect("the launch fits the kernel");
                if effort.whole_groups {
                    evidence.forget_broken();
                }
                let contradiction = evidence.contradiction(&run.grid)?;
                Some(Found { contradiction, grid: run.grid })
            };
            // To look for races takes time, and contradictions are few.
            contradiction(&plain)?;
            contradiction(&Launch { races: true, ..plain })
        })
    })
}
