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

mod marks;
mod shapes;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use index_vec::IndexVec;
use tangle_diagnostic::Severity;
use tangle_grammar::ast::Span;
use tangle_ir::text::Names;

pub use marks::{DivergentBranch, Finding, Marks, sign};
pub use shapes::shapes;

use super::source::{FunctionSource, SourceRange};
use tangle_analysis::flow::shape::GraphAnalysis;
use tangle_analysis::flow::{
    BlockId, BlockKind, Callee, Function, Op, Terminator, Token as FlowToken, ValueId,
};
use tangle_analysis::uniformity::branch_regions::BranchRegions;
use tangle_analysis::uniformity::graph::Graph as UniformityGraph;
use tangle_syntax::dialect::Scope;

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

/// The maximum length of a text in characters. Longer texts are cut.
const MAX_TEXT: usize = 76;
/// The maximum number of rows of a part of a block. Rows in the middle are left out.
const MOST_ROWS: usize = 40;
/// The minimum number of lines that are folded.
const LEAST_FOLDED: usize = 3;
/// The maximum length of a line of a headline. Two lines of a headline are drawn.
const HEADLINE: usize = 56;
/// The maximum number of regions that a block names.
const MOST_REGIONS: usize = 4;
/// The maximum number of lines of one operation.
const LINES_OF_ONE: usize = 8;
/// The maximum number of labels on a `case` edge. Further labels are only counted.
const MOST_CASES: usize = 4;

impl Graph {
    /// Draws a function. Parents precede children in `shapes`.
    pub fn of(
        function: &Function,
        shapes: &[NestedCycle],
        source: &dyn FunctionSource,
        marks: &Marks,
    ) -> Graph {
        let names = Names::of(function);
        let mut owners = BTreeMap::new();
        for (id, block) in function.blocks.iter_enumerated() {
            let values = block.values.iter().map(|&value| function.values[value].span);
            for span in values.chain([block.end]) {
                owners.entry((span.start, span.end)).or_insert(id);
            }
        }
        let (tokens, numbers) = Default::default();
        let mut maker = GraphBuilder { function, shapes, names, source, marks, owners, tokens, numbers };
        maker.find_tokens();
        maker.graph()
    }
}

struct GraphBuilder<'a> {
    function: &'a Function,
    shapes: &'a [NestedCycle],
    names: Names,
    source: &'a dyn FunctionSource,
    marks: &'a Marks,
    /// The first block that has an operation or a terminator at a span.
    owners: BTreeMap<(u32, u32), BlockId>,
    tokens: Vec<Token>,
    /// The number of each token, by the value that defines it.
    numbers: BTreeMap<ValueId, usize>,
}

