//! Finds the end of a statement or definition from the brackets of its file alone.
//!
//! ```c
//! // a comment          it covers the lines from here
//! for (;;)
//!   if (a) {
//!     f();
//!   } else
//!     g();            // to here
//! ```
//!
//! A comment can be in text that no build compiles, so there may be no tree for it. Brackets in the branches of one
//! `#if` count once: each branch begins with the brackets that were open before the `#if`. After the `#endif`, the
//! open brackets of the branch with the most open brackets count.

use tangle_grammar::lex::{LexToken, Lexed};
use tangle_grammar::token::TokenKind;

/// Marks an opening bracket without its closing bracket.
const OPEN: u32 = u32::MAX;

/// The brackets of a file.
pub struct Extents<'a> {
    tokens: &'a [LexToken],
    /// The number of the token that closes each opening bracket. If several branches of an `#if` close it, the last
    /// of them.
    closing: Box<[u32]>,
    in_directive: Box<[bool]>,
    /// A limit for the total work: statements overlap, and a file may request the end of each.
    steps_left: usize,
}

/// A statement that continues after the statement inside it.
enum Pending {
    /// An `else` may follow.
    If,
    /// `while (…);` follows.
    Do,
}

impl<'a> Extents<'a> {
    pub fn new(lexed: &'a Lexed) -> Extents<'a> {
        let tokens = &*lexed.tokens;
        let mut in_directive = vec![false; tokens.len()];
        for (number, _, inside) in lexed.with_directives() {
            in_directive[number as usize] = inside;
        }
        let closing = closing(tokens, &in_directive);
        let steps_left = (1 << 20) + 64 * tokens.len();
        Extents { tokens, closing: closing.into(), in_directive: in_directive.into(), steps_left }
    }

    /// Returns the last token of the statement or definition that begins with a token. `None` if its brackets are not
    /// balanced, or if a directive begins there.
    pub fn last(&mut self, first: u32) -> Option<u32> {
        if self.is_directive(first) {
            return None;
        }
        let mut pending = Vec::new();
        let mut at = first;
        loop {
            at = self.code(at)?;
            let mut last = match self.word(at) {
                "if" => {
                    pending.push(Pending::If);
                    at = self.after_parentheses(at)?;
                    continue;
                }
                "for" | "while" | "switch" => {
                    at = self.after_parentheses(at)?;
                    continue;
                }
                "do" => {
                    pending.push(Pending::Do);
                    at += 1;
                    continue;
                }
                "else" => {
                    at += 1;
                    continue;
                }
                _ if self.kind(at) == Some(TokenKind::LeftBrace) => self.close(at)?,
                _ => match self.after_label(at) {
                    Some(after) => {
                        at = after;
                        continue;
                    }
                    None => self.simple(at)?,
                },
            };
            loop {
                match pending.pop() {
                    None => return Some(last),
                    Some(Pending::If) => {
                        if let Some(next) = self.code(last + 1)
                            && self.word(next) == "else"
                        {
                            at = next + 1;
                            break;
                        }
                    }
                    Some(Pending::Do) => {
                        let next = self.code(last + 1)?;
                        last = self.after_parentheses(next)?;
                        if self.kind(last) != Some(TokenKind::Semicolon) {
                            last -= 1;
                        }
                    }
                }
            }
        }
    }

    /// Returns the end of a statement without nested statements, or of a definition.
    fn simple(&mut self, first: u32) -> Option<u32> {
        let mut at = first;
        loop {
            self.step()?;
            if at > first && (self.is_directive(at) || self.kind(at).is_none()) {
                return Some(at - 1);
            }
            match self.kind(at)? {
                TokenKind::Semicolon | TokenKind::RightBrace => return Some(at),
                TokenKind::LeftParen | TokenKind::LeftBracket => at = self.close(at)? + 1,
                TokenKind::LeftBrace => {
                    let last = self.close(at)?;
                    // After an initialiser list, the members of a class or a lambda, the declaration continues.
                    let continues = |kind| {
                        use TokenKind::{Comma, Dot, Equal, LeftBrace, LeftParen, RightParen, Semicolon};
                        matches!(kind, Semicolon | Comma | LeftBrace | LeftParen | RightParen | Dot | Equal)
                    };
                    match self.code(last + 1) {
                        Some(next) if self.kind(next).is_some_and(continues) => at = next,
                        _ => return Some(last),
                    }
                }
                _ => at += 1,
            }
        }
    }

    /// Returns the token after `name:`, `case value:` or `default:`.
    fn after_label(&mut self, first: u32) -> Option<u32> {
        let is_case = self.word(first) == "case";
        if self.kind(first) != Some(TokenKind::Identifier) {
            return None;
        }
        let mut at = first + 1;
        let mut conditions = 0_u32;
        loop {
            self.step()?;
            match self.kind(at)? {
                TokenKind::Colon if conditions == 0 => return Some(at + 1),
                TokenKind::Colon => conditions -= 1,
                TokenKind::Question => conditions += 1,
                TokenKind::LeftParen => at = self.close(at)?,
                TokenKind::Semicolon | TokenKind::LeftBrace | TokenKind::RightBrace => return None,
                _ => {}
            }
            if !is_case {
                return None;
            }
            at += 1;
        }
    }

    /// The token after the first parentheses that follow a keyword.
    fn after_parentheses(&mut self, keyword: u32) -> Option<u32> {
        // `if constexpr (`
        let open = (keyword + 1..=keyword + 2).find(|&at| self.kind(at) == Some(TokenKind::LeftParen))?;
        Some(self.close(open)? + 1)
    }

    /// Returns the first token from `at` on that is not in a directive.
    fn code(&mut self, mut at: u32) -> Option<u32> {
        while self.is_directive(at) {
            self.step()?;
            at += 1;
        }
        self.step()?;
        self.kind(at).map(|_| at)
    }

    fn step(&mut self) -> Option<()> {
        self.steps_left = self.steps_left.checked_sub(1)?;
        Some(())
    }

    fn is_directive(&self, at: u32) -> bool {
        self.in_directive.get(at as usize).copied().unwrap_or(false)
    }

    fn kind(&self, at: u32) -> Option<TokenKind> {
        self.tokens.get(at as usize).map(|token| token.kind)
    }

    fn word(&self, at: u32) -> &'static str {
        match self.tokens.get(at as usize) {
            Some(token) if token.kind == TokenKind::Identifier => token.text.as_str(),
            _ => "",
        }
    }

