//! Evaluates the warps that execute a function, and the lanes that its operations name.

use std::cell::Cell;

use rustc_hash::FxHashMap;
use tangle_grammar::symbol::Symbol;

use crate::divergence::{DivergenceContext, FunctionFacts, Operation};
use tangle_analysis::flow::{BlockId, Call, Callee, Function, Op, ValueId};
use tangle_analysis::program::DefinitionId;
use tangle_analysis::uniformity::analysis::{ParameterPlace, PassedContents, Uniformity};
use tangle_analysis::uniformity::causes::CallSite;
use tangle_analysis::uniformity::warp::{LaneValues, Warp, WarpEntry, WarpFlow, WarpInputs, count_warps};
use tangle_ir::operation;
use tangle_ir::types::Ty;
use tangle_syntax::dialect::{Builtin, Scope};

/// The maximum number of warps of a block that are evaluated: a block has at most 1024 threads.
const MAX_WARPS: u32 = 32;

/// The number of warps that are evaluated if the size of the block is unknown. A block may not have the others.
const LIKELY_WARPS: u32 = 8;

/// The maximum number of nested calls that are evaluated.
pub(super) const MAX_DEPTH: u32 = 4;

/// The maximum number of calls of a function that are evaluated.
const MAX_CALLS: usize = 32;

/// The maximum number of different entries into a function, by its calls, that are evaluated.
const MAX_ENTRIES: usize = 8;

/// The maximum number of evaluations of callees for one file.
const MAX_CALLEES: u32 = 2048;

/// The maximum number of values that are evaluated for one function, in all its warps together.
const MAX_VALUES: usize = 1 << 14;

/// An operation that names its threads, at a call of a function, in one warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamingOperation {
    pub name: Symbol,
    /// Whether it is an operation of an object that represents a group.
    pub of_group_object: bool,
    /// The lanes that each lane names. `None`: unknown.
    pub lanes: Vec<Option<u64>>,
}

/// The arguments that name the threads of a builtin.
#[derive(Clone, Copy)]
pub(super) struct NamingArguments {
    pub mask: Option<u16>,
    pub tile: Option<u16>,
}

/// One warp of a function, with the operations of its calls.
pub(super) struct EvaluatedWarp {
    pub flow: WarpFlow,
    /// For each checked operation, in their order: the operations that its call runs.
    pub naming: Vec<Vec<NamingOperation>>,
    /// For each checked operation, whether a vote yields its mask, and all lanes have the same vote.
    pub is_uniform_vote: Vec<bool>,
    /// The number in each lane of the values that undecided branches are computed from, up to one unknown number that all
    /// lanes share. `None` for a lane: unknown.
    pub numbers: FxHashMap<ValueId, Vec<Option<i128>>>,
}

/// A function, with or without its early exits.
#[derive(Clone, Copy)]
pub(super) struct Variant<'a> {
    pub function: &'a Function,
    pub verdicts: &'a Uniformity,
}

/// The evaluation of the functions of a file.
pub(super) struct Search<'c, 'a, 'e> {
    pub context: &'c DivergenceContext<'a, 'e>,
    /// The number of callees that were evaluated.
    callees: Cell<u32>,
    /// The number of callees around the one that is evaluated.
    depth: Cell<u32>,
}

impl<'c, 'a, 'e> Search<'c, 'a, 'e> {
    pub fn of(context: &'c DivergenceContext<'a, 'e>) -> Search<'c, 'a, 'e> {
        Search { context, callees: Cell::new(0), depth: Cell::new(0) }
    }

    /// Returns the arguments that name the threads of a builtin. `None` if it does not name its threads, or names them
    /// in an unknown way.
    pub(super) fn naming_arguments(&self, name: Symbol, row: &Builtin) -> Option<NamingArguments> {
        let tile = match self.context.builtins.operation(name) {
            Some(operation::Operation::Barrier(barrier)) => barrier.tile,
            Some(operation::Operation::Collective(collective)) => collective.tile,
            _ => None,
        };
        let mask = row.mask.map(|argument| argument.0);
        (mask.is_some() || tile.is_some()).then_some(NamingArguments { mask, tile })
    }

    pub(super) fn row(&self, name: Option<Symbol>) -> Option<&'c Builtin> {
        self.context.builtins.get(name?)
    }

