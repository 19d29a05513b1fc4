//! The picture of a flow graph as data, which [`dot`](super::dot) and [`svg`](super::svg) draw.
//!
//! A block shows its source lines, and below them the operations that are relevant to convergence. Each token has a
//! colour, which the operations that it controls have too. Operations of one colour are executed by the same threads
//! together. Cycles are frames around their blocks.

mod shapes;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use index_vec::IndexVec;
use tangle_grammar::ast::Span;
use tangle_ir::text::Names;

pub use shapes::shapes;

use super::source::{FunctionSource, SourceRange};
use tangle_analysis::flow::{BlockId, Callee, Function, Op, Terminator, Token as FlowToken, ValueId};

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
    /// The word of the language for one thread.
    pub thread: &'static str,
    pub convergent: bool,
    /// The tokens, in the order of their blocks. Each has a colour, see [`color`].
    pub tokens: Vec<Token>,
    pub blocks: IndexVec<BlockId, Block>,
    /// The cycles, with parents before children.
    pub cycles: Vec<Cycle>,
    pub edges: Vec<Edge>,
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub name: String,
    /// The innermost cycle that contains the block.
    pub cycle: Option<usize>,
    /// The source lines, in order.
    pub lines: Vec<Line>,
    /// The operations, in the order of execution.
    pub operations: Vec<Operation>,
    /// The condition, or `return`, at the end of the block. `None` for a jump.
    pub end: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The line number, after the name of the file if it is not the file of the picture.
    pub number: String,
    pub text: String,
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
/// The maximum number of lines of a block. Lines in the middle are left out.
const MOST_LINES: usize = 40;
/// The maximum number of lines of one operation.
const LINES_OF_ONE: usize = 8;
/// The maximum number of labels on a `case` edge. Further labels are only counted.
const MOST_CASES: usize = 4;

impl Graph {
    /// Draws a function. Parents precede children in `shapes`.
    pub fn of(function: &Function, shapes: &[NestedCycle], source: &dyn FunctionSource) -> Graph {
        let names = Names::of(function);
        let mut maker =
            GraphBuilder { function, shapes, names, source, tokens: Vec::new(), numbers: BTreeMap::new() };
        maker.find_tokens();
        maker.graph()
    }
}

struct GraphBuilder<'a> {
    function: &'a Function,
    shapes: &'a [NestedCycle],
    names: Names,
    source: &'a dyn FunctionSource,
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
        let blocks = function.blocks.indices().map(|id| self.block(id, innermost[id])).collect();
        let cycles = self.shapes.iter().map(|shape| self.cycle(shape)).collect();
        let edges = function.blocks.indices().flat_map(|id| self.edges(id, &innermost)).collect();
        let kind = if function.kernel { "kernel" } else { "function" };
        Graph {
            title: format!("{kind} {}", function.key.label()),
            thread: &self.source.vocabulary().thread,
            convergent: function.convergent,
            tokens: std::mem::take(&mut self.tokens),
            blocks,
            cycles,
            edges,
        }
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

    fn block(&self, id: BlockId, cycle: Option<usize>) -> Block {
        let block = &self.function.blocks[id];
        let mut operations = Vec::new();
        for &value in &block.values {
            operations.extend(self.operation(value));
        }
        let written = || self.written(block.end);
        let end = match &block.terminator {
            Terminator::Jump(_) => None,
            Terminator::Branch { .. } => Some(format!("{} ?", written())),
            Terminator::Switch { .. } => Some(format!("switch ({})", written())),
            Terminator::Return(_) => Some("return".to_owned()),
            Terminator::Unreachable => Some("unreachable".to_owned()),
        };
        Block {
            name: self.names.blocks[id].clone(),
            cycle,
            lines: self.lines(id),
            operations,
            end: end.map(|end| cut(&end)),
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

    /// The source lines of the operations of a block.
    fn lines(&self, id: BlockId) -> Vec<Line> {
        let block = &self.function.blocks[id];
        let mut lines: BTreeSet<(bool, Arc<str>, usize)> = BTreeSet::new();
        let mut add = |span: Span, most: usize| {
            let Some(spot) = self.spot(span) else { return };
            let last = spot.end.0.min(spot.start.0 + most - 1);
            lines.extend((spot.start.0..=last).map(|line| (spot.foreign, spot.file.clone(), line)));
        };
        for &value in &block.values {
            let value = &self.function.values[value];
            if !matches!(value.op, Op::Phi(_) | Op::Token(_)) {
                add(value.span, LINES_OF_ONE);
            }
        }
        match block.terminator {
            Terminator::Jump(_) => add(block.end, 1),
            _ => add(block.end, LINES_OF_ONE),
        }
        let texts: Vec<(bool, Arc<str>, usize, String)> = lines
            .into_iter()
            .map(|(foreign, file, line)| {
                let text = expanded(&self.source.line(&file, line).unwrap_or_default());
                (foreign, file, line, text)
            })
            .collect();
        let indent = |text: &str| text.len() - text.trim_start().len();
        let common =
            texts.iter().filter(|(.., text)| !text.trim().is_empty()).map(|(.., text)| indent(text)).min();
        let common = common.unwrap_or(0);
        let mut lines: Vec<Line> = texts
            .into_iter()
            .map(|(foreign, file, line, text)| Line {
                number: if foreign { format!("{file}:{line}") } else { line.to_string() },
                text: cut(text.get(common..).unwrap_or_default().trim_end()),
            })
            .collect();
        if lines.len() > MOST_LINES {
            let left_out = lines.len() - (MOST_LINES - 1);
            let text = format!("… {left_out} more lines …");
            lines.splice(MOST_LINES / 2..MOST_LINES / 2 + left_out, [Line { number: String::new(), text }]);
        }
        lines
    }

    fn edges(&self, from: BlockId, innermost: &IndexVec<BlockId, Option<usize>>) -> Vec<Edge> {
        let ways = successors(&self.function.blocks[from].terminator).into_iter();
        let back = |to: BlockId| leads_back(from, to, self.shapes, innermost);
        ways.map(|(to, kind, label)| Edge { from, to, kind, back: back(to), label }).collect()
    }
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
