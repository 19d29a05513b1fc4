//! The operations that not all of their named lanes execute: [`AbsentLanes`].

use rustc_hash::FxHashSet;
use tangle_grammar::symbol::Symbol;

use super::search::{EvaluatedWarp, MAX_DEPTH, NamingOperation, Search, Variant, is_of_group_object};
use super::together::{Group, Together, tile_of};
use crate::divergence::{FunctionFacts, Operation};
use tangle_analysis::flow::cycles::CycleId;
use tangle_analysis::flow::dominators::Dominators;
use tangle_analysis::flow::{BlockId, Function, ValueId};
use tangle_analysis::program::DefinitionId;
use tangle_analysis::uniformity::Confidence;
use tangle_analysis::uniformity::branch_regions::BranchRegions;
use tangle_analysis::uniformity::cause::Subject;
use tangle_analysis::uniformity::causes::CauseAcrossCalls;
use tangle_diagnostic::Severity;
use tangle_syntax::dialect::{ExitedThreads, MeetingPoint, Scope};

/// The maximum number of blocks with operations of threads that exit soon that are checked in a function.
const MAX_EXITING: usize = 8;

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
        // Threads that exit soon can execute operations before.
        if let Some(staying) = staying {
            self.of_exiting(id, known, (staying, whole), operations, &mut absent);
        }
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

    /// Checks the operations that are not in the function without early exits.
    fn of_exiting(
        &self,
        id: DefinitionId,
        known: &FunctionFacts<'a, 'e>,
        (staying, whole): (Variant, Variant),
        operations: &[Operation],
        absent: &mut [Option<AbsentLanes>],
    ) {
        let dominators = Dominators::of(staying.function, &staying.function.predecessors());
        let mut blocks: Vec<BlockId> = operations.iter().map(|it| it.block).collect();
        blocks.retain(|&block| !dominators.is_reachable(block));
        blocks.dedup();
        for block in blocks.into_iter().take(MAX_EXITING) {
            let variant = self.context.without_exited_but(id, block);
            let variant = variant.as_ref().map(|(function, verdicts)| Variant { function, verdicts });
            let variant = variant.unwrap_or(whole);
            let warps: Vec<EvaluatedWarp> = self.warps(id, known, variant, operations).collect();
            for number in (0..operations.len()).filter(|&number| operations[number].block == block) {
                absent[number] =
                    Check { search: self, id, known, variant, operations, number }.absent(&warps);
            }
        }
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
        let controllers = &self.known.graph().controllers;
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        let mut found = vec![self.operation().block];
        let mut next = 0;
        while let Some(&block) = found.get(next) {
            found.extend(controllers[block].iter().copied().filter(|it| seen.insert(*it)));
            next += 1;
        }
        found.remove(0);
        // Branches that threads leave are none in the staying function, but have controlling branches.
        found.retain(|&it| self.variant.function.blocks[it].terminator.successors().len() > 1);
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
            let blame = controlling.iter().filter(parts).find_map(|&branch| self.blame(branch));
            match blame {
                Some(blame) if absent != 0 => Some((naming, Some(absent), blame)),
                _ => self.absent_again(naming, controlling),
            }
        })
    }

    /// Returns lanes that leave a cycle around the operation at a branch, while others execute the operation again.
    fn absent_again<'w>(
        &self,
        naming: Naming<'w>,
        controlling: &[BlockId],
    ) -> Option<(Naming<'w>, Option<u64>, CauseAcrossCalls)> {
        let cycles = &self.known.graph().cycles;
        let flow = &naming.warp.flow;
        controlling.iter().filter(|&&branch| !flow.is_undecided(branch)).find_map(|&branch| {
            let successors = self.variant.function.blocks[branch].terminator.successors();
            let sides = self.cycles_around(branch).map(|cycle| {
                successors.iter().partition::<Vec<BlockId>, _>(|&&next| cycles.contains(cycle, next))
            });
            let on = |sides: &[BlockId]| {
                sides.iter().fold(0, |lanes, &next| lanes | flow.on_edge(branch, next).possibly)
            };
            let absent = sides.map(|(inside, outside)| (on(&inside), on(&outside)));
            let absent =
                absent.map(|(again, left)| if again == 0 { 0 } else { naming.named & left & !again });
            let absent = absent.into_iter().find(|&absent| absent != 0)?;
            Some((naming, Some(absent), self.blame(branch)?))
        })
    }

    /// Returns the cycles with the operation and a block, the smallest first.
    fn cycles_around(&self, block: BlockId) -> impl Iterator<Item = CycleId> {
        let cycles = &self.known.graph().cycles;
        cycles.around(self.operation().block).filter(move |&cycle| cycles.contains(cycle, block))
    }

    /// Returns which of some lanes execute the same operation with the same mask on another side of a branch.
    fn at_another_call(&self, naming: Naming, lanes: u64) -> u64 {
        if !self.meets_anywhere(naming.by.name) {
            return 0;
        }
        let others = self.operations.iter().zip(&naming.warp.naming);
        let others = others
            .filter(|(other, _)| self.is_on_another_side(other.block) && !self.is_behind_another(other));
        others
            .flat_map(|(other, run)| {
                let callers = naming.warp.flow.reaching(other.block).possibly & lanes;
                run.iter().any(|by| is_same(naming, by, callers)).then_some(callers)
            })
            .fold(0, |all, some| all | some)
    }

    /// Whether threads wait on each path to another call of the operation, at a barrier or another operation that names
    /// its threads, and do not wait before the operation itself. Then they do not get to the other call.
    fn is_behind_another(&self, other: &Operation) -> bool {
        let own = self.operation();
        let names = |it: &Operation| self.operations.iter().any(|naming| naming.value == it.value);
        let waits = |it: &&Operation| it.operations_run.of_group.is_some() || names(it);
        let waiting = || self.known.operations.iter().filter(waits);
        if waiting().any(|it| self.is_before(it, &own) && !self.is_before(it, other)) {
            return false;
        }
        let is_only_before_other = |it: &&Operation| {
            !self.is_before(it, &own) && (it.block != other.block || self.is_before(it, other))
        };
        let mut seen: FxHashSet<BlockId> =
            waiting().filter(is_only_before_other).map(|it| it.block).collect();
        if seen.contains(&other.block) {
            return true;
        }
        let mut todo = vec![Function::ENTRY];
        while let Some(block) = todo.pop() {
            if block == other.block {
                return false;
            }
            let successors = self.variant.function.blocks[block].terminator.successors();
            todo.extend(successors.into_iter().filter(|&next| seen.insert(next)));
        }
        true
    }

    /// Whether each thread that gets to an operation has executed another one before.
    fn is_before(&self, before: &Operation, operation: &Operation) -> bool {
        let values = &self.variant.function.blocks[operation.block].values;
        let position = |value: ValueId| values.iter().position(|&it| it == value);
        match before.block == operation.block {
            true => position(before.value) < position(operation.value),
            false => self.known.graph().dominators.dominates(before.block, operation.block),
        }
    }

    /// Whether no thread executes both the operation and a block, in one iteration of a loop.
    fn is_on_another_side(&self, other: BlockId) -> bool {
        let own = self.operation().block;
        own != other && !self.leads_to(own, other) && !self.leads_to(other, own)
    }

    /// Whether a path without edges back leads from one block to another.
    fn leads_to(&self, from: BlockId, to: BlockId) -> bool {
        let dominators = &self.known.graph().dominators;
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
        // All lanes may execute the operation once, and not all of them again.
        let repeats = controlling.iter().copied();
        let repeats: Vec<BlockId> =
            repeats.filter(|&branch| self.cycles_around(branch).next().is_some()).collect();
        let is_uncertain = |naming: &Naming| {
            let flow = &naming.warp.flow;
            naming.named & flow.all() & !flow.reaching(block).surely != 0
                || repeats.iter().any(|&branch| flow.is_undecided(branch))
        };
        let naming = self.named(warps).find(is_uncertain)?;
        let regions = BranchRegions::of(self.variant.function, self.known.graph());
        let undecided: Vec<BlockId> = controlling
            .iter()
            .copied()
            .filter(|&branch| {
                naming.warp.flow.is_undecided(branch) && !self.others_meet(naming, &regions, branch)
            })
            .collect();
        if undecided.is_empty() {
            return None;
        }
        let tile = tile_of(self.search, self.variant.function, self.operation().value);
        let groups: Vec<Together> = tile
            .map(Group::Tile)
            .into_iter()
            .chain([Group::Named { warp: naming.warp, named: naming.named }])
            .map(|group| self.together(group))
            .collect();
        let undecided =
            undecided.iter().filter(|&&branch| groups.iter().all(|group| group.is_divided_at(branch)));
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
            self.known.graph().dominators.dominates(mask.block, **branch)
                && self.leads_to_own_without(**branch, mask.block)
        };
        let between: Vec<BlockId> = controlling.iter().filter(is_between).copied().collect();
        // Lanes may be in the mask because of a later condition.
        if between.iter().any(|&branch| self.has_same_operation(branch)) {
            return None;
        }
        let group = self.together(Group::Yielded(mask.value));
        let others = between
            .iter()
            .filter(|&&branch| !mask.is_related(self.known, branch) && group.is_divided_at(branch));
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
        let dominators = &self.known.graph().dominators;
        let own = self.operation();
        self.operations.iter().any(|other| {
            other.name == own.name
                && dominators.dominates(branch, other.block)
                && self.is_on_another_side(other.block)
        })
    }

    /// Returns where the threads of a group stay together.
    fn together(&self, group: Group) -> Together {
        Together::of(self.search, self.known, self.variant, group)
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
        let is_first = self.is_first_behind(branch);
        others.peek().is_some()
            && others.all(|(begin, side)| self.all_execute(naming, begin, &side, is_first))
    }

    /// Whether threads execute no other operation that names its threads between a branch and this one. If some may,
    /// their number on the other sides can be the same.
    fn is_first_behind(&self, branch: BlockId) -> bool {
        let dominators = &self.known.graph().dominators;
        let own = self.operation();
        let values = &self.variant.function.blocks[own.block].values;
        let position = |value: ValueId| values.iter().position(|&it| it == value);
        self.operations.iter().all(|other| {
            let is_before = match other.block == own.block {
                true => position(other.value) < position(own.value),
                false => self.leads_to(other.block, own.block),
            };
            !is_before || other.value == own.value || !dominators.strictly_dominates(branch, other.block)
        })
    }

    /// Whether an operation with the same mask is on every path through a side of a branch, before any barrier.
    /// `is_first`: it is also before any other operation that names its threads.
    fn all_execute(&self, naming: Naming, begin: BlockId, side: &[BlockId], is_first: bool) -> bool {
        // Threads at a barrier wait for the threads at the operation, so they do not get past the barrier.
        let waits = |value: ValueId| {
            let mut all = self.known.operations.iter();
            let mut naming = self.operations.iter();
            all.any(|it| it.value == value && it.operations_run.of_group.is_some())
                || is_first && naming.any(|it| it.value == value)
        };
        let meets = |value: ValueId, callers: u64| {
            let mut others = self.operations.iter().zip(&naming.warp.naming);
            others
                .any(|(other, run)| other.value == value && run.iter().any(|by| is_same(naming, by, callers)))
        };
        let first_met = |block: BlockId| {
            let callers = naming.warp.flow.reaching(block).possibly & naming.named;
            let mut values = self.variant.function.blocks[block].values.iter();
            values.find_map(|&value| match meets(value, callers) {
                true => Some(true),
                false => waits(value).then_some(false),
            })
        };
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        let mut todo = vec![begin];
        while let Some(block) = todo.pop() {
            if !side.contains(&block) {
                return false;
            }
            if !seen.insert(block) {
                continue;
            }
            match first_met(block) {
                Some(true) => continue,
                Some(false) => return false,
                None => {}
            }
            let successors = self.variant.function.blocks[block].terminator.successors();
            if successors.is_empty() {
                return false;
            }
            todo.extend(successors);
        }
        true
    }
}

/// Whether an operation is the same as another one, and some lanes name the same lanes there.
fn is_same(naming: Naming, other: &NamingOperation, lanes: u64) -> bool {
    let mut masks = other.lanes.iter().enumerate().filter(|(lane, _)| lanes >> lane & 1 != 0);
    naming.by.name == other.name && masks.all(|(_, named)| *named == Some(naming.named))
}
