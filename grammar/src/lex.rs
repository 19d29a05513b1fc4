//! Splits text into preprocessing tokens. Tokens and positions are separate values.
//!
//! [`Lexed`] holds no positions, so it stays equal after an edit of a comment or of blank lines. [`Spans`]
//! holds the positions. Both have the same token indices.
//!
//! A line splice (a backslash at the end of a line) can be anywhere, even inside a name. This is rare: the
//! lexer checks the characters around each splice, and only if necessary lexes a copy without splices.

use std::ops::Range;

use logos::Logos;
use rustc_hash::FxHashMap;

use crate::lexicon::Grammar;
use crate::symbol::Symbol;
use crate::token::TokenKind;

/// The white space before a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LexFlags(u8);

impl LexFlags {
    /// The first token of its line.
    pub const LINE_START: LexFlags = LexFlags(1);
    /// White space or a comment is before this token, on the same line.
    pub const SPACE_BEFORE: LexFlags = LexFlags(2);

    /// Not the first token of its line, and no white space before it.
    pub const NONE: LexFlags = LexFlags(0);

    pub const fn with(self, other: LexFlags) -> LexFlags {
        LexFlags(self.0 | other.0)
    }

    pub const fn line_start(self) -> bool {
        self.0 & 1 != 0
    }

    pub const fn space_before(self) -> bool {
        self.0 & 2 != 0
    }

    /// The first token of its line, with no white space before it. Definitions usually begin like this.
    pub const fn column_zero(self) -> bool {
        self.0 & 3 == 1
    }

    /// Whether white space or a line break separates this token from the previous one.
    pub const fn separated(self) -> bool {
        self.0 & 3 != 0
    }
}

/// A preprocessing token. Every name, also a keyword, is an [`TokenKind::Identifier`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LexToken {
    pub kind: TokenKind,
    pub flags: LexFlags,
    /// The spelling without splices; [`Symbol::EMPTY`] for a punctuator.
    pub text: Symbol,
}

impl LexToken {
    pub fn spelling(self) -> &'static str {
        spelling(self.kind, self.text)
    }
}

/// The spelling of a token with this kind and text.
pub fn spelling(kind: TokenKind, text: Symbol) -> &'static str {
    if text == Symbol::EMPTY { kind.spelling().unwrap_or("") } else { text.as_str() }
}

/// The tokens of one file.
///
/// A header name in angle brackets directly after `#include` is one token of kind [`TokenKind::String`]. An
/// unclosed comment is the last token, of kind [`TokenKind::UnclosedComment`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lexed {
    pub tokens: Box<[LexToken]>,
    /// The indices of the tokens that begin a directive: each `#` at the start of a line.
    pub directives: Box<[u32]>,
}

impl Lexed {
    /// Iterates over the tokens, each with its index and whether it is part of a directive.
    pub fn with_directives(&self) -> impl Iterator<Item = (u32, LexToken, bool)> {
        let mut directives = self.directives.iter().copied().peekable();
        let mut in_directive = false;
        (0..).zip(&self.tokens).map(move |(index, &token)| {
            if token.flags.line_start() {
                in_directive = directives.next_if_eq(&index).is_some();
            }
            (index, token, in_directive)
        })
    }

    /// Iterates over the tokens outside directives, each with its index.
    pub fn outside_directives(&self) -> impl Iterator<Item = (u32, LexToken)> {
        let all = self.with_directives();
        all.filter_map(|(index, token, in_directive)| (!in_directive).then_some((index, token)))
    }
}

/// The positions of the tokens of a [`Lexed`], as byte ranges of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    ranges: Box<[(u32, u32)]>,
}

impl Spans {
    /// The byte range of token `token`. For an index after the last token, the empty range at the end of the
    /// last token.
    pub fn get(&self, token: u32) -> Range<usize> {
        match self.ranges.get(token as usize) {
            Some(&(start, end)) => start as usize..end as usize,
            None => {
                let end = self.ranges.last().map_or(0, |&(_, end)| end as usize);
                end..end
            }
        }
    }

    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Returns the last token that begins at or before `offset`.
    pub fn token_at(&self, offset: usize) -> Option<u32> {
        let after = self.ranges.partition_point(|&(start, _)| start as usize <= offset);
        after.checked_sub(1).map(|index| index as u32)
    }
}

/// Lexes a file of a language like C. Text after the first 4 GiB is ignored.
pub fn lex(text: &str) -> (Lexed, Spans) {
    lex_as(text, Grammar::C)
}

