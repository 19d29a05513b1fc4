//! Prepares a module for execution: everything that depends on the module alone, computed once for all launches.

use std::fmt;
use std::sync::OnceLock;

use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use tangle_base::Symbol;
use tangle_ir::flow::cycles::{CycleId, Cycles};
use tangle_ir::flow::shape::GraphAnalysis;
use tangle_ir::flow::verify::{Violation, verify};
use tangle_ir::flow::{BlockId, BlockKind, Callee, Function, LoopId, Module, Op, Terminator, Token, ValueId};
use tangle_ir::key::{FunctionKey, UnresolvedCallee};
use tangle_ir::layout::record_layout;
use tangle_ir::nest::StmtId;
use tangle_ir::types::Ty;
use tangle_ir::uniformity::graph::Graph;
use tangle_ir::{AddressSpace, Span};

use crate::keys::{Live, Point, live_tokens};
use crate::language::{Builtin, Language};
use crate::memory::size;
use crate::order::BlockOrder;
use crate::outcome::Location;
use crate::random::Random;
use crate::value::{Base, Pointer, Value, constant};

/// A module that can be executed.
pub struct Program<'m> {
    pub(crate) module: &'m Module,
    pub(crate) functions: Vec<PreparedFunction>,
    /// The number of each function that the module defines or takes the address of. Defined functions come first.
    numbers: FxHashMap<FunctionKey, u32>,
    /// The objects of variables and strings, in the order of their creation.
    pub(crate) objects: Vec<(AddressSpace, ObjectOrigin<'m>)>,
    pub(crate) addresses: FxHashMap<Symbol, Pointer>,
    pub(crate) strings: FxHashMap<&'m [u8], Pointer>,
}

