//! How the statements of a source nest: what token placement has to know of them (`docs/semantics.md` §6).
//!
//! Statements are numbered in source order, each before the statements that it holds. So the statements inside `s` are the numbers from
//! `s` up to `stmts[s].end`, and a loop over the numbers is a walk from the outside in.
//!
//! ```c
//! kernel void k(global int *p) { // 0
//!   for (int i = 0; p[i]; i++)   // 1: a loop; 2 is what it does first
//!     barrier(1);                // 3, with a call
//! }
//! ```

use index_vec::{IndexVec, define_index_type};

define_index_type! {
    /// A statement of one function, in source order.
    pub struct StmtId = u32;
}
define_index_type! {
    /// A call of one function, in source order.
    pub struct CallId = u32;
}

/// What an attribute says of a function's convergence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Convergence {
    /// `convergent`: the threads that call it together matter, whatever it holds.
    Convergent,
    /// `noconvergent`: they do not, whatever it holds.
    NotConvergent,
}

/// The statements of a function, as far as convergence depends on them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nest {
    /// What is declared of the function itself.
    pub declared: Option<Convergence>,
    /// Never empty where the function has a source: the first is its body.
    pub stmts: IndexVec<StmtId, Stmt>,
    /// The statement that each call stands in.
    pub calls: IndexVec<CallId, StmtId>,
}

/// A statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// The statement around it.
    pub parent: Option<StmtId>,
    /// One past the last statement inside this one.
    pub end: StmtId,
    /// It is a loop.
    pub iterates: bool,
    /// It is left open which threads execute its convergent operations together (`noconvergent`).
    pub opportunistic: bool,
}

impl Nest {
    /// The body of the function.
    pub const ROOT: StmtId = StmtId { _raw: 0 };

    /// For each statement, the innermost one around it, or itself, that is opportunistic.
    pub fn opportunistic(&self) -> IndexVec<StmtId, Option<StmtId>> {
        // Statements nest as deep as `else if` chains are long, so each looks no further than to the one around it.
        let mut innermost: IndexVec<StmtId, Option<StmtId>> = IndexVec::with_capacity(self.stmts.len());
        for (id, stmt) in self.stmts.iter_enumerated() {
            let own = stmt.opportunistic.then_some(id);
            innermost.push(own.or_else(|| stmt.parent.and_then(|parent| innermost[parent])));
        }
        innermost
    }

    /// Whether `inner` is `outer` or inside it.
    pub fn contains(&self, outer: StmtId, inner: StmtId) -> bool {
        outer <= inner && self.stmts.get(outer).is_some_and(|outer| inner < outer.end)
    }
}