/// Lexes a file. C++ has raw strings and `'` between digits, and `<::` is `<` and `::`.
pub fn lex_as(text: &str, grammar: Grammar) -> (Lexed, Spans) {
    let text = match text.len() < u32::MAX as usize {
        true => text,
        false => {
            let mut end = u32::MAX as usize - 1;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            &text[..end]
        }
    };
    let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let body = &text[bom..];
    if needs_cleaning(body.as_bytes()) {
        let (cleaned, cuts) = clean(body);
        let (lexed, mut ranges) = lex_clean(&cleaned, 0, grammar);
        map_to_original(&mut ranges, &cuts, bom as u32);
        (lexed, Spans { ranges: ranges.into() })
    } else {
        let (lexed, ranges) = lex_clean(body, bom as u32, grammar);
        (lexed, Spans { ranges: ranges.into() })
    }
}

/// Returns the kind of `text` if it is exactly one token. The operator `##` needs this.
pub fn lex_one(text: &str) -> Option<TokenKind> {
    let mut lexer = TokenKind::lexer(text);
    let kind = lexer.next()?.ok()?;
    (lexer.remainder().is_empty() && !kind.is_trivia()).then_some(kind)
}

/// Returns the byte ranges of the comments of a text, in order. The text should contain only comments and
/// white space; other tokens are skipped.
pub fn comments(text: &str) -> impl Iterator<Item = Range<usize>> {
    let comment = |kind| matches!(kind, TokenKind::LineComment | TokenKind::BlockComment);
    TokenKind::lexer(text).spanned().filter(move |(kind, _)| kind.is_ok_and(comment)).map(|(_, range)| range)
}

/// Lexes text without splices inside tokens. `base` is added to every offset.
fn lex_clean(text: &str, base: u32, grammar: Grammar) -> (Lexed, Vec<(u32, u32)>) {
    /// The state within `#include <`.
    #[derive(PartialEq)]
    enum Header {
        No,
        Hash,
        Include,
    }

    let mut tokens = Vec::with_capacity(text.len() / 5);
    let mut ranges = Vec::with_capacity(text.len() / 5);
    let mut directives = Vec::new();
    let mut symbols: FxHashMap<&str, Symbol> = FxHashMap::default();
    let mut lexer = TokenKind::lexer(text);
    let mut flags = LexFlags::LINE_START;
    let mut header = Header::No;
    let mut has_raw_strings = grammar == Grammar::Cpp;
    while let Some(result) = lexer.next() {
        let mut kind = result.unwrap_or(TokenKind::Stray);
        match kind {
            TokenKind::Newline => {
                flags = LexFlags::LINE_START;
                continue;
            }
            TokenKind::Space | TokenKind::LineComment | TokenKind::BlockComment => {
                flags = flags.with(LexFlags::SPACE_BEFORE);
                continue;
            }
            TokenKind::Splice => continue,
            TokenKind::UnclosedQuote => lexer.bump(unclosed_quote_length(lexer.remainder())),
            TokenKind::Hash if flags.line_start() => directives.push(tokens.len() as u32),
            TokenKind::Identifier
                if has_raw_strings && lexer.slice().ends_with('R') && lexer.remainder().starts_with('"') =>
            {
                match raw_string_length(lexer.remainder()) {
                    Some(length) => {
                        lexer.bump(length);
                        kind = TokenKind::String;
                    }
                    // Treats no further quote as a raw string: a search for the end of each would take
                    // quadratic time.
                    None => has_raw_strings = false,
                }
            }
            TokenKind::Number if grammar == Grammar::Cpp => {
                lexer.bump(digits_after_separators(lexer.remainder()));
            }
            TokenKind::LeftBracket
                if grammar == Grammar::Cpp
                    && lexer.slice() == "<:"
                    && begins_qualified_name(lexer.remainder()) =>
            {
                let start = lexer.span().start;
                tokens.push(LexToken { kind: TokenKind::Less, flags, text: Symbol::EMPTY });
                ranges.push((base + start as u32, base + start as u32 + 1));
                flags = LexFlags::NONE;
                header = Header::No;
                lexer = TokenKind::lexer(text);
                lexer.bump(start + 1);
                continue;
            }
            TokenKind::Less if header == Header::Include => {
                if let Some(length) = header_name_length(lexer.remainder()) {
                    lexer.bump(length);
                    kind = TokenKind::String;
                }
            }
            _ => {}
        }
        let slice = lexer.slice();
        let text = match kind {
            TokenKind::Number if slice.contains('\'') => Symbol::intern(&slice.replace('\'', "")),
            TokenKind::String if slice.contains("R\"") && !slice.starts_with('"') => Symbol::intern(slice),
            TokenKind::Identifier | TokenKind::Number => {
                *symbols.entry(slice).or_insert_with(|| Symbol::intern(slice))
            }
            TokenKind::String | TokenKind::Character | TokenKind::UnclosedQuote if slice.contains('\n') => {
                Symbol::intern(&clean(slice).0)
            }
            TokenKind::String | TokenKind::Character | TokenKind::UnclosedQuote | TokenKind::Stray => {
                *symbols.entry(slice).or_insert_with(|| Symbol::intern(slice))
            }
            _ => Symbol::EMPTY,
        };
        header = match kind {
            TokenKind::Hash if flags.line_start() => Header::Hash,
            TokenKind::Identifier
                if header == Header::Hash && matches!(slice, "include" | "include_next" | "import") =>
            {
                Header::Include
            }
            _ => Header::No,
        };
        let span = lexer.span();
        tokens.push(LexToken { kind, flags, text });
        ranges.push((base + span.start as u32, base + span.end as u32));
        flags = LexFlags::NONE;
        if kind == TokenKind::UnclosedComment {
            break;
        }
    }
    (Lexed { tokens: tokens.into(), directives: directives.into() }, ranges)
}

