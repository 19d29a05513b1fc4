//! Shuffles that read a lane which is not in the mask, or which may have left the kernel. The value is undefined.
//!
//! Threads that have left need not take part, so a full mask after an early `return` is no mistake. But their lanes have no
//! value. Which lanes leave follows from the condition: for `i >= n`, the lanes above some lane.
//!
//! ```c
//! int i = blockIdx.x * blockDim.x + threadIdx.x;
//! if (i >= n) return;
//! x = __shfl_sync(~0u, x, 0);                // fine: if lane 0 has left, so have all
//! x += __shfl_down_sync(~0u, x, 1);          // the lane above may have left
//! if (lane < 8) y = __shfl_sync(0xff, y, 9); // lane 9 is not in the mask
//! ```
//!
//! Shuffles up and down read beyond the lanes of a mask at its end, where the result is mostly not used. So only broadcasts
//! and exchanges (`xor`) are compared with the mask. A result that is used under a further condition is not checked.

use super::search::{NamingArguments, Search, Variant};
use crate::divergence::{FunctionFacts, Operation};
use tangle_analysis::flow::{BlockId, Function, Op, Terminator, ValueId};
use tangle_analysis::program::DefinitionId;
use tangle_analysis::uniformity::Confidence;
use tangle_analysis::uniformity::cause::Subject;
use tangle_analysis::uniformity::warp::{ReadLanes, Warp, WarpEntry};
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;
use tangle_ir::operation::{Collective, CollectiveOp, Lane, Operation as Meaning};
use tangle_ir::value::{Comparison, UnaryOp};
use tangle_syntax::dialect::Scope;

/// A shuffle that reads an inactive lane.
pub(crate) struct InactiveRead {
    pub function: DefinitionId,
    pub operation: Operation,
    /// The shuffle: the operation itself, or an operation in the callee.
    pub name: Symbol,
    /// A lane that reads, and the lane that it reads.
    pub lanes: (usize, usize),
    pub inactivity: Inactivity,
}

/// Why a lane is inactive.
pub(crate) enum Inactivity {
    /// It is not in the mask of the lane that reads. `surely`: whether that lane surely gets there.
    NotInMask {
        /// The mask.
        mask: u64,
        /// Whether the reading lane surely gets there.
        surely: bool,
    },
    /// It may have left the kernel at this branch.
    Left(Span),
}

/// A shuffle that a call runs, in one warp.
struct Shuffle {
    name: Symbol,
    from: Lane,
    read: ReadLanes,
    named: Vec<Option<u64>>,
}

