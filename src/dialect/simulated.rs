//! The table of builtins, as the executor of flow graphs asks it.

use tangle_grammar::symbol::Symbol;
use tangle_simulate::{Builtin, Gives, Language};

use super::builtins::Builtins;
use super::row::{Kind, Outcome, Scope};

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
        // What the work-group executes has no meaning for a part of it; of a sub-group, those who come are a tangle.
        let needs_all = row.convergent && row.scope >= Scope::Workgroup;
        Some(Builtin { kind, scope: row.scope, convergent: row.convergent, gives, needs_all })
    }
}
