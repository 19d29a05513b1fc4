//! An execution as an HTML page: the source beside an interactive thread table. An editor that shows the source itself
//! uses the table alone.
//!
//! The page is one file and loads nothing. Text of the source is escaped. The script reads only numbers and file names.

use std::io::{self, Write};

use super::cells::{Cells, Mark, named, naming, set_name, verb};
use super::human;
use super::races::{Access, Race};
use super::report::{End, Place, Report, State};
use crate::lowered::FunctionLocations;
use tangle_emit::source::FunctionSource;
use tangle_emit::xml::Escaped;

/// The table, which editors also show.
const TABLE_STYLE: &str = include_str!("table.css");
const TABLE_SCRIPT: &str = include_str!("table.js");
/// The rest of the page.
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The maximum numbers of steps and table cells on the page. Browsers are slow with more.
const STEPS: usize = 1000;
const CELLS: usize = 200_000;

/// The maximum numbers of sets that a tooltip names, and of listed communications.
const MAX_TOOLTIP_SETS: usize = 6;
const COMMUNICATIONS: usize = 200;

pub fn write(out: &mut dyn Write, report: &Report, places: &FunctionLocations) -> io::Result<()> {
    let title = format!("{} in {}", report.function, report.file);
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{STYLE}{TABLE_STYLE}</style>\n</head>\n<body>",
        Escaped(&title)
    )?;
    writeln!(out, "<header><h1>{}</h1>\n<p>{}</p></header>\n<main>", Escaped(&title), human::launch(report))?;
    source(out, report, places)?;
    writeln!(out, "<section id=\"execution\">")?;
    elements(out, report)?;
    writeln!(out, "</section>\n</main>")?;
    // A module, so that another page can import the script of the table.
    writeln!(out, "<script type=\"module\">\n{TABLE_SCRIPT}{SCRIPT}</script>\n</body>\n</html>")
}

/// Writes the outcome, the table and the communications as HTML elements. `table.js` makes them interactive.
pub fn elements(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    outcome(out, report)?;
    races(out, report)?;
    writeln!(
        out,
        "<div class=\"stepper\"><button id=\"back\" title=\"Previous step (left arrow key)\">◀ back</button>\
         <button id=\"on\" title=\"Next step (right arrow key)\">next ▶</button><span id=\"now\" role=\"status\"></span></div>"
    )?;
    table(out, report)?;
    communications(out, report)
}

/// Writes the file with an element for each line.
fn source(out: &mut dyn Write, report: &Report, places: &FunctionLocations) -> io::Result<()> {
    write!(out, "<div id=\"source\"><pre>")?;
    let file = report.file.as_str().into();
    let last = places.line_count(&file);
    for line in 1..=last {
        let text = places.line(&file, line).unwrap_or_default();
        // A final line end begins an empty line, which is not shown.
        if line == last && text.is_empty() {
            break;
        }
        let text = text.trim_end_matches(['\n', '\r']).replace('\t', "    ");
        write!(out, "<span class=\"line\"><i>{line}</i>{}\n</span>", Escaped(&text))?;
    }
    writeln!(out, "</pre></div>")
}

fn outcome(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    let kind = if report.reason.is_none() { "outcome" } else { "outcome bad" };
    write!(out, "<div class=\"{kind}\"><p><strong>{}</strong>", report.outcome)?;
    if let Some(reason) = &report.reason {
        write!(out, ": {}", Escaped(reason))?;
    }
    write!(out, "</p>\n<ul>")?;
    if let Some(it) = &report.stopped {
        let threads = named(report, it.group, &[it.thread]);
        writeln!(out, "<li>at {}: {threads}</li>", Link(&it.place))?;
    }
    for it in &report.waiting {
        let (callee, waits) = (Escaped(&it.callee), human::waits(report, it));
        writeln!(out, "<li>at {}: {waits} in <code>{callee}</code></li>", Link(&it.place))?;
    }
    for it in &report.returned {
        writeln!(out, "<li>{}</li>", human::has_returned(report, it))?;
    }
    writeln!(out, "</ul></div>")
}

fn races(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    if report.races.is_empty() && !report.races_cut {
        return Ok(());
    }
    writeln!(out, "<div class=\"races\"><p><strong>{}</strong></p>\n<ul>", human::RACES)?;
    for Race { element, accesses: [first, second], .. } in &report.races {
        let side = |it: &Access| format!("{} {}", human::describe_access(report, it), Link(&it.place));
        writeln!(out, "<li><code>{}</code>: {}, {}</li>", Escaped(element), side(first), side(second))?;
    }
    if report.races_cut {
        writeln!(out, "<li>{}</li>", human::MORE_RACES)?;
    }
    writeln!(out, "</ul></div>")
}

