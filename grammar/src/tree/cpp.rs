//! The functions that only the grammar of C++ uses to build the tree.

use super::{Declarator, InitDeclarator, Prefix, Tree};
use crate::ast::*;
use crate::symbol::Symbol;

/// The part after a declarator: attributes, and the trailing result type of a function.
pub(crate) type Tail = (Vec<Attribute>, Option<TypeId>);

/// A condition, and the statements that run before its value is tested.
pub(crate) struct Condition {
    pub before: Vec<StmtId>,
    pub value: ExprId,
}

/// The name after `struct`, `class`, `union` or `enum`.
pub(crate) struct Tag {
    pub scope: Option<Box<Path>>,
    pub name: Segment,
}

impl Tag {
    pub fn name(&self) -> Name {
        self.name.name
    }
}

/// One entry in the captures of a lambda.
pub(crate) enum LambdaCapture {
    Others { by_reference: bool },
    One(Capture),
}

impl Path {
    /// The path with one more segment.
    pub(crate) fn then(self, segment: Segment) -> Path {
        let mut segments = self.segments.into_vec();
        segments.push(segment);
        Path { global: self.global, segments: segments.into() }
    }
}

impl TypeSpecifier {
    /// A type name without a qualifier.
    pub(crate) fn of_segment(segment: Segment) -> TypeSpecifier {
        match segment.arguments {
            None => TypeSpecifier::Named(segment.name),
            Some(_) => TypeSpecifier::Path(Box::new(Path { global: false, segments: Box::new([segment]) })),
        }
    }
}

impl Declarator {
    fn more(&mut self) -> &mut CppDecl {
        self.more.get_or_insert_default()
    }

    pub fn of_segment(scope: Option<Box<Path>>, segment: Segment) -> Box<Declarator> {
        let mut declarator = Declarator::of(segment.name);
        if scope.is_some() || segment.arguments.is_some() {
            let more = declarator.more();
            more.scope = scope.map(|scope| *scope);
            more.arguments = segment.arguments;
        }
        declarator
    }

    /// A declarator whose name determines its kind: a destructor, a conversion or a constructor.
    pub fn special(scope: Option<Box<Path>>, name: Name) -> Box<Declarator> {
        let mut declarator = Declarator::of(name);
        let more = declarator.more();
        more.scope = scope.map(|scope| *scope);
        let text = name.text.as_str();
        more.special = Some(match text.as_bytes() {
            [b'~', ..] => SpecialFunction::Destructor,
            _ if text.starts_with("operator ") => SpecialFunction::Conversion,
            _ => SpecialFunction::Constructor,
        });
        declarator
    }

    pub fn binding(names: Vec<Name>) -> Box<Declarator> {
        let mut declarator = Box::<Declarator>::default();
        declarator.more().bindings = names.into();
        declarator
    }

    pub fn reference(mut self: Box<Self>, rvalue: bool, attributes: Vec<Attribute>) -> Box<Declarator> {
        self.derived.push(DeclaratorStep::Reference { rvalue });
        self.attributes.extend(attributes);
        self
    }

    pub fn pack(mut self: Box<Self>) -> Box<Declarator> {
        self.more().pack = true;
        self
    }

    pub fn of_compiler(mut self: Box<Self>, what: OfCompiler) -> Box<Declarator> {
        self.more().of_compiler = Some(what);
        self
    }

    pub fn default_argument(mut self: Box<Self>, value: Option<ExprId>) -> Box<Declarator> {
        if value.is_some() {
            self.more().default = value;
        }
        self
    }

    pub fn tail(mut self: Box<Self>, (attributes, result): Tail) -> Box<Declarator> {
        self.attributes.extend(attributes);
        if result.is_some() {
            self.more().result = result;
        }
        self
    }

    /// The sizes of the arrays in the declarator.
    pub fn sizes(self) -> impl Iterator<Item = ExprId> {
        self.derived.into_iter().filter_map(|derived| match derived {
            DeclaratorStep::Array { size } => size,
            _ => None,
        })
    }
}

impl Tree {
    // ---- Declarations ----

    /// Records that `friend` is among the specifiers of the next declaration.
    pub fn mark_friend(&mut self) {
        self.friend = true;
    }

    pub fn define(
        &mut self,
        span: Span,
        prefix: Option<Box<Prefix>>,
        specifiers: Box<Specifiers>,
        declarator: Box<Declarator>,
        initializers: Option<Vec<StmtId>>,
        body: StmtId,
    ) -> DeclId {
        if let Some(before) = initializers
            && let StmtKind::Compound(statements) = &mut self.ast.stmts[body].kind
        {
            *statements = before.into_iter().chain(statements.iter().copied()).collect();
        }
        let declared = InitDeclarator::new(span, declarator, Vec::new(), None, None);
        let decl = Decl { body: Some(body), ..declared.with(self.finish(prefix, specifiers)) };
        let id = self.ast.decls.alloc(decl);
        self.mark_friends(&[id]);
        id
    }

