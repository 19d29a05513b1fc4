//! Resolves the names in an item by the scopes of C. Editor features use the targets to follow names. The builder of
//! bodies uses them to find calls of variables, which may run any function.
//!
//! **Reference**: an occurrence of a name, its declaration included. **Target**: the entity that it names. Two
//! references of an item name the same entity iff their targets are equal. Types are not resolved, so members are
//! distinguished only by name.
//!
//! ```c
//! kernel void k(global int *p) { // k: file scope, declared; p: local, declared
//!   if (p[0]) goto out;          // p: local; out: label
//!   int n = N;                   // n: local, declared; N: file scope, of another item
//! out: ;                         // out: label, declared
//! }
//! ```

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::ast::{
    Ast, Decl, DeclId, DeclaratorStep, Designator, ExprId, ExprKind, Initializer, Name, Path, Span,
    Specifiers, StmtKind, Storage, TypeSpecifier,
};
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::UnresolvedCallee;

use tangle_syntax::db::Db;
use tangle_syntax::items::{Item, ast};

/// The entity that a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entity {
    /// A parameter, variable, typedef or constant of a block, by the location of its declaration.
    Local(Span),
    /// A function, variable, typedef or constant at file scope; or a builtin, if the name is undeclared.
    File(Symbol),
    /// A struct, union or enumeration.
    Tag(Symbol),
    /// A label, with the span of the function that contains it.
    Label(Symbol, Span),
    /// A member of some struct or union, or lanes of a vector.
    Member(Symbol),
}

/// The purpose of a name at its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReferenceKind {
    /// A declaration that is not a definition.
    Declaration,
    Definition,
    Use,
    /// Used as the function of a call.
    Call,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    pub name: Name,
    pub target: Entity,
    pub role: ReferenceKind,
}

/// Returns the references in an item, in source order.
#[salsa::tracked]
pub fn references<'db>(db: &'db dyn Db, item: Item<'db>) -> References {
    References(of(&ast(db, item)).into())
}

/// The value of [`references`].
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct References(pub Box<[Reference]>);

/// Returns the name of a callee and its location. None: the callee is a value without a name.
pub(super) fn called(ast: &Ast, mut callee: ExprId) -> Option<(UnresolvedCallee, Span)> {
    loop {
        let span = ast.exprs[callee].span;
        match ast.exprs[callee].kind {
            ExprKind::Paren(inner) => callee = inner,
            ExprKind::Name(name) => return Some((UnresolvedCallee::Function(name), span)),
            ExprKind::Path(ref path) => {
                return Some((UnresolvedCallee::Function(qualified_name(path)), span));
            }
            ExprKind::Member { name, .. } => return Some((UnresolvedCallee::Method(name.text), span)),
            ExprKind::MemberPath { ref path, .. } => {
                return Some((UnresolvedCallee::Method(path.last().name.text), span));
            }
            _ => return None,
        }
    }
}

/// Returns a qualified name as calls and tables spell it: `cub::WarpReduce::Sum`, without template arguments.
pub fn qualified_name(path: &Path) -> Symbol {
    if let [only] = &*path.segments {
        return only.name.text;
    }
    let parts: Vec<&str> = path.segments.iter().map(|segment| segment.name.text.as_str()).collect();
    Symbol::intern(&parts.join("::"))
}

