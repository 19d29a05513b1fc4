//! The text that describes facts, in the [vocabulary](tangle_syntax::dialect::Vocabulary) of the file's language.
//!
//! Analyses return facts with causes. Rules, hovers, hints and `tangle show` all take their text from here, and so
//! describe a fact in the same way.
//!
//! | module | text for |
//! |---|---|
//! | [`tangles`] | the derivation of a candidate tangle, and the paths that meet at an implementation-defined point |
//! | [`arrivals`] | these paths in one sentence, with their places and a help |
//! | [`uniformity`] | verdicts, and chains of causes step by step |
//! | [`cause`] | a chain of causes as a phrase, and its places with labels |
//! | [`headline`] | the most detailed of several sentences that fits into one line |
//! | [`lanes`] | sets of lanes, and masks |

pub mod arrivals;
pub mod cause;
pub mod headline;
pub mod lanes;
pub mod tangles;
pub mod uniformity;
