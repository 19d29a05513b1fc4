//! The table of builtins for the executor of flow graphs.

use tangle_grammar::symbol::Symbol;
use tangle_simulate::{Builtin, Language, NamedThreads, Operation, PartialArrival};

use super::builtins::Builtins;
use super::effects;
use super::row::{self, ExitedThreads, Group, MeetingPoint, ResultUniformity, Scope};

impl Builtins {
    /// Returns the operation of a builtin that has a row.
    pub fn operation(&self, name: Symbol) -> Option<Operation> {
        self.get(name).map(|row| effects::of_row(name.as_str(), row))
    }
}

impl Language for Builtins {
    fn builtin(&self, name: Symbol) -> Option<Builtin> {
        let row = self.get(name)?;
        let gives = match row.result {
            Some(
                ResultUniformity::UniformInCluster
                | ResultUniformity::DivergentInCluster
                | ResultUniformity::UniformInWorkgroup
                | ResultUniformity::UniformInSubgroup,
            ) => tangle_simulate::ResultUniformity::Uniform,
            Some(ResultUniformity::Operands) => tangle_simulate::ResultUniformity::Operands,
            Some(ResultUniformity::UniformInTile | ResultUniformity::Divergent) | None => {
                tangle_simulate::ResultUniformity::Divergent
            }
        };
        // The threads of a part of a work-group wait for the rest. A part of a sub-group executes the operation as a
        // tangle, unless the language requires the whole sub-group.
        let partial = match row.partial {
            _ if !row.convergent => PartialArrival::Executes,
            _ if row.scope >= Scope::Workgroup => PartialArrival::Waits,
            Some(row::PartialExecution::Undefined) if row.group >= Group::Subgroup => {
                PartialArrival::Undefined
            }
            Some(_) | None => PartialArrival::Executes,
        };
        let counts_returned = row.left == ExitedThreads::Counted;
        let operation = effects::of_row(name.as_str(), row);
        let tile = match operation {
            Operation::Barrier(barrier) => barrier.tile,
            Operation::Collective(collective) => collective.tile,
            _ => None,
        };
        let names = (row.masked || tile.is_some()).then(|| NamedThreads {
            mask: row.mask.map(|argument| argument.0),
            tile,
            anywhere: row.meets == MeetingPoint::Anywhere,
        });
        Some(Builtin {
            operation,
            scope: row.scope,
            convergent: row.convergent,
            gives,
            partial,
            counts_returned,
            names,
        })
    }
}
