//! Searches an execution of a new program that the old program does not allow.
//!
//! "Program transforms are correct with respect to convergent operations if they preserve or refine their semantics.
//! This means that the set of communicating threads in the transformed program must have been possible in the original
//! program" (`convergent-operations.rst`, *Examples for the Correctness of Program Transforms*).
//!
//! An execution is determined by the launch, the arguments, and the choices of the implementation. So for one launch
//! with its arguments, each program has a *set* of executions, one for each resolution of its choices. The new program
//! is right if each of its executions is one of the old program.
//!
//! ```text
//! old: if (c) f(); else f();    new: f();     threads 0 and 1, c holds in thread 0
//!
//! old: thread 0: f {0}     thread 1: f {1}
//! new: thread 0: f {0, 1}  thread 1: f {0, 1}     no execution of the old program has it
//! ```
//!
//! For each launch:
//!
//! 1. Execute the old program with each policy. If one execution is undefined or has a race, the new program may do
//!    anything: skip the launch. If the old program has choices, execute it with random ones until several in
//!    succession give nothing new.
//! 2. Execute the new program with each policy. Compare each execution with the executions of the old
//!    program. If all of them differ, the new execution is a difference. But if the old program may have further
//!    executions, the launch is undecided.
//!
//! All limits count operations, so the result does not depend on the machine.

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;
use tangle_base::Symbol;
use tangle_simulate::{EndState, Headers, Launch, Policy, Program};

use super::exchange::{Meaning, Recorded};
use super::matching::{self, Mismatch, Pair};
use super::report::Report;
use super::{Bounds, Executable, LaunchRequest, NamedArgument, RequestError, arguments};
use tangle_analysis::flow::{Function, Module, Op, Token};

/// A request to compare two functions.
#[derive(Clone, Debug, PartialEq)]
pub struct DiffRequest {
    /// `None`: several sizes, unless the size of the old function is known.
    pub local_size: Option<[u32; 3]>,
    /// `None`: several numbers, or 1 if a size is given.
    pub groups: Option<u32>,
    pub sub_group_size: Option<u32>,
    /// Arguments of the old function. The new function gets the same, in the order of its parameters.
    pub arguments: Vec<NamedArgument>,
    /// The seed of the first launch. Each further launch has the next one.
    pub seed: u64,
    /// The number of launches.
    pub launches: u32,
}

impl Default for DiffRequest {
    /// The defaults of the command line.
    fn default() -> DiffRequest {
        DiffRequest {
            local_size: None,
            groups: None,
            sub_group_size: None,
            arguments: Vec::new(),
            seed: 0,
            launches: 32,
        }
    }
}

/// The result for two functions.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Comparison {
    /// The old function.
    pub old: String,
    /// The new function.
    pub new: String,
    /// The number of compared launches.
    pub launches: u32,
    /// Launches for which the old function is undefined or has a race, so that the new one may do anything.
    pub skipped: u32,
    /// Launches for which the old function may have executions that were not found, or an execution exceeds a limit.
    pub undecided: u32,
    /// Why no launch can show a difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// Written on its own, since only one comparison can have it.
    #[serde(skip)]
    pub difference: Option<Box<Difference>>,
}

impl Comparison {
    /// Returns whether there is no result: no launch was compared, and none needed to be.
    pub fn is_empty(&self) -> bool {
        self.launches == 0 && self.proof.is_none()
    }
}

/// Why no launch can show a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// The flow graphs are equal, except for source locations and names of values.
    EqualGraphs,
    /// Neither function executes a convergent operation.
    NoConvergentOperations,
}

/// An execution of the new function that the old one does not allow.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Difference {
    pub launch: DifferingLaunch,
    /// The first thread that differs, by its linear local id.
    pub thread: usize,
    pub group: usize,
    /// What differs, in words.
    pub message: String,
    /// The first communication of the thread that differs, as an index of `old.communications`. `null`: the thread
    /// executes no further one.
    pub old_operation: Option<usize>,
    /// The same for `new.communications`.
    pub new_operation: Option<usize>,
    /// The execution of the old function that is most similar.
    pub old: Report,
    pub new: Report,
}