/// Returns the locations where a variable of a block is [called] by its name. Functions that are declared in a block
/// are not variables.
pub(super) fn called_variables(ast: &Ast) -> FxHashSet<Span> {
    let callees = ast.exprs.iter().filter_map(|(_, expr)| match expr.kind {
        ExprKind::Call { callee, .. } => called(ast, callee),
        _ => None,
    });
    let callees = callees.filter_map(|(named, span)| match named {
        UnresolvedCallee::Function(name) => Some((span, name)),
        UnresolvedCallee::Method(_)
        | UnresolvedCallee::Qualified(_)
        | UnresolvedCallee::OneOf { .. }
        | UnresolvedCallee::Undeclared { .. }
        | UnresolvedCallee::Literal { .. } => None,
    });
    let callees: FxHashMap<Span, Symbol> = callees.collect();
    let names: FxHashSet<Symbol> = callees.values().copied().collect();
    let is_called = |decl: &Decl| decl.name.is_some_and(|name| names.contains(&name.text));
    // Few items declare a callee's name in a block. Without such a declaration, no names need be resolved.
    if !ast.decls.iter().any(|(id, decl)| is_called(decl) && !ast.items.contains(&id)) {
        return FxHashSet::default();
    }
    let is_function = |decl: &Decl| matches!(decl.declarator.first(), Some(DeclaratorStep::Function { .. }));
    let functions = ast.decls.iter().filter(|(_, decl)| is_function(decl));
    let functions: FxHashSet<Span> = functions.filter_map(|(_, decl)| Some(decl.name?.span)).collect();
    let is_variable = |it: &Reference| matches!(it.target, Entity::Local(at) if !functions.contains(&at));
    let uses = of(ast).into_iter().filter(|it| callees.contains_key(&it.name.span) && is_variable(it));
    uses.map(|it| it.name.span).collect()
}

/// A name that a block declares, and the span where it is visible.
struct Local {
    at: Span,
    known: Span,
    tag: bool,
}

/// Returns the references in a tree, in source order.
pub fn of(ast: &Ast) -> Vec<Reference> {
    let mut walk = Walk { ast, locals: FxHashMap::default(), scopes: Scopes::of(ast), found: Vec::new() };
    walk.declarations();
    walk.locals.values_mut().for_each(|locals| locals.sort_by_key(|local| local.known.start));
    walk.uses();
    let mut found = walk.found;
    // Several declarators can share specifiers, and each of them adds the references in the specifiers.
    found.sort_by_key(|reference| (reference.name.span, reference.role == ReferenceKind::Use));
    found.dedup_by_key(|reference| (reference.name.span, reference.name.text));
    found
}

/// The spans of scopes that hold declarations: compound statements, `for` loops and block literals. Each has the index
/// of the scope around it. They are sorted by their start.
struct Scopes(Vec<(Span, Option<usize>)>);

impl Scopes {
    fn of(ast: &Ast) -> Scopes {
        let mut spans = spans_of_scopes(ast);
        spans.sort_unstable_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        let mut scopes: Vec<(Span, Option<usize>)> = Vec::with_capacity(spans.len());
        let mut around = None;
        for span in spans {
            while let Some(outer) = around.filter(|&outer: &usize| scopes[outer].0.end < span.end) {
                around = scopes[outer].1;
            }
            scopes.push((span, around));
            around = Some(scopes.len() - 1);
        }
        Scopes(scopes)
    }

    /// Returns the innermost scope that contains a span.
    fn around(&self, inside: Span) -> Option<Span> {
        let after = self.0.partition_point(|(scope, _)| scope.start <= inside.start);
        let mut at = after.checked_sub(1)?;
        while self.0[at].0.end < inside.end {
            at = self.0[at].1?;
        }
        Some(self.0[at].0)
    }
}

fn spans_of_scopes(ast: &Ast) -> Vec<Span> {
    let stmts = ast.stmts.iter().filter_map(|(_, stmt)| {
        matches!(stmt.kind, StmtKind::Compound(_) | StmtKind::For { .. }).then_some(stmt.span)
    });
    let blocks = ast
        .exprs
        .iter()
        .filter_map(|(_, expr)| matches!(expr.kind, ExprKind::Block { .. }).then_some(expr.span));
    stmts.chain(blocks).collect()
}

struct Walk<'a> {
    ast: &'a Ast,
    locals: FxHashMap<Symbol, Vec<Local>>,
    scopes: Scopes,
    found: Vec<Reference>,
}