impl GraphBuilder<'_> {
    fn spot(&self, span: Span) -> Option<SourceRange> {
        self.source.spot(self.function.key, span)
    }

    /// Returns `line 7`, or `line 7 of k.h`.
    fn line(&self, span: Span) -> String {
        match self.spot(span) {
            Some(spot) if spot.foreign => format!("line {} of {}", spot.start.0, spot.file),
            Some(spot) => format!("line {}", spot.start.0),
            None => "an unknown line".into(),
        }
    }

    fn find_tokens(&mut self) {
        let threads = self.source.vocabulary().threads();
        for block in &self.function.blocks {
            for &id in &block.values {
                if matches!(self.function.values[id].op, Op::Token(_)) {
                    self.numbers.insert(id, self.numbers.len());
                }
            }
        }
        let mut controlled: Vec<Vec<String>> = vec![Vec::new(); self.numbers.len()];
        for id in self.function.blocks.iter().flat_map(|block| &block.values) {
            let value = &self.function.values[*id];
            if let Op::Call(call) = &value.op
                && let Some(number) = call.token.and_then(|token| self.numbers.get(&token))
            {
                controlled[*number].push(format!(
                    "{} ({})",
                    self.callee(&call.callee),
                    self.line(value.span)
                ));
            }
        }
        for block in &self.function.blocks {
            for &id in &block.values {
                let value = &self.function.values[id];
                let Op::Token(token) = value.op else { continue };
                let (kind, who) = match token {
                    FlowToken::Entry => {
                        (TokenKind::Entry, format!("{threads} that enter the function together"))
                    }
                    FlowToken::Loop(outer) => {
                        let outer = self.names.values[outer].clone();
                        (TokenKind::Heart, format!("{threads} of {outer} in the same iteration"))
                    }
                    FlowToken::Anchor => (
                        TokenKind::Anchor,
                        format!("an implementation-defined set of {threads} that arrive together"),
                    ),
                };
                let number = self.tokens.len();
                let list = &controlled[number];
                let more = list.len().saturating_sub(6);
                let list = list.iter().take(6).map(String::as_str).collect::<Vec<_>>().join(", ");
                let what = match (list.is_empty(), more) {
                    (true, _) => String::new(),
                    (_, 0) => format!("; controls {list}"),
                    _ => format!("; controls {list} and {more} more"),
                };
                self.tokens.push(Token { name: self.names.values[id].clone(), kind, meaning: who + &what });
            }
        }
    }

    fn callee(&self, callee: &Callee) -> String {
        callee.name().map_or_else(|| "a call through a pointer".to_owned(), |name| name.to_string())
    }

    fn graph(mut self) -> Graph {
        let function = self.function;
        let innermost = innermost(function, self.shapes);
        let regions = self.regions();
        let findings = self.place_findings();
        let part =
            |id: BlockId| Part { id, name: self.names.blocks[id].clone(), lines: self.lines(id, &findings) };
        let parts: IndexVec<BlockId, Part> = function.blocks.indices().map(part).collect();
        let next = self.next_of_empty(&parts, &innermost);
        let chains = self.chains(&next, &innermost, &regions);
        // The drawn block of each block of the function.
        let mut number: IndexVec<BlockId, BlockId> = function.blocks.indices().collect();
        for (id, chain) in chains.iter_enumerated() {
            chain.iter().for_each(|&block| number[block] = id);
        }
        let drawn = |block: BlockId| number[resolve(&next, block)];
        let is_drawn = |block: &&BlockId| next[**block].is_none();
        let mut blocks: IndexVec<BlockId, Block> =
            chains.iter().map(|chain| self.block(chain, innermost[chain[0]])).collect();
        for (id, part) in parts.into_iter_enumerated() {
            let block = &mut blocks[drawn(id)];
            // The line of an operand has the condition.
            if part.lines.len() == 1 && block.end.is_some() && block.end == self.operand(id) {
                block.end = None;
            }
            block.parts.push(part);
        }
        for (block, chain) in blocks.iter_mut().zip(&chains) {
            // Each empty block is before the block that it jumps to.
            let place = |part: &Part| chain.iter().position(|&block| block == resolve(&next, part.id));
            block.parts.sort_by_key(|part| (place(part), next[part.id].is_none()));
        }
        let regions: Vec<Region> = (regions.into_iter())
            .map(|region| Region {
                branch: drawn(region.branch),
                blocks: region.blocks.iter().filter(is_drawn).map(|&block| drawn(block)).collect(),
                ..region
            })
            .collect();
        for (index, region) in regions.iter().enumerate() {
            blocks[region.branch].governs = Some(index);
            region.blocks.iter().for_each(|&block| blocks[block].regions.push(index));
        }
        let cycles = self.shapes.iter().map(|shape| self.cycle(shape)).collect();
        let edges = chains.iter().filter_map(|chain| chain.last());
        let edges = edges.flat_map(|&id| self.edges(id, &innermost));
        let edges = edges.map(|edge| Edge { from: drawn(edge.from), to: drawn(edge.to), ..edge }).collect();
        let kind = if function.kernel { "kernel" } else { "function" };
        let vocabulary = self.source.vocabulary();
        Graph {
            title: format!("{kind} {}", function.key),
            thread: &vocabulary.thread,
            workgroup: vocabulary.group(Scope::Workgroup),
            convergent: function.convergent,
            tokens: std::mem::take(&mut self.tokens),
            blocks,
            cycles,
            regions,
            edges,
        }
    }

    /// For each block that is drawn as a part of the next one, that block: an empty block with one predecessor.
    fn next_of_empty(
        &self,
        parts: &IndexVec<BlockId, Part>,
        innermost: &IndexVec<BlockId, Option<usize>>,
    ) -> IndexVec<BlockId, Option<BlockId>> {
        let blocks = &self.function.blocks;
        let predecessors = self.function.predecessors();
        let mut next: IndexVec<BlockId, Option<BlockId>> = blocks.iter().map(|_| None).collect();
        for (id, block) in blocks.iter_enumerated() {
            let (Terminator::Jump(to), [before]) = (&block.terminator, &predecessors[id][..]) else {
                continue;
            };
            let (to, mut before) = (*to, *before);
            let is_empty = parts[id].lines.is_empty()
                && !is_labelled(block.kind)
                && block.values.iter().all(|&value| self.operation(value).is_none());
            let stays = innermost[id] == innermost[to] && !leads_back(id, to, self.shapes, innermost);
            if !is_empty || !stays || id == Function::ENTRY || before == id {
                continue;
            }
            while let (Some(_), [further]) = (next[before], &predecessors[before][..]) {
                before = *further;
            }
            // Two edges from one block to another would look like one.
            let target = resolve(&next, to);
            let others = blocks[before].terminator.successors().into_iter();
            let others = others.filter(|&other| resolve(&next, other) != id);
            if others.into_iter().all(|other| resolve(&next, other) != target) {
                next[id] = Some(to);
            }
        }
        next
    }

    /// The chains of blocks that are drawn as one block. A block is appended to its only predecessor if that one jumps to
    /// it.
    fn chains(
        &self,
        next: &IndexVec<BlockId, Option<BlockId>>,
        innermost: &IndexVec<BlockId, Option<usize>>,
        regions: &[Region],
    ) -> IndexVec<BlockId, Vec<BlockId>> {
        let blocks = &self.function.blocks;
        let mut predecessors: IndexVec<BlockId, Vec<BlockId>> = blocks.iter().map(|_| Vec::new()).collect();
        for (id, block) in blocks.iter_enumerated().filter(|(id, _)| next[*id].is_none()) {
            let successors = block.terminator.successors().into_iter();
            successors.for_each(|to| predecessors[resolve(next, to)].push(id));
        }
        let follows = |block: BlockId| match predecessors[block][..] {
            [before] if before != block && block != Function::ENTRY => {
                let same = |it: &Region| it.blocks.contains(&before) == it.blocks.contains(&block);
                let plain = matches!(blocks[before].terminator, Terminator::Jump(_))
                    && innermost[before] == innermost[block]
                    && !is_labelled(blocks[block].kind)
                    && regions.iter().all(same);
                plain.then_some(before)
            }
            _ => None,
        };
        let after = |block: BlockId| match blocks[block].terminator {
            Terminator::Jump(to) => Some(resolve(next, to)).filter(|&to| follows(to) == Some(block)),
            _ => None,
        };
        let first = blocks.indices().filter(|&block| next[block].is_none() && follows(block).is_none());
        first.map(|block| std::iter::successors(Some(block), |&block| after(block)).collect()).collect()
    }

    /// The regions of divergent branches, in the order of the branches.
    fn regions(&self) -> Vec<Region> {
        let function = self.function;
        if self.marks.branches.is_empty() {
            return Vec::new();
        }
        let graph = UniformityGraph::of(function, GraphAnalysis::of(function));
        let sides = BranchRegions::of(function, &graph);
        let mut regions = Vec::new();
        for (branch, block) in function.blocks.iter_enumerated() {
            if block.terminator.successors().len() < 2 {
                continue;
            }
            // The analysis may have seen the graph before blocks were inserted into it.
            let found = self.marks.branches.iter().filter(|it| it.span == block.end);
            let Some(found) = found.max_by_key(|it| it.divergence) else { continue };
            let cause = |(span, what): &(Span, String)| format!("{what} ({})", self.line(*span));
            let causes: Vec<String> = found.causes.iter().map(cause).collect();
            regions.push(Region {
                branch,
                blocks: sides.regions_of(branch).into_iter().flatten().collect(),
                divides_workgroup: found.divergence.within(Scope::Workgroup),
                verdict: cut(&found.verdict),
                explanation: [found.verdict.clone()]
                    .into_iter()
                    .chain(causes)
                    .collect::<Vec<_>>()
                    .join(" ← "),
            });
        }
        regions
    }

    /// The block and the line of each finding in the function.
    fn place_findings(&self) -> Vec<(BlockId, &Finding)> {
        if self.marks.findings.is_empty() {
            return Vec::new();
        }
        let function = self.function;
        let mut spots: Vec<(SourceRange, BlockId)> = Vec::new();
        for (id, block) in function.blocks.iter_enumerated() {
            let values = block.values.iter().map(|&value| &function.values[value]);
            let spans = values.filter(|value| has_place(&value.op)).map(|value| value.span);
            let spans = spans.chain([block.end]).chain(self.labels(id));
            spots.extend(spans.filter_map(|span| Some((self.spot(span)?, id))));
        }
        let first = self.spot(function.span);
        let place = |finding: &Finding| -> Option<BlockId> {
            let in_file = || spots.iter().filter(|(spot, _)| spot.file == finding.file);
            let size = |spot: &SourceRange| (spot.end.0 - spot.start.0, spot.end.1.abs_diff(spot.start.1));
            let at = in_file().filter(|(spot, _)| spot.start < finding.end && finding.start < spot.end);
            let key =
                |spot: &SourceRange| (spot.start != finding.start, spot.start > finding.start, size(spot));
            if let Some((_, block)) = at.min_by_key(|(spot, _)| key(spot)) {
                return Some(*block);
            }
            // A finding about a declaration, which has no operation.
            let last = in_file().map(|(spot, _)| spot.end.0).max()?;
            let first = first.as_ref().filter(|first| first.file == finding.file)?.start.0;
            let before = in_file().filter(|(spot, _)| spot.start <= finding.start);
            let before =
                before.max_by_key(|(spot, _)| spot.start).map_or(Function::ENTRY, |(_, block)| *block);
            (first..=last).contains(&finding.start.0).then_some(before)
        };
        let findings = self.marks.findings.iter();
        findings.filter_map(|finding| Some((place(finding)?, finding))).collect()
    }

    /// The labels of a block.
    fn labels(&self, id: BlockId) -> impl Iterator<Item = Span> {
        let block = &self.function.blocks[id];
        let own = is_labelled(block.kind).then_some(block.stmt);
        self.marks.labels.iter().filter(move |(stmt, _)| Some(*stmt) == own).map(|(_, span)| *span)
    }

    fn cycle(&self, shape: &NestedCycle) -> Cycle {
        let names: Vec<String> =
            shape.entries.iter().map(|&entry| self.names.blocks[entry].clone()).collect();
        let irreducible = names.len() > 1;
        let caption = match names.split_last() {
            Some((last, others)) if irreducible => {
                format!("irreducible cycle: entered at {} and {last}", others.join(", "))
            }
            Some((only, _)) => format!("cycle, entered at {only}"),
            None => "cycle".to_owned(),
        };
        Cycle { parent: shape.parent, irreducible, caption: cut(&caption) }
    }

    /// Draws a chain of blocks, without their lines.
    fn block(&self, chain: &[BlockId], cycle: Option<usize>) -> Block {
        let blocks = || chain.iter().map(|&block| &self.function.blocks[block]);
        let operations = blocks().flat_map(|block| &block.values).filter_map(|&value| self.operation(value));
        let last = &self.function.blocks[chain[chain.len() - 1]];
        let written = || self.written(last.end);
        let end = match &last.terminator {
            Terminator::Jump(_) => None,
            Terminator::Branch { .. } => Some(format!("{} ?", written())),
            Terminator::Switch { .. } => Some(format!("switch ({})", written())),
            Terminator::Return(_) => Some("return".to_owned()),
            Terminator::Unreachable => Some("unreachable".to_owned()),
        };
        let name = |block: &BlockId| self.names.blocks[*block].as_str();
        Block {
            name: cut(&chain.iter().map(name).collect::<Vec<_>>().join(", ")),
            cycle,
            parts: Vec::new(),
            operations: operations.collect(),
            end: end.map(|end| cut(&end)),
            governs: None,
            regions: Vec::new(),
        }
    }

    fn operation(&self, id: ValueId) -> Option<Operation> {
        let value = &self.function.values[id];
        match &value.op {
            Op::Token(token) => {
                let name = self.names.values[id].clone();
                let number = self.numbers.get(&id).copied();
                let text = match token {
                    FlowToken::Entry => format!("{} {name} = entry", TokenKind::Entry.sign()),
                    FlowToken::Loop(outer) => {
                        format!(
                            "{} {name} = loop with {}",
                            TokenKind::Heart.sign(),
                            self.names.values[*outer]
                        )
                    }
                    FlowToken::Anchor => format!("{} {name} = anchor", TokenKind::Anchor.sign()),
                };
                Some(Operation { defines: true, text, token: number })
            }
            Op::Call(call) if call.convergent => {
                let written = self.written(value.span);
                let text = match written.is_empty() {
                    true => self.callee(&call.callee),
                    false => written,
                };
                let token = call.token.and_then(|token| self.numbers.get(&token).copied());
                let with = call.token.map(|token| format!(" with {}", self.names.values[token]));
                let text = format!("{}{}", cut(&text), with.unwrap_or_default());
                Some(Operation { defines: false, text, token })
            }
            _ => None,
        }
    }

    /// The source text of a span, on one line.
    fn written(&self, span: Span) -> String {
        let Some(spot) = self.spot(span) else { return String::new() };
        let mut text = String::new();
        for line in spot.start.0..=spot.end.0 {
            let whole = self.source.line(&spot.file, line).unwrap_or_default();
            let from = if line == spot.start.0 { spot.start.1 - 1 } else { 0 };
            let to = if line == spot.end.0 { spot.end.1 - 1 } else { usize::MAX };
            text.extend(whole.chars().take(to).skip(from));
            text.push(' ');
            if text.len() > 8 * MAX_TEXT {
                break;
            }
        }
        cut(&text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// The source lines of the labels, operations and findings of a block.
    fn lines(&self, id: BlockId, findings: &[(BlockId, &Finding)]) -> Vec<Line> {
        let block = &self.function.blocks[id];
        // The lines, each with whether it matters.
        let mut lines: BTreeMap<(bool, Arc<str>, usize), bool> = BTreeMap::new();
        let mut add = |span: Span, most: usize, matters: bool| {
            let Some(spot) = self.spot(span) else { return };
            let last = spot.end.0.min(spot.start.0 + most - 1);
            for line in spot.start.0..=last {
                *lines.entry((spot.foreign, spot.file.clone(), line)).or_default() |= matters;
            }
        };
        self.labels(id).for_each(|label| add(label, 1, true));
        for &value in &block.values {
            let value = &self.function.values[value];
            if has_place(&value.op) {
                add(value.span, LINES_OF_ONE, matches!(&value.op, Op::Call(call) if call.convergent));
            }
        }
        match block.terminator {
            // Without a statement of its own, a jump has the span of the statement before it, or of the label after it.
            Terminator::Jump(next)
                if self.owners.get(&(block.end.start, block.end.end)) != Some(&id)
                    || self.labels(next).any(|label| label.start == block.end.start) => {}
            Terminator::Jump(_) => add(block.end, 1, false),
            _ => add(block.end, LINES_OF_ONE, true),
        }
        let own = || findings.iter().filter(|(block, _)| *block == id).map(|(_, finding)| *finding);
        for finding in own() {
            let root = lines.keys().find(|(_, file, _)| *file == finding.file).map(|(foreign, ..)| *foreign);
            lines.entry((root.unwrap_or(false), finding.file.clone(), finding.start.0)).or_default();
        }
        let texts: Vec<(bool, Arc<str>, usize, String, bool)> = lines
            .into_iter()
            .map(|((foreign, file, line), matters)| {
                let text = expanded(&self.source.line(&file, line).unwrap_or_default());
                (foreign, file, line, text, matters)
            })
            .collect();
        let indent = |text: &str| text.len() - text.trim_start().len();
        let common = texts
            .iter()
            .filter(|(.., text, _)| !text.trim().is_empty())
            .map(|(.., text, _)| indent(text))
            .min();
        let common = common.unwrap_or(0);
        let line = |(foreign, file, line, text, matters): (bool, Arc<str>, usize, String, bool)| Line {
            number: if foreign { format!("{file}:{line}") } else { line.to_string() },
            text: cut(text.get(common..).unwrap_or_default().trim_end()),
            matters,
            findings: own().filter(|it| it.file == file && it.start.0 == line).cloned().collect(),
        };
        let mut lines: Vec<Line> = texts.into_iter().map(line).collect();
        if let ([line], Some(operand)) = (&mut lines[..], self.operand(id)) {
            line.text = operand;
        }
        lines
    }

    /// The text of an operand of `&&`, `||` or `?:`, if the block is one. Its line also has the rest of the expression.
    fn operand(&self, id: BlockId) -> Option<String> {
        let block = &self.function.blocks[id];
        let text = self.written(block.end);
        match (block.kind, &block.terminator) {
            _ if text.is_empty() => None,
            (BlockKind::AndRight | BlockKind::OrRight, Terminator::Branch { .. }) => {
                Some(format!("{text} ?"))
            }
            (BlockKind::ConditionalThen | BlockKind::ConditionalElse, Terminator::Jump(_)) => Some(text),
            _ => None,
        }
    }

    fn edges(&self, from: BlockId, innermost: &IndexVec<BlockId, Option<usize>>) -> Vec<Edge> {
        let ways = successors(&self.function.blocks[from].terminator).into_iter();
        let back = |to: BlockId| leads_back(from, to, self.shapes, innermost);
        ways.map(|(to, kind, label)| Edge { from, to, kind, back: back(to), label }).collect()
    }
}

/// The next block that is not empty and contains a block in the picture, or the block itself.
fn resolve(next: &IndexVec<BlockId, Option<BlockId>>, block: BlockId) -> BlockId {
    std::iter::successors(Some(block), |&block| next[block]).last().unwrap_or(block)
}

/// Whether an operation is written at its span. The span of a phi is the declaration of its variable.
fn has_place(op: &Op) -> bool {
    !matches!(op, Op::Phi(_) | Op::Token(_))
}

/// Whether a label of the source begins the block.
fn is_labelled(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::Label | BlockKind::SwitchCase | BlockKind::SwitchDefault)
}

