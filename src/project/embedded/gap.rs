//! The host code between two pieces. It decides whether the pieces are concatenated, and which items are written
//! between them.
//!
//! ```text
//! ss << "int a = " << n << ";" << std::endl;      values and line breaks of one expression
//! ss << indent;                                   a statement in between that writes to the same target
//! ss << "barrier(1);";                            statements that write to the same target are concatenated
//! ```

use std::ops::Range;

use super::names::begins_function;
use super::pieces::{self, Piece};
use super::tokens::{Token, tokens};

/// The maximum length of the code between pieces that are concatenated only because a brace of the program is open, in
/// bytes.
const GAP: usize = 400;
/// Keywords and operators that make a write depend on control flow of the host.
const CONTROL: &[&str] =
    &["if", "else", "for", "while", "do", "switch", "case", "default", "try", "catch", "{", "}", "?"];
/// Operators that write to a target. Calls also write.
const WRITES: &[&str] = &["<<", "+=", "="];

/// A part of the program that the host writes between two pieces, with its location in the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GapItem {
    /// A value that only the host knows.
    Value(Range<usize>),
    LineBreak(usize),
}

impl GapItem {
    pub fn start(&self) -> usize {
        match self {
            GapItem::Value(range) => range.start,
            GapItem::LineBreak(at) => *at,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Gap {
    pub items: Vec<GapItem>,
    /// The written text depends on control flow of the host, or other code uses the target as well.
    pub is_conditional: bool,
    /// The target of the statement that writes the piece after the gap, as a range in the host.
    pub target: Option<Range<usize>>,
}

/// Returns the gap before the first piece of a program.
pub fn before_first(host: &str, piece: &Piece) -> Gap {
    let bytes = &host.as_bytes()[piece.range.start.saturating_sub(GAP)..piece.range.start];
    let begin = bytes.iter().rposition(|byte| matches!(byte, b';' | b'{' | b'}')).map_or(0, |at| at + 1);
    let start = piece.range.start - bytes.len() + begin;
    let head = host.get(start..piece.range.start).map(pieces::code);
    let target = head.and_then(|head| Some(target(WriteStatement::of(&tokens(&head, start))?.target)));
    Gap { target, ..Gap::default() }
}

/// Returns the gap between two pieces, or `None` if they belong to different programs. `first` is the gap before the
/// first of the two. `open`: a brace or parenthesis of the program is open between them.
pub fn between(host: &str, [before, piece]: [&Piece; 2], first: &Gap, open: bool) -> Option<Gap> {
    let same_target = || first.target.clone();
    if piece.is_adjacent {
        return Some(Gap { target: same_target(), ..Gap::default() });
    }
    let start = before.range.end;
    let code = pieces::code(&host[start..piece.range.start]);
    let tokens = tokens(&code, start);
    let is_short = tokens.iter().map(|token| token.text.len()).sum::<usize>() <= GAP;
    if begins_definition(&tokens) && (!is_short || begins_function(&host[piece.content.clone()])) {
        return None;
    }
    let mut gap =
        Gap { is_conditional: tokens.iter().any(|token| CONTROL.contains(&token.text)), ..Gap::default() };
    let statements = split(&tokens, &[";", "{", "}"]);
    let joins = match &statements[..] {
        [rest] => {
            gap.target = same_target();
            within_statement(rest, &mut gap.items)
        }
        [rest, middle @ .., head] => {
            let write = WriteStatement::of(head);
            gap.target = write.as_ref().map(|write| target(write.target));
            let name = |range: &Range<usize>| &host[range.clone()];
            let written = first.target.as_ref().map(name);
            let same = written.is_some() && gap.target.as_ref().map(name) == written;
            if same {
                rest_of_statement(rest, &mut gap.items);
            }
            // `source` in `source.append`.
            let whole = written.map(|written| written.split(['.', '-', ':']).next().unwrap_or_default());
            for statement in middle {
                match WriteStatement::of(statement) {
                    Some(write) if same && Some(name(&target(write.target))) == written => {
                        write.items(&mut gap.items);
                    }
                    _ => gap.is_conditional |= statement.iter().any(|token| Some(token.text) == whole),
                }
            }
            if let (Some(write), true) = (write, same) {
                gap.is_conditional |= !write.items_of_head(&mut gap.items);
            }
            let has_braces = tokens.iter().any(|token| matches!(token.text, "{" | "}"));
            same && (open || !has_braces)
        }
        [] => false,
    };
    gap.items = merged(gap.items, &tokens);
    if !joins {
        gap.items.clear();
        let is_list = |token: &Token| matches!(token.text, "," | "(" | ")" | "@");
        gap.is_conditional |= statements.len() < 2 && !tokens.iter().all(is_list);
    }
    (joins || (open && is_short)).then_some(gap)
}

/// Splits tokens at separators outside of parentheses.
fn split<'t, 'c>(tokens: &'t [Token<'c>], separators: &[&str]) -> Vec<&'t [Token<'c>]> {
    let mut depth = 0_usize;
    let separates = |token: &Token| {
        match token.text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            text => return depth == 0 && separators.contains(&text),
        }
        false
    };
    tokens.split(separates).collect()
}

