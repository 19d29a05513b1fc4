//! Executions that show whether threads diverge at an operation.
//!
//! The arguments are made up: memory holds small random numbers, and a number has one of a few values. Of many
//! launches, the bench keeps those with two properties: all threads of the original finish, and every operation has the
//! threads of its whole group. Mutants are executed only with these launches, so differences come from the mutation.
//!
//! The executor separates all threads that the text does not bring together ([`Policy::Must`]). It lets a group
//! continue at an operation that its other threads do not reach.

use rustc_hash::FxHashSet;
use tangle_analysis::flow::module::{Options, lower};
use tangle_analysis::flow::{Function, Module, Passing};
use tangle_analysis::program::FunctionKey;
use tangle_emit::source::FunctionSource;
use tangle_execution::lowered::FunctionLocations;
use tangle_grammar::ast::AddressSpace;
use tangle_simulate::{
    Argument, Communication, Grid, Key, Launch, Location, Number, Observer, Outcome, Policy, Program,
    Strategy, Undefined, Value, races,
};
use tangle_syntax::db::Database;
use tangle_syntax::dialect::Builtins;
use tangle_syntax::source::{Settings, SourceFile};

use super::mutants::{Evidence, Mutation};

/// The maximum number of launches of a kernel.
const KEPT: usize = 3;
/// The maximum number of kernels that execute one function.
const KERNELS: usize = 2;
/// The maximum number of operations of all threads of one launch.
const OPERATIONS: u32 = 600_000;

/// The result of the executions of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A launch has the [`Evidence`].
    Wrong,
    /// A launch reaches the mutated operations, and in all launches every operation has its whole group.
    Together,
    /// No launch shows either.
    Unknown,
}

/// A launch where all threads finish and every operation has its whole group.
struct Candidate {
    launch: Launch,
    /// Whether threads of a warp race.
    races: bool,
}

/// Launches for the kernels of a file.
pub struct Launches {
    of_kernels: Vec<(FunctionKey, Vec<Candidate>)>,
}

impl Launches {
    /// Chooses launches for the kernels that reach one of these functions.
    pub fn of(db: &Database, file: SourceFile, settings: Settings, functions: &[FunctionKey]) -> Launches {
        let (module, builtins) = module(db, file, settings);
        let warp = settings.dialect(db).launch().sub_group_size;
        let reaches = |kernel: FunctionKey| {
            let reached = module.reached_from([kernel]);
            functions.iter().any(|function| reached.contains(function))
        };
        let kernels = module.functions.iter().filter(|function| function.kernel && reaches(function.key));
        let of_kernels =
            kernels.map(|kernel| (kernel.key, chosen(&module, kernel, builtins, warp))).collect();
        Launches { of_kernels }
    }

    /// Executes a function of a mutant with the kernels that reach it, and looks for the evidence of its mutation.
    /// `is_meant` says whether the operation at a line and column is one of the mutated operations.
    pub fn judge(
        &self,
        db: &Database,
        file: SourceFile,
        settings: Settings,
        function: FunctionKey,
        (mutation, is_meant): (Mutation, &dyn Fn((usize, usize)) -> bool),
    ) -> Verdict {
        let (module, builtins) = module(db, file, settings);
        let places = FunctionLocations::of(db, file, settings);
        let mut verdict = Verdict::Unknown;
        let with_launches = self.of_kernels.iter().filter(|(_, launches)| !launches.is_empty());
        let reaching = with_launches.filter_map(|(kernel, launches)| {
            let part = part(&module, *kernel);
            part.functions.iter().any(|it| it.key == function).then_some((part, kernel, launches))
        });
        for (part, kernel, launches) in reaching.take(KERNELS) {
            let Ok(program) = Program::new(&part, builtins) else { continue };
            let Some(kernel) = part.functions.iter().position(|it| it.key == *kernel) else { continue };
            for launch in launches {
                let Candidate { launch, races } = launch;
                let evidence = mutation.evidence();
                if evidence == Evidence::Race && *races {
                    continue;
                }
                let launch = Launch { races: evidence == Evidence::Race, ..launch.clone() };
                let execution = executed(&program, kernel, &launch, builtins);
                let comes = |spot: &Location| {
                    let key = part.functions[spot.function].key;
                    let at = places.spot(key, program.span(*spot)).filter(|at| !at.foreign);
                    at.is_some_and(|at| is_meant(at.start))
                };
                let is_wrong = match evidence {
                    Evidence::Missing => execution.parted,
                    Evidence::Mask => execution.mask,
                    Evidence::Executed => execution.operations.iter().any(comes),
                    Evidence::Race => execution.races,
                };
                if is_wrong {
                    return Verdict::Wrong;
                }
                if execution.ended && execution.operations.iter().any(comes) {
                    verdict = Verdict::Together;
                }
            }
        }
        verdict
    }
}

