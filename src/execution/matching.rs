//! Whether an execution of a new program is one that the old program allows.
//!
//! The communications of each thread are compared in order: operation, arguments, participants. Four rules follow from
//! `convergent-operations.rst`:
//!
//! - **An `anchor` is free.** Its set of threads is implementation-defined. So an operation whose token derives from an
//!   `anchor` can have other participants than in the recorded old execution. There must be a partition of the
//!   executions of the `anchor` that gives exactly the new participants, at all operations that use it.
//! - **A shuffle reads one thread.** Its result counts, and its set of threads does not (*Hoisting and sinking*).
//! - **An operation without an effect can be added or removed as a whole**, if no thread uses its result: the memory at
//!   the end is the same. So operations can be moved across uniform branches, and sunk together with their `anchor`.
//! - **An undefined argument** of the old execution matches every argument.
//!
//! ```text
//! old                          new                          threads 0 and 1, c holds in thread 0
//! t = anchor; a(t); b(t)       t = anchor; a(t); if (c) b(t)
//!
//! thread 0: a b   thread 1: a b     thread 0: a b   thread 1: a     b of thread 1 is missing: if {0, 1} execute a
//!                                                                   together, b must be executed by {0, 1}
//! ```
//!
//! The partition: the new execution joins executions of the `anchor` if their operations have a common communication.
//! Every valid partition also joins these executions, and a larger class only adds participants. So a valid partition
//! exists iff the smallest one gives exactly the participants of the new execution.

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_ir::flow::ValueId;
use tangle_ir::scope::Scope;
use tangle_simulate::{Base, EndState, Key, Language, Pointer, Value};

use super::exchange::{Event, Recorded, is_pure, width_of};
use tangle_syntax::dialect::Builtins;

/// Two executions of one launch.
pub(super) struct Pair<'a> {
    pub old: &'a Recorded,
    pub new: &'a Recorded,
    /// Whether both programs have the same objects, so that numbers of objects can be compared.
    pub same_objects: bool,
    pub builtins: &'a Builtins,
}

/// The first difference between two executions.
#[derive(Clone, Debug)]
pub(super) struct Mismatch {
    pub thread: usize,
    pub what: Difference,
    /// The index of the communication of the old execution. `None`: the thread executes no further one.
    pub old: Option<usize>,
    /// The same for the new execution.
    pub new: Option<usize>,
    /// The number of communications of threads before the difference.
    pub progress: usize,
}

/// What differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Difference {
    Operation,
    /// The number of the argument.
    Argument(usize),
    Participants,
    Result,
    End,
}

/// Which communications may be missing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alignment {
    None,
    /// The new execution may lack operations of the old one without an effect.
    OfOld,
    /// The old execution may lack operations of the new one without an effect.
    OfNew,
}

/// A communication of one thread in both executions.
#[derive(Clone, Copy)]
struct Matched {
    thread: usize,
    old: Event,
    new: Event,
}

impl Mismatch {
    /// The executions end in different ways, with the same communications before that.
    pub fn end() -> Mismatch {
        Mismatch { thread: 0, what: Difference::End, old: None, new: None, progress: usize::MAX }
    }
}

impl<'a> Pair<'a> {
    /// Returns the first difference. `None`: the old program allows the new execution.
    pub fn mismatch(&self) -> Option<Mismatch> {
        let effects = |of: &Recorded, thread: usize| of.streams[thread].effects.clone();
        let shuffles = |of: &Recorded, thread: usize| of.streams[thread].shuffles.clone();
        self.allowed(effects, self.same_memory(), |matched| self.check_participants(matched))
            // An added shuffle can only make results defined.
            .and_then(|()| self.allowed(shuffles, true, |matched| self.check_results(matched)))
            .and_then(|()| self.check_ends())
            .err()
    }