    /// Evaluates the warps of a block that execute a function, each when the iterator gets to it.
    pub(super) fn warps(
        &self,
        id: DefinitionId,
        known: &FunctionFacts,
        variant: Variant,
        operations: &[Operation],
    ) -> impl Iterator<Item = EvaluatedWarp> {
        let launch = self.context.launch(id);
        let likely = if launch.work_group_size().is_some() { MAX_WARPS } else { LIKELY_WARPS };
        let most = (MAX_VALUES / known.function.values.len().max(1)).clamp(1, likely as usize) as u32;
        let numbers = 0..count_warps(launch, most);
        let warp = move |(number, entry)| {
            let mut evaluated = None;
            self.with_warp(id, known, variant, (number, entry), &mut |warp| {
                let naming = operations.iter().map(|operation| self.naming(known, operation, warp, number));
                let naming = naming.collect();
                let vote = |it: &Operation| self.yielded(known, it.value).and_then(|mask| mask.choice);
                let is_uniform = |it| vote(it).is_some_and(|vote| warp.values(vote).is_uniform());
                let is_uniform_vote = operations.iter().map(is_uniform).collect();
                let flow = warp.flow().clone();
                let numbers = numbers_in_conditions(variant.function, &flow, warp);
                evaluated = Some(EvaluatedWarp { naming, is_uniform_vote, numbers, flow });
            });
            evaluated
        };
        let calls = self.deciding_calls(id, known, variant, operations);
        let of_number = move |number| {
            let entries = self.entries_by(&calls, number);
            entries.into_iter().map(move |entry| (number, entry))
        };
        numbers.flat_map(of_number).filter_map(warp)
    }

    /// Returns the calls of a function, if callers pass the masks of its operations, or numbers that decide who reaches
    /// them.
    fn deciding_calls(
        &self,
        id: DefinitionId,
        known: &FunctionFacts,
        variant: Variant,
        operations: &[Operation],
    ) -> Vec<CallSite> {
        let is_decided_by_caller = |operation: &Operation| {
            if variant.verdicts.control[operation.block].depends_on_caller() {
                return true;
            }
            let mask = self.with_mask(known, operation, MAX_DEPTH);
            mask.is_some_and(|(_, mask)| {
                matches!(known.function.values[mask].op, Op::Parameter(_))
                    || known.verdicts.given.contains_key(&mask)
            })
        };
        if known.function.kernel || !operations.iter().any(is_decided_by_caller) {
            return Vec::new();
        }
        self.context.calls_of(id).to_vec()
    }

    /// Returns the different entries of one warp into a function by these calls. Without calls, or with too many: also an
    /// unknown one.
    fn entries_by(&self, calls: &[CallSite], number: u32) -> Vec<WarpEntry> {
        let mut all: Vec<WarpEntry> = Vec::new();
        let examined = &calls[..calls.len().min(MAX_CALLS)];
        for sites in examined.chunk_by(|a, b| a.caller == b.caller) {
            let caller = self.context.known(sites[0].caller);
            let variant = Variant { function: caller.function, verdicts: caller.verdicts };
            self.with_warp(sites[0].caller, caller, variant, (number, WarpEntry::default()), &mut |warp| {
                for site in sites {
                    let Op::Call(call) = &caller.function.values[site.value].op else { continue };
                    if warp.flow().reaching(site.block).possibly != 0 {
                        let entry = self.entry(caller, (site.block, site.value, call), warp);
                        if !all.contains(&entry) {
                            all.push(entry);
                        }
                    }
                }
            });
        }
        if all.is_empty() || all.len() > MAX_ENTRIES || calls.len() > MAX_CALLS {
            all.truncate(MAX_ENTRIES);
            all.push(WarpEntry::default());
        }
        all
    }

