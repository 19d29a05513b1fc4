//! How rules name what stands in the source.

use tangle_grammar::ast::Span;

use crate::subject::Subject;
use tangle_analysis::tangle::print::label_span;
use tangle_hir::body::{Body, StmtId};
use tangle_syntax::items::TextRange;

/// A label as the source has it, without its colon: `out`, `case 2`, `default`.
pub(super) fn label_text(subject: &Subject, body: &Body, label: StmtId) -> String {
    spelled(subject, label_span(body, label))
}

/// The tokens of a span up to a colon, with spaces between words only.
pub(super) fn spelled(subject: &Subject, span: Span) -> String {
    let tokens = subject.item.tokens(subject.db).0.tokens();
    let tokens = &tokens[span.start as usize..(span.end as usize).min(tokens.len())];
    let mut text = String::new();
    for token in tokens {
        let spelling = tangle_grammar::lex::spelling(token.kind, token.text);
        if spelling == ":" {
            break;
        }
        let word =
            |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '"' || c == '\'');
        if word(text.chars().last()) && word(spelling.chars().next()) {
            text.push(' ');
        }
        text += spelling;
    }
    text
}

/// What stands in the source at a span, on one line; where a macro stands there, what it comes down to.
pub(super) fn as_written(subject: &Subject, span: Span) -> String {
    let spelled = spelled(subject, span);
    let TextRange { file, range } = subject.locator.locate(span).at;
    let whole = file.text(subject.db);
    let text = whole.get(range).unwrap_or_default();
    let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    match letters(text) == letters(&spelled) {
        true => text.split_whitespace().collect::<Vec<_>>().join(" "),
        false => spelled,
    }
}

/// How many names or values a sentence holds.
const LISTED: usize = 4;

/// `A`, `B` and 3 others.
pub(super) fn listed(names: &[String], word: &str) -> String {
    let mut listed: Vec<String> = names.iter().take(LISTED).cloned().collect();
    match names.len() - listed.len() {
        0 => {}
        1 => listed.push("one other".to_owned()),
        more => listed.push(format!("{more} others")),
    }
    match listed.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} {word} {last}", before.join(", ")),
        None => String::new(),
    }
}
