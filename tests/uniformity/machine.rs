//! Executes a kernel of a module by many threads, one operation at a time in random order.
//!
//! Each thread has private memory of its own; `local` memory is one for each work-group. At a convergent operation of a scope a
//! thread waits until nobody of its group there may still join it (`may_join`); then those with converged instances execute it
//! together. If that leaves everyone waiting, which only irreducible cycles and threads that never end can bring about, some go on
//! without the others. A thread is cut off after so many operations, and stops where the program has no meaning (a
//! branch on an undefined value); what it did until then counts.

use std::rc::Rc;

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;
use tangle::dialect::{Builtins, Scope, opencl};
use tangle::flow::cycles::CycleId;
use tangle::flow::{BlockId, Callee, Function, Module, Op, Passing, SlotId, Terminator, Token, ValueId};
use tangle::hir::types::Ty;
use tangle_grammar::ast::AddressSpace;
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::{Entity, FunctionKey};

use crate::claims::Claims;
use crate::evidence::Evidence;
use crate::grid::{Grid, Place};
use crate::keys::{Instance, Key, Keys, Point, Shape, token_of};
use crate::memory::Object;
use crate::program::Effort;
use crate::random::Random;
use crate::value::{self, Base, Pointer, Val};

const DEEPEST: usize = 8;
const BUFFER: usize = 2048;

/// The execution of one function by one thread.
pub struct Frame {
    pub function: usize,
    pub activation: Key,
    pub block: BlockId,
    /// The number of the operation that comes next.
    pub at: usize,
    values: IndexVec<ValueId, Option<Val>>,
    /// Of each cycle, the last header instance of it and those around it.
    pub latest: IndexVec<CycleId, Option<Key>>,
    /// How often each heart was executed with a token.
    pub hearts: FxHashMap<(ValueId, Key), u32>,
    /// Once it returns: the instance of the call in the frame below.
    call: Option<(ValueId, Key)>,
}

