//! Prepares a module for execution: everything that depends on the module alone, computed once for all launches.

use std::fmt;
use std::sync::OnceLock;

use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use tangle_base::Symbol;
use tangle_ir::flow::cycles::{CycleId, Cycles};
use tangle_ir::flow::shape::Shape;
use tangle_ir::flow::verify::{Violation, verify};
use tangle_ir::flow::{BlockId, BlockKind, Callee, Function, LoopId, Module, Op, Terminator, Token, ValueId};
use tangle_ir::key::{FunctionKey, Named};
use tangle_ir::layout::record_layout;
use tangle_ir::nest::StmtId;
use tangle_ir::uniformity::graph::Graph;
use tangle_ir::{AddressSpace, Span};

use crate::keys::{Live, Point, live_tokens};
use crate::language::{Builtin, Language};
use crate::memory::size;
use crate::order::Order;
use crate::outcome::Spot;
use crate::random::Random;
use crate::value::{Base, Pointer, Val, constant};

/// A module that can be executed.
pub struct Program<'m> {
    pub(crate) module: &'m Module,
    pub(crate) functions: Vec<Prepared>,
    /// The number of each function that the module defines or takes the address of. Defined functions come first.
    numbers: FxHashMap<FunctionKey, u32>,
    /// The objects of variables and strings, in the order of their creation.
    pub(crate) objects: Vec<(AddressSpace, What<'m>)>,
    pub(crate) addresses: FxHashMap<Symbol, Pointer>,
    pub(crate) strings: FxHashMap<&'m [u8], Pointer>,
}

/// The origin of an object.
#[derive(Clone, Copy)]
pub(crate) enum What<'m> {
    Variable(&'m tangle_ir::flow::Global),
    String(&'m [u8]),
}

/// Data about a function that an execution needs.
pub(crate) struct Prepared {
    /// For each value, its initial value: constants and addresses. Undefined for all others.
    pub template: Vec<Val>,
    /// The values that are addresses of slots.
    pub slots: Vec<(ValueId, u32)>,
    /// For each `element` operation, the size of an element; for each `field` operation, the offset of the field. In
    /// bytes.
    pub offsets: Vec<i64>,
    /// The callee of each call.
    pub calls: FxHashMap<ValueId, Target>,
    /// The size of each slot in bytes.
    pub sizes: Vec<u64>,
    /// Whether it may reach a convergent operation, by itself or through calls.
    pub communicates: bool,
    pub rounds: Rounds,
    /// For each source loop, whether convergence in it is implementation-defined by the revised text: a goto cycle, or
    /// a loop statement that a jump enters.
    free: IndexVec<LoopId, bool>,
    /// The order of its blocks, by the time when threads reach them.
    pub order: Order,
    /// See [`live_tokens`].
    pub live: Vec<Live>,
    /// The location of the definition of each token.
    pub tokens: FxHashMap<ValueId, (BlockId, usize)>,
    /// See [`deciding`](Prepared::deciding). Only few launches use it.
    deciding: OnceLock<IndexVec<BlockId, Vec<BlockId>>>,
}

impl Prepared {
    /// For each block, the blocks whose branches decide whether it is reached. A block in a loop also depends on the
    /// last branch before it, even if all threads reach it at the end: the `return` in
    /// `while (true) { if (a) return; … }`.
    pub fn deciding(&self, function: &Function) -> &IndexVec<BlockId, Vec<BlockId>> {
        self.deciding.get_or_init(|| {
            let shape = Shape::of(function);
            let predecessors = shape.predecessors.clone();
            let mut deciding = Graph::of(function, shape).controllers;
            for block in function.blocks.indices() {
                if function.loops_around(block).next().is_none() {
                    continue;
                }
                let mut at = block;
                while let [before] = predecessors[at][..] {
                    if function.blocks[before].terminator.successors().len() > 1 {
                        deciding[block].push(before);
                        break;
                    }
                    at = before;
                }
            }
            deciding
        })
    }

    /// Identifies the construct around a block that makes convergence implementation-defined by the revised text. It is
    /// the outermost such source loop, or the range from a label to a `goto` back that makes no cycle.
    pub fn free_part(&self, function: &Function, block: BlockId) -> Option<[u32; 2]> {
        let free_loop = function.loops_around(block).filter(|&it| self.free[it]).last();
        free_loop.map(|it| [0, it.raw()]).or_else(|| {
            let entered = function.entering.iter().position(|it| (it.first..=it.last).contains(&block));
            entered.map(|number| [2, number as u32])
        })
    }
}

/// Computes [`Prepared::free`].
fn free_loops(function: &Function) -> IndexVec<LoopId, bool> {
    let mut free: IndexVec<LoopId, bool> = function.loops.iter().map(|it| it.jumps.is_some()).collect();
    let is_label = |kind| matches!(kind, BlockKind::Label | BlockKind::SwitchCase | BlockKind::SwitchDefault);
    let labels = function.blocks.iter_enumerated().filter(|(_, block)| is_label(block.kind));
    let block_of: FxHashMap<StmtId, BlockId> = labels.map(|(id, block)| (block.stmt, id)).collect();
    for (from, block) in function.blocks.iter_enumerated() {
        let landings = block.jump.iter().flat_map(|jump| &jump.labels);
        for &to in landings.filter_map(|landing| block_of.get(&landing.label)) {
            let entered = function.loops_around(to).filter(|&it| !function.is_within(from, it));
            entered.for_each(|it| free[it] = true);
        }
    }
    free
}

/// The resolved callee of a call.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    Function(usize),
    Pointer(ValueId),
    Builtin(Symbol, Option<Builtin>),
    /// An unknown function.
    Unknown,
}

