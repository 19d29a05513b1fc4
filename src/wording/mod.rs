//! Words for what the analyses find: the room in which a cause becomes a sentence.
//!
//! Analyses return facts with causes. Whoever shows one (a rule, a hover, a hint, `show`) takes the words from here, so that all of them
//! say the same of the same thing.
//!
//! | room | says |
//! |---|---|
//! | [`tangles`] | who is in a candidate tangle, and how threads arrive where tangles meet, line by line |
//! | [`arrivals`] | the same in one sentence, with its places and what to do about it |
//! | [`uniformity`] | verdicts, and chains of causes step by step |
//! | [`cause`] | what a chain of causes comes down to, in a phrase and by its places |
//! | [`headline`] | which of several sentences fits into one line |

pub mod arrivals;
pub mod cause;
pub mod headline;
pub mod tangles;
pub mod uniformity;