    /// Marks the declarations after `friend`.
    pub(super) fn mark_friends(&mut self, declared: &[DeclId]) {
        if std::mem::take(&mut self.friend) {
            for id in declared {
                self.ast.decls[*id].more.get_or_insert_default().friend = true;
            }
        }
    }

    /// Adds the parameters of a template to its declarations. The outermost `template <…>` is added last.
    pub fn templated(&mut self, head: Vec<TemplateParameter>, declared: Vec<DeclId>) -> Vec<DeclId> {
        for id in &declared {
            let more = self.ast.decls[*id].more.get_or_insert_default();
            if head.is_empty() {
                more.specialisation = true;
            } else {
                let inner = std::mem::take(&mut more.templates);
                more.templates = std::iter::once(head.clone().into()).chain(inner).collect();
            }
        }
        declared
    }

    /// `int N` in the angle brackets of `template <…>`.
    pub fn value_parameter(&mut self, parameter: Option<DeclId>) -> TemplateParameter {
        let Some(id) = parameter else {
            return TemplateParameter {
                name: None,
                kind: TemplateParameterKind::Type,
                pack: false,
                default: None,
            };
        };
        let decl = &mut self.ast.decls[id];
        let default = decl.more.as_mut().and_then(|more| more.default.take()).map(TemplateArgument::Value);
        let pack = decl.more.as_mut().is_some_and(|more| std::mem::take(&mut more.pack));
        if decl.more.as_deref() == Some(&CppDecl::default()) {
            decl.more = None;
        }
        TemplateParameter { name: decl.name, kind: TemplateParameterKind::Value(id), pack, default }
    }

    pub fn alias(&mut self, span: Span, name: Name, attributes: Vec<Attribute>, ty: TypeId) -> Vec<DeclId> {
        let TypeName { specifiers, declarator, .. } = self.ast.types[ty].clone();
        let mut specifiers = Specifiers::clone(&specifiers);
        specifiers.storage.insert(0, Storage::Typedef);
        let mut named = Declarator::of(name);
        named.derived = declarator.into();
        self.declare(
            span,
            None,
            Box::new(specifiers),
            vec![InitDeclarator::new(span, named, attributes, None, None)],
        )
    }

    pub fn local(
        &mut self,
        span: Span,
        prefix: Option<Box<Prefix>>,
        specifiers: Box<Specifiers>,
        declared: Vec<InitDeclarator>,
    ) -> StmtId {
        let decls = self.declare(span, prefix, specifiers, declared);
        self.declaration_statement(span.start, span.end, decls)
    }

    pub fn simple_type(&mut self, start: u32, end: u32, specifier: TypeSpecifier) -> TypeId {
        let specifiers = self.specifiers(start, end, |all| all.types.push(specifier));
        self.type_name(Span::new(start, end), None, specifiers, Declarator::default())
    }

    pub fn record(
        &mut self,
        union: bool,
        tag: Option<Tag>,
        bases: Vec<TypeId>,
        members: Option<(u32, Vec<DeclId>)>,
    ) -> TypeSpecifier {
        let packing = members.as_ref().map(|(brace, _)| self.packing_at(*brace)).unwrap_or_default();
        let name = tag.as_ref().map(Tag::name);
        let class = Class {
            bases: bases.into(),
            scope: tag.as_ref().and_then(|tag| tag.scope.as_deref().cloned()),
            arguments: tag.and_then(|tag| tag.name.arguments),
        };
        TypeSpecifier::Record {
            union,
            name,
            members: members.map(|(_, members)| members.into()),
            packing,
            class: Some(Box::new(class)),
        }
    }

    // `: a(x)` before the body of a constructor becomes `this->a = x;` at the start of the body. The same
    // threads execute it, with the same reads and writes, and later stages need no separate case.

    pub fn member_initializer(
        &mut self,
        start: u32,
        end: u32,
        name: Name,
        mut values: Vec<ExprId>,
    ) -> StmtId {
        let right = match values.len() {
            1 => values.remove(0),
            _ => {
                let entries =
                    values.into_iter().map(|value| (Box::default(), Initializer::Expression(value)));
                self.expr(start, end, ExprKind::Braces(Initializer::List(entries.collect())))
            }
        };
        let base = self.expr(name.span.start, name.span.end, ExprKind::This);
        let left = self.expr(name.span.start, name.span.end, ExprKind::Member { base, arrow: true, name });
        let assign = self.expr(start, end, ExprKind::Assign { op: None, left, right });
        self.stmt(start, end, StmtKind::Expression(assign))
    }

