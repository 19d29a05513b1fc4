//! Edits of a text, and properties of the lines around them.

use std::ops::Range;
use std::sync::Arc;

use tangle_diagnostic::{Edit, Place};

/// Replacements of byte ranges of one text. They must not overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    pub(super) fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.0.push((range, text.into()));
    }

    pub(super) fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.replace(at..at, text);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns a part of a text with the edits applied. `None` if edits overlap or are outside of the part.
    pub(super) fn made(&self, text: &str, part: Range<usize>) -> Option<String> {
        let mut edits: Vec<_> = self.0.iter().collect();
        edits.sort_by_key(|(range, _)| (range.start, range.end));
        let (mut made, mut end) = (String::new(), part.start);
        for (range, new) in edits {
            made += text.get(end..range.start)?;
            made += new;
            end = range.end;
        }
        made += text.get(end..part.end)?;
        Some(made)
    }

    /// Removes a range of bytes, unless it overlaps another edit.
    pub(super) fn remove(&mut self, range: Range<usize>) {
        if !self.0.iter().any(|(other, _)| other.start < range.end && range.start < other.end) {
            self.replace(range, "");
        }
    }

    /// Whether an edit replaces the text around an offset.
    pub(super) fn hold(&self, at: usize) -> bool {
        self.0.iter().any(|(range, _)| range.start < at && at < range.end)
    }

    /// Whether an edit inserts text at an offset.
    pub(super) fn inserts_at(&self, at: usize) -> bool {
        self.0.iter().any(|(range, _)| *range == (at..at))
    }

    /// The edits in the order of the text. Edits at one position keep their order.
    pub fn in_file(mut self, file: &Arc<str>) -> Vec<Edit> {
        self.0.sort_by_key(|(range, _)| (range.start, range.end));
        let edit =
            |(range, text): (Range<usize>, String)| Edit { place: Place::new(file.clone(), range), text };
        self.0.into_iter().map(edit).collect()
    }
}

/// Applies edits, which must be in the order of the text. `None` if they overlap.
pub fn applied<'e>(text: &str, edits: impl IntoIterator<Item = &'e Edit>) -> Option<String> {
    let mut changed = String::with_capacity(text.len());
    let mut end = 0;
    for Edit { place, text: new } in edits {
        changed += text.get(end..place.range.start)?;
        changed += new;
        end = place.range.end;
    }
    changed += text.get(end..)?;
    Some(changed)
}

/// The byte range of the line that contains an offset, without its line break.
pub(super) fn line_of(text: &str, offset: usize) -> Range<usize> {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let end = text[offset..].find('\n').map_or(text.len(), |at| offset + at);
    start..start + text[start..end].trim_end_matches('\r').len()
}

/// The indentation of the line that contains an offset.
pub(super) fn indent(text: &str, offset: usize) -> &str {
    let line = &text[line_of(text, offset)];
    &line[..line.len() - line.trim_start().len()]
}

/// The line break of the line that contains an offset.
pub(super) fn line_end(text: &str, offset: usize) -> &'static str {
    let end = text[offset..].find('\n').map(|at| offset + at);
    match end.is_some_and(|end| text[..end].ends_with('\r')) {
        true => "\r\n",
        false => "\n",
    }
}

/// Whether a part of a line contains only spaces and comments.
pub(super) fn is_empty(part: &str) -> bool {
    let part = part.trim();
    let is_comment = |rest: &str| rest.find("*/").is_some_and(|end| rest[end + 2..].trim().is_empty());
    part.is_empty() || part.starts_with("//") || part.strip_prefix("/*").is_some_and(is_comment)
}
