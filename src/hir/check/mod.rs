//! Names and types: from the syntax of an item to [`typed`](super::typed) bodies.
//!
//! **Meaning**: what a name stands for where it is used. The meanings of file-scope names come from outside ([`Names`]), so
//! that an item is checked once for all units in which its names mean the same; those of block scope are found on the way.
//! **Unknown**: the type of what depends on a name that nothing declares. Said once, where the name is; compatible with
//! everything, so that nothing follows from it. What is made of it keeps its operands, so that the analyses go on.
//!
//! Types flow from operands to operators, so an expression is checked in one pass from its leaves up (`expr`), over a list
//! and not by recursion. Only initialisers look at what they initialise (`init`).

mod body;
mod call;
mod class;
mod constant;
mod convert;
mod cpp;
mod expr;
mod init;
mod member;
mod operator;
mod specialisation;
mod statement;

use std::sync::Arc;

use index_vec::IndexVec;
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::ast::{self, Ast, Span};
use tangle_grammar::symbol::Symbol;
use tangle_grammar::words::Grammar;

use super::body::{Body, CallId, StmtId};
use super::def::functions::defined;
use super::def::names::Scope;
use super::typed::{Evaluated, Expr, ExprId, ExprKind, Global, TypedBody, Unknown, Var, VarId};
use super::types::{Class, Ty};
use tangle_ir::Namespace;
use tangle_syntax::dialect::Dialect;

use body::{Around, Literals};
pub(super) use cpp::{as_reference, object_of};
pub(super) use expr::mentions_unknown;

pub use super::def::names::{Entry, FunctionMeaning, Holds, Meaning, Names, Qualified, Used, Using};
pub use super::problem::{TypeProblem, TypeProblemKind, Use};

/// An item with its types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// One for each body of the item, in their order. That of a block literal is empty if nothing evaluates the literal.
    pub bodies: Box<[TypedBody]>,
    pub globals: Box<[Global]>,
    /// By place.
    pub problems: Box<[TypeProblem]>,
}

/// Checks an item whose bodies are known.
pub fn check(ast: &Ast, bodies: &[Body], names: &Names, dialect: Dialect) -> Checked {
    let mut checker = Checker::new(ast, names, dialect);
    let mut globals = Vec::new();
    let mut typed = Vec::with_capacity(bodies.len());
    let functions = defined(ast);
    let mut functions = functions.iter().peekable();
    for &id in &ast.items {
        checker.file_scope(id, &mut globals);
        // Methods of a class call each other.
        checker.export_members(&ast.decls[id]);
        while let Some(function) = functions.next_if(|it| it.item == id) {
            // Each function is followed by the blocks inside it.
            let Some(body) = bodies.get(typed.len()) else { break };
            let first = typed.len() + 1;
            let literals = bodies[first..].iter().take_while(|body| body.block).count();
            checker.literals = Literals::of(&bodies[first..first + literals], first);
            let function = checker.defined(function, body);
            let key = function.key;
            typed.push(function);
            typed.extend(std::mem::take(&mut checker.literals).into_typed(key));
        }
    }
    let mut problems = checker.problems;
    // Specifiers that several declarators share are looked at once for each.
    problems.sort_by_key(|problem| (problem.span.start, problem.span.end));
    problems.dedup();
    Checked { bodies: typed.into(), globals: globals.into(), problems: problems.into() }
}

/// What an item declares at file scope: names and tags, sorted by name. Bodies are not looked into.
pub fn exports(ast: &Ast, names: &Names, dialect: Dialect) -> Names {
    let mut checker = Checker::new(ast, names, dialect);
    for &id in &ast.items {
        checker.export(&ast.decls[id]);
        checker.export_members(&ast.decls[id]);
    }
    let (entries, tags) = checker.scopes.swap_remove(0).into_entries();
    let namespace = names.namespace;
    let stands_in = |entry: &Entry| match entry {
        Entry::Ordinary(_) => namespace,
        // The namespace is part of their classes.
        Entry::Methods(_) | Entry::Specialisations(_) => Namespace::GLOBAL,
    };
    let mut entries: Vec<(Entry, Namespace, Meaning)> =
        entries.into_iter().map(|(entry, meaning)| (entry, stands_in(&entry), meaning)).collect();
    let mut tags: Vec<(Class, Ty)> = tags.into_iter().collect();
    entries.sort_unstable_by_key(|&(entry, ..)| entry);
    tags.sort_unstable_by_key(|&(tag, _)| tag);
    // A `using` in a function or a class is valid only there.
    let usings =
        if ast.items.is_empty() { Using::of(ast, namespace, dialect).collect() } else { Box::default() };
    Names { namespace, entries: entries.into(), usings, tags: tags.into() }
}

