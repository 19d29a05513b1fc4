//! The functions that a declaration marks as `const` or `pure`: they only compute a result.
//!
//! ```c
//! __attribute__((const)) int scale(int);  // the result is as divergent as the argument; the call writes nothing
//! ```

use rustc_hash::FxHashSet;
use tangle_grammar::symbol::Symbol;

use tangle_hir::declared;
use tangle_hir::scope::{Segment, segment_items, segments};
use tangle_syntax::db::Db;
use tangle_syntax::source::{Settings, SourceFile};

/// Returns the names of the functions that a segment declares `const` or `pure`. All units that begin with it share
/// this.
#[salsa::tracked]
fn of_segment<'db>(db: &'db dyn Db, segment: Segment<'db>) -> Box<[Symbol]> {
    db.depends_on_text();
    let items = segment_items(db, segment).iter();
    let functions = items.flat_map(|&(scoped, _)| &declared(db, scoped.item(db)).functions);
    functions.filter(|function| function.pure).map(|function| function.name).collect()
}

/// Returns the names of the functions that a unit declares `const` or `pure`.
#[salsa::tracked(lru = 16)]
pub fn pure(db: &dyn Db, file: SourceFile, settings: Settings) -> FxHashSet<Symbol> {
    let segments = segments(db, file, settings).into_iter();
    segments.flat_map(|(_, segment)| of_segment(db, segment).iter().copied()).collect()
}