    pub fn base_initializer(&mut self, start: u32, end: u32, ty: TypeId, arguments: Vec<ExprId>) -> StmtId {
        let made = self.expr(start, end, ExprKind::Construct { ty, arguments: arguments.into() });
        self.stmt(start, end, StmtKind::Expression(made))
    }

    // ---- Statements ----

    /// `construct` is the text of an opaque token.
    pub fn opaque(&mut self, start: u32, end: u32, construct: Symbol) -> UnsupportedConstruct {
        let construct = UnsupportedConstruct(construct.as_str());
        self.opaque.push((Span::new(start, end), construct));
        construct
    }

    pub fn opaque_statement(&mut self, start: u32, end: u32, construct: Symbol) -> StmtId {
        let construct = self.opaque(start, end, construct);
        self.stmt(start, end, StmtKind::Opaque(construct))
    }

    /// `T x = e` as a condition: a declaration, and the value of `x`.
    pub fn declared_condition(
        &mut self,
        span: Span,
        specifiers: Box<Specifiers>,
        declared: InitDeclarator,
    ) -> Condition {
        let name = declared.declarator.name;
        let statement = self.local(span, None, specifiers, vec![declared]);
        let value = match name {
            Some(name) => self.expr(name.span.start, name.span.end, ExprKind::Name(name.text)),
            None => self.expr(span.start, span.end, ExprKind::Error),
        };
        Condition { before: vec![statement], value }
    }

    /// Returns the statement. If its condition has declarations, returns a block with the declarations and
    /// the statement.
    fn behind(&mut self, start: u32, end: u32, before: Vec<StmtId>, kind: StmtKind) -> StmtId {
        let statement = self.stmt(start, end, kind);
        if before.is_empty() {
            return statement;
        }
        let all = before.into_iter().chain([statement]).collect();
        self.stmt(start, end, StmtKind::Compound(all))
    }

    /// The condition of `if constexpr`.
    pub fn constant_condition(&mut self, condition: Condition) -> Condition {
        let span = self.ast.exprs[condition.value].span;
        let value = self.expr(span.start, span.end, ExprKind::ConstantExpr(condition.value));
        Condition { value, ..condition }
    }

    pub fn if_statement(
        &mut self,
        start: u32,
        end: u32,
        condition: Condition,
        then: StmtId,
        otherwise: Option<StmtId>,
    ) -> StmtId {
        let kind = StmtKind::If { condition: condition.value, then, otherwise };
        self.behind(start, end, condition.before, kind)
    }

    pub fn switch_statement(&mut self, start: u32, end: u32, condition: Condition, body: StmtId) -> StmtId {
        let kind = StmtKind::Switch { condition: condition.value, body };
        self.behind(start, end, condition.before, kind)
    }

    /// `while (T x = e) s` declares `x` again in each iteration:
    /// `for (;;) { T x = e; if (x) s else break; }`.
    pub fn while_statement(&mut self, start: u32, end: u32, condition: Condition, body: StmtId) -> StmtId {
        let Condition { mut before, value } = condition;
        if before.is_empty() {
            return self.stmt(start, end, StmtKind::While { condition: value, body });
        }
        let leave = self.stmt(end, end, StmtKind::Break);
        before.push(self.stmt(
            start,
            end,
            StmtKind::If { condition: value, then: body, otherwise: Some(leave) },
        ));
        let init = self.stmt(start, start, StmtKind::Empty);
        let body = self.stmt(start, end, StmtKind::Compound(before.into()));
        self.stmt(start, end, StmtKind::For { init, condition: None, step: None, body })
    }

    pub fn range_for(
        &mut self,
        start: u32,
        end: u32,
        init: Option<StmtId>,
        variable: StmtId,
        range: ExprId,
        body: StmtId,
    ) -> StmtId {
        let init = init.unwrap_or_else(|| self.stmt(start, start, StmtKind::Empty));
        // Each iteration initialises the variable with an element.
        if let StmtKind::Declaration(decls) = &self.ast.stmts[variable].kind {
            let at = self.ast.exprs[range].span;
            for decl in decls.clone() {
                let element = self.expr(at.start, at.end, ExprKind::Element { range });
                self.ast.decls[decl].initializer = Some(Initializer::Expression(element));
            }
        }
        let body = self.stmt(start, end, StmtKind::Compound(Box::new([variable, body])));
        self.stmt(start, end, StmtKind::RangeFor { init, range, body })
    }

