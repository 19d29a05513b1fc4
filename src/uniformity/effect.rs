//! What the table of a dialect says of the value of a call.

use super::Divergence;
use super::analysis::Effect;
use crate::flow::Callee;
use crate::hir::builtins::{Builtin, Builtins};

/// What is known of a callee by its name. None: it has no row.
pub fn effect(builtins: &Builtins, callee: &Callee) -> Option<Effect> {
    callee.name().and_then(|name| builtins.get(name)).map(of_row)
}

fn of_row(row: &Builtin) -> Effect {
    let result = match row.result.as_deref() {
        Some("uniform:workgroup") => Divergence::Grid,
        Some("uniform:subgroup") => Divergence::Workgroup,
        Some("operands") => Divergence::None,
        _ => Divergence::Subgroup,
    };
    // What only names something needs to name the same.
    let is_name = matches!(row.kind.as_str(), "id" | "size");
    Effect {
        result,
        of_arguments: result == Divergence::None || is_name,
        atomic: row.kind == "atomic",
        loads: row.kind == "load",
    }
}
