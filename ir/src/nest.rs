//! The nesting of the statements of a source function, as far as token placement needs it (`docs/semantics.md` §6).
//!
//! Statements are numbered in source order: each statement precedes the statements inside it. The statements inside
//! `s` are therefore the numbers after `s` and below `stmts[s].end`. A loop over the numbers visits outer ones first.
//!
//! ```c
//! kernel void k(global int *p) { // 0
//!   for (int i = 0; p[i]; i++)   // 1: a loop; 2 is its initialisation
//!     barrier(1);                // 3: contains a call
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

/// The effect of an attribute on the convergence of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Convergence {
    /// `convergent`: the function depends on the set of threads that call it together, whatever its body contains.
    Convergent,
    /// `noconvergent`: the function does not depend on that, whatever its body contains.
    NotConvergent,
}

/// The statements of a function, as far as convergence depends on them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StmtTree {
    /// The convergence attribute of the function itself.
    pub declared: Option<Convergence>,
    /// Statement 0 is the body. Empty only if the function has no source.
    pub stmts: IndexVec<StmtId, Stmt>,
    /// The innermost statement that contains each call.
    pub calls: IndexVec<CallId, StmtId>,
}

/// A statement: its position in the nesting, and its properties that matter to convergence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// The innermost statement around this one.
    pub parent: Option<StmtId>,
    /// One past the last statement inside this one.
    pub end: StmtId,
    /// Whether the statement is a loop.
    pub is_loop: bool,
    /// Whether the implementation may choose which threads execute its convergent operations together (`noconvergent`).
    pub opportunistic: bool,
}

impl StmtTree {
    /// The body of the function.
    pub const ROOT: StmtId = StmtId { _raw: 0 };

    /// Returns, for each statement, the innermost opportunistic statement that contains it, possibly itself.
    pub fn is_noconvergent(&self) -> IndexVec<StmtId, Option<StmtId>> {
        // `else if` chains can nest very deeply, so each statement uses the result of its parent.
        let mut innermost: IndexVec<StmtId, Option<StmtId>> = IndexVec::with_capacity(self.stmts.len());
        for (id, stmt) in self.stmts.iter_enumerated() {
            let own = stmt.opportunistic.then_some(id);
            innermost.push(own.or_else(|| stmt.parent.and_then(|parent| innermost[parent])));
        }
        innermost
    }

    /// Returns whether `inner` is `outer` or inside it.
    pub fn contains(&self, outer: StmtId, inner: StmtId) -> bool {
        outer <= inner && self.stmts.get(outer).is_some_and(|outer| inner < outer.end)
    }
}
