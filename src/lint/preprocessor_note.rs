//! `preprocessor-note`: what a `#warning` says, and directives that nobody knows.

use super::check::{finding as at, with_macros};
use crate::db::Db;
use crate::diagnostic::Diagnostic;
use crate::syntax::Located;

pub(super) fn finding(db: &dyn Db, message: String, located: &Located) -> Diagnostic {
    with_macros(db, at(db, "preprocessor-note", located, message), located)
}
