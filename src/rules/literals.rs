//! String literals of a host program that may hold kernels.

use std::ops::Range;
use std::sync::Arc;

use tangle_syntax::db::Db;
use tangle_syntax::source::Settings;

/// The calls in the string literals of a file, without the literals of readable kernels.
pub(crate) struct UnreadLiteralCalls<'a> {
    pub db: &'a dyn Db,
    pub settings: Settings,
    pub file: Arc<str>,
    /// The called names, each with its byte range in the file.
    pub called: Vec<(String, Range<usize>)>,
}
