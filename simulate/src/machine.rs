//! Executes a kernel of a module by many threads, one operation at a time, in random order.
//!
//! Each thread has private memory of its own; `local` memory is one for each work-group. At a convergent operation of a scope a
//! thread waits; `schedule` says for whom. What a thread may spend is counted: operations one by one, and what one operation may make large
//! (copies, walks through the graph) by the piece, so that every execution ends soon.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tangle_base::Symbol;
use tangle_ir::AddressSpace;
use tangle_ir::flow::{BlockId, Call, Function, Op, Passing, Terminator, Token, ValueId};
use tangle_ir::key::Entity;
use tangle_ir::scope::Scope;
use tangle_ir::types::Ty;
use tangle_ir::value::Data;

use crate::grid::{Grid, Place};
use crate::keys::{Instance, Key, Keys, Point, token_of};
use crate::language::Builtin;
use crate::launch::{Argument, Headers, Launch, Number, Policy, Strategy};
use crate::memory::{Object, Outside, size};
use crate::observer::Observer;
use crate::outcome::{Communication, Outcome, Spent, Spot, Undefined};
use crate::program::{Prepared, Program, Rounds, Target, What};
use crate::random::Random;
use crate::value::{self, Base, Pointer, Val, wrap};

/// The execution of one function by one thread.
pub(crate) struct Frame {
    pub function: usize,
    pub activation: Key,
    pub block: BlockId,
    /// The number of the operation that comes next.
    pub at: usize,
    values: Vec<Val>,
    /// How often the header of each cycle was executed since one around it was.
    pub headers: Vec<u32>,
    /// Private memory: slots, then records that were passed.
    memory: Vec<Object>,
    /// What the frame takes, in bytes.
    cost: u64,
    /// Once it returns: the instance of the call in the frame below.
    call: Option<(ValueId, Key)>,
}

impl Frame {
    /// The instance that made a token, if it was made.
    pub fn token(&self, token: ValueId) -> Option<Key> {
        match self.values[token.index()] {
            Val::Token(key) => Some(key),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    /// At a convergent operation of a scope.
    Waiting {
        key: Key,
        scope: Scope,
        needs_all: bool,
    },
    Finished,
    /// The program has no meaning from here on, or takes too long.
    Stopped,
}

pub(crate) struct Thread {
    pub place: Place,
    pub frames: Vec<Frame>,
    pub state: State,
    steps: u32,
}

/// Where a thread is going to.
enum Next {
    On,
    /// The thread waits, has returned, or cannot go on.
    Halt,
}

pub(crate) struct Machine<'p, O> {
    pub program: &'p Program<'p>,
    pub launch: &'p Launch,
    pub observer: &'p mut O,
    /// Of each function, the cycles of the hierarchy that holds.
    pub rounds: Vec<Cow<'p, Rounds>>,
    pub keys: Keys,
    pub threads: Vec<Thread>,
    /// Threads that run, in no particular order.
    pub running: Vec<usize>,
    pub grid: Grid,
    pub random: Random,
    /// For each work-group.
    locals: Vec<Vec<Object>>,
    globals: Vec<Object>,
    /// Bytes taken.
    taken: u64,
    /// Steps done by all threads.
    pub steps: u64,
    /// Blocks looked at to find who may still come.
    pub walked: Cell<u64>,
    pub communications: Vec<Communication>,
    /// What a collective gave to those who came in time, for those who come late. Only lenient launches have these.
    pub given: FxHashMap<(Key, usize), Val>,
    /// Why the execution is over.
    pub ended: Option<Outcome>,
    /// The values of phis while they are computed.
    phis: Vec<(ValueId, Val)>,
}

/// Why a launch is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no such function.
    Function,
    /// Sizes that are zero, or too many threads.
    Size,
    /// An argument does not fit its parameter.
    Argument {
        /// The number of the parameter.
        parameter: usize,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Function => f.write_str("there is no such function"),
            Refused::Size => write!(
                f,
                "a launch has 1 to {} threads in sub-groups of 1 to 128, turns of 1 step or more, and 1 to 255 calls inside of each other",
                Launch::MOST_THREADS
            ),
            Refused::Argument { why, .. } => f.write_str(why),
        }
    }
}

/// Bytes of a value in a frame.
const VALUE: u64 = size_of::<Val>() as u64;

