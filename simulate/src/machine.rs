//! Executes a kernel of a module with many threads, one operation at a time, in random order.
//!
//! Each thread has its own private memory, and each work-group its own `local` memory. At a convergent operation of a
//! scope, a thread waits; `schedule` decides for which threads. The work of a thread is limited, so that every
//! execution ends soon. Each operation counts as one step, and an operation with much work (a copy, a walk through the
//! graph) counts as several.
//!
//! This file has the state of an execution, and moves a thread from one operation and block to the next. `begin`
//! creates the state, `operation` computes values, `calls` enters and leaves functions, `access` reads and writes
//! memory. `order` passes operations that order memory to the search for races. `instances` computes the dynamic
//! instance of an operation.

mod access;
mod begin;
mod calls;
mod instances;
mod operation;
mod order;

use std::borrow::Cow;
use std::cell::Cell;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tangle_ir::flow::{BlockId, Function, Op, Terminator, ValueId};
use tangle_ir::scope::Scope;

use crate::grid::{Grid, ThreadPosition};
use crate::keys::{Key, Keys, Point};
use crate::language::PartialArrival;
use crate::launch::{Headers, Launch, LaunchError};
use crate::memory::Object;
use crate::observer::Observer;
use crate::outcome::{Communication, Limit, Location, Outcome, Undefined};
use crate::position::{Marks, SourcePosition};
use crate::program::{CycleHierarchy, PreparedFunction, Program};
use crate::races::Search;
use crate::random::Random;
use crate::value::Value;

/// The execution of one function by one thread.
pub(crate) struct Frame {
    pub function: usize,
    pub activation: Key,
    pub block: BlockId,
    /// The index of the next operation in the block.
    pub at: usize,
    values: Vec<Value>,
    /// For each cycle, the number of executions of its header since the last header of a cycle around it.
    pub headers: Vec<u32>,
    /// The position of the thread in the source, if the strategy uses it.
    pub way: Option<Box<SourcePosition>>,
    /// Private memory: the slots, and then the records that were passed by copy.
    memory: Vec<Object>,
    /// The size of the frame in bytes.
    cost: u64,
    /// The call in the frame of the caller to which this frame returns, and its instance. `None` for the kernel.
    call: Option<(ValueId, Key)>,
}

impl Frame {
    /// The instance that defined a token. `None` if it is not defined yet.
    pub fn token(&self, token: ValueId) -> Option<Key> {
        match self.values[token.index()] {
            Value::Token(key) => Some(key),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    Waiting(WaitPoint),
    Finished,
    /// The thread executed undefined behaviour or exceeded a limit.
    Stopped,
}

/// The convergent operation at which a thread waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WaitPoint {
    pub key: Key,
    pub scope: Scope,
    pub partial: PartialArrival,
    pub counts_returned: bool,
}

pub(crate) struct Thread {
    pub place: ThreadPosition,
    pub frames: Vec<Frame>,
    pub state: State,
    /// The block of the kernel where the thread returned.
    pub returned: Option<BlockId>,
    steps: u32,
}

/// Whether a thread can execute another step.
enum Next {
    On,
    /// The thread waits, has returned, or has stopped.
    Halt,
}

/// The threads that take part in an instance together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Participants {
    /// The mask that they pass.
    pub mask: Option<i128>,
    /// The first lane of their tile.
    pub tile: Option<usize>,
}

