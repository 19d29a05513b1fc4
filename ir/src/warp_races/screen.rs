//! The objects whose accesses can be unordered, and the values that an execution needs for them. Both follow from the
//! graphs, without an execution.
//!
//! **Object** of an access: the variable, argument or loaded pointer that its address derives from. **Unordered** at a
//! point: the accesses since the last operation that orders all, on some path. Lanes that diverge at a branch execute both
//! sides, so an access on one side is also unordered with those on the other. A **candidate** is an object with a load and
//! a store that can be unordered. Kernels without candidates need no execution.
//!
//! ```c
//! s[lane] = x;                  // unordered after it: a store to s
//! __syncthreads();              // all earlier accesses are ordered
//! out[lane] = s[lane ^ 1];      // a load of s, and a store to out: no candidates
//! ```
//!
//! **Needed** value: the condition of a branch, the address of a candidate or of private memory, a value that is stored
//! there, an argument, a result, or an operand of a needed value. The others are not computed: most arithmetic, and the
//! addresses of arrays that are only read.
//!
//! Objects that are no candidates have no races. A candidate may have none either: addresses and conditions are not
//! compared here. A call has the effects of the called function, which are computed once for each combination of objects
//! in its arguments.

use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tangle_base::Symbol;

use super::effects::{following, is_private, is_pure_builtin, orders_all};
use super::inputs::KernelInputs;
use crate::flow::dominators::Dominators;
use crate::flow::{BlockId, Call, Callee, Function, Op, Passing, Terminator, Unknown, ValueId};
use crate::operation::Operation;
use crate::scope::Scope;
use crate::value::{Constant, Conversion};

/// The objects that an address may derive from, as bits. No bits: it is private, or no address.
type Objects = u64;

/// The bit of pointers that are loaded from memory of several threads.
const LOADED: Objects = 1 << 62;

/// The bit of an unknown object: it may be any of them.
const ANY: Objects = 1 << 63;

/// The limit on nested calls.
const MAX_DEPTH: usize = 12;

/// The limit on blocks that are visited to compare the sides of the branches of one function.
const MAX_VISITED: usize = 20_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Accesses {
    loads: Objects,
    stores: Objects,
}

impl Accesses {
    const NONE: Accesses = Accesses { loads: 0, stores: 0 };

    fn join(&mut self, other: Accesses) {
        self.loads |= other.loads;
        self.stores |= other.stores;
    }

    /// Returns the objects that one of these loads and the other stores.
    fn shared(self, other: Accesses) -> Objects {
        let shared = |a: Objects, b: Objects| match (a, b) {
            (0, _) | (_, 0) => 0,
            _ if (a | b) & ANY != 0 => a | b,
            _ => a & b,
        };
        shared(self.loads, other.stores) | shared(self.stores, other.loads)
    }
}

/// The effects of an operation or a function.
#[derive(Clone, Copy, Debug, Default)]
struct Effects {
    /// All accesses.
    all: Accesses,
    /// The accesses that can be executed before all operations that order.
    first: Accesses,
    /// The accesses that are unordered at the end.
    last: Accesses,
    /// Whether a path through the function has no operation that orders.
    passes: bool,
    /// The objects that the result may derive from.
    returned: Objects,
    /// The objects with a load and a store inside it that can be unordered.
    candidates: Objects,
    /// Whether it has effects that an execution sees, other than its result.
    is_pure: bool,
}

impl Effects {
    const UNKNOWN: Effects = Effects {
        all: Accesses { loads: ANY, stores: ANY },
        first: Accesses { loads: ANY, stores: ANY },
        last: Accesses { loads: ANY, stores: ANY },
        passes: true,
        returned: ANY,
        candidates: ANY,
        is_pure: false,
    };

    /// Orders all accesses before all later ones.
    const ORDER: Effects = Effects {
        all: Accesses::NONE,
        first: Accesses::NONE,
        last: Accesses::NONE,
        passes: false,
        returned: 0,
        candidates: 0,
        is_pure: false,
    };

