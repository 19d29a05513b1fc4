//! The comments for tangle in a unit, and the findings that they allow.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use tangle_diagnostic::{Diagnostic, Place, Suppression};
use tangle_hir::{assertions, launch_comments};
use tangle_syntax::db::Db;
use tangle_syntax::items::{Unit, chunks, spans};
use tangle_syntax::preprocess::Origin;
use tangle_syntax::source::SourceFile;

/// The rule that speaks of these comments.
pub(crate) const OF_COMMENTS: &str = "unused-suppression";

/// Stands for every rule but `unused-suppression`: a comment must not hide that it has no effect.
pub(crate) const ALL: &str = "all";

/// The comments of a unit.
pub(crate) struct Comments<'a> {
    pub db: &'a dyn Db,
    pub unit: &'a Unit,
    pub allowed: Vec<Allowed>,
    /// Comments that allow nothing, with the reason.
    pub mistakes: Vec<Mistake>,
    /// Comments `uniform(…)` that assert nothing.
    pub assertions: &'a [(assertions::Mistake, (SourceFile, Range<usize>))],
    /// Comments `launch(…)` without an effect.
    pub launches: &'a [(launch_comments::Mistake, (SourceFile, Range<usize>))],
}

impl Comments<'_> {
    /// Marks the findings that are allowed, and the suppressions that were of use.
    pub fn mark(&mut self, found: &mut [Diagnostic]) {
        let allowed = &mut self.allowed;
        let mut by_rule: FxHashMap<(Arc<str>, &str), Vec<usize>> = FxHashMap::default();
        for (number, allowed) in allowed.iter().enumerate() {
            by_rule.entry((allowed.at.file.clone(), allowed.rule)).or_default().push(number);
        }
        for diagnostic in found {
            let rules = match diagnostic.rule {
                OF_COMMENTS => &[OF_COMMENTS][..],
                rule => &[rule, ALL],
            };
            let file = &diagnostic.place.file;
            let candidates = rules.iter().filter_map(|rule| by_rule.get(&(file.clone(), *rule))).flatten();
            let meets = |number: &&usize| allowed[**number].meets(&diagnostic.place.range);
            let mut matching: Vec<usize> = candidates.filter(meets).copied().collect();
            matching.sort_unstable();
            // The comment that is nearest to it knows best why.
            let Some(&last) = matching.last() else { continue };
            let reason = allowed[last].reason.clone();
            let by = matching.iter().map(|&number| allowed[number].at.clone()).collect();
            diagnostic.suppression = Some(Suppression { reason, by });
            matching.into_iter().for_each(|number| allowed[number].used = true);
        }
    }
}

/// One rule that a comment allows.
pub(crate) struct Allowed {
    pub file: SourceFile,
    /// [`ALL`] for every rule.
    pub rule: &'static str,
    /// Where the comment names it.
    pub at: Place,
    pub reason: String,
    /// Bytes; None: the whole file.
    pub about: Option<Range<usize>>,
    pub used: bool,
}

impl Allowed {
    /// Whether it is about something that begins or ends at the ends of a range.
    fn meets(&self, range: &Range<usize>) -> bool {
        let last = range.end.saturating_sub(1).max(range.start);
        self.about.as_ref().is_none_or(|about| about.contains(&range.start) || about.contains(&last))
    }
}

/// What a comment asks for that cannot be had: the place, and why.
pub(crate) struct Mistake {
    pub at: Place,
    pub message: String,
    /// What to write instead.
    pub help: String,
}

/// Whether this unit has any of the text that a suppression is about: what a condition left out may be meant for another.
pub(crate) fn is_live(db: &dyn Db, unit: &Unit, allowed: &Allowed) -> bool {
    let Some(text) = &allowed.about else { return true };
    let spans = spans(db, allowed.file);
    let id = allowed.file.id(db);
    let first = spans.token_at(text.start).unwrap_or(0);
    let last = spans.token_at(text.end).unwrap_or(0);
    let inside = |token: u32| (first..=last).contains(&token) && text.contains(&spans.get(token).start);
    if !(first..=last).any(inside) {
        return true;
    }
    let written = |origin: Origin| origin.file == id && inside(origin.token);
    chunks(unit).iter().any(|chunk| chunk.origins.iter().any(|&origin| written(chunk.place_of_use(origin))))
}
