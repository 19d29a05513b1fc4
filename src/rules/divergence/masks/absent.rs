//! The operations that not all of their named lanes execute: [`AbsentLanes`].

use rustc_hash::FxHashSet;
use tangle_grammar::symbol::Symbol;

use super::origin::{argument, stored};
use super::search::{EvaluatedWarp, MAX_DEPTH, NamingOperation, Search, Variant, is_of_group_object};
use crate::divergence::{FunctionFacts, Operation};
use tangle_analysis::flow::{BlockId, Call, Op, Unknown, ValueId};
use tangle_analysis::program::DefinitionId;
use tangle_analysis::uniformity::Confidence;
use tangle_analysis::uniformity::branch_regions::BranchRegions;
use tangle_analysis::uniformity::cause::Subject;
use tangle_analysis::uniformity::causes::CauseAcrossCalls;
use tangle_diagnostic::Severity;
use tangle_ir::operation;
use tangle_ir::value::Arithmetic;
use tangle_syntax::dialect::{Builtin, ExitedThreads, GroupProperty, MeetingPoint, ResultUniformity, Scope};

/// The limit on operations between a condition and the results of a tile that it is computed from.
const MAX_OPERATIONS: u32 = 8;

/// An operation that some of its named lanes do not execute.
pub(crate) struct AbsentLanes {
    pub function: DefinitionId,
    pub operation: Operation,
    /// The builtin: the operation itself, or an operation in the callee.
    pub name: Symbol,
    /// Whether an object that represents a group names the lanes, and not a mask.
    pub of_group_object: bool,
    /// The lanes that one of the callers names. `None`: an operation yields the mask.
    pub named: Option<u64>,
    /// The absent lanes of one warp. `None` if the numbers of the threads do not decide.
    pub lanes: Option<u64>,
    pub blame: CauseAcrossCalls,
    /// Whether all absent lanes have left the kernel.
    pub have_left: bool,
}

impl AbsentLanes {
    /// Returns the severity if the finding rests on no assumptions: an error only if lanes are provably absent.
    pub fn severity(&self) -> Severity {
        if self.have_left || self.lanes.is_none() { Severity::Warning } else { Severity::Error }
    }
}

