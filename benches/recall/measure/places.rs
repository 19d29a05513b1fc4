//! Finds the places where the functions of a text wait for other threads, and the context that mutations need.

use std::ops::Range;
use std::sync::Arc;

use tangle_analysis::program::{
    ConvergentCallee, Definition, FunctionKey, convergent, functions as definitions, targets,
};
use tangle_grammar::ast::{self, AddressSpace, Ast, BinaryOp, Span};
use tangle_hir::bodies;
use tangle_hir::body::{Body, EvaluationTime, StmtId, StmtKind};
use tangle_hir::scope::{SharedTypedBody, typed_body};
use tangle_hir::typed::Storage;
use tangle_syntax::db::Database;
use tangle_syntax::dialect::{BuiltinKind, Scope, cuda};
use tangle_syntax::items::{self, Locator};
use tangle_syntax::source::{Settings, SourceFile};

/// A function in the text of the file itself.
pub struct Function {
    pub key: FunctionKey,
    pub name: String,
    pub kernel: bool,
    /// Whether it is written in CUDA.
    pub cuda: bool,
    /// The range of its definition.
    pub range: Range<usize>,
    /// The statement that leaves it: `return;` or `return 0;`. `None` if it has another result type.
    pub leaves: Option<&'static str>,
    /// The name of a parameter that points to `global` or `constant` memory.
    pub data: Option<String>,
    /// The name of an integer parameter.
    pub number: Option<String>,
    /// The names of its parameters and variables.
    pub variables: Vec<String>,
    pub places: Vec<Place>,
    pub loops: Vec<Loop>,
    pub breaks: Vec<Break>,
}

/// The kind of operation at which threads wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// A barrier of the work-group, without a result.
    Barrier,
    /// Any other convergent operation.
    Collective,
    /// A function of the unit that contains such operations.
    Function,
}

/// A statement where threads wait for others.
pub struct Place {
    pub waits: Waits,
    /// The range of the whole statement.
    pub statement: Range<usize>,
    /// Whether it consists only of a call, so that it can be in a branch.
    pub is_call: bool,
    /// Whether it declares a name, so that it cannot be in a separate block.
    pub declares: bool,
    /// Whether it is directly in a block, so that other statements can be added beside it.
    pub in_block: bool,
    pub in_loop: bool,
    /// Whether it is in a loop or `switch`.
    pub can_break: bool,
    /// The parts of a call of a warp operation with a mask.
    pub masked: Option<MaskedCall>,
}

/// A call of a warp operation of CUDA that takes a mask. All ranges are in the text of the file.
pub struct MaskedCall {
    pub callee: Range<usize>,
    /// From the first to the last argument; empty if there are none.
    pub arguments: Range<usize>,
    /// `None` if the call has the default mask.
    pub mask: Option<Range<usize>>,
    pub kind: MaskedKind,
}

/// The kind of an operation with a mask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MaskedKind {
    Barrier,
    /// A shuffle. Its width is `None` if the call has the default width.
    Shuffle {
        width: Option<Range<usize>>,
    },
    Other,
}

/// A loop around places.
pub struct Loop {
    /// The right side of the comparison in its condition. If there is no comparison, the whole condition.
    pub bound: Range<usize>,
    pub is_comparison: bool,
    /// The numbers of the places in it.
    pub places: Vec<usize>,
}

/// A `break` of a `switch`, if the next case contains places.
pub struct Break {
    pub statement: Range<usize>,
    /// The numbers of these places.
    pub places: Vec<usize>,
}

/// The functions of the file itself, in the order of the text.
pub fn functions(db: &Database, file: SourceFile, settings: Settings) -> Vec<Function> {
    let own = definitions(db, file, settings).iter().map(|(_, definition)| definition);
    let own = own.filter(|definition| definition.item.chunk.file == file.id(db) && !definition.replaced);
    own.filter_map(|definition| Reader::of(db, file, settings, definition)?.function()).collect()
}

struct Reader<'a> {
    db: &'a Database,
    file: SourceFile,
    settings: Settings,
    definition: &'a Definition<'a>,
    body: &'a Body,
    typed: SharedTypedBody,
    ast: Arc<Ast>,
    locator: Locator<'a>,
}

