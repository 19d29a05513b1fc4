//! Writes the flow graph as JSON, for programs. The parts are computed while they are written.
//!
//! The fields are in a useful order for readers. They keep their names and meaning, but others may be added.

use std::borrow::Cow;
use std::collections::BTreeSet;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::FunctionKey;
use tangle_ir::text::{Names, operation, terminator};

use super::picture::{EdgeKind, NestedCycle, successors};
use super::source::FunctionSource;
use tangle_analysis::flow::{BlockId, Call, Function, Module, NotLowered, Op, Terminator, Token, ValueId};

/// A list that computes each element when it is written.
pub struct LazySeq<F>(pub F);

impl<F, I> Serialize for LazySeq<F>
where
    F: Fn() -> I,
    I: Iterator,
    I::Item: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// The flow graphs of a file, as a serializable document.
pub fn document<'a>(
    module: &'a Module,
    functions: &'a [usize],
    errors: &'a [&'a NotLowered],
    shapes: &'a dyn Fn(&Function) -> Vec<NestedCycle>,
    source: &'a dyn FunctionSource,
) -> impl Serialize + 'a {
    let functions = LazySeq(move || {
        functions.iter().map(move |&number| {
            let function = &module.functions[number];
            Graph { function, names: Names::of(function), shapes: shapes(function), source }
        })
    });
    let errors = errors.iter().map(|error| ErrorFields {
        function: error.function.map(FunctionKey::label),
        message: &error.reason,
        place: error.function.and_then(|key| Place::of(source, key, error.span)),
    });
    Document { file: &module.file, functions, errors: errors.collect() }
}

/// The flow graphs of a file.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "tangle show --what flow --format json")]
struct Document<'a, F: Serialize> {
    file: &'a str,
    /// In source order.
    functions: F,
    /// The functions without a graph.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<ErrorFields<'a>>,
}

/// A function without a graph; of the whole file if there is no function.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Error")]
struct ErrorFields<'a> {
    function: Option<Cow<'a, str>>,
    message: &'a str,
    #[serde(flatten)]
    place: Option<Place>,
}

/// The first character of something. `file` is there only if it is another one than the document's.
#[derive(Serialize, JsonSchema)]
struct Place {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    line: usize,
    column: usize,
}

/// A function. Blocks and values have the names of the text form.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Function")]
struct FunctionFields<'a, B: Serialize> {
    name: Cow<'a, str>,
    kernel: bool,
    convergent: bool,
    #[serde(flatten)]
    place: Option<Place>,
    /// The type of the result.
    result: String,
    parameters: Vec<ParameterFields<'a>>,
    tokens: Vec<TokenFields<'a>>,
    convergent_operations: Vec<OperationFields<'a>>,
    cycles: Vec<CycleFields<'a>>,
    /// The entry block first.
    blocks: B,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Parameter")]
struct ParameterFields<'a> {
    name: Option<&'a str>,
    /// Its name in the graph.
    value: &'a str,
    #[serde(rename = "type")]
    ty: String,
}

/// A convergence token.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Token")]
struct TokenFields<'a> {
    value: &'a str,
    /// `entry`, `loop` or `anchor`.
    kind: &'static str,
    /// Of a `loop`: the token outside the loop.
    parent: Option<&'a str>,
    /// The block where it is defined.
    block: &'a str,
}

/// A convergent operation.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Operation")]
struct OperationFields<'a> {
    /// Null for a call through a pointer.
    callee: Option<&'a str>,
    block: &'a str,
    token: Option<&'a str>,
    #[serde(flatten)]
    place: Option<Place>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Cycle")]
struct CycleFields<'a> {
    id: usize,
    /// The enclosing cycle.
    parent: Option<usize>,
    reducible: bool,
    /// The header first.
    entries: Vec<&'a str>,
    /// Including the blocks of inner cycles.
    blocks: Vec<&'a str>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Block")]
struct BlockFields<'a, V: Serialize> {
    name: &'a str,
    /// The lines of the file where an operation of the block begins.
    lines: Vec<usize>,
    /// The innermost cycle.
    cycle: Option<usize>,
    /// The operations in order.
    values: V,
    terminator: TerminatorFields,
    successors: Vec<SuccessorFields<'a>>,
}

/// An operation.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Value")]
struct ValueFields<'a> {
    /// Null if there is no result.
    name: Option<&'a str>,
    #[serde(rename = "type")]
    ty: Option<String>,
    text: String,
    #[serde(flatten)]
    place: Option<Place>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Terminator")]
struct TerminatorFields {
    /// `jump`, `branch`, `switch`, `return` or `unreachable`.
    kind: &'static str,
    text: String,
    #[serde(flatten)]
    place: Option<Place>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Successor")]
struct SuccessorFields<'a> {
    block: &'a str,
    /// Null for a jump.
    label: Option<String>,
    /// It leads to the header of an enclosing cycle.
    back: bool,
}

/// The schema of [`document`]. A `Vec` represents a list that is computed while it is written.
pub fn schema(generator: SchemaGenerator) -> Schema {
    type Blocks = Vec<BlockFields<'static, Vec<ValueFields<'static>>>>;
    generator.into_root_schema_for::<Document<'static, Vec<FunctionFields<'static, Blocks>>>>()
}

