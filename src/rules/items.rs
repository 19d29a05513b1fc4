//! The items of a unit that rules may report.

use tangle_analysis::tangle::patterns::patterns_of;
use tangle_analysis::tangle::{Model, doubtful_calls};
use tangle_hir::bodies;
use tangle_hir::scope::{Scoped, Segment, segment_items, segments};
use tangle_syntax::db::Db;
use tangle_syntax::items::{Item, parse};
use tangle_syntax::source::{Settings, SourceFile};

/// Returns the items of a segment with a problem, a doubt or a pattern: usually few. Units that begin with the same
/// headers share the result.
#[salsa::tracked]
pub(crate) fn relevant_items<'db>(
    db: &'db dyn Db,
    segment: Segment<'db>,
    model: Model,
) -> Box<[(Scoped<'db>, u32)]> {
    db.depends_on_text();
    let concerned = |item| {
        let parsed = parse(db, item);
        !parsed.errors.is_empty()
            || !parsed.opaque.is_empty()
            || !parsed.unknown_words.is_empty()
            || bodies(db, item).0.iter().any(|body| !body.problems.is_empty())
            || !doubtful_calls(db, item, model).is_empty()
            || !patterns_of(db, item).0.is_empty()
    };
    let items = segment_items(db, segment).iter().copied();
    items.filter(|&(scoped, _)| concerned(scoped.item(db))).collect()
}

/// Returns the bodies of a unit with doubtful calls, once for each such call: the item and the number of the body.
pub(crate) fn bodies_with_doubts<'db>(
    db: &'db dyn Db,
    file: SourceFile,
    settings: Settings,
    model: Model,
) -> impl Iterator<Item = (Item<'db>, u32)> {
    let segments = segments(db, file, settings).into_iter();
    let concerned = segments.flat_map(move |(_, segment)| relevant_items(db, segment, model).iter());
    concerned.flat_map(move |&(scoped, _)| {
        let item = scoped.item(db);
        doubtful_calls(db, item, model).iter().map(move |&(body, _)| (item, body as u32))
    })
}
