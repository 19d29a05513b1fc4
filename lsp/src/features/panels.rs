//! The contents of panels: the flow graph, the tangle tree, and the LLVM IR of the function at the cursor.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tangle_analysis::flow::module::{Lowered, Options, drop_unused_variables, lower};
use tangle_analysis::flow::{Block, Function, Op};
use tangle_analysis::tangle::print::{self, PrintContext};
use tangle_analysis::tangle::{CandidateId, DoubtId};
use tangle_emit::language::{DialectLanguage, usual_target};
use tangle_emit::picture::{Graph, Picture, shapes};
use tangle_emit::source::{FunctionSource, SourceRange};
use tangle_emit::{llvm, svg};
use tangle_execution::marks::Marker;
use tangle_grammar::ast::Span;
use tangle_hir::body::CallId;
use tangle_ir::key::FunctionKey;
use tangle_rules::wording::tangles as tangle_texts;
use tangle_syntax::dialect::{Scope, Vocabulary};
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::lsp_types::{Position, Range, TextDocumentIdentifier};

use super::position::{BodyLookup, ConvergentCalls, ItemAt, TokenAt, convergent};
use super::uniform;
use crate::diagnostics;
use crate::snapshot::View;

/// A position in a document: the parameter of each of these requests.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentPosition {
    pub text_document: TextDocumentIdentifier,
    pub position: Position,
}

#[derive(Serialize)]
pub struct FlowGraph {
    pub function: String,
    /// An SVG image. The element of a block has the block's number as `data-block`.
    pub svg: String,
    pub blocks: Vec<BlockRange>,
}

/// The range of a block in the source. Blocks without code have no range.
#[derive(Serialize)]
pub struct BlockRange {
    pub id: usize,
    pub range: Range,
}

#[derive(Serialize)]
pub struct TangleTree {
    pub function: String,
    pub text: String,
    pub nodes: Vec<Node>,
}

/// A candidate tangle, with the candidates that derive from it.
#[derive(Serialize)]
pub struct Node {
    pub id: String,
    pub label: String,
    pub range: Option<Range>,
    pub children: Vec<Node>,
}

#[derive(Serialize)]
pub struct LlvmIr {
    pub function: String,
    pub text: String,
}

/// LSP 3.17, `RequestFailed`: the request is valid, but there is no answer.
const REQUEST_FAILED: i64 = -32803;

/// Lowers the file, and returns it with the key of the function around a position.
fn lowered(view: &View, position: Position) -> Option<(FunctionKey, Lowered)> {
    let at = TokenAt::find(*view, position)?;
    // A block literal has no graph of its own: the graph is that of the enclosing function.
    let around = at.function()?;
    let lowered = lower(view.db, view.root, view.analysis.settings, &Options::default());
    Some((at.item.key(around)?, lowered))
}

/// Returns the error for a request without an answer, with the reason.
pub fn failed(reason: String) -> Error {
    Error { code: ErrorCode::ServerError(REQUEST_FAILED), message: reason.into(), data: None }
}

fn not_lowered(key: FunctionKey, reason: &str) -> Error {
    failed(format!("cannot lower `{key}`: {reason}"))
}

/// Returns the error that says why a function is not in its module.
fn missing(key: FunctionKey, lowered: &Lowered) -> Error {
    let known = lowered.errors.iter().find(|error| error.function == Some(key));
    let known = known.map(|error| error.reason.as_str());
    not_lowered(
        key,
        known.unwrap_or("no code in this file calls it, or no call gives all its template arguments"),
    )
}

/// Returns the function with a key; of a template, the first instance.
fn find(lowered: &Lowered, key: FunctionKey) -> Option<&Function> {
    let functions = &lowered.module.functions;
    let exact = functions.iter().find(|function| function.key == key);
    exact.or_else(|| functions.iter().find(|function| function.key.template() == key))
}

