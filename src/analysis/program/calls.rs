//! The calls of each body, with their targets as far as the types determine them.
//!
//! **Target**: the callee of a call. **Settled** call: a reachable call outside `noconvergent` statements. It makes its
//! caller convergent if its target is convergent. **Uncertain** call: a call inside an `if`, a loop, a `switch` or an
//! operand, or after a jump or `return`. Part of a group may not reach it.
//!
//! ```c
//! void f(int n) {
//!   g(n);                 // settled
//!   if (n) h(n);          // settled, uncertain
//!   return;
//!   barrier(1);           // uncertain, but not settled: unreachable
//! }
//! ```
//!
//! The calls in a header are found once for all units that begin with it.

use index_vec::IndexVec;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use tangle_grammar::lexicon::Grammar;
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::{FunctionKey, UnresolvedCallee};
use tangle_ir::nest::Convergence;

use crate::tangle::{Model, tangles_of};
use tangle_hir::body::{self, Body, CallId, StmtId, StmtKind};
use tangle_hir::scope::{Scoped, Segment, declared_key, segment_items, typed_bodies, typed_body};
use tangle_hir::typed::{Callee, ExprKind, TypedBody, Unknown};
use tangle_hir::{bodies, declared};
use tangle_ir::flow::Callee as FlowCallee;
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Builtins;

/// The callee of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallTarget {
    /// A function that the unit declares, or an instance of a function template.
    Function(FunctionKey),
    /// A function of the dialect or of the compiler.
    Builtin(Symbol),
    /// The target of a pointer, or a block.
    Pointer,
    /// A callee that types do not determine: any function with this name, or an undeclared one.
    Unresolved(UnresolvedCallee),
    /// No function of the source: the unknown result of inline assembly or of an atomic operator.
    Unknown,
}

impl CallTarget {
    /// Returns the target of a call in a flow graph.
    pub fn of(callee: &FlowCallee) -> CallTarget {
        match callee {
            FlowCallee::Function { key, .. } => CallTarget::Function(*key),
            FlowCallee::Builtin { name, .. } | FlowCallee::CompilerBuiltin { name, .. } => {
                CallTarget::Builtin(*name)
            }
            FlowCallee::Pointer { .. } => CallTarget::Pointer,
            FlowCallee::Unknown { named, .. } => named.map_or(CallTarget::Unknown, CallTarget::Unresolved),
        }
    }

    /// Returns the name of the callee in the source.
    pub fn name(self) -> Option<Symbol> {
        match self {
            CallTarget::Function(key) => Some(key.name).filter(|&name| name != Symbol::EMPTY),
            CallTarget::Builtin(name) => Some(name),
            CallTarget::Unresolved(named) => named.name(),
            CallTarget::Pointer | CallTarget::Unknown => None,
        }
    }

    /// Returns the name to look up in the table of builtins.
    pub fn row(self) -> Option<Symbol> {
        match self {
            CallTarget::Function(key) => key.row(),
            CallTarget::Builtin(name) => Some(name),
            CallTarget::Unresolved(named) => named.table_name(),
            CallTarget::Pointer | CallTarget::Unknown => None,
        }
    }
}

/// The target of each call of a body.
pub type Targets = IndexVec<CallId, CallTarget>;

/// Returns the targets of the calls of the body with this number in the item.
pub fn targets<'db>(db: &'db dyn Db, scoped: Scoped<'db>, number: usize) -> Targets {
    let body = &bodies(db, scoped.item(db)).0[number];
    match typed_body(db, scoped, number) {
        Some(typed) => of_body(body, &typed),
        None => unresolved(body),
    }
}

fn unresolved(body: &Body) -> Targets {
    let target = |call: &body::Call| match call.callee {
        body::Callee::Named(named) => CallTarget::Unresolved(named),
        body::Callee::Pointer => CallTarget::Pointer,
    };
    body.calls.iter().map(target).collect()
}

fn of_body(body: &Body, typed: &TypedBody) -> Targets {
    let mut targets = unresolved(body);
    for expr in &typed.exprs {
        match &expr.kind {
            ExprKind::Call { callee, call: Some(call), .. } => {
                targets[*call] = match callee {
                    Callee::Function { key, .. } => CallTarget::Function(*key),
                    Callee::Builtin { name, .. } | Callee::Compiler { name, .. } => {
                        CallTarget::Builtin(*name)
                    }
                    Callee::Pointer(_) => CallTarget::Pointer,
                };
            }
            // An unknown callee without a name is called through a pointer.
            ExprKind::Unknown { what: Unknown::Call { named, call: Some(call), .. }, .. } => {
                targets[*call] = named.map_or(CallTarget::Pointer, CallTarget::Unresolved);
            }
            _ => {}
        }
    }
    targets
}