    fn access(loads: Objects, stores: Objects) -> Option<Effects> {
        let all = Accesses { loads, stores };
        let effects = Effects {
            all,
            first: all,
            last: all,
            passes: true,
            returned: 0,
            candidates: all.shared(all),
            is_pure: false,
        };
        (all != Accesses::NONE).then_some(effects)
    }
}

/// The effects of a block.
struct BlockEffects {
    all: Accesses,
    /// The effects of its values.
    in_order: Vec<Effects>,
}

/// A function, and the objects of its arguments.
type Instance = (*const Function, SmallVec<[Objects; 8]>);

/// A function in all its instances.
struct Reached {
    /// The objects of each value.
    objects: IndexVec<ValueId, Objects>,
    is_pure: bool,
}

/// The candidates of a kernel, and the functions that it calls.
pub(super) struct Screened<'a, 'k> {
    inputs: &'k KernelInputs<'a>,
    candidates: Objects,
    functions: FxHashMap<*const Function, Reached>,
}

impl<'a, 'k> Screened<'a, 'k> {
    pub fn of(inputs: &'k KernelInputs<'a>) -> Screened<'a, 'k> {
        let mut screen = Screen {
            inputs,
            objects: 0,
            named: FxHashMap::default(),
            known: FxHashMap::default(),
            active: Vec::new(),
            functions: FxHashMap::default(),
        };
        let kernel = inputs.kernel.function;
        let arguments = kernel.parameters.iter().map(|parameter| {
            let is_address = kernel.values[parameter.value].ty.as_pointer().is_some();
            if is_address && parameter.passing == Passing::Value { screen.new_object() } else { 0 }
        });
        let arguments: SmallVec<[Objects; 8]> = arguments.collect();
        let candidates = screen.effects(kernel, arguments).candidates;
        Screened { inputs, candidates, functions: screen.functions }
    }

    /// Everything is a candidate and needed.
    #[cfg(test)]
    pub fn everything(inputs: &'k KernelInputs<'a>) -> Screened<'a, 'k> {
        Screened { inputs, candidates: ANY, functions: FxHashMap::default() }
    }

    /// Whether a value of the kernel accesses a candidate.
    #[cfg(test)]
    pub fn accesses_candidate(&self, value: ValueId) -> bool {
        let function = self.inputs.kernel.function;
        let objects = &self.functions[&std::ptr::from_ref(function)].objects;
        match &function.values[value].op {
            Op::Load { address, .. } | Op::Store { address, .. } => self.is_candidate(objects[*address]),
            _ => false,
        }
    }

    /// Whether the kernel has candidates.
    pub fn may_race(&self) -> bool {
        self.candidates != 0
    }

    fn is_candidate(&self, objects: Objects) -> bool {
        objects != 0 && (objects | self.candidates) & ANY != 0 || objects & self.candidates != 0
    }

    /// Returns for each value of a function whether it is needed.
    pub fn needed(&self, function: &'a Function) -> IndexVec<ValueId, bool> {
        let Some(Reached { objects, .. }) = self.functions.get(&std::ptr::from_ref(function)) else {
            return index_vec![true; function.values.len()];
        };
        let mut needed = index_vec![false; function.values.len()];
        let mut todo: Vec<ValueId> = Vec::new();
        for block in &function.blocks {
            todo.extend(block.values.iter().filter(|&&value| self.has_effect(function, value, objects)));
            match block.terminator {
                Terminator::Branch { condition, .. } => todo.push(condition),
                Terminator::Switch { value, .. } | Terminator::Return(Some(value)) => todo.push(value),
                Terminator::Return(None) | Terminator::Jump(_) | Terminator::Unreachable => {}
            }
        }
        while let Some(value) = todo.pop() {
            if !std::mem::replace(&mut needed[value], true) {
                function.values[value].op.operands(|&operand| todo.push(operand));
            }
        }
        needed
    }