pub fn flow_graph(view: &View, position: Position) -> Option<Result<FlowGraph>> {
    let (key, lowered) = lowered(view, position)?;
    let Some(function) = find(&lowered, key) else { return Some(Err(missing(key, &lowered))) };
    let at = TokenAt::find(*view, position)?;
    let marker = Marker::of(view.db, view.root, view.analysis.settings, &diagnostics::findings(view));
    let graph = Graph::of(function, &shapes(function), &Places(&at.item), &marker.marks(function));
    let picture = Picture { file: lowered.module.file.clone(), graphs: vec![graph] };
    let mut svg = Vec::new();
    if svg::write(&mut svg, &picture).is_err() {
        return Some(Err(Error::internal_error()));
    }
    let blocks = function.blocks.iter_enumerated().filter_map(|(id, block)| {
        Some(BlockRange { id: id.index(), range: block_range(&at.item, function, block)? })
    });
    let svg = String::from_utf8(svg).unwrap_or_default();
    Some(Ok(FlowGraph { function: function.key.to_string(), svg, blocks: blocks.collect() }))
}

/// Returns the range from the first to the last expression that a block evaluates.
fn block_range(item: &ItemAt, function: &Function, block: &Block) -> Option<Range> {
    let own = |value: &tangle_analysis::flow::ValueId| {
        let value = &function.values[*value];
        // The span of a phi is the declaration of its variable, and tokens have no span.
        (!matches!(value.op, Op::Phi(_)) && value.ty != tangle_hir::types::Ty::TOKEN).then_some(value.span)
    };
    let spans = block.values.iter().filter_map(own).chain([block.end]).filter(|span| span.start < span.end);
    let bytes: Vec<_> = spans.filter_map(|span| item.bytes(span)).collect();
    let start = bytes.iter().map(|bytes| bytes.start).min()?;
    let end = bytes.iter().map(|bytes| bytes.end).max()?;
    Some(item.view.range(&(start..end)))
}

/// The source locations of one function.
struct Places<'a>(&'a ItemAt<'a>);

impl FunctionSource for Places<'_> {
    fn vocabulary(&self) -> &'static Vocabulary {
        self.0.vocabulary()
    }

    fn spot(&self, _: FunctionKey, span: Span) -> Option<SourceRange> {
        let at = self.0.locate(span);
        let text = self.0.view.snapshot.text(at.file);
        let (start, end) = (text.position(at.range.start), text.position(at.range.end));
        Some(SourceRange {
            file: at.file.path(self.0.view.db).clone(),
            foreign: at.file != self.0.view.root,
            start: (start.line, start.column),
            end: (end.line, end.column),
        })
    }

    fn line(&self, file: &Arc<str>, line: usize) -> Option<String> {
        let text = self.0.view.snapshot.text(self.0.view.db.known(file)?);
        Some(text.text()[text.line_range(line)].to_owned())
    }
}

pub fn llvm_ir(view: &View, position: Position) -> Option<Result<LlvmIr>> {
    let (key, mut lowered) = lowered(view, position)?;
    let Some(key) = find(&lowered, key).map(|function| function.key) else {
        return Some(Err(missing(key, &lowered)));
    };
    let wanted = lowered.module.reached_from([key]);
    lowered.module.functions.retain(|function| wanted.contains(&function.key));
    drop_unused_variables(&mut lowered.module);
    let dialect = view.analysis.settings.dialect(view.db);
    let language = DialectLanguage(dialect);
    let options = llvm::Options { target: usual_target(dialect), language: &language, debug: false };
    Some(match llvm::emit(&lowered.module, &options, &llvm::NoLocations) {
        Ok(text) => Ok(LlvmIr { function: key.to_string(), text }),
        Err(error) => Err(not_lowered(key, &error.reason)),
    })
}

/// The maximum nesting of nodes. A deeper node becomes a sibling of its parent, to bound the recursion of clients.
const DEEPEST: usize = 48;

