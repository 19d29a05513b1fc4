//! Names and types: from the syntax of an item to [`typed`](super::typed) bodies.
//!
//! **Meaning**: the entity that a name refers to where it is used. The meanings of file-scope names are an input
//! ([`Names`]), so an item is checked once for all units that give its names the same meanings. Names of block scope
//! are resolved during the check.
//!
//! **Unknown**: the type of an expression that depends on an undeclared name. The name is reported once. The type is
//! compatible with every other type, so it causes no further errors. An unknown expression keeps its operands for the
//! analyses.
//!
//! Types flow from operands to operators. So an expression is checked in one pass from its leaves up (`expr`), over a
//! list and without recursion. Only initialisers depend on the type of the initialised variable (`init`).

mod body;
mod call;
mod callee;
mod class;
mod constant;
mod convert;
mod cpp;
mod dependent;
mod expr;
mod group;
mod init;
mod instance;
mod member;
mod operator;
mod operator_call;
mod specialisation;
mod statement;
mod template;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use index_vec::IndexVec;
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::ast::{self, Ast, Span};
use tangle_grammar::lexicon::Grammar;
use tangle_grammar::symbol::Symbol;

use super::body::{Body, CallId, StmtId};
use super::def::class::ClassInstance;
use super::def::functions::defined;
use super::def::names::Scope;
use super::template_arguments::TemplateArguments;
use super::typed::{Expr, ExprId, ExprKind, Global, StmtExprs, TypedBody, Unknown, Var, VarId};
use super::types::{RecordName, Ty};
use tangle_ir::Namespace;
use tangle_ir::key::{DeclaringScope, FunctionKey};
use tangle_syntax::dialect::Dialect;

use body::{Literals, OuterBody};
pub(super) use cpp::as_reference;
pub(super) use expr::mentions_unknown;

pub use super::def::names::{
    ClassDeclaration, FunctionMeaning, Holds, ItemSource, LookupKey, Meaning, Names, Qualified, Used, Using,
};
pub use super::problem::{ConversionContext, TypeProblem, TypeProblemKind};

/// An item with its types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// One for each body of the item, in the same order. Empty for a block literal that is never evaluated.
    pub bodies: Box<[TypedBody]>,
    pub globals: Box<[Global]>,
    /// Sorted by location.
    pub problems: Box<[TypeProblem]>,
    /// The names of types that the unit does not define, and of typedefs of such types, each where it is used. Sorted by
    /// location.
    pub unknown_types: Box<[(Span, Symbol)]>,
}

