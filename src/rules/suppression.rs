//! Suppression: a comment in the source takes findings of a rule for known, and says why.
//!
//! ```c
//! // tangle: allow(missing-include, unknown-type): made by the build     the whole file, if before any token
//! barrier(1); // tangle: allow(divergent-barrier): n is a multiple of the work-group's size
//! // tangle: allow(all): the old kernel, kept for reference
//! kernel void old(global int *p) { … }
//! ```
//!
//! What a comment is about, [`syntax::remarks`](tangle_syntax::items::remarks) knows. A finding is suppressed if it begins or ends there: one in
//! a macro stands where the macro is used, so there. Suppressed findings stay among the others, marked. A comment in a header may
//! match in one unit and not in another: [`settle`] drops the finding that it is of no use once all units are known.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{nearest, rule, unused_suppression};
use tangle_diagnostic::{Diagnostic, Place, Suppression};
use tangle_hir::{assertions, launch_comments};
use tangle_syntax::db::Db;
use tangle_syntax::items::{Remark, Request, Unit, chunks, remarks, spans, unit};
use tangle_syntax::preprocess::Origin;
use tangle_syntax::source::{Settings, SourceFile};

/// One rule that a comment allows.
pub(super) struct Allowed {
    pub file: SourceFile,
    /// [`ALL`] for every rule.
    pub rule: &'static str,
    /// Where the comment names it.
    pub at: Place,
    reason: String,
    /// Bytes; None: the whole file.
    about: Option<Range<usize>>,
    used: bool,
}

impl Allowed {
    /// Whether it is about something that begins or ends at the ends of a range.
    fn meets(&self, range: &Range<usize>) -> bool {
        let last = range.end.saturating_sub(1).max(range.start);
        self.about.as_ref().is_none_or(|about| about.contains(&range.start) || about.contains(&last))
    }
}

/// What a comment asks for that cannot be had: the place, and why.
pub(super) struct Mistake {
    pub at: Place,
    pub message: String,
    /// What to write instead.
    pub help: String,
}

/// The form of a suppression, for help.
const FORM: &str = "write `allow(RULE): reason`";

/// Stands for every rule but `unused-suppression`: a comment must not hide that it has no effect.
pub(super) const ALL: &str = "all";

/// Words by which other tools suppress findings.
const OF_OTHER_TOOLS: &[&str] = &["disable", "expect", "ignore", "nolint", "off", "skip", "suppress"];

/// Marks what is suppressed among the findings of a unit, and adds what is to be said of the comments.
pub(super) fn apply(db: &dyn Db, file: SourceFile, settings: Settings, found: &mut Vec<Diagnostic>) {
    let unit = unit(db, file, settings);
    let (mut allowed, mut mistakes) = (Vec::new(), Vec::new());
    for &id in &unit.0.files {
        let file = db.source(id);
        for remark in remarks(db, file) {
            let text = file.text(db);
            read(db, file, remark, remark.request(&text), &mut allowed, &mut mistakes);
        }
    }
    let asserted = assertions::mistakes(db, file, settings).iter();
    mistakes.extend(asserted.map(|(mistake, (file, range))| {
        let (message, help) = unused_suppression::no_assertion(mistake);
        Mistake { at: Place::new(file.path(db).clone(), range.clone()), message, help }
    }));
    let launches = launch_comments::mistakes(db, file, settings).iter();
    mistakes.extend(launches.map(|(mistake, (file, range))| {
        let (message, help) = unused_suppression::no_launch(mistake);
        Mistake { at: Place::new(file.path(db).clone(), range.clone()), message, help }
    }));
    found.extend(mistakes.into_iter().map(unused_suppression::mistake));
    if allowed.is_empty() {
        return;
    }
    mark(&mut allowed, found);
    let idle: Vec<&Allowed> = allowed
        .iter()
        .filter(|allowed| !allowed.used && allowed.rule != unused_suppression::RULE)
        .filter(|allowed| is_live(db, unit, allowed))
        .collect();
    let mut idle: Vec<Diagnostic> = idle.into_iter().map(unused_suppression::finding).collect();
    // That a suppression is of no use may be suppressed like anything else.
    mark(&mut allowed, &mut idle);
    found.extend(idle);
    let of_no_use = |allowed: &&Allowed| !allowed.used && allowed.rule == unused_suppression::RULE;
    found.extend(allowed.iter().filter(of_no_use).map(unused_suppression::finding));
}

