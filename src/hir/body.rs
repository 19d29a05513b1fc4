//! The body of a function, in the form that the analyses use.
//!
//! Statements are numbered in source order, and each has a smaller number than its substatements. So the statements
//! inside `s` have the numbers from `s` up to `stmts[s].end`: containment is a comparison, and a loop over the numbers
//! visits outer statements first. Jumps store their targets, calls store the callee's name, and locations are spans.
//!
//! ```c
//! kernel void k(global int *p) { // 0 compound
//!   if (p[0])                    // 1 if
//!     barrier(1);                // 2 expression, with a call
//! }
//! ```

use index_vec::{IndexVec, define_index_type, index_vec};
use tangle_grammar::ast::{Name, Span};
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::UnresolvedCallee;
use tangle_ir::nest::{self, Convergence, StmtTree};
use tangle_ir::uniformity::Launch;

pub use tangle_ir::nest::{CallId, StmtId};

define_index_type! {
    /// An operand of `&&`, `||` or `?:` that only some threads may evaluate.
    pub struct OperandId = u32;
}

/// A function definition, or the body of a block literal inside one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    pub name: Name,
    /// Declared with `kernel`, or a block literal that is enqueued as a kernel: its first tangle is the work-group.
    pub kernel: bool,
    /// A block literal (`^{ … }`): called through a pointer, or executed as a kernel.
    pub block: bool,
    /// The convergence that an attribute declares.
    pub convergence: Option<Convergence>,
    /// The launch sizes that attributes declare.
    pub launch: Launch,
    pub span: Span,
    /// Never empty: the first is the function's compound statement.
    pub stmts: IndexVec<StmtId, Stmt>,
    pub calls: IndexVec<CallId, Call>,
    pub operands: IndexVec<OperandId, Operand>,
    pub problems: Vec<BodyError>,
}

impl Body {
    pub const ROOT: StmtId = StmtTree::ROOT;

    /// Whether `inner` is `outer` or inside it.
    pub fn contains(&self, outer: StmtId, inner: StmtId) -> bool {
        outer <= inner && inner < self.stmts[outer].end
    }

    /// Returns the nesting of the statements, which is the input of token placement.
    pub fn nest(&self) -> StmtTree {
        let stmt = |stmt: &Stmt| nest::Stmt {
            parent: stmt.parent,
            end: stmt.end,
            is_loop: stmt.kind.is_loop(),
            opportunistic: stmt.noconvergent,
        };
        StmtTree {
            declared: self.convergence,
            stmts: self.stmts.iter().map(stmt).collect(),
            calls: self.calls.iter().map(|call| call.stmt).collect(),
        }
    }

    /// Returns the calls of each statement, in source order.
    pub fn calls_by_stmt(&self) -> IndexVec<StmtId, Vec<CallId>> {
        let mut calls: IndexVec<StmtId, Vec<CallId>> = index_vec![Vec::new(); self.stmts.len()];
        for (id, call) in self.calls.iter_enumerated() {
            calls[call.stmt].push(id);
        }
        calls
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
    /// The same statement in the syntax tree of the item.
    pub syntax: tangle_grammar::ast::StmtId,
    pub parent: Option<StmtId>,
    /// One past the last statement inside this one.
    pub end: StmtId,
    /// Statement expressions `({ … })` that this statement evaluates, in source order.
    pub nested: Vec<Nested>,
    /// Marked `__attribute__((noconvergent))`: it is open which threads execute its convergent operations together.
    pub noconvergent: bool,
}

/// A statement expression inside an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nested {
    pub stmt: StmtId,
    pub role: EvaluationTime,
    pub operand: Option<OperandId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    Compound(Vec<StmtId>),
    If {
        condition: ConstantCondition,
        then: StmtId,
        otherwise: Option<StmtId>,
    },
    Switch {
        body: StmtId,
        /// Its `case` and `default` labels, in source order.
        labels: Vec<StmtId>,
    },
    While {
        condition: ConstantCondition,
        body: StmtId,
    },
    Do {
        body: StmtId,
        condition: ConstantCondition,
    },
    For {
        init: StmtId,
        condition: ConstantCondition,
        body: StmtId,
    },
    /// None: the label does not exist (see [`BodyError`]).
    Goto(Option<StmtId>),
    /// `goto *p;`: jumps to any label whose address is taken.
    ComputedGoto(Vec<StmtId>),
    /// Inline assembly. The labels of `asm goto`: it continues, or jumps to one of them.
    Asm(Vec<StmtId>),
    /// The loop whose next iteration it begins. None: outside of loops.
    Continue(Option<StmtId>),
    /// The loop or `switch` that it leaves. None: outside of both.
    Break(Option<StmtId>),
    Return,
    Label(StmtId),
    Case(StmtId),
    Default(StmtId),
    Declaration,
    Expression,
    Empty,
    /// Skipped because of an unsupported construct: control is assumed to continue after it.
    Error,
}

impl StmtKind {
    pub fn is_loop(&self) -> bool {
        matches!(self, StmtKind::While { .. } | StmtKind::Do { .. } | StmtKind::For { .. })
    }
}

/// The value of a condition, as far as constants decide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstantCondition {
    /// Constant and not zero; also the missing condition of a `for`.
    AlwaysTrue,
    AlwaysFalse,
    Unknown,
}

impl ConstantCondition {
    pub fn may_hold(self) -> bool {
        self != ConstantCondition::AlwaysFalse
    }
    pub fn may_fail(self) -> bool {
        self != ConstantCondition::AlwaysTrue
    }
}

/// When a statement evaluates an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EvaluationTime {
    /// Once, when the statement begins.
    Entry,
    /// The condition of a loop, before or after each iteration.
    LoopCondition,
    /// The third expression of a `for`.
    LoopStep,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub callee: Callee,
    /// The callee in the source. A finding about the call is reported at this location.
    pub span: Span,
    pub stmt: StmtId,
    pub role: EvaluationTime,
    pub operand: Option<OperandId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A name other than a local variable: a function, a method, a builtin, or a file-scope variable.
    Named(UnresolvedCallee),
    /// Anything else: the called function is unknown.
    Pointer,
}

impl Callee {
    /// Returns the name of the callee for messages; for a method, without its class. None: a call through a pointer.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Callee::Named(named) => named.name().map(Symbol::as_str),
            Callee::Pointer => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    pub span: Span,
    pub stmt: StmtId,
    pub role: EvaluationTime,
    /// The operand that contains this one.
    pub parent: Option<OperandId>,
    /// False if constant conditions imply that no thread evaluates it.
    pub reachable: bool,
}

/// An error in a body that parses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyError {
    UndefinedLabel(Name),
    DuplicateLabel {
        again: Name,
        first: Name,
    },
    BreakOutside(Span),
    ContinueOutside(Span),
    CaseOutside(Span),
    /// A `goto` or `switch` outside of a `noconvergent` statement jumps to a label inside it.
    JumpIntoOpen {
        jump: Span,
        open: Span,
    },
    /// Too many possible jumps from computed `goto`s to labels. Control is assumed to continue after such a `goto`.
    ComputedGotos {
        first: Span,
        gotos: usize,
        labels: usize,
    },
}