/// The cycles of a function, prepared for counting iterations.
#[derive(Clone)]
pub(crate) struct Rounds {
    pub cycles: Cycles,
    /// The cycle of each header.
    pub cycle_of: IndexVec<BlockId, Option<CycleId>>,
    /// For each cycle, whether it or a cycle around it has several entries.
    irreducible: IndexVec<CycleId, bool>,
}

impl Rounds {
    fn of(cycles: Cycles, blocks: usize) -> Rounds {
        let mut cycle_of = index_vec::index_vec![None; blocks];
        let mut irreducible: IndexVec<CycleId, bool> = IndexVec::with_capacity(cycles.cycles.len());
        for (id, cycle) in cycles.cycles.iter_enumerated() {
            cycle_of[cycle.header] = Some(id);
            irreducible.push(!cycle.is_reducible() || cycle.parent.is_some_and(|parent| irreducible[parent]));
        }
        Rounds { cycles, cycle_of, irreducible }
    }

    /// Whether a cycle around a block has several entries.
    pub fn is_irreducible(&self, block: BlockId) -> bool {
        self.cycles.innermost(block).is_some_and(|cycle| self.irreducible[cycle])
    }

    /// The cycle hierarchy of a depth-first search that visits successors in a random order.
    pub fn random(function: &Function, random: &mut Random) -> Rounds {
        let mut turned = function.clone();
        for block in &mut turned.blocks {
            match &mut block.terminator {
                Terminator::Branch { then, otherwise, .. } if random.chance(50) => {
                    std::mem::swap(then, otherwise)
                }
                Terminator::Switch { cases, otherwise, .. } => {
                    for at in 0..cases.len() {
                        match random.below(cases.len() + 1) {
                            with if with < cases.len() => {
                                let target = cases[with].2;
                                cases[with].2 = std::mem::replace(&mut cases[at].2, target);
                            }
                            _ => std::mem::swap(&mut cases[at].2, otherwise),
                        }
                    }
                }
                _ => {}
            }
        }
        Rounds::of(Shape::of(&turned).cycles, function.blocks.len())
    }
}

/// Why a module cannot be executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// A function violates the rules of the flow graph.
    Rules {
        /// The number of the function in the module.
        function: usize,
        /// All violations.
        violations: Vec<Violation>,
    },
    /// A function has too many slots, or the module too many objects, for distinct addresses.
    Large,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Rules { violations, .. } => {
                write!(f, "a function violates the rules of the flow graph: {violations:?}")
            }
            Broken::Large => f.write_str("too many variables"),
        }
    }
}

