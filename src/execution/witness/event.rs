//! Decides whether a finding occurs in an execution, and where the threads are at that moment.
//!
//! **Event**: what confirms a finding, by [`Evidence`]. It is at a call of the finding, or a race at its location.
//! **Moment**: the end of the execution if threads wait forever; otherwise the execution of the call.

use rustc_hash::FxHashSet;

use tangle_analysis::flow::{BlockId, Function, Module, Op};
use tangle_diagnostic::{Diagnostic, Place};
use tangle_ir::flow::{Call, Callee, ValueId};
use tangle_ir::key::FunctionKey;
use tangle_rules::Evidence;
use tangle_simulate::{
    Communication, EndState, Key, Location, Observer, Outcome, Point, Run, Undefined, Value,
};
use tangle_syntax::dialect::Builtins;

use crate::lowered::FunctionLocations;

/// The operations of a finding in a module.
pub(super) struct Goal {
    evidence: Evidence,
    /// The calls at the locations of the finding: index of the function, and value.
    calls: FxHashSet<(usize, ValueId)>,
    /// The loads and stores at the locations of the finding.
    accesses: FxHashSet<(usize, ValueId)>,
    /// The blocks of calls at the locations of the finding whose callees are defined functions. An event inside counts
    /// if a thread got there through such a block.
    through: Vec<(usize, BlockId)>,
    /// The calls in these callees, and in functions that they call.
    inner: FxHashSet<(usize, ValueId)>,
}

/// The moment when a finding occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// The end of the execution.
    End,
    /// The execution of the communication with this number.
    At(usize),
}

impl Goal {
    /// Returns the operations of a finding. `None` if the module has none.
    pub(super) fn of(
        finding: &Diagnostic,
        evidence: Evidence,
        module: &Module,
        places: &FunctionLocations,
    ) -> Option<Goal> {
        let spots: Vec<&Place> = std::iter::once(&finding.place).chain(&finding.also).collect();
        let mut goal = Goal {
            evidence,
            calls: FxHashSet::default(),
            accesses: FxHashSet::default(),
            through: Vec::new(),
            inner: FxHashSet::default(),
        };
        let mut callees: Vec<FunctionKey> = Vec::new();
        for (number, function) in module.functions.iter().enumerate() {
            for (block, data) in function.blocks.iter_enumerated() {
                for &value in &data.values {
                    let data = &function.values[value];
                    let is_wanted = match &data.op {
                        Op::Call(_) => true,
                        Op::Load { .. } | Op::Store { .. } => evidence == Evidence::Race,
                        _ => false,
                    };
                    let place = is_wanted.then(|| places.place(function.key, data.span)).flatten();
                    if !place.is_some_and(|at| spots.iter().any(|spot| overlap(spot, &at))) {
                        continue;
                    }
                    match &data.op {
                        Op::Call(Call { callee: Callee::Function { key, .. }, .. }) => {
                            callees.push(*key);
                            goal.through.push((number, block));
                        }
                        Op::Call(_) => _ = goal.calls.insert((number, value)),
                        _ => _ = goal.accesses.insert((number, value)),
                    }
                }
            }
        }
        let reached = module.reached_from(callees);
        for (number, function) in module.functions.iter().enumerate() {
            if reached.contains(&function.key) {
                let calls = function.values.iter_enumerated().filter(|(_, it)| matches!(it.op, Op::Call(_)));
                goal.inner.extend(calls.map(|(value, _)| (number, value)));
            }
        }
        let is_empty = goal.calls.is_empty() && goal.accesses.is_empty() && goal.inner.is_empty();
        (!is_empty).then_some(goal)
    }

