//! Values of phis where conditions are known.
//!
//! **Condition** of an edge: the decision of the branch at its start, if the edge is the only one to its end. The
//! condition of an edge is **known** in all blocks that the edge dominates. Two branches are **correlated** if they
//! decide on [congruent](super::congruence) values. Where a condition is known, a phi cannot have come along an edge
//! with the opposite condition.
//!
//! ```c
//! int x = get_local_id(0);
//! if (n > 4) x = 0;
//! if (n > 4) {              // correlated: `n > 4` is known inside
//!   if (x == 0) barrier(…); // so x is 0 here, the same for all threads
//! }
//! ```
//!
//! A condition of the past still holds if the values that it is computed from are the same. That is so if they dominate
//! the block of the phi strictly. Proof: let `r` be such a value, `J` the block of the phi, `U` a block that uses it. `r`
//! dominates `J` and `J` dominates `U`, so between the last `r` and `U` the thread has passed `J`, and has seen no `r`
//! since. The edge to `J` whose condition counts is dominated by the branch that decides it, and `r` dominates that
//! branch. So both branches decide on the same `r`. The same holds for a phi that is an operand of the phi at `J`, if
//! `r` strictly dominates both.
//!
//! 1. Collect the branches by their congruent conditions. Those without a correlated one are dropped; most functions
//!    have no others, and the result is empty.
//! 2. Find the known conditions of each block: the conditions of the edges to the blocks that dominate it.
//! 3. For each use of a phi in a block with known conditions, drop the operands whose edges contradict one, and do the
//!    same with operands that are phis. If all others are congruent, the use sees that operand.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::congruence;
use super::graph::Graph;
use crate::flow::{BlockId, Function, Op, Terminator, ValueId};
use crate::value::{Comparison, Constant, Conversion};

/// The values that uses of phis see.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    /// For a phi and a block with uses of it, the operand that these uses see.
    seen: FxHashMap<(ValueId, BlockId), ValueId>,
}

/// A condition: the number of a group of correlated branches, and whether its value is not zero.
type Condition = (usize, bool);

/// A block with a branch, the value that the branch tests, and whether it takes its first edge if that is not zero.
type Tested = (BlockId, ValueId, bool);

impl Conditions {
    /// Finds the correlated branches of a function, and the phis that they decide.
    pub fn of(function: &Function, graph: &Graph) -> Conditions {
        let mut seen = FxHashMap::default();
        let Some(branches) = Correlated::of(function) else { return Conditions { seen } };
        let known = Known::of(function, graph, &branches);
        for (block, it) in function.blocks.iter_enumerated() {
            let here = known.at(graph, block);
            if here.is_empty() {
                continue;
            }
            let mut used: FxHashSet<ValueId> = FxHashSet::default();
            for &user in &it.values {
                // The operands of a phi are used at the ends of the blocks before it.
                if !matches!(function.values[user].op, Op::Phi(_)) {
                    function.values[user].op.operands(|&operand| _ = used.insert(operand));
                }
            }
            used.extend(it.terminator.operand());
            for successor in it.terminator.successors() {
                for &user in &function.blocks[successor].values {
                    if let Op::Phi(incoming) = &function.values[user].op {
                        used.extend(
                            incoming.iter().filter(|(from, _)| *from == block).map(|(_, used)| *used),
                        );
                    }
                }
            }
            for phi in used {
                let (open, left) = (SmallVec::new(), MAX_PHIS);
                let mut resolution = Resolution {
                    function,
                    graph,
                    branches: &branches,
                    known: &known,
                    here: &here,
                    open,
                    left,
                };
                if let Some(operand) = resolution.of(phi).filter(|&it| it != phi) {
                    seen.insert((phi, block), operand);
                }
            }
        }
        Conditions { seen }
    }

    /// Returns the value that a use of `value` in a block sees.
    pub fn seen(&self, value: ValueId, block: BlockId) -> ValueId {
        match self.seen.is_empty() {
            true => value,
            false => self.seen.get(&(value, block)).copied().unwrap_or(value),
        }
    }
}

/// The limit on conditions that count in one block. The nearest ones count.
const MAX_CONDITIONS: usize = 32;

/// The limit on phis that are passed to resolve one use.
const MAX_PHIS: usize = 32;

/// The search for the value that phis have in a block.
struct Resolution<'a> {
    function: &'a Function,
    graph: &'a Graph,
    branches: &'a Correlated,
    known: &'a Known,
    /// The conditions that are known in the block.
    here: &'a [Condition],
    /// The phis whose operands are searched. An operand that leads back to one of them adds no value.
    open: SmallVec<[ValueId; 4]>,
    /// The number of phis that may still be passed.
    left: usize,
}