impl<'p, O: Observer> Machine<'p, O> {
    /// A kernel about to begin.
    pub fn new(
        program: &'p Program<'p>,
        kernel: usize,
        launch: &'p Launch,
        observer: &'p mut O,
    ) -> Result<Machine<'p, O>, Refused> {
        if kernel >= program.functions.len() {
            return Err(Refused::Function);
        }
        let sizes = launch.local_size.into_iter().chain([launch.groups]).map(u64::from);
        let threads = sizes.fold(1u64, u64::saturating_mul);
        let fits = (1..=Launch::MOST_THREADS).contains(&threads)
            && (1..=128).contains(&launch.sub_group_size)
            && (1..=255).contains(&launch.depth)
            && launch.turn > 0;
        if !fits {
            return Err(Refused::Size);
        }
        let mut random = Random::new(launch.seed);
        let grid = Grid::new(
            launch.groups as usize,
            launch.local_size.map(|size| size as usize),
            launch.sub_group_size as usize,
        );
        let rounds =
            program.module.functions.iter().zip(&program.functions).map(|(function, prepared)| match launch
                .headers
            {
                Headers::Random => Cow::Owned(Rounds::random(function, &mut random)),
                Headers::Llvm => Cow::Borrowed(&prepared.rounds),
            });
        let rounds = rounds.collect();
        let mut machine = Machine {
            program,
            launch,
            observer,
            rounds,
            keys: Keys::default(),
            threads: Vec::new(),
            running: Vec::new(),
            locals: (0..grid.groups()).map(|_| Vec::new()).collect(),
            grid,
            random,
            globals: Vec::new(),
            taken: 0,
            steps: 0,
            walked: Cell::new(0),
            communications: Vec::new(),
            given: FxHashMap::default(),
            ended: None,
            phis: Vec::new(),
        };
        machine.place_objects(kernel);
        machine.begin(kernel)?;
        Ok(machine)
    }

    /// Takes memory; false, and the end, if there is not enough.
    fn take(&mut self, bytes: u64, thread: usize, spot: Spot) -> bool {
        self.taken = self.taken.saturating_add(bytes);
        let affordable = self.taken <= self.launch.memory;
        if !affordable && self.ended.is_none() {
            self.ended = Some(Outcome::Spent { what: Spent::Memory, thread, spot });
        }
        affordable
    }

    /// Counts what is recorded of convergent operations against the memory.
    pub fn settle(&mut self, bytes: u64, thread: usize) {
        let spot = self.here(thread);
        self.take(bytes, thread, spot);
    }

    fn place_objects(&mut self, kernel: usize) {
        let spot = Spot { function: kernel, point: Point::Block(Function::ENTRY) };
        for &(space, what) in &self.program.objects {
            let size = match what {
                What::Variable(global) => size(global.ty),
                What::String(bytes) => bytes.len() as u64,
            };
            let copies = if space == AddressSpace::Local { self.grid.groups() as u64 } else { 1 };
            if !self.take(Object::cost(size).saturating_mul(copies), 0, spot) {
                return;
            }
            let object = match what {
                What::Variable(global) if global.external => {
                    Object::random(global.ty, size, self.random.below(99) as u64)
                }
                What::Variable(_) if space == AddressSpace::Local => Object::undefined(size),
                What::Variable(_) => Object::zero(size),
                What::String(bytes) => {
                    let mut object = Object::zero(size);
                    object.initialize(0, &Data::Bytes(bytes.into()), Ty::CHAR, &|_| None);
                    object
                }
            };
            self.allocate(space, object);
        }
        let program = self.program;
        let address = |data: &Data| match data {
            Data::Address { of: Entity::Variable(name), offset } => {
                program.addresses.get(name).map(|pointer| pointer.plus(*offset))
            }
            Data::Address { of: Entity::Function(key), offset } => {
                Some(program.address_of_function(*key).plus(*offset))
            }
            Data::StringAddress { bytes, offset } => {
                program.strings.get(&**bytes).map(|pointer| pointer.plus(*offset))
            }
            _ => None,
        };
        for global in &program.module.globals {
            if let (Some(data), Some(&Pointer { base: Base::Global(number), .. })) =
                (&global.initializer, program.addresses.get(&global.name))
                && let Some(object) = self.globals.get_mut(number as usize)
            {
                object.initialize(0, data, global.ty, &address);
            }
        }
    }

    fn allocate(&mut self, space: AddressSpace, object: Object) -> Base {
        match space {
            AddressSpace::Local => {
                for objects in &mut self.locals {
                    objects.push(object.clone());
                }
                Base::Local(self.locals[0].len() as u32 - 1)
            }
            _ => {
                self.globals.push(object);
                Base::Global(self.globals.len() as u32 - 1)
            }
        }
    }

    /// Arguments, the same for all threads, and the threads at the entry of the kernel.
    fn begin(&mut self, kernel: usize) -> Result<(), Refused> {
        let function = &self.program.module.functions[kernel];
        let spot = Spot { function: kernel, point: Point::Block(Function::ENTRY) };
        let mut records = Vec::new();
        let mut arguments: Vec<Val> = Vec::new();
        let unknown = Argument::Random { bytes: Launch::RANDOM_BYTES };
        for (number, parameter) in function.parameters.iter().enumerate() {
            let wrong = |why| Err(Refused::Argument { parameter: number, why });
            let seed = self.random.below(1 << 20) as u64;
            let argument = self.launch.arguments.get(number).unwrap_or(&unknown);
            if parameter.passing != Passing::Value {
                if !matches!(argument, Argument::Random { .. }) {
                    return wrong("a record can only be random");
                }
                let copies = (self.grid.threads() as u64).saturating_add(1);
                if !self.take(Object::cost(size(parameter.ty)).saturating_mul(copies), 0, spot) {
                    return Ok(());
                }
                let slot = (function.slots.len() + number) as u32;
                records.push((slot, Object::random(parameter.ty, size(parameter.ty), seed)));
                arguments.push(Val::Pointer(Pointer { base: Base::Private(0, slot), offset: 0 }));
                continue;
            }
            let Some(pointer) = parameter.ty.as_pointer() else {
                arguments.push(match argument {
                    Argument::Random { .. } => value::small(parameter.ty, seed),
                    Argument::Number(number) => match number_of(*number, parameter.ty) {
                        Some(number) => number,
                        None => return wrong("it is no number"),
                    },
                    Argument::Array(_) => return wrong("it takes one number"),
                    Argument::Same(_) => return wrong("it is no pointer"),
                });
                continue;
            };
            let element = size(pointer.pointee).max(1);
            let bytes = match argument {
                Argument::Same(other) => match arguments.get(*other) {
                    Some(Val::Pointer(_)) => {
                        arguments.push(arguments[*other].clone());
                        continue;
                    }
                    _ => return wrong("there is no pointer before it that it could be"),
                },
                Argument::Random { bytes } => u64::from(*bytes),
                Argument::Number(Number::Integer(count)) => match u64::try_from(*count) {
                    Ok(count) => count.saturating_mul(element),
                    Err(_) => {
                        return wrong("a pointer takes how many elements there are: not less than none");
                    }
                },
                Argument::Number(Number::Float(_)) => {
                    return wrong("a pointer takes how many elements there are");
                }
                Argument::Array(_) if pointer.space == AddressSpace::Local => {
                    return wrong(
                        "`local` memory begins undefined: a pointer to it takes how many elements there are",
                    );
                }
                Argument::Array(numbers) => element.saturating_mul(numbers.len() as u64),
            };
            if pointer.space == AddressSpace::Private {
                arguments.push(value::small(parameter.ty, seed));
                continue;
            }
            let copies = if pointer.space == AddressSpace::Local { self.grid.groups() as u64 } else { 1 };
            if !self.take(Object::cost(bytes).saturating_mul(copies), 0, spot) {
                return Ok(());
            }
            let object = match argument {
                Argument::Array(numbers) => {
                    let mut object = Object::zero(bytes);
                    for (at, number) in numbers.iter().enumerate() {
                        let Some(number) = number_of(*number, pointer.pointee) else {
                            return wrong("it does not point to numbers");
                        };
                        // There is room for each of them.
                        _ = object.write((at as u64 * element) as i64, &number, pointer.pointee);
                    }
                    object
                }
                // What `local` memory holds at first is undefined.
                _ if pointer.space == AddressSpace::Local => Object::undefined(bytes),
                _ => Object::random(pointer.pointee, bytes, seed),
            };
            let base = self.allocate(pointer.space, object);
            arguments.push(Val::Pointer(Pointer { base, offset: 0 }));
        }
        if self.launch.arguments.len() > function.parameters.len() {
            return Err(Refused::Argument {
                parameter: function.parameters.len(),
                why: "there are more arguments than parameters",
            });
        }
        let activation = self.keys.of(Instance::Kernel);
        for number in 0..self.grid.threads() {
            self.threads.push(Thread {
                place: self.grid.place(number),
                frames: Vec::new(),
                state: State::Running,
                steps: self.launch.steps,
            });
            self.enter(number, kernel, activation, &arguments, &records, None);
            if self.ended.is_some() {
                break;
            }
        }
        self.running = (0..self.threads.len()).collect();
        Ok(())
    }

    pub fn function(&self, frame: &Frame) -> &'p Function {
        &self.program.module.functions[frame.function]
    }

    pub fn prepared(&self, frame: &Frame) -> &'p Prepared {
        &self.program.functions[frame.function]
    }

    pub fn frame(&self, thread: usize) -> &Frame {
        self.threads[thread].frames.last().expect("a thread that has not returned has a frame")
    }

    pub fn frame_mut(&mut self, thread: usize) -> &mut Frame {
        self.threads[thread].frames.last_mut().expect("a thread that has not returned has a frame")
    }

    /// The operation or end of a block that comes next.
    pub fn here(&self, thread: usize) -> Spot {
        let Some(frame) = self.threads.get(thread).and_then(|thread| thread.frames.last()) else {
            return Spot { function: 0, point: Point::Block(Function::ENTRY) };
        };
        let values = &self.function(frame).blocks[frame.block].values;
        let point = values.get(frame.at).map_or(Point::End(frame.block), |&value| Point::Operation(value));
        Spot { function: frame.function, point }
    }

    fn enter(
        &mut self,
        thread: usize,
        function: usize,
        activation: Key,
        arguments: &[Val],
        records: &[(u32, Object)],
        call: Option<(ValueId, Key)>,
    ) {
        let program = self.program;
        let (body, prepared) = (&program.module.functions[function], &program.functions[function]);
        let depth = self.threads[thread].frames.len() as u32;
        let slots = prepared.sizes.iter().map(|&size| Object::cost(size)).fold(0, u64::saturating_add);
        let passed =
            records.iter().map(|(_, object)| Object::cost(object.size())).fold(slots, u64::saturating_add);
        let cost = passed.saturating_add(VALUE * prepared.template.len() as u64);
        let spot = Spot { function, point: Point::Block(Function::ENTRY) };
        if !self.take(cost, thread, spot) {
            return;
        }
        let mut values = prepared.template.clone();
        for &(value, slot) in &prepared.slots {
            values[value.index()] = Val::Pointer(Pointer { base: Base::Private(depth, slot), offset: 0 });
        }
        for (parameter, argument) in body.parameters.iter().zip(arguments) {
            values[parameter.value.index()] = argument.clone();
        }
        let mut memory: Vec<Object> = prepared.sizes.iter().map(|&size| Object::undefined(size)).collect();
        for (slot, object) in records {
            memory.resize_with(memory.len().max(*slot as usize + 1), Object::default);
            memory[*slot as usize] = object.clone();
        }
        let headers = vec![0; self.rounds[function].cycles.cycles.len()];
        let (block, at) = (Function::ENTRY, 0);
        let frame = Frame { function, activation, block, at, values, headers, memory, cost, call };
        self.threads[thread].frames.push(frame);
        self.observer.entered(activation, function, thread, arguments);
        if self.observer.wants_values() {
            for (parameter, argument) in body.parameters.iter().zip(arguments) {
                let point = Point::Parameter(parameter.value);
                let key = self.keys.of(Instance::Uncontrolled {
                    activation,
                    point,
                    headers: SmallVec::new(),
                    tokens: SmallVec::new(),
                    part: 0,
                });
                self.observer.value(activation, parameter.value, key, thread, argument);
            }
        }
        self.arrive(thread, Function::ENTRY);
    }

    /// The instance of something that no token controls.
    fn uncontrolled(&mut self, thread: usize, point: Point, part: u32) -> Key {
        let frame = self.frame(thread);
        let rounds = &self.rounds[frame.function];
        let around = rounds.cycles.around(frame.block);
        let headers = around.map(|cycle| frame.headers[cycle.index()]).collect();
        let alone = self.launch.policy == Policy::Must && rounds.is_irreducible(frame.block);
        let part = if alone { thread as u32 + 1 } else { part };
        let live = &self.prepared(frame).live;
        let tokens = match (self.launch.strategy, live.get(frame.block.index())) {
            (Strategy::Tokens, Some(live)) => {
                let at = if matches!(point, Point::Block(_)) { 0 } else { frame.at };
                // A token that is live is made, in a graph that keeps the rules.
                live[at].iter().filter_map(|token| frame.token(*token)).collect()
            }
            _ => SmallVec::new(),
        };
        let activation = frame.activation;
        self.keys.of(Instance::Uncontrolled { activation, point, headers, tokens, part })
    }

    /// The instance of an operation that is about to be executed.
    fn instance(&mut self, thread: usize, value: ValueId) -> Key {
        let frame = self.frame(thread);
        let op = &self.function(frame).values[value].op;
        let activation = frame.activation;
        let token = token_of(op).filter(|_| self.launch.strategy == Strategy::Tokens);
        match token.and_then(|token| frame.token(token)) {
            None => {
                let part = match (op, self.launch.policy) {
                    (Op::Token(Token::Anchor), Policy::Must) => thread as u32 + 1,
                    (Op::Token(Token::Anchor), Policy::Random) => self.random.below(2) as u32 + 1,
                    _ => 0,
                };
                self.uncontrolled(thread, Point::Operation(value), part)
            }
            Some(token) => match op {
                Op::Token(_) => {
                    let count = self.met(frame, value, token) + 1;
                    self.keys.of(Instance::Heart { activation, value, token, count })
                }
                _ => self.keys.of(Instance::Controlled { activation, value, token }),
            },
        }
    }

    /// How often a frame has executed a heart with a token of its parent.
    pub fn met(&self, frame: &Frame, heart: ValueId, parent: Key) -> u32 {
        match frame.token(heart).map(|last| self.keys.instance(last)) {
            Some(Instance::Heart { token, count, .. }) if *token == parent => *count,
            _ => 0,
        }
    }

    /// Comes to a block: a header instance, if it is a header. Its phis are done.
    fn arrive(&mut self, thread: usize, block: BlockId) {
        let frame = self.threads[thread].frames.last_mut().expect("it runs");
        (frame.block, frame.at) = (block, 0);
        let rounds = &self.rounds[frame.function];
        let header_of = rounds.cycle_of[block];
        // The instance of the header itself depends on those before it.
        if self.observer.wants_blocks() {
            let key = self.uncontrolled(thread, Point::Block(block), 0);
            let frame = self.frame(thread);
            let (activation, function) = (frame.activation, frame.function);
            self.observer.visited(activation, function, block, key, thread);
        }
        let frame = self.threads[thread].frames.last_mut().expect("it runs");
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
            let (phi, value) = std::mem::replace(&mut self.phis[at], (ValueId::new(0), Val::Undefined));
            if self.observer.wants_values() {
                let key = self.instance(thread, phi);
                self.done(thread, phi, key, value);
            } else {
                self.set(thread, phi, value);
            }
        }
        self.phis.clear();
    }

    pub fn get(&self, thread: usize, value: ValueId) -> &Val {
        &self.frame(thread).values[value.index()]
    }

    fn object(&mut self, thread: usize, base: Base) -> Option<&mut Object> {
        match base {
            Base::Private(depth, number) => {
                self.threads[thread].frames.get_mut(depth as usize)?.memory.get_mut(number as usize)
            }
            Base::Local(number) => self.locals[self.threads[thread].place.group].get_mut(number as usize),
            Base::Global(number) => self.globals.get_mut(number as usize),
            Base::Null | Base::Function(_) => None,
        }
    }

    /// Does something to the object behind an address. None: there is none, or the access is outside of it; then it is told.
    fn access<T>(
        &mut self,
        thread: usize,
        address: &Val,
        bytes: u64,
        what: impl FnOnce(&mut Object, i64) -> Result<T, Outside>,
    ) -> Option<T> {
        let Some(pointer) = address.as_pointer() else {
            self.undefined(thread, Undefined::Address);
            return None;
        };
        let Some(object) = self.object(thread, pointer.base) else {
            self.undefined(thread, Undefined::Address);
            return None;
        };
        match what(object, pointer.offset) {
            Ok(result) => Some(result),
            Err(Outside) => {
                let size = object.size();
                self.undefined(thread, Undefined::Bounds { offset: pointer.offset, bytes, size });
                None
            }
        }
    }

    /// The program has no meaning from here on. A lenient launch goes on where it can.
    fn undefined(&mut self, thread: usize, what: Undefined) {
        if !self.launch.lenient && self.ended.is_none() {
            let spot = self.here(thread);
            self.ended = Some(Outcome::Undefined { what, thread, spot });
        }
    }

    pub fn load(&mut self, thread: usize, address: &Val, ty: Ty) -> Val {
        let read = |object: &mut Object, offset| object.read(offset, ty);
        self.access(thread, address, size(ty), read).unwrap_or(Val::Undefined)
    }

    pub fn store(&mut self, thread: usize, address: &Val, value: &Val, ty: Ty) {
        self.access(thread, address, size(ty), |object, offset| object.write(offset, value, ty));
    }

    pub fn copy(&mut self, thread: usize, to: &Val, from: &Val, bytes: u64) {
        if self.charge(thread, bytes / 64)
            && let Some(part) = self.access(thread, from, bytes, |object, offset| object.part(offset, bytes))
        {
            self.access(thread, to, bytes, |object, offset| object.put(offset, &part));
        }
    }

    /// A thread cannot go on.
    fn stop(&mut self, thread: usize, what: Undefined) -> Next {
        self.undefined(thread, what);
        self.threads[thread].state = State::Stopped;
        Next::Halt
    }

    /// Counts work beyond that of one operation; false if there are no steps left for it.
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

    fn set(&mut self, thread: usize, value: ValueId, result: Val) {
        self.frame_mut(thread).values[value.index()] = result;
        self.frame_mut(thread).at += 1;
    }

    /// The operation that a thread is at is done: it has this value.
    pub fn done(&mut self, thread: usize, value: ValueId, key: Key, result: Val) {
        if self.observer.wants_values() {
            let activation = self.frame(thread).activation;
            self.observer.value(activation, value, key, thread, &result);
        }
        self.set(thread, value, result);
    }

    /// Lets a thread run for a number of steps, or until it cannot go on.
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

    /// Does one step of a thread that runs.
    fn step(&mut self, thread: usize) -> Next {
        let of_thread = &mut self.threads[thread];
        match of_thread.steps.checked_sub(1) {
            Some(left) => of_thread.steps = left,
            None => {
                let spot = self.here(thread);
                if !self.launch.lenient && self.ended.is_none() {
                    self.ended = Some(Outcome::Spent { what: Spent::Steps, thread, spot });
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

    fn operation(&mut self, thread: usize, function: &'p Function, value: ValueId) -> Next {
        let data = &function.values[value];
        let ty = data.ty;
        let of = |value: &ValueId| function.values[*value].ty;
        let values = &self.frame(thread).values;
        let get = |value: &ValueId| &values[value.index()];
        let offset = || self.program.functions[self.frame(thread).function].offsets[value.index()];
        let result = match &data.op {
            Op::Call(call) => return self.call(thread, function, value, call),
            Op::Unary { op, operand } => value::unary(*op, get(operand), ty),
            Op::Binary { op, left, right } => value::binary(*op, get(left), get(right), ty),
            Op::Compare { op, left, right } => value::compare(*op, get(left), get(right), of(left), ty),
            Op::Convert { conversion, operand } => value::convert(*conversion, get(operand), of(operand), ty),
            Op::Select { condition, then, otherwise } => {
                value::select(get(condition), get(then), get(otherwise), ty)
            }
            Op::Extract { vector, lane } => match (get(vector), get(lane)) {
                (Val::Vector(lanes), Val::Int(lane)) => usize::try_from(*lane)
                    .ok()
                    .and_then(|lane| lanes.get(lane).cloned())
                    .unwrap_or(Val::Undefined),
                _ => Val::Undefined,
            },
            Op::Insert { vector, lane, value } => {
                let mut lanes = get(vector).lanes(ty.lanes().map_or(1, |(_, lanes)| lanes.into()));
                match get(lane).as_int().and_then(|lane| usize::try_from(lane).ok()) {
                    Some(lane) if lane < lanes.len() => {
                        lanes[lane] = get(value).clone();
                        Val::Vector(lanes.into())
                    }
                    _ => Val::Undefined,
                }
            }
            Op::Shuffle { left, right, lanes } => {
                let count = of(left).lanes().map_or(1, |(_, lanes)| lanes.into());
                let mut all = get(left).lanes(count);
                all.extend(get(right).lanes(count));
                let lane = |lane: &Option<u8>| lane.and_then(|lane| all.get(usize::from(lane)).cloned());
                let mut lanes = lanes.iter().map(|it| lane(it).unwrap_or(Val::Undefined));
                match ty.as_vector() {
                    Some(_) => Val::Vector(lanes.collect()),
                    None => lanes.next().unwrap_or(Val::Undefined),
                }
            }
            Op::Element { base, index, .. } => match (get(base), get(index)) {
                (Val::Pointer(pointer), Val::Int(index)) => {
                    Val::Pointer(pointer.plus((*index as i64).wrapping_mul(offset())))
                }
                _ => Val::Undefined,
            },
            Op::Field { base, .. } => match get(base) {
                Val::Pointer(pointer) => Val::Pointer(pointer.plus(offset())),
                _ => Val::Undefined,
            },
            Op::Load { address, .. } => {
                let address = get(address).clone();
                self.load(thread, &address, ty)
            }
            Op::Store { address, value, .. } => {
                let (address, of, value) = (get(address).clone(), of(value), get(value).clone());
                self.store(thread, &address, &value, of);
                Val::Undefined
            }
            Op::Copy { to, from, ty } => {
                let (to, from) = (get(to).clone(), get(from).clone());
                self.copy(thread, &to, &from, size(*ty));
                Val::Undefined
            }
            Op::Clear { address, ty } => {
                let address = get(address).clone();
                if self.charge(thread, size(*ty) / 64) {
                    self.access(thread, &address, size(*ty), |object, offset| object.clear(offset, *ty));
                }
                Val::Undefined
            }
            // All threads that entered together have converged instances of `entry`.
            Op::Token(Token::Entry) => Val::Token(self.frame(thread).activation),
            Op::Token(Token::Anchor | Token::Loop(_)) => {
                let key = self.instance(thread, value);
                self.settle_keys(thread);
                Val::Token(key)
            }
            // Phis are done on the way to their block; all others stand in no block of a graph that keeps the rules.
            Op::Phi(_)
            | Op::Get(_)
            | Op::Set(..)
            | Op::Parameter(_)
            | Op::Constant(_)
            | Op::Slot(_)
            | Op::Global(_)
            | Op::Function(_)
            | Op::String(_) => get(&value).clone(),
        };
        if self.observer.wants_values() {
            let key = match (&data.op, &result) {
                (Op::Token(Token::Anchor | Token::Loop(_)), Val::Token(key)) => *key,
                _ => self.instance(thread, value),
            };
            self.done(thread, value, key, result);
        } else {
            self.set(thread, value, result);
        }
        Next::On
    }

    /// Counts the keys made so far against the memory.
    fn settle_keys(&mut self, thread: usize) {
        if self.keys.len() as u64 * Keys::BYTES + self.taken > self.launch.memory {
            self.settle(self.launch.memory, thread);
        }
    }

    fn terminator(&mut self, thread: usize, terminator: &'p Terminator) -> Next {
        let target = match terminator {
            Terminator::Jump(target) => *target,
            Terminator::Branch { condition, then, otherwise } => match self.get(thread, *condition) {
                Val::Int(0) => *otherwise,
                Val::Int(_) => *then,
                _ => return self.stop(thread, Undefined::Branch),
            },
            Terminator::Switch { value, cases, otherwise } => match self.get(thread, *value) {
                Val::Int(value) => {
                    let case = cases.iter().find(|(low, high, _)| (*low..=*high).contains(value));
                    let target = case.map_or(*otherwise, |case| case.2);
                    self.charge(thread, cases.len() as u64 / 64);
                    target
                }
                _ => return self.stop(thread, Undefined::Branch),
            },
            Terminator::Return(value) => return self.leave(thread, *value),
            Terminator::Unreachable => return self.stop(thread, Undefined::Unreachable),
        };
        let from = self.frame(thread).block;
        if self.observer.wants_values() && !matches!(terminator, Terminator::Jump(_)) {
            let key = self.uncontrolled(thread, Point::End(from), 0);
            self.observer.branched(self.frame(thread).activation, from, key, thread, target);
        }
        // Phis read what their operands were before any of them is written.
        let function = self.function(self.frame(thread));
        let mut phis = std::mem::take(&mut self.phis);
        let mut looked = 0;
        for &phi in &function.blocks[target].values {
            let Op::Phi(incoming) = &function.values[phi].op else { break };
            let value = incoming.iter().find(|(block, _)| *block == from);
            let value = value.map_or(Val::Undefined, |(_, value)| self.get(thread, *value).clone());
            phis.push((phi, value));
            looked += incoming.len();
        }
        self.phis = phis;
        self.charge(thread, looked as u64 / 64);
        self.arrive(thread, target);
        Next::On
    }

    fn leave(&mut self, thread: usize, value: Option<ValueId>) -> Next {
        let result = value.map_or(Val::Undefined, |value| self.get(thread, value).clone());
        let frame = self.threads[thread].frames.pop().expect("it runs");
        self.taken = self.taken.saturating_sub(frame.cost);
        self.observer.left(frame.activation, thread);
        match frame.call {
            Some((value, key)) => {
                self.done(thread, value, key, result);
                Next::On
            }
            None => {
                self.threads[thread].state = State::Finished;
                Next::Halt
            }
        }
    }

    fn call(&mut self, thread: usize, function: &'p Function, value: ValueId, call: &'p Call) -> Next {
        let mut target = self.prepared(self.frame(thread)).calls[&value];
        if let Target::Pointer(address) = target {
            match self.get(thread, address) {
                Val::Pointer(Pointer { base: Base::Function(number), offset: 0 })
                    if (*number as usize) < self.program.functions.len() =>
                {
                    target = Target::Function(*number as usize);
                }
                _ => {}
            }
        }
        let arguments: SmallVec<[Val; 4]> =
            call.arguments.iter().map(|(it, _)| self.get(thread, *it).clone()).collect();
        match target {
            Target::Function(callee) => self.call_function(thread, value, call, callee, arguments),
            // What is behind the pointer is not known: anything.
            Target::Pointer(_) => {
                let result = value::small(function.values[value].ty, self.random.below(1 << 20) as u64);
                self.finish_call(thread, value, result)
            }
            Target::Builtin(name, builtin) => {
                self.call_builtin(thread, function, value, call, (name, builtin), &arguments)
            }
        }
    }

    fn finish_call(&mut self, thread: usize, value: ValueId, result: Val) -> Next {
        match self.observer.wants_values() {
            true => {
                let key = self.instance(thread, value);
                self.done(thread, value, key, result);
            }
            false => self.set(thread, value, result),
        }
        Next::On
    }

    fn call_builtin(
        &mut self,
        thread: usize,
        function: &'p Function,
        value: ValueId,
        call: &'p Call,
        (name, builtin): (Symbol, Option<Builtin>),
        arguments: &[Val],
    ) -> Next {
        if let Some(Builtin { scope, convergent: true, needs_all, .. }) = builtin
            && scope != Scope::None
        {
            let key = self.instance(thread, value);
            self.settle_keys(thread);
            let needs_all = needs_all && !self.launch.lenient;
            self.threads[thread].state = State::Waiting { key, scope, needs_all };
            return Next::Halt;
        }
        let types: SmallVec<[Ty; 4]> = call.arguments.iter().map(|(it, _)| function.values[*it].ty).collect();
        let result = self.builtin(thread, (name, builtin), arguments, &types, function.values[value].ty);
        self.finish_call(thread, value, result)
    }

    fn call_function(
        &mut self,
        thread: usize,
        value: ValueId,
        call: &'p Call,
        callee: usize,
        mut arguments: SmallVec<[Val; 4]>,
    ) -> Next {
        let depth = self.threads[thread].frames.len() as u32;
        if depth >= self.launch.depth {
            if !self.launch.lenient {
                let spot = self.here(thread);
                self.ended = Some(Outcome::Spent { what: Spent::Depth, thread, spot });
            }
            self.threads[thread].state = State::Stopped;
            return Next::Halt;
        }
        let program = self.program;
        let (body, prepared) = (&program.module.functions[callee], &program.functions[callee]);
        let mut records = Vec::new();
        for (number, (argument, (_, passing))) in arguments.iter_mut().zip(&call.arguments).enumerate() {
            if *passing == Passing::Copy
                && let Some(parameter) = body.parameters.get(number)
            {
                let bytes = size(parameter.ty);
                self.charge(thread, bytes / 64);
                let slot = (body.slots.len() + number) as u32;
                let copied = self.access(thread, argument, bytes, |object, at| object.part(at, bytes));
                records.push((slot, copied.unwrap_or_else(|| Object::undefined(bytes))));
                *argument = Val::Pointer(Pointer { base: Base::Private(depth, slot), offset: 0 });
            }
        }
        let is_watched = self.observer.wants_values() || self.observer.wants_blocks();
        let around = self.frame(thread).activation;
        let (activation, key) = match prepared.communicates || is_watched {
            true => {
                let key = self.instance(thread, value);
                (self.keys.of(Instance::Activation { function: callee as u32, call: key }), key)
            }
            false => (around, around),
        };
        self.settle_keys(thread);
        self.enter(thread, callee, activation, &arguments, &records, Some((value, key)));
        Next::On
    }
}

/// A number as a value of a scalar type, or in each lane of a vector. None: the type is another.
fn number_of(number: Number, ty: Ty) -> Option<Val> {
    if let Some((element, lanes)) = ty.as_vector() {
        return Some(Val::Vector(vec![number_of(number, element)?; lanes.into()].into()));
    }
    match number {
        Number::Integer(number) if ty == Ty::BOOL => Some(Val::Int((number != 0).into())),
        Number::Integer(number) if ty.as_integer().is_some() => Some(Val::Int(wrap(number, ty))),
        Number::Integer(number) if ty.as_float().is_some() => Some(Val::float(number as f64)),
        Number::Float(number) if ty.as_float().is_some() => Some(Val::float(number)),
        _ => None,
    }
}
