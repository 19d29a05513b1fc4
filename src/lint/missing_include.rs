//! `missing-include`: a header that is not there. A note, unless the file uses what it may have declared.

use rustc_hash::FxHashSet;
use tangle_grammar::symbol::Symbol;

use super::check::finding as at;
use crate::db::Db;
use crate::diagnostic::{Diagnostic, Severity};
use crate::syntax::Located;

pub(super) fn finding(db: &dyn Db, name: &str, located: &Located, unknown: &FxHashSet<Symbol>) -> Diagnostic {
    // By text: the numbers of symbols depend on which thread met them first.
    let Some(first) = unknown.iter().map(|name| name.as_str()).min() else {
        return at(db, "missing-include", located, format!("the header `{name}` is not found"))
            .with_help("name its folder with `-I`");
    };
    let others = match unknown.len() - 1 {
        0 => "is a name".to_owned(),
        1 => "and one other name are names".to_owned(),
        more => format!("and {more} other names are names"),
    };
    let message = format!("the header `{name}` is not found, and `{first}` {others} that nothing declares");
    let mut finding = at(db, "missing-include", located, message).with_help("name its folder with `-I`");
    finding.severity = Severity::Warning;
    finding
}
