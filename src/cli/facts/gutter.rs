//! The source of a function with a gutter: the number, the tangles and the signs of each line.
//!
//! ```text
//!  6  T0        ≠ │   if (i >= n)
//!  7  T3          │     goto out;
//!  9  T1 T2  !    │ out:
//! 10  T1 T2  !●   │   barrier(CLK_LOCAL_MEM_FENCE);
//! ```
//!
//! A line shows the facts of the statements and operations that begin in it. Below the source, the output lists the
//! candidates and the reasons for implementation-defined convergence.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::human::Terminal;
use tangle_analysis::uniformity::Divergence;
use tangle_diagnostic::SourceText;
use tangle_diagnostic::printable::single_line;
use tangle_rules::wording::uniformity::verdict;
use tangle_syntax::dialect::{Scope, Vocabulary};

/// The maximum width of the tangles of a line. Longer text is cut.
const WIDEST: usize = 28;

/// The minimum width of the source, on any terminal.
const LEAST: usize = 20;

const TAB: usize = 4;

const PLAIN: &str = "\u{1b}[0m";
const FAINT: &str = "\u{1b}[2m";
const CYAN: &str = "\u{1b}[36m";
const RED: &str = "\u{1b}[31m";
const YELLOW: &str = "\u{1b}[33m";

/// Signs in the gutter, in the order of the legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sign {
    Doubt,
    Settled,
    Operation,
    SmallOperation,
    Divergent,
    DivergentInGroup,
    DivergentInGrid,
    Uniform,
    Unreachable,
}

impl Sign {
    fn as_str(self) -> &'static str {
        match self {
            Sign::Doubt => "!",
            Sign::Settled => "·",
            Sign::Operation => "●",
            Sign::SmallOperation => "○",
            Sign::Divergent => "≠",
            Sign::DivergentInGroup => "~",
            Sign::DivergentInGrid => "≈",
            Sign::Uniform => "=",
            Sign::Unreachable => "×",
        }
    }

    fn color(self) -> &'static str {
        match self {
            Sign::Doubt => RED,
            Sign::Divergent | Sign::DivergentInGroup => YELLOW,
            Sign::Operation | Sign::SmallOperation => CYAN,
            _ => FAINT,
        }
    }

    fn meaning(self, vocabulary: &Vocabulary) -> String {
        let branch = |divergence| format!("branch: {}", verdict(vocabulary, divergence));
        match self {
            Sign::Doubt => "implementation-defined convergence".to_owned(),
            Sign::Settled => "implementation-defined convergence, but in effect one tangle".to_owned(),
            Sign::Operation => {
                format!("convergent operation: {} or larger", vocabulary.group(Scope::Workgroup))
            }
            Sign::SmallOperation => {
                format!("convergent operation: {} or smaller", vocabulary.group(Scope::Subgroup))
            }
            Sign::Divergent => branch(Divergence::Subgroup),
            Sign::DivergentInGroup => branch(Divergence::Workgroup),
            Sign::DivergentInGrid => branch(Divergence::Grid),
            Sign::Uniform => branch(Divergence::None),
            Sign::Unreachable => "unreachable".to_owned(),
        }
    }
}

/// The gutter of one line.
#[derive(Clone, Debug, Default)]
struct Line {
    /// The candidates of each statement that begins in the line, without duplicates.
    tangles: Vec<String>,
    doubt: Option<Sign>,
    operation: Option<Sign>,
    branch: Option<Divergence>,
}

/// The gutter of a function.
#[derive(Debug, Default)]
pub(super) struct Gutter {
    lines: BTreeMap<usize, Line>,
    /// The reasons for implementation-defined convergence, with their lines.
    doubts: BTreeMap<String, BTreeSet<usize>>,
    /// First and last line.
    range: (usize, usize),
}

impl Gutter {
    pub fn new(first: usize, last: usize) -> Gutter {
        Gutter { range: (first, last.max(first)), ..Gutter::default() }
    }

    fn line(&mut self, line: usize) -> &mut Line {
        self.lines.entry(line).or_default()
    }