/// Returns whether a function or a class of the host begins in these tokens.
fn begins_definition(tokens: &[Token]) -> bool {
    let (mut statement, mut depth) = (0, 0_usize);
    tokens.iter().enumerate().any(|(index, token)| {
        let head = &tokens[statement..index];
        match token.text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            ";" if depth == 0 => statement = index + 1,
            "{" | "}" => (statement, depth) = (index + 1, 0),
            _ => {}
        }
        let is_head = |first: &Token| first.is_word() && !CONTROL.contains(&first.text);
        // A single word before the parenthesis is a macro, such as `FOREACH(…) {`.
        let names = head.iter().take_while(|token| token.text != "(").count();
        token.text == "{"
            && head.first().is_some_and(is_head)
            && names > 1
            // With `=` or `[`, it is a list of values or a lambda.
            && !head.iter().any(|token| matches!(token.text, "=" | "["))
    })
}

/// Adds the items between two pieces of one statement. Returns false if the pieces are not concatenated.
fn within_statement(rest: &[Token], items: &mut Vec<GapItem>) -> bool {
    let closed = rest.iter().take_while(|token| token.text == ")").count();
    let rest = &rest[closed..];
    match rest {
        // The other operand of `?:`.
        [Token { text: ":", .. }] => true,
        // A macro that expands to a literal.
        [name] | [name, Token { text: "(", .. }, .., Token { text: ")", .. }]
            if name.is_word() && closed == 0 =>
        {
            add(rest, items);
            true
        }
        [operator @ Token { text: "<<" | "+", .. }, rest @ ..] => {
            let parts = split(rest, &[operator.text]);
            let Some((last, values)) = parts.split_last() else { return false };
            values.iter().for_each(|value| add(value, items));
            is_begin(last)
        }
        _ => false,
    }
}

/// Adds the items after a piece, up to the end of its statement.
fn rest_of_statement(rest: &[Token], items: &mut Vec<GapItem>) {
    let closed = rest.iter().take_while(|token| token.text == ")").count();
    if let [operator @ Token { text: "<<" | "+", .. }, rest @ ..] = &rest[closed..] {
        split(rest, &[operator.text]).iter().for_each(|value| add(value, items));
    }
}

/// Returns whether a piece after these tokens is a whole operand: `"…"`, `(a ? "…"` or `std::string("…")`.
fn is_begin(tokens: &[Token]) -> bool {
    matches!(
        tokens,
        [] | [Token { text: "(", .. }, .., Token { text: "?", .. }]
            | [Token { text: "string", .. }, Token { text: "(", .. }]
            | [Token { text: "std", .. }, _, Token { text: "string", .. }, Token { text: "(", .. }]
    )
}

