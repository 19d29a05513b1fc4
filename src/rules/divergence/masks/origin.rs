//! Masks that an operation yields: of the lanes that vote for a predicate, or that execute the operation together.
//!
//! The lanes are unknown, but not how they are chosen. Between the operation and the use of the mask, a branch on
//! anything else may lead named lanes elsewhere.
//!
//! ```c
//! unsigned m = __ballot_sync(~0u, i < n);
//! if (i < n) x = __shfl_sync(m, x, 0);             // related to the vote: these are the named lanes
//! if (p[i]) x = __shfl_sync(m, x, 0);              // not related: named lanes may be absent
//! x = __shfl_sync(m, x, 0);                        // not in a branch: lanes that voted false are unnamed callers
//! ```

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashSet, FxHasher};

use super::search::{NamingArguments, Search};
use crate::divergence::{FunctionFacts, Operation};
use tangle_analysis::flow::{BlockId, Callee, Function, Op, ValueId};
use tangle_analysis::uniformity::analysis::{ParameterPlace, PassedContents};
use tangle_analysis::uniformity::graph::Graph;
use tangle_analysis::uniformity::place::{PointerTarget, Root};
use tangle_grammar::symbol::Symbol;
use tangle_ir::operation::{self, CollectiveOp};
use tangle_ir::value::Conversion;
use tangle_syntax::dialect::Scope;

/// A mask that an operation yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct YieldedMask {
    /// The operation.
    pub value: ValueId,
    /// The block of the operation.
    pub block: BlockId,
    /// The vote or the compared value. `None`: the mask has the lanes that execute the operation together.
    pub choice: Option<ValueId>,
    /// Whether lanes with a vote that is zero are not in the mask.
    pub is_ballot: bool,
}

impl Search<'_, '_, '_> {
    /// Returns the source of the mask that an operation passes. `None`: it is no result of an operation.
    pub(super) fn yielded(&self, known: &FunctionFacts, value: ValueId) -> Option<YieldedMask> {
        let function = known.function;
        let Op::Call(call) = &function.values[value].op else { return None };
        let name = call.callee.row()?;
        let row = self.row(Some(name)).filter(|_| self.context.defined(&call.callee).is_none())?;
        let NamingArguments { mask, .. } = self.naming_arguments(name, row)?;
        self.yielding(known, stored(known, call.arguments.get(usize::from(mask?))?.0))
    }

    /// Returns the builtin that a call runs with a mask, and the mask as a value of the caller. Of a callee: an operation
    /// that all threads of the call execute. `None`: there is no such operation, or its mask is unknown.
    pub(super) fn with_mask(
        &self,
        known: &FunctionFacts,
        operation: &Operation,
        depth: u32,
    ) -> Option<(Symbol, ValueId)> {
        let passed = |number: u32| argument(known.function, operation.value, number);
        if let Some(row) = self.context.builtin(operation) {
            let NamingArguments { mask, .. } = self.naming_arguments(operation.name, row)?;
            return Some((operation.name, stored(known, passed(mask?.into())?)));
        }
        let depth = depth.checked_sub(1)?;
        let callee = self.context.called(operation)?;
        let is_run = |inner: &&Operation| {
            let control = callee.verdicts.control[inner.block];
            !control.divergence.within(Scope::Subgroup) && !control.depends_on_caller()
        };
        callee.operations.iter().filter(is_run).find_map(|inner| {
            let (name, mask) = self.with_mask(callee, inner, depth)?;
            let ty = callee.function.values[mask].ty;
            let mask = match callee.function.values[mask].op {
                Op::Parameter(number) => passed(number)?,
                Op::Load { address, .. } => {
                    let place = callee.analysis.place(address);
                    let PointerTarget::Object(Root::Parameter(number), cell) = place else { return None };
                    let place = ParameterPlace { parameter: number, offset: cell.at? };
                    match known.analysis.contents_at(operation.value, place, ty)? {
                        PassedContents::Stored(value) => value,
                        PassedContents::WrittenBy(..) => return None,
                    }
                }
                _ => return None,
            };
            Some((name, stored(known, mask)))
        })
    }

    /// Returns the source of a mask. `None`: it is no result of an operation.
    pub(super) fn yielding(&self, known: &FunctionFacts, mask: ValueId) -> Option<YieldedMask> {
        let Op::Call(source) = &known.function.values[mask].op else { return None };
        self.context.defined(&source.callee).is_none().then_some(())?;
        let operation = self.context.builtins.operation(source.callee.row()?)?;
        let operation::Operation::Collective(collective) = operation else { return None };
        let (has_choice, is_ballot) = match collective.op {
            CollectiveOp::Ballot => (true, true),
            CollectiveOp::MatchAny => (true, false),
            CollectiveOp::Active => (false, false),
            _ => return None,
        };
        let choice = match has_choice {
            true => Some(source.arguments.get(usize::from(collective.value))?.0),
            false => None,
        };
        let block = known.graph().home[mask]?;
        Some(YieldedMask { value: mask, block, choice, is_ballot })
    }
}

