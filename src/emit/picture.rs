//! The picture of a flow graph as data, which [`dot`](super::dot) and [`svg`](super::svg) draw.
//!
//! A block shows its source lines, and below them the operations that are relevant to convergence. Each token has a
//! colour, which the operations that it controls have too. Operations of one colour are executed by the same threads
//! together. Cycles are frames around their blocks.
//!
//! **Region** of a divergent branch: the blocks that threads reach between the branch and their reconvergence. It is
//! shaded. A finding is shown below the line that it is about.
//!
//! **Folding**: a block that only its predecessor jumps to is drawn as a part of that predecessor. An empty block with
//! one predecessor is drawn as a part of the next block. Of a long run of lines without a convergent operation, finding,
//! label or condition, only the first and the last line are drawn. The tooltip of a block has all of its lines.

mod builder;
mod edges;
mod marks;
mod shapes;
mod text;

use std::collections::BTreeSet;

use index_vec::IndexVec;
use tangle_analysis::flow::BlockId;
use tangle_diagnostic::Severity;

pub use edges::{innermost, leads_back, successors};
pub use marks::{DivergentBranch, Finding, Marks, sign};
pub use shapes::shapes;
pub use text::wrap;

/// The pictures of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub file: String,
    pub graphs: Vec<Graph>,
}

/// The picture of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// The kind and name: `kernel k` or `function f`.
    pub title: String,
    /// The words of the language for one thread and for the group that shares barriers.
    pub thread: &'static str,
    pub workgroup: &'static str,
    pub convergent: bool,
    /// The tokens, in the order of their blocks. Each has a colour, see [`color`].
    pub tokens: Vec<Token>,
    pub blocks: IndexVec<BlockId, Block>,
    /// The cycles, with parents before children.
    pub cycles: Vec<Cycle>,
    /// The regions of divergent branches, in the order of the branches.
    pub regions: Vec<Region>,
    pub edges: Vec<Edge>,
}

impl Picture {
    /// The meanings of the shades that occur in the picture, each with whether it divides work-groups.
    pub fn shades(&self) -> Vec<(bool, String)> {
        let occurs = |divides: bool| {
            let graph = self
                .graphs
                .iter()
                .find(|graph| graph.regions.iter().any(|it| it.divides_workgroup == divides))?;
            let (thread, workgroup) = (graph.thread, graph.workgroup);
            Some((
                divides,
                match divides {
                    true => format!(
                        "region of a divergent branch ◆: not all {thread}s of a {workgroup} run it together"
                    ),
                    false => format!(
                        "region of a branch ◆ that is uniform in each {workgroup}: not all {workgroup}s run it"
                    ),
                },
            ))
        };
        [true, false].into_iter().filter_map(occurs).collect()
    }
}

/// The region of a divergent branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    pub branch: BlockId,
    /// Without the branch.
    pub blocks: BTreeSet<BlockId>,
    /// Whether threads of one work-group diverge. Otherwise only whole work-groups do.
    pub divides_workgroup: bool,
    /// The verdict with the source of divergence.
    pub verdict: String,
    /// The verdict, and the chain of causes with their lines.
    pub explanation: String,
}

/// The name of a region, in its branch and its blocks.
pub fn region_name(region: usize) -> String {
    format!("◆{}", region + 1)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// `%0`, as in the text of the flow graph.
    pub name: String,
    pub kind: TokenKind,
    /// The threads that share the token, and the operations that it controls, as text.
    pub meaning: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Entry,
    Heart,
    Anchor,
}

impl TokenKind {
    /// The symbol before the name of the token.
    pub fn sign(self) -> &'static str {
        match self {
            TokenKind::Entry => "▶",
            TokenKind::Heart => "♥",
            TokenKind::Anchor => "⚓",
        }
    }
}

/// One or several blocks of the flow graph. Threads leave each part for the next one only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub name: String,
    /// The innermost cycle that contains the block.
    pub cycle: Option<usize>,
    /// The blocks of the flow graph, in order.
    pub parts: Vec<Part>,
    /// The operations, in the order of execution.
    pub operations: Vec<Operation>,
    /// The condition, or `return`, at the end of the block. `None` for a jump.
    pub end: Option<String>,
    /// The region of the branch at the end of the block, if it is divergent.
    pub governs: Option<usize>,
    /// The regions that contain the block.
    pub regions: Vec<usize>,
}

/// A block of the flow graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub id: BlockId,
    pub name: String,
    /// The source lines, in order.
    pub lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The line number, after the name of the file if it is not the file of the picture.
    pub number: String,
    pub text: String,
    /// Whether the line has a convergent operation, a label or the condition at the end of the block.
    pub matters: bool,
    /// The findings that begin on the line.
    pub findings: Vec<Finding>,
}

/// A row of a drawn block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row<'a> {
    Line(&'a Line),
    /// The number of lines that are not drawn.
    Folded(usize),
    /// A line of text about a finding. The first one has the severity and the rule.
    Finding(Severity, String),
}

