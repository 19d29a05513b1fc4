//! An execution as a static SVG image: outcome, source lines and thread table.
//!
//! The image has no scripts and loads nothing. Its colours follow the colour scheme of the reader. A column is one
//! group, whose title says which threads execute the step.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::cells::{Cells, Mark, naming};
use super::human;
use super::report::{Report, State};
use crate::lowered::FunctionLocations;
use tangle_emit::source::FunctionSource;
use tangle_emit::xml::{self, Escaped};

/// The maximum numbers of columns and rows. An image with more is illegible.
const STEPS: usize = 40;
const ROWS: usize = 64;
/// With more threads than this, consecutive equal rows are merged.
const MAX_UNMERGED_ROWS: usize = 16;
/// The maximum numbers of source lines, of lines of other texts, and of characters of a line.
const LINES: usize = 48;
/// The source lines between two named lines are shown if the distance is at most this.
const GAP: usize = 4;
const NOTES: usize = 8;
const CHARACTERS: usize = 110;

/// The size of a character, and the heights of a text line and of a row, in pixels.
const CHARACTER: f64 = 7.25;
const LINE: f64 = 18.0;
const ROW: f64 = 21.0;
const MARGIN: f64 = 16.0;
/// Texts wrap at this width if the table is not wider.
const MIN_WIDTH: f64 = 620.0;

/// The colours of sets on light and dark backgrounds, for readers with colour blindness too: as in `table.css`.
const SETS: [&str; 6] = ["#3b8fd4", "#e08a1e", "#1f9e77", "#c266a6", "#c9b416", "#d5522f"];

const STYLE: &str = "\
text{font:12px ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre;fill:var(--ink)}\
svg{--paper:#fff;--ink:#1d2025;--faint:#6b7280;--edge:#aeb5c0;--good:#2e8b57;--bad:#c4321f}\
@media(prefers-color-scheme:dark){svg{--paper:#1b1e24;--ink:#dfe3ea;--faint:#959eac;--edge:#5a6372;--good:#4fb37f;--bad:#ff7a66}}\
.paper{fill:var(--paper)}.title{font-size:15px;font-weight:700}.strong{font-weight:700}.faint{fill:var(--faint)}\
.mid{text-anchor:middle}.side{text-anchor:end}.edge{stroke:var(--edge)}.hatch{stroke:var(--edge);stroke-width:1.2}\
.good{fill:var(--good)}.bad{fill:var(--bad)}.wrong{fill:none;stroke:var(--bad);stroke-width:2}\
.set{fill-opacity:.24}.set.together{fill-opacity:.55}.box{fill:none;stroke:var(--edge)}";

/// The elements of the image, from top to bottom.
struct Image {
    out: String,
    y: f64,
    width: f64,
}

impl Image {
    fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let (y, text) = (y + 14.0, Escaped(text));
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        _ = write!(self.out, "<text{class} x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>");
    }

    fn rect(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64)) {
        _ = write!(
            self.out,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"3\"/>"
        );
    }

    /// Adds a line of text, shortened if it is long.
    fn line(&mut self, x: f64, class: &str, text: &str) {
        let text = shortened(text);
        self.width = self.width.max(x + xml::width(&text) * CHARACTER + MARGIN);
        self.text(x, self.y, class, &text);
        self.y += LINE;
    }

    /// Adds texts side by side, on as many lines as the width needs. A text with a set has its colour before it.
    fn flow(&mut self, texts: impl Iterator<Item = (Option<usize>, String)>) {
        let mut x = MARGIN;
        for (set, text) in texts {
            let text = shortened(&text);
            let width = xml::width(&text) * CHARACTER + if set.is_some() { 16.0 } else { 0.0 };
            if x > MARGIN && x + width + MARGIN > self.width {
                (x, self.y) = (MARGIN, self.y + LINE);
            }
            if let Some(set) = set {
                self.rect(&format!("set together c{}", set % 6), (x, self.y + 4.0), (11.0, 11.0));
            }
            self.text(x + if set.is_some() { 16.0 } else { 0.0 }, self.y, "", &text);
            x += width + 20.0;
        }
        self.y += LINE;
    }
}

