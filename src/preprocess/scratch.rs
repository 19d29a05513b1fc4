//! What units work with one after the other, so that its memory is asked for once.

use super::cut::Cutter;
use super::expander::Expander;
use super::log::Log;
use super::symbols::Symbols;

/// What a unit works with, and leaves to the next one for its capacity.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub symbols: Symbols,
    pub log: Log,
    pub expander: Expander,
    pub cutter: Cutter,
}
