//! The body of a function, as the analyses read it.
//!
//! Statements are numbered in source order, each before the statements that it holds. So the statements inside `s` are the
//! numbers from `s` up to `stmts[s].end`, containment is a comparison, and a loop over the numbers is a walk from the
//! outside in. Jumps know their targets, calls know how they were written, and places stay token spans of the item.
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
use tangle_ir::key::Named;
use tangle_ir::nest::{self, Convergence, Nest};
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
    /// Declared with `kernel`, or a block literal that is enqueued as one: its tangle is the workgroup.
    pub kernel: bool,
    /// A block literal (`^{ … }`): called through a pointer, or run as a kernel.
    pub block: bool,
    /// What an attribute says.
    pub convergence: Option<Convergence>,
    /// What attributes say of its launches.
    pub launch: Launch,
    pub span: Span,
    /// Never empty: the first is the function's compound statement.
    pub stmts: IndexVec<StmtId, Stmt>,
    pub calls: IndexVec<CallId, Call>,
    pub operands: IndexVec<OperandId, Operand>,
    pub problems: Vec<Problem>,
}

impl Body {
    pub const ROOT: StmtId = Nest::ROOT;

    /// Whether `inner` is `outer` or inside it.
    pub fn contains(&self, outer: StmtId, inner: StmtId) -> bool {
        outer <= inner && inner < self.stmts[outer].end
    }

    /// How its statements nest, which is all that token placement has to know of them.
    pub fn nest(&self) -> Nest {
        let stmt = |stmt: &Stmt| nest::Stmt {
            parent: stmt.parent,
            end: stmt.end,
            iterates: stmt.kind.is_loop(),
            opportunistic: stmt.opportunistic,
        };
        Nest {
            declared: self.convergence,
            stmts: self.stmts.iter().map(stmt).collect(),
            calls: self.calls.iter().map(|call| call.stmt).collect(),
        }
    }

    /// The calls of each statement, in source order.
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
    /// Written with `__attribute__((noconvergent))`: which threads execute its convergent operations together is left open.
    pub opportunistic: bool,
}

/// A statement expression inside an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nested {
    pub stmt: StmtId,
    pub role: Role,
    pub operand: Option<OperandId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    Compound(Vec<StmtId>),
    If {
        condition: Condition,
        then: StmtId,
        otherwise: Option<StmtId>,
    },
    Switch {
        body: StmtId,
        /// Its `case` and `default` labels, in source order.
        labels: Vec<StmtId>,
    },
    While {
        condition: Condition,
        body: StmtId,
    },
    Do {
        body: StmtId,
        condition: Condition,
    },
    For {
        init: StmtId,
        condition: Condition,
        body: StmtId,
    },
    /// None: the label does not exist (a [`Problem`] says so).
    Goto(Option<StmtId>),
    /// `goto *p;`: to any label whose address is taken.
    ComputedGoto(Vec<StmtId>),
    /// `asm goto`: runs on, or jumps.
    Asm(Vec<StmtId>),
    /// The loop whose next iteration it begins; None outside of loops.
    Continue(Option<StmtId>),
    /// The loop or `switch` that it leaves; None outside of both.
    Break(Option<StmtId>),
    Return,
    Label(StmtId),
    Case(StmtId),
    Default(StmtId),
    Declaration,
    Expression,
    Empty,
    /// Not understood: taken to run on.
    Error,
}

impl StmtKind {
    pub fn is_loop(&self) -> bool {
        matches!(self, StmtKind::While { .. } | StmtKind::Do { .. } | StmtKind::For { .. })
    }
}

/// What is known of a condition without running the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Constant and not zero; also the missing condition of a `for`.
    AlwaysTrue,
    AlwaysFalse,
    Unknown,
}

impl Condition {
    pub fn may_hold(self) -> bool {
        self != Condition::AlwaysFalse
    }
    pub fn may_fail(self) -> bool {
        self != Condition::AlwaysTrue
    }
}

/// When a statement evaluates an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Once, as it begins.
    Entry,
    /// The condition of a loop, before or after each iteration.
    LoopCondition,
    /// The third expression of a `for`.
    LoopStep,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub callee: Callee,
    /// The callee as written: where a finding about the call stands.
    pub span: Span,
    pub stmt: StmtId,
    pub role: Role,
    pub operand: Option<OperandId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A name that is no variable of this body: a function, a method, a builtin, or a file-scope variable.
    Named(Named),
    /// Anything else: which function runs is not known.
    Pointer,
}

impl Callee {
    /// What people call it; of a method, its name alone. None: it is called through a pointer.
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
    pub role: Role,
    /// The operand that this one is part of.
    pub parent: Option<OperandId>,
    /// False where constants decide that no thread evaluates it.
    pub reachable: bool,
}

/// What is wrong with a body although it parses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    UndefinedLabel(Name),
    DuplicateLabel {
        again: Name,
        first: Name,
    },
    BreakOutside(Span),
    ContinueOutside(Span),
    CaseOutside(Span),
    /// A `goto` or `switch` outside of a statement that is marked `noconvergent` leads to a label in it.
    JumpIntoOpen {
        jump: Span,
        open: Span,
    },
    /// More ways from computed `goto`s to labels than can be followed: such a `goto` is taken to run on.
    ComputedGotos {
        first: Span,
        gotos: usize,
        labels: usize,
    },
}
