//! Findings for people at a terminal: the source, with a mark and a short text at each location.
//!
//! Only this file uses ariadne, and it prepares the input because of these properties of ariadne:
//!
//! - It drops a label after the end of the text, and panics at a label inside a character. So we first clamp every
//!   range.
//! - In byte mode, it treats a character offset as a byte offset when it prints the location in a second file. The
//!   location is then wrong, or ariadne panics. So we pass character offsets, computed from [`SourceText`].
//! - It ends lines at form feeds and other characters that are no line ends for compilers. It prints control
//!   characters unchanged, and expands the second tab of a line to another width than the first. So we pass a copy of
//!   the text, `Prepared`, with the lines of [`SourceText`], expanded tabs and replaced control characters.
//! - It prints columns of the copy. So we let it print a mark, and replace the mark by the location in the file.
//! - It prints lines of any length in full. So `plain` writes the findings on very long lines.

mod wrap;

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use ariadne::{Cache, Color, Config, IndexType, Report, ReportKind, Source};

use tangle_diagnostic::printable::{printable, printable_char, single_line};
use tangle_diagnostic::{Diagnostic, Label, Place, Position, Severity, SourceText, SourceTexts};

/// The maximum length of a line that is shown in full, in bytes.
const LONG_LINE: usize = 400;

/// The numbers of characters of a long line to show before and after the start of a location.
const EXCERPT: (usize, usize) = (40, 60);

/// The maximum number of related locations to show.
const MOST_LABELS: usize = 12;

/// The prepared copies are dropped when their texts exceed this number of bytes.
const CACHE_BYTES: usize = 32 << 20;

const TAB: usize = 4;

/// The number of columns before the text of a help line.
const HELP: usize = 14;

/// Replaces the locations in the output of ariadne. No other text passed to ariadne contains it.
const MARK: char = '\0';

/// The properties of the terminal or file that findings are written to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terminal {
    /// Whether to use colours.
    pub color: bool,
    /// The number of columns. `None`: unlimited.
    pub width: Option<usize>,
}

/// Writes findings, and keeps the prepared files for further findings in them.
pub struct Renderer<'a> {
    sources: &'a dyn SourceTexts,
    terminal: Terminal,
    files: Files,
}

/// A location with its text and colour.
struct Spot<'a> {
    place: &'a Place,
    message: Cow<'a, str>,
    color: Color,
}