impl<'m> Program<'m> {
    /// Prepares a module that uses the builtins of a language.
    ///
    /// # Errors
    ///
    /// If a function violates the [rules](tangle_ir::flow::verify), or there are too many variables for distinct
    /// addresses.
    pub fn new(module: &'m Module, language: &impl Language) -> Result<Program<'m>, Broken> {
        for (number, function) in module.functions.iter().enumerate() {
            let violations = verify(function);
            if !violations.is_empty() {
                return Err(Broken::Rules { function: number, violations });
            }
        }
        let functions = &module.functions;
        let numbers = functions.iter().zip(0..).map(|(function, number)| (function.key, number)).collect();
        let mut program = Program {
            module,
            functions: Vec::new(),
            numbers,
            objects: Vec::new(),
            addresses: FxHashMap::default(),
            strings: FxHashMap::default(),
        };
        program.place_objects();
        let is_large = |function: &Function| function.slots.len() + function.parameters.len() >= 1 << 17;
        if program.objects.len() >= 1 << 24 || functions.iter().any(is_large) {
            return Err(Broken::Large);
        }
        for function in functions {
            let prepared = program.prepare(function, language);
            program.functions.push(prepared);
        }
        program.spread();
        Ok(program)
    }

    /// The module that was prepared.
    pub fn module(&self) -> &'m Module {
        self.module
    }

    /// The number of the first function with this name. `None` if there is no such function.
    pub fn function(&self, name: &str) -> Option<usize> {
        let name = Symbol::intern(name);
        self.module.functions.iter().position(|function| function.key.name == name)
    }

    /// The source location of an operation, parameter or block end. For a block, the location of its first operation.
    pub fn span(&self, spot: Spot) -> Span {
        let function = &self.module.functions[spot.function];
        match spot.point {
            Point::Parameter(value) | Point::Operation(value) => function.values[value].span,
            Point::End(block) => function.blocks[block].end,
            Point::Block(block) => match self.first(spot.function, block) {
                Some(value) => function.values[value].span,
                None => function.blocks[block].end,
            },
        }
    }

    /// The first operation of a block that is neither a phi nor a token.
    pub(crate) fn first(&self, function: usize, block: BlockId) -> Option<ValueId> {
        let function = &self.module.functions[function];
        let mut values = function.blocks[block].values.iter().copied();
        values.find(|&value| !matches!(function.values[value].op, Op::Phi(_) | Op::Token(_)))
    }

    /// Whether a block only jumps to another one.
    pub(crate) fn is_silent(&self, function: usize, block: BlockId) -> bool {
        let terminator = &self.module.functions[function].blocks[block].terminator;
        matches!(terminator, Terminator::Jump(_)) && self.first(function, block).is_none()
    }

    fn place_objects(&mut self) {
        let (mut locals, mut globals) = (0, 0);
        let mut place = |space: AddressSpace| {
            let (next, base): (&mut u32, fn(u32) -> Base) = match space {
                AddressSpace::Local => (&mut locals, Base::Local),
                _ => (&mut globals, Base::Global),
            };
            *next += 1;
            Pointer { base: base(*next - 1), offset: 0 }
        };
        for global in &self.module.globals {
            self.addresses.insert(global.name, place(global.space));
            self.objects.push((global.space, What::Variable(global)));
        }
        for value in self.module.functions.iter().flat_map(|function| &function.values) {
            match &value.op {
                Op::String(bytes) if !self.strings.contains_key(&**bytes) => {
                    self.strings.insert(bytes, place(AddressSpace::Constant));
                    self.objects.push((AddressSpace::Constant, What::String(bytes)));
                }
                Op::Function(key) => _ = self.number(*key),
                _ => {}
            }
        }
    }

