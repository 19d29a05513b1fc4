//! The flow graphs of an item's bodies, without tokens.
//!
//! The graph of a function depends only on its item and the meanings of its names, and is shared by all units. Which calls
//! are convergent, and so the tokens, is known only in a unit ([`module`](super::module)).

use super::build::{Skeleton, build};
use super::{Function, LoopId, dispatch, heads, loops, ssa};
use tangle_hir::bodies;
use tangle_hir::scope::{Scoped, typed_body};
use tangle_syntax::db::Db;
use tangle_syntax::items::ast;

/// The treatment of irreducible cycles, and of other cycles of the graph that do not iterate as a loop of the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Irreducible {
    /// A loop of the source gets a head if it contains a convergent operation with defined convergence. Other cycles
    /// are unchanged. With inferred tokens, the same as `Dispatch`, as *Convergent Operations* requires.
    #[default]
    Auto,
    /// All cycles are unchanged. An anchor guarantees nothing, so [`Lowered::unguaranteed`](super::module::Lowered::unguaranteed) lists the affected operations.
    Anchor,
    /// As `Auto`, and all entries of each other irreducible cycle lead through one block.
    Dispatch,
}

/// Returns the graphs of an item's bodies in SSA form, without tokens.
///
/// `Auto` gives the same as `Anchor`, because only a unit determines which calls are convergent.
pub fn skeletons<'db>(
    db: &'db dyn Db,
    scoped: Scoped<'db>,
    irreducible: Irreducible,
) -> &'db TokenlessGraphs {
    // Each query has a single key: salsa never frees a key of several arguments that is interned outside a query.
    match irreducible {
        Irreducible::Auto | Irreducible::Anchor => anchored(db, scoped),
        Irreducible::Dispatch => dispatched(db, scoped),
    }
}

#[salsa::tracked]
fn anchored<'db>(db: &'db dyn Db, scoped: Scoped<'db>) -> TokenlessGraphs {
    built(db, scoped, |_| {})
}

#[salsa::tracked]
fn dispatched<'db>(db: &'db dyn Db, scoped: Scoped<'db>) -> TokenlessGraphs {
    built(db, scoped, make_reducible)
}

pub(super) fn make_reducible(function: &mut Function) {
    ssa::remove_unreachable(function);
    dispatch::dispatch(function);
}

fn built<'db>(db: &'db dyn Db, scoped: Scoped<'db>, prepare: impl Fn(&mut Function)) -> TokenlessGraphs {
    let bodies = 0..bodies(db, scoped.item(db)).0.len();
    TokenlessGraphs(bodies.map(|number| built_body(db, scoped, number, &|_| false, &prepare)).collect())
}

/// Builds the graph of one body in SSA form. All entries of the `wanted` loops are led through their heads. `prepare`
/// runs before the conversion to SSA form.
pub(super) fn built_body<'db>(
    db: &'db dyn Db,
    scoped: Scoped<'db>,
    number: usize,
    wanted: &dyn Fn(LoopId) -> bool,
    prepare: &dyn Fn(&mut Function),
) -> Option<Skeleton> {
    let item = scoped.item(db);
    let ast = ast(db, item);
    let names = scoped.names(db);
    let body = &bodies(db, item).0[number];
    let mut skeleton = build(&ast, body, &*typed_body(db, scoped, number)?, &names.names)?;
    loops::find(&mut skeleton.function, &body.nest());
    heads::insert_loop_heads(&mut skeleton.function, wanted);
    prepare(&mut skeleton.function);
    ssa::construct(&mut skeleton.function);
    Some(skeleton)
}

/// The value of [`skeletons`], in the order of the bodies. None for a block literal that is never evaluated.
#[derive(Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct TokenlessGraphs(pub Box<[Option<Skeleton>]>);
