//! Finds ancestors of a statement in a logarithmic number of steps.
//!
//! Stacked labels and `else if` nest as deep as the source is long. A search from parent to parent for each jump would
//! take quadratic time. So each statement stores one *far* ancestor besides its parent: a skew-binary skip list along
//! each path to the root.

use index_vec::IndexVec;

use tangle_hir::body::{Body, StmtId};

pub struct Ancestors {
    depth: IndexVec<StmtId, u32>,
    far: IndexVec<StmtId, StmtId>,
    /// The innermost loop around each statement, the statement itself excluded.
    loops: IndexVec<StmtId, Option<StmtId>>,
}

impl Ancestors {
    pub fn of(body: &Body) -> Ancestors {
        let mut ancestors = Ancestors {
            depth: IndexVec::with_capacity(body.stmts.len()),
            far: IndexVec::with_capacity(body.stmts.len()),
            loops: IndexVec::with_capacity(body.stmts.len()),
        };
        for stmt in &body.stmts {
            let Ancestors { depth, far, loops } = &mut ancestors;
            let (own_depth, own_far, around) = match stmt.parent {
                None => (0, Body::ROOT, None),
                Some(parent) => {
                    let next = far[parent];
                    let same_strides = depth[parent] - depth[next] == depth[next] - depth[far[next]];
                    let around = if body.stmts[parent].kind.is_loop() { Some(parent) } else { loops[parent] };
                    (depth[parent] + 1, if same_strides { far[next] } else { parent }, around)
                }
            };
            depth.push(own_depth);
            far.push(own_far);
            loops.push(around);
        }
        ancestors
    }

    /// Returns the smallest statement that contains both.
    pub fn smallest_containing(&self, body: &Body, a: StmtId, b: StmtId) -> StmtId {
        if body.contains(a, b) {
            return a;
        }
        let part = self.largest_without(body, a, b);
        body.stmts[part].parent.expect("the root contains every statement")
    }

    /// Returns the largest statement that contains `inner` but not `apart`, or `inner` if it contains `apart`.
    pub fn largest_without(&self, body: &Body, inner: StmtId, apart: StmtId) -> StmtId {
        let mut part = inner;
        loop {
            let far = self.far[part];
            match body.stmts[part].parent {
                _ if !body.contains(far, apart) => part = far,
                Some(parent) if !body.contains(parent, apart) => part = parent,
                _ => return part,
            }
        }
    }

    /// Returns the innermost loop around a statement, the statement itself excluded.
    pub fn loop_around(&self, inner: StmtId) -> Option<StmtId> {
        self.loops[inner]
    }

    /// Returns the loops around `inner` that do not contain `apart`, innermost first.
    pub fn loops_without<'a>(
        &'a self,
        body: &'a Body,
        inner: StmtId,
        apart: StmtId,
    ) -> impl Iterator<Item = StmtId> + 'a {
        std::iter::successors(self.loops[inner], |&around| self.loops[around])
            .take_while(move |&around| !body.contains(around, apart))
    }
}
