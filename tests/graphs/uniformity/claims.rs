//! What an analysis says is uniform, as data: what the evaluator tries to contradict.

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;
use tangle_analysis::flow::{BlockId, Function, ValueId};
use tangle_analysis::uniformity::analysis::Uniformity;
use tangle_analysis::uniformity::{Fact, Parameters};
use tangle_simulate::Point;
use tangle_syntax::dialect::Scope;

/// The scopes in which something is uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Scopes(u8);

pub const SCOPES: [Scope; 3] = [Scope::Subgroup, Scope::Workgroup, Scope::Grid];

impl Scopes {
    pub const NONE: Scopes = Scopes(0);
    pub const ALL: Scopes = Scopes(Scopes::WORKGROUP.0 | 1 << Scope::Grid as u8);
    /// Threads of a subgroup agree; others may not.
    pub const SUBGROUP: Scopes = Scopes(1 << Scope::Subgroup as u8);
    /// Threads of a work-group agree.
    pub const WORKGROUP: Scopes = Scopes(Scopes::SUBGROUP.0 | 1 << Scope::Workgroup as u8);

    pub fn has(self, scope: Scope) -> bool {
        self.0 & 1 << scope as u8 != 0
    }

    /// Those in which a verdict says that threads agree.
    fn of(fact: Fact) -> Scopes {
        let agree = SCOPES.into_iter().filter(|&scope| !fact.divergence.within(scope));
        // What a pointer points to is not compared: no claim.
        if !fact.is_of_memory() { Scopes(agree.map(|scope| 1 << scope as u8).sum()) } else { Scopes::NONE }
    }

    pub fn and(self, other: Scopes) -> Scopes {
        Scopes(self.0 & other.0)
    }

    pub fn is_none(self) -> bool {
        self == Scopes::NONE
    }
}

/// What is claimed of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    /// Converged instances have equal values.
    pub values: IndexVec<ValueId, Scopes>,
    /// Converged instances of the block's end go on to the same block.
    pub branches: IndexVec<BlockId, Scopes>,
    /// Threads that entered the function together reach the block together.
    pub blocks: IndexVec<BlockId, Scopes>,
    /// Claims that hold only among threads whose arguments agree, for parameters with these numbers.
    pub given: FxHashMap<Point, Parameters>,
}

impl Claims {
    /// The same of everything.
    pub fn all(function: &Function, scopes: Scopes) -> Claims {
        Claims {
            values: index_vec![scopes; function.values.len()],
            branches: index_vec![scopes; function.blocks.len()],
            blocks: index_vec![scopes; function.blocks.len()],
            given: FxHashMap::default(),
        }
    }
}

impl From<&Uniformity> for Claims {
    /// What the analysis of `tangle` says of a function.
    fn from(facts: &Uniformity) -> Claims {
        let values = facts.values.iter_enumerated().map(|(id, fact)| (Point::Operation(id), fact.values));
        let branches = facts.branches.iter_enumerated().map(|(id, fact)| (Point::End(id), fact.values));
        let blocks = facts.control.iter_enumerated().map(|(id, fact)| (Point::Block(id), fact.values));
        Claims {
            values: facts.values.iter().map(|&fact| Scopes::of(fact)).collect(),
            branches: facts.branches.iter().map(|&fact| Scopes::of(fact)).collect(),
            blocks: facts.control.iter().map(|&fact| Scopes::of(fact)).collect(),
            given: values.chain(branches).chain(blocks).filter(|(_, given)| !given.is_empty()).collect(),
        }
    }
}