/// A function, with the data that its fields need.
struct Graph<'a> {
    function: &'a Function,
    names: Names,
    shapes: Vec<NestedCycle>,
    source: &'a dyn FunctionSource,
}

impl Serialize for Graph<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let function = self.function;
        let parameters = function.parameters.iter().map(|parameter| ParameterFields {
            name: parameter.name.as_ref().map(|name| name.as_str()),
            value: &self.names.values[parameter.value],
            ty: parameter.ty.to_string(),
        });
        let innermost = super::picture::innermost(function, &self.shapes);
        FunctionFields {
            name: function.key.label(),
            kernel: function.kernel,
            convergent: function.convergent,
            place: self.place(function.span),
            result: function.result.to_string(),
            parameters: parameters.collect(),
            tokens: self.operations(|block, id, op| self.token(block, id, op)),
            convergent_operations: self.operations(|block, id, op| self.call(block, id, op)),
            cycles: self.cycles(),
            blocks: LazySeq(|| {
                let innermost = &innermost;
                function.blocks.indices().map(move |id| Block { of: self, id, innermost })
            }),
        }
        .serialize(serializer)
    }
}

impl Place {
    fn of(source: &dyn FunctionSource, function: FunctionKey, span: Span) -> Option<Place> {
        let spot = source.spot(function, span)?;
        let (line, column) = spot.start;
        Some(Place { file: spot.foreign.then(|| spot.file.to_string()), line, column })
    }
}

impl Graph<'_> {
    fn place(&self, span: Span) -> Option<Place> {
        Place::of(self.source, self.function.key, span)
    }

    /// The results of `find` for all operations, in the order of the blocks.
    fn operations<T>(&self, find: impl Fn(BlockId, ValueId, &Op) -> Option<T>) -> Vec<T> {
        let blocks = self.function.blocks.iter_enumerated();
        let values = blocks.flat_map(|(id, block)| block.values.iter().map(move |&value| (id, value)));
        values.filter_map(|(block, id)| find(block, id, &self.function.values[id].op)).collect()
    }

    fn token(&self, block: BlockId, id: ValueId, op: &Op) -> Option<TokenFields<'_>> {
        let Op::Token(token) = op else { return None };
        let (kind, parent) = match token {
            Token::Entry => ("entry", None),
            Token::Loop(parent) => ("loop", Some(self.names.values[*parent].as_str())),
            Token::Anchor => ("anchor", None),
        };
        Some(TokenFields { value: &self.names.values[id], kind, parent, block: &self.names.blocks[block] })
    }

    fn call(&self, block: BlockId, id: ValueId, op: &Op) -> Option<OperationFields<'_>> {
        let Op::Call(Call { callee, convergent: true, token, .. }) = op else { return None };
        let callee = callee.name().map(Symbol::as_str);
        Some(OperationFields {
            callee,
            block: &self.names.blocks[block],
            token: token.map(|token| self.names.values[token].as_str()),
            place: self.place(self.function.values[id].span),
        })
    }

    fn cycles(&self) -> Vec<CycleFields<'_>> {
        let names = |blocks: &[BlockId]| -> Vec<&str> {
            blocks.iter().map(|&block| self.names.blocks[block].as_str()).collect()
        };
        let cycles = self.shapes.iter().enumerate().map(|(id, shape)| CycleFields {
            id,
            parent: shape.parent,
            reducible: shape.entries.len() < 2,
            entries: names(&shape.entries),
            blocks: names(&shape.blocks),
        });
        cycles.collect()
    }
}

struct Block<'a> {
    of: &'a Graph<'a>,
    id: BlockId,
    innermost: &'a index_vec::IndexVec<BlockId, Option<usize>>,
}

impl Serialize for Block<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Graph { function, names, shapes, source } = self.of;
        let block = &function.blocks[self.id];
        let spans = block.values.iter().map(|&value| function.values[value].span).chain([block.end]);
        let spots = spans.filter_map(|span| source.spot(function.key, span)).filter(|spot| !spot.foreign);
        let lines: BTreeSet<usize> = spots.map(|spot| spot.start.0).collect();
        let value = |&id: &ValueId| {
            let value = &function.values[id];
            let yields = !value.ty.is_void();
            ValueFields {
                name: yields.then(|| names.values[id].as_str()),
                ty: yields.then(|| value.ty.to_string()),
                text: operation(function, names, id),
                place: self.of.place(value.span),
            }
        };
        let kind = match block.terminator {
            Terminator::Jump(_) => "jump",
            Terminator::Branch { .. } => "branch",
            Terminator::Switch { .. } => "switch",
            Terminator::Return(_) => "return",
            Terminator::Unreachable => "unreachable",
        };
        let text = terminator(function, names, self.id);
        let terminator = TerminatorFields { kind, text, place: self.of.place(block.end) };
        let successors = successors(&block.terminator).into_iter().map(|(to, kind, label)| SuccessorFields {
            block: &names.blocks[to],
            label: (kind != EdgeKind::Jump || !label.is_empty()).then_some(label),
            back: super::picture::leads_back(self.id, to, shapes, self.innermost),
        });
        BlockFields {
            name: &names.blocks[self.id],
            lines: lines.into_iter().collect(),
            cycle: self.innermost[self.id],
            values: LazySeq(|| block.values.iter().map(value)),
            terminator,
            successors: successors.collect(),
        }
        .serialize(serializer)
    }
}
