//! Convergence regions, and where they overlap.
//!
//! **Region** of a token: the points at which it is live, from its definition to the uses that are reached without passing the
//! definition again. **Overlap**: a use of a token inside the region of another one that is defined later on the way there. The rule
//! about convergence regions says that there is none: tokens that are live at one point are defined one after the other, so a region that
//! holds a use, but not the definition, is that of a token defined later.
//!
//! ```text
//! %a = anchor
//! %b = anchor
//! call op() with %a     overlap: %b is live here
//! call op() with %b
//! ```
//!
//! At each use the token that is live and was defined last must be the one used. Regions are filled backwards from the uses, those
//! defined last first. What one region fills is taken as one with the block of its definition from then on, for whatever is live there is live
//! at the definition too; so no block is filled twice, however deep regions nest.

use std::collections::BTreeSet;

use index_vec::{IndexVec, define_index_type, index_vec};

use super::shape::Shape;
use super::{BlockId, Function, Op, Token, ValueId};

define_index_type! {
    /// A token definition. Those that dominate it have smaller numbers.
    struct Rank = u32;
}

/// A use of one token where another is live that was defined later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// The operation that uses the token.
    pub user: ValueId,
    /// The block that it stands in.
    pub block: BlockId,
    /// The token that it uses.
    pub token: ValueId,
    /// The token whose region holds the use.
    pub inside: ValueId,
}

/// The token that an operation uses.
pub fn token_of(op: &Op) -> Option<ValueId> {
    match op {
        Op::Call(call) => call.token,
        Op::Token(Token::Loop(parent)) => Some(*parent),
        _ => None,
    }
}

/// Where regions overlap, in the order of the blocks. Tokens dominate their uses.
pub fn overlaps(function: &Function, shape: &Shape) -> Vec<Overlap> {
    let dominators = &shape.dominators;
    let mut definitions: IndexVec<Rank, (ValueId, BlockId)> = IndexVec::new();
    let mut ranks: IndexVec<ValueId, Option<Rank>> = index_vec![None; function.values.len()];
    for &block in dominators.order() {
        for &value in &function.blocks[block].values {
            if matches!(function.values[value].op, Op::Token(_)) {
                ranks[value] = Some(definitions.push((value, block)));
            }
        }
    }
    let rank_of = |value: ValueId| token_of(&function.values[value].op).and_then(|token| ranks[token]);

    // Blocks, outside of the definition's own, that use a token.
    let mut uses: IndexVec<Rank, Vec<BlockId>> = definitions.iter().map(|_| Vec::new()).collect();
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
    let mut escaping: IndexVec<BlockId, Vec<Rank>> = function.blocks.iter().map(|_| Vec::new()).collect();
    for (rank, &(_, block)) in definitions.iter_enumerated() {
        if regions.escapes[rank] {
            escaping[block].push(rank);
        }
    }
    for &block in dominators.order() {
        let values = &function.blocks[block].values;
        if !values.iter().any(|&value| rank_of(value).is_some()) {
            continue;
        }
        let first = overlaps.len();
        let mut live: BTreeSet<Rank> =
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
    /// The block that a block is one with: the first of a region that holds its beginning.
    one_with: IndexVec<BlockId, BlockId>,
    /// Of the tokens that are live at the end of a block and not defined in it, the last.
    through: IndexVec<BlockId, Option<Rank>>,
    /// Whether a token is live at the end of its block.
    escapes: IndexVec<Rank, bool>,
    /// The token for which the beginning, and the end, of a block were last seen.
    begin: IndexVec<BlockId, Option<Rank>>,
    end: IndexVec<BlockId, Option<Rank>>,
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
            one_with: function.blocks.indices().collect(),
            through: index_vec![None; count],
            escapes: index_vec![false; tokens],
            begin: index_vec![None; count],
            end: index_vec![None; count],
        }
    }

    fn find(&mut self, mut block: BlockId) -> BlockId {
        while self.one_with[block] != block {
            let up = self.one_with[block];
            self.one_with[block] = self.one_with[up];
            block = up;
        }
        block
    }

    fn fill(&mut self, rank: Rank, definition: BlockId, uses: &[BlockId]) {
        // Blocks at whose end the token is live, and blocks at whose beginning it is.
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
                    self.escapes[rank] = true;
                } else if self.end[first].replace(rank) != Some(rank) {
                    self.through[first].get_or_insert(rank);
                    begins.push(first);
                }
            } else {
                break;
            }
        }
        for block in filled {
            self.one_with[block] = definition;
        }
    }
}
