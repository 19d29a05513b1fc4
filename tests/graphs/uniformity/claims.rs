//! The verdicts "uniform" of an analysis as data, which executions try to contradict.

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;
use tangle_analysis::flow::{BlockId, Function, ValueId};
use tangle_analysis::uniformity::analysis::Uniformity;
use tangle_analysis::uniformity::{Fact, Parameters};
use tangle_simulate::Point;
use tangle_syntax::dialect::Scope;

/// The scopes where a value, branch or block is uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Scopes(u8);

pub const SCOPES: [Scope; 3] = [Scope::Subgroup, Scope::Workgroup, Scope::Grid];

impl Scopes {
    pub const NONE: Scopes = Scopes(0);
    pub const ALL: Scopes = Scopes(Scopes::WORKGROUP.0 | 1 << Scope::Grid as u8);
    /// Uniform in each subgroup.
    pub const SUBGROUP: Scopes = Scopes(1 << Scope::Subgroup as u8);
    /// Uniform in each work-group.
    pub const WORKGROUP: Scopes = Scopes(Scopes::SUBGROUP.0 | 1 << Scope::Workgroup as u8);

    pub fn has(self, scope: Scope) -> bool {
        self.0 & 1 << scope as u8 != 0
    }

    /// Returns the scopes where a fact says "uniform".
    fn of(fact: Fact) -> Scopes {
        let agree = SCOPES.into_iter().filter(|&scope| !fact.divergence.within(scope));
        // The contents of memory are not compared, so a fact about them makes no claim.
        if !fact.depends_on_pointees() {
            Scopes(agree.map(|scope| 1 << scope as u8).sum())
        } else {
            Scopes::NONE
        }
    }

    pub fn and(self, other: Scopes) -> Scopes {
        Scopes(self.0 & other.0)
    }

    pub fn is_none(self) -> bool {
        self == Scopes::NONE
    }
}

/// The claims about one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    /// In these scopes, converged instances have equal values.
    pub values: IndexVec<ValueId, Scopes>,
    /// In these scopes, converged instances of the block's end continue with the same block.
    pub branches: IndexVec<BlockId, Scopes>,
    /// In these scopes, threads that entered the function together reach the block together.
    pub blocks: IndexVec<BlockId, Scopes>,
    /// Claims that hold only among threads with equal arguments, each with the numbers of these parameters.
    pub given: FxHashMap<Point, Parameters>,
}

impl Claims {
    /// Returns the same claims for all values, branches and blocks.
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
    /// Converts the facts that the analysis of `tangle` found for a function.
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