/// Adds the item that an operand writes to the program.
fn add(mut operand: &[Token], items: &mut Vec<GapItem>) {
    while let [rest @ .., Token { text: ")", .. }] = operand
        && !rest.iter().any(|token| token.text == "(")
    {
        operand = rest;
    }
    let (Some(first), Some(last)) = (operand.first(), operand.last()) else { return };
    if matches!(first.text, "'\\n'") || (last.text == "endl" && operand.len() <= 3) {
        items.push(GapItem::LineBreak(first.at));
        return;
    }
    let end = last.end();
    items.push(GapItem::Value(first.at..end));
}

/// Merges consecutive values. Together they are at most one word of the program.
fn merged(items: Vec<GapItem>, tokens: &[Token]) -> Vec<GapItem> {
    let mut merged: Vec<GapItem> = Vec::new();
    for item in items {
        match (merged.last_mut(), &item) {
            (Some(GapItem::Value(before)), GapItem::Value(after)) => {
                let from = tokens.partition_point(|token| token.at < before.end);
                let between = tokens[from..].iter().take_while(|token| token.at < after.start);
                if between.into_iter().any(|token| CONTROL.contains(&token.text)) {
                    merged.push(item);
                } else {
                    before.end = after.end;
                }
            }
            _ => merged.push(item),
        }
    }
    merged
}

/// A statement that writes to a target: `target << …`, `target(…) << …`, `target += …`, `target = …` or `target(…)`.
struct WriteStatement<'t, 'c> {
    target: &'t [Token<'c>],
    operator: &'c str,
    operands: &'t [Token<'c>],
}

impl<'t, 'c> WriteStatement<'t, 'c> {
    fn of(statement: &'t [Token<'c>]) -> Option<WriteStatement<'t, 'c>> {
        let (mut depth, mut call, mut operator) = (0_usize, None, None);
        for (index, token) in statement.iter().enumerate() {
            match token.text {
                "(" => {
                    if depth == 0 && index > 0 && statement[index - 1].is_word() {
                        call = Some(index);
                    }
                    depth += 1;
                }
                ")" => depth = depth.saturating_sub(1),
                text if depth == 0 && WRITES.contains(&text) => {
                    operator = Some(index);
                    break;
                }
                _ => {}
            }
        }
        // `target(…) <<`: the call precedes the operator.
        let is_call =
            |call: usize, end: usize| statement[call..end].last().is_some_and(|token| token.text == ")");
        let (end, begin) = match (call, operator) {
            (Some(call), Some(operator)) if is_call(call, operator) => (call, operator),
            (_, Some(operator)) => (operator, operator),
            (Some(call), None) => (call, call),
            (None, None) => return None,
        };
        let is_name = |token: &&Token| token.is_word() || matches!(token.text, "." | "->" | "::");
        // Two consecutive words are a type and a name.
        let mut before = None;
        let length = statement[..end]
            .iter()
            .rev()
            .take_while(is_name)
            .take_while(|token| {
                let joins = before.is_none_or(|before: &Token| before.is_word() != token.is_word());
                before = Some(*token);
                joins
            })
            .count();
        (length > 0).then(|| WriteStatement {
            target: &statement[end - length..end],
            operator: statement[begin].text,
            operands: &statement[begin + 1..],
        })
    }

    fn parts(&self) -> Vec<&'t [Token<'c>]> {
        split(self.operands, &[if self.operator == "<<" { "<<" } else { "+" }])
    }

    /// Adds the items that a whole statement writes.
    fn items(&self, items: &mut Vec<GapItem>) {
        self.parts().iter().for_each(|value| add(value, items));
    }

    /// Adds the items that a statement writes before the next piece. Returns false if the piece is only a part of an
    /// operand.
    fn items_of_head(&self, items: &mut Vec<GapItem>) -> bool {
        let parts = self.parts();
        let Some((last, values)) = parts.split_last() else { return true };
        values.iter().for_each(|value| add(value, items));
        is_begin(last)
    }
}

/// Returns the range of a name, which must not be empty.
fn target(name: &[Token]) -> Range<usize> {
    name[0].at..name[name.len() - 1].end()
}