impl Frame {
    /// The instance that made a token, if it was made.
    pub fn token(&self, token: ValueId) -> Option<Key> {
        match self.values[token] {
            Some(Val::Token(key)) => Some(key),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    Running,
    /// At a convergent operation of a scope.
    Waiting {
        key: Key,
        scope: Scope,
    },
    Finished,
    /// The program has no meaning from here on, or takes too long.
    Stopped(&'static str),
}

pub struct Thread {
    pub place: Place,
    pub frames: Vec<Frame>,
    pub state: State,
    private: FxHashMap<(u32, u32), Object>,
    fuel: u32,
}

pub struct Machine<'a> {
    pub module: &'a Module,
    pub shapes: Vec<Rc<Shape>>,
    pub keys: Keys,
    pub threads: Vec<Thread>,
    pub grid: Grid,
    pub random: Random,
    pub evidence: Evidence<'a>,
    pub builtins: &'a Builtins,
    globals: Vec<Object>,
    /// For each work-group.
    locals: Vec<Vec<Object>>,
    variables: FxHashMap<Symbol, Pointer>,
    strings: FxHashMap<&'a [u8], Pointer>,
    by_key: FxHashMap<FunctionKey, usize>,
    /// What a collective gave to those who came in time, for those who come late.
    pub given: FxHashMap<(Key, usize), Val>,
}

impl<'a> Machine<'a> {
    /// A kernel about to begin.
    pub fn new(
        module: &'a Module,
        kernel: usize,
        claims: &'a [Claims],
        effort: Effort,
        seed: u64,
    ) -> Machine<'a> {
        let mut random = Random::new(seed);
        let grid = Grid::random(&mut random, module.functions[kernel].work_group_size);
        let shapes = module.functions.iter().map(|it| Rc::new(Shape::new(it, &mut random))).collect();
        let functions = module.functions.iter().enumerate();
        let by_key = functions.map(|(number, function)| (function.key, number)).collect();
        let mut machine = Machine {
            module,
            shapes,
            keys: Keys::default(),
            threads: Vec::new(),
            locals: vec![Vec::new(); grid.groups()],
            evidence: Evidence::new(claims, grid.threads()),
            grid,
            random,
            builtins: opencl().builtins(),
            globals: Vec::new(),
            variables: FxHashMap::default(),
            strings: FxHashMap::default(),
            by_key,
            given: FxHashMap::default(),
        };
        machine.place_variables();
        machine.begin(kernel, effort);
        machine
    }

    fn place_variables(&mut self) {
        for global in &self.module.globals {
            let object = match (global.external, &global.initializer) {
                (true, _) => {
                    Object::random(global.ty, crate::memory::size(global.ty), self.random.below(99) as u64)
                }
                _ => {
                    let mut object = Object::undefined(global.ty);
                    if global.space != AddressSpace::Local {
                        object.clear(0, global.ty);
                    }
                    object
                }
            };
            let base = self.allocate(global.space, object);
            self.variables.insert(global.name, Pointer { base, offset: 0 });
        }
        for global in &self.module.globals {
            if let (Some(data), Some(&Pointer { base: Base::Global(number), .. })) =
                (&global.initializer, self.variables.get(&global.name))
            {
                let variables = &self.variables;
                let address = |data: &tangle::hir::typed::Data| match data {
                    tangle::hir::typed::Data::Address { of, offset } => {
                        let pointer = match of {
                            Entity::Variable(name) => variables.get(name).copied()?,
                            Entity::Function(key) => Pointer { base: Base::Function(*key), offset: 0 },
                        };
                        Some(Pointer { offset: *offset, ..pointer })
                    }
                    _ => None,
                };
                self.globals[number as usize].initialize(0, data, global.ty, &address);
            }
        }
        for value in self.module.functions.iter().flat_map(|function| &function.values) {
            if let Op::String(bytes) = &value.op
                && !self.strings.contains_key(&**bytes)
            {
                let mut object = Object::undefined(Ty::array(Ty::CHAR, Some(bytes.len() as u64)));
                let data = tangle::hir::typed::Data::Bytes(bytes.clone());
                object.initialize(0, &data, Ty::CHAR, &|_| None);
                let base = self.allocate(AddressSpace::Constant, object);
                self.strings.insert(bytes, Pointer { base, offset: 0 });
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
    fn begin(&mut self, kernel: usize, effort: Effort) {
        let function = &self.module.functions[kernel];
        let mut shared: Option<Base> = None;
        let mut records = Vec::new();
        let arguments: Vec<Val> = function
            .parameters
            .iter()
            .enumerate()
            .map(|(number, parameter)| {
                let seed = self.random.below(1 << 20) as u64;
                if parameter.passing != Passing::Value {
                    records.push((
                        number,
                        Object::random(parameter.ty, crate::memory::size(parameter.ty), seed),
                    ));
                    return Val::Pointer(Pointer {
                        base: Base::Private(0, (function.slots.len() + number) as u32),
                        offset: 0,
                    });
                }
                let Some(pointer) = parameter.ty.as_pointer() else {
                    return value::small(parameter.ty, seed);
                };
                // Without `restrict`, two pointers may be one.
                let may_alias = effort.aliases && pointer.space == AddressSpace::Global && !pointer.restrict;
                if may_alias
                    && self.random.chance(40)
                    && let Some(base) = shared
                {
                    return Val::Pointer(Pointer { base, offset: 0 });
                }
                let base = match pointer.space {
                    AddressSpace::Private => return value::small(parameter.ty, seed),
                    space => {
                        // What `local` memory holds at first is undefined.
                        let object = match space {
                            AddressSpace::Local => {
                                Object::undefined(Ty::array(Ty::CHAR, Some(BUFFER as u64)))
                            }
                            _ => Object::random(pointer.pointee, BUFFER, seed),
                        };
                        self.allocate(space, object)
                    }
                };
                if may_alias {
                    shared = Some(base);
                }
                Val::Pointer(Pointer { base, offset: 0 })
            })
            .collect();
        let activation = self.keys.of(Instance::Kernel);
        for number in 0..self.grid.threads() {
            self.threads.push(Thread {
                place: self.grid.place(number),
                frames: Vec::new(),
                state: State::Running,
                private: FxHashMap::default(),
                fuel: effort.fuel,
            });
            for (parameter, object) in &records {
                let number_there = (function.slots.len() + parameter) as u32;
                self.threads[number].private.insert((0, number_there), object.clone());
            }
            self.enter(number, kernel, activation, &arguments, None);
        }
    }

    pub fn function(&self, frame: &Frame) -> &'a Function {
        &self.module.functions[frame.function]
    }

    fn enter(
        &mut self,
        thread: usize,
        function: usize,
        activation: Key,
        arguments: &[Val],
        call: Option<(ValueId, Key)>,
    ) {
        let body = &self.module.functions[function];
        let depth = self.threads[thread].frames.len() as u32;
        for (id, slot) in body.slots.iter_enumerated() {
            self.threads[thread].private.insert((depth, id.index() as u32), Object::undefined(slot.ty));
        }
        self.evidence.entered(activation, function, thread, arguments);
        let mut values = index_vec![None; body.values.len()];
        for (parameter, argument) in body.parameters.iter().zip(arguments) {
            let point = Point::Parameter(parameter.value);
            let key =
                self.keys.of(Instance::Uncontrolled { activation, point, header: None, tokens: Vec::new() });
            self.evidence.value(activation, parameter.value, key, thread, argument);
            values[parameter.value] = Some(argument.clone());
        }
        self.threads[thread].frames.push(Frame {
            function,
            activation,
            block: Function::ENTRY,
            at: 0,
            values,
            latest: index_vec![None; self.shapes[function].cycles.cycles.len()],
            hearts: FxHashMap::default(),
            call,
        });
        self.arrive(thread, Function::ENTRY);
    }

    /// Keys of the tokens that are live before an operation.
    fn tokens(&self, frame: &Frame, at: usize) -> Vec<Key> {
        let live = &self.shapes[frame.function].live[frame.block][at];
        let key = |token: &ValueId| match frame.values[*token] {
            Some(Val::Token(key)) => key,
            _ => panic!("a live token is defined"),
        };
        live.iter().map(key).collect()
    }

    fn uncontrolled(&mut self, thread: usize, point: Point, at: usize) -> Key {
        let frame = self.threads[thread].frames.last().expect("it runs");
        let shape = &self.shapes[frame.function];
        let header = shape.cycles.innermost(frame.block).and_then(|cycle| frame.latest[cycle]);
        let tokens = self.tokens(frame, at);
        self.keys.of(Instance::Uncontrolled { activation: frame.activation, point, header, tokens })
    }

    /// The instance of an operation that is about to be executed.
    fn instance(&mut self, thread: usize, value: ValueId) -> Key {
        let frame = self.threads[thread].frames.last().expect("it runs");
        let op = &self.function(frame).values[value].op;
        match token_of(op).map(|token| &frame.values[token]) {
            None => {
                let at = frame.at;
                self.uncontrolled(thread, Point::Operation(value), at)
            }
            Some(Some(Val::Token(token))) => {
                let (activation, token) = (frame.activation, *token);
                match op {
                    Op::Token(_) => {
                        let frame = self.threads[thread].frames.last_mut().expect("it runs");
                        let count = frame.hearts.entry((value, token)).or_default();
                        *count += 1;
                        let count = *count;
                        self.keys.of(Instance::Heart { activation, value, token, count })
                    }
                    _ => self.keys.of(Instance::Controlled { activation, value, token }),
                }
            }
            Some(other) => panic!("no token: {other:?}"),
        }
    }

    /// Comes to a block: a header instance, if it is a header.
    fn arrive(&mut self, thread: usize, block: BlockId) {
        let frame = self.threads[thread].frames.last_mut().expect("it runs");
        (frame.block, frame.at) = (block, 0);
        let (function, activation) = (frame.function, frame.activation);
        let key = self.uncontrolled(thread, Point::Block(block), 0);
        self.evidence.visited(activation, block, key, thread);
        let shape = self.shapes[function].clone();
        if let Some(cycle) = shape.cycle_of[block] {
            let frame = self.threads[thread].frames.last_mut().expect("it runs");
            for &inner in &shape.within[cycle] {
                frame.latest[inner] = Some(key);
            }
        }
    }

    pub fn get(&self, thread: usize, value: ValueId) -> Val {
        let frames = &self.threads[thread].frames;
        let frame = frames.last().expect("it runs");
        let data = &self.function(frame).values[value];
        match &data.op {
            Op::Constant(constant) => value::constant(constant, data.ty),
            Op::Slot(slot) => self.slot(frames.len() - 1, *slot),
            Op::Global(name) => self.variables.get(name).map_or(Val::Undefined, |it| Val::Pointer(*it)),
            Op::Function(key) => Val::Pointer(Pointer { base: Base::Function(*key), offset: 0 }),
            Op::String(bytes) => Val::Pointer(self.strings[&**bytes]),
            _ => frame.values[value].clone().unwrap_or(Val::Undefined),
        }
    }

    fn slot(&self, depth: usize, slot: SlotId) -> Val {
        Val::Pointer(Pointer { base: Base::Private(depth as u32, slot.index() as u32), offset: 0 })
    }

    pub fn object(&mut self, thread: usize, base: Base) -> Option<&mut Object> {
        match base {
            Base::Private(depth, number) => self.threads[thread].private.get_mut(&(depth, number)),
            Base::Local(number) => self.locals[self.threads[thread].place.group].get_mut(number as usize),
            Base::Global(number) => self.globals.get_mut(number as usize),
            Base::Null | Base::Function(_) => None,
        }
    }

    pub fn load(&mut self, thread: usize, address: &Val, ty: Ty) -> Val {
        let Some(pointer) = address.as_pointer() else { return Val::Undefined };
        self.object(thread, pointer.base).map_or(Val::Undefined, |object| object.read(pointer.offset, ty))
    }

    pub fn store(&mut self, thread: usize, address: &Val, value: &Val, ty: Ty) {
        if let Some(pointer) = address.as_pointer()
            && let Some(object) = self.object(thread, pointer.base)
        {
            object.write(pointer.offset, value, ty);
        }
    }

    pub fn copy(&mut self, thread: usize, to: &Val, from: &Val, bytes: usize) {
        let (Some(to), Some(from)) = (to.as_pointer(), from.as_pointer()) else { return };
        let Some(bytes) = self.object(thread, from.base).map(|object| object.bytes(from.offset, bytes))
        else {
            return;
        };
        if let Some(object) = self.object(thread, to.base) {
            object.put_bytes(to.offset, &bytes);
        }
    }

    pub fn stop(&mut self, thread: usize, why: &'static str) {
        self.threads[thread].state = State::Stopped(why);
    }

    /// The operation that a thread is at is done: it has this value.
    pub fn done(&mut self, thread: usize, value: ValueId, key: Key, result: Val) {
        let frame = self.threads[thread].frames.last_mut().expect("it runs");
        frame.at += 1;
        self.evidence.value(frame.activation, value, key, thread, &result);
        frame.values[value] = Some(result);
    }

    /// Does one step of a thread that runs.
    pub fn step(&mut self, thread: usize) {
        match self.threads[thread].fuel.checked_sub(1) {
            Some(left) => self.threads[thread].fuel = left,
            None => return self.stop(thread, "it takes too long"),
        }
        let frame = self.threads[thread].frames.last().expect("it runs");
        let function = self.function(frame);
        let block = &function.blocks[frame.block];
        match block.values.get(frame.at) {
            Some(&value) => {
                self.operation(thread, value, &function.values[value].op, function.values[value].ty)
            }
            None => self.terminator(thread, &block.terminator),
        }
    }

    fn operation(&mut self, thread: usize, value: ValueId, op: &'a Op, ty: Ty) {
        let frame = self.threads[thread].frames.last().expect("it runs");
        let function = self.function(frame);
        let of = |value: &ValueId| function.values[*value].ty;
        if let Op::Call(call) = op {
            return self.call(thread, value, call, ty);
        }
        let key = self.instance(thread, value);
        let get = |value: &ValueId| self.get(thread, *value);
        let result = match op {
            // Phis are evaluated on the way to their block.
            Op::Phi(_) => get(&value),
            Op::Unary { op, operand } => value::unary(*op, &get(operand), ty),
            Op::Binary { op, left, right } => value::binary(*op, &get(left), &get(right), ty),
            Op::Compare { op, left, right } => value::compare(*op, &get(left), &get(right), of(left), ty),
            Op::Convert { conversion, operand } => {
                value::convert(*conversion, &get(operand), of(operand), ty)
            }
            Op::Select { condition, then, otherwise } => {
                value::select(&get(condition), &get(then), &get(otherwise), ty)
            }
            Op::Extract { vector, lane } => match (get(vector), get(lane)) {
                (Val::Vector(lanes), Val::Int(lane)) => usize::try_from(lane)
                    .ok()
                    .and_then(|lane| lanes.get(lane).cloned())
                    .unwrap_or(Val::Undefined),
                _ => Val::Undefined,
            },
            Op::Insert { vector, lane, value } => {
                let mut lanes = get(vector).lanes(ty.lanes().map_or(1, |(_, lanes)| lanes.into()));
                match get(lane).as_int().and_then(|lane| usize::try_from(lane).ok()) {
                    Some(lane) if lane < lanes.len() => {
                        lanes[lane] = get(value);
                        Val::Vector(lanes)
                    }
                    _ => Val::Undefined,
                }
            }
            Op::Shuffle { left, right, lanes } => {
                let count = of(left).lanes().map_or(1, |(_, lanes)| lanes.into());
                let mut all = get(left).lanes(count);
                all.extend(get(right).lanes(count));
                let lane = |lane: &Option<u8>| lane.and_then(|lane| all.get(usize::from(lane)).cloned());
                let lanes: Vec<Val> = lanes.iter().map(|it| lane(it).unwrap_or(Val::Undefined)).collect();
                if ty.as_vector().is_some() { Val::Vector(lanes) } else { lanes[0].clone() }
            }
            Op::Element { base, index, element } => match (get(base), get(index)) {
                (Val::Pointer(pointer), Val::Int(index)) => {
                    let by = (index as i64).wrapping_mul(crate::memory::size(*element) as i64);
                    Val::Pointer(Pointer { offset: pointer.offset.wrapping_add(by), ..pointer })
                }
                _ => Val::Undefined,
            },
            Op::Field { base, record, field } => {
                let places = record.as_record().and_then(tangle::hir::layout::record_layout);
                match (get(base), places) {
                    (Val::Pointer(pointer), Some(places)) => {
                        let by = places.fields[*field as usize].offset as i64;
                        Val::Pointer(Pointer { offset: pointer.offset.wrapping_add(by), ..pointer })
                    }
                    _ => Val::Undefined,
                }
            }
            Op::Load { address, .. } => {
                let address = get(address);
                self.load(thread, &address, ty)
            }
            Op::Store { address, value, .. } => {
                let (address, of, value) = (get(address), of(value), get(value));
                self.store(thread, &address, &value, of);
                Val::Undefined
            }
            Op::Copy { to, from, ty } => {
                let (to, from) = (get(to), get(from));
                self.copy(thread, &to, &from, crate::memory::size(*ty));
                Val::Undefined
            }
            Op::Clear { address, ty } => {
                if let Some(pointer) = get(address).as_pointer()
                    && let Some(object) = self.object(thread, pointer.base)
                {
                    object.clear(pointer.offset, *ty);
                }
                Val::Undefined
            }
            Op::Token(Token::Entry | Token::Anchor | Token::Loop(_)) => Val::Token(key),
            Op::Call(_) => unreachable!("handled before"),
            leaf => panic!("{leaf:?} stands in a block"),
        };
        // All threads that entered together have converged instances of `entry`.
        let result = match op {
            Op::Token(Token::Entry) => {
                Val::Token(self.threads[thread].frames.last().expect("it runs").activation)
            }
            _ => result,
        };
        self.done(thread, value, key, result);
    }

    fn terminator(&mut self, thread: usize, terminator: &'a Terminator) {
        let target = match terminator {
            Terminator::Jump(target) => *target,
            Terminator::Branch { condition, then, otherwise } => match self.get(thread, *condition) {
                Val::Int(0) => *otherwise,
                Val::Int(_) => *then,
                _ => return self.stop(thread, "a branch on an undefined value"),
            },
            Terminator::Switch { value, cases, otherwise } => match self.get(thread, *value) {
                Val::Int(value) => {
                    let case = cases.iter().find(|(low, high, _)| (*low..=*high).contains(&value));
                    case.map_or(*otherwise, |case| case.2)
                }
                _ => return self.stop(thread, "a switch on an undefined value"),
            },
            Terminator::Return(value) => return self.leave(thread, *value),
            Terminator::Unreachable => return self.stop(thread, "it is at an unreachable place"),
        };
        let frame = self.threads[thread].frames.last().expect("it runs");
        let (function, activation, from, at) = (frame.function, frame.activation, frame.block, frame.at);
        if !matches!(terminator, Terminator::Jump(_)) {
            let key = self.uncontrolled(thread, Point::End(from), at);
            self.evidence.branched(activation, from, key, thread, target);
        }
        // Phis read what their operands were before any of them is written.
        let body = &self.module.functions[function];
        let mut phis = Vec::new();
        for &phi in &body.blocks[target].values {
            let Op::Phi(incoming) = &body.values[phi].op else { break };
            let value = incoming.iter().find(|(block, _)| *block == from);
            phis.push((phi, value.map_or(Val::Undefined, |(_, value)| self.get(thread, *value))));
        }
        let frame = self.threads[thread].frames.last_mut().expect("it runs");
        phis.into_iter().for_each(|(phi, value)| frame.values[phi] = Some(value));
        self.arrive(thread, target);
    }

    fn leave(&mut self, thread: usize, value: Option<ValueId>) {
        let result = value.map_or(Val::Undefined, |value| self.get(thread, value));
        let frame = self.threads[thread].frames.pop().expect("it runs");
        self.evidence.left(frame.activation, thread);
        match frame.call {
            Some((value, key)) => self.done(thread, value, key, result),
            None => self.threads[thread].state = State::Finished,
        }
    }

    /// The function of the module that a call means.
    fn callee(&self, thread: usize, callee: &Callee) -> Option<usize> {
        let key = match callee {
            Callee::Function { key, .. } => *key,
            Callee::Pointer { address, .. } => match self.get(thread, *address) {
                Val::Pointer(Pointer { base: Base::Function(key), .. }) => key,
                _ => return None,
            },
            Callee::Builtin { .. } | Callee::Compiler { .. } => return None,
        };
        self.by_key.get(&key).copied()
    }

    fn call(&mut self, thread: usize, value: ValueId, call: &'a tangle::flow::Call, ty: Ty) {
        let arguments: Vec<Val> = call.arguments.iter().map(|(it, _)| self.get(thread, *it)).collect();
        if let Some(callee) = self.callee(thread, &call.callee) {
            return self.call_function(thread, value, call, callee, arguments);
        }
        let name = match &call.callee {
            Callee::Builtin { name, .. } | Callee::Compiler { name, .. } => *name,
            // What another module does is not known: anything.
            Callee::Function { .. } | Callee::Pointer { .. } => {
                let key = self.instance(thread, value);
                let result = value::small(ty, self.random.below(1 << 20) as u64);
                return self.done(thread, value, key, result);
            }
        };
        let key = self.instance(thread, value);
        let row = self.builtins.get(name);
        if let Some(scope) = row.filter(|row| row.convergent).map(|row| row.scope)
            && scope != Scope::None
        {
            self.threads[thread].state = State::Waiting { key, scope };
            return;
        }
        let function = self.function(self.threads[thread].frames.last().expect("it runs"));
        let types: Vec<Ty> = call.arguments.iter().map(|(it, _)| function.values[*it].ty).collect();
        let result = self.builtin(thread, name, &arguments, &types, ty);
        self.done(thread, value, key, result);
    }

    fn call_function(
        &mut self,
        thread: usize,
        value: ValueId,
        call: &tangle::flow::Call,
        callee: usize,
        mut arguments: Vec<Val>,
    ) {
        if self.threads[thread].frames.len() >= DEEPEST {
            return self.stop(thread, "calls are too deep");
        }
        let body = &self.module.functions[callee];
        let depth = self.threads[thread].frames.len() as u32;
        for (number, (argument, (_, passing))) in arguments.iter_mut().zip(&call.arguments).enumerate() {
            if *passing == Passing::Copy {
                let ty = body.parameters[number].ty;
                let number = (body.slots.len() + number) as u32;
                self.threads[thread].private.insert((depth, number), Object::undefined(ty));
                let to = Val::Pointer(Pointer { base: Base::Private(depth, number), offset: 0 });
                self.copy(thread, &to, argument, crate::memory::size(ty));
                *argument = to;
            }
        }
        let key = self.instance(thread, value);
        let activation = self.keys.of(Instance::Activation { function: callee, call: key });
        self.enter(thread, callee, activation, &arguments, Some((value, key)));
    }
}
