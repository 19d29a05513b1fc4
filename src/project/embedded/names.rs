//! What a text in OpenCL defines and calls, as far as a scan sees it that has no preprocessor: so that texts find each other.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::pieces::{self, Unclosed, is_word};

/// Words that text in C or C++ does not have, with what they may begin with.
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
const OPENCL_GROUPS: &[&str] = &["work_group_", "sub_group_", "get_sub_group_"];
/// What names of convergent operations contain.
pub const CONVERGENT: &[&str] = &["barrier", "work_group_", "sub_group_"];
/// No function has such a name.
const STATEMENTS: &[&str] = &["if", "else", "for", "while", "do", "switch", "case", "return", "sizeof"];

/// What a text defines and calls.
#[derive(Default)]
pub struct Names<'t> {
    /// Functions with a body.
    pub defined: FxHashSet<&'t str>,
    pub called: FxHashSet<&'t str>,
    /// It is functions as a whole, and not what stands in one.
    is_whole: bool,
    has_opencl_words: bool,
}

impl<'t> Names<'t> {
    /// Whether they are of whole functions in OpenCL.
    pub fn are_of_opencl(&self) -> bool {
        self.is_whole && self.has_opencl_words
    }

    /// The names of a text of which there are several forms.
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
        let mut unclosed = Unclosed::default();
        let (mut braces, mut parentheses) = (0_i64, 0_i64);
        // The end of a directive that goes on; the function whose head goes on; whether a type may stand before.
        let (mut directive, mut head, mut behind_type) = (0, None, false);
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
                        OPENCL.contains(&word) || OPENCL_GROUPS.iter().any(|begin| word.starts_with(begin));
                    let is_top = braces == 0 && !in_directive;
                    names.is_whole &= !(is_top && is_statement);
                    // A value of the host has a name of `_` alone.
                    if is_called && !is_statement && word.bytes().any(|byte| byte != b'_') {
                        match is_top {
                            true if parentheses == 0 && behind_type => head = Some(word),
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
            (behind_type, line_start, at) = (is_type, false, next);
        }
        names.is_whole &= braces == 0 && parentheses == 0 && !names.defined.is_empty();
        names
    }
}

/// The names in a literal that may be called and be convergent.
pub fn may_be_convergent(literal: &str) -> Vec<Range<usize>> {
    let bytes = literal.as_bytes();
    let mut found = Vec::new();
    for word in CONVERGENT {
        for at in memchr::memmem::find_iter(bytes, word) {
            let start = at - bytes[..at].iter().rev().take_while(|byte| is_word(**byte)).count();
            let end = pieces::word_end(bytes, at);
            // What an escape ends with is no part of a name: `\tbarrier`.
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

/// Whether a literal has words of OpenCL that hardly stand in other text.
pub fn has_opencl_words(literal: &str) -> bool {
    let mut words = literal.split(|byte: char| !(byte.is_ascii_alphanumeric() || byte == '_'));
    words.any(|word| {
        word.starts_with("CLK_") || (word != "barrier" && OPENCL.contains(&word)) || word == "__kernel"
    }) || defines_kernel(literal)
}

/// Whether a literal begins with the head of a function.
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

/// Whether a text defines a kernel.
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