impl Search<'_, '_, '_> {
    /// Returns the shuffles of kernels that read inactive lanes.
    pub(super) fn inactive_reads(&self) -> Vec<InactiveRead> {
        let mut found = Vec::new();
        if !self.context.masks_name_threads {
            return found;
        }
        for (id, known) in self.context.all().filter(|(_, known)| known.function.kernel) {
            let is_of_warp = |it: &&Operation| {
                it.operations_run.of_group.is_none() && it.operations_run.of_subgroup.is_some()
            };
            let operations: Vec<Operation> = known.operations.iter().filter(is_of_warp).copied().collect();
            if operations.is_empty() {
                continue;
            }
            let exits = self.exits(id, known);
            let variant = Variant { function: known.function, verdicts: known.verdicts };
            self.with_warp(id, known, variant, (0, WarpEntry::default()), &mut |warp| {
                let leaving: Vec<Leaving> = exits.iter().map(|&at| Leaving::of(known, warp, at)).collect();
                for operation in &operations {
                    let shuffles = self.shuffles(known, operation, warp);
                    let read = shuffles.iter().find_map(|shuffle| {
                        let reach = warp.flow().reaching(operation.block);
                        let unnamed = shuffle.unnamed(reach.surely, reach.possibly);
                        let (lanes, inactivity) =
                            unnamed.or_else(|| shuffle.left(known, operation, &leaving, reach.possibly))?;
                        let name = shuffle.name;
                        Some(InactiveRead { function: id, operation: *operation, name, lanes, inactivity })
                    });
                    found.extend(read);
                }
            });
        }
        found
    }

    /// Returns the branches of a kernel at which threads leave it early, each with the block where the others continue.
    fn exits(&self, id: DefinitionId, known: &FunctionFacts) -> Vec<(BlockId, BlockId)> {
        let Some((staying, _)) = self.context.without_exited(id) else { return Vec::new() };
        let blocks = known.function.blocks.iter_enumerated();
        let stays = |(id, block): (BlockId, &tangle_analysis::flow::Block)| match block.terminator {
            Terminator::Branch { .. } => match staying.blocks[id].terminator {
                Terminator::Jump(stays) => Some((id, stays)),
                _ => None,
            },
            _ => None,
        };
        // That lanes of a warp leave apart may rest on an assumption about unknown code.
        let is_known = |&(branch, _): &(BlockId, BlockId)| {
            let fact = known.verdicts.branches[branch];
            let blame = self.context.blame(id, Subject::Branch(branch), fact, Scope::Subgroup);
            blame.is_some_and(|blame| blame.confidence == Confidence::Certain)
        };
        blocks.filter_map(stays).filter(is_known).collect()
    }

    /// Returns the shuffles that a call runs, and whose results are used without a further condition. Of a callee: the
    /// shuffles that all threads of the call execute.
    fn shuffles(&self, known: &FunctionFacts, operation: &Operation, warp: &mut Warp) -> Vec<Shuffle> {
        let Op::Call(call) = &known.function.values[operation.value].op else { return Vec::new() };
        if self.context.builtin(operation).is_some() {
            let Some(Meaning::Collective(of)) = self.context.builtins.operation(operation.name) else {
                return Vec::new();
            };
            return match is_used_conditionally(known, operation) {
                true => Vec::new(),
                false => self.shuffle(operation.name, of, call, warp).into_iter().collect(),
            };
        }
        self.run_by_all(known, (operation, call), warp, 0, &|known, inner, warp| {
            self.shuffles(known, inner, warp)
        })
    }

    fn shuffle(
        &self,
        name: Symbol,
        of: Collective,
        call: &tangle_analysis::flow::Call,
        warp: &mut Warp,
    ) -> Option<Shuffle> {
        let CollectiveOp::Shuffle { from, .. } = of.op else { return None };
        let NamingArguments { mask, tile } = self.naming_arguments(name, self.row(Some(name))?)?;
        let read = warp.read_lanes(call, of)?;
        let named = warp.named(call, mask, tile);
        Some(Shuffle { name, from, read, named })
    }
}

/// The lanes that leave at a branch.
struct Leaving {
    branch: BlockId,
    /// The block where the other lanes continue.
    stays: BlockId,
    /// For each lane, a number: lanes with greater numbers leave first. `None`: any lane may leave alone.
    order: Option<Vec<i128>>,
    /// Whether lanes of a warp may take different sides.
    divides: bool,
    span: Span,
}

impl Leaving {
    fn of(known: &FunctionFacts, warp: &mut Warp, (branch, stays): (BlockId, BlockId)) -> Leaving {
        let function = known.function;
        let block = &function.blocks[branch];
        let order = match &block.terminator {
            Terminator::Branch { condition, then, .. } => order(function, warp, *condition, *then != stays),
            _ => None,
        };
        Leaving { branch, stays, order, divides: warp.flow().is_undecided(branch), span: block.end }
    }

    /// Whether a lane may have left while another one stays.
    fn may_leave(&self, left: usize, stays: usize) -> bool {
        match &self.order {
            Some(order) => order[left] > order[stays],
            None => left != stays,
        }
    }
}