fn module(db: &Database, file: SourceFile, settings: Settings) -> (Module, &'static Builtins) {
    (lower(db, file, settings, &Options::default()).module, settings.dialect(db).builtins())
}

/// A kernel, with the functions that it calls.
fn part(module: &Module, kernel: FunctionKey) -> Module {
    let reached = module.reached_from([kernel]);
    let functions = module.functions.iter().filter(|function| reached.contains(&function.key));
    Module {
        file: module.file.clone(),
        functions: functions.cloned().collect(),
        globals: module.globals.clone(),
    }
}

/// Chooses launches where every operation has its whole group. Each chosen launch adds the most new operations.
fn chosen(module: &Module, kernel: &Function, builtins: &Builtins, warp: Option<u32>) -> Vec<Candidate> {
    let part = part(module, kernel.key);
    let Ok(program) = Program::new(&part, builtins) else { return Vec::new() };
    let Some(number) = part.functions.iter().position(|it| it.key == kernel.key) else { return Vec::new() };
    let mut good: Vec<(FxHashSet<Location>, Launch)> = Vec::new();
    for launch in candidates(kernel, warp) {
        let execution = executed(&program, number, &launch, builtins);
        if execution.ended && !execution.parted && !execution.mask && !execution.operations.is_empty() {
            good.push((execution.operations, launch));
        }
    }
    let mut seen: FxHashSet<Location> = FxHashSet::default();
    let mut kept = Vec::new();
    while kept.len() < KEPT && !good.is_empty() {
        let adds = |(operations, _): &(FxHashSet<Location>, Launch)| operations.difference(&seen).count();
        let most = good.iter().map(adds).max().unwrap_or(0);
        let best = good.iter().position(|it| adds(it) == most).unwrap_or(0);
        let (operations, launch) = good.remove(best);
        seen.extend(operations);
        let searched = Launch { races: true, ..launch.clone() };
        let races = executed(&program, number, &searched, builtins).races;
        kept.push(Candidate { launch, races });
    }
    kept
}

fn candidates(kernel: &Function, warp: Option<u32>) -> Vec<Launch> {
    let usual: &[[u32; 3]] = &[[8, 1, 1], [16, 1, 1], [64, 1, 1], [8, 8, 1], [16, 16, 1], [256, 1, 1]];
    // In CUDA, a row of a block consists of whole warps (`docs/cuda.md`).
    let in_warps: &[[u32; 3]] = &[[32, 1, 1], [64, 1, 1], [128, 1, 1], [32, 8, 1], [256, 1, 1], [512, 1, 1]];
    let sub_group_size = kernel.sub_group_size.or(warp).unwrap_or(4);
    let usual = if sub_group_size == 32 { in_warps } else { usual };
    let sizes = kernel.work_group_size.as_ref().map_or(usual, std::slice::from_ref);
    let mut candidates = Vec::new();
    for &local_size in sizes {
        let threads: u32 = local_size.iter().product();
        let of_threads = |times: u32| Some(i128::from(times * threads));
        for number in [None, Some(i128::from(local_size[0])), of_threads(2), of_threads(4)] {
            let parameters = kernel.parameters.iter().filter(|it| it.passing != Passing::Result);
            candidates.push(Launch {
                local_size,
                groups: 2,
                sub_group_size,
                arguments: parameters.map(|it| argument(it.ty, number)).collect(),
                seed: candidates.len() as u64,
                strategy: Strategy::Tangles,
                policy: Policy::Must,
                lenient: true,
                masks: true,
                steps: OPERATIONS / (2 * threads),
                depth: 32,
                ..Launch::default()
            });
        }
    }
    candidates
}

