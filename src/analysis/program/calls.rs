//! What each body calls, as far as types tell.
//!
//! **Target**: whom a call means. **Settled** call: one that some thread reaches, and that no `noconvergent` statement holds: it makes its
//! caller convergent if the target is. **Uncertain** call: one inside of an `if`, a loop, a `switch` or an operand, or behind a jump or
//! `return`: part of a group may not reach it.
//!
//! ```c
//! void f(int n) {
//!   g(n);                 // settled
//!   if (n) h(n);          // settled, uncertain
//!   return;
//!   barrier(1);           // uncertain; no thread reaches it
//! }
//! ```
//!
//! What the items of a header call is found once for all units that begin with it.

use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::symbol::Symbol;
use tangle_grammar::words::Grammar;
use tangle_ir::key::{FunctionKey, Named};
use tangle_ir::nest::Convergence;

use crate::tangle::{Model, tangles_of};
use tangle_hir::body::{self, Body, CallId, StmtId, StmtKind};
use tangle_hir::scope::{Scoped, Segment, declared_key, segment_items, typed};
use tangle_hir::typed::{Callee, ExprKind, TypedBody, Unknown};
use tangle_hir::{bodies, declared};
use tangle_ir::flow::Callee as FlowCallee;
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Builtins;

/// Whom a call means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A function that the unit declares.
    Function(FunctionKey),
    /// A function of the dialect or of the compiler.
    Builtin(Symbol),
    /// Whatever a pointer or a block refers to.
    Pointer,
    /// Types do not tell: any function that is named so, or what nothing declares.
    Unresolved(Named),
    /// No function of the source: what inline assembly or an atomic operator yields.
    Unknown,
}

impl Target {
    /// What a call in a flow graph means.
    pub fn of(callee: &FlowCallee) -> Target {
        match callee {
            FlowCallee::Function { key, .. } => Target::Function(*key),
            FlowCallee::Builtin { name, .. } | FlowCallee::Compiler { name, .. } => Target::Builtin(*name),
            FlowCallee::Pointer { .. } => Target::Pointer,
            FlowCallee::Unknown { named, .. } => named.map_or(Target::Unknown, Target::Unresolved),
        }
    }

    /// What people call it.
    pub fn name(self) -> Option<Symbol> {
        match self {
            Target::Function(key) => Some(key.name).filter(|&name| name != Symbol::EMPTY),
            Target::Builtin(name) => Some(name),
            Target::Unresolved(named) => named.name(),
            Target::Pointer | Target::Unknown => None,
        }
    }

    /// The name by which a row of a table may describe it.
    pub fn row(self) -> Option<Symbol> {
        match self {
            Target::Function(key) => key.row(),
            Target::Builtin(name) => Some(name),
            Target::Unresolved(named) => named.row(),
            Target::Pointer | Target::Unknown => None,
        }
    }
}

/// The target of each call of a body.
pub type Targets = IndexVec<CallId, Target>;

/// The targets of the calls of a body, by its number in the item.
pub fn targets<'db>(db: &'db dyn Db, scoped: Scoped<'db>, number: usize) -> Targets {
    let body = &bodies(db, scoped.item(db)).0[number];
    match typed(db, scoped).0.bodies.get(number) {
        Some(typed) => of_body(body, typed),
        None => unresolved(body),
    }
}

fn unresolved(body: &Body) -> Targets {
    let target = |call: &body::Call| match call.callee {
        body::Callee::Named(named) => Target::Unresolved(named),
        body::Callee::Pointer => Target::Pointer,
    };
    body.calls.iter().map(target).collect()
}

fn of_body(body: &Body, typed: &TypedBody) -> Targets {
    let mut targets = unresolved(body);
    for expr in &typed.exprs {
        match &expr.kind {
            ExprKind::Call { callee, call: Some(call), .. } => {
                targets[*call] = match callee {
                    Callee::Function { key, .. } => Target::Function(*key),
                    Callee::Builtin { name, .. } | Callee::Compiler { name, .. } => Target::Builtin(*name),
                    Callee::Pointer(_) => Target::Pointer,
                };
            }
            // What has no name is called through a pointer.
            ExprKind::Unknown { what: Unknown::Call { named, call: Some(call), .. }, .. } => {
                targets[*call] = named.map_or(Target::Pointer, Target::Unresolved);
            }
            _ => {}
        }
    }
    targets
}

/// A body that calls something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The number of the item in the segment.
    pub item: u32,
    /// The number of the body in the item.
    pub body: u32,
    /// That of the body. A block literal is none of the function around it: it runs when somebody calls it through a pointer, or as a kernel.
    pub key: FunctionKey,
    pub settled: bool,
    pub uncertain: bool,
}

/// What the functions of one segment call and declare.
#[derive(Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub struct Calls {
    pub callers: FxHashMap<Target, Box<[Caller]>>,
    /// Targets whose names are convergent operations of the dialect, if nothing in the unit replaces them. By text: the numbers of symbols
    /// depend on which thread met them first.
    pub operations: Box<[Target]>,
    /// The targets with a list of candidates.
    pub one_of: Box<[Target]>,
    /// What attributes say.
    pub declared: Box<[(FunctionKey, Convergence)]>,
    /// Variables at file scope. A call of one is a call through a pointer.
    pub variables: FxHashSet<Symbol>,
}

