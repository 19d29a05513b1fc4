//! The text that conditions of the preprocessor leave out, as faded diagnostics with the reason.
//!
//! ```c
//! #ifdef USE_TILES      // `USE_TILES` is not defined
//!   barrier(1);         // faded
//! #else
//!   ...
//! #endif
//! ```
//!
//! **Group**: the lines after `#if`, `#elif` or `#else` up to the next directive of the same condition. It is inactive if
//! no build of the document includes it. Groups inside an inactive group are part of it.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::lex::Lexed;
use tangle_syntax::items::{spans, tokens, unit};
use tangle_syntax::preprocess::{SkippedGroup, UndefinedName};
use tower_lsp::lsp_types::{Diagnostic, DiagnosticSeverity, DiagnosticTag, NumberOrString};

use crate::snapshot::View;

/// The code of these diagnostics. It is the name of no rule, because such text is no mistake.
const CODE: &str = "inactive-code";

/// Returns a diagnostic for each inactive group of a document.
pub fn diagnostics(view: &View) -> Vec<Diagnostic> {
    // The host code of CUDA and HIP has conditions of its own.
    let of_device = if view.has_host_code() { " of device code" } else { "" };
    let diagnostic = |Inactive { text, reason }| Diagnostic {
        range: view.range(&text),
        severity: Some(DiagnosticSeverity::HINT),
        code: Some(NumberOrString::String(CODE.into())),
        source: Some("tangle".into()),
        message: format!("this text is left out{of_device}: {reason}"),
        tags: Some(vec![DiagnosticTag::UNNECESSARY]),
        ..Diagnostic::default()
    };
    inactive(view).into_iter().map(diagnostic).collect()
}

/// An inactive group.
struct Inactive {
    /// Its lines.
    text: Range<usize>,
    reason: String,
}

/// A condition that is open at some place in the file.
struct Open {
    /// Whether a group of it is active.
    has_active: bool,
    /// The current group, by the token after the `#` of its directive, if it is inactive and not part of another one.
    inactive: Option<u32>,
}

/// Finds the inactive groups of a document. The directives of its text begin and end groups, and each build knows the
/// active ones.
fn inactive(view: &View) -> Vec<Inactive> {
    let lexed = tokens(view.db, view.file);
    if lexed.directives.is_empty() {
        return Vec::new();
    }
    let file = view.file.id(view.db);
    let units: Vec<_> =
        view.analysis.builds.iter().map(|build| unit(view.db, view.root, build.build.0)).collect();
    let taken = units.iter().flat_map(|unit| unit.0.conditions.taken());
    let active: FxHashSet<u32> =
        taken.filter(|(of, _)| *of == file).map(|(_, directive)| directive).collect();
    let left_out = units.iter().flat_map(|unit| unit.0.conditions.left_out());
    let left_out: FxHashMap<u32, &SkippedGroup> =
        left_out.filter(|group| group.file == file).map(|group| (group.directive, group)).collect();
    let mut found = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    for &hash in &lexed.directives {
        let name = hash + 1;
        let word = lexed.tokens.get(name as usize).map_or("", |token| token.spelling());
        let (begins, ends) = match word {
            "if" | "ifdef" | "ifndef" => (true, false),
            "elif" | "elifdef" | "elifndef" | "else" => (true, true),
            "endif" => (false, true),
            _ => continue,
        };
        let mut before = None;
        if ends {
            let Some(ended) = open.pop() else { continue };
            if let Some(directive) = ended.inactive {
                let reason = reason(&lexed, directive, ended.has_active, left_out.get(&directive).copied());
                found.extend(lines(view, &lexed, directive, hash).map(|text| Inactive { text, reason }));
            }
            before = Some(ended.has_active);
        }
        if begins {
            let is_active = active.contains(&name);
            let is_part = open.iter().any(|around| around.inactive.is_some());
            open.push(Open {
                has_active: before.unwrap_or(false) || is_active,
                inactive: (!is_active && !is_part).then_some(name),
            });
        }
    }
    found
}

/// Returns the lines of a group, without its directive. `None` if they are empty.
fn lines(view: &View, lexed: &Lexed, directive: u32, end: u32) -> Option<Range<usize>> {
    let spans = spans(view.db, view.file);
    let rest = &lexed.tokens[directive as usize + 1..];
    let further = rest.iter().take_while(|token| !token.flags.line_start()).count() as u32;
    let text = view.text();
    let line = |offset: usize| text.position(offset).line;
    // A directive can continue on further lines, so the text begins after its last token.
    let start = text.line_range(line(spans.get(directive + further).end) + 1).start;
    let end = text.line_range(line(spans.get(end).start) - 1).end;
    let is_blank =
        |range: &Range<usize>| text.text().get(range.clone()).is_none_or(|it| it.trim().is_empty());
    Some(start..end).filter(|range| !is_blank(range))
}

/// Returns why a group is inactive, as a clause.
fn reason(lexed: &Lexed, directive: u32, has_active: bool, left_out: Option<&SkippedGroup>) -> String {
    if let Some(group) = left_out {
        let name = |missing: &UndefinedName| match missing.is_default {
            true => format!("`{}` has its default value", missing.name),
            false => format!("`{}` is not defined", missing.name),
        };
        let names: Vec<String> = group.missing.iter().map(name).collect();
        return names.join(", ");
    }
    let word = lexed.tokens[directive as usize].spelling();
    let is_first = matches!(word, "if" | "ifdef" | "ifndef");
    match has_active && !is_first {
        true => "another branch of this condition is taken".to_owned(),
        false => format!("the condition of this `#{word}` is false"),
    }
}