/// A body that calls a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The number of the item in the segment.
    pub item: u32,
    /// The number of the body in the item.
    pub body: u32,
    /// The key of the body. A block literal has its own key: it runs when it is called through a pointer or as a
    /// kernel.
    pub key: FunctionKey,
    /// Whether any of the calls is settled.
    pub settled: bool,
    /// Whether any of the calls is uncertain.
    pub uncertain: bool,
}

/// The calls and declarations of one segment.
#[derive(Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub struct Calls {
    pub callers: FxHashMap<CallTarget, Box<[Caller]>>,
    /// The targets with the name of a convergent operation of the dialect. A definition in the unit may replace it.
    /// Sorted by name, because the numbers of symbols depend on the schedule of the threads that intern them.
    pub operations: Box<[CallTarget]>,
    /// The targets with a list of candidates.
    pub one_of: Box<[CallTarget]>,
    /// The instances of function templates among the targets, in the order of the first call of each.
    pub instances: Box<[FunctionKey]>,
    /// The functions that an attribute declares `convergent` or `noconvergent`.
    pub declared: Box<[(FunctionKey, Convergence)]>,
    /// Variables at file scope. A call of one is a call through a pointer.
    pub variables: FxHashSet<Symbol>,
}

/// Finds the calls of the items of a segment, and the attributes of the functions that they declare.
#[salsa::tracked]
pub fn calls<'db>(db: &'db dyn Db, segment: Segment<'db>) -> Calls {
    db.depends_on_text();
    let mut variables: FxHashSet<Symbol> = FxHashSet::default();
    let mut attributes = Vec::new();
    let mut found = FoundCalls::default();
    for (item, &(scoped, _)) in (0..).zip(segment_items(db, segment)) {
        let declared = declared(db, scoped.item(db));
        variables.extend(declared.variables.iter().copied());
        let with_attribute = declared.functions.iter().filter_map(|it| Some((it.name, it.attribute?)));
        attributes.extend(with_attribute.map(|(name, said)| (declared_key(db, scoped, name), said)));
        found.add_item(db, scoped, item);
    }
    Calls { declared: attributes.into(), variables, ..found.finish(segment.dialect(db).builtins()) }
}

/// Finds the calls of one item that is checked with template arguments. The number of the item is 0.
#[salsa::tracked]
pub fn instance_calls<'db>(db: &'db dyn Db, scoped: Scoped<'db>) -> Calls {
    let mut found = FoundCalls::default();
    found.add_item(db, scoped, 0);
    found.finish(scoped.item(db).dialect(db).builtins())
}

/// The value of [`item_calls`].
#[derive(Debug, PartialEq, Eq, salsa::SalsaValue)]
struct ItemCalls(Box<[(CallTarget, Caller)]>);

/// Finds the calls of one item: each target once for each body that calls it, in the order of the first calls. The
/// number of the item is 0.
// The same item can be in the segments of many units. Without this query, each would need its typed bodies again.
#[salsa::tracked]
fn item_calls<'db>(db: &'db dyn Db, scoped: Scoped<'db>) -> ItemCalls {
    let item = scoped.item(db);
    let mut found: IndexMap<(CallTarget, u32), Caller, FxBuildHasher> = IndexMap::default();
    if !declared(db, item).functions.iter().any(|function| function.defined) {
        return ItemCalls(Box::default());
    }
    let mut add = |target: CallTarget, caller: Caller| {
        let known = found.entry((target, caller.body)).or_insert(caller);
        known.settled |= caller.settled;
        known.uncertain |= caller.uncertain;
    };
    let is_cpp = item.dialect(db).lexicon().grammar() == Grammar::Cpp;
    let all = typed_bodies(db, scoped);
    for (number, body) in (0..).zip(&bodies(db, item).0) {
        let typed = all.0.get(number as usize);
        let key = typed.map_or_else(|| FunctionKey::plain(body.name.text), |typed| typed.key);
        let caller = |settled, uncertain| Caller { item: 0, body: number, key, settled, uncertain };
        if let (true, Some(typed)) = (is_cpp, typed) {
            implicit(typed).for_each(|target| add(target, caller(true, true)));
        }
        if body.calls.is_empty() {
            continue;
        }
        let targets = typed.map_or_else(|| unresolved(body), |typed| of_body(body, typed));
        let reached = &tangles_of(db, item, Model::Tangles).0[number as usize].calls;
        let open = opportunistic(body);
        let jump = body.stmts.iter_enumerated().find(|(_, stmt)| is_jump(&stmt.kind)).map(|(id, _)| id);
        for (id, call) in body.calls.iter_enumerated() {
            let settled = reached[id].reachable && !open[call.stmt];
            let uncertain = jump.is_some_and(|jump| jump < call.stmt) || is_nested(body, call);
            add(targets[id], caller(settled, uncertain));
        }
    }
    ItemCalls(found.into_iter().map(|((target, _), caller)| (target, caller)).collect())
}

