//! The functions that the actions of the grammars call to build the tree.

mod cpp;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::ast::*;
use crate::packing::Packing;
use crate::symbol::Symbol;

pub(crate) use cpp::{Condition, LambdaCapture, Tag, Tail};

/// Data for the tokens of one kind, each with the start of its token, sorted by start.
pub(crate) type Payload<T> = Vec<(u32, T)>;

/// Data of tokens that the grammar does not see: the contents of folded tokens, and the packing at each
/// record.
#[derive(Default)]
pub(crate) struct Payloads {
    /// The attributes of each `Attribute` token.
    pub attributes: Payload<Vec<Attribute>>,
    /// The names and strings in each `Asm` token.
    pub assembly: Payload<Assembly>,
    /// The packing in force at each `{` of a record.
    pub packings: Payload<Packing>,
}

/// Takes the payload of the token that begins at `start`. Each payload is taken at most once.
fn taken<T: Default>(payload: &mut Payload<T>, start: u32) -> T {
    let found = payload.binary_search_by_key(&start, |entry| entry.0);
    found.map_or_else(|_| T::default(), |found| std::mem::take(&mut payload[found].1))
}

/// The tree under construction.
pub(crate) struct Tree {
    pub ast: Ast,
    payloads: Payloads,
    /// The pragmas before the last declaration, for the statement that contains it.
    pragmas: Vec<Symbol>,
    /// The statements, declarations and members with unsupported constructs.
    pub opaque: Vec<(Span, UnsupportedConstruct)>,
    /// Whether `friend` is among the specifiers of the current declaration.
    friend: bool,
}

/// Attributes and pragmas before a statement or declaration.
#[derive(Default)]
pub(crate) struct Prefix {
    pub attributes: Vec<Attribute>,
    pub pragmas: Vec<Symbol>,
}

pub(crate) enum Qualifier {
    Const,
    Volatile,
    Restrict,
    Atomic,
    Space(AddressSpace),
    Access(Access),
}

impl Qualifier {
    pub fn add_to(self, all: &mut Qualifiers) {
        match self {
            Qualifier::Const => all.constant_value = true,
            Qualifier::Volatile => all.volatile = true,
            Qualifier::Restrict => all.restrict = true,
            Qualifier::Atomic => all.atomic = true,
            Qualifier::Space(space) => all.space = Some(space),
            Qualifier::Access(access) => all.access = Some(access),
        }
    }
}

pub(crate) enum Label {
    Name(Name),
    Case(ExprId, Option<ExprId>),
    Default,
}

/// A partial declarator, built from the name outwards.
#[derive(Default)]
pub(crate) struct Declarator {
    name: Option<Name>,
    derived: Vec<DeclaratorStep>,
    /// The attributes among the qualifiers of its pointers, and after it.
    attributes: Vec<Attribute>,
    /// The parameter names of a function of old C, whose declarations are after the declarator.
    old_parameters: Vec<Name>,
    more: Option<Box<CppDecl>>,
}

impl Declarator {
    pub fn of(name: Name) -> Box<Declarator> {
        Box::new(Declarator { name: Some(name), ..Declarator::default() })
    }

    pub fn pointer(
        mut self: Box<Self>,
        (qualifiers, attributes): (Qualifiers, Vec<Attribute>),
    ) -> Box<Declarator> {
        self.derived.push(DeclaratorStep::Pointer { qualifiers });
        self.attributes.extend(attributes);
        self
    }

    pub fn block_pointer(
        mut self: Box<Self>,
        (qualifiers, attributes): (Qualifiers, Vec<Attribute>),
    ) -> Box<Declarator> {
        self.derived.push(DeclaratorStep::BlockPointer { qualifiers });
        self.attributes.extend(attributes);
        self
    }

    pub fn array(mut self: Box<Self>, size: Option<ExprId>) -> Box<Declarator> {
        self.derived.push(DeclaratorStep::Array { size });
        self
    }

    pub fn function(mut self: Box<Self>, (parameters, variadic): (Vec<DeclId>, bool)) -> Box<Declarator> {
        self.derived.push(DeclaratorStep::Function { parameters: parameters.into(), variadic });
        self
    }

    pub fn old_function(mut self: Box<Self>, names: Vec<Name>) -> Box<Declarator> {
        self.old_parameters = names;
        self.function((Vec::new(), false))
    }
}

