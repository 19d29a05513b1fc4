//! The causes of a verdict in the words of the source: from the explained value or branch to the source of divergence.
//!
//! ```c
//! int i = get_local_id(0);
//! if (i < n) x = 1;         // the branch: `i` ← `get_local_id(0)`, line 1
//! y = x;                    // `x`: paths that part at `i < n`, line 2 ← `i` ← `get_local_id(0)`, line 1
//! ```

use tangle_analysis::uniformity::Fact;
use tangle_analysis::uniformity::analysis::Analysis;
use tangle_analysis::uniformity::cause::Subject;
use tangle_grammar::ast::Span;
use tangle_hir::body::Body;
use tangle_rules::Bypass;
use tangle_rules::wording::uniformity::{Step, smallest_divergent_scope, steps};
use tangle_syntax::dialect::Scope;

use super::position::ItemAt;

/// The maximum number of steps of a chain of causes.
const MAX_STEPS: usize = 4;

/// The maximum length of a quoted call, in characters.
const MAX_QUOTED: usize = 40;

/// Returns the chain of causes of a verdict: `cause, line 3 ← cause ← source, line 2`. Empty without a cause.
pub fn chain(
    (item, body): (&ItemAt, &Body),
    analysis: &Analysis,
    (subject, fact, scope): (Subject, Fact, Scope),
) -> String {
    let scope = smallest_divergent_scope(fact.divergence).map_or(scope, |it| it.min(scope));
    let mut causes: Vec<Cause> = Vec::new();
    for step in steps(analysis, subject, scope, &|span| item.text(span)) {
        let Some(cause) = Cause::of((item, body), analysis, &step, (subject, scope)) else { continue };
        match causes.last_mut() {
            // A variable that is changed in a loop: its first value is the cause.
            Some(before) if before.words == cause.words => *before = cause,
            // The condition of the branch is the source itself.
            Some(before) if before.words == format!("the branch on {}", cause.words) => {}
            _ => causes.push(cause),
        }
    }
    if causes.len() > MAX_STEPS {
        let cut = Cause { words: "…".to_owned(), place: None };
        causes.splice(MAX_STEPS - 2..causes.len() - 2, [cut]);
    }
    let line = |cause: &Cause| cause.place.map(|place| item.line(place));
    let told = causes.iter().enumerate().map(|(index, cause)| match cause.place {
        Some(place) if causes.get(index + 1).is_none_or(|next| line(next) != line(cause)) => {
            format!("{}, {}", cause.words, linked(item, place))
        }
        _ => cause.words.clone(),
    });
    told.collect::<Vec<String>>().join(" ← ")
}

/// A link of a chain of causes.
struct Cause {
    words: String,
    /// `None` for links that are left out.
    place: Option<Span>,
}

impl Cause {
    /// Returns the words for a step. `None` for a branch where threads take the same path: the branch before it decides.
    fn of(
        (item, body): (&ItemAt, &Body),
        analysis: &Analysis,
        step: &Step,
        (subject, scope): (Subject, Scope),
    ) -> Option<Cause> {
        let text = || item.text(step.span);
        let words = match &*step.what {
            "branch" => {
                let mut branches = analysis.function.blocks.iter_enumerated();
                let (block, _) = branches.find(|(_, block)| block.end == step.span)?;
                if !analysis.state.branches[block].divergence.within(scope) {
                    return None;
                }
                // The threads that are missing have left by a jump at the branch.
                if let Subject::Control(reached) = subject
                    && let Bypass::Exit(exit, kind, _) =
                        Bypass::of(body, analysis.function.blocks[reached].stmt, step.span)
                {
                    let words = format!("`{}`", kind.as_str());
                    return Some(Cause { words, place: Some(body.stmts[exit].span) });
                }
                format!("the branch on `{}`", text())
            }
            "join" => format!("paths that part at `{}`", text()),
            "loop-exit" => format!("the loop over `{}`", text()),
            "irreducible-cycle" => "a cycle of `goto`s".to_owned(),
            "store" => format!("`{}`", text()),
            "memory" => "memory".to_owned(),
            name => match text() {
                call if call.starts_with(name)
                    && call.ends_with(')')
                    && call.chars().count() <= MAX_QUOTED =>
                {
                    format!("`{call}`")
                }
                _ => format!("`{name}`"),
            },
        };
        Some(Cause { words, place: Some(step.span) })
    }
}

/// Returns the line of a span, as a link if it is in the document.
pub fn linked(item: &ItemAt, span: Span) -> String {
    let line = item.line(span);
    match item.bytes(span) {
        Some(_) => format!("[line {line}]({}#L{line})", item.view.document.uri),
        None => format!("line {line}"),
    }
}
