//! The thread table as text: a row for each thread, a column for each step, a letter for each set of threads.
//!
//! Threads with the same letter in a column are converged there. The letter stands for the same set in all columns, and has one colour;
//! without colours nothing is lost. Above a column stands its line, with `*` where threads take part together.

use std::collections::BTreeMap;
use std::io::{self, Write};

use rustc_hash::FxHashMap;

use super::Alternatives;
use super::races::How;
use super::report::{Communication, Instance, Place, Report};
use crate::diagnostic::human::tame;
use crate::emit::source::Source;
use crate::lowered::Places;

/// Columns of text that a part of the table may take.
const WIDTH: usize = 100;

/// Steps that are shown, and cells of the table at most; JSON has all of them.
const STEPS: usize = 200;
const CELLS: usize = 2_000_000;

/// With more threads than this, equal rows that follow each other become one.
const ROWS: usize = 32;

/// Threads that follow each other are named as one run; of a set so many runs are.
const RUNS: usize = 16;

/// Communications that are shown.
const COMMUNICATIONS: usize = 50;

/// The sets of threads of a table, in the order in which they come.
struct Sets<'a> {
    numbers: FxHashMap<&'a Instance, usize>,
    all: Vec<&'a Instance>,
    color: bool,
}

impl Sets<'_> {
    /// `A` to `Z`, then `A1` and so on.
    fn name(number: usize) -> String {
        let letter = char::from(b'A' + (number % 26) as u8);
        match number / 26 {
            0 => letter.to_string(),
            round => format!("{letter}{round}"),
        }
    }

    fn painted(&self, number: usize, width: usize) -> String {
        let name = format!("{:>width$}", Self::name(number));
        // Six colours that both light and dark screens show.
        if self.color { format!("\x1b[3{}m{name}\x1b[0m", 1 + number % 6) } else { name }
    }
}

/// The number of a set in a column, for each thread of the launch.
type Column = Vec<Option<usize>>;

pub fn write(out: &mut dyn Write, report: &Report, places: &Places, color: bool) -> io::Result<()> {
    let [x, y, z] = report.local_size;
    let size = match (y, z) {
        (1, 1) => x.to_string(),
        _ => format!("{x}×{y}×{z}"),
    };
    let groups = if report.groups == 1 { String::new() } else { format!("{} groups of ", report.groups) };
    writeln!(
        out,
        "{} in {}: {groups}{size} threads, sub-groups of {}; {}, {}, seed {}",
        report.function,
        tame(&report.file),
        report.sub_group_size,
        report.strategy,
        report.policy,
        report.seed
    )?;
    let mut sets = Sets { numbers: FxHashMap::default(), all: Vec::new(), color };
    let threads = report.of_group() * report.groups as usize;
    let most = STEPS.min((CELLS / threads).max(1));
    let shown = &report.table[..report.table.len().min(most)];
    let columns: Vec<Column> = shown
        .iter()
        .map(|step| {
            let mut column = vec![None; threads];
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
        })
        .collect();
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
    ending(out, report)
}

/// One execution, or two that differ with what differs.
pub fn write_all(
    out: &mut dyn Write,
    alternatives: &Alternatives,
    places: &Places,
    color: bool,
) -> io::Result<()> {
    let Alternatives { executions, tried } = alternatives;
    for (number, report) in executions.iter().enumerate() {
        if number > 0 {
            writeln!(out, "\n--- the text allows this as well ---\n")?;
        }
        write(out, report, places, color)?;
    }
    writeln!(out)?;
    let Some(differences) = alternatives.differences() else {
        return writeln!(out, "no difference in who takes part, in {tried} executions");
    };
    writeln!(out, "the two differ:")?;
    for (name, (report, only)) in ["first", "second"].into_iter().zip(executions.iter().zip(differences)) {
        if report.outcome != "finished" {
            writeln!(out, "  {name}: {}", report.outcome)?;
        }
        for it in only.iter().take(COMMUNICATIONS) {
            let who = named(report, it.group, &it.threads);
            writeln!(out, "  {name}: {} `{}`: {who}", at(&it.place), it.callee)?;
        }
        if only.len() > COMMUNICATIONS {
            writeln!(out, "  {name}: and {} more", only.len() - COMMUNICATIONS)?;
        }
    }
    Ok(())
}

/// How it ended, and who took part in what.
pub(super) fn ending(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    outcome(out, report)?;
    races(out, report)?;
    communications(out, report)
}

