//! The kind of text at an offset: device code, host code, comment or literal.

use std::ops::Range;

use tangle_grammar::lex::{LexToken, comments};
use tangle_grammar::token::TokenKind;
use tangle_syntax::items::{spans, tokens};

use super::position::TokenAt;
use crate::snapshot::View;

/// Returns whether a name can be typed at an offset: not in a comment, and not in or directly after a number or another
/// literal.
pub fn is_code(view: &View, offset: usize) -> bool {
    let spans = spans(view.db, view.file);
    let before = offset.checked_sub(1).and_then(|before| spans.token_at(before));
    let touched = before.filter(|&token| offset <= spans.get(token).end);
    let lexed = tokens(view.db, view.file);
    let kind = touched.and_then(|token| lexed.tokens.get(token as usize)).map(|token| token.kind);
    !matches!(kind, Some(TokenKind::Number | TokenKind::String | TokenKind::Character))
        && !in_comment(view, offset)
}

/// Returns whether an offset is in host code: inside braces that belong neither to a namespace nor to device code.
pub fn is_host_code(view: &View, offset: usize) -> bool {
    if !view.has_host_code() {
        return false;
    }
    let (spans, lexed) = (spans(view.db, view.file), tokens(view.db, view.file));
    // The open braces, with `None` for braces around items; and the tokens since the last brace or `;`.
    let mut open: Vec<Option<u32>> = Vec::new();
    let mut head: Vec<LexToken> = Vec::new();
    for (number, token) in
        lexed.outside_directives().take_while(|&(number, _)| spans.get(number).start < offset)
    {
        match token.spelling() {
            "{" => open.push((!holds_items(&head)).then_some(number)),
            "}" => _ = open.pop(),
            ";" => {}
            _ => {
                head.push(token);
                continue;
            }
        }
        head.clear();
    }
    let Some(brace) = open.into_iter().flatten().next() else { return false };
    let at = TokenAt::find(*view, view.position(spans.get(brace).start));
    at.is_none_or(|at| at.item.is_host())
}

/// Returns whether the brace after these tokens belongs to a namespace or to `extern "C"`.
fn holds_items(head: &[LexToken]) -> bool {
    match head {
        [first, ..] if first.spelling() == "namespace" => true,
        [first, second, ..] if first.spelling() == "inline" => second.spelling() == "namespace",
        [first, second] => first.spelling() == "extern" && second.kind == TokenKind::String,
        _ => false,
    }
}

/// Returns whether an offset is inside a comment. A `//` comment includes the end of its line.
pub fn in_comment(view: &View, offset: usize) -> bool {
    let Some(comment) = comment_at(view, offset) else { return false };
    let open = view.text().text()[comment.clone()].starts_with("//");
    comment.start < offset && (offset < comment.end || open)
}

/// Returns the comment that contains or touches an offset. Comments are between tokens.
pub fn comment_at(view: &View, offset: usize) -> Option<Range<usize>> {
    let (spans, text) = (spans(view.db, view.file), view.text().text());
    let before = spans.token_at(offset);
    if before.is_some_and(|before| offset < spans.get(before).end) {
        return None;
    }
    let next = before.map_or(0, |before| before + 1);
    let from = before.map_or(0, |before| spans.get(before).end);
    let to = if (next as usize) < spans.len() { spans.get(next).start } else { text.len() };
    let between = text.get(from..to)?;
    // A carriage return at the end of a line is not part of the comment.
    let own = |comment: Range<usize>| {
        let end = comment.start + between[comment.clone()].trim_end_matches('\r').len();
        from + comment.start..from + end
    };
    let mut all = comments(between).map(own);
    all.find(|comment| comment.start <= offset && offset <= comment.end)
}
