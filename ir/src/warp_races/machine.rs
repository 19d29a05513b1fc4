//! Executes functions in the lanes of one warp, as far as their numbers are known.
//!
//! The lanes that wait at the first block in source order continue next, together. So lanes that leave a loop early, or
//! skip a branch, wait for the others after it.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_base::AddressSpace;

use super::access::{Access, AccessLog, PrivateMemory};
use super::decisions::{Change, Decisions, PathId, Paths, Site, Wish};
use super::effects::is_relevant_builtin;
use super::inputs::{KernelInputs, NumberedFunction};
use super::number::{
    AtomId, Atoms, Computed, DIVERGENT, Derivation, Key, LANES, Lanes, Memory, Number, UNIFORM, each_lane,
};
use super::race::{Place, Race};
use super::screen::Screened;
use super::shape::Shape;
use crate::flow::{BlockId, Callee, Function, Op, Passing, SlotId, Terminator, Unknown, ValueId};
use crate::layout::layout;
use crate::types::{Ty, TyKind};
use crate::value::{Comparison, Constant, Conversion, UnaryOp};

/// The limit on nested calls.
const MAX_DEPTH: u32 = 12;

/// How often a branch with an unknown condition takes the preferred side in one call.
const MAX_REPEATED: u32 = 2;

/// The limit on steps in blocks that were executed before. Later iterations rarely meet in another way.
const MAX_REPEATED_STEPS: u32 = 2_000;

/// The size that an object of unknown type is assumed to have, in bytes.
const UNKNOWN_SIZE: i64 = 8;

/// The stored values of an access.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stored {
    Nothing,
    /// The same value in all lanes.
    OneValue,
    Values,
}

/// A call of a function that is executed.
pub(super) struct Frame<'a> {
    function: &'a Function,
    number: u32,
    path: PathId,
    shape: Rc<Shape>,
    arguments: Vec<Number>,
    values: FxHashMap<ValueId, Computed>,
    slots: FxHashMap<SlotId, Number>,
    /// The last block of each lane.
    from: [BlockId; LANES],
    /// How often each branch had an unknown condition.
    repeated: FxHashMap<BlockId, u32>,
    /// The first blocks on the sides of branches whose condition was unknown and is not uniform, with its spread.
    guards: FxHashMap<BlockId, u32>,
    /// The least spread of such a branch around the call.
    together: u32,
    returned: Computed,
}

impl Frame<'_> {
    pub(super) fn type_of(&self, value: ValueId) -> Ty {
        self.function.values[value].ty
    }
}

/// The graphs of the functions that are executed.
pub(super) type Shapes = FxHashMap<*const Function, Rc<Shape>>;

/// One execution.
pub(super) struct Machine<'a, 'k> {
    pub(super) inputs: &'k KernelInputs<'a>,
    screened: &'k Screened<'a, 'k>,
    paths: &'k mut Paths,
    change: Option<(Site, Change)>,
    pub(super) atoms: Atoms,
    pub(super) decisions: Decisions,
    pub(super) log: AccessLog,
    pub(super) private: PrivateMemory,
    shapes: &'k mut Shapes,
    /// The possible changes at sites of this execution, in order.
    open: Vec<(Site, Change)>,
    seen: FxHashSet<Site>,
    /// The number of writes so far: values that are read before and after may differ.
    pub(super) writes: u32,
    steps: u32,
    max_steps: u32,
    /// The blocks that were executed, and the number of steps when the last one of them was new.
    entered: FxHashSet<(PathId, BlockId)>,
    last_new: u32,
    depth: u32,
}