impl<'a> Renderer<'a> {
    pub fn new(sources: &'a dyn SourceTexts, terminal: Terminal) -> Renderer<'a> {
        Renderer { sources, terminal, files: Files::default() }
    }

    /// Writes one finding and an empty line after it.
    pub fn write(&mut self, out: &mut dyn Write, diagnostic: &Diagnostic) -> io::Result<()> {
        let severity = diagnostic.severity;
        let title = match diagnostic.rule {
            // An error in a settings file.
            "" => format!("{severity}:"),
            rule => format!("{severity}[{rule}]:"),
        };
        let title = paint(&title, severity_color(severity), self.terminal.color);
        for line in
            wrap::text(&format!("{title} {}", printable(&diagnostic.message)), self.terminal.width, "  ")
        {
            writeln!(out, "{line}")?;
        }
        let (spots, left_out) = spots(diagnostic);
        match self.prepare(&spots) {
            Some(files) => self.boxed(out, diagnostic, &spots, &files, left_out)?,
            None => plain(out, diagnostic, &spots, self.sources, left_out)?,
        }
        writeln!(out)
    }

    /// Returns the index of the prepared file of each spot. `None` if a file has no text, or if a line is too long to
    /// show.
    fn prepare(&mut self, spots: &[Spot]) -> Option<Vec<usize>> {
        let mut files = Vec::with_capacity(spots.len());
        self.files.make_room(&spots[0].place.file);
        for spot in spots {
            let text = self.sources.text(&spot.place.file)?;
            let line = text.position(spot.place.range.start).line;
            if text.line_range(line).len() > LONG_LINE {
                return None;
            }
            files.push(self.files.get(&spot.place.file, text));
        }
        Some(files)
    }

    /// Writes the finding with the source in a box.
    fn boxed(
        &mut self,
        out: &mut dyn Write,
        diagnostic: &Diagnostic,
        spots: &[Spot],
        files: &[usize],
        left_out: usize,
    ) -> io::Result<()> {
        // Group the locations by file, with the finding's own file first, and sort them in source order. Otherwise
        // ariadne opens a new group wherever a line number decreases.
        let mut order: Vec<usize> = (0..spots.len()).collect();
        let first_of_file = |index: usize| files.iter().position(|file| *file == files[index]);
        order.sort_by_key(|&index| (first_of_file(index), spots[index].place.range.start));

        let config = Config::new()
            .with_color(self.terminal.color)
            .with_cross_gap(false)
            .with_tab_width(TAB)
            .with_compact(diagnostic.severity == Severity::Note && spots.len() == 1)
            .with_index_type(IndexType::Char);
        let range = |index: usize| self.files.prepared[files[index]].range(&spots[index].place.range);
        // The first line, with the kind and an empty message, is skipped below: the title is already printed.
        let mut report = Report::build(ReportKind::Advice, (files[0], range(0))).with_config(config);
        let mut headers: Vec<(usize, usize)> = Vec::new();
        for &index in &order {
            let spot = &spots[index];
            let label = ariadne::Label::new((files[index], range(index)))
                .with_message(printable(&spot.message))
                .with_color(spot.color);
            report.add_label(label);
            if !headers.iter().any(|(file, _)| *file == files[index]) {
                // The header of the finding's own file has the location of the finding. Other headers have the first
                // location.
                headers.push((files[index], if files[index] == files[0] { 0 } else { index }));
            }
        }
        for help in &diagnostic.help {
            let room = self.terminal.width.map(|width| width.saturating_sub(HELP));
            report.add_help(wrap::text(&printable(help), room, "").join("\n"));
        }
        if let Some(evidence) = &diagnostic.evidence {
            report.add_note(printable_lines(&evidence.lines(&diagnostic.place.file)));
        }
        if left_out > 0 {
            report.add_note(more_places(left_out));
        }

        let mut bytes = Vec::new();
        report.finish().write_for_stdout(&mut self.files, &mut bytes)?;
        let rendered = String::from_utf8_lossy(&bytes);
        let mut headers = headers.into_iter();
        for line in rendered.lines().skip(1) {
            let line = line.trim_end();
            let Some((before, after)) = line.split_once(MARK) else {
                for line in wrap::boxed(line, self.terminal.width) {
                    writeln!(out, "{line}")?;
                }
                continue;
            };
            // ariadne prints one header for each file, in the order of the labels.
            let Some((file, index)) = headers.next() else { continue };
            let text = &self.files.prepared[file].text;
            let after = after.split_once(' ').map_or(after, |(_, after)| after);
            let function = if index == 0 { in_function(diagnostic) } else { String::new() };
            let at = location(&spots[index].place.file, Some(text), &spots[index].place.range);
            writeln!(out, "{before}{at} {after}{function}")?;
        }
        Ok(())
    }
}

/// Returns the locations of a finding, its own first, and the number of related locations above the maximum.
fn spots(diagnostic: &Diagnostic) -> (Vec<Spot<'_>>, usize) {
    /// The colours of related locations, which often belong to different paths.
    const COLORS: [Color; 4] = [Color::Cyan, Color::Magenta, Color::Green, Color::Blue];
    // Without a text, ariadne does not mark the location.
    let label = if diagnostic.label.is_empty() { "here" } else { &diagnostic.label };
    let own = Spot {
        place: &diagnostic.place,
        message: Cow::Borrowed(label),
        color: severity_color(diagnostic.severity),
    };
    let related = diagnostic.related.iter().take(MOST_LABELS).enumerate().map(
        |(index, Label { place, message, .. })| Spot {
            place,
            message: Cow::Borrowed(message),
            color: COLORS[index % COLORS.len()],
        },
    );
    let mut spots: Vec<Spot> = Vec::new();
    for spot in std::iter::once(own).chain(related) {
        // Overlapping marks are unreadable, so one mark gets both messages.
        match spots.iter_mut().find(|known| overlap(known.place, spot.place)) {
            Some(known) => known.message = format!("{}; {}", known.message, spot.message).into(),
            None => spots.push(spot),
        }
    }
    (spots, diagnostic.related.len().saturating_sub(MOST_LABELS))
}

fn overlap(a: &Place, b: &Place) -> bool {
    a.file == b.file && a.range.start < b.range.end && b.range.start < a.range.end
}

/// Joins lines of text without control characters.
fn printable_lines(lines: &[String]) -> String {
    lines.iter().map(|line| printable(line)).collect::<Vec<_>>().join("\n")
}

fn more_places(count: usize) -> String {
    let places = if count == 1 { "location is" } else { "locations are" };
    format!("{count} more {places} not shown; `--format json` lists all locations")
}

/// Writes the finding without a box: a line for each location, with an excerpt of the source below it.
fn plain(
    out: &mut dyn Write,
    diagnostic: &Diagnostic,
    spots: &[Spot],
    sources: &dyn SourceTexts,
    left_out: usize,
) -> io::Result<()> {
    for (index, spot) in spots.iter().enumerate() {
        let text = sources.text(&spot.place.file);
        let function = if index == 0 { in_function(diagnostic) } else { String::new() };
        let at = location(&spot.place.file, text.as_deref(), &spot.place.range);
        writeln!(out, "  {at}:{function} {}", printable(&spot.message))?;
        if let Some(text) = text {
            let (excerpt, mark) = excerpt(&text, &spot.place.range);
            writeln!(out, "      {}", excerpt.trim_end())?;
            writeln!(out, "      {mark}")?;
        }
    }
    for help in &diagnostic.help {
        writeln!(out, "  Help: {}", printable(help))?;
    }
    if let Some(evidence) = &diagnostic.evidence {
        let lines = printable_lines(&evidence.lines(&diagnostic.place.file));
        writeln!(out, "  Note: {}", lines.replace('\n', "\n        "))?;
    }
    if left_out > 0 {
        writeln!(out, "  Note: {}", more_places(left_out))?;
    }
    Ok(())
}

/// Returns an excerpt of the line around the start of a range, and a line that marks the range below it.
fn excerpt(text: &SourceText, range: &Range<usize>) -> (String, String) {
    let range = text.clamp(range);
    let line = text.line_range(text.position(range.start).line);
    let start = range.start.min(line.end);
    let (before, after) = (&text.text()[line.start..start], &text.text()[start..line.end]);
    // Count from the end, because the text before the range can have megabytes.
    let from = before.char_indices().rev().nth(EXCERPT.0 - 1).map_or(0, |(index, _)| index);
    let to = after.char_indices().nth(EXCERPT.1).map_or(after.len(), |(index, _)| index);
    let before = format!("{}{}", if from > 0 { "…" } else { "" }, single_line(&before[from..]));
    let more = if to < after.len() { "…" } else { "" };
    let shown = &after[..to];
    let length = range.end.min(line.end).saturating_sub(start).min(shown.len());
    let marked = shown[..length].chars().count().max(1);
    let mark = " ".repeat(before.chars().count()) + &"^".repeat(marked);
    (format!("{before}{}{more}", single_line(shown)), mark)
}

/// Returns `file:line:column`, or only the file if its text is unknown.
fn location(file: &str, text: Option<&SourceText>, range: &Range<usize>) -> String {
    let file = printable(file);
    match text {
        Some(text) => {
            let Position { line, column } = text.position(range.start);
            format!("{file}:{line}:{column}")
        }
        None => file,
    }
}

fn in_function(diagnostic: &Diagnostic) -> String {
    match &diagnostic.function {
        Some(name) => format!(" in `{}`", printable(name)),
        None => String::new(),
    }
}

fn severity_color(severity: Severity) -> Color {
    match severity {
        Severity::Note => Color::Fixed(147),
        Severity::Warning => Color::Yellow,
        Severity::Error => Color::Red,
    }
}

fn paint(text: &str, color: Color, enabled: bool) -> String {
    use ariadne::Fmt;
    if enabled { text.fg(color).to_string() } else { text.to_owned() }
}

/// The text of a file as ariadne receives it: expanded tabs, and no control characters except the line ends of
/// [`SourceText`].
struct Prepared {
    name: Arc<str>,
    text: Arc<SourceText>,
    source: Source<String>,
}

impl Prepared {
    fn new(name: Arc<str>, text: Arc<SourceText>) -> Prepared {
        let mut copy = String::with_capacity(text.text().len() + 1);
        for line in 1..=text.line_count() {
            let mut column = 0;
            for c in text.text()[text.line_range(line)].chars() {
                let width = width_at(c, column);
                if c == '\t' {
                    copy.extend(std::iter::repeat_n(' ', width));
                } else {
                    copy.push(printable_char(c));
                }
                column += width;
            }
            copy.push('\n');
        }
        Prepared { name, text, source: Source::from(copy) }
    }