impl Walk<'_> {
    fn declarations(&mut self) {
        let ast = self.ast;
        let members: FxHashSet<DeclId> = all_specifiers(ast).flat_map(members).collect();
        // The scope of a parameter is the whole definition or prototype of its function.
        let mut parameters: FxHashMap<DeclId, Span> = FxHashMap::default();
        for (_, decl) in ast.decls.iter() {
            for derived in &decl.declarator {
                if let DeclaratorStep::Function { parameters: list, .. } = derived {
                    parameters.extend(list.iter().map(|&id| (id, decl.span)));
                }
            }
        }
        for (_, ty) in ast.types.iter() {
            for derived in &ty.declarator {
                if let DeclaratorStep::Function { parameters: list, .. } = derived {
                    parameters.extend(list.iter().map(|&id| (id, ty.span)));
                }
            }
        }
        for (_, expr) in ast.exprs.iter() {
            if let ExprKind::Block { parameters: list, .. } = &expr.kind {
                parameters.extend(list.iter().map(|&id| (id, expr.span)));
            }
        }
        let at_file_scope: FxHashSet<DeclId> = ast.items.iter().copied().collect();
        for (id, decl) in ast.decls.iter() {
            let scope = if at_file_scope.contains(&id) {
                None
            } else if let Some(&span) = parameters.get(&id) {
                Some(span)
            } else {
                self.scopes.around(decl.span)
            };
            self.tags(&decl.specifiers, decl.span);
            let Some(name) = decl.name else { continue };
            let role = role(decl);
            let target = match scope {
                _ if members.contains(&id) => Entity::Member(name.text),
                None => Entity::File(name.text),
                Some(scope) => self.local(name, scope, false),
            };
            self.found.push(Reference { name, target, role });
        }
        for (_, ty) in ast.types.iter() {
            self.tags(&ty.specifiers, ty.span);
        }
    }

    fn local(&mut self, name: Name, scope: Span, tag: bool) -> Entity {
        let known = Span::new(name.span.start, scope.end);
        self.locals.entry(name.text).or_default().push(Local { at: name.span, known, tag });
        Entity::Local(name.span)
    }

    /// Adds the tags and constants that specifiers define.
    fn tags(&mut self, specifiers: &Specifiers, at: Span) {
        let scope = self.scopes.around(at);
        for ty in &specifiers.types {
            let (name, defined) = match ty {
                TypeSpecifier::Record { name, members, .. } => (name, members.is_some()),
                TypeSpecifier::Enum { name, enumerators } => {
                    for &(constant, _) in enumerators.iter().flat_map(|list| list.iter()) {
                        let target = match scope {
                            None => Entity::File(constant.text),
                            Some(scope) => self.local(constant, scope, false),
                        };
                        self.found.push(Reference {
                            name: constant,
                            target,
                            role: ReferenceKind::Definition,
                        });
                    }
                    (name, enumerators.is_some())
                }
                _ => continue,
            };
            let (Some(name), true) = (*name, defined) else { continue };
            let target = match scope {
                None => Entity::Tag(name.text),
                Some(scope) => self.local(name, scope, true),
            };
            self.found.push(Reference { name, target, role: ReferenceKind::Definition });
        }
    }

    /// Resolves a name at its location: the last declaration before the name in the innermost scope that has one.
    fn lookup(&self, name: Name, tag: bool) -> Entity {
        let known = self.locals.get(&name.text).map_or(&[][..], Vec::as_slice);
        let before = &known[..known.partition_point(|local| local.known.start <= name.span.start)];
        // Scopes nest: of the scopes that are still open, the last to begin is the innermost.
        let innermost = before.iter().rev().find(|it| it.tag == tag && name.span.start < it.known.end);
        match innermost {
            Some(local) => Entity::Local(local.at),
            None if tag => Entity::Tag(name.text),
            None => Entity::File(name.text),
        }
    }

    fn uses(&mut self) {
        let ast = self.ast;
        let called: FxHashSet<_> = ast
            .exprs
            .iter()
            .filter_map(|(_, expr)| match expr.kind {
                ExprKind::Call { callee, .. } => Some(callee),
                _ => None,
            })
            .collect();
        for (id, expr) in ast.exprs.iter() {
            match &expr.kind {
                &ExprKind::Name(text) => {
                    let name = Name { text, span: expr.span };
                    let role = if called.contains(&id) { ReferenceKind::Call } else { ReferenceKind::Use };
                    self.found.push(Reference { name, target: self.lookup(name, false), role });
                }
                ExprKind::Member { name, .. } => self.member(*name),
                ExprKind::LabelAddress(name) => self.label(*name, ReferenceKind::Use),
                ExprKind::CompoundLiteral { initializer, .. } => self.designators(initializer),
                _ => {}
            }
        }
        for (_, stmt) in ast.stmts.iter() {
            match &stmt.kind {
                StmtKind::Goto(name) => self.label(*name, ReferenceKind::Use),
                StmtKind::Label { name, .. } => self.label(*name, ReferenceKind::Definition),
                StmtKind::Asm(assembly) => {
                    for &name in assembly.outputs.iter().chain(&assembly.inputs) {
                        self.found.push(Reference {
                            name,
                            target: self.lookup(name, false),
                            role: ReferenceKind::Use,
                        });
                    }
                    assembly.members.iter().for_each(|&name| self.member(name));
                    assembly.labels.iter().for_each(|&name| self.label(name, ReferenceKind::Use));
                }
                _ => {}
            }
        }
        for specifiers in all_specifiers(ast) {
            for ty in &specifiers.types {
                let (name, tag) = match ty {
                    TypeSpecifier::Named(name) => (*name, false),
                    TypeSpecifier::Record { name: Some(name), members: None, .. }
                    | TypeSpecifier::Enum { name: Some(name), enumerators: None } => (*name, true),
                    _ => continue,
                };
                self.found.push(Reference { name, target: self.lookup(name, tag), role: ReferenceKind::Use });
            }
        }
        for (_, decl) in ast.decls.iter() {
            decl.initializer.iter().for_each(|initializer| self.designators(initializer));
        }
    }

    fn member(&mut self, name: Name) {
        self.found.push(Reference { name, target: Entity::Member(name.text), role: ReferenceKind::Use });
    }

    fn label(&mut self, name: Name, role: ReferenceKind) {
        // A label belongs to the innermost function definition that contains it: its span has the largest start.
        let functions =
            self.ast.decls.iter().filter(|(_, decl)| decl.body.is_some()).map(|(_, decl)| decl.span);
        let around =
            functions.filter(|span| span.start <= name.span.start && name.span.end <= span.end).max();
        let around = around.unwrap_or(name.span);
        self.found.push(Reference { name, target: Entity::Label(name.text, around), role });
    }

    fn designators(&mut self, initializer: &Initializer) {
        let mut todo = vec![initializer];
        while let Some(initializer) = todo.pop() {
            let Initializer::List(entries) = initializer else { continue };
            for (designators, inner) in entries {
                for designator in designators {
                    if let Designator::Member(name) = designator {
                        self.member(*name);
                    }
                }
                todo.push(inner);
            }
        }
    }
}

