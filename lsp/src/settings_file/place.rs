//! The key, value or table at an offset of a TOML text. The text can be incomplete.
//!
//! ```toml
//! [[builds]]                  # table `builds`
//! name = "doubles"            # key `name` of `builds`; the value of `builds.name`
//! launch = { local-size = 8 } # key `local-size` of `builds.launch`
//! ```
//!
//! **Path**: the keys from the top of the file. The elements of an array have the path of the array. **Section**: an
//! occurrence of a table in the text: its keys must differ.

use std::ops::Range;

use toml_parser::Source;
use toml_parser::lexer::{Token, TokenKind};

/// The kind of text that fits at a cursor.
#[derive(Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// A key of a table.
    Key { table: Vec<String> },
    /// The name in `[…]`, or in `[[…]]` (`list`).
    Table { list: bool },
    /// The value of a key. `is_quoted`: inside the quotes of a string.
    Value { path: Vec<String>, is_quoted: bool },
}

/// A cursor in the text.
#[derive(Debug, PartialEq, Eq)]
pub struct Place {
    pub kind: PlaceKind,
    /// The byte range of the word at the cursor, which a completion replaces.
    pub word: Range<usize>,
    /// The other keys of the section.
    pub present: Vec<String>,
}

impl Place {
    /// Returns the place at an offset. `None` in comments, and where nothing can be completed.
    pub fn at(text: &str, offset: usize) -> Option<Place> {
        let mut walk = Walk::new(text);
        let mut place = None;
        for token in Source::new(text).lex() {
            let span = token.span().start()..token.span().end();
            if place.is_none()
                && (span.end > offset || token.kind() == TokenKind::Eof || ends_at(&token, offset))
            {
                place = Some((walk.kind_at(&token, offset)?, word(text, &token, offset)?, walk.section()));
            }
            walk.step(&token);
        }
        let (kind, word, section) = place?;
        let own = walk.keys.iter().filter(|key| key.section == section && !touches(&key.range, offset));
        let present = match kind {
            PlaceKind::Key { .. } => own.map(|key| key.name.clone()).collect(),
            PlaceKind::Table { list: false } => walk.headers,
            _ => Vec::new(),
        };
        Some(Place { kind, word, present })
    }
}

/// Returns the path of the key at an offset, with its range.
pub fn key_at(text: &str, offset: usize) -> Option<(Vec<String>, Range<usize>)> {
    let mut walk = Walk::new(text);
    for token in Source::new(text).lex() {
        walk.step(&token);
    }
    let key = walk.keys.into_iter().find(|key| touches(&key.range, offset))?;
    Some((key.path, key.range))
}

fn touches(range: &Range<usize>, offset: usize) -> bool {
    range.start <= offset && offset <= range.end
}

/// Whether a word, string or comment ends at an offset. The cursor is then still in it.
fn ends_at(token: &Token, offset: usize) -> bool {
    let is_word = token.kind() == TokenKind::Atom || token.kind().encoding().is_some();
    token.span().end() == offset && (is_word || token.kind() == TokenKind::Comment)
}

/// Returns the range of the word at an offset: a word, the text of a string, or nothing. `None` after a string.
fn word(text: &str, token: &Token, offset: usize) -> Option<Range<usize>> {
    let span = token.span().start()..token.span().end();
    match token.kind() {
        TokenKind::Atom => Some(span),
        kind if kind.encoding().is_some() && span.start < offset => {
            let quote = &text[span.start..=span.start];
            let is_closed = span.len() > 1 && text[span.clone()].ends_with(quote);
            let end = if is_closed { span.end - 1 } else { span.end };
            (offset <= end).then_some(span.start + 1..end)
        }
        _ => Some(offset..offset),
    }
}

/// A key in the text.
struct Key {
    /// The path with the key.
    path: Vec<String>,
    name: String,
    range: Range<usize>,
    section: usize,
}

/// An open bracket in a value.
enum Open {
    Array,
    /// With the section and the path around it.
    Table {
        section: usize,
        base: Vec<String>,
        key: Vec<String>,
    },
}