    /// Returns the moment when the finding occurs in an execution.
    pub(super) fn moment(&self, run: &Run, module: &Module, builtins: &Builtins) -> Option<Moment> {
        match self.evidence {
            Evidence::MissingThreads => self.missing_threads(run),
            Evidence::UndefinedResult => self.first(run, |it| !it.unread.is_empty()),
            Evidence::InvalidWidth => self.first(run, |it| !it.invalid_width.is_empty()),
            Evidence::DifferingArgument => self.first(run, |it| {
                let uniform = builtins.get(it.callee).map_or(&[][..], |builtin| &builtin.uniform_arguments);
                let arguments = arguments(&module.functions[it.function], it.value);
                uniform.iter().any(|argument| {
                    let meant = argument.of(&arguments);
                    meant.is_some_and(|number| it.differing.contains(number))
                })
            }),
            Evidence::Race => {
                let is_meant = |spot: Location| match spot.point {
                    Point::Operation(value) => {
                        let at = (spot.function, value);
                        self.accesses.contains(&at) || self.contains(at)
                    }
                    _ => false,
                };
                let race =
                    run.races.found.iter().any(|it| is_meant(it.first.spot) || is_meant(it.second.spot));
                race.then_some(Moment::End)
            }
            // Two executions are compared instead.
            Evidence::TwoReadings | Evidence::WithoutTokens => None,
        }
    }

    /// Whether the event counts only if the results of the program depend on the undefined result.
    pub(super) fn needs_use(&self) -> bool {
        self.evidence == Evidence::UndefinedResult
    }

    /// Whether the execution needs the search for data races.
    pub(super) fn needs_races(&self) -> bool {
        self.evidence == Evidence::Race
    }

    /// Whether a communication executes an operation of the finding.
    pub(super) fn has(&self, it: &Communication) -> bool {
        self.contains((it.function, it.value))
    }

    fn contains(&self, call: (usize, ValueId)) -> bool {
        self.calls.contains(&call) || self.inner.contains(&call)
    }

    /// Whether threads at an operation of the finding got there through a call of the finding. `spot`: the operation;
    /// `frames`: the function and block of each activation of a thread.
    pub(super) fn is_through(&self, spot: Location, frames: &[(usize, BlockId)]) -> bool {
        let is_direct = match spot.point {
            Point::Operation(value) => {
                let at = (spot.function, value);
                self.calls.contains(&at) || self.accesses.contains(&at)
            }
            _ => false,
        };
        is_direct || frames.iter().any(|frame| self.through.contains(frame))
    }

    /// Whether [`is_through`](Goal::is_through) needs to be checked.
    pub(super) fn has_callees(&self) -> bool {
        !self.through.is_empty()
    }

    fn missing_threads(&self, run: &Run) -> Option<Moment> {
        let at = self.first(run, |it| !it.named.missing.is_empty() || !it.named.unnamed.is_empty());
        if at.is_some() {
            return at;
        }
        let is_meant = |spot: &Location| match spot.point {
            Point::Operation(value) => self.contains((spot.function, value)),
            _ => false,
        };
        match &run.outcome {
            Outcome::Deadlock { waiting, .. } => {
                waiting.iter().any(|it| is_meant(&it.spot)).then_some(Moment::End)
            }
            Outcome::Undefined { what, spot, .. } => {
                let is_partial = matches!(
                    what,
                    Undefined::Unnamed { .. } | Undefined::Elsewhere { .. } | Undefined::Partial { .. }
                );
                // The execution continued, and the communication has no marks.
                let mut all = run.communications.iter();
                let at = all.position(|it| it.spot() == *spot).filter(|_| is_partial && is_meant(spot));
                at.map(Moment::At)
            }
            Outcome::Finished | Outcome::Spent { .. } => None,
        }
    }

    fn first(&self, run: &Run, shows: impl Fn(&Communication) -> bool) -> Option<Moment> {
        let mut all = run.communications.iter();
        all.position(|it| self.has(it) && shows(it)).map(Moment::At)
    }
}

