//! Buffers that translation units reuse.

use super::cut::Cutter;
use super::expander::Expander;
use super::log::Log;
use super::symbols::Symbols;

/// The buffers of a unit. The next unit reuses their capacity.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub symbols: Symbols,
    pub log: Log,
    pub expander: Expander,
    pub cutter: Cutter,
}
