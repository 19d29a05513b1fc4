//! The thread table as text: a row for each thread, a column for each step, and a letter for each set of threads.
//!
//! Threads with the same letter in a column are converged at that step. A letter names the same set in all columns and
//! always has the same colour; colours add no information. The line number is above each column, with `*` for a
//! convergent operation.

use std::collections::BTreeMap;
use std::io::{self, Write};

use rustc_hash::FxHashMap;

use super::Alternatives;
use super::races::{Access, AccessKind};
use super::report::{Communication, Instance, Place, Report, Step};
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
const MAX_UNMERGED_ROWS: usize = 32;

/// The maximum number of ranges of consecutive threads that are printed for a set.
const MAX_RANGES: usize = 16;

/// The maximum number of shown communications.
const COMMUNICATIONS: usize = 50;

/// The sets of threads in a table, in the order of their first occurrence.
pub(super) struct Sets<'a> {
    numbers: FxHashMap<&'a Instance, usize>,
    all: Vec<&'a Instance>,
    color: bool,
}

impl<'a> Sets<'a> {
    /// Returns the sets of some steps and, for each step, the set of each thread.
    pub(super) fn of(report: &Report, steps: &'a [Step], color: bool) -> (Sets<'a>, Vec<Column>) {
        let mut sets = Sets { numbers: FxHashMap::default(), all: Vec::new(), color };
        let column = |step: &'a Step| {
            let mut column = vec![None; report.threads()];
            for instance in &step.instances {
                let next = sets.all.len();
                let number = *sets.numbers.entry(instance).or_insert(next);
                if number == next {
                    sets.all.push(instance);
                }
                for thread in &instance.threads {
                    column[instance.group * report.of_group() + thread] = Some(number);
                }
            }
            column
        };
        let columns = steps.iter().map(column).collect();
        (sets, columns)
    }

    /// Returns the name of a set: `A` to `Z`, then `A1` and so on.
    pub(super) fn name(number: usize) -> String {
        let letter = char::from(b'A' + (number % 26) as u8);
        match number / 26 {
            0 => letter.to_string(),
            round => format!("{letter}{round}"),
        }
    }

    /// Describes a set: `A: work-items 0-3`.
    pub(super) fn told(&self, report: &Report, number: usize) -> String {
        let Instance { group, threads } = self.all[number];
        format!("{}: {}", self.painted(number, 1), named(report, *group, threads))
    }

    fn painted(&self, number: usize, width: usize) -> String {
        let name = format!("{:>width$}", Self::name(number));
        // Six colours that are visible on light and dark screens.
        if self.color { format!("\x1b[3{}m{name}\x1b[0m", 1 + number % 6) } else { name }
    }
}

/// For each thread of the launch, the number of its set in a column.
pub(super) type Column = Vec<Option<usize>>;