/// The state after a part of the text.
struct Walk<'a> {
    text: &'a str,
    /// The path of the innermost table.
    base: Vec<String>,
    /// The key whose value follows, or the part of a key that is complete.
    key: Vec<String>,
    /// Whether a `=` follows the key.
    has_equals: bool,
    open: Vec<Open>,
    /// The number of brackets of a header whose name follows.
    header: usize,
    /// The words of the header.
    words: Vec<(String, Range<usize>)>,
    section: usize,
    sections: usize,
    keys: Vec<Key>,
    /// The names of the tables `[…]`.
    headers: Vec<String>,
}

impl<'a> Walk<'a> {
    fn new(text: &'a str) -> Walk<'a> {
        Walk {
            text,
            base: Vec::new(),
            key: Vec::new(),
            has_equals: false,
            open: Vec::new(),
            header: 0,
            words: Vec::new(),
            section: 0,
            sections: 0,
            keys: Vec::new(),
            headers: Vec::new(),
        }
    }

    fn section(&self) -> usize {
        self.section
    }

    /// Returns the kind of place inside or at the end of a token.
    fn kind_at(&self, token: &Token, offset: usize) -> Option<PlaceKind> {
        let kind = token.kind();
        if kind == TokenKind::Comment && token.span().start() < offset {
            return None;
        }
        if self.header > 0 {
            return Some(PlaceKind::Table { list: self.header > 1 });
        }
        if !self.has_equals {
            let table = [&self.base[..], &self.key[..]].concat();
            return Some(PlaceKind::Key { table });
        }
        let is_quoted = kind.encoding().is_some() && token.span().start() < offset;
        Some(PlaceKind::Value { path: [&self.base[..], &self.key[..]].concat(), is_quoted })
    }

    fn step(&mut self, token: &Token) {
        let span = token.span().start()..token.span().end();
        match token.kind() {
            TokenKind::Newline if self.open.is_empty() => {
                self.end_header();
                self.end_value();
            }
            TokenKind::LeftSquareBracket if self.has_equals => self.open.push(Open::Array),
            TokenKind::LeftSquareBracket => self.header += 1,
            TokenKind::RightSquareBracket if self.header > 0 => self.end_header(),
            TokenKind::RightSquareBracket => {
                if let Some(Open::Array) = self.open.last() {
                    self.open.pop();
                }
            }
            TokenKind::LeftCurlyBracket => {
                let (base, key) = (self.base.clone(), std::mem::take(&mut self.key));
                self.base.extend(key.iter().cloned());
                self.open.push(Open::Table { section: self.section, base, key });
                self.begin_section();
                self.has_equals = false;
            }
            TokenKind::RightCurlyBracket => {
                if let Some(Open::Table { section, base, key }) =
                    self.open.pop_if(|open| matches!(open, Open::Table { .. }))
                {
                    (self.section, self.base, self.key, self.has_equals) = (section, base, key, true);
                }
            }
            TokenKind::Comma if matches!(self.open.last(), Some(Open::Table { .. })) => self.end_value(),
            TokenKind::Equals => self.has_equals = true,
            TokenKind::Atom => self.name(span),
            kind if kind.encoding().is_some() => self.name(span),
            _ => {}
        }
    }

    /// Takes a word or a string, which is a part of a key or of a header if it is no value.
    fn name(&mut self, range: Range<usize>) {
        if self.has_equals {
            return;
        }
        let name = self.text[range.clone()].trim_matches(['"', '\'']).to_owned();
        if self.header > 0 {
            self.words.push((name, range));
            return;
        }
        self.key.push(name.clone());
        let path = [&self.base[..], &self.key[..]].concat();
        self.keys.push(Key { path, name, range, section: self.section });
    }

    fn end_value(&mut self) {
        self.key.clear();
        self.has_equals = false;
    }

    fn begin_section(&mut self) {
        self.sections += 1;
        self.section = self.sections;
    }

    /// Begins the table that a header names.
    fn end_header(&mut self) {
        if self.header == 0 || self.words.is_empty() {
            self.header = 0;
            return;
        }
        let words = std::mem::take(&mut self.words);
        self.base = words.iter().map(|(name, _)| name.clone()).collect();
        if self.header == 1 {
            self.headers.push(self.base.join("."));
        }
        self.begin_section();
        // The name is described, but it is no key of a table.
        for (at, (name, range)) in words.into_iter().enumerate() {
            let path = self.base[..=at].to_vec();
            self.keys.push(Key { path, name, range, section: usize::MAX });
        }
        self.header = 0;
        self.end_value();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place at `|`.
    fn place(text: &str) -> Option<Place> {
        let at = text.find('|').expect("the text has a cursor");
        Place::at(&text.replacen('|', "", 1), at)
    }

    fn key(table: &[&str]) -> Option<PlaceKind> {
        Some(PlaceKind::Key { table: table.iter().map(|&name| name.to_owned()).collect() })
    }

    fn value(path: &[&str], is_quoted: bool) -> Option<PlaceKind> {
        Some(PlaceKind::Value { path: path.iter().map(|&name| name.to_owned()).collect(), is_quoted })
    }

    #[test]
    fn place_follows_from_the_tokens_before_it() {
        for (text, expected) in [
            ("|", key(&[])),
            ("inc|", key(&[])),
            ("a = 1\n|\n[b]\n", key(&[])),
            ("[b]\n|", key(&["b"])),
            ("[b]\nx = 1\ny|", key(&["b"])),
            ("[[b]]\n|", key(&["b"])),
            ("[b.c]\n|", key(&["b", "c"])),
            ("rules.|", key(&["rules"])),
            ("[|", Some(PlaceKind::Table { list: false })),
            ("[ru|]", Some(PlaceKind::Table { list: false })),
            ("[[bu|]]", Some(PlaceKind::Table { list: true })),
            ("x = |", value(&["x"], false)),
            ("x = tr|", value(&["x"], false)),
            ("x = \"a|\"", value(&["x"], true)),
            ("x = \"|", value(&["x"], true)),
            ("x = [\"a\", |]", value(&["x"], false)),
            ("x = [\n  \"a|\",\n]", value(&["x"], true)),
            ("[b]\nx = |", value(&["b", "x"], false)),
            ("x = { | }", key(&["x"])),
            ("x = { y = | }", value(&["x", "y"], false)),
            ("x = { y = 1, | }", key(&["x"])),
            ("x = { y = 1 }\n|", key(&[])),
            ("x = [{ y = | }]", value(&["x", "y"], false)),
            ("x = [{ y = 1 }, { |", key(&["x"])),
            ("# a |", None),
            ("x = 1 # |", None),
            ("x = 1 # c\n|", key(&[])),
            ("[b\n|", key(&["b"])),
            ("x = \"a\"|", None),
            ("x = |\"a\"", value(&["x"], false)),
        ] {
            assert_eq!(place(text).map(|place| place.kind), expected, "{text:?}");
        }
    }

    #[test]
    fn present_keys_are_those_of_the_same_occurrence() {
        let text = "a = 1\nb = 1\n[[c]]\nd = 1\n[[c]]\ne = { f = 1 }\n|\ng = 1\n";
        assert_eq!(place(text).unwrap().present, ["e", "g"]);
        assert_eq!(place("a = 1\n|\nb = 1\n[c]\nd = 1\n").unwrap().present, ["a", "b"]);
        assert_eq!(place("a = 1\nb|\n").unwrap().present, ["a"]);
        assert_eq!(place("x = { y = 1, | }").unwrap().present, ["y"]);
    }

    #[test]
    fn broken_texts_have_places() {
        let text = "a = [1, { b = 'x', c = [\"y\" }\n[[d]\n]] = \"\n\"\"\" = {{[\u{0}é = 3\n";
        for end in (0..=text.len()).filter(|&end| text.is_char_boundary(end)) {
            for offset in (0..=end).filter(|&offset| text.is_char_boundary(offset)) {
                if let Some(place) = Place::at(&text[..end], offset) {
                    assert!(place.word.start <= offset && place.word.end <= end, "{end} {offset}");
                    assert!(text.get(place.word).is_some());
                }
                key_at(&text[..end], offset);
            }
        }
    }
}