/// One declarator of a declaration, with its initialiser and bit width but without the specifiers.
pub(crate) struct InitDeclarator {
    span: Span,
    declarator: Box<Declarator>,
    initializer: Option<Initializer>,
    bit_width: Option<ExprId>,
}

impl InitDeclarator {
    pub fn new(
        span: Span,
        mut declarator: Box<Declarator>,
        attributes: Vec<Attribute>,
        initializer: Option<Initializer>,
        bit_width: Option<ExprId>,
    ) -> InitDeclarator {
        declarator.attributes.extend(attributes);
        InitDeclarator { span, declarator, initializer, bit_width }
    }

    fn with(self, specifiers: Arc<Specifiers>) -> Decl {
        Decl {
            name: self.declarator.name,
            specifiers,
            declarator: self.declarator.derived.into(),
            attributes: self.declarator.attributes.into(),
            initializer: self.initializer,
            bit_width: self.bit_width,
            body: None,
            more: self.declarator.more,
            span: self.span,
        }
    }
}

impl Tree {
    pub fn new(payloads: Payloads) -> Tree {
        Tree { ast: Ast::default(), payloads, pragmas: Vec::new(), opaque: Vec::new(), friend: false }
    }

    /// Adds the attributes before a declaration to its specifiers.
    fn finish(&mut self, prefix: Option<Box<Prefix>>, mut specifiers: Box<Specifiers>) -> Arc<Specifiers> {
        if let Some(prefix) = prefix {
            let mut attributes = prefix.attributes;
            attributes.append(&mut specifiers.attributes);
            specifiers.attributes = attributes;
            self.pragmas = prefix.pragmas;
        }
        Arc::from(specifiers)
    }

    pub fn expr(&mut self, start: u32, end: u32, kind: ExprKind) -> ExprId {
        self.ast.exprs.alloc(Expr { kind, span: Span::new(start, end) })
    }

    pub fn stmt(&mut self, start: u32, end: u32, kind: StmtKind) -> StmtId {
        let span = Span::new(start, end);
        self.ast.stmts.alloc(Stmt { kind, span, attributes: Box::default(), pragmas: Box::default() })
    }

    pub fn prefixed(&mut self, prefix: Prefix, statement: StmtId) -> StmtId {
        let stmt = &mut self.ast.stmts[statement];
        stmt.attributes = prefix.attributes.into();
        stmt.pragmas = prefix.pragmas.into();
        statement
    }

    pub fn labelled(&mut self, start: u32, end: u32, label: Label, statement: StmtId) -> StmtId {
        let kind = match label {
            Label::Name(name) => StmtKind::Label { name, statement },
            Label::Case(low, high) => StmtKind::Case { low, high, statement },
            Label::Default => StmtKind::Default { statement },
        };
        self.stmt(start, end, kind)
    }

    pub fn declaration_statement(&mut self, start: u32, end: u32, decls: Vec<DeclId>) -> StmtId {
        let pragmas = std::mem::take(&mut self.pragmas);
        let statement = self.stmt(start, end, StmtKind::Declaration(decls.into()));
        self.ast.stmts[statement].pragmas = pragmas.into();
        statement
    }

    /// The attributes of the `Attribute` token that begins at `start`.
    pub fn attributes_at(&mut self, start: u32) -> Vec<Attribute> {
        taken(&mut self.payloads.attributes, start)
    }

    pub fn assembly_at(&mut self, start: u32) -> Assembly {
        taken(&mut self.payloads.assembly, start)
    }

    /// The packing in force at the `{` of a record. The brace begins at `start`.
    pub fn packing_at(&mut self, start: u32) -> Packing {
        taken(&mut self.payloads.packings, start)
    }

    pub fn specifiers(
        &mut self,
        start: u32,
        end: u32,
        first: impl FnOnce(&mut Specifiers),
    ) -> Box<Specifiers> {
        let mut all = Box::new(Specifiers { span: Some(Span::new(start, end)), ..Specifiers::default() });
        first(&mut all);
        all
    }

    /// The same specifiers, extended to `end`.
    pub fn until(mut all: Box<Specifiers>, end: u32) -> Box<Specifiers> {
        if let Some(span) = &mut all.span {
            span.end = end;
        }
        all
    }