/// The origin of an object.
#[derive(Clone, Copy)]
pub(crate) enum ObjectOrigin<'m> {
    Variable(&'m tangle_ir::flow::Global),
    /// A variable that the module uses and does not define: `extern __shared__`. Its name and type.
    External(Symbol, Ty),
    String(&'m [u8]),
}

/// Data about a function that an execution needs.
pub(crate) struct PreparedFunction {
    /// For each value, its initial value: constants and addresses. Undefined for all others.
    pub template: Vec<Value>,
    /// The values that are addresses of slots.
    pub slots: Vec<(ValueId, u32)>,
    /// For each `element` operation, the size of an element; for each `field` operation, the offset of the field. In
    /// bytes.
    pub offsets: Vec<i64>,
    /// The callee of each call.
    pub calls: FxHashMap<ValueId, ResolvedCallee>,
    /// The size of each slot in bytes.
    pub sizes: Vec<u64>,
    /// Whether it may reach a convergent operation, by itself or through calls.
    pub may_reach_convergent: bool,
    pub rounds: CycleHierarchy,
    /// For each source loop, whether convergence in it is implementation-defined by the revised text: a goto cycle, or
    /// a loop statement that a jump enters.
    free: IndexVec<LoopId, bool>,
    /// The order of its blocks, by the time when threads reach them.
    pub order: BlockOrder,
    /// See [`live_tokens`].
    pub live: Vec<Live>,
    /// The location of the definition of each token.
    pub tokens: FxHashMap<ValueId, (BlockId, usize)>,
    /// See [`deciding`](Prepared::deciding). Only few launches use it.
    deciding: OnceLock<IndexVec<BlockId, Vec<BlockId>>>,
}

impl PreparedFunction {
    /// For each block, the blocks whose branches decide whether it is reached. A block in a loop also depends on the
    /// last branch before it, even if all threads reach it at the end: the `return` in
    /// `while (true) { if (a) return; … }`.
    pub fn deciding(&self, function: &Function) -> &IndexVec<BlockId, Vec<BlockId>> {
        self.deciding.get_or_init(|| {
            let shape = GraphAnalysis::of(function);
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
            let entered =
                function.non_cyclic_back_jumps.iter().position(|it| (it.first..=it.last).contains(&block));
            entered.map(|number| [2, number as u32])
        })
    }
}

/// Computes [`PreparedFunction::free`].
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
pub(crate) enum ResolvedCallee {
    Function(usize),
    Pointer(ValueId),
    Builtin(Symbol, Option<Builtin>),
    /// An unknown function.
    Unknown,
}

/// The cycles of a function, prepared for counting iterations.
#[derive(Clone)]
pub(crate) struct CycleHierarchy {
    pub cycles: Cycles,
    /// The cycle of each header.
    pub cycle_of: IndexVec<BlockId, Option<CycleId>>,
    /// For each cycle, whether it or a cycle around it has several entries.
    irreducible: IndexVec<CycleId, bool>,
}

impl CycleHierarchy {
    fn of(cycles: Cycles, blocks: usize) -> CycleHierarchy {
        let mut cycle_of = index_vec::index_vec![None; blocks];
        let mut irreducible: IndexVec<CycleId, bool> = IndexVec::with_capacity(cycles.cycles.len());
        for (id, cycle) in cycles.cycles.iter_enumerated() {
            cycle_of[cycle.header] = Some(id);
            irreducible.push(!cycle.is_reducible() || cycle.parent.is_some_and(|parent| irreducible[parent]));
        }
        CycleHierarchy { cycles, cycle_of, irreducible }
    }

    /// Whether a cycle around a block has several entries.
    pub fn is_irreducible(&self, block: BlockId) -> bool {
        self.cycles.innermost(block).is_some_and(|cycle| self.irreducible[cycle])
    }

    /// The cycle hierarchy of a depth-first search that visits successors in a random order.
    pub fn random(function: &Function, random: &mut Random) -> CycleHierarchy {
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
        CycleHierarchy::of(GraphAnalysis::of(&turned).cycles, function.blocks.len())
    }
}

/// Why a module cannot be executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramError {
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

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProgramError::Rules { violations, .. } => {
                write!(f, "a function violates the rules of the flow graph: {violations:?}")
            }
            ProgramError::Large => f.write_str("too many variables"),
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
    pub fn new(module: &'m Module, language: &impl Language) -> Result<Program<'m>, ProgramError> {
        for (number, function) in module.functions.iter().enumerate() {
            let violations = verify(function);
            if !violations.is_empty() {
                return Err(ProgramError::Rules { function: number, violations });
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
            return Err(ProgramError::Large);
        }
        for function in functions {
            let prepared = program.prepare(function, language);
            program.functions.push(prepared);
        }
        program.propagate_to_callers();
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
    pub fn span(&self, spot: Location) -> Span {
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
            self.objects.push((global.space, ObjectOrigin::Variable(global)));
        }
        for value in self.module.functions.iter().flat_map(|function| &function.values) {
            match &value.op {
                Op::String(bytes) if !self.strings.contains_key(&**bytes) => {
                    self.strings.insert(bytes, place(AddressSpace::Constant));
                    self.objects.push((AddressSpace::Constant, ObjectOrigin::String(bytes)));
                }
                Op::Function(key) => _ = self.number(*key),
                Op::Global(name) if !self.addresses.contains_key(name) => {
                    let Some(pointer) = value.ty.as_pointer() else { continue };
                    self.addresses.insert(*name, place(pointer.space));
                    self.objects.push((pointer.space, ObjectOrigin::External(*name, pointer.pointee)));
                }
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

    fn prepare(&self, function: &Function, language: &impl Language) -> PreparedFunction {
        let shape = GraphAnalysis::of(function);
        let of_name = |name| Some(ResolvedCallee::Builtin(name, Some(language.builtin(name)?)));
        let mut prepared = PreparedFunction {
            template: vec![Value::Undefined; function.values.len()],
            slots: Vec::new(),
            offsets: vec![0; function.values.len()],
            calls: FxHashMap::default(),
            sizes: function.slots.iter().map(|slot| size(slot.ty)).collect(),
            may_reach_convergent: false,
            rounds: CycleHierarchy::of(shape.cycles, function.blocks.len()),
            free: free_loops(function),
            order: BlockOrder::of(function),
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
                    *template = self.addresses.get(name).map_or(Value::Undefined, |it| Value::Pointer(*it));
                }
                Op::Function(key) => *template = Value::Pointer(self.address_of_function(*key)),
                Op::String(bytes) => *template = Value::Pointer(self.strings[&**bytes]),
                Op::Element { element, .. } => *offset = size(*element) as i64,
                Op::Field { record, field, .. } => {
                    let places = record_layout(*record);
                    *offset = places.map_or(0, |places| places.fields[*field as usize].offset as i64);
                }
                Op::Call(call) => {
                    let target = match &call.callee {
                        Callee::Pointer { address, .. } => ResolvedCallee::Pointer(*address),
                        Callee::Builtin { name, .. } | Callee::CompilerBuiltin { name, .. } => {
                            ResolvedCallee::Builtin(*name, language.builtin(*name))
                        }
                        Callee::Function { key, .. } => match self.defined(*key) {
                            Some(number) => ResolvedCallee::Function(number),
                            None => key.row().and_then(of_name).unwrap_or(ResolvedCallee::Unknown),
                        },
                        Callee::Unknown { named, .. } => {
                            let of_named = |named: UnresolvedCallee| {
                                let is_meant = |function: &Function| function.key.is_named(named);
                                let number = self.module.functions.iter().position(is_meant);
                                named.table_name().and_then(of_name).or(number.map(ResolvedCallee::Function))
                            };
                            named.and_then(of_named).unwrap_or(ResolvedCallee::Unknown)
                        }
                    };
                    prepared.may_reach_convergent |= match target {
                        ResolvedCallee::Builtin(_, builtin) => {
                            builtin.is_some_and(|builtin| builtin.convergent)
                        }
                        ResolvedCallee::Pointer(_) => true,
                        ResolvedCallee::Function(_) | ResolvedCallee::Unknown => false,
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
    fn propagate_to_callers(&mut self) {
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); self.functions.len()];
        for (number, function) in self.functions.iter().enumerate() {
            for target in function.calls.values() {
                if let ResolvedCallee::Function(callee) = target {
                    callers[*callee].push(number);
                }
            }
        }
        let mut todo: Vec<usize> =
            (0..self.functions.len()).filter(|&it| self.functions[it].may_reach_convergent).collect();
        while let Some(callee) = todo.pop() {
            for &caller in &callers[callee] {
                if !std::mem::replace(&mut self.functions[caller].may_reach_convergent, true) {
                    todo.push(caller);
                }
            }
        }
    }
}