impl<'a, 'k> Machine<'a, 'k> {
    pub fn of(
        (inputs, screened): (&'k KernelInputs<'a>, &'k Screened<'a, 'k>),
        (paths, shapes): (&'k mut Paths, &'k mut Shapes),
        atoms: Atoms,
        change: Option<(Site, Change)>,
        max_steps: u32,
    ) -> Machine<'a, 'k> {
        Machine {
            inputs,
            screened,
            paths,
            change,
            atoms,
            decisions: Decisions::default(),
            log: AccessLog::default(),
            private: PrivateMemory::default(),
            shapes,
            open: Vec::new(),
            seen: FxHashSet::default(),
            writes: 0,
            steps: 0,
            max_steps,
            entered: FxHashSet::default(),
            last_new: 0,
            depth: 0,
        }
    }

    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Returns the races, the possible changes, and the atoms, for another execution.
    pub fn results(mut self) -> (Vec<Race>, Vec<(Site, Change)>, Atoms) {
        self.atoms.clear();
        (self.log.races, self.open, self.atoms)
    }

    /// Executes the kernel in all lanes of the first warp that have a thread.
    pub fn run(&mut self) {
        let threads = self.inputs.local_size.iter().fold(1_u32, |all, &size| all.saturating_mul(size));
        let lanes = match threads {
            0..=31 => (1 << threads) - 1,
            _ => Lanes::MAX,
        };
        let kernel = self.inputs.kernel;
        let parameters = kernel.function.parameters.iter().zip(0..);
        let arguments: Vec<Number> = parameters
            .map(|(parameter, number)| {
                let ty = kernel.function.values[parameter.value].ty;
                match parameter.passing {
                    Passing::Value if ty.as_pointer().is_some() => {
                        self.atoms.memory(Key::Parameter(number), Memory::Other, element_of(ty))
                    }
                    Passing::Value => self.atoms.of(Key::Parameter(number), UNIFORM),
                    Passing::Copy | Passing::Result => self.atoms.private(),
                }
            })
            .collect();
        self.call(kernel, 0, arguments, lanes, UNIFORM);
    }

    fn shape(&mut self, function: &'a Function) -> Rc<Shape> {
        let key = std::ptr::from_ref(function);
        if let Some(known) = self.shapes.get(&key) {
            return known.clone();
        }
        let (inputs, screened) = (self.inputs, self.screened);
        let mut depth = 0;
        let mut is_relevant = |callee: &Callee| self.is_relevant(inputs, callee, &mut depth);
        let shape = Rc::new(Shape::of(function, screened, &mut is_relevant));
        self.shapes.insert(key, shape.clone());
        shape
    }

    /// Whether a call is relevant for races. Deeply nested calls are.
    fn is_relevant(&mut self, inputs: &KernelInputs<'a>, callee: &Callee, depth: &mut u32) -> bool {
        let Some(called) = (inputs.called)(callee) else { return is_relevant_builtin(inputs, callee) };
        if *depth == MAX_DEPTH {
            return true;
        }
        *depth += 1;
        let key = std::ptr::from_ref(called.function);
        let known = self.shapes.get(&key).cloned();
        let shape = known.unwrap_or_else(|| {
            let screened = self.screened;
            let mut is_relevant = |callee: &Callee| self.is_relevant(inputs, callee, depth);
            let shape = Rc::new(Shape::of(called.function, screened, &mut is_relevant));
            self.shapes.insert(key, shape.clone());
            shape
        });
        *depth -= 1;
        shape.has_relevant_blocks()
    }

    /// Executes a call of a function, and returns its result.
    pub(super) fn call(
        &mut self,
        of: NumberedFunction<'a>,
        path: PathId,
        arguments: Vec<Number>,
        lanes: Lanes,
        together: u32,
    ) -> Option<Number> {
        if self.depth == MAX_DEPTH {
            self.order_all();
            return None;
        }
        self.depth += 1;
        let mut frame = Frame {
            function: of.function,
            number: of.number,
            path,
            shape: self.shape(of.function),
            arguments,
            values: FxHashMap::default(),
            slots: FxHashMap::default(),
            from: [Function::ENTRY; LANES],
            repeated: FxHashMap::default(),
            guards: FxHashMap::default(),
            together,
            returned: Computed::default(),
        };
        let mut waiting: BTreeMap<BlockId, Lanes> = BTreeMap::from([(Function::ENTRY, lanes)]);
        while let Some((block, lanes)) = waiting.pop_first() {
            if self.entered.insert((frame.path, block)) {
                self.last_new = self.steps;
            }
            if self.steps >= self.max_steps || self.steps - self.last_new > MAX_REPEATED_STEPS {
                break;
            }
            for (to, lanes) in self.block(&mut frame, block, lanes) {
                for lane in each_lane(lanes) {
                    frame.from[lane] = block;
                }
                *waiting.entry(to).or_default() |= lanes;
            }
        }
        self.depth -= 1;
        frame.returned.get(lanes, &mut self.atoms)
    }

    /// Executes a block, and returns the lanes that continue at each of the next blocks.
    fn block(&mut self, frame: &mut Frame<'a>, block: BlockId, lanes: Lanes) -> Vec<(BlockId, Lanes)> {
        let function = frame.function;
        let of_block = &function.blocks[block];
        self.phis(frame, block, lanes);
        self.steps += 1;
        let shape = frame.shape.clone();
        for &id in &of_block.values {
            if !shape.needed[id] {
                let writes =
                    matches!(function.values[id].op, Op::Store { .. } | Op::Copy { .. } | Op::Clear { .. });
                self.writes += u32::from(writes);
                continue;
            }
            if matches!(function.values[id].op, Op::Phi(_)) {
                continue;
            }
            self.steps += 1;
            let number = self.operation(frame, block, id, lanes);
            if !function.values[id].ty.is_void() {
                let number =
                    number.unwrap_or_else(|| self.derived_from(frame, &function.values[id].op, lanes));
                frame.values.entry(id).or_default().set(lanes, number);
            }
        }
        match &of_block.terminator {
            Terminator::Jump(to) => vec![(*to, lanes)],
            &Terminator::Branch { condition, then, otherwise } => {
                let condition = self.value(frame, condition, lanes);
                let taken = self.decide(frame, block, &condition, lanes, (then, otherwise));
                let sides = [(then, taken), (otherwise, lanes & !taken)];
                sides.into_iter().filter(|(_, lanes)| *lanes != 0).collect()
            }
            Terminator::Switch { value, cases, otherwise } => {
                let number = self.value(frame, *value, lanes);
                let mut left = lanes;
                let mut sides = Vec::new();
                for &(first, last, to) in cases {
                    if left == 0 {
                        break;
                    }
                    let (low, high) = (Number::new(first as i64), Number::new(last as i64));
                    let above = self.atoms.compare(Comparison::GreaterEqual, &number, &low, left);
                    let taken = self.decide(frame, block, &above, left, (to, *otherwise));
                    let below = self.atoms.compare(Comparison::LessEqual, &number, &high, taken);
                    let taken = match taken {
                        0 => 0,
                        _ => self.decide(frame, block, &below, taken, (to, *otherwise)),
                    };
                    left &= !taken;
                    sides.push((to, taken));
                }
                sides.push((*otherwise, left));
                sides.into_iter().filter(|(_, lanes)| *lanes != 0).collect()
            }
            Terminator::Return(value) => {
                if let Some(value) = value {
                    let number = self.value(frame, *value, lanes);
                    frame.returned.set(lanes, number);
                }
                Vec::new()
            }
            Terminator::Unreachable => Vec::new(),
        }
    }

    fn phis(&mut self, frame: &mut Frame<'a>, block: BlockId, lanes: Lanes) {
        let function = frame.function;
        let mut found: Vec<(ValueId, Lanes, Number)> = Vec::new();
        for &id in &function.blocks[block].values {
            let Op::Phi(incoming) = &function.values[id].op else { break };
            if !frame.shape.needed[id] {
                continue;
            }
            let mut done: Lanes = 0;
            for &(from, value) in incoming {
                let came = |lane: &usize| frame.from[*lane] == from;
                let came: Lanes = each_lane(lanes & !done).filter(came).fold(0, |all, lane| all | 1 << lane);
                if came != 0 {
                    done |= came;
                    found.push((id, came, self.value(frame, value, came)));
                }
            }
        }
        for (id, lanes, number) in found {
            frame.values.entry(id).or_default().set(lanes, number);
        }
    }

    /// Returns the lanes that take the first side of a branch.
    fn decide(
        &mut self,
        frame: &mut Frame<'a>,
        block: BlockId,
        condition: &Number,
        lanes: Lanes,
        (then, otherwise): (BlockId, BlockId),
    ) -> Lanes {
        let site = Site { path: frame.path, block };
        let repeated = frame.repeated.get(&block).copied().unwrap_or_default();
        let (is_relevant, larger) = match condition.terms.is_empty() {
            true => (false, 0),
            false => frame.shape.branch(frame.function, block, [then, otherwise]),
        };
        let prefers_then = larger == 0;
        let wish = match self.change {
            Some((of, Change::OtherSide)) if of == site => Wish::All(!prefers_then),
            Some((of, Change::BothSides)) if of == site => Wish::EverySecond,
            _ if repeated >= MAX_REPEATED => Wish::All(!prefers_then),
            _ => Wish::All(prefers_then),
        };
        let truth = self.decisions.truth(&mut self.atoms, condition, lanes, wish);
        if truth.was_open {
            *frame.repeated.entry(block).or_default() += 1;
            if is_relevant && self.seen.insert(site) {
                self.open.push((site, Change::OtherSide));
                if truth.spread != UNIFORM {
                    self.open.push((site, Change::BothSides));
                }
            }
        }
        if truth.spread != UNIFORM {
            let entries = &frame.shape.entries;
            for side in [then, otherwise].into_iter().filter(|&side| entries[usize::from(side)] == 1) {
                let spread = frame.guards.entry(side).or_insert(UNIFORM);
                *spread = truth.spread.min(*spread);
            }
        }
        truth.lanes
    }

    /// Returns how many consecutive lanes surely reach a block together: the least spread of the unknown conditions that
    /// decide it.
    pub(super) fn together(&self, frame: &Frame, block: BlockId) -> u32 {
        let dominators = &frame.shape.dominators;
        let guards = frame.guards.iter().filter(|(side, _)| dominators.dominates(**side, block));
        guards.map(|(_, &spread)| spread).fold(frame.together, u32::min)
    }

    /// Returns a value in some lanes.
    pub(super) fn value(&mut self, frame: &mut Frame<'a>, id: ValueId, lanes: Lanes) -> Number {
        let value = &frame.function.values[id];
        match &value.op {
            Op::Parameter(number) => match frame.arguments.get(*number as usize) {
                Some(argument) => argument.clone(),
                None => self.atoms.fresh(DIVERGENT),
            },
            Op::Constant(Constant::Integer(number)) => Number::new(*number as i64),
            Op::Constant(Constant::Zero) => Number::new(0),
            Op::Constant(_) => self.atoms.fresh(UNIFORM),
            Op::Slot(slot) => {
                let atoms = &mut self.atoms;
                frame.slots.entry(*slot).or_insert_with(|| atoms.private()).clone()
            }
            Op::Global(name) => {
                let is_shared =
                    value.ty.as_pointer().is_some_and(|pointer| pointer.space == AddressSpace::Local);
                let memory = if is_shared { Memory::Shared(*name) } else { Memory::Other };
                self.atoms.memory(Key::Named(*name), memory, element_of(value.ty))
            }
            Op::Function(_) | Op::String(_) => self.atoms.fresh(UNIFORM),
            _ => match frame.values.entry(id).or_default().get(lanes, &mut self.atoms) {
                Some(number) => number,
                None => self.atoms.fresh(DIVERGENT),
            },
        }
    }

    /// Returns an unknown result of an operation: it is uniform if the operands are.
    fn derived_from(&mut self, frame: &mut Frame<'a>, op: &Op, lanes: Lanes) -> Number {
        let mut operands = Vec::new();
        op.operands(|&operand| operands.push(operand));
        let mut spread = UNIFORM;
        for operand in operands {
            let number = self.value(frame, operand, lanes);
            spread = spread.min(self.atoms.spread(&number, lanes));
        }
        self.atoms.fresh(spread)
    }

    /// Executes an operation. `None`: its result is unknown, and uniform if its operands are.
    fn operation(
        &mut self,
        frame: &mut Frame<'a>,
        block: BlockId,
        id: ValueId,
        lanes: Lanes,
    ) -> Option<Number> {
        let value = &frame.function.values[id];
        let ty = value.ty;
        match &value.op {
            Op::Unary { op, operand } if is_number(ty) => {
                let operand = self.value(frame, *operand, lanes);
                Some(match op {
                    UnaryOp::Negate => operand.times(-1).wrapped(ty),
                    UnaryOp::Complement if ty == Ty::BOOL => Number::new(1).plus(&operand, -1),
                    UnaryOp::Complement => Number::new(-1).plus(&operand, -1).wrapped(ty),
                })
            }
            Op::Binary { op, left, right } if is_number(ty) => {
                let (left, right) = (self.value(frame, *left, lanes), self.value(frame, *right, lanes));
                Some(self.atoms.arithmetic(*op, &left, &right, ty, lanes))
            }
            Op::Compare { op, left, right } if ty == Ty::BOOL => {
                let (left, right) = (self.value(frame, *left, lanes), self.value(frame, *right, lanes));
                Some(self.atoms.compare(*op, &left, &right, lanes))
            }
            Op::Convert { conversion, operand } => {
                let number = self.value(frame, *operand, lanes);
                Some(match conversion {
                    Conversion::Integer => number.wrapped(ty),
                    Conversion::ToBool => {
                        self.atoms.compare(Comparison::NotEqual, &number, &Number::new(0), lanes)
                    }
                    Conversion::Pointer
                    | Conversion::PointerToInt
                    | Conversion::IntToPointer
                    | Conversion::Bits => number,
                    _ => self.derived(Derivation::Converted(ty), vec![number], lanes),
                })
            }
            Op::Select { condition, then, otherwise } => {
                let condition = self.value(frame, *condition, lanes);
                let (then, otherwise) =
                    (self.value(frame, *then, lanes), self.value(frame, *otherwise, lanes));
                if then == otherwise {
                    return Some(then);
                }
                if !condition.terms.is_empty() {
                    return None;
                }
                let is_true = |lane: &usize| condition.offsets.at(*lane) != 0;
                let chosen: Lanes = each_lane(lanes).filter(is_true).fold(0, |all, lane| all | 1 << lane);
                let mut result = Computed::of(lanes, otherwise);
                if chosen != 0 {
                    result.set(chosen, then);
                }
                result.get(lanes, &mut self.atoms)
            }
            Op::Extract { vector, lane } => {
                let parts = vec![self.value(frame, *vector, lanes), self.value(frame, *lane, lanes)];
                Some(self.derived(Derivation::Part, parts, lanes))
            }
            Op::Load { address, volatile, .. } => {
                let address = self.value(frame, *address, lanes);
                Some(self.load((frame, block, id), &address, ty, *volatile, lanes))
            }
            Op::Store { address, value, volatile, .. } => {
                let ty = frame.function.values[*value].ty;
                let address = self.value(frame, *address, lanes);
                let value = self.value(frame, *value, lanes);
                self.store((frame, block, id), &address, (value, ty), *volatile, lanes);
                None
            }
            Op::Copy { to, from, ty } => {
                let (to, from) = (self.value(frame, *to, lanes), self.value(frame, *from, lanes));
                let size = self.size_at(&from, *ty);
                self.access((frame, block, id), &from, size, Stored::Nothing, lanes);
                self.access((frame, block, id), &to, size, Stored::Values, lanes);
                match (self.private_place(&to, lanes), self.private_place(&from, lanes)) {
                    (Some(to), Some(from)) => self.private.copy(to, from, size),
                    _ => self.forget(&to),
                }
                None
            }
            Op::Clear { address, .. } => {
                let address = self.value(frame, *address, lanes);
                self.forget(&address);
                None
            }
            Op::Element { base, index, element } => {
                let length = length_of(frame.type_of(*base), *element);
                let (base, index) = (self.value(frame, *base, lanes), self.value(frame, *index, lanes));
                let size = self.size_at(&base, *element);
                Some(base.plus(&index.inside(length), size))
            }
            Op::Field { base, record, field } => {
                let base = self.value(frame, *base, lanes);
                Some(match frame.shape.field_offsets.get(&id) {
                    Some(&offset) => base.plus(&Number::new(offset), 1),
                    None => self.derived(Derivation::Field(*record, *field), vec![base], lanes),
                })
            }
            Op::Call(call) => {
                let mut arguments = Vec::with_capacity(call.arguments.len());
                for &(argument, _) in &call.arguments {
                    arguments.push(self.value(frame, argument, lanes));
                }
                let together = self.together(frame, block);
                match (self.inputs.called)(&call.callee) {
                    Some(of) => {
                        let path = self.paths.of_call(frame.path, id);
                        let result = self.call(of, path, arguments, lanes, together);
                        Some(result.unwrap_or_else(|| self.atoms.fresh(DIVERGENT)))
                    }
                    None => self.builtin((frame, block, id), call, &arguments, lanes),
                }
            }
            Op::Unknown { what, operands } => {
                let mut numbers = Vec::with_capacity(operands.len());
                for &operand in operands {
                    numbers.push(self.value(frame, operand, lanes));
                }
                self.unknown(frame, id, *what, numbers, lanes)
            }
            _ => None,
        }
    }

    fn unknown(
        &mut self,
        frame: &Frame,
        id: ValueId,
        what: Unknown,
        operands: Vec<Number>,
        lanes: Lanes,
    ) -> Option<Number> {
        match (what, &*operands) {
            (Unknown::Name(name) | Unknown::Dependent(name), _) => {
                Some(self.atoms.of(Key::Named(name), UNIFORM))
            }
            (Unknown::Variable(_), _) => Some(self.atoms.fresh(DIVERGENT)),
            (Unknown::Value, [operand]) if frame.function.is_same_number(id) => Some(operand.clone()),
            (Unknown::Arithmetic(op), [left, right]) => {
                Some(self.atoms.arithmetic(op, left, right, frame.function.values[id].ty, lanes))
            }
            (Unknown::Compare(op), [left, right]) => Some(self.atoms.compare(op, left, right, lanes)),
            (Unknown::Address, _) => Some(self.derived(Derivation::Address, operands, lanes)),
            (Unknown::Member(name), _) => Some(self.derived(Derivation::Member(name), operands, lanes)),
            (Unknown::Statement | Unknown::Assembly, _) => {
                self.order_all();
                None
            }
            _ => None,
        }
    }

    /// Returns a number that derives from others. The address of a part of some memory is in the same memory.
    fn derived(&mut self, how: Derivation, operands: Vec<Number>, lanes: Lanes) -> Number {
        let spread =
            operands.iter().map(|operand| self.atoms.spread(operand, lanes)).min().unwrap_or(UNIFORM);
        let memory = operands.first().and_then(|base| self.atoms.memory_of(base));
        let key = Key::Derived(how, operands);
        match memory {
            Some((_, memory)) if spread == UNIFORM && !matches!(how, Derivation::Converted(_)) => {
                self.atoms.memory(key, memory, None)
            }
            _ => self.atoms.of(key, spread),
        }
    }

    /// Returns the size of an object at an address in bytes. If its type is unknown, it is an element of the memory there.
    /// An array of bytes can hold elements of any size. A row of a matrix of such elements has the size of all of them.
    fn size_at(&self, address: &Number, ty: Ty) -> i64 {
        let of_memory = || {
            let (atom, _) = self.atoms.memory_of(address)?;
            self.atoms.get(atom).element.filter(|&size| size > 1)
        };
        if let Some(known) = layout(ty) {
            return known.size as i64;
        }
        match ty.kind() {
            TyKind::Array { element, length: Some(length) } => {
                let length = i64::try_from(*length).unwrap_or(i64::MAX);
                self.size_at(address, *element).saturating_mul(length)
            }
            _ => of_memory().unwrap_or(UNKNOWN_SIZE),
        }
    }

    /// Returns the object and offset of an address in private memory that is the same in some lanes.
    fn private_place(&self, address: &Number, lanes: Lanes) -> Option<(AtomId, i64)> {
        let (atom, Memory::Private) = self.atoms.memory_of(address)? else { return None };
        let is_one = address.terms.len() == 1 && address.has_same_offset(lanes);
        is_one.then(|| (atom, address.offsets.at(lanes.trailing_zeros() as usize % LANES)))
    }

    /// Forgets the known values of the memory at an address.
    pub(super) fn forget(&mut self, address: &Number) {
        match self.atoms.memory_of(address) {
            Some((atom, Memory::Private)) => self.private.forget(atom),
            _ => self.writes += 1,
        }
    }

    /// Orders all accesses before all later ones.
    pub(super) fn order_all(&mut self) {
        self.log.order_all();
        self.writes += 1;
    }

    pub(super) fn load(
        &mut self,
        at: (&Frame<'a>, BlockId, ValueId),
        address: &Number,
        ty: Ty,
        volatile: bool,
        lanes: Lanes,
    ) -> Number {
        if let Some((object, offset)) = self.private_place(address, lanes) {
            if let Some(number) = self.private.at(object, offset).get(lanes, &mut self.atoms) {
                return number;
            }
            let number = self.atoms.fresh(DIVERGENT);
            self.private.at(object, offset).set(lanes, number.clone());
            return number;
        }
        let memory = self.atoms.memory_of(address);
        if volatile && !matches!(memory, Some((_, Memory::Shared(_)))) {
            // It may wait for another thread.
            self.order_all();
        }
        let size = self.size_at(address, ty);
        self.access(at, address, size, Stored::Nothing, lanes);
        let spread = self.atoms.spread(address, lanes);
        let private = matches!(memory, Some((_, Memory::Private)));
        let key = Key::Loaded(address.clone(), ty, self.writes);
        match ty.as_pointer() {
            Some(_) if spread == UNIFORM => self.atoms.memory(key, Memory::Other, element_of(ty)),
            _ if private => self.atoms.fresh(DIVERGENT),
            _ => self.atoms.of(key, spread),
        }
    }

    pub(super) fn store(
        &mut self,
        at: (&Frame<'a>, BlockId, ValueId),
        address: &Number,
        (value, ty): (Number, Ty),
        volatile: bool,
        lanes: Lanes,
    ) {
        if let Some((object, offset)) = self.private_place(address, lanes) {
            self.private.at(object, offset).set(lanes, value);
            return;
        }
        let is_shared = matches!(self.atoms.memory_of(address), Some((_, Memory::Shared(_))));
        // Another thread may wait for a value in global memory.
        if !volatile || is_shared {
            let size = self.size_at(address, ty);
            let stored = match self.atoms.spread(&value, lanes) {
                UNIFORM => Stored::OneValue,
                _ => Stored::Values,
            };
            self.access(at, address, size, stored, lanes);
        }
        self.forget(address);
    }

    /// Records an access to memory of several threads.
    fn access(
        &mut self,
        (frame, block, id): (&Frame<'a>, BlockId, ValueId),
        address: &Number,
        size: i64,
        stored: Stored,
        lanes: Lanes,
    ) {
        let Some((object, memory)) = self.atoms.memory_of(address) else { return };
        let is_scattered = self.atoms.spread_of_terms(address) != UNIFORM;
        let is_unknown = !matches!(memory, Memory::Shared(_)) || !self.atoms.depends_on_data(address);
        if memory == Memory::Private || is_scattered && is_unknown {
            return;
        }
        self.log.add(Access {
            place: Place { function: frame.number, value: id },
            stores: stored != Stored::Nothing,
            stores_one_value: stored == Stored::OneValue,
            lanes,
            object,
            terms: address.terms.clone(),
            offsets: address.offsets.clone(),
            is_scattered,
            size,
            memory,
            together: self.together(frame, block),
        });
    }
}

/// Whether a type holds integers, or is unknown.
fn is_number(ty: Ty) -> bool {
    matches!(ty.kind(), TyKind::Integer(_) | TyKind::Bool) || ty.is_unknown()
}

/// Returns the size of the elements of the memory that an address points into, in bytes. `None`: unknown.
fn element_of(address: Ty) -> Option<i64> {
    let mut ty = address.as_pointer()?.pointee;
    while let TyKind::Array { element, .. } = ty.kind() {
        ty = *element;
    }
    layout(ty).map(|layout| layout.size as i64)
}

/// Returns the number of elements of the array that an address points to. `None`: unknown, or no array of this type.
fn length_of(address: Ty, of: Ty) -> Option<i64> {
    match address.as_pointer()?.pointee.kind() {
        TyKind::Array { element, length } if *element == of => {
            length.and_then(|length| i64::try_from(length).ok())
        }
        _ => None,
    }
}
