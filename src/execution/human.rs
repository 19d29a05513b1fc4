//! The thread table as text.
//!
//! Threads with the same letter in a column are converged at that step. A letter names the same set in all columns and
//! always has the same colour; colours add no information. The line number is above each column, with `*` for a
//! convergent operation. The last column says where threads wait.

use std::io::{self, Write};

use super::Alternatives;
use super::cells::{Cell, Cells, Mark, named, naming};
use super::races::{Access, AccessKind};
use super::report::{Communication, Instance, Place, Report};
use crate::lowered::FunctionLocations;
use tangle_diagnostic::printable::single_line;
use tangle_emit::source::FunctionSource;
use tangle_syntax::dialect::Vocabulary;

/// The maximum width of a part of the table, in characters.
const WIDTH: usize = 100;

/// The maximum numbers of shown steps and table cells. JSON output contains all of them.
const STEPS: usize = 200;
const CELLS: usize = 2_000_000;

/// With more threads than this, consecutive equal rows are merged.
pub(super) const MAX_UNMERGED_ROWS: usize = 32;

/// The head of the last column, which has no line.
pub(super) const END: &str = "end";

/// The style of marks, and of threads that wait forever or stopped.
const BOLD: &str = "1";

/// The maximum number of shown communications.
const COMMUNICATIONS: usize = 50;

pub fn write(
    out: &mut dyn Write,
    report: &Report,
    places: &dyn FunctionSource,
    color: bool,
) -> io::Result<()> {
    writeln!(out, "{} in {}: {}", report.function, single_line(&report.file), launch(report))?;
    let most = STEPS.min((CELLS / report.threads()).max(1));
    let shown = &report.table[..report.table.len().min(most)];
    let cells = Cells::of(report, shown);
    if !shown.is_empty() {
        table(out, report, &cells, color)?;
        legend(out, &cells, color)?;
        lines(out, report, &cells, places)?;
    }
    if report.cut || shown.len() < report.table.len() {
        let more = if report.cut { "at least " } else { "" };
        writeln!(out, "\n{more}{} more steps", report.table.len() - shown.len())?;
    }
    writeln!(out)?;
    outcome(out, report)?;
    races(out, report)?;
    communications(out, report)
}

/// Writes one execution, or two executions and their differences.
pub fn write_all(
    out: &mut dyn Write,
    alternatives: &Alternatives,
    places: &FunctionLocations,
    color: bool,
) -> io::Result<()> {
    let Alternatives { executions, tried } = alternatives;
    for (number, report) in executions.iter().enumerate() {
        if number > 0 {
            writeln!(out, "\n--- the specification also allows this execution ---\n")?;
        }
        write(out, report, places, color)?;
    }
    writeln!(out)?;
    let Some(differences) = alternatives.differences() else {
        let thread = &executions[0].vocabulary.thread;
        return writeln!(out, "no difference in the participating {thread}s in {tried} executions");
    };
    writeln!(out, "the two executions differ:")?;
    for (name, (report, only)) in ["first", "second"].into_iter().zip(executions.iter().zip(differences)) {
        if report.outcome != "finished" {
            writeln!(out, "  {name}: {}", report.outcome)?;
        }
        for it in only.iter().take(COMMUNICATIONS) {
            let who = participants(report, it);
            writeln!(out, "  {name}: {} `{}`: {who}", at(&it.place), it.callee)?;
        }
        if only.len() > COMMUNICATIONS {
            writeln!(out, "  {name}: and {} more", only.len() - COMMUNICATIONS)?;
        }
    }
    Ok(())
}

/// Describes a launch: `4 work-items, sub-groups of 4; tokens, early, seed 0`.
pub(super) fn launch(report: &Report) -> String {
    let Report { local_size: [x, y, z], groups, sub_group_size, strategy, policy, seed, .. } = report;
    let size = match (y, z) {
        (1, 1) => x.to_string(),
        _ => format!("{x}×{y}×{z}"),
    };
    let Vocabulary { thread, workgroup, subgroup, .. } = report.vocabulary;
    let groups = if *groups == 1 { String::new() } else { format!("{groups} {workgroup}s of ") };
    format!("{groups}{size} {thread}s, {subgroup}s of {sub_group_size}; {strategy}, {policy}, seed {seed}")
}

