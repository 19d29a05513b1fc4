//! The facts about functions that several rules share, so that only one rule reports an operation.
//!
//! A more specific fact takes precedence: an operation that a mismatch or an unprotected flag explains is not an
//! unreached barrier.

use super::barriers::{Barrier, unreached};
use super::flags::unprotected_flags;
use super::mismatched::{Mismatch, mismatches};
use super::{Context, Flag};
use crate::comments::Comments;

/// The functions that rules examine, with the facts about their barriers.
pub(crate) struct Facts<'c, 'a, 'e> {
    pub context: &'c Context<'a, 'e>,
    pub comments: &'c Comments<'a>,
    pub mismatches: Vec<Mismatch>,
    pub flags: Vec<Flag>,
    pub barriers: Vec<Barrier>,
}

impl<'c, 'a, 'e> Facts<'c, 'a, 'e> {
    pub fn of(context: &'c Context<'a, 'e>, comments: &'c Comments<'a>) -> Facts<'c, 'a, 'e> {
        let (mismatches, flags) = (mismatches(context), unprotected_flags(context));
        let barriers = unreached(context, &mismatches, &flags);
        Facts { context, comments, mismatches, flags, barriers }
    }
}
