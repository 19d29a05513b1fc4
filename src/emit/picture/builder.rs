//! Makes the [picture](super) of a flow graph: merges its blocks, and finds their lines, operations, regions and findings.

use std::collections::BTreeMap;
use std::sync::Arc;

use index_vec::IndexVec;
use tangle_analysis::flow::shape::GraphAnalysis;
use tangle_analysis::flow::{
    BlockId, BlockKind, Callee, Function, Op, Terminator, Token as FlowToken, ValueId,
};
use tangle_analysis::uniformity::branch_regions::BranchRegions;
use tangle_analysis::uniformity::graph::Graph as UniformityGraph;
use tangle_grammar::ast::Span;
use tangle_ir::text::Names;
use tangle_syntax::dialect::Scope;

use super::edges::{innermost, leads_back, successors};
use super::marks::{Finding, Marks};
use super::text::{MAX_TEXT, cut, expanded};
use super::{Block, Cycle, Edge, Graph, Line, NestedCycle, Operation, Part, Region, Token, TokenKind};
use crate::source::{FunctionSource, SourceRange};

/// The maximum number of lines of one operation.
const LINES_OF_ONE: usize = 8;

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