/// Checks an item with these bodies.
///
/// The functions in it are checked with the given template arguments.
pub fn check(
    source: &Arc<ItemSource>,
    bodies: &[Body],
    arguments: &TemplateArguments,
    dialect: Dialect,
) -> Checked {
    let ast = &*source.ast;
    let mut checker = Checker::of_item(source, dialect);
    checker.arguments = arguments.clone();
    let mut globals = Vec::new();
    let mut typed = Vec::with_capacity(bodies.len());
    let functions = defined(ast);
    let mut functions = functions.iter().peekable();
    for &id in &ast.items {
        checker.file_scope(id, &mut globals);
        // Methods can call methods that are declared later in the class.
        checker.export_members(id);
        while let Some(function) = functions.next_if(|it| it.item == id) {
            // Each function is followed by the block literals inside it.
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
    // Specifiers that several declarators share are checked once for each declarator.
    problems.sort_by_key(|problem| (problem.span.start, problem.span.end));
    problems.dedup();
    let mut unknown_types = checker.unknown_types;
    unknown_types.sort_by_key(|&(span, _)| (span.start, span.end));
    unknown_types.dedup();
    Checked {
        bodies: typed.into(),
        globals: globals.into(),
        problems: problems.into(),
        unknown_types: unknown_types.into(),
    }
}

/// Returns the declarations of an item at file scope: names and tags, sorted by name. Bodies are not checked.
pub fn exports(source: &Arc<ItemSource>, dialect: Dialect) -> Names {
    let (ast, names) = (&*source.ast, &*source.names.names);
    let mut checker = Checker::of_item(source, dialect);
    for &id in &ast.items {
        checker.export(&ast.decls[id]);
        checker.export_members(id);
    }
    let Scope { entries, tags } = checker.scopes.swap_remove(0);
    let namespace = names.namespace;
    let stands_in = |entry: &LookupKey, meaning: &Meaning| match entry {
        LookupKey::Ordinary(_) => {
            // `void ops::f() {` belongs to `ops`.
            let owner = meaning.functions().and_then(|functions| functions.first()).map(|it| it.key.owner);
            match owner {
                Some(DeclaringScope::Namespace(owner)) => owner,
                _ => namespace,
            }
        }
        // Their classes contain the namespace.
        LookupKey::Methods(_) | LookupKey::Specialisations(_) | LookupKey::Classes(_) => Namespace::GLOBAL,
    };
    let mut entries: Vec<(LookupKey, Namespace, Meaning)> =
        entries.into_iter().map(|(entry, meaning)| (entry, stands_in(&entry, &meaning), meaning)).collect();
    let mut tags: Vec<(RecordName, Ty)> = tags.into_iter().collect();
    entries.sort_unstable_by_key(|&(entry, ..)| entry);
    tags.sort_unstable_by_key(|&(tag, _)| tag);
    // A `using` in a function or a class is valid only there.
    let usings =
        if ast.items.is_empty() { Using::of(ast, namespace, dialect).collect() } else { Box::default() };
    Names { namespace, entries: entries.into(), usings, tags: tags.into() }
}

/// The state of the check of one item.
pub(super) struct Checker<'a> {
    pub dialect: Dialect,
    pub ast: &'a Ast,
    pub names: &'a Names,
    /// The item, if the tree is that of an item.
    source: Option<&'a Arc<ItemSource>>,
    /// The scopes around the current location, the innermost last. The first is the file scope of the item.
    pub scopes: Vec<Scope>,
    pub problems: Vec<TypeProblem>,
    /// See [`Checked::unknown_types`]. A name can occur twice.
    unknown_types: Vec<(Span, Symbol)>,
    /// The last specifiers and their type: `struct { int x; } a, b;` declares one struct, not two.
    pub read: Option<(Arc<ast::Specifiers>, Qualified)>,
    /// Problems are recorded only while this is 0. It is never 0 for C++: too little of the language is supported to
    /// report type errors.
    suppress_problems: u32,
    /// Whether the language is based on C++.
    pub cpp: bool,
    /// The numbers of literal bodies in the item, by literal; in `lambdas`, by the number of bodies around the current
    /// one and the initialised variable.
    literal_numbers: FxHashMap<ExprId, usize>,
    lambdas: FxHashMap<(usize, VarId), usize>,
    /// The class of the method that is checked.
    class: Option<class::EnclosingClass>,
    /// The variables of the current body.
    vars: IndexVec<VarId, Var>,
    /// The known contents of the constants among the variables.
    held: FxHashMap<VarId, Holds>,
    exprs: IndexVec<ExprId, Expr>,
    /// The typed expressions of the expressions checked so far.
    done: ArenaMap<ast::ExprId, ExprId>,
    body: Option<BodyState<'a>>,
    /// The bodies around the current one, the outermost first. Empty unless the current body is a block literal.
    around: Vec<OuterBody>,
    /// The classes whose members were asked for. `None`: they are not known.
    instances: RefCell<FxHashMap<RecordName, Option<Rc<ClassInstance>>>>,
    /// The classes whose members are being computed.
    pending: RefCell<Vec<RecordName>>,
    /// The number of classes around this one whose members are being computed.
    nested_instances: u32,
    /// The template arguments that are known.
    arguments: TemplateArguments,
    /// The key of the function that is checked, also inside its literals.
    function_key: Option<FunctionKey>,
    /// The block literals of the current function.
    literals: Literals<'a>,
}

/// The current function or block literal.
struct BodyState<'a> {
    body: &'a Body,
    result: Ty,
    /// Whether the result type is not specified: it is then the type of the first returned value.
    result_deduced: bool,
    stmts: IndexVec<StmtId, StmtExprs>,
    /// The ends of the open blocks, each with the number of scopes outside of the block.
    blocks: Vec<(StmtId, usize)>,
    /// The statements that were checked inside an expression, each with its end.
    checked: FxHashMap<StmtId, StmtId>,
    calls: FxHashMap<Span, CallId>,
    /// The statements of the body by their syntax, and the labelled statements by name.
    nested: FxHashMap<ast::StmtId, StmtId>,
    labels: FxHashMap<Symbol, StmtId>,
    /// The promoted type of each `switch` condition, and its `case` values so far.
    switches: FxHashMap<StmtId, (Ty, FxHashSet<i128>)>,
}

