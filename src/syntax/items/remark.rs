//! The comments for this tool: comments that begin with `tangle:`.
//!
//! ```c
//! // tangle: allow(syntax-error): at the top, before any token: the whole file
//! kernel void k(global int *p) {
//!   barrier(1); /* tangle: allow(…): on a line with code: that line */
//!   // tangle: allow(…): on lines of its own: the statement that follows
//!   p[0] = f(p,
//!            work_group_any(p[1]));
//!   // tangle: allow(…): the whole `if`; of a `uniform`, its head
//!   if (p[0]) {
//!     barrier(1);
//!   }
//! }
//! ```
//!
//! Comments are not tokens, so values computed from tokens do not depend on them. They are found by a search in the
//! text and positioned by the tokens around them: a match inside a token is part of a literal. A file without
//! `tangle:` costs one search.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use tangle_grammar::lex::{Lexed, Spans, comments};
use tangle_grammar::token::TokenKind;

use super::extent::Extents;
use super::{spans, tokens};
use crate::db::Db;
use crate::source::SourceFile;

/// The prefix of a remark.
const PREFIX: &str = "tangle:";

/// Built once, because there are thousands of files.
static FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(PREFIX));

/// A comment that begins with `tangle:`.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct ControlComment {
    /// The text after the prefix, as a byte range, without surrounding white space.
    pub text: Range<usize>,
    /// Whether no token is before it: then it may apply to the whole file.
    pub precedes_all_code: bool,
    /// If no code shares its lines, the number of the token after it. At the end of the file, this is the number of
    /// tokens.
    pub followed_by: Option<u32>,
    /// The text that it applies to, as a byte range. If code shares its lines, these lines. Otherwise the text up to
    /// the first `;`, `{` or `}` outside parentheses: a simple statement or declaration, or the head of a larger one.
    pub about: Range<usize>,
    /// The same, with the whole statement or definition: a whole `if`, loop, block or function.
    pub statement_range: Range<usize>,
}

/// A remark with a request: `word(argument, argument): reason`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    pub word: &'a str,
    /// The byte range of the word in the file.
    pub word_at: Range<usize>,
    /// The arguments between commas outside brackets, with their byte ranges; `None` without parentheses.
    pub arguments: Option<Vec<(&'a str, Range<usize>)>>,
    /// The reason on one line; empty if there is no reason.
    pub reason: String,
}

impl ControlComment {
    /// Parses the remark as a request. `file` is the text of its file.
    pub fn request<'a>(&self, file: &'a str) -> Request<'a> {
        let text = &file[self.text.clone()];
        let name = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        let (word, rest) = text.split_at(text.find(|c| !name(c)).unwrap_or(text.len()));
        let parentheses = rest.trim_start().strip_prefix('(').and_then(|inside| inside.split_once(')'));
        let place = |part: &str| {
            // Both are slices of the same text.
            let start = part.as_ptr() as usize - file.as_ptr() as usize;
            start..start + part.len()
        };
        let arguments = parentheses.map(|(inside, _)| {
            let mut depth = 0_u32;
            let arguments = inside.split(|c| {
                match c {
                    '[' => depth += 1,
                    ']' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                c == ',' && depth == 0
            });
            let arguments = arguments.map(str::trim).filter(|argument| !argument.is_empty());
            arguments.map(|argument| (argument, place(argument))).collect()
        });
        let behind = parentheses.map_or(rest, |(_, behind)| behind).trim_start();
        let reason = behind.strip_prefix(':').unwrap_or_default();
        let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
        Request { word, word_at: place(word), arguments, reason }
    }
}

/// The remarks of a file, in order.
#[salsa::tracked]
pub fn remarks(db: &dyn Db, file: SourceFile) -> Box<[ControlComment]> {
    let text = file.text(db);
    match FINDER.find(text.as_bytes()) {
        Some(_) => remarks_of(&text, &tokens(db, file), &spans(db, file)).into(),
        None => Box::default(),
    }
}

