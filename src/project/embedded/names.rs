//! The functions that an OpenCL text defines and calls, found by a scan without preprocessing. Used to join texts that
//! belong together.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::pieces::{self, UnclosedQuotes, is_word};

/// Identifiers that OpenCL code contains, but usually not C or C++. `OPENCL_PREFIXES` lists prefixes of such identifiers.
const OPENCL: &[&str] = &[
    "__global",
    "__local",
    "__constant",
    "barrier",
    "get_global_id",
    "get_global_size",
    "get_group_id",
    "get_local_id",
    "get_local_size",
    "get_num_groups",
];
const OPENCL_PREFIXES: &[&str] = &["work_group_", "sub_group_", "get_sub_group_"];
/// Parts of the names of convergent operations.
pub const CONVERGENT: &[&str] = &["barrier", "work_group_", "sub_group_"];
/// Keywords that look like a function name before a parenthesis.
const STATEMENTS: &[&str] = &["if", "else", "for", "while", "do", "switch", "case", "return", "sizeof"];

/// The functions that a text defines and calls.
#[derive(Default)]
pub struct Names<'t> {
    /// Functions with a body.
    pub defined: FxHashSet<&'t str>,
    pub called: FxHashSet<&'t str>,
    /// The text consists of complete functions, and is not a part of a function.
    is_whole: bool,
    has_opencl_words: bool,
}

impl<'t> Names<'t> {
    /// Returns whether the text consists of complete OpenCL functions.
    pub fn is_opencl(&self) -> bool {
        self.is_whole && self.has_opencl_words
    }

    /// Returns the names of all alternatives of one text together.
    pub fn of_all(forms: impl Iterator<Item = &'t str>) -> Names<'t> {
        let mut all = Names::default();
        for form in forms {
            let names = Names::of(form);
            all.is_whole |= names.is_whole;
            all.has_opencl_words |= names.has_opencl_words;
            all.defined.extend(names.defined);
            all.called.extend(names.called);
        }
        all
    }

    pub fn of(text: &'t str) -> Names<'t> {
        let bytes = text.as_bytes();
        let mut names = Names { is_whole: true, ..Names::default() };
        let mut unclosed = UnclosedQuotes::default();
        let (mut braces, mut parentheses) = (0_i64, 0_i64);
        // The end of the current directive; the name in the current function head; whether the previous token can end a
        // type.
        let (mut directive, mut head, mut after_type) = (0, None, false);
        let (mut at, mut line_start) = (0, true);
        while let Some(&byte) = bytes.get(at) {
            let mut next = at + 1;
            let in_directive = at < directive;
            let mut is_type = false;
            match byte {
                byte if byte.is_ascii_whitespace() => {
                    line_start |= byte == b'\n';
                    at = next;
                    continue;
                }
                b'/' if matches!(bytes.get(next), Some(b'/' | b'*')) => {
                    at = pieces::comment_end(bytes, at);
                    continue;
                }
                b'#' if line_start => directive = pieces::line_end(bytes, at),
                b'"' | b'\'' => next = unclosed.quoted_end(bytes, at).unwrap_or(next),
                byte if is_word(byte) => {
                    next = pieces::word_end(bytes, at);
                    let word = &text[at..next];
                    let after =
                        bytes[next..].iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
                    let is_called = after == Some(&b'(');
                    let is_statement = STATEMENTS.contains(&word);
                    names.has_opencl_words |=
                        OPENCL.contains(&word) || OPENCL_PREFIXES.iter().any(|begin| word.starts_with(begin));
                    let is_top = braces == 0 && !in_directive;
                    names.is_whole &= !(is_top && is_statement);
                    // A name of underscores alone replaces an unknown value of the host.
                    if is_called && !is_statement && word.bytes().any(|byte| byte != b'_') {
                        match is_top {
                            true if parentheses == 0 && after_type => head = Some(word),
                            true => {}
                            false => _ = names.called.insert(word),
                        }
                    }
                    is_type = true;
                }
                _ if in_directive => {}
                b'(' => parentheses += 1,
                b')' => parentheses -= 1,
                b'{' => {
                    if braces == 0 {
                        names.defined.extend(head.take());
                    }
                    braces += 1;
                }
                b'}' => braces -= 1,
                b';' if braces == 0 => head = None,
                b'*' => is_type = true,
                _ => {}
            }
            names.is_whole &= braces >= 0 && parentheses >= 0;
            (after_type, line_start, at) = (is_type, false, next);
        }
        names.is_whole &= braces == 0 && parentheses == 0 && !names.defined.is_empty();
        names
    }
}

/// Returns the names in a literal that look like calls of convergent functions.
pub fn may_be_convergent(literal: &str) -> Vec<Range<usize>> {
    let bytes = literal.as_bytes();
    let mut found = Vec::new();
    for word in CONVERGENT {
        for at in memchr::memmem::find_iter(bytes, word) {
            let start = at - bytes[..at].iter().rev().take_while(|byte| is_word(**byte)).count();
            let end = pieces::word_end(bytes, at);
            // The last character of an escape sequence is not part of the name: `\tbarrier`.
            let is_escaped = literal[..start].ends_with('\\');
            let range = start + usize::from(is_escaped)..end;
            let is_macro = literal[..start].trim_end().ends_with("define");
            if !is_macro && literal[end..].trim_start().starts_with('(') && !found.contains(&range) {
                found.push(range);
            }
        }
    }
    found
}

/// Returns whether a literal contains OpenCL words that other text rarely contains.
pub fn has_opencl_words(literal: &str) -> bool {
    let mut words = literal.split(|byte: char| !(byte.is_ascii_alphanumeric() || byte == '_'));
    words.any(|word| {
        word.starts_with("CLK_") || (word != "barrier" && OPENCL.contains(&word)) || word == "__kernel"
    }) || defines_kernel(literal)
}

/// Returns whether a literal begins with the head of a function.
pub fn begins_function(literal: &str) -> bool {
    let is_blank = |text: &&str| text.starts_with("\\n") || text.starts_with("\\t");
    let mut text = literal.trim_start();
    while is_blank(&text) {
        text = text[2..].trim_start();
    }
    let end = text.bytes().take_while(|byte| is_word(*byte) || matches!(byte, b' ' | b'*')).count();
    let mut words = text[..end].split([' ', '*']).filter(|word| !word.is_empty());
    match words.next() {
        Some("kernel" | "__kernel" | "static" | "inline") => true,
        Some(first) if !STATEMENTS.contains(&first) => words.next().is_some() && text[end..].starts_with('('),
        _ => false,
    }
}

/// Returns whether a text defines a kernel.
pub fn defines_kernel(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut found = memchr::memmem::find_iter(bytes, b"kernel");
    text.contains('{')
        && found.any(|at| {
            let before = text[..at].trim_end_matches('_');
            let is_whole =
                !before.bytes().next_back().is_some_and(is_word) && matches!(at - before.len(), 0 | 2);
            let rest = &text[at + "kernel".len()..];
            let next = rest.trim_start();
            is_whole
                && next.len() < rest.len()
                && (next.starts_with("void") || next.starts_with("__attribute__"))
        })
}