    /// Whether a value has an effect on an execution, other than its result.
    fn has_effect(&self, function: &Function, value: ValueId, objects: &IndexVec<ValueId, Objects>) -> bool {
        let is_seen = |address: ValueId| objects[address] == 0 || self.is_candidate(objects[address]);
        match &function.values[value].op {
            Op::Load { address, volatile, .. } => *volatile || self.is_candidate(objects[*address]),
            Op::Store { address, .. } | Op::Clear { address, .. } => is_seen(*address),
            Op::Copy { to, from, .. } => is_seen(*to) || self.is_candidate(objects[*from]),
            Op::Unknown { what: Unknown::Statement | Unknown::Assembly, .. } => true,
            Op::Call(call) => match (self.inputs.called)(&call.callee) {
                Some(called) => {
                    let known = self.functions.get(&std::ptr::from_ref(called.function));
                    known.is_none_or(|called| !called.is_pure)
                }
                None => !is_pure_builtin(self.inputs, &call.callee),
            },
            _ => false,
        }
    }
}

/// The search for candidates.
struct Screen<'a, 'k> {
    inputs: &'k KernelInputs<'a>,
    /// The number of objects.
    objects: u32,
    named: FxHashMap<Symbol, Objects>,
    known: FxHashMap<Instance, Effects>,
    active: Vec<Instance>,
    functions: FxHashMap<*const Function, Reached>,
}

