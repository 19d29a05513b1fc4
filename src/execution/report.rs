//! An execution with lines and columns: the data of all output formats (`docs/json.md`).

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use tangle_simulate::{
    self as simulate, EndState, Launch, Limit, Location, Outcome, Program, Run, Table, Undefined,
};

use super::races::{self, Race};
use tangle_analysis::flow::Function;
use tangle_emit::source::FunctionSource;
use tangle_syntax::dialect::Vocabulary;

/// A map in the order of insertion.
type FxIndexMap<K, V> = indexmap::IndexMap<K, V, rustc_hash::FxBuildHasher>;

/// An execution. Lines and columns count from 1. Threads have their linear local id, groups their number; both count from 0.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Execution")]
pub struct Report {
    #[serde(skip)]
    pub vocabulary: &'static Vocabulary,
    pub file: String,
    pub function: String,
    /// The size of a work-group.
    pub local_size: [u32; 3],
    /// The number of work-groups.
    pub groups: u32,
    pub sub_group_size: u32,
    pub strategy: &'static str,
    pub policy: &'static str,
    pub seed: u64,
    /// `finished`, `deadlock`, `out-of-steps` or `undefined`.
    pub outcome: &'static str,
    /// Why the outcome is not `finished`, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// For `out-of-steps` and `undefined`: the thread at which that happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// For `deadlock`: the threads that wait, and the operation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<Communication>,
    /// For `deadlock`: the threads that have returned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub returned: Vec<Instance>,
    /// Where the threads are at the end, by the first thread of each entry.
    pub ends: Vec<End>,
    /// The number of operations that all threads executed.
    pub operations: u64,
    /// The convergent operations, in the order of their execution.
    pub communications: Vec<Communication>,
    /// Pairs of conflicting accesses with no order between them, by position.
    pub races: Vec<Race>,
    /// True if there may be more races.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub races_cut: bool,
    /// The steps of the thread table, from left to right.
    pub table: Vec<Step>,
    /// True if the end of the table is missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// The first character of something. `file` is there only if it is another one than that of the command line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Place {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    pub line: usize,
    pub column: usize,
}

/// The thread that does something undefined, or too much.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Stopped {
    #[serde(flatten)]
    pub place: Place,
    pub group: usize,
    pub thread: usize,
}

/// A convergent operation, and the threads that execute it together.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Communication {
    pub callee: String,
    #[serde(flatten)]
    pub place: Place,
    /// The first work-group with such threads.
    pub group: usize,
    /// The threads of that work-group.
    pub threads: Vec<usize>,
    /// The threads of further work-groups: a barrier of a grid is one operation of all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<Instance>,
    /// The threads that the operation names, if it has a mask, or needs threads that are elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<Named>,
}

/// The threads that a convergent operation names, with a mask, a tile or the whole group.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Named {
    /// The masks of threads that execute the operation. The lanes of a tile are a mask, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub masks: Vec<Mask>,
    /// Threads that execute the operation, and that their own masks do not name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unnamed: Vec<Instance>,
    /// Named threads that are elsewhere, and have not exited early.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Instance>,
}

/// A mask, and the threads of a work-group that have it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Mask {
    /// A bit for each lane, as a hexadecimal number such as `0xff`.
    pub lanes: String,
    #[serde(flatten)]
    pub of: Instance,
}

/// Threads of a work-group that are at one place when the execution ends. Threads that wait are together.
#[derive(Debug, Serialize, JsonSchema)]
pub struct End {
    pub state: State,
    /// For `waiting`: the callee of the operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callee: Option<String>,
    #[serde(flatten)]
    pub place: Place,
    #[serde(flatten)]
    pub of: Instance,
}

/// The state of a thread at the end. `stopped`: it did something undefined or exceeded a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    Returned,
    Waiting,
    Running,
    Stopped,
}

/// A step of the table.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Step {
    #[serde(flatten)]
    pub place: Place,
    /// The callee, if the step is a convergent operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callee: Option<String>,
    pub instances: Vec<Instance>,
    /// The threads that the operation names, if it has a mask, or needs threads that are elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named: Option<Named>,
}