    /// Checks the communications of one kind, with each way to assign them to each other. The error is that of the
    /// assignment without missing communications. `may_add`: whether the new execution may have further ones.
    fn allowed(
        &self,
        streams: impl Fn(&Recorded, usize) -> Vec<Event>,
        may_add: bool,
        check: impl Fn(&[Matched]) -> Result<(), Mismatch>,
    ) -> Result<(), Mismatch> {
        let checked = |alignment, backward| {
            self.align(alignment, backward, &streams).and_then(|matched| check(&matched))
        };
        let Err(first) = checked(Alignment::None, false) else { return Ok(()) };
        let is_allowed = |alignment| [false, true].into_iter().any(|back| checked(alignment, back).is_ok());
        // The result of an operation that only one program has is not used if the memory at the end is the same.
        let may_drop = self.same_memory();
        match may_add && is_allowed(Alignment::OfNew) || may_drop && is_allowed(Alignment::OfOld) {
            true => Ok(()),
            false => Err(first),
        }
    }

    /// Assigns the communications of each thread to each other, in order.
    fn align(
        &self,
        alignment: Alignment,
        backward: bool,
        streams: &impl Fn(&Recorded, usize) -> Vec<Event>,
    ) -> Result<Vec<Matched>, Mismatch> {
        let mut all = Vec::new();
        let mut first: Option<Mismatch> = None;
        for thread in 0..self.old.streams.len() {
            let (mut old, mut new) = (streams(self.old, thread), streams(self.new, thread));
            if backward {
                old.reverse();
                new.reverse();
            }
            match self.align_thread(alignment, thread, &old, &new) {
                Ok(matched) => all.extend(matched),
                Err(mismatch) => {
                    let order = |it: &Mismatch| (it.new.unwrap_or(usize::MAX), it.old.unwrap_or(usize::MAX));
                    if first.as_ref().is_none_or(|first| order(&mismatch) < order(first)) {
                        let progress = first.map_or(0, |first| first.progress) + mismatch.progress;
                        first = Some(Mismatch { progress, ..mismatch });
                    }
                }
            }
        }
        match first {
            None => Ok(all),
            Some(first) => Err(Mismatch { progress: first.progress + all.len(), ..first }),
        }
    }

    fn align_thread(
        &self,
        alignment: Alignment,
        thread: usize,
        old: &[Event],
        new: &[Event],
    ) -> Result<Vec<Matched>, Mismatch> {
        let mut matched = Vec::new();
        let (mut left, mut right) = (old.iter().peekable(), new.iter().peekable());
        loop {
            let what = match (left.peek(), right.peek()) {
                (None, None) => return Ok(matched),
                (Some(&&old), Some(&&new)) => match self.differ(old, new) {
                    None => {
                        matched.push(Matched { thread, old, new });
                        left.next();
                        right.next();
                        continue;
                    }
                    Some(what) => what,
                },
                _ => Difference::Operation,
            };
            let may_skip = |of: &Recorded, event: Option<&&Event>| {
                event.is_some_and(|&&event| is_pure(self.builtins, of.communication(event)))
            };
            match alignment {
                Alignment::OfOld if may_skip(self.old, left.peek()) => _ = left.next(),
                Alignment::OfNew if may_skip(self.new, right.peek()) => _ = right.next(),
                _ => {
                    let number = |event: Option<&&Event>| event.map(|event| event.communication);
                    let (old, new) = (number(left.peek()), number(right.peek()));
                    return Err(Mismatch { thread, what, old, new, progress: matched.len() });
                }
            }
        }
    }

