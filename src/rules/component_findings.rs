//! The findings of the rules about functions, computed once for each [component](crate::divergence::component).
//!
//! An edit of a function runs the rules again for its component. The findings of the other components only move.

use tangle_diagnostic::Diagnostic;
use tangle_syntax::db::Db;

use crate::divergence::component::{Component, PlacedComponent};
use crate::divergence::facts::SharedFacts;
use crate::divergence::with_context;
use crate::registry::REGISTRY;
use crate::rule::Check;

/// Returns the findings of a component, with their locations in files.
pub(crate) fn findings_of<'a>(
    db: &'a dyn Db,
    placed: &'a PlacedComponent,
) -> impl Iterator<Item = Diagnostic> + 'a {
    component_findings(db, placed.component).0.iter().map(|finding| {
        let mut finding = finding.clone();
        finding.for_each_place(&mut |place| placed.move_to_file(db, place));
        finding
    })
}

/// The value of [`component_findings`].
#[derive(Debug, PartialEq, Eq, salsa::SalsaValue)]
struct Findings(Box<[Diagnostic]>);

/// Returns the findings of a component, with locations in the component text.
#[salsa::tracked]
fn component_findings<'db>(db: &'db dyn Db, component: Component<'db>) -> Findings {
    db.depends_on_text();
    let mut found = Vec::new();
    with_context(db, component, |context| {
        let facts = SharedFacts::of(context);
        for entry in REGISTRY {
            if let Check::Functions(check) = entry.check {
                check(&facts, &mut found);
            }
        }
    });
    Findings(found.into())
}