    /// Calls `then` with a warp that executes a function with some arguments.
    pub(super) fn with_warp(
        &self,
        id: DefinitionId,
        known: &FunctionFacts,
        variant: Variant,
        (number, entry): (u32, WarpEntry),
        then: &mut dyn FnMut(&mut Warp),
    ) {
        let context = self.context;
        let operation = |callee: &Callee| match context.defined(callee) {
            Some(_) => None,
            None => context.builtins.operation(callee.row()?),
        };
        let result = |call: &Call, arguments: &[LaneValues]| {
            let callee = context.defined(&call.callee)?;
            let entry = WarpEntry { arguments: arguments.to_vec(), ..WarpEntry::default() };
            self.in_callee(callee, (number, entry), |_, warp| warp.result())
        };
        let is_divergent = |block: BlockId| {
            let fact = variant.verdicts.branches[block];
            fact.divergence.within(Scope::Subgroup) || fact.depends_on_caller()
        };
        let is_uniform = |value: ValueId| {
            let fact = variant.verdicts.values[value];
            !fact.divergence.within(Scope::Subgroup) && !fact.depends_on_caller()
        };
        let inputs = WarpInputs {
            function: variant.function,
            graph: known.graph(),
            operation: &operation,
            result: &result,
            is_divergent: &is_divergent,
            is_uniform: &is_uniform,
            forwarded: &variant.verdicts.forwarded,
            launch: context.launch(id),
        };
        then(&mut Warp::of(inputs, number, entry));
    }

    /// Returns the entry of a warp into a function of the unit by a call.
    fn entry(
        &self,
        known: &FunctionFacts,
        (block, at, call): (BlockId, ValueId, &Call),
        warp: &mut Warp,
    ) -> WarpEntry {
        let mut entry = WarpEntry {
            lanes: warp.flow().reaching(block).possibly,
            arguments: warp.arguments(call),
            given: FxHashMap::default(),
        };
        let callee = self.context.defined(&call.callee).and_then(|callee| self.context.examined(callee));
        let Some(callee) = callee else { return entry };
        for (&load, &place) in callee.verdicts.given.iter() {
            let ty = callee.function.values[load].ty;
            let value = match known.analysis.contents_at(at, place, ty) {
                Some(PassedContents::Stored(value)) => Some(warp.values(value)),
                Some(PassedContents::WrittenBy(by, place)) => self.written(known, (by, place, ty), warp),
                None => None,
            };
            entry.given.extend(value.map(|value| (load, value)));
        }
        entry
    }

    /// Returns the value of a type that a call writes through an argument, if it is a constant or another argument.
    fn written(
        &self,
        known: &FunctionFacts,
        (by, place, ty): (ValueId, ParameterPlace, Ty),
        warp: &mut Warp,
    ) -> Option<LaneValues> {
        let Op::Call(call) = &known.function.values[by].op else { return None };
        let (function, verdicts) = self.context.verdicts(self.context.defined(&call.callee)?)?;
        let value = &function.values[*verdicts.written.get(&place)?];
        if value.ty != ty {
            return None;
        }
        match &value.op {
            Op::Parameter(number) => Some(warp.values(call.arguments.get(*number as usize)?.0)),
            Op::Constant(constant) => warp.constant(constant),
            _ => None,
        }
    }

    /// Calls `then` with a warp that executes a callee. `None` if the callee is not among the examined functions, or if
    /// too many callees were evaluated.
    fn in_callee<R>(
        &self,
        callee: DefinitionId,
        (number, entry): (u32, WarpEntry),
        then: impl Fn(&FunctionFacts, &mut Warp) -> R,
    ) -> Option<R> {
        let known = self.context.examined(callee)?;
        if self.depth.get() == MAX_DEPTH || self.callees.get() == MAX_CALLEES {
            return None;
        }
        self.callees.set(self.callees.get() + 1);
        self.depth.set(self.depth.get() + 1);
        let variant = Variant { function: known.function, verdicts: known.verdicts };
        let mut result = None;
        self.with_warp(callee, known, variant, (number, entry), &mut |warp| {
            result = Some(then(known, warp));
        });
        self.depth.set(self.depth.get() - 1);
        result
    }

