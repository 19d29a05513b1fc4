//! The functions that a segment defines, as far as the segment alone decides.

use tangle_ir::key::FunctionKey;
use tangle_ir::uniformity::Launch;

use tangle_hir::body::Body;
use tangle_hir::scope::{Scoped, Segment, segment_items, typed};
use tangle_hir::{bodies, declared};
use tangle_syntax::db::Db;

/// A function definition or block literal, with the facts that depend on its segment alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Defined<'db> {
    pub scoped: Scoped<'db>,
    /// The first origin of its item in the segment's chunk.
    pub first: u32,
    pub key: FunctionKey,
    /// The number of its body in the item.
    pub body: u32,
    pub kernel: bool,
    /// Whether it is `static` or `inline`.
    pub internal: bool,
    /// Whether it is a block literal inside a function.
    pub block: bool,
    /// The launch sizes from the attributes of its declaration.
    pub launch: Launch,
}

/// Finds the function definitions of a segment, and the block literals in them, in source order. All units that begin
/// with the segment share this.
#[salsa::tracked]
pub fn defined<'db>(db: &'db dyn Db, segment: Segment<'db>) -> Box<[Defined<'db>]> {
    db.depends_on_text();
    let mut found = Vec::new();
    for &(scoped, first) in segment_items(db, segment) {
        let source = scoped.item(db);
        let declared = &declared(db, source).functions;
        if !declared.iter().any(|function| function.defined) {
            continue;
        }
        let keys = &typed(db, scoped).keys;
        for ((number, body), &key) in (0..).zip(&bodies(db, source).0).zip(keys) {
            let function = declared.iter().find(|function| function.name == key.name && function.defined);
            let internal = function.is_some_and(|function| function.internal);
            let Body { kernel, block, launch, .. } = *body;
            found.push(Defined { scoped, first, key, body: number, kernel, internal, block, launch });
        }
    }
    found.into()
}
