//! An execution as a page: the source beside the thread table, to be stepped through.
//!
//! Everything is in the one file, and nothing is loaded. Texts of the source are escaped; the script reads numbers alone.

use std::io::{self, Write};

use super::human;
use super::report::Report;
use crate::emit::source::Source;
use crate::emit::xml::Escaped;
use crate::lowered::Places;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Steps of the page, and cells of its table: a browser does not like more.
const STEPS: usize = 1000;
const CELLS: usize = 200_000;

pub fn write(out: &mut dyn Write, report: &Report, places: &Places) -> io::Result<()> {
    let title = format!("{} in {}", report.function, report.file);
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>",
        Escaped(&title)
    )?;
    writeln!(
        out,
        "<header><h1>{}</h1>\n<p>{} × {:?} threads, sub-groups of {}; {}, {}, seed {}</p>",
        Escaped(&title),
        report.groups,
        report.local_size,
        report.sub_group_size,
        report.strategy,
        report.policy,
        report.seed
    )?;
    writeln!(
        out,
        "<p><button id=\"back\">◀ back</button> <button id=\"on\">on ▶</button> <span id=\"now\"></span></p></header>\n<main>"
    )?;
    source(out, report, places)?;
    table(out, report)?;
    let mut ending = Vec::new();
    human::ending(&mut ending, report)?;
    writeln!(out, "</main>\n<pre>{}</pre>", Escaped(&String::from_utf8_lossy(&ending)))?;
    writeln!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>")
}

/// The file, a line each, with an `id` that the steps refer to.
fn source(out: &mut dyn Write, report: &Report, places: &Places) -> io::Result<()> {
    writeln!(out, "<div id=\"source\"><pre>")?;
    let file = report.file.as_str().into();
    let last = places.line_count(&file);
    for line in 1..=last {
        let text = places.line(&file, line).unwrap_or_default();
        writeln!(
            out,
            "<span class=\"line\" data-line=\"{line}\"><i>{line}</i>{}</span>",
            Escaped(&text.replace('\t', "    "))
        )?;
    }
    writeln!(out, "</pre></div>")
}

fn table(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    let threads = report.of_group() * report.groups as usize;
    let most = STEPS.min((CELLS / threads).max(1));
    let steps = &report.table[..report.table.len().min(most)];
    writeln!(out, "<div id=\"steps\"><table>\n<thead><tr><th>thread</th>")?;
    for (number, step) in steps.iter().enumerate() {
        let sign = if step.callee.is_some() { "*" } else { "" };
        let line = if step.place.file.is_none() { step.place.line } else { 0 };
        let what = step.callee.as_deref().unwrap_or_default();
        writeln!(
            out,
            "<th data-step=\"{number}\" data-line=\"{line}\" title=\"{}\">{}{sign}</th>",
            Escaped(what),
            step.place.line
        )?;
    }
    writeln!(out, "</tr></thead>\n<tbody>")?;
    // For each thread, the number of its instance in each step.
    let mut cells: Vec<Vec<Option<usize>>> = vec![vec![None; steps.len()]; threads];
    for (number, step) in steps.iter().enumerate() {
        for (at, instance) in step.instances.iter().enumerate() {
            for thread in &instance.threads {
                cells[instance.group * report.of_group() + thread][number] = Some(at);
            }
        }
    }
    for (thread, row) in cells.iter().enumerate() {
        let (group, local) = (thread / report.of_group(), thread % report.of_group());
        let name = if report.groups == 1 { local.to_string() } else { format!("{group}:{local}") };
        write!(out, "<tr><th>{name}</th>")?;
        for (number, cell) in row.iter().enumerate() {
            match cell {
                // Neighbours in a column differ by colour and by letter.
                Some(at) => {
                    let letter = char::from(b'a' + (at % 26) as u8);
                    let color = at % 6;
                    write!(out, "<td data-step=\"{number}\" class=\"c{color}\">{letter}</td>")?;
                }
                None => write!(out, "<td data-step=\"{number}\"></td>")?,
            }
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody></table>")?;
    if report.cut || steps.len() < report.table.len() {
        writeln!(out, "<p>The end is missing: {} steps are shown.</p>", steps.len())?;
    }
    writeln!(out, "</div>")
}
