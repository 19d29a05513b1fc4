//! Operations whose threads a mask or a tile names, and the lanes that are named without executing them.
//!
//! **Named** lanes: the lanes in the mask that a lane passes, or in its tile. **Absent** lanes: named lanes that have not
//! left the kernel, do not reach the call, and execute no same operation with the same mask on another side of a branch
//! (`docs/semantics.md` §10). They are absent **provably** if the numbers of the threads decide it, in some warp that
//! reaches the call. Otherwise a divergent branch decides, with the confidence of its cause.
//!
//! ```c
//! if (lane < 16) x = __shfl_sync(0xffffffff, x, 0);      // lanes 16 to 31 are provably absent
//! if (p[lane]) x = __shfl_sync(0xffffffff, x, 0);        // some lanes may be absent
//! if (lane % 16 == 0) x = __shfl_sync(0x10001, x, 0);    // no lane is absent
//! if (i >= n) return; x = __shfl_sync(~0u, x, 0);        // the others have left the kernel
//! ```
//!
//! A mask that depends on anything but constants and the numbers of the threads is unknown, and is not checked. The
//! operations of a callee count at its call, evaluated with the lane values of the arguments.

use std::cell::Cell;

use rustc_hash::FxHashSet;
use tangle_grammar::symbol::Symbol;

use super::{DivergenceContext, FunctionFacts, Operation};
use tangle_analysis::flow::{BlockId, Call, Callee, Function, Op, ValueId};
use tangle_analysis::program::DefinitionId;
use tangle_analysis::uniformity::analysis::Uniformity;
use tangle_analysis::uniformity::branch_regions::BranchRegions;
use tangle_analysis::uniformity::cause::Subject;
use tangle_analysis::uniformity::causes::CauseAcrossCalls;
use tangle_analysis::uniformity::warp::{LaneValues, Warp, WarpFlow, WarpInputs, count_warps};
use tangle_diagnostic::Severity;
use tangle_ir::operation;
use tangle_syntax::dialect::{Builtin, ExitedThreads, MeetingPoint, Scope};

/// The maximum number of warps of a block that are evaluated: a block has at most 1024 threads.
const MAX_WARPS: u32 = 32;

/// The maximum number of nested calls that are evaluated.
const MAX_DEPTH: u32 = 4;

/// The maximum number of evaluations of callees for one file.
const MAX_CALLEES: u32 = 2048;

/// The maximum number of values that are evaluated for one function, in all its warps together.
const MAX_VALUES: usize = 1 << 16;

/// An operation that some of its named lanes do not execute.
pub(crate) struct AbsentLanes {
    pub function: DefinitionId,
    pub operation: Operation,
    /// The builtin: the operation itself, or an operation in the callee.
    pub name: Symbol,
    /// Whether a tile names the lanes, and not a mask.
    pub of_tile: bool,
    /// The lanes that one of the callers names.
    pub named: u64,
    /// The absent lanes of one warp. `None` if the numbers of the threads do not decide.
    pub lanes: Option<u64>,
    pub blame: CauseAcrossCalls,
    /// Whether all absent lanes have left the kernel.
    pub have_left: bool,
}

impl AbsentLanes {
    /// Returns the severity if the finding rests on no assumptions.
    pub fn severity(&self) -> Severity {
        if self.have_left { Severity::Warning } else { Severity::Error }
    }
}

/// An operation that names its threads, at a call of a function, in one warp.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NamingOperation {
    name: Symbol,
    of_tile: bool,
    /// The lanes that each lane names. `None`: unknown.
    lanes: Vec<Option<u64>>,
}

/// The arguments that name the threads of a builtin.
#[derive(Clone, Copy)]
struct NamingArguments {
    mask: Option<u16>,
    tile: Option<u16>,
}

/// One warp of a function, with the operations of its calls.
struct EvaluatedWarp {
    flow: WarpFlow,
    /// For each checked operation, in their order: the operations that its call runs.
    naming: Vec<Vec<NamingOperation>>,
}