fn shortened(text: &str) -> String {
    let text = text.trim_end_matches(['\n', '\r']).replace('\t', "    ");
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

pub fn write(out: &mut dyn Write, report: &Report, places: &FunctionLocations) -> io::Result<()> {
    let cells = Cells::of(report, &report.table[..report.table.len().min(STEPS)]);
    let mut image = Image { out: String::new(), y: MARGIN, width: MIN_WIDTH };
    let title = format!("{} in {}", report.function, report.file);
    image.line(MARGIN, "title", &title);
    image.line(MARGIN, "faint", &human::launch(report));
    image.y += 6.0;
    outcome(&mut image, report)?;
    source(&mut image, report, &cells, places);
    table(&mut image, report, &cells);
    image.flow(cells.key().split("; ").map(|text| (None, text.to_owned())));
    let sets = (0..cells.sets.len().min(3 * NOTES)).map(|set| (Some(set), cells.describe_set(set)));
    let more =
        cells.sets.len().checked_sub(3 * NOTES + 1).map(|more| (None, format!("and {} more sets", more + 1)));
    image.flow(sets.chain(more));
    let (width, height) = (image.width.ceil(), (image.y + MARGIN).ceil());
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
         <title>Thread table of {}</title>\n<style>{STYLE}",
        Escaped(&title)
    )?;
    for (number, color) in SETS.iter().enumerate() {
        write!(out, ".c{number}{{fill:{color}}}")?;
    }
    writeln!(
        out,
        "</style>\n<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><path class=\"hatch\" d=\"M0 0V6\"/></pattern></defs>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>"
    )?;
    writeln!(out, "{}</svg>", image.out)
}

/// Adds the outcome and the races, with a bar at their side.
fn outcome(image: &mut Image, report: &Report) -> io::Result<()> {
    let mut text = Vec::new();
    human::outcome(&mut text, report)?;
    human::races(&mut text, report)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let top = image.y;
    for (number, line) in lines.iter().take(NOTES).enumerate() {
        image.line(MARGIN + 10.0, if number == 0 { "strong" } else { "" }, line);
    }
    if lines.len() > NOTES {
        image.line(MARGIN + 10.0, "faint", &format!("and {} more lines", lines.len() - NOTES));
    }
    let class = if report.is_clean() { "good" } else { "bad" };
    image.rect(class, (MARGIN, top), (4.0, image.y - top));
    image.y += 10.0;
    Ok(())
}

fn source(image: &mut Image, report: &Report, cells: &Cells, places: &FunctionLocations) {
    let mut lines: Vec<(Option<&str>, usize)> = Vec::new();
    for (file, line) in cells.lines() {
        // The lines between, such as conditions, explain the steps.
        let between = match lines.last() {
            Some(&(before, last)) if before == file && line - last <= GAP => last + 1..line,
            _ => line..line,
        };
        lines.extend(between.chain([line]).map(|line| (file, line)));
    }
    let side = lines.iter().map(|(_, line)| line.to_string().len()).max().unwrap_or(0);
    let mut last = None;
    for (file, line) in lines.iter().take(LINES) {
        if let Some(file) = file.filter(|_| last != *file) {
            image.line(MARGIN, "faint", &format!("{file}:"));
        }
        last = *file;
        let text = places.line(&file.unwrap_or(&report.file).into(), *line).unwrap_or_default();
        image.text(MARGIN, image.y, "faint", &format!("{line:>side$}"));
        image.line(MARGIN + (side + 2) as f64 * CHARACTER, "", &text);
    }
    if lines.len() > LINES {
        image.line(MARGIN, "faint", &format!("and {} more lines", lines.len() - LINES));
    }
    image.y += 10.0;
}

