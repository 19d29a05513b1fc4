//! Verdicts of the model `revised`, by SEMANTICS §4 (a) to (e), from the positions of statements only.
//!
//! - *irreducible* loop: a `goto` or `switch` outside the loop statement jumps to a label inside it. (a)
//! - *span* of a `goto` that jumps back: from the label to the `goto`, in source order. (b)
//!
//! ```c
//! L: op1();            // in the span: implementation-defined
//! if (a) {
//!     if (b) goto L;
//!     op2();           // inherited: the `if` is in the span, so the set of threads in it is implementation-defined
//! (d) }
//! while (c) op3();     // defined
//! ```
//!
//! An operation is implementation-defined if a span contains it or the beginning of an enclosing statement, or if an
//! irreducible loop contains it. A jump that no thread reaches does not count.

use std::collections::BTreeMap;

use tangle_referees::random::shape::{Program, StatementKind};

/// Returns the verdict on each reachable operation; true means implementation-defined.
pub fn implementation_defined(program: &Program) -> BTreeMap<u32, bool> {
    let mut jumps = Vec::new();
    for (place, statement) in program.statements.iter().enumerate() {
        match statement.kind {
            _ if !program.reachable[place] => {}
            StatementKind::Goto(label) => jumps.push((place, label)),
            StatementKind::Switch(switch) => {
                jumps.extend(program.landings(switch).map(|label| (place, label)))
            }
            _ => {}
        }
    }
    let in_span = |at: usize| jumps.iter().any(|&(jump, label)| label <= at && at <= jump);
    let irreducible =
        |at| jumps.iter().any(|&(jump, label)| program.contains(at, label) && !program.contains(at, jump));
    let operations = program.operations().filter(|&(_, place)| program.reachable[place]);
    let around = |place: usize| {
        std::iter::successors(Some(place), |&at| (at > 0).then(|| program.statements[at].parent))
    };
    let verdict = |place| around(place).any(&in_span) || program.loops(place).any(irreducible);
    operations.map(|(op, place)| (op, verdict(place))).collect()
}
