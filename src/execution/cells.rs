//! The cells of a thread table, for all formats: a row for each thread, a column for each step, and a letter for each
//! set of threads.
//!
//! **Mark**: the reason why a thread takes no part in a step, or should not. A thread that has returned is marked in
//! all later steps. A thread that an operation names is marked if it is elsewhere. **End**: where a thread is when the
//! execution ends. The last column shows it, unless all threads have returned.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::report::{End, Instance, Named, Place, Report, State, Step};
use tangle_diagnostic::printable::single_line;
use tangle_syntax::dialect::Vocabulary;

/// The maximum number of ranges of consecutive threads that are printed for a set.
const MAX_RANGES: usize = 16;

/// The maximum number of masks that are printed for an operation.
const MAX_MASKS: usize = 4;

/// Why a thread takes no part in a step, or should not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// The thread has returned from the kernel.
    Returned,
    /// The operation names the thread, which is elsewhere.
    Missing,
    /// The thread executes the operation, and its mask does not name it.
    Unnamed,
}

impl Mark {
    const ALL: [Mark; 3] = [Mark::Returned, Mark::Missing, Mark::Unnamed];

    pub(super) fn sign(self) -> char {
        match self {
            Mark::Returned => '·',
            Mark::Missing => '?',
            Mark::Unnamed => '!',
        }
    }

    pub(super) fn meaning(self) -> &'static str {
        match self {
            Mark::Returned => "has returned",
            Mark::Missing => "awaited, but elsewhere",
            Mark::Unnamed => "not in its own mask",
        }
    }
}

/// A thread in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    /// The number of the set with which the thread executes the step.
    pub(super) set: Option<usize>,
    pub(super) mark: Option<Mark>,
}

impl Cell {
    /// The text of the cell: a mark, and then the name of the set.
    pub(super) fn text(self) -> String {
        let mark = self.mark.map(Mark::sign);
        mark.into_iter().map(String::from).chain(self.set.map(set_name)).collect()
    }
}

/// The cells of the first steps of an execution.
pub(super) struct Cells<'a> {
    report: &'a Report,
    pub(super) steps: &'a [Step],
    /// The sets of threads, in the order of their first occurrence.
    pub(super) sets: Vec<&'a Instance>,
    /// For each step, the cell of each thread of the launch.
    pub(super) columns: Vec<Vec<Cell>>,
    /// For each thread of the launch, where it is at the end, with the set of threads that wait together.
    pub(super) ends: Vec<Option<(&'a End, Option<usize>)>>,
    /// Whether the table has a last column.
    pub(super) has_ends: bool,
    /// Whether no thread can continue. Otherwise a thread that waits is no problem: the execution ended before.
    pub(super) is_stuck: bool,
}