pub(crate) struct Machine<'p, O> {
    pub program: &'p Program<'p>,
    pub launch: &'p Launch,
    pub observer: &'p mut O,
    /// For each function, the cycles of the selected hierarchy.
    pub rounds: Vec<Cow<'p, CycleHierarchy>>,
    pub keys: Keys,
    pub marks: Marks,
    pub threads: Vec<Thread>,
    /// The running threads, in no particular order.
    pub running: Vec<usize>,
    pub grid: Grid,
    pub random: Random,
    /// Random numbers for the policy.
    pub choices: Random,
    /// For each work-group, its objects in `local` memory.
    locals: Vec<Vec<Object>>,
    pub globals: Vec<Object>,
    /// The object in `globals` that each argument points to.
    pub arguments: Vec<Option<u32>>,
    /// The memory in use, in bytes.
    taken: u64,
    /// The steps that all threads have executed.
    pub steps: u64,
    /// The blocks visited by the search for threads that can still join a waiting thread.
    pub walked: Cell<u64>,
    pub communications: Vec<Communication>,
    /// The results of collective operations, by instance, group and participants, for threads that arrive late. Only
    /// lenient launches have them.
    pub given: FxHashMap<(Key, usize, Participants), Value>,
    /// The threads that read from a lane that takes no part in the current operation.
    pub unread: Vec<usize>,
    /// The threads that pass an invalid width to the current operation.
    pub invalid_width: Vec<usize>,
    /// The outcome, once the execution has ended.
    pub ended: Option<Outcome>,
    /// The first operation that must be reached by all threads of a group and was not. Its other threads continued.
    pub first_partial: Option<Outcome>,
    /// The values of phis until all phis of the block are computed.
    phis: Vec<(ValueId, Value)>,
    /// The search for data races, if the launch enables it.
    pub search: Option<Box<Search>>,
}

