//! The table of builtins, as the executor of flow graphs asks it.

use tangle_grammar::symbol::Symbol;
use tangle_simulate::{Builtin, Gives, Language, Partial};

use super::builtins::Builtins;
use super::row::{self, Group, Kind, Left, Outcome, Scope};

impl Language for Builtins {
    fn builtin(&self, name: Symbol) -> Option<Builtin> {
        let row = self.get(name)?;
        let kind = match row.kind {
            Some(Kind::Id | Kind::Size) => tangle_simulate::Kind::Place,
            Some(Kind::Atomic) => tangle_simulate::Kind::Atomic,
            Some(Kind::Load) => tangle_simulate::Kind::Load,
            Some(Kind::Store) => tangle_simulate::Kind::Store,
            Some(Kind::Fence) => tangle_simulate::Kind::Fence,
            Some(Kind::Barrier) => tangle_simulate::Kind::Barrier,
            _ => tangle_simulate::Kind::Other,
        };
        let gives = match row.result {
            Some(
                Outcome::UniformInCluster
                | Outcome::DivergentInCluster
                | Outcome::UniformInWorkgroup
                | Outcome::UniformInSubgroup,
            ) => Gives::Uniform,
            Some(Outcome::Operands) => Gives::Operands,
            Some(Outcome::UniformInTile | Outcome::Divergent) | None => Gives::Divergent,
        };
        // A part of a work-group waits for the rest. A part of a sub-group is a tangle, unless the language wants the whole.
        let partial = match row.partial {
            _ if !row.convergent => Partial::Executes,
            _ if row.scope >= Scope::Workgroup => Partial::Waits,
            Some(row::Partial::Undefined) if row.group >= Group::Subgroup => Partial::Undefined,
            Some(_) | None => Partial::Executes,
        };
        let counts_returned = row.left == Left::Counted;
        let place = row.index.as_deref().map(Symbol::intern);
        Some(Builtin {
            kind,
            place,
            scope: row.scope,
            convergent: row.convergent,
            gives,
            partial,
            counts_returned,
        })
    }
}