    /// Records that a statement begins in a line.
    pub fn statement(&mut self, line: usize, tangles: &[String], reachable: bool) {
        let text = match tangles {
            [] if !reachable => Sign::Unreachable.as_str().to_owned(),
            tangles => tangles.join(" "),
        };
        let known = &mut self.line(line).tangles;
        if !text.is_empty() && !known.contains(&text) {
            known.push(text);
        }
    }

    /// Records that a convergent operation begins in a line.
    pub fn operation(&mut self, line: usize, scope: Scope) {
        let sign = match scope {
            Scope::Workgroup | Scope::Cluster | Scope::Grid => Sign::Operation,
            _ => Sign::SmallOperation,
        };
        let known = &mut self.line(line).operation;
        *known = Some(known.map_or(sign, |known| known.min(sign)));
    }

    /// Records implementation-defined convergence of a statement or operation that begins in a line.
    pub fn doubt(&mut self, line: usize, why: String, is_settled: bool) {
        let sign = if is_settled { Sign::Settled } else { Sign::Doubt };
        let known = &mut self.line(line).doubt;
        *known = Some(known.map_or(sign, |known| known.min(sign)));
        self.doubts.entry(why).or_default().insert(line);
    }

    /// Records a branch in a line.
    pub fn branch(&mut self, line: usize, divergence: Divergence) {
        let known = &mut self.line(line).branch;
        *known = Some(known.map_or(divergence, |known| known.max(divergence)));
    }

    fn signs(line: &Line) -> [Option<Sign>; 3] {
        let branch = line.branch.map(|divergence| match divergence {
            Divergence::None => Sign::Uniform,
            Divergence::Grid | Divergence::Cluster => Sign::DivergentInGrid,
            Divergence::Workgroup => Sign::DivergentInGroup,
            Divergence::Subgroup => Sign::Divergent,
        });
        [line.doubt, line.operation, branch]
    }

    /// Returns the source with its gutter.
    pub fn source(&self, text: &SourceText, terminal: Terminal) -> String {
        let paint = |text: &str, color: &str| match terminal.color && !text.trim().is_empty() {
            true => format!("{color}{text}{PLAIN}"),
            false => text.to_owned(),
        };
        let empty = Line::default();
        let (first, last) = (self.range.0, self.range.1.min(text.line_count()));
        let digits = last.to_string().len();
        let columns = |line: &Line| cut(&line.tangles.join(" › "), WIDEST).chars().count();
        let width = self.lines.values().map(columns).max().unwrap_or(0);
        // The width of the number, the tangles and the signs, with the spaces between them.
        let before = digits + 2 + width + 2 + 3 + 3;
        let room = terminal.width.map(|width| width.saturating_sub(before).max(LEAST));
        let mut out = String::new();
        for number in first..=last {
            let line = self.lines.get(&number).unwrap_or(&empty);
            let tangles = cut(&line.tangles.join(" › "), WIDEST);
            let source = expanded(&text.text()[text.line_range(number)]);
            let source = room.map_or(source.clone(), |room| cut(&source, room));
            let signs: String = Gutter::signs(line)
                .iter()
                .map(|sign| sign.map_or(" ".to_owned(), |sign| paint(sign.as_str(), sign.color())))
                .collect();
            let number = paint(&format!("{number:>digits$}"), FAINT);
            let tangles = paint(&format!("{tangles:<width$}"), CYAN);
            let line = format!("{number}  {tangles}  {signs} │ {source}");
            let _ = writeln!(out, "{}", line.trim_end());
        }
        out
    }

    /// Returns the reasons for implementation-defined convergence, one line for each.
    pub fn reasons(&self) -> String {
        let lines = |lines: &BTreeSet<usize>| match (lines.first(), lines.last()) {
            (Some(first), Some(last)) if first < last => format!("lines {first}-{last}"),
            (first, _) => format!("line {}", first.copied().unwrap_or_default()),
        };
        let mut reasons: Vec<(&BTreeSet<usize>, &String)> =
            self.doubts.iter().map(|(why, at)| (at, why)).collect();
        reasons.sort();
        reasons.iter().map(|(at, why)| format!("  {}: {why}\n", lines(at))).collect()
    }

