//! The edit that adds a suppression to a text.
//!
//! ```c
//! barrier(1); // tangle: allow(divergent-barrier): reason      first choice: after the code of the line
//! // tangle: allow(divergent-barrier): reason                  if a comment ends the line: before the statement
//! barrier(1); // all work-items
//! f(); barrier(1); /* tangle: allow(…): reason */ // all       if the statement begins elsewhere
//! ```
//!
//! The choices are tried in order. A choice is valid if its comment covers the location in the changed text, and if all
//! tokens stay the same.

use std::ops::Range;

use tangle_grammar::lex::{Lexed, Spans, comments};

use tangle_syntax::items::{ControlComment, lex_text, remarks_of};

/// The reason of an added suppression, for the user to replace.
pub const NO_REASON: &str = "TODO say why";

/// The maximum length of a line with an added comment, in characters. Longer lines are used only if the comment cannot
/// be on a line of its own.
const MAX_LINE: usize = 120;

/// A text that replaces a byte range of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuppressionEdit {
    pub range: Range<usize>,
    pub text: String,
}

impl SuppressionEdit {
    pub fn applied(&self, text: &str) -> String {
        [&text[..self.range.start], &self.text, &text[self.range.end..]].concat()
    }
}

/// Whether a text can be the reason of a suppression, in a line comment and in a block comment.
pub fn is_reason(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && !text.contains(['\n', '\r'])
        && !["*/", "/*", "??/"].iter().any(|end| text.contains(end))
        && !text.ends_with('\\')
}

/// Returns the edit that suppresses rules at a location. If a comment with this reason covers the location, the edit
/// adds the rules to it. `None` if no comment can be added without a change of the tokens, as within continued lines.
pub fn add_suppression(
    path: &str,
    text: &str,
    at: &Range<usize>,
    rules: &[&str],
    reason: &str,
) -> Option<SuppressionEdit> {
    let page = TextWithPath { path, text };
    let before = lex_text(path, text);
    let own = page.line(at.start);
    let comment = format!("tangle: allow({}): {reason}", rules.join(", "));
    let remark = |insertion: &SuppressionEdit| page.remark(insertion, at, &before.0);

    if let Some(insertion) = page.extend_existing(at, rules, reason, &before)
        && remark(&insertion).is_some()
    {
        return Some(insertion);
    }
    let after_code = |comment: String| {
        let last = before.1.get(before.1.token_at(own.end)?);
        let rest = text.get(last.end..own.end)?;
        let is_code = own.start < last.end && !page.is_continued(&own);
        is_code.then(|| (rest, SuppressionEdit { range: last.end..last.end, text: format!(" {comment}") }))
    };
    let at_end = after_code(format!("// {comment}")).filter(|(rest, _)| rest.trim().is_empty());
    let at_end = at_end.map(|(_, SuppressionEdit { text, .. })| {
        let code = text_end(page.text, &own);
        SuppressionEdit { range: code..own.end, text }
    });
    let at_end = at_end.filter(|insertion| remark(insertion).is_some());
    let length = |insertion: &SuppressionEdit| {
        text[own.start..insertion.range.start].chars().count() + insertion.text.chars().count()
    };
    if let Some(insertion) = at_end.as_ref().filter(|insertion| length(insertion) <= MAX_LINE) {
        return Some(insertion.clone());
    }
    let first = page.first_line(own.clone());
    let indent = &text[first.start..][..text[first.clone()].len() - text[first.clone()].trim_start().len()];
    let line_end = if text[first.end..].starts_with('\r') { "\r\n" } else { "\n" };
    let above =
        SuppressionEdit { range: first.start..first.start, text: format!("{indent}// {comment}{line_end}") };
    let covered = remark(&above);
    // The comment covers a statement without substatements: no finding elsewhere is suppressed.
    if covered.as_ref().is_some_and(|remark| remark.statement_range == remark.about) {
        return Some(above);
    }
    let within = after_code(format!("/* {comment} */")).map(|(_, insertion)| insertion);
    let within = at_end.or(within.filter(|insertion| remark(insertion).is_some()));
    within.or(covered.map(|_| above))
}

/// Returns the end of the text of a line, before its trailing white space.
fn text_end(text: &str, line: &Range<usize>) -> usize {
    line.start + text[line.clone()].trim_end().len()
}

struct TextWithPath<'a> {
    path: &'a str,
    text: &'a str,
}