    /// Returns the difference between two operations and their arguments.
    fn differ(&self, old: Event, new: Event) -> Option<Difference> {
        if self.old.communication(old).callee != self.new.communication(new).callee {
            return Some(Difference::Operation);
        }
        let arguments = |of: &'a Recorded, event: Event| {
            self.without_whole_width(&event, of, &of.exchange(event).arguments[event.slot])
        };
        let (old, new) = (arguments(self.old, old), arguments(self.new, new));
        if old.len() != new.len() {
            return Some(Difference::Operation);
        }
        let mut arguments = old.iter().zip(new).enumerate();
        arguments.find(|(_, (old, new))| !self.refines(old, new)).map(|(at, _)| Difference::Argument(at))
    }

    /// Returns the arguments of an operation without a width of all lanes, such as the last argument of
    /// `__shfl_sync(mask, value, lane, 32)`. A call without a width has the same meaning.
    fn without_whole_width<'b>(&self, event: &Event, of: &Recorded, arguments: &'b [Value]) -> &'b [Value] {
        let whole = Value::Int(of.run.grid.sub_group() as i128);
        match (width_of(self.builtins, of.communication(*event)), arguments) {
            (Some(width), [.., last]) if usize::from(width) + 1 == arguments.len() && *last == whole => {
                &arguments[..arguments.len() - 1]
            }
            _ => arguments,
        }
    }

    /// Returns whether a value of the new execution is one that the old value stands for.
    fn refines(&self, old: &Value, new: &Value) -> bool {
        match (old, new) {
            (Value::Undefined, _) => true,
            (Value::Vector(old), Value::Vector(new)) => {
                old.len() == new.len() && old.iter().zip(new.iter()).all(|(old, new)| self.refines(old, new))
            }
            (Value::Pointer(old), Value::Pointer(new)) => self.same_address(*old, *new),
            // LLVM IR for NVIDIA moves the bits of floating-point numbers.
            (Value::Float(float), Value::Int(bits)) | (Value::Int(bits), Value::Float(float)) => {
                has_bits(*float, *bits)
            }
            _ => old == new,
        }
    }

    fn same_address(&self, old: Pointer, new: Pointer) -> bool {
        let same_object = match (old.base, new.base) {
            // A transformation can add and remove private objects.
            (Base::Private(..), Base::Private(..)) => return true,
            (Base::Local(_), Base::Local(_)) | (Base::Global(_), Base::Global(_)) => {
                !self.same_objects || old.base == new.base
            }
            (Base::Function(_), Base::Function(_)) => return true,
            (old, new) => old == new,
        };
        same_object && old.offset == new.offset
    }

    /// Describes an operation under an `anchor` relative to it.
    fn used(&self, communication: usize, thread: usize, path: &'a [(ValueId, u32)]) -> Use<'a> {
        let it = &self.old.run.communications[communication];
        let grid = &self.old.run.grid;
        let scope = self.builtins.builtin(it.callee).map_or(Scope::None, |builtin| builtin.scope);
        (it.value, path, grid.group_of(&grid.place(thread), scope))
    }

    /// Returns whether the memory of all arguments is the same at the end.
    fn same_memory(&self) -> bool {
        let (old, new) = (&self.old.run.memory, &self.new.run.memory);
        (0..old.arguments()).all(|parameter| old.of_argument(parameter) == new.of_argument(parameter))
    }

    /// Finds a shuffle whose result the old program does not allow.
    fn check_results(&self, matched: &[Matched]) -> Result<(), Mismatch> {
        let is_wrong = |it: &Matched| {
            let result = |of: &Recorded, event: Event| of.exchange(event).results[event.slot].clone();
            !self.refines(&result(self.old, it.old), &result(self.new, it.new))
        };
        first_of(matched, is_wrong, Difference::Result)
    }

    /// Finds a communication whose participants the old program does not allow.
    fn check_participants(&self, matched: &[Matched]) -> Result<(), Mismatch> {
        let anchored = Anchored::of(self, matched);
        let is_wrong = |it: &Matched| match anchored.class_of(self.old, it) {
            None => self.old.communication(it.old).threads != self.new.communication(it.new).threads,
            Some(class) => !anchored.allows(self, it, class),
        };
        first_of(matched, is_wrong, Difference::Participants)
    }

    fn check_ends(&self) -> Result<(), Mismatch> {
        let end = |of: &Recorded, thread: usize| match of.run.ends[thread].state {
            EndState::Waiting { callee, .. } => Some(callee),
            EndState::Returned | EndState::Running | EndState::Stopped => None,
        };
        match (0..self.old.streams.len()).find(|&it| end(self.old, it) != end(self.new, it)) {
            None => Ok(()),
            Some(thread) => {
                Err(Mismatch { thread, what: Difference::End, old: None, new: None, progress: usize::MAX })
            }
        }
    }
}

/// Returns whether a number has the bits of a floating-point number, as a `float` or a `double`. `float`: the bits as a
/// `double`.
fn has_bits(float: u64, bits: i128) -> bool {
    let single = (f64::from_bits(float) as f32).to_bits();
    [i128::from(single), i128::from(single as i32), i128::from(float), i128::from(float as i64)]
        .contains(&bits)
}