/// Threads of a work-group that are converged.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub struct Instance {
    pub group: usize,
    pub threads: Vec<usize>,
}

impl Report {
    pub fn of(
        program: &Program,
        places: &dyn FunctionSource,
        (kernel, file): (&Function, &str),
        launch: &Launch,
        run: &Run,
        table: &Table,
    ) -> Report {
        let vocabulary = places.vocabulary();
        let thread = &vocabulary.thread;
        let place = |spot: Location| {
            let key = program.module().functions[spot.function].key;
            match places.spot(key, program.span(spot)) {
                Some(at) => Place {
                    file: at.foreign.then(|| at.file.to_string()),
                    line: at.start.0,
                    column: at.start.1,
                },
                None => Place { file: None, line: 1, column: 1 },
            }
        };
        let of_groups = |threads: &[usize]| -> Vec<Instance> {
            let grid = &run.grid;
            let of_group = threads.chunk_by(|a, b| grid.place(*a).group == grid.place(*b).group);
            of_group
                .map(|threads| Instance {
                    group: grid.place(threads[0]).group,
                    threads: threads.iter().map(|it| grid.place(*it).linear).collect(),
                })
                .collect()
        };
        let named = |of: &simulate::Named| -> Option<Named> {
            let mut masks: FxIndexMap<u128, Vec<usize>> = FxIndexMap::default();
            for &(thread, lanes) in &of.masks {
                masks.entry(lanes).or_default().push(thread);
            }
            let sorted = |threads: &[usize]| {
                let mut threads = threads.to_vec();
                threads.sort_unstable();
                of_groups(&threads)
            };
            let with = |(lanes, threads): (&u128, &Vec<usize>)| {
                let lanes = format!("{lanes:#x}");
                sorted(threads)
                    .into_iter()
                    .map(move |of| Mask { lanes: lanes.clone(), of })
                    .collect::<Vec<_>>()
            };
            let masks = masks.iter().flat_map(with).collect();
            let named = Named { masks, unnamed: sorted(&of.unnamed), missing: sorted(&of.missing) };
            (*of != simulate::Named::default()).then_some(named)
        };
        let communication = |callee: &str, spot: Location, groups: Vec<Instance>, named: Option<Named>| {
            let mut groups = groups.into_iter();
            let Instance { group, threads } = groups.next()?;
            let further = groups.collect();
            Some(Communication {
                callee: callee.to_owned(),
                place: place(spot),
                group,
                threads,
                further,
                named,
            })
        };
        let communications = run.communications.iter().filter_map(|it| {
            communication(it.callee.as_str(), it.spot(), of_groups(&it.threads), named(&it.named))
        });
        let (mut waiting, mut returned, mut stopped) = (Vec::new(), Vec::new(), None);
        let mut stop = |thread: usize, spot: Location| {
            let at = run.grid.place(thread);
            stopped = Some(Stopped { place: place(spot), group: at.group, thread: at.linear });
        };
        let (outcome, reason) = match &run.outcome {
            Outcome::Finished => ("finished", None),
            Outcome::Deadlock { waiting: all, returned: gone } => {
                for it in all {
                    let groups = of_groups(&it.threads).into_iter();
                    waiting.extend(
                        groups.filter_map(|group| {
                            communication(it.callee.as_str(), it.spot, vec![group], None)
                        }),
                    );
                }
                returned = of_groups(gone);
                ("deadlock", Some(format!("{thread}s wait for other {thread}s that never arrive")))
            }
            Outcome::Spent { what, thread: number, spot } => {
                stop(*number, *spot);
                let reason = match what {
                    Limit::Steps => {
                        format!("a {thread} exceeds its limit of operations; possibly an endless loop")
                    }
                    Limit::Memory => "the launch exceeds its limit of memory".to_owned(),
                    Limit::Depth => "calls are nested too deeply; possibly an endless recursion".to_owned(),
                };
                ("out-of-steps", Some(reason))
            }
            Outcome::Undefined { what, thread: number, spot } => {
                stop(*number, *spot);
                ("undefined", Some(undefined(what, vocabulary)))
            }
        };
        let steps = table.steps.iter().map(|step| Step {
            place: place(step.spot),
            callee: step.callee.map(|callee| callee.to_string()),
            instances: step
                .instances
                .iter()
                .map(|it| Instance { group: it.group, threads: it.threads.clone() })
                .collect(),
            named: named(&step.named),
        });
        let mut ends: FxIndexMap<(usize, simulate::ThreadEnd), Vec<usize>> = FxIndexMap::default();
        for (thread, &end) in run.ends.iter().enumerate() {
            ends.entry((run.grid.place(thread).group, end)).or_default().push(thread);
        }
        let ends = ends.into_iter().flat_map(|((_, end), threads)| {
            let (state, callee) = match end.state {
                EndState::Returned => (State::Returned, None),
                EndState::Waiting { callee, .. } => (State::Waiting, Some(callee.to_string())),
                EndState::Running => (State::Running, None),
                EndState::Stopped => (State::Stopped, None),
            };
            let place = place(end.spot);
            of_groups(&threads).into_iter().map(move |of| End {
                state,
                callee: callee.clone(),
                place: place.clone(),
                of,
            })
        });
        Report {
            vocabulary,
            file: file.to_owned(),
            function: kernel.key.label().into_owned(),
            local_size: launch.local_size,
            groups: launch.groups,
            sub_group_size: launch.sub_group_size,
            strategy: launch.strategy.name(),
            policy: launch.policy.name(),
            seed: launch.seed,
            outcome,
            reason,
            communications: communications.collect(),
            races: races::of(run, program.module(), kernel, place),
            races_cut: run.races.cut || run.races.more > 0,
            table: steps.collect(),
            ends: ends.collect(),
            operations: run.steps,
            cut: table.cut,
            waiting,
            returned,
            stopped,
        }
    }