impl<'a> Screen<'a, '_> {
    /// Returns the effects of a function with the objects of its arguments.
    fn effects(&mut self, function: &'a Function, arguments: SmallVec<[Objects; 8]>) -> Effects {
        let instance = (std::ptr::from_ref(function), arguments);
        if let Some(&known) = self.known.get(&instance) {
            return known;
        }
        if self.active.len() == MAX_DEPTH || self.active.contains(&instance) {
            return Effects::UNKNOWN;
        }
        self.active.push(instance.clone());
        let (effects, objects) = self.compute(function, &instance.1);
        self.active.pop();
        let known = self.functions.entry(instance.0);
        let known = known.or_insert(Reached { objects: index_vec![0; objects.len()], is_pure: true });
        known.objects.iter_mut().zip(objects).for_each(|(known, new)| *known |= new);
        known.is_pure &= effects.is_pure;
        self.known.insert(instance, effects);
        effects
    }

    fn compute(
        &mut self,
        function: &'a Function,
        arguments: &[Objects],
    ) -> (Effects, IndexVec<ValueId, Objects>) {
        let objects = self.objects(function, arguments);
        let mut effects = Effects { is_pure: true, ..Effects::default() };
        let mut of_blocks: IndexVec<BlockId, BlockEffects> = IndexVec::with_capacity(function.blocks.len());
        for block in &function.blocks {
            let mut of_block = BlockEffects { all: Accesses::NONE, in_order: Vec::new() };
            for &value in &block.values {
                effects.is_pure &= is_pure_here(function, value);
                if let Some(effect) = self.effect(function, value, &objects) {
                    effects.is_pure &= effect.is_pure;
                    effects.candidates |= effect.candidates;
                    of_block.all.join(effect.all);
                    of_block.in_order.push(effect);
                }
            }
            if let Terminator::Return(Some(value)) = block.terminator {
                effects.returned |= objects[value];
            }
            effects.all.join(of_block.all);
            of_blocks.push(of_block);
        }
        flow(function, &of_blocks, &mut effects);
        if effects.all.shared(effects.all) & !effects.candidates != 0 {
            effects.candidates |= shared_by_sides(function, &of_blocks, effects.all);
        }
        (effects, objects)
    }

    /// Returns the objects of each value of a function.
    fn objects(&mut self, function: &'a Function, arguments: &[Objects]) -> IndexVec<ValueId, Objects> {
        let mut objects: IndexVec<ValueId, Objects> = index_vec![0; function.values.len()];
        loop {
            let mut changed = false;
            for (id, value) in function.values.iter_enumerated() {
                let found = match &value.op {
                    Op::Parameter(number) => arguments.get(*number as usize).copied().unwrap_or_default(),
                    Op::Global(name) => self.object_named(*name),
                    Op::Load { address, .. } => {
                        let of_address = objects[*address];
                        match value.ty.as_pointer() {
                            // A variable may hold any address.
                            Some(_) if of_address == 0 => ANY,
                            None if of_address == 0 && value.ty.is_unknown() => ANY,
                            Some(_) => LOADED,
                            None => 0,
                        }
                    }
                    Op::Compare { .. } | Op::Constant(_) | Op::Slot(_) => 0,
                    Op::Call(call) => match (self.inputs.called)(&call.callee) {
                        Some(called) => {
                            let arguments = of_arguments(call, &objects);
                            self.effects(called.function, arguments).returned
                        }
                        None => of_operands(&value.op, &objects),
                    },
                    Op::Convert { conversion: Conversion::IntToPointer, operand } => {
                        match objects[*operand] {
                            0 => ANY,
                            known => known,
                        }
                    }
                    op => of_operands(op, &objects),
                };
                let known = &mut objects[id];
                changed |= found & !*known != 0;
                *known |= found;
            }
            if !changed {
                return objects;
            }
        }
    }

    /// Returns the bit of a new object. Objects beyond the limit share one bit.
    fn new_object(&mut self) -> Objects {
        let next = 1 << self.objects.min(62);
        self.objects += 1;
        if next < LOADED { next } else { ANY }
    }

    fn object_named(&mut self, name: Symbol) -> Objects {
        if let Some(&known) = self.named.get(&name) {
            return known;
        }
        let object = self.new_object();
        self.named.insert(name, object);
        object
    }

    /// Returns the effects of a value. `None`: it has none.
    fn effect(
        &mut self,
        function: &'a Function,
        value: ValueId,
        objects: &IndexVec<ValueId, Objects>,
    ) -> Option<Effects> {
        match &function.values[value].op {
            Op::Load { address, .. } => Effects::access(objects[*address], 0),
            Op::Store { address, .. } => Effects::access(0, objects[*address]),
            Op::Copy { to, from, .. } => Effects::access(objects[*from], objects[*to]),
            Op::Unknown { what: Unknown::Statement | Unknown::Assembly, .. } => Some(Effects::ORDER),
            Op::Call(call) => match (self.inputs.called)(&call.callee) {
                Some(called) => Some(self.effects(called.function, of_arguments(call, objects))),
                None => self.of_builtin(function, call, objects),
            },
            _ => None,
        }
    }

    fn of_builtin(
        &self,
        function: &Function,
        call: &Call,
        objects: &IndexVec<ValueId, Objects>,
    ) -> Option<Effects> {
        let Some(builtin) = (self.inputs.builtin)(&call.callee) else {
            return (!matches!(call.callee, Callee::CompilerBuiltin { .. })).then_some(Effects::ORDER);
        };
        if is_pure_builtin(self.inputs, &call.callee) {
            return None;
        }
        let address = || call.arguments.first().map_or(0, |&(address, _)| objects[address]);
        let orders = match builtin.operation {
            Operation::Load => return Effects::access(address(), 0),
            Operation::Store => return Effects::access(0, address()),
            Operation::Barrier(barrier) => {
                let mask = builtin.mask.and_then(|mask| call.arguments.get(usize::from(mask)));
                let names_all = |&(mask, _): &(ValueId, Passing)| match &function.values[mask].op {
                    Op::Constant(Constant::Integer(mask)) => *mask as u32 == u32::MAX,
                    _ => false,
                };
                builtin.scope != Scope::Subgroup || barrier.tile.is_none() && mask.is_none_or(names_all)
            }
            _ => orders_all(&builtin),
        };
        Some(if orders { Effects::ORDER } else { Effects { passes: true, ..Effects::ORDER } })
    }
}

