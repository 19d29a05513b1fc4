//! The nested cycles of a flow graph, as in pictures and JSON.
//!
//! A cycle is a strongly connected component of the graph with at least one edge. Its header is its first entry. Its
//! inner cycles are the cycles of the component without the header.

use index_vec::IndexVec;

use super::NestedCycle;
use tangle_analysis::flow::{BlockId, Function};

/// The cycles of a function, parents before children, in the order of their headers.
pub fn shapes(function: &Function) -> Vec<NestedCycle> {
    let predecessors = function.predecessors();
    let mut shapes: Vec<NestedCycle> = Vec::new();
    // The part of the remaining work that each block belongs to. Edges between parts are ignored.
    let mut part: IndexVec<BlockId, usize> = function.blocks.iter().map(|_| 0).collect();
    let mut parts = 1;
    let mut todo: Vec<(Vec<BlockId>, Option<usize>)> = vec![(function.blocks.indices().collect(), None)];
    let mut next = 0;
    while let Some((blocks, parent)) =
        todo.get_mut(next).map(|(blocks, parent)| (std::mem::take(blocks), *parent))
    {
        next += 1;
        let mut found: Vec<Vec<BlockId>> = components(function, &blocks, &part)
            .into_iter()
            .map(|mut blocks| {
                blocks.sort_unstable();
                blocks
            })
            .filter(|blocks| {
                blocks.len() > 1 || function.blocks[blocks[0]].terminator.successors().contains(&blocks[0])
            })
            .collect();
        found.sort_unstable();
        for blocks in found {
            blocks.iter().for_each(|&block| part[block] = parts);
            let outside = |block: &BlockId| {
                *block == Function::ENTRY || predecessors[*block].iter().any(|from| part[*from] != parts)
            };
            let entries: Vec<BlockId> = blocks.iter().copied().filter(outside).collect();
            // An unreachable cycle has no entry, so its first block is the header.
            let header = entries.first().copied().unwrap_or(blocks[0]);
            part[header] = usize::MAX;
            let inside = blocks.iter().copied().filter(|&block| block != header).collect();
            todo.push((inside, Some(shapes.len())));
            parts += 1;
            shapes.push(NestedCycle { parent, entries, blocks });
        }
    }
    shapes
}

/// The strongly connected components of some blocks, by edges within one part (Tarjan's algorithm, without recursion).
fn components(function: &Function, blocks: &[BlockId], part: &IndexVec<BlockId, usize>) -> Vec<Vec<BlockId>> {
    const NEW: usize = usize::MAX;
    let count = function.blocks.len();
    let mut number: IndexVec<BlockId, usize> = IndexVec::from_vec(vec![NEW; count]);
    let mut low: IndexVec<BlockId, usize> = number.clone();
    let mut on_stack: IndexVec<BlockId, bool> = IndexVec::from_vec(vec![false; count]);
    let (mut stack, mut components, mut next) = (Vec::new(), Vec::new(), 0);
    for &root in blocks {
        let mut walk: Vec<(BlockId, Vec<BlockId>)> = Vec::new();
        let mut enter = Some(root).filter(|&root| number[root] == NEW);
        loop {
            if let Some(block) = enter.take() {
                (number[block], low[block], on_stack[block]) = (next, next, true);
                next += 1;
                stack.push(block);
                let mut successors = function.blocks[block].terminator.successors().into_vec();
                successors.retain(|&to| part[to] == part[block]);
                walk.push((block, successors));
            }
            let Some((block, successors)) = walk.last_mut() else { break };
            let block = *block;
            match successors.pop() {
                Some(to) if number[to] == NEW => enter = Some(to),
                Some(to) if on_stack[to] => low[block] = low[block].min(number[to]),
                Some(_) => {}
                None => {
                    walk.pop();
                    if let Some((before, _)) = walk.last() {
                        low[*before] = low[*before].min(low[block]);
                    }
                    if low[block] == number[block] {
                        let from = stack.iter().rposition(|&other| other == block).unwrap_or(0);
                        let component: Vec<BlockId> = stack.drain(from..).collect();
                        component.iter().for_each(|&block| on_stack[block] = false);
                        components.push(component);
                    }
                }
            }
        }
    }
    components
}
