//! The edges of a flow graph in pictures and JSON: their labels, and the edges that lead back to the header of a cycle.

use std::collections::BTreeMap;

use index_vec::IndexVec;
use tangle_analysis::flow::{BlockId, Function, Terminator};

use super::{EdgeKind, NestedCycle};

/// The maximum number of labels on a `case` edge. Further labels are only counted.
const MOST_CASES: usize = 4;

/// The innermost cycle of each block.
pub fn innermost(function: &Function, shapes: &[NestedCycle]) -> IndexVec<BlockId, Option<usize>> {
    let mut innermost: IndexVec<BlockId, Option<usize>> = function.blocks.iter().map(|_| None).collect();
    for (number, shape) in shapes.iter().enumerate() {
        // Children come later, and overwrite the cycle of their blocks.
        shape.blocks.iter().for_each(|&block| innermost[block] = Some(number));
    }
    innermost
}

/// Whether an edge leads to the header of a cycle around it.
pub fn leads_back(
    from: BlockId,
    to: BlockId,
    shapes: &[NestedCycle],
    innermost: &IndexVec<BlockId, Option<usize>>,
) -> bool {
    let mut around = innermost[from];
    while let Some(number) = around {
        if shapes[number].entries.first() == Some(&to) {
            return true;
        }
        around = shapes[number].parent;
    }
    false
}

/// The edges out of a block, one for each successor.
pub fn successors(terminator: &Terminator) -> Vec<(BlockId, EdgeKind, String)> {
    let plain = |to: BlockId, kind, label: &str| (to, kind, label.to_owned());
    match terminator {
        Terminator::Jump(to) => vec![plain(*to, EdgeKind::Jump, "")],
        Terminator::Branch { then, otherwise, .. } if then == otherwise => {
            vec![plain(*then, EdgeKind::Jump, "true, false")]
        }
        Terminator::Branch { then, otherwise, .. } => {
            vec![plain(*then, EdgeKind::True, "true"), plain(*otherwise, EdgeKind::False, "false")]
        }
        Terminator::Switch { cases, otherwise, .. } => switch(cases, *otherwise),
        Terminator::Return(_) | Terminator::Unreachable => Vec::new(),
    }
}

/// The edges out of a `switch`, one for each target block, in the order of their first labels.
fn switch(cases: &[(i128, i128, BlockId)], otherwise: BlockId) -> Vec<(BlockId, EdgeKind, String)> {
    let mut order = Vec::new();
    let mut labels: BTreeMap<BlockId, Vec<String>> = BTreeMap::new();
    for &(low, high, to) in cases {
        let labels = labels.entry(to).or_insert_with(|| {
            order.push(to);
            Vec::new()
        });
        labels.push(if low == high { low.to_string() } else { format!("{low} … {high}") });
    }
    let mut ways: Vec<(BlockId, EdgeKind, String)> = Vec::new();
    for to in order {
        let all = &labels[&to];
        let more = all.len().saturating_sub(MOST_CASES);
        let shown = all.iter().take(MOST_CASES).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let default = if to == otherwise { ", default" } else { "" };
        ways.push((to, EdgeKind::Case, format!("case {shown}{more}{default}")));
    }
    if !labels.contains_key(&otherwise) {
        ways.push((otherwise, EdgeKind::Case, "default".to_owned()));
    }
    ways
}
