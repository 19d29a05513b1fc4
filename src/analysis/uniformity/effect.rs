//! What the table of a dialect says of the value of a call.

use super::analysis::Effect;
use super::{Divergence, Parameters};
use tangle_grammar::symbol::Symbol;
use tangle_syntax::dialect::{Argument, Builtin, Builtins, Kind, Outcome, thread_index};

/// What a table says of a name. None: it has no row.
pub fn effect(builtins: &Builtins, name: Symbol) -> Option<Effect> {
    let row = builtins.get(name)?;
    Some(Effect { index: thread_index(name, row), ..of_row(row) })
}

fn of_row(row: &Builtin) -> Effect {
    let result = match row.result {
        Some(Outcome::UniformInCluster | Outcome::UniformInWorkgroup) => Divergence::Grid,
        Some(Outcome::DivergentInCluster) => Divergence::Cluster,
        Some(Outcome::UniformInSubgroup) => Divergence::Workgroup,
        Some(Outcome::Operands) => Divergence::None,
        // A sub-group has several tiles.
        Some(Outcome::UniformInTile | Outcome::Divergent) | None => Divergence::Subgroup,
    };
    // What only names something needs to name the same.
    let is_name = matches!(row.kind, Some(Kind::Id | Kind::Size));
    Effect {
        result,
        of_arguments: result == Divergence::None || is_name,
        of_argument: row.mask.map(|mask| mask.0.into()),
        moved: row.value.map(|value| (value.0.into(), row.lane.map(|lane| lane.0.into()))),
        alike: (alike(&row.same), Divergence::uniform_in(row.scope)),
        atomic: row.kind == Some(Kind::Atomic),
        loads: row.kind == Some(Kind::Load),
        index: None,
    }
}

fn alike(arguments: &[Argument]) -> Parameters {
    arguments.iter().map(|it| Parameters::one(it.0.into())).fold(Parameters::NONE, Parameters::union)
}
