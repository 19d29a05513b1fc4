//! What an analysis says is uniform, as data: what the evaluator tries to contradict.

use index_vec::{IndexVec, index_vec};
use tangle::flow::{BlockId, Function, Module, ValueId};
use tangle::hir::builtins::Scope;

/// The scopes in which something is uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Scopes(u8);

pub const SCOPES: [Scope; 3] = [Scope::Subgroup, Scope::Workgroup, Scope::Grid];

impl Scopes {
    pub const NONE: Scopes = Scopes(0);
    pub const ALL: Scopes = Scopes(14);
    /// Threads of a subgroup agree; others may not.
    pub const SUBGROUP: Scopes = Scopes(1 << Scope::Subgroup as u8);
    /// Threads of a work-group agree.
    pub const WORKGROUP: Scopes = Scopes(Scopes::SUBGROUP.0 | 1 << Scope::Workgroup as u8);

    pub fn has(self, scope: Scope) -> bool {
        self.0 & 1 << scope as u8 != 0
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
}

impl Claims {
    /// The same of everything.
    pub fn all(function: &Function, scopes: Scopes) -> Claims {
        Claims {
            values: index_vec![scopes; function.values.len()],
            branches: index_vec![scopes; function.blocks.len()],
            blocks: index_vec![scopes; function.blocks.len()],
        }
    }
}

/// An analysis: the claims for each function of a module, in order.
pub type Analysis<'a> = &'a (dyn Fn(&Module) -> Vec<Claims> + Sync);
