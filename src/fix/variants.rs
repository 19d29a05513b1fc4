//! Replaces an operation by its variant that is defined in divergent control flow.
//!
//! ```text
//! if (i < n) s = sub_group_reduce_add(x);     if (i < n) s = sub_group_non_uniform_reduce_add(x);
//! ```
//!
//! Where all threads reach the operation, its results are unchanged. The change is not safe, because the variant
//! belongs to an extension.

use super::edits::Edits;
use super::{Rewrite, Site};
use tangle_diagnostic::Applicability;
use tangle_rules::divergent_variant;

/// Changes the operation at a site.
pub(super) fn defined(site: &Site) -> Option<Rewrite> {
    let (item, reading) = (site.item(), site.reading());
    let (name, range) = site.operation()?;
    let variant = divergent_variant(item.vocabulary(), reading.settings.builtins(reading.db), name)?;
    let title = format!(
        "Use `{variant}`, which is defined in divergent control flow (changes the program: the device must have its extension)"
    );
    let mut edits = Edits::default();
    edits.replace(range, variant);
    Some(Rewrite {
        title,
        edits,
        applicability: Applicability::Unsafe,
        fixes_mistake: true,
        adds_threads: false,
    })
}