/// The checking of one item.
pub(super) struct Checker<'a> {
    pub dialect: Dialect,
    pub ast: &'a Ast,
    pub names: &'a Names,
    /// Blocks around the place that is checked, the innermost last. The first is the item's own file scope.
    pub scopes: Vec<Scope>,
    pub problems: Vec<TypeProblem>,
    /// The specifiers read last, and their type: `struct { int x; } a, b;` declares one struct, not two.
    pub read: Option<(Arc<ast::Specifiers>, Qualified)>,
    /// Problems are not noted while this is not 0. Of C++ too little is understood to call anything in it wrong.
    quiet: u32,
    /// Whether the language is one of C++.
    pub cpp: bool,
    /// The numbers in the item of the bodies of lambdas, by the literal and by the variable that begins with it.
    literal_numbers: FxHashMap<ExprId, usize>,
    lambdas: FxHashMap<VarId, usize>,
    /// The class whose method is checked.
    class: Option<class::Around>,
    /// What is made of the body in hand.
    vars: IndexVec<VarId, Var>,
    /// The constants among the variables.
    held: FxHashMap<VarId, Holds>,
    exprs: IndexVec<ExprId, Expr>,
    /// What the expressions checked so far have become.
    done: ArenaMap<ast::ExprId, ExprId>,
    body: Option<InBody<'a>>,
    /// The bodies around the one in hand, the outermost first. If there are some, it is that of a block literal.
    around: Vec<Around>,
    /// The block literals of the function in hand.
    literals: Literals<'a>,
}

/// The function, or block literal, that is checked.
struct InBody<'a> {
    body: &'a Body,
    result: Ty,
    /// The type of what it returns is not written: it is that of the first value that is returned.
    result_follows: bool,
    stmts: IndexVec<StmtId, Evaluated>,
    /// Where blocks end, with the number of scopes outside them.
    blocks: Vec<(StmtId, usize)>,
    /// The ends of statements that were checked inside an expression.
    checked: FxHashMap<StmtId, StmtId>,
    calls: FxHashMap<Span, CallId>,
    /// The bodies' numbers of statement expressions, and of labelled statements by name.
    nested: FxHashMap<ast::StmtId, StmtId>,
    labels: FxHashMap<Symbol, StmtId>,
    /// The promoted types of `switch` conditions, and the cases seen.
    switches: FxHashMap<StmtId, (Ty, FxHashSet<i128>)>,
}

impl<'a> Checker<'a> {
    pub(super) fn new(ast: &'a Ast, names: &'a Names, dialect: Dialect) -> Checker<'a> {
        let cpp = dialect.words().grammar() == Grammar::Cpp;
        Checker {
            dialect,
            ast,
            names,
            scopes: vec![Scope::default()],
            problems: Vec::new(),
            read: None,
            quiet: u32::from(cpp),
            cpp,
            literal_numbers: FxHashMap::default(),
            lambdas: FxHashMap::default(),
            class: None,
            vars: IndexVec::new(),
            held: FxHashMap::default(),
            exprs: IndexVec::new(),
            done: ArenaMap::default(),
            body: None,
            around: Vec::new(),
            literals: Literals::default(),
        }
    }

    pub(super) fn problem(&mut self, span: Span, kind: TypeProblemKind) {
        if self.quiet == 0 {
            self.problems.push(TypeProblem { span, kind });
        }
    }

    /// Notes an unknown name of which the conventions of the language may imply something. In C++, where most headers are missing, no other problem
    /// tells of unknown names.
    pub(crate) fn assume(&mut self, name: Symbol, called: bool, span: Span) {
        if self.cpp && !self.is_trying() && self.dialect.builtins().conventions().of(name).is_some() {
            self.problems.push(TypeProblem { span, kind: TypeProblemKind::AssumedName { name, called } });
        }
    }

    /// Whether what is checked is only tried: nothing comes of it but an answer.
    fn is_trying(&self) -> bool {
        self.quiet > u32::from(self.cpp)
    }

    /// The value of an expression of another tree, in the scopes of this place. What is wrong with it has no place here.
    pub(super) fn constant_elsewhere(&mut self, ast: &Ast, expr: ast::ExprId) -> Option<i128> {
        let mut inner = Checker::new(ast, self.names, self.dialect);
        inner.scopes = std::mem::take(&mut self.scopes);
        inner.vars = std::mem::take(&mut self.vars);
        inner.held = std::mem::take(&mut self.held);
        inner.around = std::mem::take(&mut self.around);
        let value = inner.constant_integer(expr);
        self.scopes = inner.scopes;
        self.vars = inner.vars;
        self.held = inner.held;
        self.around = inner.around;
        value
    }

    /// The innermost scope.
    pub(super) fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("the file scope is never left")
    }

    fn push(&mut self, kind: ExprKind, ty: Ty, span: Span) -> ExprId {
        self.exprs.push(Expr { kind, ty, span })
    }

    /// What operators make of operands of which not all is known.
    fn unknown(&mut self, operands: &[ExprId], ty: Ty, span: Span) -> ExprId {
        self.unknown_as(Unknown::Value, operands, ty, span)
    }

    fn unknown_as(&mut self, what: Unknown, operands: &[ExprId], ty: Ty, span: Span) -> ExprId {
        self.push(ExprKind::Unknown { what, operands: operands.into() }, ty, span)
    }

    /// Notes what is wrong, and goes on with something unknown that is made of the operands.
    fn wrong(&mut self, span: Span, kind: TypeProblemKind, operands: &[ExprId]) -> ExprId {
        self.problem(span, kind);
        self.unknown(operands, Ty::UNKNOWN, span)
    }
}
