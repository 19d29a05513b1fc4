//! The table of builtins for the executor of flow graphs.

use tangle_grammar::symbol::Symbol;
use tangle_simulate::{Builtin, Gives, Language, Partial};

use super::builtins::Builtins;
use super::effects;
use super::row::{self, Group, Left, Outcome, Scope};

impl Language for Builtins {
    fn builtin(&self, name: Symbol) -> Option<Builtin> {
        let row = self.get(name)?;
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
        // The threads of a part of a work-group wait for the rest. A part of a sub-group executes the operation as a
        // tangle, unless the language requires the whole sub-group.
        let partial = match row.partial {
            _ if !row.convergent => Partial::Executes,
            _ if row.scope >= Scope::Workgroup => Partial::Waits,
            Some(row::Partial::Undefined) if row.group >= Group::Subgroup => Partial::Undefined,
            Some(_) | None => Partial::Executes,
        };
        let counts_returned = row.left == Left::Counted;
        Some(Builtin {
            operation: effects::of_row(name.as_str(), row),
            scope: row.scope,
            convergent: row.convergent,
            gives,
            partial,
            counts_returned,
        })
    }
}