/// The launch that shows a difference, and the choices of the new function.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DifferingLaunch {
    pub local_size: [u32; 3],
    pub groups: u32,
    pub sub_group_size: u32,
    pub strategy: &'static str,
    pub policy: &'static str,
    pub seed: u64,
}

/// Sizes of a launch: threads of a work-group, threads of a sub-group, work-groups.
type Sizes = ([u32; 3], u32, u32);

const SIZES: [Sizes; 4] = [([8, 1, 1], 4, 1), ([4, 1, 1], 4, 1), ([4, 1, 1], 2, 2), ([1, 1, 1], 4, 1)];

/// The sizes for programs with choices. Two parts of three threads, all threads, and each thread alone are all
/// partitions of a sub-group. With more threads, fewer executions of all are tried.
const SIZES_WITH_CHOICES: [Sizes; 4] =
    [([3, 1, 1], 3, 1), ([8, 1, 1], 4, 1), ([2, 1, 1], 2, 1), ([4, 1, 1], 2, 1)];

/// After this number of operations in all executions together, no further launch starts.
const OPERATIONS: u64 = 40_000_000;
const OPERATIONS_OF_THREAD: u32 = 100_000;
/// The random choices that are tried without a new execution before the search for executions ends.
const CHOICES_WITHOUT_NEW: u64 = 24;
const MAX_CHOICES: u64 = 160;
/// The random choices of the new program.
const CHOICES_OF_NEW: u64 = 6;
/// The lengths of turns with which the order of threads is varied.
const TURNS: [u32; 4] = [1, 2, 7, 64];

/// The result for one launch.
enum Verdict {
    Same,
    Skipped,
    Undecided,
    Different(Box<Found>),
}

/// A difference, with the launches of both executions.
struct Found {
    mismatch: Mismatch,
    old: Launch,
    new: Launch,
}

/// A function, prepared for executions.
struct Side<'a> {
    executable: &'a Executable<'a>,
    program: Program<'a>,
    has_choices: bool,
    /// The builtins that it calls with a token that derives from an `anchor`.
    anchored: FxHashSet<Symbol>,
}

impl<'a> Side<'a> {
    fn of(executable: &'a Executable<'a>) -> Result<Side<'a>, RequestError> {
        let program = executable.program()?;
        let is_anchor = |op: &Op| matches!(op, Op::Token(Token::Anchor));
        let mut values = executable.module.functions.iter().flat_map(|function| &function.values);
        let has_choices = values.any(|value| is_anchor(&value.op));
        let anchored = executable.module.functions.iter().flat_map(anchored).collect();
        Ok(Side { executable, program, has_choices, anchored })
    }

    fn execute(&self, launch: &Launch) -> Result<Recorded, RequestError> {
        let Executable { kernel, builtins, is_llvm, .. } = *self.executable;
        let launch = &Launch { all_returns_exit: is_llvm, ..launch.clone() };
        Recorded::of(&self.program, kernel, launch, builtins)
            .map_err(|refused| arguments::refused(self.executable.function(), &refused))
    }
}

/// The executions of the old program for one launch.
struct Executions {
    all: Vec<(Launch, Recorded)>,
    /// Whether the program may have others with other operations or arguments.
    is_complete: bool,
}

/// Compares two functions. `watch` is called before each execution and may unwind.
///
/// # Errors
///
/// One of the functions cannot be executed as requested, or they have different parameters.
pub fn compare(
    old: &Executable<'_>,
    new: &Executable<'_>,
    request: &DiffRequest,
    watch: Option<&dyn Fn()>,
) -> Result<Comparison, RequestError> {
    check_parameters(old, new)?;
    let names = [old, new].map(|it| it.function().key.label().into_owned());
    let [old_name, new_name] = names;
    let (old_side, new_side) = (Side::of(old)?, Side::of(new)?);
    let mut comparison = Comparison {
        old: old_name,
        new: new_name,
        launches: 0,
        skipped: 0,
        undecided: 0,
        proof: proof(old, new),
        difference: None,
    };
    if comparison.proof.is_some() {
        return Ok(comparison);
    }
    let mut comparing = Comparing {
        same_objects: old.module.globals == new.module.globals,
        old: old_side,
        new: new_side,
        operations: 0,
        watch,
    };
    for number in 0..request.launches {
        if comparing.operations > OPERATIONS {
            break;
        }
        let launch = comparing.launch(request, number)?;
        match comparing.verdict(&launch)? {
            Verdict::Same => comparison.launches += 1,
            Verdict::Skipped => comparison.skipped += 1,
            Verdict::Undecided => comparison.undecided += 1,
            Verdict::Different(found) => {
                comparison.launches += 1;
                comparison.difference = Some(Box::new(comparing.difference(&found)?));
                break;
            }
        }
    }
    Ok(comparison)
}