    /// Returns the characters of the copy that show a range: at least one. A range over several lines is cut to its
    /// first line.
    fn range(&self, range: &Range<usize>) -> Range<usize> {
        let range = self.text.clamp(range);
        let number = self.text.position(range.start).line;
        let line = self.text.line_range(number);
        let text = &self.text.text()[line.clone()];
        let end = range.end.min(line.start + text.trim_end().len());
        let column = |offset: usize| {
            let before = &text[..offset.clamp(line.start, line.end) - line.start];
            before.chars().fold(0, |column, c| column + width_at(c, column))
        };
        let offset = self.source.line(number - 1).map_or(0, |line| line.offset());
        let start = column(range.start);
        // An empty range also gets a mark. After the last character, the mark is on the line end.
        let end = column(end).max(start + 1);
        offset + start..offset + end
    }
}

/// Returns the number of characters in the copy for a character that begins at this column.
fn width_at(c: char, column: usize) -> usize {
    if c == '\t' { TAB - column % TAB } else { 1 }
}

/// The prepared files. Their indices identify files for ariadne.
#[derive(Default)]
struct Files {
    prepared: Vec<Prepared>,
}

impl Files {
    /// Drops all prepared files if they exceed `CACHE_BYTES` and do not include the file of the next finding. So
    /// indices stay valid within a finding, and all findings of one large file use the same copy.
    fn make_room(&mut self, next: &str) {
        let bytes: usize = self.prepared.iter().map(|file| file.text.text().len()).sum();
        if bytes > CACHE_BYTES && self.prepared.iter().all(|file| *file.name != *next) {
            self.prepared.clear();
        }
    }

    fn get(&mut self, name: &Arc<str>, text: Arc<SourceText>) -> usize {
        if let Some(index) = self.prepared.iter().rposition(|file| file.name == *name) {
            return index;
        }
        self.prepared.push(Prepared::new(name.clone(), text));
        self.prepared.len() - 1
    }
}

impl Cache<usize> for Files {
    type Storage = String;

    fn fetch(&mut self, id: &usize) -> Result<&Source<String>, impl std::fmt::Debug> {
        self.prepared.get(*id).map(|file| &file.source).ok_or("no such file")
    }

    fn display<'a>(&self, _id: &'a usize) -> Option<impl std::fmt::Display + 'a> {
        Some(MARK)
    }
}

#[cfg(test)]
#[path = "../diagnostic/testing.rs"]
mod testing;
#[cfg(test)]
mod tests;