    /// Returns the signs of all lines, with duplicates.
    fn used(&self) -> impl Iterator<Item = Sign> {
        let of_line = |line: &Line| {
            let is_unreachable = line.tangles.iter().any(|text| text == Sign::Unreachable.as_str());
            let more = is_unreachable.then_some(Sign::Unreachable);
            Gutter::signs(line).into_iter().chain([more]).flatten().collect::<Vec<_>>()
        };
        self.lines.values().flat_map(of_line)
    }
}

/// Returns the legend for the signs and names in the gutters.
pub(super) fn legend(gutters: &[Gutter], vocabulary: &Vocabulary) -> String {
    let mut text = String::new();
    let lines = || gutters.iter().flat_map(|gutter| gutter.lines.values());
    let has = |mark: &str| lines().any(|line| line.tangles.iter().any(|text| text.contains(mark)));
    if has("T") {
        text += "T0 a tangle: threads that execute the line together\n";
    }
    if has("*") {
        text += "T0* a family: one tangle for each iteration\n";
    }
    if lines().any(|line| line.tangles.len() > 1) {
        text += "T0 › T1 several statements begin in the line\n";
    }
    let signs: BTreeSet<Sign> = gutters.iter().flat_map(Gutter::used).collect();
    signs.iter().for_each(|sign| text += &format!("{} {}\n", sign.as_str(), sign.meaning(vocabulary)));
    text
}

/// Cuts a text to at most `width` characters, with an ellipsis at the end.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// Expands the tabs of a line, and replaces characters that move the cursor.
fn expanded(line: &str) -> String {
    let mut text = String::new();
    let mut column = 0;
    for c in line.trim_end().chars() {
        let width = if c == '\t' { TAB - column % TAB } else { 1 };
        match c {
            '\t' => text.extend(std::iter::repeat_n(' ', width)),
            c => text += &single_line(c.encode_utf8(&mut [0; 4])),
        }
        column += width;
    }
    text
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn example() -> (Gutter, SourceText) {
        let text =
            SourceText::new("int x;\nvoid f() {\n\tif (a) g(\u{1b});\n\n  b(); // a rather long line\n}\n");
        let mut gutter = Gutter::new(2, 6);
        gutter.statement(2, &["T0".to_owned()], true);
        gutter.statement(3, &["T0".to_owned()], true);
        gutter.statement(3, &["T1".to_owned(), "T2*".to_owned()], true);
        gutter.branch(3, Divergence::Workgroup);
        gutter.branch(3, Divergence::Subgroup);
        gutter.statement(5, &[], false);
        gutter.operation(5, Scope::Workgroup);
        gutter.doubt(5, "why".to_owned(), true);
        gutter.doubt(5, "why not".to_owned(), false);
        (gutter, text)
    }

    #[test]
    fn line_shows_its_number_tangles_and_signs() {
        let (gutter, text) = example();
        expect![[r"
            2  T0               │ void f() {
            3  T0 › T1 T2*    ≠ │     if (a) g(\u{fffd});
            4                   │
            5  ×            !●  │   b(); // a rather long line
            6                   │ }
        "]]
        .assert_eq(&gutter.source(&text, Terminal::default()).replace('\u{fffd}', "\\u{fffd}"));
        assert_eq!(gutter.reasons(), "  line 5: why\n  line 5: why not\n");
    }

    #[test]
    fn source_lines_are_cut_to_terminal_width() {
        let (gutter, text) = example();
        let shown = gutter.source(&text, Terminal { color: false, width: Some(40) });
        assert!(shown.contains("│   b(); // a rather …\n"), "{shown}");
        let colored = gutter.source(&text, Terminal { color: true, width: Some(40) });
        assert!(colored.contains("\u{1b}[31m!\u{1b}[0m"), "{colored}");
    }
}