fn argument(ty: tangle_hir::types::Ty, number: Option<i128>) -> Argument {
    match (number, ty.as_pointer()) {
        (_, Some(pointer)) if pointer.space == AddressSpace::Local => Argument::Random { bytes: 1 << 15 },
        (Some(number), None) if ty.as_integer().is_some() => Argument::Number(Number::Integer(number)),
        _ => Argument::Random { bytes: 1 << 13 },
    }
}

/// The result of one execution.
#[derive(Default)]
struct Execution {
    /// Whether all threads have returned.
    ended: bool,
    /// Whether threads were missing at an operation that had returned or continued elsewhere.
    parted: bool,
    /// Whether a mask does not name a thread that executes its operation, or names one that is elsewhere.
    mask: bool,
    /// The operations that threads executed.
    operations: FxHashSet<Location>,
    /// Whether two threads of a warp race, if the launch searches for races.
    races: bool,
}

fn executed(program: &Program, kernel: usize, launch: &Launch, builtins: &Builtins) -> Execution {
    let grid = launch.grid();
    let threads = grid.threads();
    let mut watch = Watch {
        grid: grid.clone(),
        builtins,
        time: 0,
        depth: vec![0; threads],
        alive: vec![0; threads],
        returned: vec![false; threads],
        missing: Vec::new(),
    };
    let Ok(run) = program.run(kernel, launch, &mut watch) else {
        return Execution::default();
    };
    let is_of_mask =
        |what: &Undefined| matches!(what, Undefined::Unnamed { .. } | Undefined::Elsewhere { .. });
    let mask = matches!(&run.outcome, Outcome::Undefined { what, .. } if is_of_mask(what));
    let warp = |access: &races::Access| {
        let at = grid.place(access.thread);
        (at.group, at.linear as u32 / launch.sub_group_size)
    };
    Execution {
        ended: (run.outcome == Outcome::Finished || mask) && watch.returned.iter().all(|&returned| returned),
        parted: watch.has_parted(),
        mask,
        operations: run.communications.iter().map(Communication::spot).collect(),
        races: run.races.found.iter().any(|race| {
            (!race.first.stores || !race.second.stores) && warp(&race.first) == warp(&race.second)
        }),
    }
}

/// The maximum number of recorded operations without their whole group.
const MISSING: usize = 64;

/// An observer that records the missing threads of operations.
struct Watch<'a> {
    grid: Grid,
    builtins: &'a Builtins,
    time: usize,
    /// For each thread, the depth of nested calls.
    depth: Vec<usize>,
    /// For each thread, the time of its last recorded action.
    alive: Vec<usize>,
    returned: Vec<bool>,
    /// The time of each incomplete operation, and its missing threads.
    missing: Vec<(usize, Vec<usize>)>,
}

impl Watch<'_> {
    /// Whether a thread missing at an operation had returned, or acted later, which means that it was elsewhere. A
    /// thread that stopped because of undefined behaviour with these arguments is not evidence.
    fn has_parted(&self) -> bool {
        let goes_on = |thread: usize, since: usize| self.returned[thread] || self.alive[thread] > since;
        self.missing.iter().any(|(time, missing)| missing.iter().any(|&thread| goes_on(thread, *time)))
    }

    fn see(&mut self, thread: usize) {
        self.time += 1;
        self.alive[thread] = self.time;
    }
}

impl Observer for Watch<'_> {
    fn entered(&mut self, _: Key, _: usize, thread: usize, _: &[Value]) {
        self.depth[thread] += 1;
        self.see(thread);
    }

    fn left(&mut self, _: Key, thread: usize) {
        self.depth[thread] -= 1;
        self.returned[thread] = self.depth[thread] == 0;
        self.see(thread);
    }

    fn together(&mut self, communication: &Communication) {
        let Communication { callee, threads, .. } = communication;
        for &thread in threads {
            self.see(thread);
        }
        let (Some(scope), Some(&first)) = (self.builtins.convergent(*callee), threads.first()) else {
            return;
        };
        let group = self.grid.group_of(&self.grid.place(first), scope);
        let members = self.grid.members(scope, group);
        if members.len() > threads.len() && self.missing.len() < MISSING {
            let missing = members.filter(|thread| !threads.contains(thread)).collect();
            self.missing.push((self.time, missing));
        }
    }
}
