//! Executions, recorded for a comparison: the communications of each thread, with their values, and the end.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use tangle_simulate::operation::{Argument, Collective, CollectiveOp, Operation, Outside};
use tangle_simulate::{
    Communication, EndState, Exchange, Language, Launch, LaunchError, Observer, Outcome, Program, Run,
    Undefined,
};

use tangle_syntax::dialect::Builtins;

use crate::run_observed;

/// A recorded execution.
pub(super) struct Recorded {
    pub run: Run,
    /// The values of each communication of the run.
    pub exchanges: Vec<Exchange>,
    /// The communications of each thread.
    pub streams: Vec<Streams>,
}

/// The communications of one thread, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Streams {
    /// All except shuffles.
    pub effects: Vec<Event>,
    pub shuffles: Vec<Event>,
}

/// The part of one thread in a communication.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    /// The index of the communication in the run.
    pub communication: usize,
    /// The index of the thread in the communication.
    pub slot: usize,
}

/// Whether an execution can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Defined,
    /// The behaviour is undefined.
    Undefined,
    /// The behaviour of the source is undefined, but the execution shows one.
    Raced,
    /// The execution exceeded a limit, so its end is unknown.
    Unknown,
}

/// Records the values of communications.
#[derive(Default)]
struct Recorder(Vec<Exchange>);

impl Observer for Recorder {
    fn wants_exchanges(&self) -> bool {
        true
    }

    fn exchanged(&mut self, _: &Communication, exchange: Exchange) {
        self.0.push(exchange);
    }
}

/// Returns whether an operation only reads a value of one other thread, so that the other participants do not matter.
fn is_shuffle(builtins: &Builtins, of: &Communication) -> bool {
    let operation = builtins.builtin(of.callee).map(|builtin| builtin.operation);
    matches!(operation, Some(Operation::Collective(it)) if matches!(it.op, CollectiveOp::Shuffle { .. }))
}

/// Returns the argument of a shuffle with the number of lanes of a segment, which a call can lack.
pub(super) fn width_of(builtins: &Builtins, of: &Communication) -> Option<Argument> {
    let operation = builtins.builtin(of.callee).map(|builtin| builtin.operation);
    match operation {
        Some(Operation::Collective(Collective {
            op: CollectiveOp::Shuffle { outside: Outside::Segments { size }, .. },
            ..
        })) => Some(size),
        _ => None,
    }
}

/// Returns whether an operation has no effect except its result.
pub(super) fn is_pure(builtins: &Builtins, of: &Communication) -> bool {
    let operation = builtins.builtin(of.callee).map(|builtin| builtin.operation);
    matches!(operation, Some(Operation::Collective(it)) if it.op != CollectiveOp::MatchAll)
}

impl Recorded {
    /// Executes and records a launch.
    pub fn of(
        program: &Program<'_>,
        kernel: usize,
        launch: &Launch,
        builtins: &Builtins,
    ) -> Result<Recorded, LaunchError> {
        let mut recorder = Recorder::default();
        let run = run_observed(program, kernel, launch, &mut recorder)?;
        let mut streams = vec![Streams::default(); run.grid.threads()];
        for (communication, it) in run.communications.iter().enumerate() {
            let is_shuffle = is_shuffle(builtins, it);
            for (slot, &thread) in it.threads.iter().enumerate() {
                let event = Event { communication, slot };
                let of_thread: &mut Streams = &mut streams[thread];
                match is_shuffle {
                    true => of_thread.shuffles.push(event),
                    false => of_thread.effects.push(event),
                }
            }
        }
        Ok(Recorded { run, exchanges: recorder.0, streams })
    }

    /// Returns whether the execution can be compared.
    ///
    /// That only a part of a group reaches an operation is undefined in some source languages, but not in a flow graph:
    /// its tokens determine the participants of every operation.
    pub fn meaning(&self) -> Meaning {
        let has_stopped = || self.run.ends.iter().any(|end| matches!(end.state, EndState::Stopped));
        match &self.run.outcome {
            Outcome::Spent { .. } => Meaning::Unknown,
            Outcome::Undefined { what: Undefined::Partial { .. }, .. } if has_stopped() => Meaning::Unknown,
            Outcome::Finished
            | Outcome::Deadlock { .. }
            | Outcome::Undefined { what: Undefined::Partial { .. }, .. } => {
                if self.run.races.found.is_empty() { Meaning::Defined } else { Meaning::Raced }
            }
            Outcome::Undefined { .. } => Meaning::Undefined,
        }
    }

    pub fn communication(&self, event: Event) -> &Communication {
        &self.run.communications[event.communication]
    }

    pub fn exchange(&self, event: Event) -> &Exchange {
        &self.exchanges[event.communication]
    }

    /// Returns a hash of all callees and arguments of all threads. `participants`: and of the participants.
    pub fn hash(&self, participants: bool) -> u64 {
        let mut hasher = FxHasher::default();
        for streams in &self.streams {
            for &event in streams.effects.iter().chain(&streams.shuffles) {
                let of = self.communication(event);
                of.callee.as_str().hash(&mut hasher);
                self.exchange(event).arguments[event.slot].hash(&mut hasher);
                if participants {
                    of.threads.hash(&mut hasher);
                }
            }
            streams.effects.len().hash(&mut hasher);
        }
        hasher.finish()
    }
}
