//! Convergence regions and their overlaps.
//!
//! **Region** of a token: the points at which the token is live. They lie on paths from its definition to its uses that
//! do not pass the definition again. **Overlap**: a use of a token inside the region of another token that is defined
//! later on the path. The rule about convergence regions forbids overlaps. Tokens that are live at one point are
//! defined one after the other. So a region that contains a use of a token, but not the definition of that token,
//! belongs to a token that is defined later.
//!
//! ```text
//! %a = anchor
//! %b = anchor
//! call op() with %a     overlap: %b is live here
//! call op() with %b
//! ```
//!
//! The rule thus requires: each use is a use of the live token that was defined last. Regions are filled backwards from
//! the uses, and tokens are processed from the last definition to the first. The blocks of a filled region are then
//! merged with the block of the definition, because every token that is live in the region is live at the definition,
//! too. So no block is filled twice, at any nesting depth of regions.

use std::collections::BTreeSet;

use index_vec::{IndexVec, define_index_type, index_vec};

use super::shape::GraphAnalysis;
use super::{BlockId, Function, Op, Token, ValueId};

define_index_type! {
    /// A token definition. A definition that dominates another one has a smaller number.
    struct DefinitionId = u32;
}

/// A use of a token at a point where another token is live that was defined later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// The operation that uses the token.
    pub user: ValueId,
    /// The block of the operation.
    pub block: BlockId,
    /// The used token.
    pub token: ValueId,
    /// The token whose region contains the use.
    pub inside: ValueId,
}

/// Returns the token that an operation uses.
pub fn token_of(op: &Op) -> Option<ValueId> {
    match op {
        Op::Call(call) => call.token,
        Op::Token(Token::Loop(parent)) => Some(*parent),
        _ => None,
    }
}

/// Returns the overlaps of regions, in the order of the blocks. Tokens must dominate their uses.
pub fn overlaps(function: &Function, shape: &GraphAnalysis) -> Vec<Overlap> {
    let dominators = &shape.dominators;
    let mut definitions: IndexVec<DefinitionId, (ValueId, BlockId)> = IndexVec::new();
    let mut ranks: IndexVec<ValueId, Option<DefinitionId>> = index_vec![None; function.values.len()];
    for &block in dominators.order() {
        for &value in &function.blocks[block].values {
            if matches!(function.values[value].op, Op::Token(_)) {
                ranks[value] = Some(definitions.push((value, block)));
            }
        }
    }
    let rank_of = |value: ValueId| token_of(&function.values[value].op).and_then(|token| ranks[token]);

    // The blocks other than the definition's own block that use a token.
    let mut uses: IndexVec<DefinitionId, Vec<BlockId>> = definitions.iter().map(|_| Vec::new()).collect();
    for &block in dominators.order() {
        for rank in function.blocks[block].values.iter().filter_map(|&value| rank_of(value)) {
            if definitions[rank].1 != block && uses[rank].last() != Some(&block) {
                uses[rank].push(block);
            }
        }
    }
    let mut regions = Regions::new(function, &shape.predecessors, definitions.len());
    for rank in definitions.indices().rev() {
        regions.fill(rank, definitions[rank].1, &uses[rank]);
    }

    let mut overlaps = Vec::new();
    let mut escaping: IndexVec<BlockId, Vec<DefinitionId>> =
        function.blocks.iter().map(|_| Vec::new()).collect();
    for (rank, &(_, block)) in definitions.iter_enumerated() {
        if regions.is_live_out[rank] {
            escaping[block].push(rank);
        }
    }
    for &block in dominators.order() {
        let values = &function.blocks[block].values;
        if !values.iter().any(|&value| rank_of(value).is_some()) {
            continue;
        }
        let first = overlaps.len();
        let mut live: BTreeSet<DefinitionId> =
            escaping[block].iter().copied().chain(regions.through[block]).collect();
        for &user in values.iter().rev() {
            if let Some(rank) = ranks[user] {
                live.remove(&rank);
            }
            if let Some(rank) = rank_of(user) {
                live.insert(rank);
                if let Some(&last) = live.last()
                    && last != rank
                {
                    let (token, inside) = (definitions[rank].0, definitions[last].0);
                    overlaps.push(Overlap { user, block, token, inside });
                }
            }
        }
        overlaps[first..].reverse();
    }
    overlaps
}

struct Regions<'a> {
    predecessors: &'a IndexVec<BlockId, Vec<BlockId>>,
    /// The block that each block is merged with: the defining block of a region that contains its start (union-find).
    merged_into: IndexVec<BlockId, BlockId>,
    /// The last-defined token that is live at the end of each block and defined in another block.
    through: IndexVec<BlockId, Option<DefinitionId>>,
    /// Whether each token is live at the end of its defining block.
    is_live_out: IndexVec<DefinitionId, bool>,
    /// The token for which the beginning, and the end, of each block was last visited.
    begin: IndexVec<BlockId, Option<DefinitionId>>,
    end: IndexVec<BlockId, Option<DefinitionId>>,
}

impl<'a> Regions<'a> {
    fn new(
        function: &Function,
        predecessors: &'a IndexVec<BlockId, Vec<BlockId>>,
        tokens: usize,
    ) -> Regions<'a> {
        let count = function.blocks.len();
        Regions {
            predecessors,
            merged_into: function.blocks.indices().collect(),
            through: index_vec![None; count],
            is_live_out: index_vec![false; tokens],
            begin: index_vec![None; count],
            end: index_vec![None; count],
        }
    }

    fn find(&mut self, mut block: BlockId) -> BlockId {
        while self.merged_into[block] != block {
            let up = self.merged_into[block];
            self.merged_into[block] = self.merged_into[up];
            block = up;
        }
        block
    }

    fn fill(&mut self, rank: DefinitionId, definition: BlockId, uses: &[BlockId]) {
        // The blocks at whose end the token is live, and the blocks at whose beginning it is live.
        let (mut ends, mut begins) = (Vec::new(), Vec::new());
        let mut filled = Vec::new();
        for &block in uses {
            match self.find(block) {
                same if same == block => begins.push(block),
                first => ends.push(first),
            }
        }
        loop {
            if let Some(block) = begins.pop() {
                if block != definition && self.begin[block].replace(rank) != Some(rank) {
                    filled.push(block);
                    ends.extend(&self.predecessors[block]);
                }
            } else if let Some(block) = ends.pop() {
                if block != definition {
                    self.through[block].get_or_insert(rank);
                }
                let first = self.find(block);
                if first == definition {
                    self.is_live_out[rank] = true;
                } else if self.end[first].replace(rank) != Some(rank) {
                    self.through[first].get_or_insert(rank);
                    begins.push(first);
                }
            } else {
                break;
            }
        }
        for block in filled {
            self.merged_into[block] = definition;
        }
    }
}