/// A cell as text, with its colour.
type Painted = (String, Option<String>);

/// The colour of a set: six colours that are visible on light and dark screens.
fn color_of(set: usize) -> String {
    format!("3{}", 1 + set % 6)
}

fn paint(text: &str, style: Option<&str>, color: bool) -> String {
    match style {
        Some(style) if color => format!("\x1b[{style}m{text}\x1b[0m"),
        _ => text.to_owned(),
    }
}

/// The cells of a row. The last column comes last, unless all threads have returned.
fn row(cells: &Cells, thread: usize) -> Vec<Painted> {
    let of_step = |column: &Vec<Cell>| {
        let cell = column[thread];
        let style = match cell.mark {
            Some(Mark::Missing | Mark::Unnamed) => Some(BOLD.to_owned()),
            _ => cell.set.map(color_of),
        };
        (cell.text(), style)
    };
    let is_bold = cells.ends[thread].is_some_and(|(end, _)| cells.is_problem(end.state));
    let end = cells.has_ends.then(|| (cells.end(thread), is_bold.then(|| BOLD.to_owned())));
    cells.columns.iter().map(of_step).chain(end).collect()
}

fn table(out: &mut dyn Write, report: &Report, cells: &Cells, color: bool) -> io::Result<()> {
    let heads = (0..cells.steps.len()).map(|step| cells.head(step));
    let heads: Vec<String> = heads.chain(cells.has_ends.then(|| END.to_owned())).collect();
    let rows: Vec<(String, Vec<Painted>)> =
        cells.rows(MAX_UNMERGED_ROWS).into_iter().map(|(name, thread)| (name, row(cells, thread))).collect();
    let thread = &report.vocabulary.thread;
    let side = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(thread.len());
    let width = |at: usize| {
        let texts = rows.iter().map(|(_, row)| row[at].0.chars().count());
        texts.max().unwrap_or(1).max(heads[at].len())
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let mut first = 0;
    while first < heads.len() {
        let mut taken = side;
        let fits = |at: &usize| {
            taken += 2 + widths[*at];
            taken <= WIDTH
        };
        let count = (first..heads.len()).take_while(fits).count().max(1);
        let part = first..first + count;
        write!(out, "\n{thread:>side$}")?;
        for at in part.clone() {
            match at < cells.steps.len() {
                true => write!(out, "  {:>width$}", heads[at], width = widths[at])?,
                false => write!(out, "  {}", heads[at])?,
            }
        }
        writeln!(out)?;
        for (name, row) in &rows {
            let mut line = format!("{name:>side$}");
            let mut gap = 0;
            for at in part.clone() {
                let (text, style) = &row[at];
                let free = widths[at] - text.chars().count();
                if text.is_empty() {
                    gap += 2 + widths[at];
                    continue;
                }
                // Letters are on the right side of their column, and the texts of the last column on the left.
                let indent = if at < cells.steps.len() { free } else { 0 };
                line += &" ".repeat(gap + 2 + indent);
                line += &paint(text, style.as_deref(), color);
                gap = 0;
            }
            writeln!(out, "{line}")?;
        }
        first += count;
    }
    Ok(())
}

fn legend(out: &mut dyn Write, cells: &Cells, color: bool) -> io::Result<()> {
    writeln!(out, "\n{}", cells.key())?;
    for set in 0..cells.sets.len() {
        let text = cells.describe_set(set);
        let (name, rest) = text.split_once(':').unwrap_or((&text, ""));
        writeln!(out, "{}:{rest}", paint(name, Some(&color_of(set)), color))?;
    }
    Ok(())
}

/// Writes the source lines that the heads of the columns name.
fn lines(out: &mut dyn Write, report: &Report, cells: &Cells, places: &dyn FunctionSource) -> io::Result<()> {
    let lines = cells.lines();
    let side = lines.iter().map(|(_, line)| line.to_string().len()).max().unwrap_or(0);
    let mut last = None;
    writeln!(out)?;
    for (file, line) in lines {
        if let Some(file) = file.filter(|_| last != file) {
            writeln!(out, "{}:", single_line(file))?;
        }
        last = file;
        let text = places.line(&file.unwrap_or(&report.file).into(), line).unwrap_or_default();
        writeln!(out, "{line:>side$} | {}", single_line(text.trim_end()))?;
    }
    Ok(())
}

pub(super) fn outcome(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    write!(out, "{}", report.outcome)?;
    if let Some(reason) = &report.reason {
        write!(out, ": {reason}")?;
    }
    writeln!(out)?;
    if let Some(it) = &report.stopped {
        writeln!(out, "  at {}: {}", at(&it.place), named(report, it.group, &[it.thread]))?;
    }
    for it in &report.waiting {
        writeln!(out, "  at {}: {} in `{}`", at(&it.place), waits(report, it), it.callee)?;
    }
    for it in &report.returned {
        writeln!(out, "  {}", has_returned(report, it))?;
    }
    Ok(())
}

/// `work-item 3 has returned`.
pub(super) fn has_returned(report: &Report, it: &Instance) -> String {
    let have = if it.threads.len() == 1 { "has" } else { "have" };
    format!("{} {have} returned", named(report, it.group, &it.threads))
}

/// `work-items 0-2 wait`.
pub(super) fn waits(report: &Report, it: &Communication) -> String {
    let wait = if it.threads.len() == 1 { "waits" } else { "wait" };
    format!("{} {wait}", named(report, it.group, &it.threads))
}

/// The line before the list of races, and the line after it if the list may be incomplete.
pub(super) const RACES: &str = "data races (unordered accesses)";
pub(super) const MORE_RACES: &str = "there may be more: not all races or accesses are recorded";

/// `read by thread 3 at`.
pub(super) fn describe_access(report: &Report, it: &Access) -> String {
    let thread = named(report, it.group, &[it.thread]);
    match it.access {
        AccessKind::Read => format!("read by {thread} at"),
        AccessKind::Write => format!("written by {thread} at"),
        AccessKind::AtomicRead => format!("read atomically by {thread} at"),
        AccessKind::AtomicWrite => format!("updated atomically by {thread} at"),
        AccessKind::GroupRead => format!("read by the copy that {thread} starts at"),
        AccessKind::GroupWrite => format!("written by the copy that {thread} starts at"),
    }
}

pub(super) fn races(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    if !report.races.is_empty() {
        writeln!(out, "\n{RACES}:")?;
    }
    for race in &report.races {
        let sides =
            race.accesses.each_ref().map(|it| format!("{} {}", describe_access(report, it), at(&it.place)));
        writeln!(out, "  `{}`: {}", race.element, sides.join(", "))?;
    }
    if report.races_cut {
        writeln!(out, "  {MORE_RACES}")?;
    }
    Ok(())
}

fn communications(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    if report.communications.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nexecuted together:")?;
    for it in report.communications.iter().take(COMMUNICATIONS) {
        let named = naming(report, it.named.as_ref());
        writeln!(out, "  {} `{}`: {}{named}", at(&it.place), it.callee, participants(report, it))?;
    }
    match report.communications.len().saturating_sub(COMMUNICATIONS) {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more"),
    }
}

pub(super) fn at(place: &Place) -> String {
    let Place { file, line, column } = place;
    match file {
        Some(file) => format!("{}:{line}:{column}", single_line(file)),
        None => format!("{line}:{column}"),
    }
}

/// `threads 0-3 of block 0, threads 0-3 of block 1`: the threads that execute an operation together.
pub(super) fn participants(report: &Report, it: &Communication) -> String {
    let first = named(report, it.group, &it.threads);
    let further = it.further.iter().map(|it| named(report, it.group, &it.threads));
    [first].into_iter().chain(further).collect::<Vec<_>>().join(", ")
}