/// The innermost cycle of each block.
pub fn innermost(function: &Function, shapes: &[NestedCycle]) -> IndexVec<BlockId, Option<usize>> {
    let mut innermost: IndexVec<BlockId, Option<usize>> = function.blocks.iter().map(|_| None).collect();
    for (number, shape) in shapes.iter().enumerate() {
        // Children come later, and overwrite the cycle of their blocks.
        shape.blocks.iter().for_each(|&block| innermost[block] = Some(number));
    }
    innermost
}

/// Whether an edge leads to the header of a cycle around it.
pub fn leads_back(
    from: BlockId,
    to: BlockId,
    shapes: &[NestedCycle],
    innermost: &IndexVec<BlockId, Option<usize>>,
) -> bool {
    let mut around = innermost[from];
    while let Some(number) = around {
        if shapes[number].entries.first() == Some(&to) {
            return true;
        }
        around = shapes[number].parent;
    }
    false
}

/// The edges out of a block, one for each successor.
pub fn successors(terminator: &Terminator) -> Vec<(BlockId, EdgeKind, String)> {
    let plain = |to: BlockId, kind, label: &str| (to, kind, label.to_owned());
    match terminator {
        Terminator::Jump(to) => vec![plain(*to, EdgeKind::Jump, "")],
        Terminator::Branch { then, otherwise, .. } if then == otherwise => {
            vec![plain(*then, EdgeKind::Jump, "true, false")]
        }
        Terminator::Branch { then, otherwise, .. } => {
            vec![plain(*then, EdgeKind::True, "true"), plain(*otherwise, EdgeKind::False, "false")]
        }
        Terminator::Switch { cases, otherwise, .. } => switch(cases, *otherwise),
        Terminator::Return(_) | Terminator::Unreachable => Vec::new(),
    }
}

