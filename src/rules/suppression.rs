//! Suppression: a comment in the source that marks findings of a rule as known, and gives the reason.
//!
//! ```c
//! // tangle: allow(missing-include, unknown-type): made by the build     the whole file, if before any token
//! barrier(1); // tangle: allow(divergent-barrier): n is a multiple of the work-group's size
//! // tangle: allow(all): the old kernel, kept for reference
//! kernel void old(global int *p) { … }
//! ```
//!
//! [`syntax::remarks`](tangle_syntax::items::remarks) computes the text that a comment covers. A comment suppresses the
//! findings that begin or end in this text. The location of a finding in a macro is the use of the macro. Suppressed
//! findings are kept and marked. A comment in a header may suppress a finding in one unit, and none in another. So the
//! finding that it is unused is final only when all units are known: see [`remove_used_elsewhere`].

use std::ops::Range;

use rustc_hash::FxHashSet;

use crate::comments::{ALL, AllowedRule, CommentError, Comments, SuppressedFindings, UNUSED_SUPPRESSION};
use crate::registry::{rule, unknown_rule_message};
use tangle_diagnostic::{Diagnostic, Place};
use tangle_hir::scope::segments;
use tangle_hir::{assertions, launch_comments};
use tangle_syntax::db::Db;
use tangle_syntax::items::{ControlComment, Request, remarks, unit};
use tangle_syntax::source::{Settings, SourceFile};

/// The help for an incorrect suppression.
const HELP: &str = "write `allow(RULE): reason`";

/// The words with which comments of other tools suppress findings.
const OTHER_TOOL_WORDS: &[&str] = &["disable", "expect", "ignore", "nolint", "off", "skip", "suppress"];

/// Returns the `tangle:` comments of a file and its headers.
pub(crate) fn comments(db: &dyn Db, file: SourceFile, settings: Settings) -> Comments<'_> {
    let unit = unit(db, file, settings);
    let (mut allowed, mut mistakes) = (Vec::new(), Vec::new());
    for &id in &unit.0.files {
        let file = db.source(id);
        for remark in remarks(db, file) {
            let text = file.text(db);
            parse_comment(db, file, remark, remark.request(&text), &mut allowed, &mut mistakes);
        }
    }
    let assertions = assertions::mistakes(db, file, settings);
    let launches = launch_comments::mistakes(db, file, settings);
    let segments = segments(db, file, settings);
    Comments { db, segments, allowed, mistakes, assertions, launches }
}

/// Removes `unused-suppression` findings about comments that suppress a finding in another unit. `diagnostics`: the
/// findings of all units of a run.
pub fn remove_used_elsewhere(diagnostics: &mut Vec<Diagnostic>) {
    let suppressions = diagnostics.iter().filter_map(|diagnostic| diagnostic.suppression.as_ref());
    let used: FxHashSet<Place> =
        suppressions.flat_map(|suppression| suppression.by.iter().cloned()).collect();
    let idle = |diagnostic: &Diagnostic| diagnostic.rule == UNUSED_SUPPRESSION && diagnostic.about.is_some();
    diagnostics.retain(|diagnostic| !(idle(diagnostic) && used.contains(&diagnostic.place)));
}

fn parse_comment(
    db: &dyn Db,
    file: SourceFile,
    remark: &ControlComment,
    request: Request,
    allowed: &mut Vec<AllowedRule>,
    mistakes: &mut Vec<CommentError>,
) {
    let place = |range: &Range<usize>| Place::new(file.path(db).clone(), range.clone());
    let mut mistake = |range: &Range<usize>, message: String, help: String| {
        mistakes.push(CommentError { at: place(range), message, help });
    };
    let Request { word, word_at, arguments, reason } = request;
    match (word, arguments) {
        ("allow", Some(rules)) if rules.is_empty() => {
            mistake(&word_at, "`allow` names no rule".into(), HELP.into());
        }
        ("allow", None) => mistake(&word_at, "`allow` needs a rule in parentheses".into(), HELP.into()),
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
                    Some(rule) => allowed.push(AllowedRule {
                        file,
                        scope: SuppressedFindings {
                            rule,
                            file: file.path(db).clone(),
                            about: (!remark.precedes_all_code).then(|| remark.statement_range.clone()),
                        },
                        at: place(&at),
                        reason: reason.clone(),
                        used: false,
                    }),
                    None => mistake(
                        &at,
                        unknown_rule_message(name),
                        "name a rule that `tangle rules` lists".into(),
                    ),
                }
            }
        }
        ("" | "uniform" | "launch", _) => {}
        (word, arguments)
            if OTHER_TOOL_WORDS.contains(&word)
                && (arguments.is_some() || suppresses(&file.text(db)[word_at.end..remark.text.end])) =>
        {
            mistake(&word_at, format!("`{word}` is not supported"), HELP.into());
        }
        // Other words without parentheses are prose.
        (_, None) => {}
        (word, Some(_)) => {
            let help = "write `allow(…)`, `uniform(…)` or `launch(…)`";
            mistake(&word_at, format!("unknown comment `{word}(…)`"), help.into());
        }
    }
}

/// Whether the text after a word such as `ignore` shows that the comment is meant to suppress findings. Otherwise the
/// comment is prose.
fn suppresses(rest: &str) -> bool {
    let rest = rest.trim();
    let first = rest.split([' ', ',']).next().unwrap_or_default();
    rest.is_empty() || rest.starts_with(':') || rule(first).is_some()
}
