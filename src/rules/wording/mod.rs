//! Facts of the analyses in words, with the [vocabulary](tangle_syntax::dialect::Vocabulary) of the file's language.
//!
//! Analyses return facts with causes. Rules, hovers, hints and `show` take the words from here, so that all of them word one fact alike.
//!
//! | module | words for |
//! |---|---|
//! | [`tangles`] | the derivation of a candidate tangle, and the paths that meet where convergence is implementation-defined |
//! | [`arrivals`] | these paths in one sentence, with their places and a help |
//! | [`uniformity`] | verdicts, and chains of causes step by step |
//! | [`cause`] | a chain of causes as a phrase, and its places with labels |
//! | [`headline`] | the fullest of several sentences that fits into one line |

pub mod arrivals;
pub mod cause;
pub mod headline;
pub mod tangles;
pub mod uniformity;