/// Returns the first communication of the new execution that is wrong, as an error.
fn first_of(
    matched: &[Matched],
    is_wrong: impl Fn(&Matched) -> bool,
    what: Difference,
) -> Result<(), Mismatch> {
    let wrong = matched.iter().enumerate().filter(|(_, it)| is_wrong(it));
    match wrong.min_by_key(|(_, it)| (it.new.communication, it.thread)) {
        None => Ok(()),
        Some((progress, it)) => {
            let (old, new) = (Some(it.old.communication), Some(it.new.communication));
            Err(Mismatch { thread: it.thread, what, old, new, progress })
        }
    }
}

/// An operation under an `anchor`, relative to it: the operation, the operations between them, and the number of the
/// group that its scope names.
type Use<'a> = (ValueId, &'a [(ValueId, u32)], usize);

/// The executions of each `anchor` by each thread, in the classes that the new execution requires.
#[derive(Default)]
struct Anchored<'a> {
    /// The execution of an `anchor` by a thread. The key is that of the old execution.
    numbers: FxHashMap<(usize, Key), usize>,
    /// The first execution of the class of each execution.
    classes: Vec<usize>,
    /// The threads that execute an operation, by class.
    users: FxHashMap<(usize, Use<'a>), Vec<usize>>,
    /// Classes with two executions by one thread. No partition has them.
    doubled: FxHashSet<usize>,
}

impl<'a> Anchored<'a> {
    fn of(pair: &Pair<'a>, matched: &[Matched]) -> Anchored<'a> {
        let mut all = Anchored::default();
        let old = pair.old;
        for (it, exchange) in old.run.communications.iter().zip(&old.exchanges) {
            let Some(anchor) = &exchange.anchor else { continue };
            for &thread in &it.threads {
                let next = all.classes.len();
                if *all.numbers.entry((thread, anchor.anchor)).or_insert(next) == next {
                    all.classes.push(next);
                }
            }
        }
        let mut of_new: FxHashMap<usize, usize> = FxHashMap::default();
        for it in matched {
            if let Some(number) = all.number(old, it) {
                let first = *of_new.entry(it.new.communication).or_insert(number);
                all.join(first, number);
            }
        }
        let mut threads = FxHashSet::default();
        for (&(thread, _), &number) in &all.numbers {
            let class = all.class(number);
            if !threads.insert((class, thread)) {
                all.doubled.insert(class);
            }
        }
        for (communication, exchange) in old.exchanges.iter().enumerate() {
            let Some(anchor) = &exchange.anchor else { continue };
            for &thread in &old.run.communications[communication].threads {
                let class = all.class(all.numbers[&(thread, anchor.anchor)]);
                let of = pair.used(communication, thread, &anchor.path);
                all.users.entry((class, of)).or_default().push(thread);
            }
        }
        all.users.values_mut().for_each(|threads| threads.sort_unstable());
        all
    }

    fn number(&self, old: &Recorded, it: &Matched) -> Option<usize> {
        let anchor = old.exchange(it.old).anchor.as_ref()?;
        self.numbers.get(&(it.thread, anchor.anchor)).copied()
    }

    fn class(&self, mut number: usize) -> usize {
        while self.classes[number] != number {
            number = self.classes[number];
        }
        number
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.class(one), self.class(other));
        self.classes[one.max(other)] = one.min(other);
    }

    /// Returns the class of an operation of the old execution. `None`: its token derives from no `anchor`.
    fn class_of(&self, old: &Recorded, it: &Matched) -> Option<usize> {
        Some(self.class(self.number(old, it)?))
    }

    /// Returns whether the threads of the class that execute an operation also execute it in the new execution, and no
    /// other threads do.
    fn allows(&self, pair: &Pair<'a>, it: &Matched, class: usize) -> bool {
        let Some(anchor) = &pair.old.exchange(it.old).anchor else { return false };
        let of = pair.used(it.old.communication, it.thread, &anchor.path);
        !self.doubled.contains(&class)
            && self.users.get(&(class, of)) == Some(&pair.new.communication(it.new).threads)
    }
}
