//! Quotes from the source, and lists, for the messages of rules.

use tangle_grammar::ast::Span;

use crate::item_context::Subject;
use tangle_analysis::tangle::print::label_span;
use tangle_hir::body::{Body, StmtId};

/// Returns a label as in the source, without its colon: `out`, `case 2`, `default`.
pub(super) fn label_text(subject: &Subject, body: &Body, label: StmtId) -> String {
    // The colon of `case n ? 1 : 2:` is the one that belongs to no `?`.
    let mut conditionals = 0;
    let mut is_inside = |spelling: &str| {
        match spelling {
            "?" => conditionals += 1,
            ":" if conditionals == 0 => return false,
            ":" => conditionals -= 1,
            _ => {}
        }
        true
    };
    joined(spellings(subject, label_span(body, label)).take_while(|it| is_inside(it)))
}

/// Returns the tokens of a span, with spaces only between words.
pub(super) fn token_text(subject: &Subject, span: Span) -> String {
    joined(spellings(subject, span))
}

fn spellings(subject: &Subject, span: Span) -> impl Iterator<Item = &'static str> {
    let tokens = subject.item.tokens(subject.db).0.tokens();
    let tokens = &tokens[span.start as usize..(span.end as usize).min(tokens.len())];
    tokens.iter().map(|token| tangle_grammar::lex::spelling(token.kind, token.text))
}

fn joined(spellings: impl Iterator<Item = &'static str>) -> String {
    let is_word =
        |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '"' || c == '\'');
    let mut text = String::new();
    for spelling in spellings {
        if is_word(text.chars().last()) && is_word(spelling.chars().next()) {
            text.push(' ');
        }
        text += spelling;
    }
    text
}

/// Returns the source text of a span on one line. If it differs from the tokens, as for a macro, returns the tokens as
/// [`spelled`].
pub(super) fn source_text(subject: &Subject, span: Span) -> String {
    let spelled = token_text(subject, span);
    let text = subject.locator.text(&subject.locator.locate(span).at);
    let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    match letters(&text) == letters(&spelled) {
        true => text.split_whitespace().collect::<Vec<_>>().join(" "),
        false => spelled,
    }
}

/// The maximum number of names or values that a message lists.
const LISTED: usize = 4;

/// Returns a list of names, such as `A, B and 3 others`. `word` is between the last two entries.
pub(super) fn join_list(names: &[String], word: &str) -> String {
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
