//! The result of a comparison as text.

use std::io::{self, Write};

use super::difference::{Comparison, Difference, DifferingLaunch, Proof};
use super::human::{at, participants, write};
use super::report::Report;
use tangle_diagnostic::printable::single_line;
use tangle_emit::source::FunctionSource;

/// Writes the result for two functions. `sources`: the source of the old function, and that of the new one.
pub fn write_comparison(
    out: &mut dyn Write,
    comparison: &Comparison,
    sources: [&dyn FunctionSource; 2],
    color: bool,
) -> io::Result<()> {
    let names = names(comparison);
    if let Some(difference) = &comparison.difference {
        return write_difference(out, &names, difference, sources, color);
    }
    match comparison.proof {
        Some(Proof::EqualGraphs) => writeln!(out, "{names}: no difference: the flow graphs are equal"),
        Some(Proof::NoConvergentOperations) => {
            writeln!(out, "{names}: no difference: no convergent operations")
        }
        None if comparison.is_empty() => {
            writeln!(out, "{names}: no launch could be compared{}", remarks(comparison))
        }
        None => {
            let launches = count(comparison.launches, "launch", "launches");
            writeln!(out, "{names}: no difference in {launches}{}", remarks(comparison))
        }
    }
}

/// ` (2 skipped: …; 1 undecided: …)`. Empty if all launches were compared.
fn remarks(comparison: &Comparison) -> String {
    let Comparison { skipped, undecided, .. } = comparison;
    let mut remarks = Vec::new();
    if *skipped > 0 {
        remarks.push(format!("{skipped} skipped: the old function has undefined behaviour or a data race"));
    }
    if *undecided > 0 {
        remarks.push(format!("{undecided} undecided: not all executions of the old function are known"));
    }
    if remarks.is_empty() { String::new() } else { format!(" ({})", remarks.join("; ")) }
}

/// `` `k` ``, or `` `a` and `b` `` for two names.
fn names(comparison: &Comparison) -> String {
    let Comparison { old, new, .. } = comparison;
    if old == new { format!("`{old}`") } else { format!("`{old}` and `{new}`") }
}

fn count(number: u32, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

fn write_difference(
    out: &mut dyn Write,
    names: &str,
    difference: &Difference,
    sources: [&dyn FunctionSource; 2],
    color: bool,
) -> io::Result<()> {
    let Difference { launch: DifferingLaunch { groups, .. }, thread, group, message, old, new, .. } =
        difference;
    let vocabulary = new.vocabulary;
    let of_group = if *groups > 1 { format!(" of {} {group}", vocabulary.workgroup) } else { String::new() };
    writeln!(out, "{names}: difference in {} {thread}{of_group}: {message}", vocabulary.thread)?;
    let sides = [("old", old, difference.old_operation), ("new", new, difference.new_operation)];
    for (side, report, operation) in sides {
        let it = operation.and_then(|number| report.communications.get(number));
        match it {
            Some(it) => {
                let who = participants(report, it);
                writeln!(out, "  {side}: {} `{}`: {who}", at(&it.place), it.callee)?;
            }
            None => writeln!(out, "  {side}: {}", end(report))?,
        }
    }
    for ((side, report, _), source) in sides.into_iter().zip(sources) {
        writeln!(out, "\n--- {side}: {} ---\n", single_line(&report.file))?;
        write(out, report, source, color)?;
    }
    Ok(())
}

/// The end of an execution, where a thread executes no further operation.
fn end(report: &Report) -> String {
    match &report.reason {
        Some(reason) if report.outcome != "finished" => format!("{}: {reason}", report.outcome),
        _ => format!("the {} executes no further operation", report.vocabulary.thread),
    }
}
