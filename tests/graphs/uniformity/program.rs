//! Programs to execute: lowered as `tangle` does it, with the claims of its analysis.

use std::sync::Arc;

use tangle_analysis::flow::module::{Irreducible, Options, lower};
use tangle_analysis::flow::{Function, Module, Op, Passing};
use tangle_analysis::uniformity::unit::UnitFacts;
use tangle_grammar::ast::AddressSpace;
use tangle_simulate::{Argument, Grid, Headers, Launch, Program, Random, Strategy};
use tangle_syntax::db::Database;
use tangle_syntax::dialect::{Dialect, cuda, opencl};
use tangle_syntax::source::NoHeaders;

use super::claims::{Claims, Scopes};
use super::cuda_source::WARP;
use super::evidence::{Contradiction, Evidence};

/// Returns the module of a source, or `None` if a function cannot be lowered.
pub fn module(language: Language, text: &str, options: &Options) -> Option<Module> {
    let dialect = language.dialect();
    let mut db = Database::new(Arc::new(NoHeaders));
    let builtins = dialect.builtins().with(Vec::new());
    let settings = db.settings_in(dialect, &[], &[], &[], builtins);
    let file = db.set_text("k", text);
    let lowered = lower(&db, file, settings, options);
    let mut module = lowered.module;
    if language == Language::Cuda {
        // The dialect has the size of the hardware, and the programs have a comment with another.
        module.functions.iter_mut().for_each(|function| function.sub_group_size = Some(WARP));
    }
    lowered.errors.is_empty().then_some(module)
}

/// Returns the module of a source with the claims of the analysis, or `None` if a function cannot be lowered.
pub fn driven(language: Language, text: &str) -> Option<(Module, Vec<Claims>)> {
    let (module, claims, complete) = claimed_in(language.dialect(), text);
    complete.then_some((module, claims))
}

/// Returns the functions of a source in OpenCL C that can be lowered with their claims, and whether these are all
/// functions.
pub fn claimed(text: &str) -> (Module, Vec<Claims>, bool) {
    claimed_in(opencl(), text)
}

fn claimed_in(dialect: Dialect, text: &str) -> (Module, Vec<Claims>, bool) {
    let mut db = Database::new(Arc::new(NoHeaders));
    let builtins = dialect.builtins().with(Vec::new());
    let settings = db.settings_in(dialect, &[], &[], &[], builtins);
    let file = db.set_text("k", text);
    // The analysis uses the cycles of the source.
    let options = Options { irreducible: Irreducible::Anchor, ..Options::default() };
    let lowered = lower(&db, file, settings, &options);
    let facts = UnitFacts::of(&db, file, settings);
    let of = |function: &Function| {
        let at = facts.functions().of_key(function.key).expect("the unit defines the function");
        let known = facts.facts(at).expect("the function can be lowered");
        match function.key.is_instance() && !function.kernel {
            // The analysis has the template. If an instance has other operations, it makes no claims about them.
            true if !have_one_shape(known.function, function) => Claims::all(function, Scopes::NONE),
            true => Claims::from(known.uniformity),
            false => {
                assert_eq!(
                    known.function.values, function.values,
                    "the analysis has the same lowered function"
                );
                Claims::from(known.uniformity)
            }
        }
    };
    let claims = lowered.module.functions.iter().map(of).collect();
    let mut module = lowered.module;
    // The launch of a kernel also obeys its comments.
    for function in module.functions.iter_mut().filter(|function| function.kernel) {
        let at = facts.functions().of_key(function.key).expect("the unit defines the function");
        let known = facts.launch(at);
        function.work_group_size = function.work_group_size.or(known.work_group_size());
        function.sub_group_size = known.sub_group_size.or(function.sub_group_size);
    }
    (module, claims, lowered.errors.is_empty())
}

/// Whether two functions have the same blocks and operations, apart from types and constants.
fn have_one_shape(template: &Function, instance: &Function) -> bool {
    let operation = |op: &Op| std::mem::discriminant(op);
    template.blocks.len() == instance.blocks.len()
        && template.values.len() == instance.values.len()
        && template.values.iter().zip(&instance.values).all(|(a, b)| operation(&a.op) == operation(&b.op))
        && template
            .blocks
            .iter()
            .zip(&instance.blocks)
            .all(|(a, b)| a.values == b.values && a.terminator.successors() == b.terminator.successors())
}

/// The number and length of the executions of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub runs: u64,
    /// The maximum number of operations of one thread.
    pub fuel: u32,
    /// Whether pointer arguments of a kernel may point to the same memory.
    pub aliases: bool,
    /// Whether the earlier actions of a work-group are also no evidence after only part of it passed an operation for
    /// all.
    pub whole_groups: bool,
    /// The language of the programs.
    pub language: Language,
}

/// The language of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    OpenCl,
    Cuda,
}

impl Language {
    pub fn dialect(self) -> Dialect {
        match self {
            Language::OpenCl => opencl(),
            Language::Cuda => cuda(),
        }
    }
}

/// Two threads of an execution that contradict the claims.
pub struct Found {
    pub contradiction: Contradiction,
    pub grid: Grid,
}

/// Returns a launch of two work-groups, of 4 to 32 threads or of the size that the kernel requires.
pub fn launch(kernel: &Function, effort: Effort, seed: u64) -> Launch {
    let mut random = Random::new(seed);
    let shapes = match effort.language {
        Language::OpenCl => [[4, 1, 1], [8, 1, 1], [16, 1, 1], [4, 2, 1], [8, 2, 1], [2, 4, 1], [2, 2, 2]],
        // A row consists of whole warps, here of 8 threads.
        Language::Cuda => [[8, 1, 1], [16, 1, 1], [24, 1, 1], [8, 2, 1], [16, 2, 1], [8, 1, 2], [8, 2, 2]],
    };
    let local_size = kernel.work_group_size.unwrap_or_else(|| *random.pick(&shapes));
    let sub_group_size = *random.pick(&[2, 4, 4, 8]);
    let sub_group_size = kernel.sub_group_size.unwrap_or(sub_group_size);
    let mut shared: Option<usize> = None;
    let mut arguments = Vec::new();
    for (number, parameter) in kernel.parameters.iter().enumerate() {
        // Without `restrict`, two pointers may be equal.
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
        // A verdict "uniform" must hold for every choice of cycle headers.
        headers: Headers::Random,
        lenient: true,
        steps: effort.fuel,
        turn: 24,
        depth: 8,
        ..Launch::default()
    }
}

/// Executes the kernels of a module. Returns the first contradiction that no data race between work-groups explains.
pub fn contradict(module: &Module, claims: &[Claims], effort: Effort, seed: u64) -> Option<Found> {
    let program =
        Program::new(module, effort.language.dialect().builtins()).expect("a lowered module obeys the rules");
    let kernels: Vec<usize> = (0..module.functions.len()).filter(|&it| module.functions[it].kernel).collect();
    kernels.into_iter().find_map(|kernel| {
        (0..effort.runs).find_map(|run| {
            let plain = launch(&module.functions[kernel], effort, seed.wrapping_mul(31) + run);
            let contradiction = |launch: &Launch| {
                let mut evidence = Evidence::new(claims, launch.grid(), effort.language);
                let run = program.run(kernel, launch, &mut evidence).expect("the launch fits the kernel");
                if effort.whole_groups {
                    evidence.forget_broken();
                }
                let contradiction = evidence.contradiction(&run.grid)?;
                Some(Found { contradiction, grid: run.grid })
            };
            // The detection of races is slow, and contradictions are rare.
            contradiction(&plain)?;
            contradiction(&Launch { races: true, ..plain })
        })
    })
}