/// The length of a raw string after its `R`: of `"x(…)x"`.
fn raw_string_length(rest: &str) -> Option<usize> {
    /// The maximum length of a delimiter.
    const MAX_DELIMITER: usize = 16;
    let open = rest.strip_prefix('"')?.find('(').filter(|length| *length <= MAX_DELIMITER)? + 1;
    let delimiter = &rest[1..open];
    if delimiter.contains([' ', ')', '\\', '\n', '\t', '"']) {
        return None;
    }
    let close = format!("){delimiter}\"");
    Some(open + 1 + rest[open + 1..].find(&close)? + close.len())
}

/// The length of the digit groups that continue a number: `'000`.
fn digits_after_separators(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut end = 0;
    while bytes.get(end) == Some(&b'\'') && bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric) {
        end += 1;
        while bytes.get(end).is_some_and(|&byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.')
        {
            end += 1;
        }
    }
    end
}

/// Whether the text after `<:` shows that `<:` is not a bracket: `f<::n::T>`.
fn begins_qualified_name(rest: &str) -> bool {
    rest.strip_prefix(':').is_some_and(|rest| !rest.starts_with([':', '>']))
}

/// The length of the text after an unclosed quote that becomes part of its token: the rest of the line except
/// trailing punctuation, which is probably not part of the literal. A shorter token would scan the line again
/// at its next quote.
fn unclosed_quote_length(rest: &str) -> usize {
    let mut end = 0;
    loop {
        match rest[end..].find('\n') {
            None => {
                end = rest.len();
                break;
            }
            Some(at) => {
                end += at;
                let line = rest[..end].strip_suffix('\r').unwrap_or(&rest[..end]);
                if !line.ends_with('\\') {
                    break;
                }
                end += 1;
            }
        }
    }
    rest[..end].trim_end_matches([' ', '\t', '\r', ';', ')', '}', '{', ',']).len()
}

/// The length of `name>` if the `>` is on this line.
fn header_name_length(rest: &str) -> Option<usize> {
    let end = rest.find(['>', '\n'])?;
    rest[end..].starts_with('>').then_some(end + 1)
}

/// The length of a line splice at the start of `bytes`, whose first byte is a backslash.
fn splice_length(bytes: &[u8]) -> Option<usize> {
    let mut length = 1;
    while matches!(bytes.get(length), Some(b' ' | b'\t')) {
        length += 1;
    }
    match bytes.get(length..)? {
        [b'\n', ..] => Some(length + 1),
        [b'\r', b'\n', ..] => Some(length + 2),
        [b'\r', ..] => Some(length + 1),
        _ => None,
    }
}