    fn close(&self, open: u32) -> Option<u32> {
        self.closing.get(open as usize).copied().filter(|&closing| closing != OPEN)
    }
}

/// An open bracket. With `around` it forms a stack; stacks can share their lower parts.
struct OpenBracket {
    token: u32,
    around: Option<usize>,
    /// The innermost brace at or around this bracket.
    brace: Option<usize>,
    depth: usize,
}

/// One open `#if`.
struct Branches {
    before: Option<usize>,
    /// The largest stack at the end of a branch so far.
    after: Option<Option<usize>>,
}

/// Returns the stack with more brackets; for equal depths, the later one.
fn deeper(all: &[OpenBracket], known: Option<usize>, later: Option<usize>) -> Option<usize> {
    let depth = |top: Option<usize>| top.map_or(0, |top| all[top].depth);
    if depth(known) > depth(later) { known } else { later }
}

fn closing(tokens: &[LexToken], in_directive: &[bool]) -> Vec<u32> {
    use TokenKind::{Hash, LeftBrace, LeftBracket, LeftParen, RightBrace, RightBracket, RightParen};
    let mut closing = vec![OPEN; tokens.len()];
    let mut all: Vec<OpenBracket> = Vec::new();
    let mut open: Option<usize> = None;
    let mut branches: Vec<Branches> = Vec::new();
    for (number, token) in tokens.iter().enumerate() {
        if in_directive[number] {
            let name = tokens.get(number + 1).map_or("", |token| token.text.as_str());
            match name {
                _ if token.kind != Hash || !token.flags.line_start() => {}
                "if" | "ifdef" | "ifndef" => branches.push(Branches { before: open, after: None }),
                "else" | "elif" | "elifdef" | "elifndef" => {
                    if let Some(branch) = branches.last_mut() {
                        branch.after = Some(branch.after.map_or(open, |after| deeper(&all, after, open)));
                        open = branch.before;
                    }
                }
                "endif" => {
                    if let Some(after) = branches.pop().and_then(|branch| branch.after) {
                        open = deeper(&all, after, open);
                    }
                }
                _ => {}
            }
            continue;
        }
        let mut close = |at: usize| {
            closing[all[at].token as usize] = number as u32;
            all[at].around
        };
        match token.kind {
            LeftParen | LeftBracket | LeftBrace => {
                let own = all.len();
                let outer = open.and_then(|open| all[open].brace);
                let brace = if token.kind == LeftBrace { Some(own) } else { outer };
                let depth = open.map_or(0, |open| all[open].depth) + 1;
                all.push(OpenBracket { token: number as u32, around: open, brace, depth });
                open = Some(own);
            }
            RightBrace => {
                if let Some(brace) = open.and_then(|open| all[open].brace) {
                    open = close(brace);
                }
            }
            RightParen | RightBracket => {
                let pair = if token.kind == RightParen { LeftParen } else { LeftBracket };
                if let Some(at) = open.filter(|&at| tokens[all[at].token as usize].kind == pair) {
                    open = close(at);
                }
            }
            _ => {}
        }
    }
    closing
}