fn check_parameters(old: &Executable, new: &Executable) -> Result<(), RequestError> {
    let parameters = |it: &Executable| -> Vec<_> {
        it.function().parameters.iter().map(|parameter| (parameter.ty, parameter.passing)).collect()
    };
    if parameters(old) == parameters(new) {
        return Ok(());
    }
    let [old, new] = [old, new].map(|it| it.function().key);
    Err(RequestError::of(format!("cannot compare `{old}` and `{new}`: they have different parameters")))
}

/// Returns why no launch can show a difference, if this is clear from the graphs.
fn proof(old: &Executable, new: &Executable) -> Option<Proof> {
    let is_convergent = |function: &Function| {
        function.values.iter().any(|value| matches!(&value.op, Op::Call(call) if call.convergent))
    };
    if ![old, new].iter().any(|it| it.module.functions.iter().any(is_convergent)) {
        return Some(Proof::NoConvergentOperations);
    }
    (plain(old) == plain(new)).then_some(Proof::EqualGraphs)
}

/// Returns the module without locations, names of values, and the name of the executed function.
fn plain(of: &Executable) -> (Vec<Function>, Module, usize) {
    let kernel = of.function().key;
    let plain = |function: &Function| {
        let mut function = tangle_ir::text::normal(function);
        function.values.iter_mut().for_each(|value| value.name = None);
        function.parameters.iter_mut().for_each(|parameter| parameter.name = None);
        function.slots.iter_mut().for_each(|slot| slot.name = None);
        // A function that calls itself keeps its name.
        if function.key == kernel {
            function.key.name = Symbol::intern("");
            function.key.overload = None;
        }
        function
    };
    let functions = of.module.functions.iter().map(plain).collect();
    let globals = of.module.globals.clone();
    (functions, Module { file: String::new(), functions: Vec::new(), globals }, of.kernel)
}

/// Two functions that are compared.
struct Comparing<'a> {
    old: Side<'a>,
    new: Side<'a>,
    same_objects: bool,
    /// The operations of all executions so far.
    operations: u64,
    watch: Option<&'a dyn Fn()>,
}

