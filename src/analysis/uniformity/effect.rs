//! The effect of a builtin on uniformity, according to the table of its dialect.

use super::analysis::Effect;
use super::{Divergence, Parameters};
use tangle_grammar::symbol::Symbol;
use tangle_syntax::dialect::{Argument, Builtin, Builtins, Kind, Outcome, thread_index};

/// Returns the effect of a name according to the table. None if the table has no row for it.
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
        // A sub-group may consist of several tiles.
        Some(Outcome::UniformInTile | Outcome::Divergent) | None => Divergence::Subgroup,
    };
    // An argument of an id or size selects the dimension, so the result also depends on the argument.
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