/// Drops findings that a suppression is of no use if it was of use elsewhere. `diagnostics` are those of all units of a run.
pub fn settle(diagnostics: &mut Vec<Diagnostic>) {
    let suppressions = diagnostics.iter().filter_map(|diagnostic| diagnostic.suppression.as_ref());
    let used: FxHashSet<Place> =
        suppressions.flat_map(|suppression| suppression.by.iter().cloned()).collect();
    let idle =
        |diagnostic: &Diagnostic| diagnostic.rule == unused_suppression::RULE && diagnostic.about.is_some();
    diagnostics.retain(|diagnostic| !(idle(diagnostic) && used.contains(&diagnostic.place)));
}

fn read(
    db: &dyn Db,
    file: SourceFile,
    remark: &Remark,
    request: Request,
    allowed: &mut Vec<Allowed>,
    mistakes: &mut Vec<Mistake>,
) {
    let place = |range: &Range<usize>| Place::new(file.path(db).clone(), range.clone());
    let mut mistake = |range: &Range<usize>, message: String, help: String| {
        mistakes.push(Mistake { at: place(range), message, help });
    };
    let Request { word, word_at, arguments, reason } = request;
    match (word, arguments) {
        ("allow", Some(rules)) if rules.is_empty() => {
            mistake(&word_at, "`allow` names no rule".into(), FORM.into());
        }
        ("allow", None) => mistake(&word_at, "`allow` needs a rule in parentheses".into(), FORM.into()),
        ("allow", Some(rules)) if rules.iter().any(|(name, _)| *name == "*") => {
            for (_, at) in rules.iter().filter(|(name, _)| *name == "*") {
                mistake(at, "`allow(*)` is not supported".into(), "write `allow(all): reason`".into());
            }
        }
        ("allow", Some(rules)) if reason.is_empty() => {
            let names: Vec<&str> = rules.iter().map(|(name, _)| *name).collect();
            let message = "suppression without a reason has no effect".into();
            mistake(&word_at, message, format!("add a reason: `allow({}): reason`", names.join(", ")));
        }
        ("allow", Some(rules)) => {
            for (name, at) in rules {
                let id = if name == ALL { Some(ALL) } else { rule(name).map(|rule| rule.id) };
                match id {
                    Some(rule) => allowed.push(Allowed {
                        file,
                        rule,
                        at: place(&at),
                        reason: reason.clone(),
                        about: (!remark.leads).then(|| remark.covers.clone()),
                        used: false,
                    }),
                    None => mistake(&at, nearest(name), "name a rule that `tangle rules` lists".into()),
                }
            }
        }
        ("" | "uniform" | "launch", _) => {}
        (word, arguments)
            if OF_OTHER_TOOLS.contains(&word)
                && (arguments.is_some() || suppresses(&file.text(db)[word_at.end..remark.text.end])) =>
        {
            mistake(&word_at, format!("`{word}` is not supported"), FORM.into());
        }
        // Other words without parentheses are prose.
        (_, None) => {}
        (word, Some(_)) => {
            let help = "write `allow(…)`, `uniform(…)` or `launch(…)`";
            mistake(&word_at, format!("unknown comment `{word}(…)`"), help.into());
        }
    }
}

/// Whether the text after a word such as `ignore` shows that it is meant to suppress findings, and is no prose.
fn suppresses(rest: &str) -> bool {
    let rest = rest.trim();
    let first = rest.split([' ', ',']).next().unwrap_or_default();
    rest.is_empty() || rest.starts_with(':') || rule(first).is_some()
}

/// Marks the findings that are allowed, and the suppressions that were of use.
fn mark(allowed: &mut [Allowed], found: &mut [Diagnostic]) {
    let mut by_rule: FxHashMap<(Arc<str>, &str), Vec<usize>> = FxHashMap::default();
    for (number, allowed) in allowed.iter().enumerate() {
        by_rule.entry((allowed.at.file.clone(), allowed.rule)).or_default().push(number);
    }
    for diagnostic in found {
        let rules = match diagnostic.rule {
            unused_suppression::RULE => &[unused_suppression::RULE][..],
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

/// Whether this unit has any of the text that a suppression is about: what a condition left out may be meant for another.
fn is_live(db: &dyn Db, unit: &Unit, allowed: &Allowed) -> bool {
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