impl<'p, O: Observer> Machine<'p, O> {
    /// Creates an execution whose threads are at the entry of the kernel.
    pub fn new(
        program: &'p Program<'p>,
        kernel: usize,
        launch: &'p Launch,
        observer: &'p mut O,
    ) -> Result<Machine<'p, O>, LaunchError> {
        if kernel >= program.functions.len() {
            return Err(LaunchError::Function);
        }
        let sizes = launch.local_size.into_iter().chain([launch.groups]).map(u64::from);
        let threads = sizes.fold(1u64, u64::saturating_mul);
        let fits = (1..=Launch::MAX_THREADS).contains(&threads)
            && (1..=128).contains(&launch.sub_group_size)
            && (1..=255).contains(&launch.depth)
            && launch.turn > 0;
        if !fits {
            return Err(LaunchError::Size);
        }
        let random = Random::new(launch.seed);
        let mut choices = Random::new(launch.seed.wrapping_add(launch.choices.rotate_left(32)));
        let grid = launch.grid();
        let rounds =
            program.module.functions.iter().zip(&program.functions).map(|(function, prepared)| match launch
                .headers
            {
                Headers::Random => Cow::Owned(CycleHierarchy::random(function, &mut choices)),
                Headers::Llvm => Cow::Borrowed(&prepared.rounds),
            });
        let rounds = rounds.collect();
        let search = launch.races.then(|| Box::new(Search::new(program.module, launch, &grid)));
        let mut machine = Machine {
            program,
            launch,
            observer,
            rounds,
            keys: Keys::default(),
            marks: Marks::default(),
            threads: Vec::new(),
            running: Vec::new(),
            locals: (0..grid.groups()).map(|_| Vec::new()).collect(),
            grid,
            random,
            choices,
            arguments: Vec::new(),
            globals: Vec::new(),
            taken: 0,
            steps: 0,
            walked: Cell::new(0),
            communications: Vec::new(),
            given: FxHashMap::default(),
            unread: Vec::new(),
            invalid_width: Vec::new(),
            ended: None,
            first_partial: None,
            phis: Vec::new(),
            search,
        };
        machine.place_objects(kernel);
        machine.begin(kernel)?;
        Ok(machine)
    }

    /// Accounts for `bytes` of memory. Returns false, and ends the execution, if the launch does not have them.
    fn take(&mut self, bytes: u64, thread: usize, spot: Location) -> bool {
        self.taken = self.taken.saturating_add(bytes);
        let affordable = self.taken <= self.launch.memory;
        if !affordable && self.ended.is_none() {
            self.ended = Some(Outcome::Spent { what: Limit::Memory, thread, spot });
        }
        affordable
    }

    /// Accounts for memory that records convergent operations.
    pub fn settle(&mut self, bytes: u64, thread: usize) {
        let spot = self.here(thread);
        self.take(bytes, thread, spot);
    }

    pub fn function(&self, frame: &Frame) -> &'p Function {
        &self.program.module.functions[frame.function]
    }

    pub fn prepared(&self, frame: &Frame) -> &'p PreparedFunction {
        &self.program.functions[frame.function]
    }

    pub fn frame(&self, thread: usize) -> &Frame {
        self.threads[thread].frames.last().expect("a thread that has not returned has a frame")
    }

    pub fn frame_mut(&mut self, thread: usize) -> &mut Frame {
        self.threads[thread].frames.last_mut().expect("a thread that has not returned has a frame")
    }

    /// The next operation of a thread, or the end of its block.
    pub fn here(&self, thread: usize) -> Location {
        let Some(frame) = self.threads.get(thread).and_then(|thread| thread.frames.last()) else {
            return Location { function: 0, point: Point::Block(Function::ENTRY) };
        };
        let values = &self.function(frame).blocks[frame.block].values;
        let point = values.get(frame.at).map_or(Point::End(frame.block), |&value| Point::Operation(value));
        Location { function: frame.function, point }
    }

    /// Moves a thread to a block, counts the execution of a header, and assigns the values of `phis`.
    fn arrive(&mut self, thread: usize, block: BlockId) {
        let frame = self.threads[thread].frames.last_mut().expect("a running thread has a frame");
        (frame.block, frame.at) = (block, 0);
        if let Some(way) = &mut frame.way {
            let function = &self.program.module.functions[frame.function];
            way.go((frame.function, function), block, &mut self.marks);
            let around = function.loops_around(block).count() as u64;
            self.charge(thread, around / 16);
        }
        let frame = self.threads[thread].frames.last_mut().expect("a running thread has a frame");
        let rounds = &self.rounds[frame.function];
        let header_of = rounds.cycle_of[block];
        // The instance of a header depends on the counts before this execution.
        if self.observer.wants_blocks() {
            let key = self.uncontrolled(thread, Point::Block(block), 0);
            let frame = self.frame(thread);
            let (activation, function) = (frame.activation, frame.function);
            self.observer.visited(activation, function, block, key, thread);
        }
        let frame = self.threads[thread].frames.last_mut().expect("a running thread has a frame");
        if let Some(cycle) = header_of {
            let rounds = &self.rounds[frame.function];
            frame.headers[cycle.index()] += 1;
            let mut todo: SmallVec<[_; 8]> = rounds.cycles.cycles[cycle].children.iter().copied().collect();
            let mut inner = 0;
            while let Some(cycle) = todo.pop() {
                frame.headers[cycle.index()] = 0;
                todo.extend(rounds.cycles.cycles[cycle].children.iter().copied());
                inner += 1;
            }
            self.charge(thread, inner / 16);
        }
        for at in 0..self.phis.len() {
            let (phi, value) = std::mem::replace(&mut self.phis[at], (ValueId::new(0), Value::Undefined));
            if self.observer.wants_values() {
                let key = self.instance(thread, phi);
                self.done(thread, phi, key, value);
            } else {
                self.set(thread, phi, value);
            }
        }
        self.phis.clear();
    }

    pub fn get(&self, thread: usize, value: ValueId) -> &Value {
        &self.frame(thread).values[value.index()]
    }

    /// Stops a thread because its behaviour is undefined.
    fn stop(&mut self, thread: usize, what: Undefined) -> Next {
        self.undefined(thread, what);
        self.threads[thread].state = State::Stopped;
        Next::Halt
    }

    /// Counts additional steps of an operation. Returns false if the thread does not have so many steps left.
    pub fn charge(&mut self, thread: usize, steps: u64) -> bool {
        if steps == 0 {
            return true;
        }
        self.steps += steps;
        let of_thread = &mut self.threads[thread];
        match u64::from(of_thread.steps).checked_sub(steps) {
            Some(left) => {
                of_thread.steps = left as u32;
                true
            }
            None => {
                of_thread.steps = 0;
                false
            }
        }
    }

    fn set(&mut self, thread: usize, value: ValueId, result: Value) {
        self.frame_mut(thread).values[value.index()] = result;
        self.frame_mut(thread).at += 1;
    }

    /// Finishes the operation at which a thread is, with this result.
    pub fn done(&mut self, thread: usize, value: ValueId, key: Key, result: Value) {
        if self.observer.wants_values() {
            let activation = self.frame(thread).activation;
            self.observer.value(activation, value, key, thread, &result);
        }
        self.set(thread, value, result);
    }

    /// Runs a thread for a number of steps, or until it cannot continue.
    pub fn turn(&mut self, thread: usize, steps: usize) {
        for _ in 0..steps {
            match self.step(thread) {
                Next::On => {}
                Next::Halt => return,
            }
            if self.ended.is_some() {
                return;
            }
        }
    }

    /// Executes one step of a running thread.
    fn step(&mut self, thread: usize) -> Next {
        let of_thread = &mut self.threads[thread];
        match of_thread.steps.checked_sub(1) {
            Some(left) => of_thread.steps = left,
            None => {
                let spot = self.here(thread);
                if !self.launch.lenient && self.ended.is_none() {
                    self.ended = Some(Outcome::Spent { what: Limit::Steps, thread, spot });
                }
                self.threads[thread].state = State::Stopped;
                return Next::Halt;
            }
        }
        self.steps += 1;
        let frame = self.frame(thread);
        let function = self.function(frame);
        let block = &function.blocks[frame.block];
        match block.values.get(frame.at) {
            Some(&value) => self.operation(thread, function, value),
            None => self.terminator(thread, &block.terminator),
        }
    }

    fn terminator(&mut self, thread: usize, terminator: &'p Terminator) -> Next {
        let mut taken = None;
        let target = match terminator {
            Terminator::Jump(target) => *target,
            Terminator::Branch { condition, then, otherwise } => match self.get(thread, *condition) {
                Value::Int(0) => *otherwise,
                Value::Int(_) => *then,
                _ => return self.stop(thread, Undefined::Branch),
            },
            Terminator::Switch { value, cases, otherwise } => match self.get(thread, *value) {
                Value::Int(value) => {
                    let case = cases.iter().position(|(low, high, _)| (*low..=*high).contains(value));
                    taken = case.map(|case| case as u32);
                    let target = case.map_or(*otherwise, |case| cases[case].2);
                    self.charge(thread, cases.len() as u64 / 64);
                    target
                }
                _ => return self.stop(thread, Undefined::Branch),
            },
            Terminator::Return(value) => return self.leave(thread, *value),
            Terminator::Unreachable => return self.stop(thread, Undefined::Unreachable),
        };
        let from = self.frame(thread).block;
        let frame = self.threads[thread].frames.last_mut().expect("a running thread has a frame");
        if let Some(way) = &mut frame.way {
            way.take(&self.program.module.functions[frame.function], from, taken);
        }
        if self.observer.wants_values() && !matches!(terminator, Terminator::Jump(_)) {
            let key = self.uncontrolled(thread, Point::End(from), 0);
            self.observer.branched(self.frame(thread).activation, from, key, thread, target);
        }
        // All phis read their operands before any of them is written.
        let function = self.function(self.frame(thread));
        let mut phis = std::mem::take(&mut self.phis);
        let mut looked = 0;
        for &phi in &function.blocks[target].values {
            let Op::Phi(incoming) = &function.values[phi].op else { break };
            let value = incoming.iter().find(|(block, _)| *block == from);
            let value = value.map_or(Value::Undefined, |(_, value)| self.get(thread, *value).clone());
            phis.push((phi, value));
            looked += incoming.len();
        }
        self.phis = phis;
        self.charge(thread, looked as u64 / 64);
        self.arrive(thread, target);
        Next::On
    }
}
