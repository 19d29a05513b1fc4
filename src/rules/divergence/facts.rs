//! The facts about functions that several rules share, so that only one rule reports an operation.
//!
//! A more specific fact takes precedence: an operation that a mismatch or an unprotected flag explains is not an
//! unreached barrier.

use super::barriers::{UnreachedBarrier, unreached};
use super::flags::unprotected_flags;
use super::masks::MaskFacts;
use super::mismatched::{Mismatch, mismatches};
use super::{DivergenceContext, ExitFlagRead};

/// The functions that rules examine, with the facts about their barriers.
pub(crate) struct SharedFacts<'c, 'a, 'e> {
    pub context: &'c DivergenceContext<'a, 'e>,
    pub mismatches: Vec<Mismatch>,
    pub flags: Vec<ExitFlagRead>,
    pub barriers: Vec<UnreachedBarrier>,
    pub masks: MaskFacts,
}

impl<'c, 'a, 'e> SharedFacts<'c, 'a, 'e> {
    pub fn of(context: &'c DivergenceContext<'a, 'e>) -> SharedFacts<'c, 'a, 'e> {
        let (mismatches, flags) = (mismatches(context), unprotected_flags(context));
        let barriers = unreached(context, &mismatches, &flags);
        SharedFacts { context, mismatches, flags, barriers, masks: MaskFacts::of(context) }
    }
}