/// A function, with or without its early exits.
#[derive(Clone, Copy)]
struct Variant<'a> {
    function: &'a Function,
    verdicts: &'a Uniformity,
}

/// Returns the operations that not all of their named lanes execute.
pub(crate) fn absent_lanes(context: &DivergenceContext) -> Vec<AbsentLanes> {
    let search = Search { context, callees: Cell::new(0), depth: Cell::new(0) };
    let mut found = Vec::new();
    for (id, known) in context.suspects() {
        let may_miss = |operation: &&Operation| search.may_miss_lanes(known, operation);
        let operations: Vec<Operation> = known.operations.iter().filter(may_miss).copied().collect();
        if !operations.is_empty() {
            search.of_function(id, known, &operations, &mut found);
        }
    }
    found
}

struct Search<'c, 'a, 'e> {
    context: &'c DivergenceContext<'a, 'e>,
    /// The number of callees that were evaluated.
    callees: Cell<u32>,
    /// The number of callees around the one that is evaluated.
    depth: Cell<u32>,
}

impl<'c, 'a, 'e> Search<'c, 'a, 'e> {
    /// Whether an operation may name its threads, is in divergent control flow, and runs no operation of the work-group.
    fn may_miss_lanes(&self, known: &FunctionFacts, operation: &Operation) -> bool {
        let runs = operation.operations_run;
        let control = known.verdicts.control[operation.block];
        runs.of_group.is_none()
            && runs.of_subgroup.is_some()
            && (control.divergence.within(Scope::Subgroup) || control.depends_on_caller())
            && match self.context.builtin(operation) {
                Some(row) => self.naming_arguments(operation.name, row).is_some(),
                None => operation.function.is_some(),
            }
    }

    /// Returns the arguments that name the threads of a builtin. `None` if it does not name its threads, or names them
    /// in an unknown way.
    fn naming_arguments(&self, name: Symbol, row: &Builtin) -> Option<NamingArguments> {
        let tile = match self.context.builtins.operation(name) {
            Some(operation::Operation::Barrier(barrier)) => barrier.tile,
            Some(operation::Operation::Collective(collective)) => collective.tile,
            _ => None,
        };
        let mask = row.mask.map(|argument| argument.0);
        (mask.is_some() || tile.is_some()).then_some(NamingArguments { mask, tile })
    }

    fn of_function(
        &self,
        id: DefinitionId,
        known: &FunctionFacts<'a, 'e>,
        operations: &[Operation],
        found: &mut Vec<AbsentLanes>,
    ) {
        let whole = Variant { function: known.function, verdicts: known.verdicts };
        let staying = self.context.without_exited(id);
        let staying = staying.map(|(function, verdicts)| Variant { function, verdicts });
        let check = |variant: Variant| {
            let warps = self.warps(id, known, variant, operations);
            let absent =
                |number| Check { search: self, id, known, variant, operations, number }.absent(&warps);
            (0..operations.len()).map(absent).collect::<Vec<_>>()
        };
        let mut absent = check(staying.unwrap_or(whole));
        // In some languages, threads that have left count.
        if staying.is_some() && operations.iter().any(|operation| self.counts_exited(operation)) {
            for ((absent, others), operation) in absent.iter_mut().zip(check(whole)).zip(operations) {
                if absent.is_none() && self.counts_exited(operation) {
                    *absent = others.map(|others| AbsentLanes { have_left: true, ..others });
                }
            }
        }
        found.extend(absent.into_iter().flatten());
    }

    /// Whether threads that have left the kernel count as absent from an operation.
    fn counts_exited(&self, operation: &Operation) -> bool {
        self.row(operation.operations_run.of_subgroup).is_some_and(|row| row.left != ExitedThreads::Uncounted)
    }