    /// Returns whether all threads returned without a race.
    pub fn is_clean(&self) -> bool {
        self.outcome == "finished" && self.races.is_empty()
    }

    /// Returns the number of threads in a work-group.
    pub fn of_group(&self) -> usize {
        self.local_size.iter().map(|&size| size as usize).product()
    }

    /// Returns the number of threads in all work-groups.
    pub fn threads(&self) -> usize {
        self.of_group() * self.groups as usize
    }

    /// Returns the files of locations, other than the file of the request.
    pub fn other_files(&self) -> BTreeSet<&str> {
        let called = self.communications.iter().chain(&self.waiting).map(|it| &it.place);
        let places = called
            .chain(self.table.iter().map(|it| &it.place))
            .chain(self.races.iter().flat_map(|it| &it.accesses).map(|it| &it.place))
            .chain(self.stopped.iter().map(|it| &it.place));
        let places = places.chain(self.ends.iter().map(|it| &it.place));
        places.filter_map(|place| place.file.as_deref()).collect()
    }
}

fn undefined(what: &Undefined, vocabulary: &Vocabulary) -> String {
    match what {
        Undefined::Branch => "a branch depends on an undefined value".to_owned(),
        Undefined::Pointer => "an address depends on an undefined value".to_owned(),
        Undefined::Address => "an address does not point to an object".to_owned(),
        Undefined::Bounds { offset, bytes, size } => {
            format!("an access of {bytes} bytes at byte {offset} is outside its object of {size} bytes")
        }
        Undefined::Unreachable => "execution reaches code that is marked as unreachable".to_owned(),
        Undefined::Unnamed { callee } => {
            format!("a {} executes `{callee}`, but its mask does not name this {0}", vocabulary.thread)
        }
        Undefined::Elsewhere { callee, came, missing } => {
            let threads = vocabulary.threads();
            let reach = if *came == 1 { "executes" } else { "execute" };
            format!("only {came} of the {} {threads} that `{callee}` names {reach} it", came + missing)
        }
        Undefined::Partial { callee, scope, came, missing } => {
            let (threads, group) = (vocabulary.threads(), vocabulary.group(*scope));
            let reach = if *came == 1 { "reaches" } else { "reach" };
            format!("only {came} of the {} {threads} of a {group} {reach} `{callee}`", came + missing)
        }
    }
}