impl Resolution<'_> {
    /// Returns the only value that `value` can have. For a phi that can have several, that is the phi. `None`: one of
    /// the open phis decides.
    fn of(&mut self, value: ValueId) -> Option<ValueId> {
        let (Op::Phi(incoming), Some(home)) = (&self.function.values[value].op, self.graph.home[value])
        else {
            return Some(value);
        };
        if self.open.contains(&value) {
            return None;
        }
        if self.left == 0 {
            return Some(value);
        }
        self.left -= 1;
        self.open.push(value);
        let mut found: Option<ValueId> = None;
        let mut is_one = true;
        for &(from, operand) in incoming {
            if !is_one || !self.is_possible(from, home) {
                continue;
            }
            if let Some(operand) = self.of(operand) {
                let first = *found.get_or_insert(operand);
                is_one = congruence::are_congruent(self.function, first, operand);
            }
        }
        self.open.pop();
        Some(found.filter(|_| is_one).unwrap_or(value))
    }

    /// Whether a thread can have come to the block of a phi along this edge.
    fn is_possible(&self, from: BlockId, home: BlockId) -> bool {
        let dominators = &self.graph.dominators;
        // The value passes all open phis, and must not pass a new condition on its way.
        let homes = || self.open.iter().filter_map(|&phi| self.graph.home[phi]);
        let is_kept = |group: usize| {
            let mut roots = self.branches.roots[group].iter().filter_map(|&root| self.graph.home[root]);
            roots.all(|root| homes().all(|home| dominators.strictly_dominates(root, home)))
        };
        let mut of_edge = self.known.at(self.graph, from);
        of_edge.extend(self.branches.on_edge(self.function, from, home));
        !self.here.iter().any(|&(group, holds)| of_edge.contains(&(group, !holds)) && is_kept(group))
    }
}

/// The branches whose conditions are correlated with that of another branch.
struct Correlated {
    /// For a block with such a branch, the group, and whether the branch takes its first edge for a value that is not
    /// zero.
    groups: FxHashMap<BlockId, Condition>,
    /// For each group, the values that its condition is computed from.
    roots: Vec<SmallVec<[ValueId; 2]>>,
}

impl Correlated {
    /// `None`: there are none.
    fn of(function: &Function) -> Option<Correlated> {
        let mut by_hash: FxHashMap<u64, SmallVec<[Tested; 2]>> = FxHashMap::default();
        for (block, it) in function.blocks.iter_enumerated() {
            if let Terminator::Branch { condition, .. } = it.terminator {
                let (value, holds) = truth(function, condition);
                let hash = congruence::hash_of(function, value);
                by_hash.entry(hash).or_default().push((block, value, holds));
            }
        }
        let mut groups: FxHashMap<BlockId, Condition> = FxHashMap::default();
        let mut roots = Vec::new();
        for branches in by_hash.values().filter(|branches| branches.len() > 1) {
            let mut left: SmallVec<[Tested; 2]> = branches.clone();
            while let Some(&(_, first, _)) = left.first() {
                let (same, others): (Vec<_>, Vec<_>) =
                    left.iter().partition(|(_, value, _)| congruence::are_congruent(function, first, *value));
                left = others.into();
                let mut own = SmallVec::new();
                let is_bounded = congruence::roots(function, first, &mut |root| own.push(root));
                if same.len() > 1 && is_bounded {
                    groups.extend(same.iter().map(|&(block, _, holds)| (block, (roots.len(), holds))));
                    roots.push(own);
                }
            }
        }
        (!groups.is_empty()).then_some(Correlated { groups, roots })
    }

    /// Returns the condition of an edge. `None`: the edge has none, or both edges of a branch go to one block.
    fn on_edge(&self, function: &Function, from: BlockId, to: BlockId) -> Option<Condition> {
        let &(group, holds) = self.groups.get(&from)?;
        match function.blocks[from].terminator {
            Terminator::Branch { then, otherwise, .. } if then != otherwise => {
                Some((group, (to == then) == holds))
            }
            _ => None,
        }
    }
}

/// The known conditions of blocks.
struct Known {
    /// The conditions of edges that are the only ones to their ends.
    at: FxHashMap<BlockId, Condition>,
    /// For each block, the nearest block that dominates it and has such an edge. `None`: there is none.
    nearest: FxHashMap<BlockId, BlockId>,
}

impl Known {
    fn of(function: &Function, graph: &Graph, branches: &Correlated) -> Known {
        let mut known = Known { at: FxHashMap::default(), nearest: FxHashMap::default() };
        for &block in graph.dominators.order() {
            let own = match *graph.predecessors()[block] {
                [from] => branches.on_edge(function, from, block),
                _ => None,
            };
            let around = graph.dominators.immediate(block).and_then(|it| known.nearest.get(&it).copied());
            if let Some(own) = own {
                known.at.insert(block, own);
            }
            if let Some(nearest) = own.map(|_| block).or(around) {
                known.nearest.insert(block, nearest);
            }
        }
        known
    }

    fn at(&self, graph: &Graph, block: BlockId) -> SmallVec<[Condition; 4]> {
        let mut conditions = SmallVec::new();
        let mut at = self.nearest.get(&block).copied();
        while let Some(block) = at.filter(|_| conditions.len() < MAX_CONDITIONS) {
            conditions.extend(self.at.get(&block).copied());
            at = graph.dominators.immediate(block).and_then(|around| self.nearest.get(&around).copied());
        }
        conditions
    }
}

/// Returns the value that a condition tests, and whether the condition holds if that value is not zero.
fn truth(function: &Function, mut condition: ValueId) -> (ValueId, bool) {
    let mut holds = true;
    loop {
        let is_zero = |value: ValueId| match &function.values[value].op {
            Op::Constant(Constant::Zero) => true,
            Op::Constant(Constant::Integer(number)) => *number == 0,
            _ => false,
        };
        match function.values[condition].op {
            Op::Convert { conversion: Conversion::ToBool, operand } => condition = operand,
            Op::Compare { op: Comparison::NotEqual, left, right } if is_zero(right) => condition = left,
            Op::Compare { op: Comparison::Equal, left, right } if is_zero(right) => {
                condition = left;
                holds = !holds;
            }
            _ => return (condition, holds),
        }
    }
}