    fn row(&self, name: Option<Symbol>) -> Option<&'c Builtin> {
        self.context.builtins.get(name?)
    }

    /// Evaluates the warps of a block that execute a function.
    fn warps(
        &self,
        id: DefinitionId,
        known: &FunctionFacts,
        variant: Variant,
        operations: &[Operation],
    ) -> Vec<EvaluatedWarp> {
        let most = (MAX_VALUES / known.function.values.len().max(1)).clamp(1, MAX_WARPS as usize) as u32;
        let numbers = 0..count_warps(self.context.launch(id), most);
        let warp = |number| {
            let mut evaluated = None;
            self.with_warp(id, known, variant, (number, Vec::new()), &mut |warp| {
                let naming = operations.iter().map(|operation| self.naming(known, operation, warp, number));
                evaluated = Some(EvaluatedWarp { naming: naming.collect(), flow: warp.flow().clone() });
            });
            evaluated
        };
        numbers.filter_map(warp).collect()
    }

    /// Calls `then` with a warp that executes a function with some arguments.
    fn with_warp(
        &self,
        id: DefinitionId,
        known: &FunctionFacts,
        variant: Variant,
        (number, arguments): (u32, Vec<LaneValues>),
        then: &mut dyn FnMut(&mut Warp),
    ) {
        let context = self.context;
        let operation = |callee: &Callee| match context.defined(callee) {
            Some(_) => None,
            None => context.builtins.operation(callee.row()?),
        };
        let result = |call: &Call, arguments: &[LaneValues]| {
            let callee = context.defined(&call.callee)?;
            self.in_callee(callee, (number, arguments), |_, warp| warp.result())
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
            graph: known.graph,
            operation: &operation,
            result: &result,
            is_divergent: &is_divergent,
            is_uniform: &is_uniform,
            launch: context.launch(id),
        };
        then(&mut Warp::of(inputs, number, arguments));
    }

    /// Calls `then` with a warp that executes a callee. `None` if the callee is not among the examined functions, or if
    /// too many callees were evaluated.
    fn in_callee<R>(
        &self,
        callee: DefinitionId,
        (number, arguments): (u32, &[LaneValues]),
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
        self.with_warp(callee, known, variant, (number, arguments.to_vec()), &mut |warp| {
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
                NamingOperation { name: operation.name, of_tile: tile.is_some(), lanes }
            });
            return naming.into_iter().collect();
        }
        let Some(callee) = operation.function else { return Vec::new() };
        let arguments = warp.arguments(call);
        let found = self.in_callee(callee, (number, &arguments), |known, warp| {
            let all = warp.flow().all();
            let is_run = |inner: &&Operation| {
                let runs = inner.operations_run;
                let is_of_warp = runs.of_group.is_none() && runs.of_subgroup.is_some();
                is_of_warp && warp.flow().reaching(inner.block).surely == all
            };
            let run: Vec<Operation> = known.operations.iter().filter(is_run).copied().collect();
            run.iter().flat_map(|inner| self.naming(known, inner, warp, number)).collect()
        });
        found.unwrap_or_default()
    }
}

/// The check of one operation of a function.
#[derive(Clone, Copy)]
struct Check<'k, 'c, 'a, 'e> {
    search: &'k Search<'c, 'a, 'e>,
    id: DefinitionId,
    known: &'k FunctionFacts<'a, 'e>,
    variant: Variant<'k>,
    /// The checked operations of the function.
    operations: &'k [Operation],
    /// The index of the operation among them.
    number: usize,
}

/// An operation that names lanes which may be absent.
#[derive(Clone, Copy)]
struct Naming<'w> {
    warp: &'w EvaluatedWarp,
    by: &'w NamingOperation,
    /// The lanes that some lane names.
    named: u64,
}

impl Check<'_, '_, '_, '_> {
    fn operation(&self) -> Operation {
        self.operations[self.number]
    }