impl Comparing<'_> {
    /// Returns the launch with a number.
    fn launch(&self, request: &DiffRequest, number: u32) -> Result<Launch, RequestError> {
        let known = self.old.executable.known;
        let is_given = request.local_size.or(known.work_group_size()).is_some()
            || request.groups.is_some()
            || request.sub_group_size.is_some();
        let has_choices = self.old.has_choices || self.new.has_choices;
        let sizes: &[Sizes] = if has_choices { &SIZES_WITH_CHOICES } else { &SIZES };
        let (mut local_size, sub_group_size, groups) = sizes[number as usize % sizes.len()];
        if let Some(known) = known.sub_group_size {
            // The same numbers of full sub-groups, or a part of one.
            local_size = match local_size[0] {
                threads if threads >= sub_group_size => [threads / sub_group_size * known, 1, 1],
                _ => local_size,
            };
        }
        let asked = LaunchRequest {
            local_size: request.local_size.or((!is_given).then_some(local_size)),
            groups: request.groups.unwrap_or(if is_given { 1 } else { groups }),
            sub_group_size: request
                .sub_group_size
                .or(known.sub_group_size)
                .or((!is_given).then_some(sub_group_size)),
            arguments: request.arguments.clone(),
            seed: request.seed.wrapping_add(number.into()),
            ..LaunchRequest::default()
        };
        let bounds = Bounds { steps_per_thread: OPERATIONS_OF_THREAD, ..Bounds::default() };
        // A mask only divides the threads that come: see `Recorded::meaning`.
        Ok(Launch { masks: false, ..self.old.executable.launch(&asked, &bounds)? })
    }

    fn execute(&mut self, is_old: bool, launch: &Launch) -> Result<Recorded, RequestError> {
        if let Some(watch) = self.watch {
            watch();
        }
        let recorded = if is_old { self.old.execute(launch) } else { self.new.execute(launch) }?;
        self.operations += recorded.run.steps;
        Ok(recorded)
    }

    fn verdict(&mut self, launch: &Launch) -> Result<Verdict, RequestError> {
        let mut executions = Executions { all: Vec::new(), is_complete: true };
        if let Some(verdict) = self.old_executions(launch, &mut executions)? {
            return Ok(verdict);
        }
        let mut seen = FxHashSet::default();
        for choices in choices(launch).take(2 + CHOICES_OF_NEW as usize) {
            let new = self.execute(false, &choices)?;
            if !seen.insert(new.hash(true)) {
                continue;
            }
            let pairs = executions.all.iter().map(|(launch, old)| {
                let (same_objects, builtins) = (self.same_objects, self.old.executable.builtins);
                (launch, Pair { old, new: &new, same_objects, builtins }.mismatch())
            });
            let mut nearest: Option<(&Launch, Mismatch)> = None;
            let mut is_allowed = false;
            for (launch, mismatch) in pairs {
                let Some(mismatch) = mismatch else {
                    is_allowed = true;
                    break;
                };
                if nearest.as_ref().is_none_or(|(_, nearest)| nearest.progress < mismatch.progress) {
                    nearest = Some((launch, mismatch));
                }
            }
            match new.meaning() {
                Meaning::Unknown => return Ok(Verdict::Undecided),
                Meaning::Undefined => {
                    let mismatch = nearest.map_or_else(Mismatch::end, |(_, mismatch)| mismatch);
                    return self.confirmed(launch, &choices, launch, mismatch, executions.is_complete);
                }
                Meaning::Defined | Meaning::Raced if is_allowed => {}
                Meaning::Defined | Meaning::Raced if self.waits_under_anchor(&new) => {
                    return Ok(Verdict::Undecided);
                }
                Meaning::Defined | Meaning::Raced => {
                    let Some((old, mismatch)) = nearest else { return Ok(Verdict::Skipped) };
                    let old = old.clone();
                    return self.confirmed(&old, &choices, launch, mismatch, executions.is_complete);
                }
            }
        }
        Ok(Verdict::Same)
    }

    /// Finds the executions of the old program. Returns the verdict if it does not depend on the new one.
    fn old_executions(
        &mut self,
        launch: &Launch,
        found: &mut Executions,
    ) -> Result<Option<Verdict>, RequestError> {
        let (mut seen, mut flows) = (FxHashSet::default(), FxHashSet::default());
        let mut without_new = 0;
        let mut has_choices = self.old.has_choices;
        for (number, choices) in choices(launch).enumerate() {
            let old = self.execute(true, &choices)?;
            match old.meaning() {
                Meaning::Undefined | Meaning::Raced => return Ok(Some(Verdict::Skipped)),
                Meaning::Unknown => return Ok(Some(Verdict::Undecided)),
                Meaning::Defined => {}
            }
            flows.insert(old.hash(false));
            match seen.insert(old.hash(true)) {
                true => {
                    without_new = 0;
                    found.all.push((choices, old));
                }
                false => without_new += 1,
            }
            has_choices |= seen.len() > 1;
            let is_saturated = without_new >= CHOICES_WITHOUT_NEW;
            if number >= 4 && (!has_choices || is_saturated || self.operations > OPERATIONS) {
                found.is_complete = !has_choices || is_saturated || flows.len() == 1;
                return Ok(None);
            }
        }
        found.is_complete = flows.len() == 1;
        Ok(None)
    }

    /// Returns the verdict for a mismatch. If the old program depends on the order of threads, it may have other
    /// executions.
    fn confirmed(
        &mut self,
        old: &Launch,
        new: &Launch,
        launch: &Launch,
        mismatch: Mismatch,
        is_complete: bool,
    ) -> Result<Verdict, RequestError> {
        if !is_complete {
            return Ok(Verdict::Undecided);
        }
        let usual = self.execute(true, launch)?.hash(true);
        for turn in TURNS {
            let other = self.execute(true, &Launch { turn, ..launch.clone() })?;
            if other.hash(true) != usual || other.meaning() != Meaning::Defined {
                return Ok(Verdict::Undecided);
            }
        }
        Ok(Verdict::Different(Box::new(Found { mismatch, old: old.clone(), new: new.clone() })))
    }

    /// Whether threads wait forever at an operation under an `anchor`, which the old program has, too. Other sets of
    /// threads at the `anchor` could wait there in the old program.
    fn waits_under_anchor(&self, new: &Recorded) -> bool {
        new.run.ends.iter().any(|end| match end.state {
            EndState::Waiting { callee, .. } => {
                self.old.anchored.contains(&callee) && self.new.anchored.contains(&callee)
            }
            EndState::Returned | EndState::Running | EndState::Stopped => false,
        })
    }

    /// Describes a difference, with both executions.
    fn difference(&self, Found { mismatch, old, new }: &Found) -> Result<Difference, RequestError> {
        let bounds = Bounds::default();
        let report = |side: &Side, launch: &Launch| {
            let launch = Launch { all_returns_exit: side.executable.is_llvm, ..launch.clone() };
            side.executable.report(&side.program, &launch, &bounds, None)
        };
        let (old_report, new_report) = (report(&self.old, old)?, report(&self.new, new)?);
        let place = new.grid().place(mismatch.thread);
        Ok(Difference {
            launch: DifferingLaunch {
                local_size: new.local_size,
                groups: new.groups,
                sub_group_size: new.sub_group_size,
                strategy: new.strategy.name(),
                policy: new.policy.name(),
                seed: new.seed,
            },
            thread: place.linear,
            group: place.group,
            message: message(mismatch, &old_report, &new_report),
            old_operation: mismatch.old,
            new_operation: mismatch.new,
            old: old_report,
            new: new_report,
        })
    }
}