impl TextWithPath<'_> {
    /// Returns the line that contains an offset, without its line end.
    fn line(&self, at: usize) -> Range<usize> {
        let start = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        let end = self.text[at..].find('\n').map_or(self.text.len(), |length| at + length);
        start..start + self.text[start..end].trim_end_matches('\r').len()
    }

    /// Whether a line continues the line before it, or the next line continues it.
    fn is_continued(&self, line: &Range<usize>) -> bool {
        self.continues(line) || self.text[line.clone()].trim_end().ends_with('\\')
    }

    fn continues(&self, line: &Range<usize>) -> bool {
        line.start > 0 && self.text[self.line(line.start - 1)].trim_end().ends_with('\\')
    }

    /// Returns the nearest line, from this one upwards, that does not begin inside a token, comment or continued line.
    fn first_line(&self, mut line: Range<usize>) -> Range<usize> {
        let (_, spans) = lex_text(self.path, self.text);
        let is_inside = |at: usize| {
            let token = spans.token_at(at).map(|token| spans.get(token));
            let end = token.as_ref().map_or(0, |token| token.end);
            token.is_some_and(|token| token.start < at && at < token.end)
                || comments(&self.text[end.min(at)..])
                    .map(|comment| comment.start + end..comment.end + end)
                    .take_while(|comment| comment.start < at)
                    .any(|comment| at < comment.end)
        };
        while line.start > 0 && (self.continues(&line) || is_inside(line.start)) {
            line = self.line(line.start - 1);
        }
        line
    }

    /// Returns the inserted comment, if it covers the location and changes no token.
    fn remark(
        &self,
        insertion: &SuppressionEdit,
        at: &Range<usize>,
        before: &Lexed,
    ) -> Option<ControlComment> {
        let text = insertion.applied(self.text);
        let (tokens, spans) = lex_text(self.path, &text);
        if tokens.tokens != before.tokens {
            return None;
        }
        let (added, removed) = (insertion.text.len(), insertion.range.len());
        let at = if at.start >= insertion.range.end { at.start + added - removed } else { at.start };
        let inserted = insertion.range.start..insertion.range.start + added;
        let remarks = remarks_of(&text, &tokens, &spans);
        let is_ours = |remark: &ControlComment| {
            let touches = remark.text.start < inserted.end && inserted.start < remark.text.end;
            touches && !remark.precedes_all_code && remark.statement_range.contains(&at)
        };
        remarks.into_iter().find(is_ours)
    }

    /// Returns the edit that adds the rules to a comment with the same reason.
    fn extend_existing(
        &self,
        at: &Range<usize>,
        rules: &[&str],
        reason: &str,
        (tokens, spans): &(Lexed, Spans),
    ) -> Option<SuppressionEdit> {
        let remarks = remarks_of(self.text, tokens, spans);
        // A comment before a block would suppress the rules in the whole block.
        let mut near = remarks.iter().filter(|remark| {
            !remark.precedes_all_code
                && remark.statement_range == remark.about
                && remark.statement_range.contains(&at.start)
        });
        near.find_map(|remark| {
            let request = remark.request(self.text);
            let arguments = request.arguments.as_ref()?;
            let (_, last) = arguments.last()?;
            let has_one = arguments.iter().any(|(name, _)| rules.contains(name));
            let fits = request.word == "allow" && request.reason == reason && !has_one;
            fits.then(|| SuppressionEdit {
                range: last.end..last.end,
                text: format!(", {}", rules.join(", ")),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text after a rule is suppressed at each `@`.
    fn added(path: &str, text: &str) -> Option<String> {
        let mut text = text.to_owned();
        while let Some(at) = text.rfind('@') {
            text.remove(at);
            text = add_suppression(path, &text, &(at..at + 1), &["r"], "why")?.applied(&text);
        }
        Some(text)
    }

    fn check(before: &str, after: &str) {
        assert_eq!(added("k.cl", &format!("x;\n{before}y;\n")).unwrap(), format!("x;\n{after}y;\n"));
    }

    #[test]
    fn comment_is_placed_after_the_code_of_the_line() {
        check("  @f();\n", "  f(); // tangle: allow(r): why\n");
        check("\t@f(1,  \r\n\t\t2);\r\n", "\tf(1, // tangle: allow(r): why\r\n\t\t2);\r\n");
        check("#include @\"a.h\"\n", "#include \"a.h\" // tangle: allow(r): why\n");
        check("if (@a) {\nf(); }\n", "if (a) { // tangle: allow(r): why\nf(); }\n");
    }

    #[test]
    fn comment_is_placed_before_a_statement_with_a_comment() {
        check("  @f(); // all\r\n", "  // tangle: allow(r): why\r\n  f(); // all\r\n");
        check("  @f( /* one\ntwo */ 1);\n", "  // tangle: allow(r): why\n  f( /* one\ntwo */ 1);\n");
    }

    #[test]
    fn comment_is_placed_in_line_to_avoid_covering_a_block() {
        check("  if (@a) { // all\nf(); }\n", "  if (a) { /* tangle: allow(r): why */ // all\nf(); }\n");
        check("  g(); @f(); // all\n", "  g(); f(); /* tangle: allow(r): why */ // all\n");
    }

    #[test]
    fn comment_is_placed_before_a_long_line_if_possible() {
        let call = format!("f({});", "a".repeat(100));
        check(&format!("  @{call}\n"), &format!("  // tangle: allow(r): why\n  {call}\n"));
        check(&format!("  g(); @{call}\n"), &format!("  g(); {call} // tangle: allow(r): why\n"));
    }

    #[test]
    fn rule_is_added_to_comment_with_same_reason() {
        check("f(); @g(); // tangle: allow(a): why\n", "f(); g(); // tangle: allow(a, r): why\n");
        check("// tangle: allow(a): why\n@g();\n", "// tangle: allow(a, r): why\ng();\n");
        let other = "// tangle: allow(a): other";
        check(&format!("@g(); {other}\n"), &format!("// tangle: allow(r): why\ng(); {other}\n"));
    }

    #[test]
    fn comment_without_effect_or_changing_tokens_is_not_added() {
        // A comment before the first token would cover the whole file.
        assert_eq!(added("k.cl", "@f(); // all\n").unwrap(), "f(); /* tangle: allow(r): why */ // all\n");
        assert_eq!(added("k.cl", "x; f(1, \\\n 2); @g(); \\\nh();\n"), None);
        assert_eq!(added("k.cl", "@// tangle: allow\n"), None);
    }

    #[test]
    fn reason_must_fit_into_any_comment() {
        assert!(is_reason("see #12: n is a multiple of 64"));
        for text in ["", " ", "a\nb", "a */ b", "a \\", "a ??/"] {
            assert!(!is_reason(text), "{text:?}");
        }
    }
}