    fn absent(&self, warps: &[EvaluatedWarp]) -> Option<AbsentLanes> {
        let control = self.variant.verdicts.control[self.operation().block];
        if !control.divergence.within(Scope::Subgroup) && !control.depends_on_caller() {
            return None;
        }
        let controlling = self.controlling();
        let (naming, lanes, blame) =
            self.provably(warps, &controlling).or_else(|| self.possibly(warps, &controlling))?;
        Some(AbsentLanes {
            function: self.id,
            operation: self.operation(),
            name: naming.by.name,
            of_tile: naming.by.of_tile,
            named: naming.named,
            lanes,
            blame,
            have_left: false,
        })
    }

    /// Returns the branches that decide, directly or through others, whether the block of the operation is reached. The
    /// nearest come first.
    fn controlling(&self) -> Vec<BlockId> {
        let controllers = &self.known.graph.controllers;
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        let mut found = vec![self.operation().block];
        let mut next = 0;
        while let Some(&block) = found.get(next) {
            let is_branch =
                |&branch: &BlockId| self.variant.function.blocks[branch].terminator.successors().len() > 1;
            found.extend(controllers[block].iter().copied().filter(|it| is_branch(it) && seen.insert(*it)));
            next += 1;
        }
        found.remove(0);
        found
    }

    /// Returns why threads diverge at a branch. `None` if it is uniform in a warp.
    fn blame(&self, branch: BlockId) -> Option<CauseAcrossCalls> {
        let fact = self.variant.verdicts.branches[branch];
        if !fact.divergence.within(Scope::Subgroup) && !fact.depends_on_caller() {
            return None;
        }
        let fact = self.known.verdicts.branches[branch];
        self.search.context.blame(self.id, Subject::Branch(branch), fact, Scope::Subgroup)
    }