impl YieldedMask {
    /// Whether the condition of a branch derives from the mask, or from an operand of the choice.
    pub fn is_related(&self, known: &FunctionFacts, branch: BlockId) -> bool {
        let Some(condition) = known.function.blocks[branch].terminator.operand() else { return false };
        let mut own = Sources::of(known);
        let mut chosen = Sources::of(known);
        own.add(condition);
        chosen.add(self.value);
        self.choice.into_iter().for_each(|choice| chosen.add(choice));
        // With too many operations in between, they may be related.
        own.is_cut || chosen.is_cut || !own.found.is_disjoint(&chosen.found)
    }
}

/// The limit on the values that are visited to find the sources of a value.
const MAX_VISITED: usize = 256;

/// The limit on nested operations of a source that are compared.
const MAX_DEPTH: u32 = 12;

/// The sources of a value: results of calls and loads that it is computed from. Two reads of an id, or of the same
/// address, are one source. The value of a phi also derives from the conditions that choose its edge.
struct Sources<'k> {
    function: &'k Function,
    graph: &'k Graph,
    /// The sources, as hashes of their operations.
    found: FxHashSet<u64>,
    seen: FxHashSet<ValueId>,
    is_cut: bool,
}

impl<'k> Sources<'k> {
    fn of(known: &'k FunctionFacts) -> Sources<'k> {
        Sources {
            function: known.function,
            graph: known.graph(),
            found: FxHashSet::default(),
            seen: FxHashSet::default(),
            is_cut: false,
        }
    }

    /// Adds the sources of a value.
    fn add(&mut self, value: ValueId) {
        let mut todo = vec![value];
        while let Some(value) = todo.pop() {
            if !self.seen.insert(value) {
                continue;
            }
            if self.seen.len() > MAX_VISITED {
                self.is_cut = true;
                return;
            }
            let op = &self.function.values[value].op;
            match op {
                Op::Load { .. } | Op::Call(_) => _ = self.found.insert(self.hash(value, MAX_DEPTH)),
                Op::Phi(incoming) => {
                    let condition = |block: BlockId| self.function.blocks[block].terminator.operand();
                    for &(from, value) in incoming {
                        todo.push(value);
                        todo.extend(condition(from));
                        todo.extend(
                            self.graph.controllers[from].iter().filter_map(|&block| condition(block)),
                        );
                    }
                }
                _ if op.is_leaf() => {}
                _ => op.operands(|&operand| todo.push(operand)),
            }
        }
    }

    /// Returns a hash that is the same for equal operations on equal operands.
    fn hash(&self, value: ValueId, depth: u32) -> u64 {
        let mut hasher = FxHasher::default();
        let op = &self.function.values[value].op;
        std::mem::discriminant(op).hash(&mut hasher);
        match op {
            Op::Parameter(number) => number.hash(&mut hasher),
            Op::Constant(constant) => constant.hash(&mut hasher),
            Op::Global(name) => name.hash(&mut hasher),
            Op::Slot(slot) => slot.hash(&mut hasher),
            // Each call of a function with an effect can have another result.
            Op::Call(call) if call.convergent || !matches!(call.callee, Callee::Builtin { .. }) => {
                value.hash(&mut hasher);
            }
            Op::Phi(_) => value.hash(&mut hasher),
            _ if depth == 0 => value.hash(&mut hasher),
            _ => {
                if let Op::Call(call) = op {
                    call.callee.name().hash(&mut hasher);
                }
                op.operands(|&operand| self.hash(operand, depth - 1).hash(&mut hasher));
            }
        }
        hasher.finish()
    }
}

/// Returns an argument of a call.
pub(super) fn argument(function: &Function, call: ValueId, number: u32) -> Option<ValueId> {
    let Op::Call(call) = &function.values[call].op else { return None };
    Some(call.arguments.get(number as usize)?.0)
}

/// Returns the value that a load of a variable reads, without conversions between integers.
pub(super) fn stored(known: &FunctionFacts, value: ValueId) -> ValueId {
    let mut value = plain(known.function, value);
    while let Some(&other) = known.verdicts.forwarded.get(&value) {
        value = plain(known.function, other);
    }
    value
}

/// Returns a value without conversions between integers.
pub(super) fn plain(function: &Function, mut value: ValueId) -> ValueId {
    while let Op::Convert { conversion: Conversion::Integer, operand } = function.values[value].op {
        value = operand;
    }
    value
}