fn of_arguments(call: &Call, objects: &IndexVec<ValueId, Objects>) -> SmallVec<[Objects; 8]> {
    call.arguments.iter().map(|&(argument, _)| objects[argument]).collect()
}

fn of_operands(op: &Op, objects: &IndexVec<ValueId, Objects>) -> Objects {
    let mut all = 0;
    op.operands(|&operand| all |= objects[operand]);
    all
}

/// Whether a value that is neither an access to memory of several threads nor a call has no effect, or only one on a
/// variable of the function.
fn is_pure_here(function: &Function, value: ValueId) -> bool {
    match &function.values[value].op {
        Op::Store { address, .. } | Op::Copy { to: address, .. } | Op::Clear { address, .. } => {
            is_private(function, *address)
        }
        Op::Load { volatile, .. } => !volatile,
        _ => true,
    }
}

/// Computes the candidates of a function on its paths, and its first and last accesses.
fn flow(function: &Function, of_blocks: &IndexVec<BlockId, BlockEffects>, effects: &mut Effects) {
    // The unordered accesses at the beginning of each block, and whether a path from the entry has no operation that
    // orders. `None`: not reached.
    let mut before: IndexVec<BlockId, Option<(Accesses, bool)>> = index_vec![None; function.blocks.len()];
    before[Function::ENTRY] = Some((Accesses::NONE, true));
    let mut todo = vec![Function::ENTRY];
    while let Some(block) = todo.pop() {
        let Some((mut unordered, mut passes)) = before[block] else { continue };
        for effect in &of_blocks[block].in_order {
            effects.candidates |= unordered.shared(effect.first);
            if passes {
                effects.first.join(effect.first);
            }
            if !effect.passes {
                unordered = Accesses::NONE;
            }
            unordered.join(effect.last);
            passes &= effect.passes;
        }
        let successors = function.blocks[block].terminator.successors();
        if successors.is_empty() {
            effects.last.join(unordered);
            effects.passes |= passes;
        }
        for next in successors {
            let known = &mut before[next];
            let mut joined = known.unwrap_or_default();
            joined.0.join(unordered);
            joined.1 |= passes;
            if *known != Some(joined) {
                *known = Some(joined);
                todo.push(next);
            }
        }
    }
}

/// Returns the objects with a load on one side of a branch and a store on the other side. `all`: all accesses. All shared
/// objects of a function whose branches are too many to compare.
fn shared_by_sides(
    function: &Function,
    of_blocks: &IndexVec<BlockId, BlockEffects>,
    all: Accesses,
) -> Objects {
    let dominators = Dominators::of(function, &function.predecessors());
    let mut found = 0;
    let mut free = MAX_VISITED;
    for (branch, block) in function.blocks.iter_enumerated() {
        let sides = block.terminator.successors();
        if sides.iter().all(|&side| side == sides[0]) {
            continue;
        }
        let following: Vec<FxHashSet<BlockId>> =
            sides.iter().map(|&side| following(function, &dominators, side, branch)).collect();
        let visited: usize = following.iter().map(FxHashSet::len).sum();
        if visited > free {
            return found | all.shared(all);
        }
        free -= visited;
        let mut before = Accesses::NONE;
        for (number, own) in following.iter().enumerate() {
            let is_on_one_side = |block: &&BlockId| {
                let mut others = following.iter().enumerate().filter(|(other, _)| *other != number);
                others.any(|(_, blocks)| !blocks.contains(*block))
            };
            let mut of_side = Accesses::NONE;
            own.iter().filter(is_on_one_side).for_each(|&block| of_side.join(of_blocks[block].all));
            found |= before.shared(of_side);
            before.join(of_side);
        }
    }
    found
}
