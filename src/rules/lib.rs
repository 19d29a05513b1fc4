//! The rules: facts of the analyses in, findings out.
//!
//! ```text
//! needs -> divergence (functions: candidates, suspects, mismatches, flags, barriers)   items, foreign, names -> file
//!                     \                                                               /
//!                      rules/<id>   what each is called, its page, its check, its words
//!                           |
//!                       registry -> check, suppression
//! ```
//!
//! Facts are complete before the first rule is asked, and no rule knows the findings of another. [`wording`] puts causes into words, for rules,
//! hovers, hints and `tangle show`.

pub mod add_suppression;
mod check;
mod comments;
mod declared_by;
mod divergence;
mod file;
mod foreign;
mod items;
mod literals;
mod names;
mod needs;
mod registry;
mod rule;
mod rules;
mod subject;
pub mod suppression;
pub mod wording;
mod words;
mod written;

use std::ops::Range;
use std::sync::Arc;

pub use check::{check, errors_in_text};
pub use declared_by::declared_by;
pub use divergence::bypass::negated;
pub use registry::{RULES, is_about_divergence, is_about_threads, nearest, rule};
pub use rules::divergent_subgroup_operation::divergent_variant;
pub use rules::left_out_text::{
    ID as LEFT_OUT_TEXT, OF_TARGETS, besides as left_out_besides, is_missing_in_builds, worth_reading,
};
pub use tangle_diagnostic::Rule;

use tangle_diagnostic::Diagnostic;
use tangle_syntax::db::Db;
use tangle_syntax::source::Settings;

/// The name of the rule on comments.
pub const UNUSED_SUPPRESSION: &str = comments::OF_COMMENTS;

/// The findings of the literals of a host program. `called` has the names that they call outside of kernels that can be read, each with its
/// place.
pub fn unread_literals(
    db: &dyn Db,
    settings: Settings,
    file: &Arc<str>,
    called: impl Iterator<Item = (String, Range<usize>)>,
) -> Vec<Diagnostic> {
    let literals = literals::Literals { db, settings, file: file.clone(), called: called.collect() };
    let mut found = Vec::new();
    for entry in registry::REGISTRY {
        if let rule::Check::Literals(check) = entry.check {
            check(&literals, &mut found);
        }
    }
    found
}
