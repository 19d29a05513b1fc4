//! The rules: they turn the facts of the analyses into findings.
//!
//! ```text
//! interests -> divergence (functions: preselection, suspects, mismatches, flags, barriers)   items, names -> file
//!                         \                                                                  /
//!                          rules/<id>   the id of each rule, its page, its check, its messages
//!                               |
//!                           registry -> component_findings -> check, suppression
//! ```
//!
//! All facts are complete before the first rule runs. No rule depends on the findings of another rule, except
//! `unused-suppression`. [`wording`] turns causes into text, for rules, hovers, hints and `tangle show`.
//!
//! ```
//! use std::sync::Arc;
//!
//! use tangle_analysis::tangle::Model;
//! use tangle_syntax::db::Database;
//! use tangle_syntax::source::NoHeaders;
//!
//! let mut db = Database::new(Arc::new(NoHeaders));
//! let settings = db.settings(&[], &[], &[], Vec::new());
//! let file = db.set_text("k.cl", "kernel void k(int n) { if (get_local_id(0) < n) barrier(1); }");
//!
//! let findings = tangle_rules::check(&db, file, settings, Model::Tangles);
//! assert_eq!(findings[0].rule, "divergent-barrier");
//! assert_eq!(tangle_rules::rule(findings[0].rule).unwrap().default_level(), "error");
//! ```

pub mod add_suppression;
mod check;
mod comments;
mod component_findings;
mod declared_by;
mod divergence;
mod file;
mod interests;
mod item_context;
mod items;
mod literals;
mod names;
mod other_language;
mod quote;
mod raw_calls;
mod registry;
mod rule;
mod rules;
pub mod suppression;
pub mod wording;

use std::ops::Range;
use std::sync::Arc;

pub use check::{check, errors_in_text};
pub use declared_by::declared_by;
pub use divergence::bypass::{Bypass, negated};
pub use registry::{RULES, evidence, is_about_divergence, is_about_execution, rule, unknown_rule_message};
pub use rule::Evidence;
pub use rules::divergent_subgroup_operation::divergent_variant;
pub use rules::left_out_text::{
    ID as LEFT_OUT_TEXT, TARGET_MACROS, groups_to_read, is_missing_in_builds,
    is_read_elsewhere as left_out_besides,
};
pub use tangle_diagnostic::Rule;

use tangle_diagnostic::Diagnostic;
use tangle_syntax::db::Db;
use tangle_syntax::source::Settings;

/// The id of the rule for operations that not all threads reach only if an assumption holds.
pub const POSSIBLE_DIVERGENCE: &str = rules::possible_divergence::RULE.rule.id;

/// The id of the rule about `tangle:` comments.
pub const UNUSED_SUPPRESSION: &str = comments::UNUSED_SUPPRESSION;

/// Returns the findings about string literals of a host program. `called`: the names that are called in literals
/// outside readable kernels, each with its byte range in the file.
pub fn unread_literals(
    db: &dyn Db,
    settings: Settings,
    file: &Arc<str>,
    called: impl Iterator<Item = (String, Range<usize>)>,
) -> Vec<Diagnostic> {
    let literals =
        literals::UnreadLiteralCalls { db, settings, file: file.clone(), called: called.collect() };
    let mut found = Vec::new();
    for entry in registry::REGISTRY {
        if let rule::Check::Literals(check) = entry.check {
            check(&literals, &mut found);
        }
    }
    found
}
