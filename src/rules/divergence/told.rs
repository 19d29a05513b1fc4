//! The facts about functions that several rules share, so that no two rules speak of one operation.
//!
//! A more specific fact comes first: what a mismatch or an unprotected flag explains is no unreached barrier.

use super::barriers::{Barrier, unreached};
use super::flags::unprotected_flags;
use super::mismatched::{Mismatch, mismatches};
use super::{Context, Flag};

/// The functions that rules look at, with what is known of their barriers.
pub(crate) struct Facts<'c, 'a, 'e> {
    pub context: &'c Context<'a, 'e>,
    pub mismatches: Vec<Mismatch>,
    pub flags: Vec<Flag>,
    pub barriers: Vec<Barrier>,
}

impl<'c, 'a, 'e> Facts<'c, 'a, 'e> {
    pub fn of(context: &'c Context<'a, 'e>) -> Facts<'c, 'a, 'e> {
        let (mismatches, flags) = (mismatches(context), unprotected_flags(context));
        let barriers = unreached(context, &mismatches, &flags);
        Facts { context, mismatches, flags, barriers }
    }
}