/// The calls that were found so far.
#[derive(Default)]
struct FoundCalls {
    callers: FxHashMap<CallTarget, Vec<Caller>>,
    instances: Vec<FunctionKey>,
}

impl FoundCalls {
    /// Adds the calls of an item, which has this number.
    fn add_item(&mut self, db: &dyn Db, scoped: Scoped, item: u32) {
        for &(target, caller) in &item_calls(db, scoped).0 {
            let known = self.callers.entry(target).or_default();
            if let (true, CallTarget::Function(key)) = (known.is_empty(), target)
                && key.is_instance()
            {
                self.instances.push(key);
            }
            known.push(Caller { item, ..caller });
        }
    }

    /// Returns the calls, without declarations.
    fn finish(self, builtins: &Builtins) -> Calls {
        let is_one_of =
            |target: &&CallTarget| matches!(target, CallTarget::Unresolved(UnresolvedCallee::OneOf { .. }));
        Calls {
            operations: operations(self.callers.keys(), builtins),
            one_of: self.callers.keys().filter(is_one_of).copied().collect(),
            instances: self.instances.into(),
            callers: self.callers.into_iter().map(|(target, callers)| (target, callers.into())).collect(),
            ..Calls::default()
        }
    }
}

/// Returns the implicit calls of a C++ body: calls without a call expression, such as constructors.
fn implicit(typed: &TypedBody) -> impl Iterator<Item = CallTarget> + '_ {
    typed.exprs.iter().filter_map(|expr| match &expr.kind {
        ExprKind::Call { callee: Callee::Function { key, .. }, call: None, .. } => {
            Some(CallTarget::Function(*key))
        }
        ExprKind::Unknown { what: Unknown::Call { named: Some(named), call: None, .. }, .. } => {
            Some(CallTarget::Unresolved(*named))
        }
        _ => None,
    })
}

/// Returns the targets whose names are convergent operations according to the table, sorted by name.
pub fn operations<'a>(targets: impl Iterator<Item = &'a CallTarget>, table: &Builtins) -> Box<[CallTarget]> {
    let is_operation =
        |target: &&CallTarget| target.row().is_some_and(|name| table.convergent(name).is_some());
    let mut operations: Vec<CallTarget> = targets.filter(is_operation).copied().collect();
    operations.sort_by_key(|target| target.row().map(Symbol::as_str));
    operations.into()
}

/// Whether threads may skip the statements after this one. `break` and `continue` do not count: they leave a loop or
/// `switch`, and calls inside of these are uncertain anyway.
fn is_jump(kind: &StmtKind) -> bool {
    matches!(kind, StmtKind::Return | StmtKind::Goto(_) | StmtKind::ComputedGoto(_) | StmtKind::Asm(_))
}

/// Whether an enclosing statement or operand decides if, or how often, a call is executed.
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

/// Returns, for each statement, whether it is in a statement marked `noconvergent`, or is one.
fn opportunistic(body: &Body) -> IndexVec<StmtId, bool> {
    let mut open: IndexVec<StmtId, bool> = IndexVec::with_capacity(body.stmts.len());
    // A statement follows its parent.
    for stmt in &body.stmts {
        let around = stmt.parent.is_some_and(|parent| open[parent]);
        open.push(stmt.noconvergent || around);
    }
    open
}
