//! The rules: they turn the facts of the analyses into findings.
//!
//! ```text
//! needs -> divergence (functions: candidates, suspects, mismatches, flags, barriers)   items, foreign, names -> file
//!                     \                                                               /
//!                      rules/<id>   the id of each rule, its page, its check, its messages
//!                           |
//!                       registry -> check, suppression
//! ```
//!
//! All facts are complete before the first rule runs. No rule depends on the findings of another rule, except
//! `unused-suppression`. [`wording`] turns causes into text, for rules, hovers, hints and `tangle show`.

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

/// The id of the rule about `tangle:` comments.
pub const UNUSED_SUPPRESSION: &str = comments::OF_COMMENTS;

/// Returns the findings about string literals of a host program. `called`: the names that are called in literals
/// outside readable kernels, each with its byte range in the file.
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
