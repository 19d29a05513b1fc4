//! What the table of a dialect says of the value of a call.

use super::analysis::Effect;
use super::{Divergence, Index, Parameters};
use crate::dialect::{Argument, Builtin, Builtins, Kind, Outcome};
use tangle_grammar::symbol::Symbol;

/// What a table says of a name. None: it has no row.
pub fn effect(builtins: &Builtins, name: Symbol) -> Option<Effect> {
    let row = builtins.get(name)?;
    Some(Effect { index: index(row.index.as_deref().unwrap_or(name.as_str())), ..of_row(row) })
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

/// Which number of a thread a builtin of OpenCL C gives.
fn index(name: &str) -> Option<Index> {
    Some(match name {
        "get_local_id" => Index::Local,
        "get_local_linear_id" => Index::LocalLinear,
        "get_global_id" => Index::Global,
        "get_sub_group_local_id" => Index::Lane,
        "get_max_sub_group_size" => Index::SubGroupSize,
        "get_local_size" => Index::LocalSize,
        "get_local_linear_size" => Index::LocalLinearSize,
        "get_global_size" => Index::GlobalSize,
        _ => return None,
    })
}