fn role(decl: &Decl) -> ReferenceKind {
    let function = matches!(decl.declarator.first(), Some(DeclaratorStep::Function { .. }));
    let typedef = decl.specifiers.storage.contains(&Storage::Typedef);
    let declared_only = match function && !typedef {
        true => decl.body.is_none(),
        false => decl.specifiers.storage.contains(&Storage::Extern) && decl.initializer.is_none(),
    };
    if declared_only { ReferenceKind::Declaration } else { ReferenceKind::Definition }
}

fn all_specifiers(ast: &Ast) -> impl Iterator<Item = &Specifiers> {
    let decls = ast.decls.iter().map(|(_, decl)| &*decl.specifiers);
    decls.chain(ast.types.iter().map(|(_, ty)| &*ty.specifiers))
}

fn members(specifiers: &Specifiers) -> impl Iterator<Item = DeclId> {
    let lists = specifiers.types.iter().filter_map(|ty| match ty {
        TypeSpecifier::Record { members: Some(members), .. } => Some(members.iter().copied()),
        _ => None,
    });
    lists.flatten().collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tangle_grammar::token::{Token, TokenKind};
    use tangle_syntax::dialect::opencl;
    use tangle_syntax::items::find::spelled;

    fn parsed(text: &str) -> (Vec<Token>, Ast) {
        let (lexed, _) = tangle_grammar::lex::lex(text);
        let tokens: Vec<Token> = lexed
            .tokens
            .iter()
            .map(|token| {
                let kind = match token.kind {
                    TokenKind::Identifier if token.text.as_str().ends_with("_t") => TokenKind::TypeName,
                    TokenKind::Identifier => opencl().lexicon().kind(token.text),
                    kind => kind,
                };
                Token { kind, text: token.text }
            })
            .collect();
        let parsed = tangle_grammar::parse(&tokens, opencl().lexicon());
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        (tokens, std::sync::Arc::unwrap_or_clone(parsed.ast))
    }

    /// Checks the references of an item: each name with its target. A local is shown by the number of the token that
    /// declares it.
    fn check(text: &str, expected: &str) {
        let (tokens, ast) = parsed(text);
        let mut lines = Vec::new();
        for Reference { name, target, role } in of(&ast) {
            let target = match target {
                Entity::Local(at) => format!("local {}", at.start),
                Entity::File(_) => "file".into(),
                Entity::Tag(_) => "tag".into(),
                Entity::Label(..) => "label".into(),
                Entity::Member(_) => "member".into(),
            };
            let at = name.span.start as usize;
            lines.push(format!("{at} {} {target} {role:?}", spelled(&tokens[at..=at])));
        }
        assert_eq!(lines.join("\n"), expected.trim());
    }

    #[test]
    fn calls_of_variables_are_distinguished_from_functions() {
        let (_, ast) = parsed(
            "void f(void (^b)(void)) { b(); g(); { void g(void); g(); } void (^o)(void) = ^{ b(); (b)(); }; }",
        );
        let mut found: Vec<u32> = called_variables(&ast).into_iter().map(|span| span.start).collect();
        found.sort_unstable();
        assert_eq!(found, [13, 44, 49], "`b`, also where a block literal captures it");
        let (_, ast) = parsed("void f(void) { g(); int g = 1; { int g; g(); } }");
        assert_eq!(called_variables(&ast).len(), 1, "a name is visible from its declaration on");
    }

    #[test]
    fn inner_blocks_shadow_outer_names() {
        check(
            "void f(int a) { { int a = a; g(a); } a = b; }",
            "1 f file Definition
4 a local 4 Definition
9 a local 9 Definition
11 a local 9 Use
13 g file Call
15 a local 9 Use
19 a local 4 Use
21 b file Use",
        );
    }

    #[test]
    fn labels_members_tags_and_types_are_distinguished() {
        check(
            "void f(struct s *p, n_t q) { x: p->x = q; goto x; enum { K } k = K; }",
            "1 f file Definition
4 s tag Use
6 p local 6 Definition
8 n_t file Use
9 q local 9 Definition
12 x label Definition
14 p local 6 Use
16 x member Use
18 q local 9 Use
21 x label Use
25 K local 25 Definition
27 k local 27 Definition
29 K local 25 Use",
        );
    }

    #[test]
    fn inline_assembly_operands_reference_names() {
        check(
            "void f(int a, struct s *p) { asm(\"mov\" : \"=r\"(a) : \"r\"(p->x)); }",
            "1 f file Definition
4 a local 4 Definition
7 s tag Use
9 p local 9 Definition
18 a local 4 Use
23 p local 9 Use
25 x member Use",
        );
    }

    #[test]
    fn prototype_is_a_declaration_with_local_parameters() {
        check(
            "int f(int a);",
            "1 f file Declaration
4 a local 4 Definition",
        );
        check("extern int e;", "2 e file Declaration");
        check("struct s { int m; };", "1 s tag Definition\n4 m member Definition");
    }
}
