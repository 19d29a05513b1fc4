//! Atomics that take locks.

use tangle_analysis::flow::{Call, Function};
use tangle_analysis::uniformity::address::constant;
use tangle_syntax::dialect::Builtins;

/// Whether a call is an atomic that may take a lock: the arguments that decide this are constants.
pub(crate) fn may_take_lock(builtins: &Builtins, function: &Function, call: &Call) -> bool {
    let row = call.callee.row().and_then(|name| builtins.get(name));
    row.and_then(|row| row.takes_lock).is_some_and(|first| {
        let from = call.arguments.iter().skip(first.0.into());
        from.into_iter().all(|(argument, _)| constant(function, *argument).is_some())
    })
}