impl<'a> Checker<'a> {
    /// Returns the state before the check of an item.
    fn of_item(source: &'a Arc<ItemSource>, dialect: Dialect) -> Checker<'a> {
        Checker { source: Some(source), ..Checker::new(&source.ast, &source.names.names, dialect) }
    }

    fn new(ast: &'a Ast, names: &'a Names, dialect: Dialect) -> Checker<'a> {
        let cpp = dialect.lexicon().grammar() == Grammar::Cpp;
        Checker {
            dialect,
            ast,
            names,
            source: None,
            scopes: vec![Scope::default()],
            problems: Vec::new(),
            unknown_types: Vec::new(),
            read: None,
            suppress_problems: u32::from(cpp),
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
            instances: RefCell::default(),
            pending: RefCell::default(),
            nested_instances: 0,
            arguments: TemplateArguments::default(),
            function_key: None,
            literals: Literals::default(),
        }
    }

    pub(super) fn problem(&mut self, span: Span, kind: TypeProblemKind) {
        if self.suppress_problems == 0 {
            self.problems.push(TypeProblem { span, kind });
        }
    }

    /// Records a name of a type that the unit does not define.
    pub(crate) fn unknown_type(&mut self, name: Symbol, span: Span) {
        self.unknown_types.push((span, name));
    }

    /// Records an undeclared name that the conventions of the language cover. In C++, where most headers are missing,
    /// no other problem reports undeclared names.
    pub(crate) fn assume(&mut self, name: Symbol, called: bool, span: Span) {
        if self.cpp && !self.is_speculative() && self.dialect.builtins().conventions().of(name).is_some() {
            self.problems.push(TypeProblem { span, kind: TypeProblemKind::AssumedName { name, called } });
        }
    }

    /// Whether the check is speculative: only its result is used, and no problem is recorded.
    fn is_speculative(&self) -> bool {
        self.suppress_problems > u32::from(self.cpp)
    }

    /// Returns the constant value of an expression of another tree, in the current scopes. Its problems are dropped:
    /// their locations are in the other tree.
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

    /// Returns the innermost scope.
    pub(super) fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("the file scope is never left")
    }

    fn push(&mut self, kind: ExprKind, ty: Ty, span: Span) -> ExprId {
        self.exprs.push(Expr { kind, ty, span })
    }

    /// Adds an unknown value that depends on the operands.
    fn unknown(&mut self, operands: &[ExprId], ty: Ty, span: Span) -> ExprId {
        self.unknown_as(Unknown::Value, operands, ty, span)
    }

    fn unknown_as(&mut self, what: Unknown, operands: &[ExprId], ty: Ty, span: Span) -> ExprId {
        self.push(ExprKind::Unknown { what, operands: operands.into() }, ty, span)
    }

    /// Records a problem, and adds an unknown value that depends on the operands.
    fn wrong(&mut self, span: Span, kind: TypeProblemKind, operands: &[ExprId]) -> ExprId {
        self.problem(span, kind);
        self.unknown(operands, Ty::UNKNOWN, span)
    }
}