fn table(out: &mut dyn Write, report: &Report, columns: &[Column], sets: &Sets) -> io::Result<()> {
    let heads: Vec<String> = report.table[..columns.len()]
        .iter()
        .map(|step| format!("{}{}", step.place.line, if step.callee.is_some() { "*" } else { "" }))
        .collect();
    let rows = rows(report, columns);
    let side = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max("thread".len());
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
        write!(out, "\n{:>side$}", "thread")?;
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

/// The rows with their names, each with a thread that it is of.
fn rows(report: &Report, columns: &[Column]) -> Vec<(String, usize)> {
    let name = |thread: usize| match report.groups {
        1 => thread.to_string(),
        _ => format!("{}:{}", thread / report.of_group(), thread % report.of_group()),
    };
    let threads: Vec<usize> = (0..report.of_group() * report.groups as usize).collect();
    if threads.len() <= ROWS {
        return threads.into_iter().map(|thread| (name(thread), thread)).collect();
    }
    let is_same = |a: &usize, b: &usize| columns.iter().all(|column| column[*a] == column[*b]);
    let rows = threads.chunk_by(is_same).map(|rows| match rows {
        [one] => (name(*one), *one),
        [first, .., last] => (format!("{}-{}", name(*first), name(*last)), *first),
        [] => unreachable!("a chunk has something in it"),
    });
    rows.collect()
}

fn legend(out: &mut dyn Write, report: &Report, sets: &Sets) -> io::Result<()> {
    writeln!(out)?;
    for (number, set) in sets.all.iter().enumerate() {
        writeln!(out, "{}: {}", sets.painted(number, 1), named(report, set.group, &set.threads))?;
    }
    Ok(())
}

/// The source of the lines above the columns.
fn lines(out: &mut dyn Write, report: &Report, shown: usize, places: &Places) -> io::Result<()> {
    let mut lines: BTreeMap<(Option<&str>, usize), ()> = BTreeMap::new();
    for Place { file, line, .. } in report.table.iter().take(shown).map(|step| &step.place) {
        lines.insert((file.as_deref(), *line), ());
    }
    let side = lines.keys().map(|(_, line)| line.to_string().len()).max().unwrap_or(0);
    let mut last = None;
    writeln!(out)?;
    for (file, line) in lines.into_keys() {
        if let Some(file) = file.filter(|_| last != file) {
            writeln!(out, "{}:", tame(file))?;
        }
        last = file;
        let text = places.line(&file.unwrap_or(&report.file).into(), line).unwrap_or_default();
        writeln!(out, "{line:>side$} | {}", tame(text.trim_end()))?;
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
        let have = if it.threads.len() == 1 { "has" } else { "have" };
        writeln!(out, "  {} {have} returned", named(report, it.group, &it.threads))?;
    }
    Ok(())
}

fn waits(report: &Report, it: &Communication) -> String {
    let wait = if it.threads.len() == 1 { "waits" } else { "wait" };
    format!("{} {wait}", named(report, it.group, &it.threads))
}

fn races(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    if !report.races.is_empty() {
        writeln!(out, "\nraces, accesses that nothing orders:")?;
    }
    for race in &report.races {
        let sides = race.accesses.each_ref().map(|it| {
            let thread = named(report, it.group, &[it.thread]);
            match it.access {
                How::Read => format!("{thread} reads it at {}", at(&it.place)),
                How::Write => format!("{thread} writes it at {}", at(&it.place)),
                How::AtomicRead => format!("{thread} reads it atomically at {}", at(&it.place)),
                How::AtomicWrite => format!("{thread} updates it atomically at {}", at(&it.place)),
                How::GroupRead => format!("the copy that {thread} starts reads it at {}", at(&it.place)),
                How::GroupWrite => format!("the copy that {thread} starts writes it at {}", at(&it.place)),
            }
        });
        writeln!(out, "  `{}`: {}", race.element, sides.join(", "))?;
    }
    if report.races_cut {
        writeln!(out, "  there may be more: not all of them are kept or looked for")?;
    }
    Ok(())
}

fn communications(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    if report.communications.is_empty() {
        return Ok(());
    }
    writeln!(out, "\ntogether:")?;
    for it in report.communications.iter().take(COMMUNICATIONS) {
        writeln!(out, "  {} `{}`: {}", at(&it.place), it.callee, named(report, it.group, &it.threads))?;
    }
    match report.communications.len().saturating_sub(COMMUNICATIONS) {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more"),
    }
}

fn at(place: &Place) -> String {
    let Place { file, line, column } = place;
    match file {
        Some(file) => format!("{}:{line}:{column}", tame(file)),
        None => format!("{line}:{column}"),
    }
}

/// `threads 0-3, 6`, with the work-group if there are several.
fn named(report: &Report, group: usize, threads: &[usize]) -> String {
    let runs = threads.chunk_by(|a, b| a + 1 == *b).map(|run| match run {
        [one] => one.to_string(),
        [first, .., last] => format!("{first}-{last}"),
        [] => unreachable!("a chunk has something in it"),
    });
    let mut runs: Vec<String> = runs.collect();
    if runs.len() > RUNS {
        runs.truncate(RUNS);
        runs.push(format!("… ({} in all)", threads.len()));
    }
    let what = if threads.len() == 1 { "thread" } else { "threads" };
    let of = if report.groups == 1 { String::new() } else { format!(" of group {group}") };
    format!("{what} {}{of}", runs.join(", "))
}
