//! The effect of a builtin on uniformity, according to the table of its dialect.

use super::analysis::BuiltinEffect;
use super::{Divergence, Parameters};
use tangle_grammar::symbol::Symbol;
use tangle_ir::operation::Operation;
use tangle_syntax::dialect::{Argument, Builtin, BuiltinKind, Builtins, ResultUniformity, thread_index};

/// Returns the effect of a name according to the table. None if the table has no row for it.
pub fn effect(builtins: &Builtins, name: Symbol) -> Option<BuiltinEffect> {
    let row = builtins.get(name)?;
    let of_tile = match builtins.operation(name) {
        Some(Operation::Collective(of)) if row.result == Some(ResultUniformity::UniformInTile) => of.tile,
        _ => None,
    };
    let of_tile = of_tile.map(usize::from);
    Some(BuiltinEffect { index: thread_index(name, row), of_tile, ..of_row(row) })
}

fn of_row(row: &Builtin) -> BuiltinEffect {
    let result = match row.result {
        Some(ResultUniformity::UniformInCluster | ResultUniformity::UniformInWorkgroup) => Divergence::Grid,
        Some(ResultUniformity::DivergentInCluster) => Divergence::Cluster,
        Some(ResultUniformity::UniformInSubgroup) => Divergence::Workgroup,
        Some(ResultUniformity::Operands) => Divergence::None,
        // A sub-group may consist of several tiles.
        Some(ResultUniformity::UniformInTile | ResultUniformity::Divergent) | None => Divergence::Subgroup,
    };
    // An argument of an id or size selects the dimension, so the result also depends on the argument.
    let is_name = matches!(row.kind, Some(BuiltinKind::Id | BuiltinKind::Size));
    BuiltinEffect {
        result,
        of_arguments: result == Divergence::None || is_name,
        of_argument: row.mask.map(|mask| mask.0.into()),
        moved: row.value.map(|value| (value.0.into(), row.lane.map(|lane| lane.0.into()))),
        alike: (uniform_arguments(&row.same), Divergence::uniform_in(row.scope)),
        atomic: row.kind == Some(BuiltinKind::Atomic),
        loads: row.kind == Some(BuiltinKind::Load),
        index: None,
        of_tile: None,
    }
}

fn uniform_arguments(arguments: &[Argument]) -> Parameters {
    arguments.iter().map(|it| Parameters::one(it.0.into())).fold(Parameters::NONE, Parameters::union)
}
