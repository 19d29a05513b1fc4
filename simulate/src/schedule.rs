//! Chooses the thread that runs next, and decides which threads a waiting thread waits for.
//!
//! A thread can still join a waiting thread if it can reach a converged instance of the same operation. It has to be in
//! the same activation. It also needs a path through the graph that executes exactly those headers that the waiting
//! thread has executed and it has not. For an operation with a token, the same holds for the definitions of the token.
//! With the strategies of the source, it can join if it is earlier in the order of the source
//! ([`SourcePosition::cmp`](crate::way::Way::cmp)).

use std::cmp::Ordering;

use tangle_ir::flow::{BlockId, Function, Op, Token, ValueId};
use tangle_ir::scope::Scope;

use crate::grid::Grid;
use crate::keys::{AnchorUse, InstanceData, Key, Point, token_of};
use crate::language::{NamedThreads, PartialArrival};
use crate::launch::{Launch, LaunchError, Policy};
use crate::machine::{Frame, Machine, State, WaitPoint};
use crate::mask::tile_size;
use crate::memory::Object;
use crate::observer::{Exchange, Observer};
use crate::outcome::{
    Communication, EndState, Limit, Location, Named, Outcome, ThreadEnd, Undefined, Waiting,
};
use crate::program::{Program, ResolvedCallee};
use crate::races::Races;
use crate::value::Value;

/// Threads of one group that wait at one instance.
struct WaitingClass {
    key: Key,
    scope: Scope,
    group: usize,
    partial: PartialArrival,
    counts_returned: bool,
    threads: Vec<usize>,
}

/// The number of blocks that searches may visit for each step that a thread may execute.
const SEARCH_BLOCKS_PER_STEP: u64 = 4;

