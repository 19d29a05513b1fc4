//! Finds the lanes that reach the blocks of a function: one pass in reverse post-order over the edges of its branches.

use super::flow::ReachingLanes;
use super::{Warp, WarpInputs};
use crate::flow::{BlockId, Function, Terminator};

impl Warp<'_> {
    pub(super) fn find_reaching_lanes(&mut self) {
        let graph = self.inputs.graph;
        for &block in graph.dominators.order() {
            let mut here = match block == Function::ENTRY {
                true => ReachingLanes::of_all(self.flow.all),
                false => self.entering(block),
            };
            if let Some(before) =
                graph.dominators.immediate(block).filter(|&it| self.always_follows(block, it))
            {
                let before = self.flow.blocks[before];
                here.surely |= before.surely & here.possibly;
                here.always |= before.always & here.possibly;
            }
            self.flow.blocks[block] = here;
            for (to, lanes) in self.leaving(block, here) {
                let edge = self.flow.edges.entry((block, to)).or_default();
                *edge = edge.union(lanes);
            }
        }
    }

    /// Returns the lanes that reach a block by its forward edges.
    fn entering(&self, block: BlockId) -> ReachingLanes {
        let before = self.inputs.graph.predecessors()[block].iter();
        let forward = before.filter(|&&from| self.is_forward(from, block));
        ReachingLanes::joined(forward.map(|&from| self.flow.on_edge(from, block)))
    }

    pub(super) fn is_forward(&self, from: BlockId, to: BlockId) -> bool {
        let position = |block| self.inputs.graph.dominators.position(block);
        position(from) < position(to)
    }

    /// Whether each thread that reaches the block `before`, which dominates `block`, reaches `block` afterwards: no
    /// branch between the two leads past `block`.
    fn always_follows(&self, block: BlockId, before: BlockId) -> bool {
        let WarpInputs { function, graph, .. } = self.inputs;
        graph.controllers[block].iter().all(|&branch| {
            let is_between =
                graph.dominators.dominates(before, branch) && !graph.dominators.dominates(block, branch);
            !is_between || function.blocks[branch].terminator.successors().len() < 2
        })
    }

    /// Returns the lanes that leave a block by each of its edges.
    fn leaving(&mut self, block: BlockId, here: ReachingLanes) -> Vec<(BlockId, ReachingLanes)> {
        let terminator = &self.inputs.function.blocks[block].terminator;
        let (value, choices) = match terminator {
            Terminator::Branch { condition, then, otherwise } => {
                (*condition, vec![(*then, None), (*otherwise, Some((0, 0)))])
            }
            Terminator::Switch { value, cases, otherwise } => {
                let cases = cases.iter().map(|&(first, last, to)| (to, Some((first, last))));
                (*value, cases.chain([(*otherwise, None)]).collect())
            }
            _ => return terminator.successors().into_iter().map(|to| (to, here)).collect(),
        };
        if here == ReachingLanes::default() {
            return choices.into_iter().map(|(to, _)| (to, here)).collect();
        }
        let is_branch = matches!(terminator, Terminator::Branch { .. });
        let values = self.values(value);
        let is_same =
            values.shared.is_some() && values.is_uniform() && !self.has_left_apart(value, None, block);
        let is_divergent = !is_same && (self.inputs.is_divergent)(block);
        // The lanes of each edge, and the lanes whose value is unknown.
        let mut known: Vec<u64> = vec![0; choices.len()];
        let mut open = 0;
        for lane in 0..self.size as usize {
            let value = values.at(lane);
            let decided = if is_branch { value.is_true().map(i128::from) } else { value.exact() };
            match decided {
                Some(number) => {
                    let is_meant = |range: &Option<(i128, i128)>| {
                        range.is_some_and(|(first, last)| (first..=last).contains(&number))
                    };
                    let chosen = choices.iter().position(|(_, range)| is_meant(range));
                    let chosen = chosen.or_else(|| choices.iter().position(|(_, range)| range.is_none()));
                    known[chosen.unwrap_or_default()] |= 1 << lane;
                }
                None => open |= 1 << lane,
            }
        }
        if is_divergent && here.possibly & open != 0 {
            self.flow.undecided.insert(block);
        }
        let edges = choices.iter().zip(known).map(|(&(to, _), known)| {
            let surely = if is_divergent { known } else { known | open };
            let possibly = here.possibly & (known | open);
            (to, ReachingLanes { surely: here.surely & surely, possibly, always: here.always & known })
        });
        edges.collect()
    }
}