    pub fn declare(
        &mut self,
        span: Span,
        prefix: Option<Box<Prefix>>,
        specifiers: Box<Specifiers>,
        declared: Vec<InitDeclarator>,
    ) -> Vec<DeclId> {
        let specifiers = self.finish(prefix, specifiers);
        if declared.is_empty() {
            let bare = InitDeclarator::new(span, Box::default(), Vec::new(), None, None);
            let declared = vec![self.ast.decls.alloc(bare.with(specifiers))];
            self.mark_friends(&declared);
            return declared;
        }
        let declared: Vec<DeclId> =
            declared.into_iter().map(|one| self.ast.decls.alloc(one.with(specifiers.clone()))).collect();
        self.mark_friends(&declared);
        declared
    }

    pub fn function(
        &mut self,
        span: Span,
        prefix: Option<Box<Prefix>>,
        specifiers: Box<Specifiers>,
        declarator: Box<Declarator>,
        attributes: Vec<Attribute>,
        body: StmtId,
    ) {
        let declared = InitDeclarator::new(span, declarator, attributes, None, None);
        let decl = Decl { body: Some(body), ..declared.with(self.finish(prefix, specifiers)) };
        let decl = self.ast.decls.alloc(decl);
        self.ast.items.push(decl);
    }

    /// A function of old C, with the declarations of its parameters after its declarator. A parameter without
    /// a declaration is an `int`.
    pub fn old_function(
        &mut self,
        span: Span,
        prefix: Option<Box<Prefix>>,
        specifiers: Box<Specifiers>,
        mut declarator: Box<Declarator>,
        declarations: Vec<Vec<DeclId>>,
        body: StmtId,
    ) {
        let mut declared: FxHashMap<Symbol, DeclId> = FxHashMap::default();
        for id in declarations.into_iter().flatten() {
            declared.extend(self.ast.decls[id].name.map(|name| (name.text, id)));
        }
        let names = std::mem::take(&mut declarator.old_parameters);
        let all = names.into_iter().map(|name| {
            declared.remove(&name.text).unwrap_or_else(|| {
                let specifiers = Specifiers {
                    types: vec![TypeSpecifier::Int],
                    span: Some(name.span),
                    ..Specifiers::default()
                };
                self.parameter(name.span, None, Box::new(specifiers), Declarator::of(name), Vec::new())
            })
        });
        let all: Box<[DeclId]> = all.collect();
        let own = declarator.derived.iter_mut().find_map(|derived| match derived {
            DeclaratorStep::Function { parameters, .. } => Some(parameters),
            _ => None,
        });
        if let Some(parameters) = own {
            *parameters = all;
        }
        self.function(span, prefix, specifiers, declarator, Vec::new(), body);
    }

    pub fn parameter(
        &mut self,
        span: Span,
        prefix: Option<Box<Prefix>>,
        specifiers: Box<Specifiers>,
        declarator: Box<Declarator>,
        attributes: Vec<Attribute>,
    ) -> DeclId {
        let specifiers = self.finish(prefix, specifiers);
        self.ast.decls.alloc(InitDeclarator::new(span, declarator, attributes, None, None).with(specifiers))
    }

    /// The parameters of a list; `(void)` has no parameters.
    pub fn parameters(&mut self, parameters: Vec<Option<DeclId>>) -> Vec<DeclId> {
        let parameters: Vec<DeclId> = parameters.into_iter().flatten().collect();
        if let [only] = parameters[..] {
            let decl = &self.ast.decls[only];
            if decl.name.is_none()
                && decl.declarator.is_empty()
                && decl.specifiers.types == [TypeSpecifier::Void]
            {
                return Vec::new();
            }
        }
        parameters
    }

    pub fn type_name(
        &mut self,
        span: Span,
        prefix: Option<Box<Prefix>>,
        specifiers: Box<Specifiers>,
        declarator: Declarator,
    ) -> TypeId {
        let specifiers = self.finish(prefix, specifiers);
        self.ast.types.alloc(TypeName { specifiers, declarator: declarator.derived.into(), span })
    }

    /// `^int (int x) { … }`: the block takes its parameters from its written type.
    pub fn block_with_type(&mut self, start: u32, end: u32, ty: TypeId, body: StmtId) -> ExprId {
        let parameters = match self.ast.types[ty].declarator.first() {
            Some(DeclaratorStep::Function { parameters, .. }) => parameters.clone(),
            _ => Box::default(),
        };
        self.expr(start, end, ExprKind::Block { ty: Some(ty), parameters, body })
    }
}