impl<'a> Cells<'a> {
    pub(super) fn of(report: &'a Report, steps: &'a [Step]) -> Cells<'a> {
        let threads = |it: &'a Instance| {
            let first = it.group * report.of_group();
            it.threads.iter().map(move |thread| first + thread)
        };
        let mut ends = vec![None; report.threads()];
        for end in &report.ends {
            threads(&end.of).for_each(|thread| ends[thread] = Some((end, None)));
        }
        // The last step of each thread.
        let mut last = vec![None; report.threads()];
        for (number, step) in report.table.iter().enumerate() {
            step.instances.iter().flat_map(threads).for_each(|thread| last[thread] = Some(number));
        }
        let (mut numbers, mut sets) = (FxHashMap::default(), Vec::new());
        let mut set_of = |instance: &'a Instance| {
            let next = sets.len();
            let set = *numbers.entry(instance).or_insert(next);
            if set == next {
                sets.push(instance);
            }
            set
        };
        let column = |(number, step): (usize, &'a Step)| {
            let mut column = vec![Cell::default(); report.threads()];
            for (thread, cell) in column.iter_mut().enumerate() {
                let has_returned = ends[thread].is_some_and(|(end, _)| end.state == State::Returned);
                // Later steps of the thread can be missing in a table that is cut.
                if has_returned && !report.cut && last[thread].is_none_or(|last| last < number) {
                    cell.mark = Some(Mark::Returned);
                }
            }
            for instance in &step.instances {
                let set = set_of(instance);
                threads(instance).for_each(|thread| column[thread].set = Some(set));
            }
            if let Some(named) = &step.named {
                for (of, mark) in [(&named.missing, Mark::Missing), (&named.unnamed, Mark::Unnamed)] {
                    of.iter().flat_map(threads).for_each(|thread| column[thread].mark = Some(mark));
                }
            }
            column
        };
        let columns = steps.iter().enumerate().map(column).collect();
        for end in report.ends.iter().filter(|end| end.state == State::Waiting) {
            let set = set_of(&end.of);
            threads(&end.of).for_each(|thread| ends[thread] = Some((end, Some(set))));
        }
        let has_ends = report.ends.iter().any(|end| end.state != State::Returned);
        let is_stuck = report.ends.iter().all(|end| matches!(end.state, State::Returned | State::Waiting));
        Cells { report, steps, sets, columns, ends, has_ends, is_stuck }
    }

    /// The head of a column: a line, with `*` for a convergent operation.
    pub(super) fn head(&self, step: usize) -> String {
        let Step { place, callee, .. } = &self.steps[step];
        format!("{}{}", place.line, if callee.is_some() { "*" } else { "" })
    }

    /// The cell of a thread in the last column, such as `C waits at 6`. Empty without a last column.
    pub(super) fn end(&self, thread: usize) -> String {
        let Some((end, set)) = self.ends[thread].filter(|_| self.has_ends) else { return String::new() };
        let set = set.map_or(String::new(), |set| set_name(set) + " ");
        format!("{set}{} {}", verb(end.state), line(&end.place))
    }

    /// Whether a thread with this end waits forever, or is the cause of the end.
    pub(super) fn is_problem(&self, state: State) -> bool {
        state == State::Stopped || (state == State::Waiting && self.is_stuck)
    }

    /// Returns the names of the rows, each with the first thread of the row. With more than `most` threads,
    /// consecutive equal rows are merged.
    pub(super) fn rows(&self, most: usize) -> Vec<(String, usize)> {
        let of_group = self.report.of_group();
        let name = |thread: usize| match self.report.groups {
            1 => thread.to_string(),
            _ => format!("{}:{}", thread / of_group, thread % of_group),
        };
        let threads: Vec<usize> = (0..self.report.threads()).collect();
        let is_same = |a: &usize, b: &usize| {
            threads.len() > most
                && self.columns.iter().all(|column| column[*a] == column[*b])
                && self.end(*a) == self.end(*b)
        };
        let rows = threads.chunk_by(is_same).map(|rows| match rows {
            [one] => (name(*one), *one),
            [first, .., last] => (format!("{}-{}", name(*first), name(*last)), *first),
            [] => unreachable!("a chunk is not empty"),
        });
        rows.collect()
    }

    /// The source lines that the table names: the file, if it is another one than that of the request, and the line.
    pub(super) fn lines(&self) -> BTreeSet<(Option<&'a str>, usize)> {
        let ends = self.report.ends.iter().filter(|_| self.has_ends).map(|end| &end.place);
        let places = self.steps.iter().map(|step| &step.place).chain(ends);
        places.map(|place| (place.file.as_deref(), place.line)).collect()
    }

    /// The meaning of the letters and signs that occur in the table, in one line.
    pub(super) fn key(&self) -> String {
        let waits = self.ends.iter().flatten().any(|(_, set)| set.is_some());
        let or_wait = if waits { " or wait" } else { "" };
        let threads = self.report.vocabulary.threads();
        let mut key = format!("same letter: {threads} that execute{or_wait} together");
        if self.steps.iter().any(|step| step.callee.is_some()) {
            key += "; *: convergent operation";
        }
        let occurs = |mark: &Mark| self.columns.iter().flatten().any(|cell| cell.mark == Some(*mark));
        for mark in Mark::ALL.into_iter().filter(occurs) {
            key += &format!("; {}: {}", mark.sign(), mark.meaning());
        }
        key
    }

    /// Describes a set: `A: work-items 0-3`.
    pub(super) fn describe_set(&self, set: usize) -> String {
        let Instance { group, threads } = self.sets[set];
        format!("{}: {}", set_name(set), named(self.report, *group, threads))
    }
}

/// Returns the name of a set: `A` to `Z`, then `A1` and so on.
pub(super) fn set_name(number: usize) -> String {
    let letter = char::from(b'A' + (number % 26) as u8);
    match number / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

/// The verb for the end of a thread.
pub(super) fn verb(state: State) -> &'static str {
    match state {
        State::Returned => "returned at",
        State::Waiting => "waits at",
        State::Running => "runs at",
        State::Stopped => "stopped at",
    }
}

/// The line of a place, with another file than that of the request.
pub(super) fn line(place: &Place) -> String {
    let file = place.file.as_deref().map_or(String::new(), |file| format!("{}:", single_line(file)));
    format!("{file}{}", place.line)
}

/// `work-items 0-3, 6`, with the work-group if there are several.
pub(super) fn named(report: &Report, group: usize, threads: &[usize]) -> String {
    let Vocabulary { thread, workgroup, .. } = report.vocabulary;
    let of = if report.groups == 1 { String::new() } else { format!(" of {workgroup} {group}") };
    ranges(thread, threads) + &of
}

/// `work-items 0-3, 6`.
pub(super) fn ranges(thread: &str, threads: &[usize]) -> String {
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
    let plural = if threads.len() == 1 { "" } else { "s" };
    format!("{thread}{plural} {}", runs.join(", "))
}

/// The masks of an operation and its marked threads: `; mask 0xf; awaited, but elsewhere: threads 2-3`.
pub(super) fn naming(report: &Report, of: Option<&Named>) -> String {
    let Some(of) = of else { return String::new() };
    let mut text = String::new();
    let mut masks: Vec<&str> = Vec::new();
    for mask in &of.masks {
        if !masks.contains(&&*mask.lanes) {
            masks.push(&mask.lanes);
        }
    }
    match masks.len() {
        0 => {}
        1 => text += &format!("; mask {}", masks[0]),
        2..=MAX_MASKS => text += &format!("; masks {}", masks.join(", ")),
        count => text += &format!("; {count} masks"),
    }
    let marked = [(Mark::Missing.meaning(), &of.missing), ("not in their own masks", &of.unnamed)];
    for (meaning, instances) in marked.into_iter().filter(|(_, instances)| !instances.is_empty()) {
        let all: Vec<String> = instances.iter().map(|it| named(report, it.group, &it.threads)).collect();
        text += &format!("; {meaning}: {}", all.join(", "));
    }
    text
}