/// The remarks of a text in a file, in order.
pub fn remarks_of(text: &str, tokens: &Lexed, spans: &Spans) -> Vec<ControlComment> {
    let first = FINDER.find(text.as_bytes());
    first.map_or_else(Vec::new, |first| Reader::new(text, tokens, spans).read(first))
}

struct Reader<'a> {
    text: &'a str,
    tokens: &'a Lexed,
    spans: &'a Spans,
    /// The last line that was looked up: a line can contain many remarks.
    line: Range<usize>,
    /// The first token and the end of the last statement that was looked up: many remarks can precede one statement.
    statement: Option<(u32, usize)>,
    /// The same for the whole statement.
    whole: Option<(u32, usize)>,
    /// Built for the first comment that shares no line with code.
    extents: Option<Extents<'a>>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, tokens: &'a Lexed, spans: &'a Spans) -> Reader<'a> {
        Reader { text, tokens, spans, line: 0..0, statement: None, whole: None, extents: None }
    }

    /// Reads all remarks. `at` is the first occurrence of the prefix.
    fn read(&mut self, at: usize) -> Vec<ControlComment> {
        let mut found = Vec::new();
        let mut next = Some(at);
        // The text before `done` has been processed.
        let mut done = 0;
        while let Some(at) = next {
            let before = self.spans.token_at(at);
            let end_before = before.map_or(0, |token| self.spans.get(token).end);
            done = if at < end_before {
                end_before
            } else {
                let after = before.map_or(0, |token| token + 1);
                let gap = end_before.max(done)..self.start(after).unwrap_or(self.text.len());
                self.gap(gap.clone(), at, before, after, &mut found)
            };
            next = FINDER.find(&self.text.as_bytes()[done..]).map(|offset| done + offset);
        }
        found
    }

    /// The start of a token, if there is a token with this number.
    fn start(&self, token: u32) -> Option<usize> {
        ((token as usize) < self.spans.len()).then(|| self.spans.get(token).start)
    }

    /// Reads the comment that contains the prefix at `at`. Returns the end of the processed text.
    fn gap(
        &mut self,
        gap: Range<usize>,
        at: usize,
        before: Option<u32>,
        after: u32,
        found: &mut Vec<ControlComment>,
    ) -> usize {
        let mut comments =
            comments(&self.text[gap.clone()]).map(|range| range.start + gap.start..range.end + gap.start);
        let comment = match comments.find(|comment| comment.end > at) {
            Some(comment) if comment.start <= at => comment,
            // A splice splits the `//` of the comment itself.
            Some(later) => return later.start,
            None => return gap.end,
        };
        let inside = self.text[comment.clone()].trim_end_matches("*/");
        let begins =
            inside.len() - inside.trim_start_matches(['/', '*', '!', '<', ' ', '\t', '\r', '\n']).len();
        if comment.start + begins == at {
            let said = &inside[begins + PREFIX.len()..];
            let start = at + PREFIX.len() + (said.len() - said.trim_start().len());
            let text = start..start + said.trim().len();
            let shares_line = self.shares_line(&comment, before, after);
            let about = self.about(&comment, shares_line, after);
            let followed_by = (!shares_line).then_some(after);
            let end = if shares_line { about.end } else { self.end_of_whole(after, about.end) };
            let covers = about.start..end;
            found.push(ControlComment {
                text,
                precedes_all_code: before.is_none(),
                followed_by,
                about,
                statement_range: covers,
            });
        }
        comment.end
    }

    /// Whether code shares a line with the comment.
    fn shares_line(&mut self, comment: &Range<usize>, before: Option<u32>, after: u32) -> bool {
        let (first, last) = (self.line(comment.start).start, self.line(comment.end).end);
        before.is_some_and(|before| self.spans.get(before).end > first)
            || self.start(after).is_some_and(|start| start < last)
    }

    fn about(&mut self, comment: &Range<usize>, shares_line: bool, after: u32) -> Range<usize> {
        let line_start = self.line(comment.start).start;
        let line_end = self.line(comment.end).end;
        let end = if shares_line { line_end } else { self.end_of_statement(after) };
        line_start..end.max(comment.end)
    }

    /// The line that contains a position, without its line break.
    fn line(&mut self, at: usize) -> Range<usize> {
        if !(self.line.start..=self.line.end).contains(&at) {
            let start = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
            let end = self.text[at..].find('\n').map_or(self.text.len(), |length| at + length);
            self.line = start..end;
        }
        self.line.clone()
    }

    /// The end of the whole statement or definition that begins with a token. `head`: the end of its head.
    fn end_of_whole(&mut self, first: u32, head: usize) -> usize {
        if let Some((known, end)) = self.whole
            && known == first
        {
            return end.max(head);
        }
        let last = self.extents.get_or_insert_with(|| Extents::new(self.tokens)).last(first);
        let end = last.map_or(head, |last| self.spans.get(last).end);
        self.whole = Some((first, end));
        end.max(head)
    }

    /// The end of the statement, or of its head, that begins with a token. The end of the last token if there is no
    /// such token.
    fn end_of_statement(&mut self, first: u32) -> usize {
        if let Some((known, end)) = self.statement
            && known == first
        {
            return end;
        }
        let mut depth = 0_u32;
        let mut last = first;
        let tokens = self.tokens.tokens.get(first as usize..).unwrap_or_default();
        let directive =
            tokens.first().is_some_and(|token| token.kind == TokenKind::Hash && token.flags.line_start());
        for (number, token) in (first..).zip(tokens) {
            let line = token.flags.line_start() && number > first;
            if line && (directive || token.kind == TokenKind::Hash) {
                break;
            }
            last = number;
            match token.kind {
                TokenKind::LeftParen | TokenKind::LeftBracket => depth += 1,
                TokenKind::RightParen | TokenKind::RightBracket => depth = depth.saturating_sub(1),
                TokenKind::Semicolon | TokenKind::LeftBrace | TokenKind::RightBrace
                    if depth == 0 && !directive =>
                {
                    break;
                }
                _ => {}
            }
        }
        let end = self.spans.get(last).end;
        self.statement = Some((first, end));
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of each remark, and the text that it applies to; a star for the whole file.
    fn read(text: &str) -> Vec<(&str, &str)> {
        let (tokens, spans) = tangle_grammar::lex::lex(text);
        let Some(first) = FINDER.find(text.as_bytes()) else { return Vec::new() };
        let mut reader = Reader::new(text, &tokens, &spans);
        let about = |remark: &ControlComment| {
            if remark.precedes_all_code { "*" } else { &text[remark.about.clone()] }
        };
        reader.read(first).iter().map(|remark| (&text[remark.text.clone()], about(remark))).collect()
    }

    #[test]
    fn control_comment_before_any_token_applies_to_the_file() {
        assert_eq!(read("// tangle: a\n/* tangle: b */ int x;\n"), [("a", "*"), ("b", "*")]);
        assert_eq!(read("\u{feff}/**\n * tangle: a\n */"), [("a", "*")]);
    }

    #[test]
    fn control_comment_on_a_line_with_code_applies_to_the_line() {
        let line = "  f(); // tangle: a";
        assert_eq!(read(&format!("int x;\n{line}\n  g();\n")), [("a", line)]);
        let line = "/* tangle: a */ f(1,";
        assert_eq!(read(&format!("int x;\n{line}\n2);\n")), [("a", line)]);
        let lines = "f(); /* tangle: a\n b */ g();";
        assert_eq!(read(&format!("int x;\n{lines}\nh();")), [("a\n b", lines)]);
    }

    #[test]
    fn control_comment_on_own_line_applies_to_the_next_statement() {
        let one = "// tangle: a\n// more\n\nx = f(1;2,\n  {3});";
        assert_eq!(read(&format!("int x;\n{one} g();\n")), [("a", one)]);
        let head = "  // tangle: a\n  for (;;) {";
        assert_eq!(read(&format!("int x;\n{head} f(); }}\n")), [("a", head)]);
        let two = "// tangle: a\n// tangle: b\nf();";
        assert_eq!(read(&format!("int x;\n{two} g();")), [("a", two), ("b", &two[13..])]);
    }

    #[test]
    fn control_comment_covers_the_whole_statement() {
        let covered = |text: &str| -> String {
            let (tokens, spans) = tangle_grammar::lex::lex(text);
            let mut reader = Reader::new(text, &tokens, &spans);
            let remarks = reader.read(FINDER.find(text.as_bytes()).unwrap());
            text[remarks[0].statement_range.clone()].to_owned()
        };
        for whole in [
            "  // tangle: a\n  for (;;) { f(); }",
            "// tangle: a\nvoid f() {\n  if (a) { }\n}",
            "// tangle: a\n// tangle: b\n{ f(); }",
            "f(); // tangle: a",
            "// tangle: a\n#if 1",
        ] {
            assert_eq!(covered(&format!("int x;\n{whole}\ng(); }}\n")), whole);
        }
    }

    #[test]
    fn control_comment_before_a_directive_applies_to_it() {
        let one = "// tangle: a\n#include \"b;\" c";
        assert_eq!(read(&format!("int x;\n{one}\nint y;\n")), [("a", one)]);
        // A statement ends before the next directive.
        let one = "// tangle: a\nint y";
        assert_eq!(read(&format!("int x;\n{one}\n#if 1\n;\n#endif")), [("a", one)]);
    }

    #[test]
    fn control_comment_must_begin_with_the_marker() {
        assert_eq!(read("char *s = \"// tangle: a\"; // see tangle: b\n/* a\n tangle: c */"), []);
        assert_eq!(read("x /* tangle: never closed"), []);
        assert_eq!(read("x; ///< tangle:\ty \n"), [("y", "x; ///< tangle:\ty ")]);
        assert_eq!(read("x; //\\\n tangle: y\n"), []);
        assert_eq!(read("x; /\\\n/ tangle: y\n"), []);
    }

    #[test]
    fn control_comment_at_end_of_file_applies_to_itself() {
        assert_eq!(read("x;\n// tangle: a"), [("a", "// tangle: a")]);
        assert_eq!(read("x;\n/* tangle: a */"), [("a", "/* tangle: a */")]);
    }

    #[test]
    fn control_comment_is_parsed_into_word_arguments_and_reason() {
        let request = |text: &str| {
            let file = format!("x; // tangle: {text}");
            let about = 0..file.len();
            let covers = about.clone();
            let remark = ControlComment {
                text: 14..file.len(),
                precedes_all_code: false,
                followed_by: None,
                about,
                statement_range: covers,
            };
            let Request { word, arguments, reason, .. } = remark.request(&file);
            let arguments =
                arguments.map(|list| list.iter().map(|(name, _)| *name).collect::<Vec<_>>().join("+"));
            format!("{word}/{}/{reason}", arguments.as_deref().unwrap_or("-"))
        };
        assert_eq!(request("allow(a): why"), "allow/a/why");
        assert_eq!(request("allow (a-b , c,):  why:\n so "), "allow/a-b+c/why: so");
        assert_eq!(request("allow()"), "allow//");
        assert_eq!(request("f(a = [1, 2], b[,]],c)"), "f/a = [1, 2]+b[,]]+c/");
        assert_eq!(request("allow(a) why"), "allow/a/");
        assert_eq!(request("allow(a: why"), "allow/-/");
        assert_eq!(request("allow: why"), "allow/-/why");
        assert_eq!(request("what follows is odd"), "what/-/");
        assert_eq!(request(""), "/-/");
    }

    #[test]
    fn many_control_comments_take_linear_time() {
        for (piece, rest) in [
            ("// tangle: a\n", "x".repeat(100) + &"(1".repeat(100_000)),
            ("/* tangle: a */", String::new()),
            ("\"tangle:\" ", String::new()),
            ("/\\\n/ tangle: ", String::new()),
            ("// x tangle: tangle: tangle:\n", String::new()),
        ] {
            read(&format!("x;\n{}{rest}", piece.repeat(100_000)));
        }
    }
}