impl<'a> Reader<'a> {
    fn of(
        db: &'a Database,
        file: SourceFile,
        settings: Settings,
        definition: &'a Definition<'a>,
    ) -> Option<Reader<'a>> {
        let scoped = definition.item.scoped;
        let item = scoped.item(db);
        let number = definition.body as usize;
        let (body, typed) = (&bodies(db, item).0[number], typed_body(db, scoped, number)?);
        let len = item.tokens(db).0.tokens().len();
        let locator = Locator::new(db, &definition.item.chunk, definition.item.first, len);
        Some(Reader { db, file, settings, definition, body, typed, ast: items::ast(db, item), locator })
    }

    /// The range of a span in the text of the file.
    fn range(&self, span: Span) -> Option<Range<usize>> {
        let at = self.locator.locate(span).at;
        (at.file == self.file).then_some(at.range)
    }

    fn function(self) -> Option<Function> {
        let result = self.typed.ty.as_function()?.result;
        let leaves = match result {
            _ if result.is_void() => Some("return;"),
            _ if result.is_arithmetic() => Some("return 0;"),
            _ => None,
        };
        let parameters = || self.typed.vars.iter().filter(|var| var.storage == Storage::Parameter);
        let is_data = |space: AddressSpace| matches!(space, AddressSpace::Global | AddressSpace::Constant);
        let data = parameters().find(|var| var.ty.as_pointer().is_some_and(|pointer| is_data(pointer.space)));
        let number = parameters().find(|var| var.ty.as_integer().is_some());
        let name = |var: &tangle_hir::typed::Var| Some(var.name?.text.to_string());
        let found = self.places();
        Some(Function {
            key: self.definition.key,
            name: self.definition.key.name.to_string(),
            kernel: self.definition.kernel,
            cuda: self.settings.dialect(self.db) == cuda(),
            // The range starts at the first token of the item: attributes can precede the name.
            range: self.range(Span { start: 0, end: self.body.span.end })?,
            leaves,
            data: data.and_then(name),
            number: number.and_then(name),
            variables: self.typed.vars.iter().filter_map(name).collect(),
            loops: self.loops(&found),
            breaks: self.breaks(&found),
            places: found.into_iter().map(|(_, place)| place).collect(),
        })
    }

    fn places(&self) -> Vec<(StmtId, Place)> {
        let Definition { item, body: number, .. } = self.definition;
        let targets = targets(self.db, item.scoped, *number as usize);
        let convergent = convergent(self.db, self.file, self.settings);
        let text = self.file.text(self.db);
        let mut found: Vec<(StmtId, Place)> = Vec::new();
        for (call, target) in self.body.calls.iter().zip(targets) {
            let Some(called) = convergent.call(target) else { continue };
            let Some(waits) = self.waits(called) else { continue };
            let statement = &self.body.stmts[call.stmt];
            if call.role != EvaluationTime::Entry || call.operand.is_some() {
                continue;
            }
            let (Some(range), Some(callee)) = (self.range(statement.span), self.range(call.span)) else {
                continue;
            };
            // If the statement is in a macro, its text is not a whole statement.
            let whole = text[range.clone()].ends_with([';', '}'])
                && range.start <= callee.start
                && callee.end <= range.end;
            if !whole || found.iter().any(|(_, other)| other.statement.start == range.start) {
                continue;
            }
            let around = || std::iter::successors(statement.parent, |&parent| self.body.stmts[parent].parent);
            let kind = |id: StmtId| &self.body.stmts[id].kind;
            let in_loop = around().any(|id| kind(id).is_loop());
            let place = Place {
                waits,
                is_call: statement.kind == StmtKind::Expression,
                declares: statement.kind == StmtKind::Declaration,
                in_block: statement
                    .parent
                    .is_some_and(|parent| matches!(kind(parent), StmtKind::Compound(_))),
                in_loop,
                can_break: in_loop || around().any(|id| matches!(kind(id), StmtKind::Switch { .. })),
                masked: self.masked(called, &callee, &range),
                statement: range,
            };
            found.push((call.stmt, place));
        }
        found
    }

    fn waits(&self, called: ConvergentCallee) -> Option<Waits> {
        let of_name = |name: &str| {
            let of_cuda = ["__syncthreads", "cooperative_groups::thread_block::sync"];
            matches!(name, "barrier" | "work_group_barrier") || of_cuda.contains(&name)
        };
        match called {
            ConvergentCallee::Operation(name, Scope::Workgroup) if of_name(name.as_str()) => {
                Some(Waits::Barrier)
            }
            ConvergentCallee::Operation(..) => Some(Waits::Collective),
            ConvergentCallee::Function(_) => Some(Waits::Function),
            ConvergentCallee::Pointer => None,
        }
    }

    /// Returns the parts of the call whose callee is at a range of a statement, if it takes a mask.
    fn masked(
        &self,
        called: ConvergentCallee,
        callee: &Range<usize>,
        statement: &Range<usize>,
    ) -> Option<MaskedCall> {
        let ConvergentCallee::Operation(name, _) = called else { return None };
        let row = self.settings.dialect(self.db).builtins().get(name)?;
        let mask = row.mask?;
        let arguments = self.ast.exprs.values().find_map(|expr| match &expr.kind {
            ast::ExprKind::Call { callee: called, arguments } => {
                let is_it = self.range(self.ast.exprs[*called].span)?.end == callee.end;
                is_it.then_some(arguments)
            }
            _ => None,
        })?;
        let range = |number: usize| self.range(self.ast.exprs[*arguments.get(number)?].span);
        let first = range(0).map_or(callee.end + 1, |it| it.start);
        let last = arguments.len().checked_sub(1).and_then(range).map_or(first, |it| it.end);
        let is_inside = statement.start <= first && last <= statement.end;
        is_inside.then(|| MaskedCall {
            callee: callee.clone(),
            arguments: first..last,
            mask: range(mask.0.into()),
            kind: match row.kind {
                Some(BuiltinKind::Barrier) => MaskedKind::Barrier,
                Some(BuiltinKind::Shuffle) => MaskedKind::Shuffle { width: range(3) },
                _ => MaskedKind::Other,
            },
        })
    }

    fn inside(&self, outer: StmtId, found: &[(StmtId, Place)]) -> Vec<usize> {
        let inside = found.iter().enumerate().filter(|(_, (id, _))| self.body.contains(outer, *id));
        inside.map(|(number, _)| number).collect()
    }

    fn loops(&self, found: &[(StmtId, Place)]) -> Vec<Loop> {
        let mut loops = Vec::new();
        for (id, statement) in self.body.stmts.iter_enumerated().filter(|(_, stmt)| stmt.kind.is_loop()) {
            let places = self.inside(id, found);
            let condition = match self.ast.stmts[statement.syntax].kind {
                ast::StmtKind::For { condition, .. } => condition,
                ast::StmtKind::While { condition, .. } | ast::StmtKind::Do { condition, .. } => {
                    Some(condition)
                }
                _ => None,
            };
            let Some(mut condition) = condition.filter(|_| !places.is_empty()) else { continue };
            while let ast::ExprKind::Paren(inner) = self.ast.exprs[condition].kind {
                condition = inner;
            }
            let compares = |op| {
                use BinaryOp::{Greater, GreaterEqual, Less, LessEqual, NotEqual};
                matches!(op, Less | LessEqual | Greater | GreaterEqual | NotEqual)
            };
            let (bound, is_comparison) = match self.ast.exprs[condition].kind {
                ast::ExprKind::Binary { op, right, .. } if compares(op) => (right, true),
                _ => (condition, false),
            };
            if let Some(bound) = self.range(self.ast.exprs[bound].span) {
                loops.push(Loop { bound, is_comparison, places });
            }
        }
        loops
    }

    fn breaks(&self, found: &[(StmtId, Place)]) -> Vec<Break> {
        let mut breaks = Vec::new();
        for (id, statement) in self.body.stmts.iter_enumerated() {
            let StmtKind::Break(Some(of)) = statement.kind else { continue };
            let StmtKind::Switch { labels, .. } = &self.body.stmts[of].kind else { continue };
            let Some(next) = labels.iter().position(|&label| label > id) else { continue };
            let end = labels.get(next + 1).copied().unwrap_or(self.body.stmts[of].end);
            let of_case = found.iter().enumerate().filter(|(_, (at, _))| labels[next] <= *at && *at < end);
            let places: Vec<usize> = of_case.map(|(number, _)| number).collect();
            if let Some(statement) = self.range(statement.span).filter(|_| !places.is_empty()) {
                breaks.push(Break { statement, places });
            }
        }
        breaks
    }
}