/// Orders the lanes by when they satisfy a comparison, or its opposite. `None`: unknown.
fn order(function: &Function, warp: &mut Warp, condition: ValueId, holds: bool) -> Option<Vec<i128>> {
    let (op, left, right) = match function.values[condition].op {
        Op::Compare { op, left, right } => (op, left, right),
        Op::Unary { op: UnaryOp::Complement, operand } => return order(function, warp, operand, !holds),
        _ => return None,
    };
    let (left, right) = (warp.values(left).offsets()?, warp.values(right).offsets()?);
    let sign = match (op, holds) {
        (Comparison::Greater | Comparison::GreaterEqual, true) => 1,
        (Comparison::Less | Comparison::LessEqual, false) => 1,
        (Comparison::Less | Comparison::LessEqual, true) => -1,
        (Comparison::Greater | Comparison::GreaterEqual, false) => -1,
        (Comparison::Equal | Comparison::NotEqual, _) => return None,
    };
    Some(left.iter().zip(&right).map(|(left, right)| sign * left.wrapping_sub(*right)).collect())
}

impl Shuffle {
    /// Returns a lane that reads a lane outside of its own mask.
    fn unnamed(&self, surely: u64, possibly: u64) -> Option<((usize, usize), Inactivity)> {
        if !matches!(self.from, Lane::Absolute | Lane::Xor) {
            return None;
        }
        let ReadLanes::Exact(read) = &self.read else { return None };
        let outside = |lane: usize| {
            let (mask, source) = (self.named[lane]?, read[lane]?);
            // A lane that is not in its own mask is another mistake.
            let is_wrong = mask >> lane & 1 != 0 && source < 64 && mask >> source & 1 == 0;
            is_wrong.then_some((source, mask))
        };
        let of = |lanes: u64, surely: bool| {
            let mut lanes = (0..read.len()).filter(|lane| lanes >> lane & 1 != 0);
            lanes.find_map(|lane| {
                let (source, mask) = outside(lane)?;
                Some(((lane, source), Inactivity::NotInMask { mask, surely }))
            })
        };
        of(surely, true).or_else(|| of(possibly, false))
    }

    /// Returns a lane that reads a lane which may have left.
    fn left(
        &self,
        known: &FunctionFacts,
        operation: &Operation,
        leaving: &[Leaving],
        possibly: u64,
    ) -> Option<((usize, usize), Inactivity)> {
        let count = self.named.len();
        let lanes = || (0..count).filter(|lane| possibly >> lane & 1 != 0);
        let reads = |lane: usize| -> Option<usize> {
            match &self.read {
                ReadLanes::Exact(read) => read[lane],
                ReadLanes::Above => (lane + 1 < count).then_some(lane + 1),
                ReadLanes::Below => lane.checked_sub(1),
                ReadLanes::Both => Some(lane ^ 1),
            }
        };
        let dominators = &known.graph().dominators;
        let before = |exit: &&Leaving| exit.divides && dominators.dominates(exit.stays, operation.block);
        leaving.iter().filter(before).find_map(|exit| {
            debug_assert!(dominators.dominates(exit.branch, exit.stays) || exit.branch == exit.stays);
            let is_wrong = |&lane: &usize| {
                let source = reads(lane)?;
                let is_named = self.named[lane].is_some_and(|mask| mask >> source & 1 != 0);
                (source != lane && is_named && exit.may_leave(source, lane)).then_some((lane, source))
            };
            let pair = lanes().find_map(|lane| is_wrong(&lane))?;
            Some((pair, Inactivity::Left(exit.span)))
        })
    }
}

/// Whether all uses of a result are under a further condition, which may say whether the lane was there.
fn is_used_conditionally(known: &FunctionFacts, operation: &Operation) -> bool {
    let function = known.function;
    let own = &known.graph().controllers[operation.block];
    let is_guarded = |user: ValueId| match &function.values[user].op {
        Op::Select { .. } => true,
        Op::Phi(_) => false,
        _ => known.graph().home[user]
            .is_some_and(|block| known.graph().controllers[block].iter().any(|branch| !own.contains(branch))),
    };
    let users = function.values.indices().filter(|&user| {
        let mut uses = false;
        function.values[user].op.operands(|&operand| uses |= operand == operation.value);
        uses
    });
    let mut users = users.peekable();
    users.peek().is_some() && users.all(is_guarded)
}
