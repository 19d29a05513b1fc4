//! The findings for a person at a terminal: the source with a mark and a few words at each place.
//!
//! This file is the only one that knows ariadne, which has sharp edges; what is handed to it is made safe here:
//!
//! - It drops a label that lies past the end, and panics at one inside a character. Every range is first clamped.
//! - In byte mode it takes a character offset for a byte offset when it names a second file, which points at a wrong
//!   place, or panics. So it gets character offsets, which we know from [`SourceText`].
//! - It breaks lines at form feeds and other signs that no compiler counts as line ends, prints control characters as
//!   they are, and gives the second tab of a line another width than the first. So it gets a copy of the text,
//!   `Prepared`, with our lines, tabs expanded and control characters replaced.
//! - It names its own columns, which are those of the copy. So it prints a mark, and we put the place there.
//! - It prints a line whole, however long. Findings on very long lines are written by `plain`.

mod wrap;

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use ariadne::{Cache, Color, Config, IndexType, Report, ReportKind, Source};

use tangle_diagnostic::printable::{printable, tame, tame_char};
use tangle_diagnostic::{Diagnostic, Label, Place, Position, Severity, SourceText, Sources};

/// Lines longer than this, in bytes, are shown in part only.
const LONG_LINE: usize = 400;

/// Characters of a long line that are shown before and after the start of a place.
const EXCERPT: (usize, usize) = (40, 60);

/// More places than this do not help a reader.
const MOST_LABELS: usize = 12;

/// Prepared copies are dropped once they hold this many bytes.
const CACHE_BYTES: usize = 32 << 20;

const TAB: usize = 4;

/// Columns that stand before the words of a help line.
const HELP: usize = 14;

/// Stands where ariadne would name a place; no text that reaches ariadne has it.
const MARK: char = '\0';

/// What findings are written to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terminal {
    /// Whether it shows colours.
    pub color: bool,
    /// How many columns it has. None: no end.
    pub width: Option<usize>,
}

/// Writes findings, and keeps what it prepared of a file for the next finding there.
pub struct Renderer<'a> {
    sources: &'a dyn Sources,
    terminal: Terminal,
    files: Files,
}

/// One place as it will be shown.
struct Spot<'a> {
    place: &'a Place,
    message: Cow<'a, str>,
    color: Color,
}

impl<'a> Renderer<'a> {
    pub fn new(sources: &'a dyn Sources, terminal: Terminal) -> Renderer<'a> {
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

    /// The prepared file of each spot, or nothing if one has no text or lies in a line that is too long to show.
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
        // One group for each file, the finding's own first, and places in source order within it: otherwise ariadne
        // opens a new group wherever a line number goes down.
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
        // The kind and an empty message make a first line that is not printed: ours stands there already.
        let mut report = Report::build(ReportKind::Advice, (files[0], range(0))).with_config(config);
        let mut headers: Vec<(usize, usize)> = Vec::new();
        for &index in &order {
            let spot = &spots[index];
            let label = ariadne::Label::new((files[index], range(index)))
                .with_message(printable(&spot.message))
                .with_color(spot.color);
            report.add_label(label);
            if !headers.iter().any(|(file, _)| *file == files[index]) {
                // The finding's own file is named with the place of the finding, another with its first place.
                headers.push((files[index], if files[index] == files[0] { 0 } else { index }));
            }
        }
        for help in &diagnostic.help {
            let room = self.terminal.width.map(|width| width.saturating_sub(HELP));
            report.add_help(wrap::text(&printable(help), room, "").join("\n"));
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
            // There is a header for each file, in the order in which the files were given.
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

/// The places of a finding, its own first, and how many are left out since there are too many.
fn spots(diagnostic: &Diagnostic) -> (Vec<Spot<'_>>, usize) {
    /// Ways that differ are told apart by colour.
    const COLORS: [Color; 4] = [Color::Cyan, Color::Magenta, Color::Green, Color::Blue];
    // Without words ariadne would not mark the place at all.
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
        // Marks that overlap cannot be read: one stands for both.
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

fn more_places(count: usize) -> String {
    let places = if count == 1 { "location is" } else { "locations are" };
    format!("{count} more {places} not shown; `--format json` lists all locations")
}

/// Writes the finding without a box: each place on a line of its own, with a piece of the source below it.
fn plain(
    out: &mut dyn Write,
    diagnostic: &Diagnostic,
    spots: &[Spot],
    sources: &dyn Sources,
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
    if left_out > 0 {
        writeln!(out, "  Note: {}", more_places(left_out))?;
    }
    Ok(())
}

/// The piece of a line around the start of a range, and a line that marks the range below it.
fn excerpt(text: &SourceText, range: &Range<usize>) -> (String, String) {
    let range = text.clamp(range);
    let line = text.line_range(text.position(range.start).line);
    let start = range.start.min(line.end);
    let (before, after) = (&text.text()[line.start..start], &text.text()[start..line.end]);
    // The last characters of what may be megabytes: taken from the end, not counted from the front.
    let from = before.char_indices().rev().nth(EXCERPT.0 - 1).map_or(0, |(index, _)| index);
    let to = after.char_indices().nth(EXCERPT.1).map_or(after.len(), |(index, _)| index);
    let before = format!("{}{}", if from > 0 { "…" } else { "" }, tame(&before[from..]));
    let more = if to < after.len() { "…" } else { "" };
    let shown = &after[..to];
    let length = range.end.min(line.end).saturating_sub(start).min(shown.len());
    let marked = shown[..length].chars().count().max(1);
    let mark = " ".repeat(before.chars().count()) + &"^".repeat(marked);
    (format!("{before}{}{more}", tame(shown)), mark)
}

/// `file:line:column`, or the file alone if there is no text to count in.
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

/// A file's text as ariadne gets it: our lines, tabs expanded, no control characters but the line ends.
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
                    copy.push(tame_char(c));
                }
                column += width;
            }
            copy.push('\n');
        }
        Prepared { name, text, source: Source::from(copy) }
    }

    /// The characters of the copy that show a range: at least one, and of a range over several lines the first line.
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
        // A place without length still gets a mark; after the last character stands the line end.
        let end = column(end).max(start + 1);
        offset + start..offset + end
    }
}

/// Characters that a character becomes at a column of the copy.
fn width_at(c: char, column: usize) -> usize {
    if c == '\t' { TAB - column % TAB } else { 1 }
}

/// The prepared files, by their number.
#[derive(Default)]
struct Files {
    prepared: Vec<Prepared>,
}

impl Files {
    /// Forgets everything once it has become much, where another file's findings begin. Not between the places of one
    /// finding, whose numbers must hold, nor between the findings of one large file.
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
