//! String literals of a host program that may hold kernels.

use std::ops::Range;
use std::sync::Arc;

use tangle_syntax::db::Db;
use tangle_syntax::source::Settings;

/// What the literals of a file call that belongs to no kernel that can be read.
pub(crate) struct Literals<'a> {
    pub db: &'a dyn Db,
    pub settings: Settings,
    pub file: Arc<str>,
    /// Names with their places, as bytes of the file.
    pub called: Vec<(String, Range<usize>)>,
}