    /// Returns the operations that a call runs and that name their threads. Of a callee: the operations that all threads
    /// of the call execute.
    fn naming(
        &self,
        known: &FunctionFacts,
        operation: &Operation,
        warp: &mut Warp,
        number: u32,
    ) -> Vec<NamingOperation> {
        let Op::Call(call) = &known.function.values[operation.value].op else { return Vec::new() };
        if let Some(row) = self.context.builtin(operation) {
            let naming = self.naming_arguments(operation.name, row).map(|NamingArguments { mask, tile }| {
                let lanes = warp.named(call, mask, tile);
                NamingOperation { name: operation.name, of_group_object: is_of_group_object(row), lanes }
            });
            return naming.into_iter().collect();
        }
        self.run_by_all(known, (operation, call), warp, number, &|known, inner, warp| {
            self.naming(known, inner, warp, number)
        })
    }

    /// Returns the results of `each` for the operations of the warp that all threads of a call of a function execute.
    pub(super) fn run_by_all<T>(
        &self,
        known: &FunctionFacts,
        (operation, call): (&Operation, &Call),
        warp: &mut Warp,
        number: u32,
        each: &dyn Fn(&FunctionFacts, &Operation, &mut Warp) -> Vec<T>,
    ) -> Vec<T> {
        let Some(callee) = operation.function else { return Vec::new() };
        let entry = self.entry(known, (operation.block, operation.value, call), warp);
        let found = self.in_callee(callee, (number, entry), |known, warp| {
            let all = warp.flow().all();
            let is_run = |inner: &&Operation| {
                let runs = inner.operations_run;
                let is_of_warp = runs.of_group.is_none() && runs.of_subgroup.is_some();
                is_of_warp && warp.flow().reaching(inner.block).surely == all
            };
            let run: Vec<Operation> = known.operations.iter().filter(is_run).copied().collect();
            run.iter().flat_map(|inner| each(known, inner, warp)).collect()
        });
        found.unwrap_or_default()
    }
}

/// Whether a builtin is an operation of an object that represents a group, or makes a part of one.
pub(super) fn is_of_group_object(row: &Builtin) -> bool {
    !row.adds.is_empty() || row.gives.is_some()
}

/// The maximum number of values of each condition whose numbers are kept.
const MAX_OPERANDS: usize = 64;

/// Returns the [`numbers`](EvaluatedWarp::numbers) of the values that undecided branches are computed from. The operands
/// of a value with a known number are omitted.
fn numbers_in_conditions(
    function: &Function,
    flow: &WarpFlow,
    warp: &mut Warp,
) -> FxHashMap<ValueId, Vec<Option<i128>>> {
    let mut numbers = FxHashMap::default();
    let undecided = function.blocks.iter_enumerated().filter(|&(block, _)| flow.is_undecided(block));
    for (_, data) in undecided {
        let mut todo: Vec<ValueId> = data.terminator.operand().into_iter().collect();
        let mut seen = todo.len();
        while let Some(value) = todo.pop() {
            if numbers.contains_key(&value) {
                continue;
            }
            let values = warp.values(value);
            let offsets = values.offsets().map(|offsets| offsets.into_iter().map(Some).collect());
            let lanes = offsets.unwrap_or_else(|| values.exact());
            let is_known = lanes.iter().any(Option::is_some);
            numbers.insert(value, lanes);
            if !is_known {
                function.values[value].op.operands(|&operand| {
                    if seen < MAX_OPERANDS {
                        seen += 1;
                        todo.push(operand);
                    }
                });
            }
        }
    }
    numbers
}