#[cfg(test)]
mod tests {
    use tangle_grammar::lex::lex;

    use super::*;

    /// The text from the first token after `@` to the end of the statement there.
    fn extent(text: &str) -> &str {
        let begin = text.find('@').unwrap() + 1;
        let (tokens, spans) = lex(text);
        let first = (0..).find(|&token| spans.get(token).start >= begin).unwrap();
        let last = Extents::new(&tokens).last(first);
        last.map_or("-", |last| &text[spans.get(first).start..spans.get(last).end])
    }

    #[test]
    fn statement_ends_after_its_substatements() {
        for whole in [
            "f(a; b);",
            "{ f(); { } }",
            "if (a) f();",
            "if (a) { } else if (b) { } else { f(); }",
            "if (a) if (b) f(); else g(); else h();",
            "for (;;) while (a) { f(); }",
            "do { f(); } while (a);",
            "if (a) do f(); while (a); else g();",
            "switch (a) { case 1: f(); break; default: g(); }",
            "label: case a ? 1 : 2: default: f();",
            "if constexpr (a) { f(); }",
        ] {
            assert_eq!(extent(&format!("x; @{whole} y; }}")), whole);
        }
    }

    #[test]
    fn definition_ends_after_its_body_or_semicolon() {
        for whole in [
            "kernel void k(global int *p) { if (a) { } }",
            "void k(int n);",
            "struct S { int a; };",
            "int a[] = { 1, { 2 } };",
            "S::S() : a{1}, b{2} { f(); }",
            "auto f = [&](int a) { return a; }(1);",
            "template <typename T> __attribute__((x)) __global__ void k() { }",
            "LOOP(i, n) { f(i); }",
        ] {
            assert_eq!(extent(&format!("int x; @{whole} int y;")), whole);
        }
    }

    #[test]
    fn brackets_in_alternative_branches_count_once() {
        let whole = "if (a) {\n#ifdef B\nif (b) {\n#elif C\nif (c) {\n#else\n{\n#endif\n} }";
        assert_eq!(extent(&format!("x; @{whole} y;")), whole);
        let whole = "void f(\n#if A\nint a) {\n#else\n) {\n#endif\n}";
        assert_eq!(extent(&format!("@{whole} y;")), whole);
        let whole = "{ f();\n#if A\n}\n#else\n}\n#endif";
        assert_eq!(extent(&format!("@{whole} y;")), whole.trim_end_matches("\n#endif"));
    }

    #[test]
    fn incomplete_statement_has_no_extent() {
        for text in ["@{ f();", "@if (a", "@do f();", "@\n#pragma once\n", "@"] {
            assert_eq!(extent(&format!("{text} ")), "-", "{text}");
        }
    }

    #[test]
    fn many_statements_take_bounded_time() {
        for piece in ["if (a) ", "{ ", "do ", "a: ", "( } ", "a ", "#if 1\n{\n", "a = { "] {
            let text = piece.repeat(50_000);
            let (tokens, _) = lex(&text);
            let mut extents = Extents::new(&tokens);
            (0..tokens.tokens.len() as u32).for_each(|first| _ = extents.last(first));
        }
    }
}