    /// Each operation of the call, with the lanes that some lane names that may reach the call.
    fn named<'w>(&self, warps: &'w [EvaluatedWarp]) -> impl Iterator<Item = Naming<'w>> {
        let (block, number) = (self.operation().block, self.number);
        warps.iter().flat_map(move |warp| {
            let callers = warp.flow.reaching(block).possibly;
            warp.naming[number].iter().flat_map(move |by| {
                let mut named: Vec<u64> = by
                    .lanes
                    .iter()
                    .enumerate()
                    .filter(|(lane, _)| callers >> lane & 1 != 0)
                    .filter_map(|(_, named)| *named)
                    .collect();
                named.dedup();
                named.into_iter().map(move |named| Naming { warp, by, named })
            })
        })
    }

    /// Returns lanes that are named and not among the callers, because of the numbers of the threads.
    fn provably<'w>(
        &self,
        warps: &'w [EvaluatedWarp],
        controlling: &[BlockId],
    ) -> Option<(Naming<'w>, Option<u64>, CauseAcrossCalls)> {
        let block = self.operation().block;
        self.named(warps).find_map(|naming| {
            let flow = &naming.warp.flow;
            let missing = naming.named & flow.all() & !flow.reaching(block).possibly;
            let absent = missing & !self.at_another_call(naming, missing);
            let parts = |branch: &&BlockId| flow.reaching(**branch).possibly & absent != 0;
            let blame = controlling.iter().filter(parts).find_map(|&branch| self.blame(branch))?;
            (absent != 0).then_some((naming, Some(absent), blame))
        })
    }

    /// Returns which of some lanes execute the same operation with the same mask on another side of a branch.
    fn at_another_call(&self, naming: Naming, lanes: u64) -> u64 {
        if !self.meets_anywhere(naming.by.name) {
            return 0;
        }
        let others = self.operations.iter().zip(&naming.warp.naming);
        let others = others.filter(|(other, _)| self.is_on_another_side(other.block));
        others
            .flat_map(|(other, run)| {
                let callers = naming.warp.flow.reaching(other.block).possibly & lanes;
                run.iter().any(|by| is_same(naming, by, callers)).then_some(callers)
            })
            .fold(0, |all, some| all | some)
    }

    /// Whether no thread executes both the operation and a block, in one iteration of a loop.
    fn is_on_another_side(&self, other: BlockId) -> bool {
        let own = self.operation().block;
        own != other && !self.leads_to(own, other) && !self.leads_to(other, own)
    }

    /// Whether a path without edges back leads from one block to another.
    fn leads_to(&self, from: BlockId, to: BlockId) -> bool {
        let dominators = &self.known.graph.dominators;
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        let mut todo = vec![from];
        while let Some(block) = todo.pop() {
            let successors = self.variant.function.blocks[block].terminator.successors();
            let forward =
                successors.into_iter().filter(|&next| dominators.position(next) > dominators.position(block));
            for next in forward {
                if next == to {
                    return true;
                }
                if dominators.position(next) < dominators.position(to) && seen.insert(next) {
                    todo.push(next);
                }
            }
        }
        false
    }

    /// Whether threads may execute a builtin at different calls.
    fn meets_anywhere(&self, name: Symbol) -> bool {
        let row = self.search.row(Some(name));
        self.search.context.masks_name_threads && row.is_some_and(|row| row.meets == MeetingPoint::Anywhere)
    }

    /// Returns an operation that names lanes which do not surely reach the call, and a branch at which they diverge.
    fn possibly<'w>(
        &self,
        warps: &'w [EvaluatedWarp],
        controlling: &[BlockId],
    ) -> Option<(Naming<'w>, Option<u64>, CauseAcrossCalls)> {
        let block = self.operation().block;
        let is_uncertain = |naming: &Naming| {
            let flow = &naming.warp.flow;
            naming.named & flow.all() & !flow.reaching(block).surely != 0
        };
        let naming = self.named(warps).find(is_uncertain)?;
        let regions = BranchRegions::of(self.variant.function, self.known.graph);
        let undecided = controlling.iter().filter(|&&branch| {
            naming.warp.flow.is_undecided(branch) && !self.others_meet(naming, &regions, branch)
        });
        let blames = undecided.filter_map(|&branch| self.blame(branch));
        // The first of the most certain ones.
        let blame =
            blames.reduce(|best, other| if other.confidence > best.confidence { other } else { best })?;
        Some((naming, None, blame))
    }

    /// Whether the threads on all other sides of a branch execute the same operation with the same mask.
    fn others_meet(&self, naming: Naming, regions: &BranchRegions, branch: BlockId) -> bool {
        if !self.meets_anywhere(naming.by.name) {
            return false;
        }
        let own = self.operation().block;
        let mut begins = self.variant.function.blocks[branch].terminator.successors();
        begins.sort_unstable();
        begins.dedup();
        let sides = begins.into_iter().zip(regions.regions_of(branch));
        let mut others = sides.filter(|(_, side)| !side.contains(&own)).peekable();
        others.peek().is_some() && others.all(|(begin, side)| self.all_execute(naming, begin, &side))
    }

    /// Whether an operation with the same mask is on every path through a side of a branch.
    fn all_execute(&self, naming: Naming, begin: BlockId, side: &[BlockId]) -> bool {
        let executes = |block: BlockId| {
            let others = self.operations.iter().zip(&naming.warp.naming);
            let callers = naming.warp.flow.reaching(block).possibly & naming.named;
            let mut run = others.filter(|(other, _)| other.block == block).flat_map(|(_, run)| run);
            run.any(|by| is_same(naming, by, callers))
        };
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        let mut todo = vec![begin];
        while let Some(block) = todo.pop() {
            if !side.contains(&block) {
                return false;
            }
            if seen.insert(block) && !executes(block) {
                let successors = self.variant.function.blocks[block].terminator.successors();
                if successors.is_empty() {
                    return false;
                }
                todo.extend(successors);
            }
        }
        true
    }
}

/// Whether an operation is the same as another one, and some lanes name the same lanes there.
fn is_same(naming: Naming, other: &NamingOperation, lanes: u64) -> bool {
    let mut masks = other.lanes.iter().enumerate().filter(|(lane, _)| lanes >> lane & 1 != 0);
    naming.by.name == other.name && masks.all(|(_, named)| *named == Some(naming.named))
}