fn table(image: &mut Image, report: &Report, cells: &Cells) {
    let all = cells.rows(MAX_UNMERGED_ROWS);
    let rows = &all[..all.len().min(ROWS)];
    let thread = &report.vocabulary.thread;
    let side = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(thread.len());
    let left = MARGIN + side as f64 * CHARACTER + 10.0;
    let (head, top) = (image.y, image.y + ROW);
    image.text(left - 10.0, head, "side faint", thread);
    for (at, (name, first)) in rows.iter().enumerate() {
        let y = top + at as f64 * ROW;
        image.text(left - 10.0, y + 1.0, "side faint", name);
        // A line separates the sub-groups.
        if at > 0 && (first % report.of_group()).is_multiple_of(report.sub_group_size as usize) {
            _ = write!(image.out, "<path class=\"edge\" d=\"M{MARGIN} {y:.1}H{:.1}\"/>", left - 4.0);
        }
    }
    let mut x = left;
    let mut notes: Vec<String> = Vec::new();
    for (number, (step, column)) in cells.steps.iter().zip(&cells.columns).enumerate() {
        let head_text = cells.head(number);
        let texts: Vec<String> = rows.iter().map(|(_, thread)| column[*thread].text()).collect();
        let widest = texts.iter().chain([&head_text]).map(String::len).max().unwrap_or(1);
        let width = (widest as f64 * CHARACTER + 10.0).max(24.0);
        let callee = step.callee.as_deref().map_or(String::new(), |callee| format!(" {callee}"));
        let named = naming(report, step.named.as_ref());
        let note = format!("{head_text}{callee}{named}");
        _ = write!(image.out, "<g><title>{}</title>", Escaped(&note));
        // The table itself shows which threads a whole group misses.
        let has_mask = step.named.as_ref().is_some_and(|named| !named.masks.is_empty());
        if has_mask && !notes.contains(&note) {
            notes.push(note);
        }
        let together = if step.callee.is_some() { " together" } else { "" };
        image.text(
            x + width / 2.0,
            head,
            if together.is_empty() { "mid faint" } else { "mid strong" },
            &head_text,
        );
        let area = |first: usize, count: usize| {
            ((x + 1.0, top + first as f64 * ROW + 1.0), (width - 2.0, count as f64 * ROW - 2.0))
        };
        let mut at = 0;
        for run in rows.chunk_by(|a, b| column[a.1] == column[b.1]) {
            let cell = column[run[0].1];
            let (from, size) = area(at, run.len());
            if let Some(set) = cell.set {
                image.rect(&format!("set{together} c{}", set % 6), from, size);
            }
            let class = match cell.mark {
                Some(Mark::Returned) => {
                    hatched(image, from, size);
                    "mid strong"
                }
                Some(Mark::Missing | Mark::Unnamed) => {
                    image.rect("wrong", from, size);
                    "mid strong"
                }
                None if together.is_empty() => "mid",
                None => "mid strong",
            };
            for row in (at..at + run.len()).filter(|row| !texts[*row].is_empty()) {
                image.text(x + width / 2.0, top + row as f64 * ROW + 1.0, class, &texts[row]);
            }
            at += run.len();
        }
        image.out += "</g>\n";
        x += width;
    }
    let hidden = report.table.len() - cells.steps.len();
    if hidden > 0 || report.cut {
        image.text(x + 4.0, head, "faint", "…");
        x += 20.0;
    }
    if cells.has_ends {
        ends(image, cells, rows, (x + 6.0, head));
    }
    image.width = image.width.max(x + MARGIN);
    image.y = top + rows.len() as f64 * ROW + 6.0;
    if hidden > 0 || report.cut {
        let least = if report.cut { "at least " } else { "" };
        image.line(MARGIN, "faint", &format!("…: {least}{hidden} more steps"));
    }
    if all.len() > ROWS {
        image.line(MARGIN, "faint", &format!("{} more rows", all.len() - ROWS));
    }
    for note in notes.iter().take(NOTES) {
        image.line(MARGIN, "", note);
    }
    image.y += 4.0;
}

fn hatched(image: &mut Image, (x, y): (f64, f64), (width, height): (f64, f64)) {
    _ = write!(
        image.out,
        "<rect fill=\"url(#hatch)\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
    );
}

/// Adds the last column: a box for each run of threads that are at the same place.
fn ends(image: &mut Image, cells: &Cells, rows: &[(String, usize)], (x, head): (f64, f64)) {
    let texts: Vec<String> = rows.iter().map(|(_, thread)| cells.end(*thread)).collect();
    let width = texts.iter().map(|text| xml::width(text)).fold(3.0, f64::max) * CHARACTER + 16.0;
    image.text(x + 10.0, head, "faint", human::END);
    let mut at = 0;
    for run in texts.chunk_by(|a, b| a == b) {
        let y = head + ROW + at as f64 * ROW + 1.0;
        let (from, size) = ((x, y), (width, run.len() as f64 * ROW - 2.0));
        let (state, set) = cells.ends[rows[at].1].map_or((None, None), |(end, set)| (Some(end.state), set));
        if let Some(set) = set {
            image.rect(&format!("set c{}", set % 6), from, size);
        }
        let class = match state {
            Some(state) if cells.is_problem(state) => {
                image.rect("wrong", from, size);
                "strong"
            }
            Some(State::Returned) => {
                hatched(image, from, (6.0, size.1));
                image.rect("box", from, size);
                "faint"
            }
            _ => {
                image.rect("box", from, size);
                ""
            }
        };
        for (row, text) in run.iter().enumerate() {
            image.text(x + 10.0, y + row as f64 * ROW, class, text);
        }
        at += run.len();
    }
    image.width = image.width.max(x + width + MARGIN);
}