    // ---- Expressions ----

    pub fn path(&mut self, start: u32, end: u32, path: Box<Path>) -> ExprId {
        let kind = match &*path.segments {
            [Segment { name, arguments: None }] if !path.global => ExprKind::Name(name.text),
            _ => ExprKind::Path(path),
        };
        self.expr(start, end, kind)
    }

    pub fn member(&mut self, start: u32, end: u32, base: ExprId, arrow: bool, path: Box<Path>) -> ExprId {
        let kind = match &*path.segments {
            [Segment { name, arguments: None }] if !path.global => {
                ExprKind::Member { base, arrow, name: *name }
            }
            _ => ExprKind::MemberPath { base, arrow, path },
        };
        self.expr(start, end, kind)
    }

    /// Returns the value of an initialiser as an expression.
    fn value(&mut self, initializer: Initializer, span: Span) -> ExprId {
        match initializer {
            Initializer::Expression(value) => value,
            list => self.expr(span.start, span.end, ExprKind::Braces(list)),
        }
    }

    /// Returns the elements of a braced list, without their designators.
    pub fn elements(&mut self, list: Initializer) -> Vec<ExprId> {
        let Initializer::List(entries) = list else { return Vec::new() };
        let mut end = 0;
        let mut all = Vec::with_capacity(entries.len());
        for (_, entry) in entries {
            let value = self.value(entry, Span::new(end, end));
            end = self.ast.exprs[value].span.end;
            all.push(value);
        }
        all
    }

    /// `T{a, b}`, or `T{.x = a}`.
    pub fn construct(&mut self, start: u32, end: u32, ty: TypeId, list: Initializer) -> ExprId {
        let designated =
            matches!(&list, Initializer::List(entries) if entries.iter().any(|(path, _)| !path.is_empty()));
        if designated {
            return self.expr(start, end, ExprKind::CompoundLiteral { ty, initializer: list });
        }
        let arguments = self.elements(list);
        self.expr(start, end, ExprKind::Construct { ty, arguments: arguments.into() })
    }

    pub fn expansion(&mut self, pattern: ExprId) -> ExprId {
        let Span { start, end } = self.ast.exprs[pattern].span;
        self.expr(start, end, ExprKind::Expansion(pattern))
    }

    pub fn opaque_expr(&mut self, start: u32, end: u32, what: &'static str, operands: Vec<ExprId>) -> ExprId {
        self.expr(
            start,
            end,
            ExprKind::Opaque { what: UnsupportedConstruct(what), operands: operands.into() },
        )
    }

    /// An expression in parentheses, or a fold if one of its operands is `...`.
    pub fn paren(&mut self, start: u32, end: u32, inner: ExprId) -> ExprId {
        let operands = |id: ExprId| match &self.ast.exprs[id].kind {
            ExprKind::Binary { left, right, .. }
            | ExprKind::Assign { left, right, .. }
            | ExprKind::Comma { left, right } => Some((*left, *right)),
            _ => None,
        };
        let dots = |id: ExprId| matches!(&self.ast.exprs[id].kind, ExprKind::Fold { operands } if operands.is_empty());
        if let Some((left, right)) = operands(inner) {
            let folded: Option<Box<[ExprId]>> = if dots(left) {
                Some(Box::new([right]))
            } else if dots(right) {
                Some(Box::new([left]))
            } else {
                operands(left)
                    .filter(|(_, middle)| dots(*middle))
                    .map(|(first, _)| Box::new([first, right]) as Box<[ExprId]>)
            };
            if let Some(operands) = folded {
                return self.expr(start, end, ExprKind::Fold { operands });
            }
        }
        self.expr(start, end, ExprKind::Paren(inner))
    }

    pub fn lambda(
        &mut self,
        start: u32,
        end: u32,
        parts: Vec<LambdaCapture>,
        parameters: Option<(Vec<DeclId>, bool)>,
        body: StmtId,
    ) -> ExprId {
        let mut others = None;
        let mut captures = Vec::new();
        for part in parts {
            match part {
                LambdaCapture::Others { by_reference } => others = Some(by_reference),
                LambdaCapture::One(capture) => captures.push(capture),
            }
        }
        let parameters = parameters.map(|(parameters, _)| parameters).unwrap_or_default();
        let lambda = Lambda {
            capture_default: others,
            captures: captures.into(),
            parameters: parameters.into(),
            body,
        };
        self.expr(start, end, ExprKind::Lambda(Box::new(lambda)))
    }
}