/// The edges out of a `switch`, one for each target block, in the order of their first labels.
fn switch(cases: &[(i128, i128, BlockId)], otherwise: BlockId) -> Vec<(BlockId, EdgeKind, String)> {
    let mut order = Vec::new();
    let mut labels: BTreeMap<BlockId, Vec<String>> = BTreeMap::new();
    for &(low, high, to) in cases {
        let labels = labels.entry(to).or_insert_with(|| {
            order.push(to);
            Vec::new()
        });
        labels.push(if low == high { low.to_string() } else { format!("{low} … {high}") });
    }
    let mut ways: Vec<(BlockId, EdgeKind, String)> = Vec::new();
    for to in order {
        let all = &labels[&to];
        let more = all.len().saturating_sub(MOST_CASES);
        let shown = all.iter().take(MOST_CASES).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let default = if to == otherwise { ", default" } else { "" };
        ways.push((to, EdgeKind::Case, format!("case {shown}{more}{default}")));
    }
    if !labels.contains_key(&otherwise) {
        ways.push((otherwise, EdgeKind::Case, "default".to_owned()));
    }
    ways
}

/// Replaces tabs by spaces, and characters that cannot be drawn or written in XML by U+FFFD.
fn expanded(text: &str) -> String {
    let mut expanded = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\t' => expanded.push_str("    "),
            '\u{fffe}' | '\u{ffff}' => expanded.push('\u{fffd}'),
            sign if sign.is_control() => expanded.push('\u{fffd}'),
            sign => expanded.push(sign),
        }
    }
    expanded
}

/// Breaks a text into lines of at most `most` characters. A longer word has its own line.
pub fn wrap(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().map(|line| line.chars().count()).unwrap_or(0);
        if line > 0 && line + 1 + word.chars().count() > most {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// Cuts a text that is too long.
fn cut(text: &str) -> String {
    let text = expanded(text);
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