impl<O: Observer> Machine<'_, O> {
    /// Runs until no thread can continue.
    pub fn run(&mut self) -> Outcome {
        loop {
            if let Some(ended) = self.ended.take() {
                return ended;
            }
            if self.running.is_empty() {
                if let Some(outcome) = self.release_waiting() {
                    return outcome;
                }
                continue;
            }
            let at = self.random.below(self.running.len());
            let thread = self.running[at];
            let turn = 1 + self.random.below(self.launch.turn as usize);
            self.turn(thread, turn);
            if self.threads[thread].state != State::Running {
                self.running.swap_remove(at);
            }
        }
    }

    /// Executes the operations whose threads wait for no other thread, when no thread is running. Returns the outcome
    /// if the execution ends.
    fn release_waiting(&mut self) -> Option<Outcome> {
        let classes = self.classes();
        if classes.is_empty() {
            return Some(Outcome::Finished);
        }
        let mut free: Vec<&WaitingClass> = classes.iter().filter(|class| self.is_complete(class)).collect();
        let budget =
            (1 << 20) + u64::from(self.launch.steps) * self.threads.len() as u64 * SEARCH_BLOCKS_PER_STEP;
        if self.walked.get() > budget {
            let thread = classes[0].threads[0];
            return Some(Outcome::Spent { what: Limit::Steps, thread, spot: self.here(thread) });
        }
        if free.is_empty() {
            if !self.launch.lenient {
                return Some(self.deadlock(&classes));
            }
            free.push(&classes[self.random.below(classes.len())]);
        }
        // Unordered classes execute in the order of their threads. The order of keys depends on the arrival of the
        // threads.
        free.sort_unstable_by_key(|class| (class.threads[0], class.scope));
        if !self.launch.masks {
            for class in free {
                self.execute_together(class, Named::default());
            }
            return None;
        }
        // Named threads are awaited as long as another operation lets threads continue.
        let mut judged: Vec<_> = free.iter().map(|class| (*class, self.judge_masks(class, &free))).collect();
        let is_awaiting = |(_, (_, violation)): &(&WaitingClass, (Named, Option<Undefined>))| {
            matches!(violation, Some(Undefined::Elsewhere { .. }))
        };
        if !judged.iter().all(is_awaiting) {
            judged.retain(|it| !is_awaiting(it));
        }
        let first = judged.iter().find_map(|(class, (named, violation))| {
            let what = (*violation)?;
            let unnamed = named.unnamed.first().filter(|_| matches!(what, Undefined::Unnamed { .. }));
            Some((*unnamed.unwrap_or(&class.threads[0]), what))
        });
        if let (Some((thread, what)), None) = (first, &self.first_partial) {
            self.first_partial = Some(Outcome::Undefined { what, thread, spot: self.here(thread) });
        }
        for (class, (named, _)) in judged {
            self.execute_together(class, named);
        }
        None
    }

    fn classes(&self) -> Vec<WaitingClass> {
        let mut waiting: Vec<(Key, Scope, usize, usize, WaitPoint)> = Vec::new();
        for (number, thread) in self.threads.iter().enumerate() {
            if let State::Waiting(waits) = thread.state {
                let WaitPoint { key, scope, .. } = waits;
                waiting.push((key, scope, self.grid.group_of(&thread.place, scope), number, waits));
            }
        }
        waiting.sort_unstable_by_key(|&(key, scope, group, number, _)| (key, scope, group, number));
        let same = waiting.chunk_by(|a, b| (a.0, a.1, a.2) == (b.0, b.1, b.2));
        same.map(|same| {
            let (key, scope, group, _, WaitPoint { partial, counts_returned, .. }) = same[0];
            let threads = same.iter().map(|it| it.3).collect();
            WaitingClass { key, scope, group, partial, counts_returned, threads }
        })
        .collect()
    }

    fn deadlock(&self, classes: &[WaitingClass]) -> Outcome {
        let mut classes: Vec<&WaitingClass> = classes.iter().collect();
        classes.sort_unstable_by_key(|class| class.threads[0]);
        let waiting = classes.into_iter().map(|class| {
            let thread = class.threads[0];
            Waiting { spot: self.here(thread), callee: self.callee(thread), threads: class.threads.clone() }
        });
        let is_concerned = |group: usize| {
            let of_group = self.grid.members(Scope::Workgroup, group);
            of_group.into_iter().any(|it| matches!(self.threads[it].state, State::Waiting(_)))
        };
        let concerned: Vec<bool> = (0..self.grid.groups()).map(is_concerned).collect();
        let returned = (0..self.threads.len()).filter(|&it| {
            self.threads[it].state == State::Finished && concerned[self.threads[it].place.group]
        });
        Outcome::Deadlock { waiting: waiting.collect(), returned: returned.collect() }
    }

    /// The builtin that a waiting thread calls.
    fn callee(&self, thread: usize) -> tangle_base::Symbol {
        match self.prepared(self.frame(thread)).calls[&self.operation_of(thread)] {
            ResolvedCallee::Builtin(name, _) => name,
            ResolvedCallee::Function(_) | ResolvedCallee::Pointer(_) | ResolvedCallee::Unknown => {
                unreachable!("threads wait only at builtins")
            }
        }
    }

    /// The operation at which a thread waits.
    fn operation_of(&self, thread: usize) -> ValueId {
        let frame = self.frame(thread);
        self.function(frame).blocks[frame.block].values[frame.at]
    }

    fn waits_at(&self, thread: usize, at: Key) -> bool {
        matches!(self.threads[thread].state, State::Waiting(waits) if waits.key == at)
    }

    /// The threads of the group that count and are not in the class.
    fn missing(&self, class: &WaitingClass) -> impl Iterator<Item = usize> {
        self.grid.members(class.scope, class.group).filter(|&it| {
            let counts = class.counts_returned || !self.exited_early(it, class.threads[0]);
            counts && class.threads.binary_search(&it).is_err()
        })
    }

    /// Returns the threads that an operation names, and the reason if it is undefined for them. `free`: the classes
    /// that can execute now.
    fn judge_masks(&self, class: &WaitingClass, free: &[&WaitingClass]) -> (Named, Option<Undefined>) {
        let (mut named, mut violation) = (Named::default(), None);
        let value = self.operation_of(class.threads[0]);
        let ResolvedCallee::Builtin(callee, Some(builtin)) =
            self.prepared(self.frame(class.threads[0])).calls[&value]
        else {
            return (named, violation);
        };
        let Some(names) = builtin.names else { return (named, violation) };
        for &thread in &class.threads {
            let Some(lanes) = self.named_lanes(thread, names) else { break };
            if lanes != u128::MAX {
                named.masks.push((thread, lanes));
            }
            let place = &self.threads[thread].place;
            if lanes >> place.lane & 1 == 0 {
                named.unnamed.push(thread);
                violation.get_or_insert(Undefined::Unnamed { callee });
                continue;
            }
            let (mut came, mut missing) = (0, 0);
            let group = self.grid.group_of(place, Scope::Subgroup);
            for other in self.grid.members(Scope::Subgroup, group) {
                if lanes >> self.threads[other].place.lane & 1 == 0 {
                    continue;
                }
                let has_same_lanes = || self.named_lanes(other, names) == Some(lanes);
                let is_here = class.threads.binary_search(&other).is_ok();
                let is_at_another_call = || {
                    names.anywhere
                        && free.iter().any(|it| it.threads.binary_search(&other).is_ok())
                        && self.callee(other) == callee
                };
                if (is_here || is_at_another_call()) && has_same_lanes() {
                    came += 1;
                } else if !self.exited_early(other, thread) {
                    missing += 1;
                    // A thread that executes the operation with another mask is not elsewhere.
                    if !is_here && !named.missing.contains(&other) {
                        named.missing.push(other);
                    }
                }
            }
            if missing > 0 {
                violation.get_or_insert(Undefined::Elsewhere { callee, came, missing });
            }
        }
        named.missing.sort_unstable();
        (named, violation)
    }

    /// Returns the lanes that the operation at which a thread waits names. `None`: they are undefined.
    fn named_lanes(&self, thread: usize, names: NamedThreads) -> Option<u128> {
        let value = self.operation_of(thread);
        let Op::Call(call) = &self.function(self.frame(thread)).values[value].op else { return None };
        let argument = |number: u16| {
            let (value, _) = call.arguments.get(usize::from(number))?;
            Some(self.get(thread, *value))
        };
        let lane = self.threads[thread].place.lane;
        if let Some(size) = names.tile {
            // A call for a tile whose size is not known has no such argument.
            let size = tile_size(argument(size)?)?;
            let lanes = u128::MAX >> (128 - size.min(128));
            return Some(lanes << (lane - lane % size));
        }
        match names.mask.and_then(argument) {
            // A mask of 32 bits can be a negative `int`.
            Some(Value::Int(bits)) => Some(*bits as u128 & u128::from(u64::MAX)),
            Some(_) => None,
            None => Some(u128::MAX),
        }
    }

    /// Whether a thread left the kernel early, from the view of a waiting thread. It did if it returned at a block that
    /// the waiting thread can reach only through a branch that decides whether this block is reached. A thread that
    /// only bypassed the operation did not leave early, even if it has returned since.
    ///
    /// ```c
    /// if (i >= n) return;              // these threads have left early
    /// if (i < 4) __syncthreads();      // the others bypass the barrier, and return after it
    /// ```
    fn exited_early(&self, thread: usize, waiting: usize) -> bool {
        let Some(end) = self.threads[thread].returned else { return false };
        if self.launch.all_returns_exit {
            return true;
        }
        let frame = &self.threads[waiting].frames[0];
        // A thread that returns from another function continues in its caller.
        if !self.function(frame).kernel {
            return false;
        }
        let deciding = &self.prepared(frame).deciding(self.function(frame))[end];
        // In the block where the other thread returned, this one is in a callee that the other has already left.
        let may_return_there = frame.block == end || self.path_exists(frame, (end, None), deciding);
        deciding.contains(&frame.block) || !may_return_there
    }

    fn is_complete(&self, class: &WaitingClass) -> bool {
        if class.partial == PartialArrival::Waits {
            return self.missing(class).next().is_none();
        }
        self.grid.members(class.scope, class.group).all(|it| {
            let is_done = !matches!(self.threads[it].state, State::Waiting(_));
            is_done || self.waits_at(it, class.key) || !self.may_join(it, class.threads[0])
        })
    }

    /// Whether a thread can reach a converged instance of the operation at which another thread waits.
    fn may_join(&self, thread: usize, other: usize) -> bool {
        self.walked.set(self.walked.get() + 1);
        if self.launch.strategy.is_of_source() {
            return self.is_before_in_source(thread, other);
        }
        let (mine, theirs) = (&self.threads[thread].frames, &self.threads[other].frames);
        let common = mine.iter().zip(theirs).take_while(|(a, b)| a.activation == b.activation).count();
        let Some(level) = common.checked_sub(1) else { return false };
        let (frame, target) = (&mine[level], &theirs[level]);
        let value = self.function(target).blocks[target.block].values[target.at];
        // If the other thread is in a call inside of the common function, the instance is that of the call.
        let key = match self.threads[other].state {
            State::Waiting(waits) if level + 1 == theirs.len() => waits.key,
            _ => match self.keys.instance(theirs[level + 1].activation) {
                InstanceData::Activation { call, .. } => *call,
                _ => return false,
            },
        };
        self.may_reach(thread, frame, value, (target.block, target.at), key)
    }

    /// Whether a thread is before the operation at which another one waits, in the order of the source, and a path
    /// leads there.
    fn is_before_in_source(&self, thread: usize, other: usize) -> bool {
        let (mine, theirs) = (&self.threads[thread].frames, &self.threads[other].frames);
        for (frame, target) in mine.iter().zip(theirs).take_while(|(a, b)| a.activation == b.activation) {
            let (Some(way), Some(their_way)) = (&frame.way, &target.way) else { return false };
            let order = way.cmp(their_way, self.function(frame), &self.prepared(frame).order);
            let order = order.then(frame.at.cmp(&target.at));
            if order != Ordering::Equal {
                let place = (target.block, Some(target.at));
                return order == Ordering::Less && self.path_exists(frame, place, &[]);
            }
        }
        false
    }

    /// Whether a thread in this frame can reach the instance `key` of the operation at `place`.
    fn may_reach(
        &self,
        thread: usize,
        frame: &Frame,
        value: ValueId,
        place: (BlockId, usize),
        key: Key,
    ) -> bool {
        let function = self.function(frame);
        let cycles = &self.rounds[frame.function].cycles;
        let of_token = |token: ValueId| self.prepared(frame).tokens.get(&token).copied();
        match self.keys.instance(key) {
            InstanceData::Uncontrolled { point: Point::Operation(_), headers, part, .. } => {
                // A thread with another part executes another instance. Under other policies, a thread can still get
                // any part.
                let alone =
                    self.rounds[frame.function].is_irreducible(place.0) && self.launch.policy == Policy::Must;
                if alone && *part != thread as u32 + 1 {
                    return false;
                }
                // From the inside out, as in the key.
                let around: Vec<_> = cycles.around(place.0).collect();
                let header = |at: usize| cycles.cycles[around[at]].header;
                let mine = |at: usize| frame.headers[around[at].index()];
                let avoid = |range: std::ops::Range<usize>| range.map(header).collect::<Vec<_>>();
                let differ = (0..around.len()).rev().find(|&at| mine(at) != headers[at]);
                match differ {
                    None => self.path_exists(frame, (place.0, Some(place.1)), &avoid(0..around.len())),
                    // The path must reach the outermost header that the other thread has executed more often. Counts of
                    // inner cycles do not matter.
                    Some(at) => {
                        mine(at) < headers[at]
                            && self.path_exists(frame, (header(at), None), &avoid(at + 1..around.len()))
                    }
                }
            }
            &InstanceData::Controlled { token: theirs, .. } => {
                let Some((token, definition)) = definition(function, value, of_token) else { return false };
                match frame.token(token) {
                    Some(mine) if mine == theirs => {
                        self.path_exists(frame, (place.0, Some(place.1)), &[definition.0])
                    }
                    _ => self.may_reach(thread, frame, token, definition, theirs),
                }
            }
            &InstanceData::Heart { token: theirs, count, .. } => {
                let Some((parent, definition)) = definition(function, value, of_token) else { return false };
                match frame.token(parent) {
                    Some(mine) if mine == theirs => {
                        self.met(frame, value, mine) < count
                            && self.path_exists(frame, (place.0, None), &[definition.0])
                    }
                    _ => self.may_reach(thread, frame, parent, definition, theirs),
                }
            }
            // The activation is the same, so the thread has already executed `entry`.
            _ => false,
        }
    }

    /// Whether a path leads from the current operation of a frame to a later execution of an operation, or of the start
    /// of a block if `before` is `None`. The path avoids the blocks in `avoid`.
    fn path_exists(&self, frame: &Frame, (to, before): (BlockId, Option<usize>), avoid: &[BlockId]) -> bool {
        let function = self.function(frame);
        if frame.block == to && before.is_some_and(|before| frame.at < before) {
            return true;
        }
        let mut seen = vec![false; function.blocks.len()];
        for block in avoid {
            seen[block.index()] = true;
        }
        let may_enter = before.is_none() || !seen[to.index()];
        let mut todo = vec![frame.block];
        let mut walked = function.blocks.len() as u64 / 64;
        let mut found = false;
        while let Some(block) = todo.pop() {
            walked += 1;
            let successors = function.blocks[block].terminator.successors();
            if may_enter && successors.contains(&to) {
                found = true;
                break;
            }
            todo.extend(
                successors.into_iter().filter(|next| !std::mem::replace(&mut seen[next.index()], true)),
            );
        }
        self.walked.set(self.walked.get() + walked);
        found
    }

    fn execute_together(&mut self, class: &WaitingClass, mut named: Named) {
        let value = self.operation_of(class.threads[0]);
        let callee = self.callee(class.threads[0]);
        let function = self.frame(class.threads[0]).function;
        if class.partial == PartialArrival::Undefined && (self.launch.masks || self.first_partial.is_none()) {
            let thread = class.threads[0];
            let absent: Vec<usize> = self.missing(class).collect();
            let (came, missing) = (class.threads.len(), absent.len());
            if missing > 0 && self.first_partial.is_none() {
                let what = Undefined::Partial { callee, scope: class.scope, came, missing };
                self.first_partial = Some(Outcome::Undefined { what, thread, spot: self.here(thread) });
            }
            if self.launch.masks {
                named.missing = absent;
            }
        }
        let differing = self.differing_arguments(&class.threads, value);
        let arguments = self.observer.wants_exchanges().then(|| self.arguments_of(class, value));
        let results = self.collective(class.key, class.group, &class.threads, value);
        let exchange = arguments.map(|arguments| Exchange {
            arguments,
            results: results.clone(),
            anchor: self.anchor_of(class),
        });
        let [mut unread, mut invalid_width] = [&mut self.unread, &mut self.invalid_width].map(std::mem::take);
        unread.sort_unstable();
        invalid_width.sort_unstable();
        for (&thread, result) in class.threads.iter().zip(results) {
            self.threads[thread].state = State::Running;
            self.running.push(thread);
            self.done(thread, value, class.key, result);
        }
        let threads = class.threads.clone();
        let communication = Communication {
            key: class.key,
            function,
            value,
            callee,
            threads,
            named,
            differing,
            unread,
            invalid_width,
        };
        self.observer.together(&communication);
        if let Some(exchange) = exchange {
            self.observer.exchanged(&communication, exchange);
        }
        let Communication { threads, differing, unread, invalid_width, .. } = &communication;
        let Named { masks, unnamed, missing } = &communication.named;
        let lists = [threads, unnamed, missing, differing, unread, invalid_width];
        let numbers: usize = lists.iter().map(|list| list.len()).sum();
        let bytes = size_of::<Communication>() + size_of::<usize>() * numbers + size_of_val(&masks[..]);
        self.settle(bytes as u64, class.threads[0]);
        self.communications.push(communication);
    }

    /// Returns the numbers of the arguments of a call that differ between threads.
    fn differing_arguments(&self, threads: &[usize], value: ValueId) -> Vec<usize> {
        let Op::Call(call) = &self.function(self.frame(threads[0])).values[value].op else {
            return Vec::new();
        };
        let differs = |argument: ValueId| {
            let first = self.get(threads[0], argument);
            threads.iter().any(|&thread| self.get(thread, argument) != first)
        };
        let arguments = call.arguments.iter().enumerate();
        arguments.filter(|(_, (argument, _))| differs(*argument)).map(|(number, _)| number).collect()
    }

    /// The arguments of each thread that waits at a call.
    fn arguments_of(&self, class: &WaitingClass, value: ValueId) -> Vec<Vec<Value>> {
        let arguments = |&thread: &usize| match &self.function(self.frame(thread)).values[value].op {
            Op::Call(call) => call.arguments.iter().map(|(it, _)| self.get(thread, *it).clone()).collect(),
            _ => Vec::new(),
        };
        class.threads.iter().map(arguments).collect()
    }

    /// The `anchor` that controls the operation at which threads wait.
    fn anchor_of(&self, class: &WaitingClass) -> Option<AnchorUse> {
        let kernel = self.threads[class.threads[0]].frames[0].function;
        let functions = &self.program.module.functions;
        let is_anchor = |function: usize, value: ValueId| {
            matches!(functions[function].values[value].op, Op::Token(Token::Anchor))
        };
        self.keys.anchor_of(class.key, kernel, is_anchor)
    }

    /// Returns the state of each thread. `kernel`: the function that all threads started in.
    fn ends(&self, kernel: usize) -> Vec<ThreadEnd> {
        let end = |number: usize| {
            let thread = &self.threads[number];
            let here = self.here(number);
            let state = match thread.state {
                State::Waiting(waits) => EndState::Waiting { callee: self.callee(number), key: waits.key },
                State::Running => EndState::Running,
                State::Stopped => EndState::Stopped,
                State::Finished => EndState::Returned,
            };
            let returned =
                thread.returned.map(|block| Location { function: kernel, point: Point::End(block) });
            ThreadEnd { state, spot: returned.unwrap_or(here) }
        };
        (0..self.threads.len()).map(end).collect()
    }
}