impl Row<'_> {
    pub fn text(&self) -> String {
        match self {
            Row::Line(line) => line.text.clone(),
            Row::Folded(count) => format!("… {count} lines"),
            Row::Finding(_, text) => text.clone(),
        }
    }

    pub fn number(&self) -> &str {
        match self {
            Row::Line(line) => &line.number,
            Row::Folded(_) | Row::Finding(..) => "",
        }
    }
}

impl Part {
    /// The rows of the block, with long runs of lines folded.
    pub fn rows(&self) -> Vec<Row<'_>> {
        let mut rows = Vec::new();
        for run in self.lines.chunk_by(|a, b| !a.is_kept() && !b.is_kept()) {
            match run {
                [first, hidden @ .., last] if hidden.len() >= LEAST_FOLDED => {
                    rows.extend([Row::Line(first), Row::Folded(hidden.len()), Row::Line(last)]);
                }
                _ => rows.extend(run.iter().flat_map(Line::rows)),
            }
        }
        if rows.len() > MOST_ROWS {
            let hidden = rows.len() - (MOST_ROWS - 1);
            rows.splice(MOST_ROWS / 2..MOST_ROWS / 2 + hidden, [Row::Folded(hidden)]);
        }
        rows
    }
}

impl Line {
    fn is_kept(&self) -> bool {
        self.matters || !self.findings.is_empty()
    }

    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let findings = self.findings.iter().flat_map(|it| {
            let first = format!("{} {}[{}]", sign(it.severity), it.severity, it.rule);
            let mut lines = wrap(&it.headline, HEADLINE);
            if lines.len() > 2 {
                lines.truncate(2);
                lines[1] += " …";
            }
            [first].into_iter().chain(lines).map(|text| Row::Finding(it.severity, text))
        });
        [Row::Line(self)].into_iter().chain(findings)
    }
}

impl Block {
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.parts.iter().flat_map(|part| &part.lines).flat_map(|line| &line.findings)
    }

    /// The names of the innermost regions that contain the block.
    pub fn region_names(&self) -> String {
        let shown = self.regions.len().saturating_sub(MOST_REGIONS);
        let more = if shown > 0 { "… " } else { "" };
        let names: Vec<String> = self.regions[shown..].iter().map(|&region| region_name(region)).collect();
        format!("{more}{}", names.join(" "))
    }

    /// The whole content of the block, as text.
    pub fn tooltip(&self, regions: &[Region]) -> String {
        let mut text = self.name.clone();
        for line in self.parts.iter().flat_map(|part| &part.lines) {
            text += &format!("\n{} {}", line.number, line.text);
            for Finding { severity, rule, headline, .. } in &line.findings {
                text += &format!("\n{} {severity}[{rule}]: {headline}", sign(*severity));
            }
        }
        for operation in &self.operations {
            text += &format!("\n{}", operation.text);
        }
        self.end.iter().for_each(|end| text += &format!("\n{end}"));
        if let Some(region) = self.governs {
            text += &format!("\n{} {}", region_name(region), regions[region].explanation);
        }
        for &region in &self.regions {
            text += &format!("\nin {}: {}", region_name(region), regions[region].verdict);
        }
        text
    }
}

/// An operation that is relevant to convergence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Whether it defines a token. Otherwise it is a convergent call.
    pub defines: bool,
    pub text: String,
    /// The token that it defines, or that controls it. `None` for a call without a token.
    pub token: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    pub parent: Option<usize>,
    pub irreducible: bool,
    pub caption: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    pub from: BlockId,
    pub to: BlockId,
    pub kind: EdgeKind,
    /// Whether it leads back to the header of a cycle around it.
    pub back: bool,
    /// The label, empty for a plain jump.
    pub label: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeKind {
    Jump,
    True,
    False,
    Case,
}

/// A cycle of the flow graph, with its blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestedCycle {
    pub parent: Option<usize>,
    /// The header first.
    pub entries: Vec<BlockId>,
    /// The blocks. The blocks of inner cycles may be missing.
    pub blocks: Vec<BlockId>,
}

/// A colour on a light and on a dark background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color {
    pub light: &'static str,
    pub dark: &'static str,
}

/// Colours that most readers can distinguish, also with colour blindness. Red is for irreducible cycles.
const COLORS: [Color; 8] = [
    Color { light: "#1d5fd1", dark: "#7fb0ff" },
    Color { light: "#b45309", dark: "#f5b04c" },
    Color { light: "#0f7b6c", dark: "#4fd1bd" },
    Color { light: "#8a3ffc", dark: "#c3a1ff" },
    Color { light: "#a8216b", dark: "#f28ac0" },
    Color { light: "#4d7c0f", dark: "#a3d65c" },
    Color { light: "#0b7199", dark: "#62c8ef" },
    Color { light: "#7a4a2b", dark: "#d9a581" },
];

/// The colour of a token. Colours repeat after the eighth token.
pub fn color(token: usize) -> Color {
    COLORS[token % COLORS.len()]
}

/// The maximum number of rows of a part of a block. Rows in the middle are left out.
const MOST_ROWS: usize = 40;
/// The minimum number of lines that are folded.
const LEAST_FOLDED: usize = 3;
/// The maximum length of a line of a headline. Two lines of a headline are drawn.
const HEADLINE: usize = 56;
/// The maximum number of regions that a block names.
const MOST_REGIONS: usize = 4;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