/// Whether the lexer must work on a copy from [`clean`]. This is so if a line ends in a lone carriage return,
/// if a splice has no white space on either side, or if the token rules do not match a splice.
fn needs_cleaning(bytes: &[u8]) -> bool {
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|&byte| byte == b'\\' || byte == b'\r') {
        at += found;
        if bytes[at] == b'\r' {
            if bytes.get(at + 1) != Some(&b'\n') {
                return true;
            }
            at += 1;
            continue;
        }
        let Some(length) = splice_length(&bytes[at..]) else {
            at += 1;
            continue;
        };
        let newline = if bytes[at + 1] == b'\r' { 3 } else { 2 };
        let before = at.checked_sub(1).map(|index| bytes[index]);
        let after = bytes.get(at + length);
        let spaced = |byte: u8| byte.is_ascii_whitespace();
        if length != newline
            || before == Some(b'\\')
            || !(before.is_none_or(spaced) || after.copied().is_none_or(spaced))
        {
            return true;
        }
        at += length;
    }
    false
}

/// A position where characters were removed: after `at` bytes of the clean text. `removed` is the total of
/// bytes removed so far.
struct Cut {
    at: u32,
    removed: u32,
}

/// Returns the text without its splices, and with a newline for each lone carriage return.
fn clean(text: &str) -> (String, Vec<Cut>) {
    let bytes = text.as_bytes();
    let mut cleaned = String::with_capacity(text.len());
    let mut cuts = Vec::new();
    let (mut copied, mut at, mut removed) = (0, 0, 0);
    while let Some(found) = bytes[at..].iter().position(|&byte| byte == b'\\' || byte == b'\r') {
        at += found;
        if bytes[at] == b'\r' {
            if bytes.get(at + 1) != Some(&b'\n') {
                cleaned.push_str(&text[copied..at]);
                cleaned.push('\n');
                copied = at + 1;
            }
            at += 1;
        } else if let Some(length) = splice_length(&bytes[at..]) {
            cleaned.push_str(&text[copied..at]);
            at += length;
            copied = at;
            removed += length as u32;
            cuts.push(Cut { at: cleaned.len() as u32, removed });
        } else {
            at += 1;
        }
    }
    cleaned.push_str(&text[copied..]);
    (cleaned, cuts)
}