/// The token that an operation uses, and the location of its definition.
fn definition(
    function: &Function,
    value: ValueId,
    place: impl Fn(ValueId) -> Option<(BlockId, usize)>,
) -> Option<(ValueId, (BlockId, usize))> {
    let token = token_of(&function.values[value].op)?;
    Some((token, place(token)?))
}

/// The result of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// How the execution ended.
    pub outcome: Outcome,
    /// The convergent operations that were executed, in order.
    pub communications: Vec<Communication>,
    /// The state of each thread when the execution ended.
    pub ends: Vec<ThreadEnd>,
    /// The data races. Empty if the launch does not search for them.
    pub races: Races,
    /// The steps of all threads: one for each operation, and more for operations with much work.
    pub steps: u64,
    /// The threads of the launch.
    pub grid: Grid,
    /// The contents of global memory at the end.
    pub memory: Memory,
}

/// The contents of global memory: variables of the program, and the objects that arguments point to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    objects: Vec<Object>,
    /// The object of each argument.
    arguments: Vec<Option<u32>>,
}

impl Memory {
    /// Whether the defined bytes of two memories are equal.
    pub fn is_equal(&self, other: &Memory) -> bool {
        let pairs = self.objects.iter().zip(&other.objects);
        self.objects.len() == other.objects.len() && pairs.into_iter().all(|(a, b)| a.bytes() == b.bytes())
    }

