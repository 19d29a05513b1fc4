//! The `tangle:` comments of a unit, and the findings that they suppress.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use tangle_diagnostic::{Diagnostic, Place, Suppression};
use tangle_hir::scope::{Segment, segment_items};
use tangle_hir::{assertions, launch_comments};
use tangle_syntax::db::Db;
use tangle_syntax::items::spans;
use tangle_syntax::preprocess::{Chunk, Origin};
use tangle_syntax::source::SourceFile;

/// The id of the rule that reports these comments.
pub(crate) const UNUSED_SUPPRESSION: &str = "unused-suppression";

/// Stands for every rule except `unused-suppression`: a comment must not hide that it has no effect.
pub(crate) const ALL: &str = "all";

/// The `tangle:` comments of a unit.
pub(crate) struct Comments<'a> {
    pub db: &'a dyn Db,
    /// The segments of the unit.
    pub segments: Vec<(Arc<Chunk>, Segment<'a>)>,
    pub allowed: Vec<AllowedRule>,
    /// The comments that suppress no finding because of an error in the comment.
    pub mistakes: Vec<CommentError>,
    /// The `uniform(…)` comments that assert nothing.
    pub assertions: &'a [(assertions::Mistake, (SourceFile, Range<usize>))],
    /// The `launch(…)` comments without an effect, or without their full effect.
    pub launches: &'a [(launch_comments::Mistake, (SourceFile, Range<usize>))],
}

impl Comments<'_> {
    /// Marks the findings that comments suppress, and marks these comments as used.
    pub fn mark(&mut self, found: &mut [Diagnostic]) {
        let allowed = &mut self.allowed;
        let mut by_file: FxHashMap<Arc<str>, Vec<usize>> = FxHashMap::default();
        for (number, allowed) in allowed.iter().enumerate() {
            by_file.entry(allowed.at.file.clone()).or_default().push(number);
        }
        for diagnostic in found {
            let candidates = by_file.get(&diagnostic.place.file).into_iter().flatten();
            let is_meant =
                |number: &&usize| allowed[**number].scope.includes(diagnostic.rule, &diagnostic.place);
            let matching: Vec<usize> = candidates.filter(is_meant).copied().collect();
            // The last matching comment usually covers the least text. Its reason is the most specific one.
            let Some(&last) = matching.last() else { continue };
            let reason = allowed[last].reason.clone();
            let by = matching.iter().map(|&number| allowed[number].at.clone()).collect();
            diagnostic.suppression = Some(Suppression { reason, by });
            matching.into_iter().for_each(|number| allowed[number].used = true);
        }
    }
}

/// A rule whose findings a comment suppresses.
pub(crate) struct AllowedRule {
    pub file: SourceFile,
    pub scope: SuppressedFindings,
    /// The location of the rule's name in the comment.
    pub at: Place,
    pub reason: String,
    pub used: bool,
}

/// The findings that a comment suppresses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SuppressedFindings {
    /// The id of the rule, or [`ALL`].
    pub rule: &'static str,
    /// The name of the file.
    pub file: Arc<str>,
    /// The covered byte range of the file. `None` for the whole file.
    pub about: Option<Range<usize>>,
}

impl SuppressedFindings {
    /// Whether a finding of a rule at a location is suppressed.
    pub fn includes(&self, rule: &str, place: &Place) -> bool {
        let is_of_rule = self.rule == rule || self.rule == ALL && rule != UNUSED_SUPPRESSION;
        is_of_rule && self.file == place.file && self.covers(&place.range)
    }

    /// Whether the comment covers the first or last byte of a range.
    fn covers(&self, range: &Range<usize>) -> bool {
        let last = range.end.saturating_sub(1).max(range.start);
        self.about.as_ref().is_none_or(|about| about.contains(&range.start) || about.contains(&last))
    }
}

/// An error in a comment, with its location and message.
pub(crate) struct CommentError {
    pub at: Place,
    pub message: String,
    /// The help, as an imperative.
    pub help: String,
}

/// Whether the analysed items of a unit contain tokens of the text that a comment covers, or the text has no tokens. If
/// an `#if` removes all its tokens, or the unit does not reach the function, the comment may suppress a finding in
/// another unit.
pub(crate) fn is_analysed(db: &dyn Db, segments: &[(Arc<Chunk>, Segment)], allowed: &AllowedRule) -> bool {
    let Some(text) = &allowed.scope.about else { return true };
    let spans = spans(db, allowed.file);
    let id = allowed.file.id(db);
    let first = spans.token_at(text.start).unwrap_or(0);
    let last = spans.token_at(text.end).unwrap_or(0);
    let inside = |token: u32| (first..=last).contains(&token) && text.contains(&spans.get(token).start);
    if !(first..=last).any(inside) {
        return true;
    }
    let written = |origin: Origin| origin.file == id && inside(origin.token);
    segments.iter().any(|&(ref chunk, segment)| {
        segment_items(db, segment).iter().any(|&(scoped, first)| {
            let length = scoped.item(db).tokens(db).0.tokens().len();
            let origins = chunk.origins.get(first as usize..first as usize + length).unwrap_or_default();
            origins.iter().any(|&origin| written(chunk.place_of_use(origin)))
        })
    })
}