/// Converts ranges of the clean text to ranges of the original text.
fn map_to_original(ranges: &mut [(u32, u32)], cuts: &[Cut], base: u32) {
    let mut passed = 0;
    let removed = |passed: usize| passed.checked_sub(1).map_or(0, |index| cuts[index].removed);
    for (start, end) in ranges {
        while cuts.get(passed).is_some_and(|cut| cut.at <= *start) {
            passed += 1;
        }
        *start += base + removed(passed);
        // A splice directly after the token is not part of it.
        while cuts.get(passed).is_some_and(|cut| cut.at < *end) {
            passed += 1;
        }
        *end += base + removed(passed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TokenKind::*;

    fn texts(text: &str) -> Vec<&'static str> {
        lex(text).0.tokens.iter().map(|token| token.spelling()).collect()
    }

    fn kinds(text: &str) -> Vec<TokenKind> {
        lex(text).0.tokens.iter().map(|token| token.kind).collect()
    }

    /// The source text of each token, including splices.
    fn slices(text: &str) -> Vec<&str> {
        let (_, spans) = lex(text);
        (0..spans.len()).map(|index| &text[spans.get(index as u32)]).collect()
    }

    #[test]
    fn comments_and_blank_lines_change_only_spans() {
        let (one, one_spans) = lex("int a; // one\n\nint b;\n");
        let (two, two_spans) = lex("int a; /* two */\nint b; // end\n");
        assert_eq!(one, two);
        assert_ne!(one_spans, two_spans);
    }

    #[test]
    fn line_splices_join_names_comments_and_operators() {
        assert_eq!(texts("fo\\\no + \\\n b"), ["foo", "+", "b"]);
        assert_eq!(slices("fo\\\no + b"), ["fo\\\no", "+", "b"]);
        assert_eq!(texts("a /\\\n/ comment\nb"), ["a", "b"]);
        assert_eq!(texts("a /\\\r\n* comment *\\\n/ b"), ["a", "b"]);
        assert_eq!(texts("a +\\\n+ b +\\  \n+ c"), ["a", "++", "b", "++", "c"]);
        assert_eq!(texts("// one \\\n two \\  \n three\nb"), ["b"]);
        assert_eq!(texts("\"a \\\n b\" c"), ["\"a  b\"", "c"]);
        assert_eq!(texts("\"a\\\nb\\\\\nn\""), ["\"ab\\n\""]);
        assert_eq!(slices("a\\\nb\\\n\\\n c"), ["a\\\nb", "c"]);
    }

    #[test]
    fn spliced_lines_count_as_one_line() {
        let (lexed, _) = lex("#define A \\\n  b \\\r\n  # c\n# d");
        assert_eq!(&*lexed.directives, [0, 6]);
    }

    #[test]
    fn every_kind_of_line_ending_starts_a_new_line() {
        for text in ["#a\n#b\n#c", "#a\r\n#b\r\n#c", "#a\r#b\r#c", "\u{feff}#a\n /* x \n */ #b\n#c"] {
            assert_eq!(&*lex(text).0.directives, [0, 2, 4], "{text:?}");
        }
        assert_eq!(lex("a /*\n*/ # b").0.directives.len(), 0);
    }

    #[test]
    fn comments_are_found_between_tokens() {
        let text = " // one \\\n more\n\n /* two\n */ /**/ \\\n//";
        let found: Vec<&str> = comments(text).map(|range| &text[range]).collect();
        assert_eq!(found, ["// one \\\n more", "/* two\n */", "/**/", "//"]);
    }

    #[test]
    fn characters_that_start_no_token_are_stray() {
        assert_eq!(kinds("a \0 \u{fffd} ` \\ \u{feff}"), [Identifier, Stray, Stray, Stray, Stray, Stray]);
    }

    #[test]
    fn unclosed_quote_excludes_punctuation_at_end_of_line() {
        assert_eq!(texts("f(\"abc);\ng('x, 'y"), ["f", "(", "\"abc", ")", ";", "g", "(", "'x, '", "y"]);
        assert_eq!(kinds("#error don't\n"), [Hash, Identifier, Identifier, UnclosedQuote]);
    }

    #[test]
    fn unclosed_comment_is_the_last_token() {
        assert_eq!(kinds("a /* b * / c"), [Identifier, UnclosedComment]);
    }

    #[test]
    fn header_name_is_one_token_only_after_include() {
        assert_eq!(
            texts("#include <a//b.h>\na <b> c"),
            ["#", "include", "<a//b.h>", "a", "<", "b", ">", "c"]
        );
    }

    fn texts_of_cpp(text: &str) -> Vec<&'static str> {
        lex_as(text, Grammar::Cpp).0.tokens.iter().map(|token| token.spelling()).collect()
    }

    #[test]
    fn raw_strings_are_recognised_only_in_cpp() {
        assert_eq!(texts_of_cpp("f(R\"(a \"b\" )c)\", x)"), ["f", "(", "R\"(a \"b\" )c)\"", ",", "x", ")"]);
        assert_eq!(texts_of_cpp("u8R\"x()\"\n)x\" a"), ["u8R\"x()\"\n)x\"", "a"]);
        assert_eq!(texts_of_cpp("R\"(a"), ["R", "\"(a"]);
        assert_eq!(texts("R\"(a)\""), ["R", "\"(a)\""]);
    }

    #[test]
    fn digit_separators_are_recognised_only_in_cpp() {
        assert_eq!(texts_of_cpp("1'000'000u + 0x'f"), ["1000000u", "+", "0xf"]);
        assert_eq!(texts_of_cpp("f('1', 2)"), ["f", "(", "'1'", ",", "2", ")"]);
        assert_eq!(texts("1'000'"), ["1", "'000'"]);
    }

    #[test]
    fn less_than_before_double_colon_is_not_a_digraph_in_cpp() {
        assert_eq!(
            texts_of_cpp("f<::n::T> a<:1:>"),
            ["f", "<", "::", "n", "::", "T", ">", "a", "[", "1", "]"]
        );
        let (lexed, spans) = lex_as("f<::g", Grammar::Cpp);
        let places: Vec<_> = (0..lexed.tokens.len() as u32).map(|at| spans.get(at)).collect();
        assert_eq!(places, [0..1, 1..2, 2..4, 4..5]);
        assert_eq!(texts("f<::n"), ["f", "[", ":", "n"]);
    }

    #[test]
    fn long_inputs_take_linear_time() {
        for piece in
            ["\\\"", "\"", "'", "/*", "\\\n", "a\\\n", "((", "\0", "\"\\\n", "*", "// \\\n", "R\"(", "<::"]
        {
            lex(&piece.repeat(500_000));
            lex_as(&piece.repeat(500_000), Grammar::Cpp);
        }
    }
}