    fn number(&mut self, key: FunctionKey) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(key).or_insert(next)
    }

    pub(crate) fn address_of_function(&self, key: FunctionKey) -> Pointer {
        // An undefined function whose address only an initializer takes has no number. All of these share one.
        let number = self.numbers.get(&key).copied().unwrap_or(u32::MAX >> 7);
        Pointer { base: Base::Function(number), offset: 0 }
    }

    fn prepare(&self, function: &Function, language: &impl Language) -> Prepared {
        let shape = Shape::of(function);
        let of_name = |name| Some(Target::Builtin(name, Some(language.builtin(name)?)));
        let mut prepared = Prepared {
            template: vec![Val::Undefined; function.values.len()],
            slots: Vec::new(),
            offsets: vec![0; function.values.len()],
            calls: FxHashMap::default(),
            sizes: function.slots.iter().map(|slot| size(slot.ty)).collect(),
            communicates: false,
            rounds: Rounds::of(shape.cycles, function.blocks.len()),
            free: free_loops(function),
            order: Order::of(function),
            live: live_tokens(function),
            tokens: FxHashMap::default(),
            deciding: OnceLock::new(),
        };
        for (id, value) in function.values.iter_enumerated() {
            let template = &mut prepared.template[id.index()];
            let offset = &mut prepared.offsets[id.index()];
            match &value.op {
                Op::Constant(it) => *template = constant(it, value.ty),
                Op::Slot(slot) => prepared.slots.push((id, slot.index() as u32)),
                Op::Global(name) => {
                    *template = self.addresses.get(name).map_or(Val::Undefined, |it| Val::Pointer(*it));
                }
                Op::Function(key) => *template = Val::Pointer(self.address_of_function(*key)),
                Op::String(bytes) => *template = Val::Pointer(self.strings[&**bytes]),
                Op::Element { element, .. } => *offset = size(*element) as i64,
                Op::Field { record, field, .. } => {
                    let places = record.as_record().and_then(record_layout);
                    *offset = places.map_or(0, |places| places.fields[*field as usize].offset as i64);
                }
                Op::Call(call) => {
                    let target = match &call.callee {
                        Callee::Pointer { address, .. } => Target::Pointer(*address),
                        Callee::Builtin { name, .. } | Callee::Compiler { name, .. } => {
                            Target::Builtin(*name, language.builtin(*name))
                        }
                        Callee::Function { key, .. } => match self.defined(*key) {
                            Some(number) => Target::Function(number),
                            None => key.row().and_then(of_name).unwrap_or(Target::Unknown),
                        },
                        Callee::Unknown { named, .. } => {
                            let of_named = |named: Named| {
                                let is_meant = |function: &Function| function.key.is_named(named);
                                let number = self.module.functions.iter().position(is_meant);
                                named.row().and_then(of_name).or(number.map(Target::Function))
                            };
                            named.and_then(of_named).unwrap_or(Target::Unknown)
                        }
                    };
                    prepared.communicates |= match target {
                        Target::Builtin(_, builtin) => builtin.is_some_and(|builtin| builtin.convergent),
                        Target::Pointer(_) => true,
                        Target::Function(_) | Target::Unknown => false,
                    };
                    prepared.calls.insert(id, target);
                }
                _ => {}
            }
        }
        for (id, block) in function.blocks.iter_enumerated() {
            for (at, &value) in block.values.iter().enumerate() {
                if let Op::Token(Token::Entry | Token::Anchor | Token::Loop(_)) = function.values[value].op {
                    prepared.tokens.insert(value, (id, at));
                }
            }
        }
        prepared
    }

    fn defined(&self, key: FunctionKey) -> Option<usize> {
        let number = *self.numbers.get(&key)? as usize;
        (number < self.module.functions.len()).then_some(number)
    }

    /// Marks the callers of functions that communicate.
    fn spread(&mut self) {
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); self.functions.len()];
        for (number, function) in self.functions.iter().enumerate() {
            for target in function.calls.values() {
                if let Target::Function(callee) = target {
                    callers[*callee].push(number);
                }
            }
        }
        let mut todo: Vec<usize> =
            (0..self.functions.len()).filter(|&it| self.functions[it].communicates).collect();
        while let Some(callee) = todo.pop() {
            for &caller in &callers[callee] {
                if !std::mem::replace(&mut self.functions[caller].communicates, true) {
                    todo.push(caller);
                }
            }
        }
    }
}