pub fn write(
    out: &mut dyn Write,
    report: &Report,
    places: &FunctionLocations,
    color: bool,
) -> io::Result<()> {
    writeln!(out, "{} in {}: {}", report.function, single_line(&report.file), launch(report))?;
    let most = STEPS.min((CELLS / report.threads()).max(1));
    let shown = &report.table[..report.table.len().min(most)];
    let (sets, columns) = Sets::of(report, shown, color);
    if !columns.is_empty() {
        table(out, report, &columns, &sets)?;
        legend(out, report, &sets)?;
        lines(out, report, shown.len(), places)?;
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

fn table(out: &mut dyn Write, report: &Report, columns: &[Column], sets: &Sets) -> io::Result<()> {
    let heads: Vec<String> = report.table[..columns.len()]
        .iter()
        .map(|step| format!("{}{}", step.place.line, if step.callee.is_some() { "*" } else { "" }))
        .collect();
    let rows = rows(report, columns);
    let thread = &report.vocabulary.thread;
    let side = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(thread.len());
    let width = |at: usize| {
        let names = columns[at].iter().flatten().map(|&number| Sets::name(number).len());
        names.max().unwrap_or(1).max(heads[at].len())
    };
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let mut first = 0;
    while first < columns.len() {
        let mut taken = side;
        let fits = |at: &usize| {
            taken += 2 + widths[*at];
            taken <= WIDTH
        };
        let count = (first..columns.len()).take_while(fits).count().max(1);
        let part = first..first + count;
        write!(out, "\n{thread:>side$}")?;
        for at in part.clone() {
            write!(out, "  {:>width$}", heads[at], width = widths[at])?;
        }
        writeln!(out)?;
        for (name, thread) in &rows {
            let mut row = format!("{name:>side$}");
            let mut gap = 0;
            for at in part.clone() {
                match columns[at][*thread] {
                    Some(number) => {
                        row += &" ".repeat(gap + 2);
                        row += &sets.painted(number, widths[at]);
                        gap = 0;
                    }
                    None => gap += 2 + widths[at],
                }
            }
            writeln!(out, "{row}")?;
        }
        first += count;
    }
    Ok(())
}

/// Returns the names of the rows, each with the first thread of the row.
pub(super) fn rows(report: &Report, columns: &[Column]) -> Vec<(String, usize)> {
    let name = |thread: usize| match report.groups {
        1 => thread.to_string(),
        _ => format!("{}:{}", thread / report.of_group(), thread % report.of_group()),
    };
    let threads: Vec<usize> = (0..report.threads()).collect();
    if threads.len() <= MAX_UNMERGED_ROWS {
        return threads.into_iter().map(|thread| (name(thread), thread)).collect();
    }
    let is_same = |a: &usize, b: &usize| columns.iter().all(|column| column[*a] == column[*b]);
    let rows = threads.chunk_by(is_same).map(|rows| match rows {
        [one] => (name(*one), *one),
        [first, .., last] => (format!("{}-{}", name(*first), name(*last)), *first),
        [] => unreachable!("a chunk is not empty"),
    });
    rows.collect()
}

fn legend(out: &mut dyn Write, report: &Report, sets: &Sets) -> io::Result<()> {
    writeln!(out)?;
    for number in 0..sets.all.len() {
        writeln!(out, "{}", sets.told(report, number))?;
    }
    Ok(())
}

/// Writes the source lines that the heads of the columns name.
fn lines(out: &mut dyn Write, report: &Report, shown: usize, places: &FunctionLocations) -> io::Result<()> {
    let mut lines: BTreeMap<(Option<&str>, usize), ()> = BTreeMap::new();
    for Place { file, line, .. } in report.table.iter().take(shown).map(|step| &step.place) {
        lines.insert((file.as_deref(), *line), ());
    }
    let side = lines.keys().map(|(_, line)| line.to_string().len()).max().unwrap_or(0);
    let mut last = None;
    writeln!(out)?;
    for (file, line) in lines.into_keys() {
        if let Some(file) = file.filter(|_| last != file) {
            writeln!(out, "{}:", single_line(file))?;
        }
        last = file;
        let text = places.line(&file.unwrap_or(&report.file).into(), line).unwrap_or_default();
        writeln!(out, "{line:>side$} | {}", single_line(text.trim_end()))?;
    }
    Ok(())
}

fn outcome(out: &mut dyn Write, report: &Report) -> io::Result<()> {
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

fn races(out: &mut dyn Write, report: &Report) -> io::Result<()> {
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
        writeln!(out, "  {} `{}`: {}", at(&it.place), it.callee, participants(report, it))?;
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

/// `work-items 0-3, 6`, with the work-group if there are several.
pub(super) fn named(report: &Report, group: usize, threads: &[usize]) -> String {
    let runs = threads.chunk_by(|a, b| a + 1 == *b).map(|run| match run {
        [one] => one.to_string(),
        [first, .., last] => format!("{first}-{last}"),
        [] => unreachable!("a chunk is not empty"),
    });
    let mut runs: Vec<String> = runs.collect();
    if runs.len() > MAX_RANGES {
        runs.truncate(MAX_RANGES);
        runs.push(format!("… ({} in total)", threads.len()));
    }
    let Vocabulary { thread, workgroup, .. } = report.vocabulary;
    let plural = if threads.len() == 1 { "" } else { "s" };
    let of = if report.groups == 1 { String::new() } else { format!(" of {workgroup} {group}") };
    format!("{thread}{plural} {}{of}", runs.join(", "))
}