pub fn tangle_tree(view: &View, position: Position) -> Option<TangleTree> {
    let at = TokenAt::find(*view, position)?;
    let body = at.body()?;
    let known = FunctionContext {
        item: &at.item,
        body,
        operations: at.item.operations(body),
        convergent: at.item.key(body).is_some_and(|key| convergent(*view).function(key)),
    };
    let text = print::print(body.body, body.tangles, &known);
    Some(TangleTree { function: body.body.name.text.to_string(), text, nodes: nodes(&at.item, body) })
}

fn nodes(item: &ItemAt, body: BodyLookup) -> Vec<Node> {
    let candidates = &body.tangles.candidates;
    let source = item.source(body.body);
    let mut derived: BTreeMap<Option<CandidateId>, Vec<CandidateId>> = BTreeMap::new();
    for (id, candidate) in candidates.iter_enumerated() {
        derived.entry(candidate.parent).or_default().push(id);
    }
    // Visit the candidates from the roots, each with its depth. A candidate that derives from itself by a backward jump
    // is also a root.
    let mut order: Vec<CandidateId> = Vec::new();
    let mut placed: BTreeMap<CandidateId, (usize, Option<CandidateId>)> = BTreeMap::new();
    let roots = derived.get(&None).into_iter().flatten().copied();
    for root in roots.chain(candidates.indices()) {
        let mut todo = vec![(root, None)];
        while let Some((id, parent)) = todo.pop() {
            if placed.contains_key(&id) {
                continue;
            }
            // A node that is too deep becomes a sibling of its parent.
            let parent: Option<CandidateId> = match parent {
                Some(parent) if placed[&parent].0 >= DEEPEST => placed[&parent].1,
                parent => parent,
            };
            placed.insert(id, (parent.map_or(0, |parent| placed[&parent].0 + 1), parent));
            order.push(id);
            todo.extend(derived.get(&Some(id)).into_iter().flatten().map(|&child| (child, Some(id))));
        }
    }
    let mut children: BTreeMap<Option<CandidateId>, Vec<CandidateId>> = BTreeMap::new();
    for (&id, &(_, parent)) in &placed {
        children.entry(parent).or_default().push(id);
    }
    // In reverse order, the children of a node are made before the node.
    let mut made: BTreeMap<CandidateId, Node> = BTreeMap::new();
    for &id in order.iter().rev() {
        let candidate = &candidates[id];
        let own =
            children.get(&Some(id)).into_iter().flatten().filter_map(|child| made.remove(child)).collect();
        let words = tangle_texts::describe(item.vocabulary(), body.body, body.tangles, id, &source);
        let name = print::name(body.tangles, id);
        let node = Node {
            label: format!("{name} {}: {words}", candidate.rule.as_str()),
            id: name,
            range: item.range(candidate.site),
            children: own,
        };
        made.insert(id, node);
    }
    made.into_values().collect()
}

struct FunctionContext<'a> {
    item: &'a ItemAt<'a>,
    body: BodyLookup<'a>,
    operations: ConvergentCalls<'a>,
    convergent: bool,
}

impl PrintContext for FunctionContext<'_> {
    fn place(&self, span: Span) -> ((usize, usize), (usize, usize)) {
        let at = self.item.locate(span);
        let text = self.item.view.snapshot.text(at.file);
        let (start, end) = (text.position(at.range.start), text.position(at.range.end));
        ((start.line, start.column), (end.line, end.column))
    }

    fn scope(&self, call: CallId) -> Option<Scope> {
        self.operations.call(call).map(|called| called.scope())
    }

    fn convergent(&self) -> bool {
        self.convergent
    }

    fn is_settled(&self, doubt: DoubtId) -> bool {
        uniform::is_settled(self.item, self.body, doubt)
    }

    fn is_settled_call(&self, call: CallId) -> bool {
        uniform::is_settled_call(self.item, self.body, call)
    }

    fn group(&self, scope: Scope) -> &str {
        self.item.vocabulary().group(scope)
    }
}