/// Returns the callees of a function that are called with a token that derives from an `anchor`.
fn anchored(function: &Function) -> impl Iterator<Item = Symbol> {
    function.values.iter().filter_map(|value| {
        let Op::Call(call) = &value.op else { return None };
        let mut token = call.token?;
        while let Op::Token(Token::Loop(parent)) = function.values[token].op {
            token = parent;
        }
        let is_anchor = matches!(function.values[token].op, Op::Token(Token::Anchor));
        call.callee.name().filter(|_| is_anchor)
    })
}

/// Returns a launch with each policy, and with further random choices.
fn choices(launch: &Launch) -> impl Iterator<Item = Launch> {
    let early = launch.clone();
    let must = Launch { policy: Policy::Must, ..launch.clone() };
    let random = launch.clone();
    let random = (0..MAX_CHOICES).map(move |choices| Launch {
        policy: Policy::Random,
        headers: Headers::Random,
        choices,
        ..random.clone()
    });
    [early, must].into_iter().chain(random)
}

/// Says what differs.
fn message(mismatch: &Mismatch, old: &Report, new: &Report) -> String {
    let thread = &new.vocabulary.thread;
    match mismatch.what {
        matching::Difference::End if new.outcome == "finished" => {
            format!("this {thread} waits forever in the old function only")
        }
        matching::Difference::End if old.outcome == new.outcome => {
            format!("this {thread} waits at another operation at the end")
        }
        matching::Difference::End => format!("the new execution ends with `{}`", new.outcome),
        matching::Difference::Operation => match (mismatch.old, mismatch.new) {
            (_, None) => format!("this {thread} does not execute the operation in the new function"),
            (None, _) => format!("this {thread} executes a further operation in the new function"),
            _ => format!("this {thread} executes another operation in the new function"),
        },
        matching::Difference::Argument(number) => format!("argument {} has another value", number + 1),
        matching::Difference::Participants => {
            format!("other {thread}s take part in the operation")
        }
        matching::Difference::Result => "the operation returns another value".to_owned(),
    }
}