/// Returns the operations that not all of their named lanes execute.
pub(super) fn absent_lanes(search: &Search) -> Vec<AbsentLanes> {
    let context = search.context;
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

impl<'a, 'e> Search<'_, 'a, 'e> {
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
            let warps: Vec<EvaluatedWarp> = self.warps(id, known, variant, operations).collect();
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

/// Threads that take the same side of a branch.
#[derive(Clone, Copy)]
enum Group<'w> {
    /// The threads of a tile, by its size.
    Tile(ValueId),
    /// The lanes that one mask names.
    Named(Naming<'w>),
    /// The lanes of a mask that an operation yields: the operation.
    Yielded(ValueId),
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
        let found = self.provably(warps, &controlling).or_else(|| self.possibly(warps, &controlling));
        let (name, of_group_object, named, lanes, mut blame) = match found {
            Some((naming, lanes, blame)) => {
                (naming.by.name, naming.by.of_group_object, Some(naming.named), lanes, blame)
            }
            None => {
                let (name, mask) = self.search.with_mask(self.known, &self.operation(), MAX_DEPTH)?;
                let of_group_object = self.search.row(Some(name)).is_some_and(is_of_group_object);
                (name, of_group_object, None, None, self.of_yielded(mask, &controlling)?)
            }
        };
        // Lanes that read one address together read one value. A write by other threads seldom comes between them.
        if lanes.is_none() && blame.confidence == Confidence::Likely {
            blame.confidence = Confidence::Possible;
        }
        Some(AbsentLanes {
            function: self.id,
            operation: self.operation(),
            name,
            of_group_object,
            named,
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
                    // A lane does not wait for itself.
                    .filter_map(|(lane, named)| named.filter(|named| named & !(1 << lane) != 0))
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
            naming.warp.flow.is_undecided(branch)
                && !self.is_uniform_in_group(naming, branch)
                && !self.others_meet(naming, &regions, branch)
        });
        let blames = undecided.filter_map(|&branch| self.blame(branch));
        // The first of the most certain ones.
        let blame =
            blames.reduce(|best, other| if other.confidence > best.confidence { other } else { best })?;
        Some((naming, None, blame))
    }

    /// Returns a branch between the operation and the source of its mask that is not related to the mask, and at which
    /// lanes diverge.
    fn of_yielded(&self, mask: ValueId, controlling: &[BlockId]) -> Option<CauseAcrossCalls> {
        let mask = self.search.yielding(self.known, mask)?;
        let is_between = |branch: &&BlockId| {
            self.known.graph.dominators.dominates(mask.block, **branch)
                && self.leads_to_own_without(**branch, mask.block)
        };
        let between: Vec<BlockId> = controlling.iter().filter(is_between).copied().collect();
        // Lanes may be in the mask because of a later condition.
        if between.iter().any(|&branch| self.has_same_operation(branch)) {
            return None;
        }
        let group = Group::Yielded(mask.value);
        let is_uniform = |branch: BlockId| {
            let condition = self.variant.function.blocks[branch].terminator.operand();
            condition.is_some_and(|it| self.is_uniform_in((it, None, branch), group, MAX_OPERATIONS))
        };
        let others =
            between.iter().filter(|&&branch| !mask.is_related(self.known, branch) && !is_uniform(branch));
        let blames = others.filter_map(|&branch| self.blame(branch));
        blames.reduce(|best, other| if other.confidence > best.confidence { other } else { best })
    }

    /// Whether a path leads from the end of a block to the operation, but not through another block. In a loop, that block
    /// computes the mask anew.
    fn leads_to_own_without(&self, from: BlockId, other: BlockId) -> bool {
        let own = self.operation().block;
        let mut seen = FxHashSet::from_iter([other]);
        let mut todo = vec![from];
        while let Some(block) = todo.pop() {
            for next in self.variant.function.blocks[block].terminator.successors() {
                if seen.insert(next) {
                    if next == own {
                        return true;
                    }
                    todo.push(next);
                }
            }
        }
        false
    }

    /// Whether another call of the same builtin is on another side of a branch.
    fn has_same_operation(&self, branch: BlockId) -> bool {
        let dominators = &self.known.graph.dominators;
        let own = self.operation();
        self.operations.iter().any(|other| {
            other.name == own.name
                && dominators.dominates(branch, other.block)
                && self.is_on_another_side(other.block)
        })
    }

    /// Whether all threads that the operation names take the same side of a branch: the condition is computed from results
    /// of operations of their tile, from numbers that are the same in all of them, and from values that are uniform in the
    /// warp.
    fn is_uniform_in_group(&self, naming: Naming, branch: BlockId) -> bool {
        let Some(condition) = self.variant.function.blocks[branch].terminator.operand() else { return false };
        let tile = self.tile(self.operation().value).map(Group::Tile);
        tile.into_iter()
            .chain([Group::Named(naming)])
            .any(|group| self.is_uniform_in((condition, None, branch), group, MAX_OPERATIONS))
    }

    /// Returns the number of threads of the tile that executes a call.
    fn tile(&self, call: ValueId) -> Option<ValueId> {
        let Op::Call(call) = &self.variant.function.values[call].op else { return None };
        let name = call.callee.row()?;
        let tile = self.search.naming_arguments(name, self.search.row(Some(name))?)?.tile?;
        Some(call.arguments.get(usize::from(tile))?.0)
    }

    /// Whether a value is the same in all threads of a group where an operation uses it, or the terminator of a block.
    fn is_uniform_in(
        &self,
        (value, user, block): (ValueId, Option<ValueId>, BlockId),
        group: Group,
        depth: u32,
    ) -> bool {
        let divides_group = |branch: BlockId| {
            let fact = self.variant.verdicts.branches[branch];
            let condition = self.variant.function.blocks[branch].terminator.operand();
            (fact.divergence.within(Scope::Subgroup) || fact.depends_on_caller())
                && !condition.zip(depth.checked_sub(1)).is_some_and(|(condition, depth)| {
                    self.is_uniform_in((condition, None, branch), group, depth)
                })
        };
        if self.known.graph.is_left_apart(value, user, block, divides_group) {
            return false;
        }
        let fact = self.variant.verdicts.values[value];
        if !fact.divergence.within(Scope::Subgroup) && !fact.depends_on_caller() {
            return true;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        // All lanes of a mask have the same mask.
        if matches!(group, Group::Yielded(of) if stored(self.known, value) == of) {
            return true;
        }
        if let Group::Named(naming) = group
            && naming.warp.numbers.get(&value).is_some_and(|lanes| is_one_number(lanes, naming.named))
        {
            return true;
        }
        let values = &self.variant.function.values;
        let plain = |mut value: ValueId| {
            while let Op::Convert { operand, .. } = values[value].op {
                value = operand;
            }
            &values[value].op
        };
        let is_same = |other: ValueId| match group {
            Group::Tile(tile) => plain(other) == plain(tile),
            Group::Named(_) | Group::Yielded(_) => false,
        };
        let op = &values[value].op;
        match op {
            Op::Call(call) => {
                let Some(row) = self.search.row(call.callee.row()) else { return false };
                // The number of a tile is that of the tile of the thread.
                matches!(group, Group::Tile(_)) && row.adds.contains(&GroupProperty::MetaGroupRank)
                    || row.result == Some(ResultUniformity::UniformInTile)
                        && self.tile(value).is_some_and(is_same)
                    || self.is_uniform_in_mask(value, row, (group, depth))
                    || self.is_math(call) && self.operands_are_uniform_in(value, group, depth)
            }
            &Op::Load { address, .. } => {
                let Some(block) = self.known.graph.home[value] else { return false };
                let is_same = |it: ValueId| self.is_uniform_in((it, Some(value), block), group, depth);
                let stored = self.known.verdicts.forwarded.get(&value);
                let contents = || self.known.analysis.read_at_one_address(value);
                stored.is_some_and(|&it| is_same(it))
                    || !contents().divergence.within(Scope::Subgroup) && is_same(address)
            }
            // The number of the tile, computed from the id of the thread.
            Op::Binary { op: Arithmetic::Div, right, .. } if is_same(*right) => true,
            Op::Unknown { what: Unknown::Arithmetic(Arithmetic::Div), operands }
                if operands.get(1).is_some_and(|&right| is_same(right)) =>
            {
                true
            }
            // The values of earlier iterations are the same if the first value and the steps are.
            Op::Phi(incoming) => {
                let Some(block) = self.known.graph.home[value] else { return false };
                let position = |block: BlockId| self.known.graph.dominators.position(block);
                incoming.iter().all(|&(from, other)| {
                    let is_back = position(from) >= position(block);
                    is_back && self.is_step(value, other, group, depth)
                        || !is_back && self.is_uniform_in((other, Some(value), block), group, depth)
                })
            }
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Convert { .. }
            | Op::Select { .. }
            | Op::Extract { .. }
            | Op::Insert { .. }
            | Op::Shuffle { .. }
            | Op::Element { .. }
            | Op::Field { .. }
            | Op::Unknown { what: Unknown::Arithmetic(_) | Unknown::Compare(_), .. } => {
                self.operands_are_uniform_in(value, group, depth)
            }
            _ => false,
        }
    }

    fn operands_are_uniform_in(&self, value: ValueId, group: Group, depth: u32) -> bool {
        let Some(block) = self.known.graph.home[value] else { return false };
        let mut are_uniform = true;
        self.variant.function.values[value].op.operands(|&operand| {
            are_uniform &= self.is_uniform_in((operand, Some(value), block), group, depth);
        });
        are_uniform
    }

    /// Whether a call of a builtin computes a number from its arguments alone.
    fn is_math(&self, call: &Call) -> bool {
        let operation = call.callee.row().and_then(|name| self.search.context.builtins.operation(name));
        matches!(operation, Some(operation::Operation::Math(_)))
    }

    /// Whether an operation gives one result to all lanes of the group, whose mask it has as an argument.
    fn is_uniform_in_mask(&self, value: ValueId, row: &Builtin, (group, depth): (Group, u32)) -> bool {
        let Group::Yielded(of) = group else { return false };
        let Op::Call(call) = &self.variant.function.values[value].op else { return false };
        // The mask of a group is the last argument.
        let is_of_group = || {
            let mask = call.arguments.last().filter(|_| row.adds.ends_with(&[GroupProperty::Mask]));
            mask.is_some_and(|&(mask, _)| stored(self.known, mask) == of)
        };
        let is_of_mask =
            || is_of_group() || self.search.yielded(self.known, value).is_some_and(|mask| mask.value == of);
        // All lanes read the same lane.
        if let Some(lane) = row.lane
            && let Some(lane) = argument(self.variant.function, value, lane.0.into())
            && let Some(block) = self.known.graph.home[value]
        {
            return self.is_uniform_in((lane, Some(value), block), group, depth) && is_of_mask();
        }
        matches!(row.result, Some(ResultUniformity::UniformInTile | ResultUniformity::UniformInSubgroup))
            && is_of_mask()
    }

    /// Whether a value is the sum of a phi and a step that is uniform in the group.
    fn is_step(&self, phi: ValueId, value: ValueId, group: Group, depth: u32) -> bool {
        let (left, right) = match &self.variant.function.values[value].op {
            Op::Binary { op: Arithmetic::Add, left, right } => (*left, *right),
            Op::Unknown { what: Unknown::Arithmetic(Arithmetic::Add), operands } if operands.len() == 2 => {
                (operands[0], operands[1])
            }
            _ => return false,
        };
        let block = self.known.graph.home[value];
        left == phi
            && block.is_some_and(|block| self.is_uniform_in((right, Some(value), block), group, depth))
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

/// Whether a value is one number in some lanes.
fn is_one_number(lanes: &[Option<i128>], some: u64) -> bool {
    let mut numbers =
        lanes.iter().enumerate().filter(|(lane, _)| some >> lane & 1 != 0).map(|(_, number)| number);
    let Some(Some(first)) = numbers.next() else { return false };
    numbers.all(|number| *number == Some(*first))
}

/// Whether an operation is the same as another one, and some lanes name the same lanes there.
fn is_same(naming: Naming, other: &NamingOperation, lanes: u64) -> bool {
    let mut masks = other.lanes.iter().enumerate().filter(|(lane, _)| lanes >> lane & 1 != 0);
    naming.by.name == other.name && masks.all(|(_, named)| *named == Some(naming.named))
}