fn table(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    let most = STEPS.min((CELLS / report.threads()).max(1));
    let steps = &report.table[..report.table.len().min(most)];
    let cells = Cells::of(report, steps);
    let thread = &report.vocabulary.thread;
    writeln!(out, "<div id=\"steps\"><table>\n<thead><tr><th>{thread}</th>")?;
    for (number, (step, column)) in steps.iter().zip(&cells.columns).enumerate() {
        let class = if step.callee.is_some() { "together" } else { "" };
        let mut sets: Vec<usize> = column.iter().filter_map(|cell| cell.set).collect();
        sets.sort_unstable();
        sets.dedup();
        let mut described: Vec<String> =
            sets.iter().take(MAX_TOOLTIP_SETS).map(|&set| cells.describe_set(set)).collect();
        if sets.len() > MAX_TOOLTIP_SETS {
            described.push(format!("… ({} sets)", sets.len()));
        }
        let callee = step.callee.as_ref().map_or(String::new(), |callee| format!("{callee} — "));
        writeln!(
            out,
            "<th scope=\"col\" class=\"{class}\" data-step=\"{number}\"{} title=\"{}{}{}\">{}</th>",
            LocationAttributes(&step.place),
            Escaped(&callee),
            described.join("; "),
            naming(report, step.named.as_ref()),
            cells.head(number)
        )?;
    }
    if cells.has_ends {
        writeln!(out, "<th scope=\"col\" class=\"end\">{}</th>", human::END)?;
    }
    writeln!(out, "</tr></thead>\n<tbody>")?;
    for (name, thread) in cells.rows(human::MAX_UNMERGED_ROWS) {
        // A border separates the sub-groups.
        let begins =
            thread > 0 && (thread % report.of_group()).is_multiple_of(report.sub_group_size as usize);
        write!(out, "<tr{}><th scope=\"row\">{name}</th>", if begins { " class=\"begins\"" } else { "" })?;
        for (number, (step, column)) in steps.iter().zip(&cells.columns).enumerate() {
            let cell = column[thread];
            let mut class = match cell.set {
                Some(set) => format!("set c{}", set % 6),
                None => String::new(),
            };
            if cell.set.is_some() && step.callee.is_some() {
                class += " together";
            }
            let mut title = String::new();
            if let Some(mark) = cell.mark {
                class += match mark {
                    Mark::Returned => " returned",
                    Mark::Missing | Mark::Unnamed => " wrong",
                };
                title = match (mark, cells.ends[thread]) {
                    (Mark::Returned, Some((end, _))) => {
                        format!("{} {}", verb(end.state), human::at(&end.place))
                    }
                    _ => format!("{}{}", mark.meaning(), naming(report, step.named.as_ref())),
                };
            }
            write!(out, "<td data-step=\"{number}\"")?;
            for (name, value) in [("class", class.trim_start()), ("title", &title)] {
                if !value.is_empty() {
                    write!(out, " {name}=\"{}\"", Escaped(value))?;
                }
            }
            write!(out, ">{}</td>", cell.text())?;
        }
        if let Some((end, set)) = cells.ends[thread].filter(|_| cells.has_ends) {
            let problem = if cells.is_problem(end.state) { " problem" } else { "" };
            write!(out, "{}", EndCell(end, set, problem))?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody></table>")?;
    if report.cut || steps.len() < report.table.len() {
        writeln!(out, "<p>The table is cut off after {} steps.</p>", steps.len())?;
    }
    writeln!(out, "</div>\n<p class=\"key\">{}</p>", cells.key())
}

/// A cell of the last column: where a thread is at the end, the set of threads that wait together, and a class.
struct EndCell<'a>(&'a End, Option<usize>, &'static str);

impl std::fmt::Display for EndCell<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let End { state, callee, place, .. } = self.0;
        let (class, name) = match (state, self.1) {
            (State::Returned, _) => (" returned".to_owned(), String::new()),
            (_, Some(set)) => (format!(" set c{}", set % 6), set_name(set) + " "),
            (_, None) => (String::new(), String::new()),
        };
        let callee =
            callee.as_ref().map_or(String::new(), |callee| format!(" title=\"{}\"", Escaped(callee)));
        write!(f, "<td class=\"end{class}{}\"{callee}>{name}{} {}</td>", self.2, verb(*state), Link(place))
    }
}

fn communications(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    if report.communications.is_empty() {
        return Ok(());
    }
    writeln!(out, "<h2>executed together</h2>\n<ul class=\"communications\">")?;
    for it in report.communications.iter().take(COMMUNICATIONS) {
        let threads = human::participants(report, it) + &naming(report, it.named.as_ref());
        writeln!(out, "<li>{} <code>{}</code>: {threads}</li>", Link(&it.place), Escaped(&it.callee))?;
    }
    if let Some(more @ 1..) = report.communications.len().checked_sub(COMMUNICATIONS) {
        writeln!(out, "<li>and {more} more</li>")?;
    }
    writeln!(out, "</ul>")
}

/// A location as attributes of an element.
struct LocationAttributes<'a>(&'a Place);

impl std::fmt::Display for LocationAttributes<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Place { file, line, column } = self.0;
        if let Some(file) = file {
            write!(f, " data-file=\"{}\"", Escaped(file))?;
        }
        write!(f, " data-line=\"{line}\" data-column=\"{column}\"")
    }
}

/// A location as a button that navigates to it.
struct Link<'a>(&'a Place);

impl std::fmt::Display for Link<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = human::at(self.0);
        write!(f, "<button class=\"place\"{}>{}</button>", LocationAttributes(self.0), Escaped(&at))
    }
}