    /// Returns the number of arguments.
    pub fn arguments(&self) -> usize {
        self.arguments.len()
    }

    /// Returns the bytes of the object that an argument points to. Undefined bytes are 0. `None` if the parameter is no
    /// pointer, or points to other memory.
    pub fn of_argument(&self, parameter: usize) -> Option<&[u8]> {
        let object = (*self.arguments.get(parameter)?)?;
        Some(self.objects.get(object as usize)?.bytes())
    }
}

impl Run {
    /// The convergent operations of one thread, in order.
    pub fn of_thread(&self, thread: usize) -> impl Iterator<Item = &Communication> {
        self.communications.iter().filter(move |it| it.threads.binary_search(&thread).is_ok())
    }
}

impl Program<'_> {
    /// Executes a function as a kernel.
    ///
    /// # Errors
    ///
    /// If the launch does not fit the function, or has no threads or too many.
    pub fn run(
        &self,
        kernel: usize,
        launch: &Launch,
        observer: &mut impl Observer,
    ) -> Result<Run, LaunchError> {
        let mut machine = Machine::new(self, kernel, launch, observer)?;
        let ended = machine.run();
        let mut ends = machine.ends(kernel);
        // A launch can exceed its memory before it has threads.
        if let Outcome::Undefined { thread, spot, .. } | Outcome::Spent { thread, spot, .. } = ended
            && let Some(end) = ends.get_mut(thread)
        {
            *end = ThreadEnd { state: EndState::Stopped, spot };
        }
        let Machine { communications, steps, grid, search, first_partial: unmet, globals, arguments, .. } =
            machine;
        let outcome = unmet.unwrap_or(ended);
        let races = search.map_or(Races::default(), |search| search.found());
        Ok(Run {
            outcome,
            communications,
            ends,
            races,
            steps,
            grid,
            memory: Memory { objects: globals, arguments },
        })
    }
}
