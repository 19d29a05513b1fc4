//! What the table of a dialect says of the value of a call.

use super::Divergence;
use super::analysis::Effect;
use crate::dialect::{Builtin, Builtins, Kind, Outcome};
use crate::flow::Callee;

/// What is known of a callee by its name. None: it has no row.
pub fn effect(builtins: &Builtins, callee: &Callee) -> Option<Effect> {
    callee.name().and_then(|name| builtins.get(name)).map(of_row)
}

fn of_row(row: &Builtin) -> Effect {
    let result = match row.result {
        Some(Outcome::UniformInWorkgroup) => Divergence::Grid,
        Some(Outcome::UniformInSubgroup) => Divergence::Workgroup,
        Some(Outcome::Operands) => Divergence::None,
        Some(Outcome::Divergent) | None => Divergence::Subgroup,
    };
    // What only names something needs to name the same.
    let is_name = matches!(row.kind, Some(Kind::Id | Kind::Size));
    Effect {
        result,
        of_arguments: result == Divergence::None || is_name,
        atomic: row.kind == Some(Kind::Atomic),
        loads: row.kind == Some(Kind::Load),
    }
}