/// What the items of a segment call, and what attributes say of them.
#[salsa::tracked]
pub fn calls<'db>(db: &'db dyn Db, segment: Segment<'db>) -> Calls {
    db.depends_on_text();
    let mut calls = Calls::default();
    let mut attributes = Vec::new();
    let mut callers: FxHashMap<Target, Vec<Caller>> = FxHashMap::default();
    let is_cpp = segment.dialect(db).words().grammar() == Grammar::Cpp;
    for (item, &(scoped, _)) in (0..).zip(segment_items(db, segment)) {
        let source = scoped.item(db);
        let declared = declared(db, source);
        calls.variables.extend(declared.variables.iter().copied());
        let with_attribute = declared.functions.iter().filter_map(|it| Some((it.name, it.attribute?)));
        attributes.extend(with_attribute.map(|(name, said)| (declared_key(db, scoped, name), said)));
        if !declared.functions.iter().any(|function| function.defined) {
            continue;
        }
        for (number, body) in bodies(db, source).0.iter().enumerate() {
            let typed = typed(db, scoped).0.bodies.get(number);
            let key = typed.map_or_else(|| FunctionKey::plain(body.name.text), |typed| typed.key);
            if let (true, Some(typed)) = (is_cpp, typed) {
                for target in implicit(typed) {
                    let known = callers.entry(target).or_default();
                    known.push(Caller { item, body: number as u32, key, settled: true, uncertain: true });
                }
            }
            if body.calls.is_empty() {
                continue;
            }
            let targets = typed.map_or_else(|| unresolved(body), |typed| of_body(body, typed));
            let reached = &tangles_of(db, source, Model::Tangles).0[number].calls;
            let open = opportunistic(body);
            let jump = body.stmts.iter_enumerated().find(|(_, stmt)| is_jump(&stmt.kind)).map(|(id, _)| id);
            for (id, call) in body.calls.iter_enumerated() {
                let settled = reached[id].reachable && !open[call.stmt];
                let uncertain = jump.is_some_and(|jump| jump < call.stmt) || is_nested(body, call);
                let known = callers.entry(targets[id]).or_default();
                let number = number as u32;
                match known.last_mut().filter(|last| last.item == item && last.body == number) {
                    Some(last) => {
                        last.settled |= settled;
                        last.uncertain |= uncertain;
                    }
                    None => known.push(Caller { item, body: number, key, settled, uncertain }),
                }
            }
        }
    }
    calls.declared = attributes.into();
    calls.operations = operations(callers.keys(), segment.dialect(db).builtins());
    let is_one_of = |target: &&Target| matches!(target, Target::Unresolved(Named::OneOf { .. }));
    calls.one_of = callers.keys().filter(is_one_of).copied().collect();
    calls.callers = callers.into_iter().map(|(target, callers)| (target, callers.into())).collect();
    calls
}

/// What a body of C++ calls without a call that is written: constructors.
fn implicit(typed: &TypedBody) -> impl Iterator<Item = Target> + '_ {
    typed.exprs.iter().filter_map(|expr| match &expr.kind {
        ExprKind::Call { callee: Callee::Function { key, .. }, call: None, .. } => {
            Some(Target::Function(*key))
        }
        ExprKind::Unknown { what: Unknown::Call { named: Some(named), call: None, .. }, .. } => {
            Some(Target::Unresolved(*named))
        }
        _ => None,
    })
}

/// The targets whose names a table says are convergent operations, by their text.
pub fn operations<'a>(targets: impl Iterator<Item = &'a Target>, table: &Builtins) -> Box<[Target]> {
    let is_operation = |target: &&Target| target.row().is_some_and(|name| table.convergent(name).is_some());
    let mut operations: Vec<Target> = targets.filter(is_operation).copied().collect();
    operations.sort_by_key(|target| target.row().map(Symbol::as_str));
    operations.into()
}

/// Whether what follows may not be reached, other than by leaving a statement around it.
fn is_jump(kind: &StmtKind) -> bool {
    matches!(kind, StmtKind::Return | StmtKind::Goto(_) | StmtKind::ComputedGoto(_) | StmtKind::Asm(_))
}

/// Whether some statement or operand around a call decides if it is executed, or how often.
fn is_nested(body: &Body, call: &body::Call) -> bool {
    if call.operand.is_some() || body.stmts[call.stmt].kind.is_loop() {
        return true;
    }
    let around = std::iter::successors(body.stmts[call.stmt].parent, |&stmt| body.stmts[stmt].parent);
    around.into_iter().any(|stmt| match &body.stmts[stmt].kind {
        StmtKind::If { .. } | StmtKind::Switch { .. } => true,
        kind => kind.is_loop(),
    })
}

/// For each statement, whether it is left open which threads execute its operations together.
fn opportunistic(body: &Body) -> IndexVec<StmtId, bool> {
    let mut open: IndexVec<StmtId, bool> = IndexVec::with_capacity(body.stmts.len());
    // Statements stand behind those around them.
    for stmt in &body.stmts {
        let around = stmt.parent.is_some_and(|parent| open[parent]);
        open.push(stmt.opportunistic || around);
    }
    open
}