/// The numbers of the arguments of a call.
fn arguments(function: &Function, call: ValueId) -> Vec<usize> {
    match &function.values[call].op {
        Op::Call(call) => (0..call.arguments.len()).collect(),
        _ => Vec::new(),
    }
}

fn overlap(a: &Place, b: &Place) -> bool {
    a.file == b.file && a.range.start < b.range.end && b.range.start < a.range.end
}

/// The activity of a thread at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Activity {
    /// Executes the operation.
    Executes,
    /// Executes the operation, and its own mask does not name it.
    Unnamed,
    /// Executes the operation, and gets an undefined result.
    Unread,
    /// Waits at a convergent operation.
    Waits,
    /// Is elsewhere, although the operation needs the thread.
    Missing,
    /// Is elsewhere.
    Elsewhere,
    /// Has returned from the kernel.
    Returned,
}

/// The activity and the location of a thread, and the first thread that waits together with it.
pub(super) type ThreadMoment = (Activity, Option<Location>, Option<usize>);

/// Records the location of each thread at a moment.
pub(super) struct Snapshot {
    moment: Moment,
    /// The number of communications so far.
    seen: usize,
    /// For each thread, the function and block of each of its activations. Empty if it has returned.
    pub frames: Vec<Vec<(usize, BlockId)>>,
    is_complete: bool,
}

impl Snapshot {
    pub(super) fn new(moment: Moment, threads: usize) -> Snapshot {
        Snapshot { moment, seen: 0, frames: vec![Vec::new(); threads], is_complete: false }
    }

    /// Returns the activity and the location of each thread, and the first thread that waits together with it.
    pub(super) fn activities(&self, run: &Run) -> Vec<ThreadMoment> {
        let activity = |(thread, frames): (usize, &Vec<(usize, BlockId)>)| {
            let end = run.ends[thread];
            let Moment::At(number) = self.moment else {
                let activity = match end.state {
                    EndState::Returned => Activity::Returned,
                    EndState::Waiting { .. } => Activity::Waits,
                    EndState::Running | EndState::Stopped => Activity::Elsewhere,
                };
                let waits_with = run.ends.iter().position(|other| other.state == end.state);
                return (activity, Some(end.spot), waits_with.filter(|_| activity == Activity::Waits));
            };
            let it = &run.communications[number];
            let holds = |list: &[usize]| list.contains(&thread);
            if it.threads.binary_search(&thread).is_ok() {
                let activity = match () {
                    () if holds(&it.named.unnamed) => Activity::Unnamed,
                    () if holds(&it.unread) || holds(&it.invalid_width) => Activity::Unread,
                    () => Activity::Executes,
                };
                return (activity, Some(it.spot()), None);
            }
            let block =
                |&(function, block): &(usize, BlockId)| Location { function, point: Point::Block(block) };
            match frames.last() {
                None => (Activity::Returned, Some(end.spot), None),
                Some(at) if holds(&it.named.missing) => (Activity::Missing, Some(block(at)), None),
                Some(at) => (Activity::Elsewhere, Some(block(at)), None),
            }
        };
        self.frames.iter().enumerate().map(activity).collect()
    }
}

impl Observer for Snapshot {
    fn wants_blocks(&self) -> bool {
        !self.is_complete
    }

    fn entered(&mut self, _: Key, function: usize, thread: usize, _: &[Value]) {
        if !self.is_complete {
            self.frames[thread].push((function, Function::ENTRY));
        }
    }

    fn left(&mut self, _: Key, thread: usize) {
        if !self.is_complete {
            self.frames[thread].pop();
        }
    }

    fn visited(&mut self, _: Key, function: usize, block: BlockId, _: Key, thread: usize) {
        if let Some(last) = self.frames[thread].last_mut().filter(|_| !self.is_complete) {
            *last = (function, block);
        }
    }

    fn together(&mut self, _: &Communication) {
        self.is_complete |= self.moment == Moment::At(self.seen);
        self.seen += 1;
    }
}
