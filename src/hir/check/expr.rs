//! Checks expressions from the leaves up. The result types of operators are in `operator`.
//!
//! The nodes of an expression are listed, operands before operators, and checked in that order and without recursion:
//! left operands can nest a hundred thousand levels deep. `done` contains the result for each checked node.

use rustc_hash::FxHashSet;
use tangle_grammar::ast::{self, AddressSpace, ExprKind as Ast};
use tangle_grammar::lexicon::Grammar;
use tangle_grammar::literal::{Number, Precision, number};
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::FunctionKey;

use super::{Checker, ConversionContext, Meaning, Qualified, TypeProblemKind};
use crate::build::initializer_exprs;
use crate::declare::pointer_to;
use crate::layout::layout;
use crate::typed::{Constant, Conversion, ExprId, ExprKind, Storage, Unknown, Var};
use crate::types::{Pointer, Ty, TyKind};

impl<'a> Checker<'a> {
    /// Checks an expression: a place or a value.
    pub(super) fn expr(&mut self, root: ast::ExprId) -> ExprId {
        let language = self.dialect.lexicon().grammar();
        let mut order = Vec::new();
        let mut todo = vec![root];
        while let Some(id) = todo.pop() {
            order.push(id);
            operands(self.ast, &self.ast.exprs[id].kind, language, &mut todo);
        }
        // Each operator precedes its operands in the list, so the list is traversed from its end.
        for id in order.into_iter().rev() {
            let checked = self.node(id);
            self.done.insert(id, checked);
        }
        self.done[root]
    }

    /// Checks an expression as a value.
    pub(super) fn rvalue(&mut self, root: ast::ExprId) -> ExprId {
        let id = self.expr(root);
        self.value(id)
    }

    /// Returns the type of an expression that is not evaluated.
    pub(crate) fn type_of_expr(&mut self, root: ast::ExprId) -> Qualified {
        let id = self.expr(root);
        let place = self.place(id);
        let ty = self.exprs[id].ty;
        Qualified {
            ty,
            space: place.map(|place| place.space),
            constant: place.is_some_and(|place| place.constant),
            volatile: place.is_some_and(|place| place.volatile),
            restrict: false,
            of_device: false,
        }
    }

    /// Runs a check without recording problems.
    pub(crate) fn quietly<R>(&mut self, run: impl FnOnce(&mut Self) -> R) -> R {
        self.suppress_problems += 1;
        let result = run(self);
        self.suppress_problems -= 1;
        result
    }

    /// Whether an expression contains something unknown. It is then not reported if it is not constant.
    pub(crate) fn depends_on_unknown(&mut self, root: ast::ExprId) -> bool {
        let from = self.exprs.next_idx();
        let id = self.quietly(|checker| checker.expr(root));
        self.exprs[id].ty.is_unknown() || self.exprs[from..].iter().any(|expr| self.is_unknown(expr))
    }

    fn node(&mut self, id: ast::ExprId) -> ExprId {
        let ast: &'a ast::Ast = self.ast;
        let expr = &ast.exprs[id];
        let span = expr.span;
        match &expr.kind {
            Ast::Error => self.unknown(&[], Ty::UNKNOWN, span),
            Ast::Name(name) => self.name(*name, span),
            Ast::Number(text) => self.number(*text, span),
            Ast::Character(text) => {
                let value = i128::from(super::constant::character(text.as_str()));
                // A character constant is an `int` in C, and in C++ if it has several characters.
                let is_char = self.cpp && text.as_str().starts_with('\'') && (-128..=255).contains(&value);
                let (value, ty) =
                    if is_char { (i128::from(value as i8), Ty::CHAR) } else { (value, Ty::INT) };
                self.push(ExprKind::Constant(Constant::Integer(value)), ty, span)
            }
            Ast::String(pieces) => {
                let mut bytes = Vec::new();
                pieces.iter().for_each(|piece| super::constant::string(piece.as_str(), &mut bytes));
                bytes.push(0);
                let ty = Ty::array(Ty::CHAR, Some(bytes.len() as u64));
                self.push(ExprKind::String(bytes.into()), ty, span)
            }
            Ast::Paren(inner) | Ast::ConstantExpr(inner) | Ast::Arguments(inner) => self.done[*inner],
            Ast::Call { callee, arguments } if self.cpp => self.cpp_call(*callee, arguments, span),
            Ast::Call { callee, arguments } => self.call(*callee, arguments, span),
            Ast::Index { base, index } => self.index(*base, *index, span),
            Ast::Member { base, arrow: false, name }
                if let Ast::Name(variable) = ast.exprs[*base].kind
                    && let Some(index) = self.index_variable(variable, Some(name.text), span) =>
            {
                index
            }
            Ast::Member { base, arrow, name } => self.member(self.done[*base], *arrow, *name, span),
            Ast::Unary { op, operand } => {
                let operand = self.done[*operand];
                self.unary_call(*op, operand, span).unwrap_or_else(|| self.unary(*op, operand, span))
            }
            Ast::Binary { op, left, right } => {
                let operands = (self.done[*left], self.done[*right]);
                self.binary_call(*op, operands, span).unwrap_or_else(|| {
                    let (left, right) =
                        (self.operand_as_value(operands.0), self.operand_as_value(operands.1));
                    self.binary(*op, left, right, span)
                })
            }
            Ast::Assign { op, left, right } => {
                let (left, right) = (self.done[*left], self.done[*right]);
                self.assignment_call(*op, (left, right), span).unwrap_or_else(|| match op {
                    None => self.assign(left, right, span),
                    Some(op) => self.compound_assign(*op, left, right, span),
                })
            }
            Ast::Conditional { condition, then, otherwise } => {
                let then = then.map(|then| self.done[then]);
                self.conditional(self.done[*condition], then, self.done[*otherwise], span)
            }
            Ast::Comma { left, right } => {
                let left = self.done[*left];
                let right = self.value(self.done[*right]);
                let ty = self.exprs[right].ty;
                self.push(ExprKind::Comma { left, right }, ty, span)
            }
            Ast::Cast { ty, operand } => {
                let to = self.type_name(*ty).ty;
                if to.as_pointer().is_some_and(|pointer| pointer.reference) {
                    return self.cast_to_reference(self.done[*operand], to, span);
                }
                match to.as_vector() {
                    Some(_) if self.is_vector_literal(*operand) => self.vector_literal(to, *operand, span),
                    _ => self.cast(self.done[*operand], to, span),
                }
            }
            Ast::CompoundLiteral { ty, initializer } => self.compound_literal(*ty, initializer, span),
            Ast::SizeofExpr(operand) => {
                let operand = self.done[*operand];
                let ty = self.exprs[operand].ty;
                if self.bit_field(operand).is_some() {
                    return self.wrong(span, TypeProblemKind::NoAddress, &[]);
                }
                self.size(ty, None, span, |layout| layout.size)
            }
            Ast::SizeofType(id) => {
                let ty = self.type_name(*id).ty;
                if let Some(ast::DeclaratorStep::Array { size: None }) =
                    self.ast.types[*id].declarator.first()
                {
                    return self.wrong(span, TypeProblemKind::Incomplete { ty }, &[]);
                }
                let text = self.texts(|texts| texts.ty(*id)).map(|ty| format!("sizeof({ty})"));
                self.size(ty, text, span, |layout| layout.size)
            }
            Ast::AlignofExpr(operand) => {
                let operand = self.done[*operand];
                let ty = self.exprs[operand].ty;
                if self.bit_field(operand).is_some() {
                    return self.wrong(span, TypeProblemKind::NoAddress, &[]);
                }
                self.size(ty, None, span, |layout| layout.align.into())
            }
            Ast::AlignofType(id) => {
                let ty = self.type_name(*id).ty;
                let text = self.texts(|texts| texts.ty(*id)).map(|ty| format!("alignof({ty})"));
                self.size(ty, text, span, |layout| layout.align.into())
            }
            // `call` reports types in wrong positions.
            Ast::Type(ty) => {
                let ty = self.type_name(*ty).ty;
                match ty.as_function() {
                    // `Larger()` is an object, not the type of a function.
                    Some(function) if self.cpp && function.parameters.is_empty() => {
                        let class = self.complete(function.result);
                        self.constructed(class, &[], span)
                    }
                    _ => self.unknown(&[], ty, span),
                }
            }
            Ast::Offsetof { ty, member } => self.offsetof(*ty, *member, span),
            Ast::Astype { operand, ty } => {
                let to = self.type_name(*ty).ty;
                let from = self.exprs[self.done[*operand]].ty;
                let operand = self.value(self.done[*operand]);
                if let TyKind::Array { .. } = from.kind() {
                    return self.wrong(
                        span,
                        TypeProblemKind::Convert { from, to, what: ConversionContext::Cast },
                        &[operand],
                    );
                }
                self.reinterpret(operand, to, span)
            }
            Ast::VaArg { ty, list } => {
                let ty = self.type_name(*ty).ty;
                self.unknown(&[self.done[*list]], ty, span)
            }
            Ast::Generic { control, arms } => self.generic(*control, arms, span),
            Ast::Statement(body) => self.statement_expression(*body, span),
            Ast::LabelAddress(label) => {
                let target = self.body.as_ref().and_then(|body| body.labels.get(&label.text)).copied();
                let ty = Ty::pointer(Ty::VOID, AddressSpace::Generic);
                match target {
                    Some(target) => self.push(ExprKind::Label(target), ty, span),
                    None => self.unknown(&[], ty, span),
                }
            }
            Ast::Block { ty, parameters, body } => self.block(*ty, (parameters, *body), None, span),
            Ast::Path(_)
            | Ast::MemberPath { .. }
            | Ast::Construct { .. }
            | Ast::Braces(_)
            | Ast::This
            | Ast::Lambda(_)
            | Ast::Expansion(_)
            | Ast::Fold { .. }
            | Ast::Element { .. }
            | Ast::Launch { .. }
            | Ast::Opaque { .. } => self.cpp_node(id),
        }
    }

    fn name(&mut self, name: Symbol, span: ast::Span) -> ExprId {
        if let Some(index) = self.index_variable(name, None, span) {
            return index;
        }
        self.meaning(name, span).unwrap_or_else(|| {
            self.problem(span, TypeProblemKind::UnknownName(name));
            self.assume(name, false, span);
            self.unknown_as(Unknown::Name(name), &[], Ty::UNKNOWN, span)
        })
    }

    /// Returns the expression for a name. None: the name is undeclared.
    pub(super) fn meaning(&mut self, name: Symbol, span: ast::Span) -> Option<ExprId> {
        let found = self.lookup(name);
        self.meant(found, name, span)
    }

    /// Returns the expression for a name with this meaning. None: the name is undeclared.
    pub(super) fn meant(&mut self, found: Option<Meaning>, name: Symbol, span: ast::Span) -> Option<ExprId> {
        Some(match found {
            Some(Meaning::Variable(var)) => {
                let var = self.captured(name, var);
                let ty = self.complete(self.vars[var].ty);
                if let Storage::Extern(global) = self.vars[var].storage {
                    return Some(self.push(ExprKind::Global(global), ty, span));
                }
                let place = self.push(ExprKind::Variable(var), ty, span);
                self.deref_reference(place)
            }
            // A member of the class around hides names of the file scope.
            _ if let Some(member) = self.own_member(name, span) => member,
            Some(Meaning::TemplateValue { ty, .. }) => {
                self.unknown_as(Unknown::Dependent(name), &[], ty, span)
            }
            Some(Meaning::Global { name, ty, .. }) => {
                let ty = self.complete(ty);
                self.push(ExprKind::Global(name), ty, span)
            }
            Some(Meaning::Enumerator { value, ty }) => {
                self.push(ExprKind::Constant(Constant::Integer(value)), ty, span)
            }
            Some(Meaning::Functions(functions)) => {
                let ty = pointer_to(Qualified::plain(functions[0].ty), false);
                self.push(ExprKind::Function(functions[0].key), ty, span)
            }
            Some(Meaning::Type(_) | Meaning::Specialisations(_) | Meaning::Classes(_)) => {
                self.unknown(&[], Ty::UNKNOWN, span)
            }
            None => match name.as_str() {
                "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__" => {
                    let function = self.body.as_ref().map_or("", |body| body.body.name.text.as_str());
                    let bytes: Vec<u8> = function.bytes().chain([0]).collect();
                    let ty = Ty::array(Ty::CHAR, Some(bytes.len() as u64));
                    self.push(ExprKind::String(bytes.into()), ty, span)
                }
                // Calls of builtins are resolved with their arguments.
                text if text.starts_with("__builtin_")
                    || self.dialect.signatures().has(name)
                    || self.dialect.reinterpreted(name).is_some()
                    || self.dialect.counts_lanes(name) =>
                {
                    let ty = Ty::UNKNOWN;
                    self.push(ExprKind::Function(FunctionKey::plain(name)), ty, span)
                }
                _ => {
                    let (value, ty) = self.dialect.constant(name)?;
                    self.push(ExprKind::Constant(Constant::Integer(value)), ty, span)
                }
            },
        })
    }

    pub(super) fn number(&mut self, text: Symbol, span: ast::Span) -> ExprId {
        let (constant, ty) = match number(text.as_str()) {
            Ok(Number::Integer { value, unsigned, long }) => {
                let decimal = !text.as_str().starts_with('0') || text.as_str() == "0";
                let wide =
                    long || value > u64::from(u32::MAX) || (decimal && !unsigned && value > i32::MAX as u64);
                let ty = match (unsigned, wide) {
                    (true, false) => Ty::UINT,
                    (false, false) if value > i32::MAX as u64 => Ty::UINT,
                    (false, false) => Ty::INT,
                    (false, true) if value <= i64::MAX as u64 => Ty::LONG,
                    (_, true) => Ty::ULONG,
                };
                (Constant::Integer(value.into()), ty)
            }
            Ok(Number::Float { value, precision }) => match precision {
                Precision::Half => (Constant::float(super::constant::to_half(value)), Ty::HALF),
                Precision::Single => (Constant::float(f64::from(value as f32)), Ty::FLOAT),
                Precision::Double => (Constant::float(value), Ty::DOUBLE),
            },
            // The parser reports the error.
            Err(_) => return self.unknown(&[], Ty::UNKNOWN, span),
        };
        self.push(ExprKind::Constant(constant), ty, span)
    }

    fn index(&mut self, base: ast::ExprId, index: ast::ExprId, span: ast::Span) -> ExprId {
        let (base, index) = (self.done[base], self.done[index]);
        if let Some(called) = self.operator_call("[]", &[base, index], span) {
            return called;
        }
        let base = self.operand_as_value(base);
        if self.exprs[base].ty.as_vector().is_some() {
            let (element, _) = self.exprs[base].ty.as_vector().expect("checked above");
            let index = self.value(index);
            let ty = self.exprs[index].ty;
            if ty.is_unknown() {
                return self.unknown_as(Unknown::ElementOrTarget, &[base, index], element, span);
            }
            if !is_integer(ty) {
                let left = self.exprs[base].ty;
                let kind = TypeProblemKind::Operands { op: "[]", left, right: ty };
                return self.wrong(span, kind, &[base, index]);
            }
            return self.push(ExprKind::Lane { base, index }, element, span);
        }
        let (base, index) = (self.value(base), self.value(index));
        let (b, i) = (self.exprs[base].ty, self.exprs[index].ty);
        // `2[a]` is `a[2]`.
        let (pointer, index) = if b.as_pointer().is_some() { (base, index) } else { (index, base) };
        let (p, n) = (self.exprs[pointer].ty, self.exprs[index].ty);
        if b.is_unknown() {
            // The base is assumed to be a pointer: the element is not a part of the object that contains the base.
            let from = match self.is_part_of_given(base) {
                true => self.unknown(&[base], Ty::UNKNOWN, span),
                false => base,
            };
            // Without a pointer type, the base was swapped with the index above: `pointer` is the index.
            return self.unknown_as(Unknown::ElementOrTarget, &[from, pointer], Ty::UNKNOWN, span);
        }
        if p.is_unknown() || (p.as_pointer().is_none() && n.is_unknown()) {
            return self.unknown_as(Unknown::ElementOrTarget, &[pointer, index], Ty::UNKNOWN, span);
        }
        let (Some(target), true) = (p.as_pointer(), is_integer(n) || n.is_unknown()) else {
            let kind = TypeProblemKind::Operands { op: "[]", left: b, right: i };
            return self.wrong(span, kind, &[pointer, index]);
        };
        let pointee = self.complete(target.pointee);
        self.strides(p, span);
        let offset = self.push(ExprKind::Offset { pointer, index, negative: false }, p, span);
        self.push(ExprKind::Deref(offset), pointee, span)
    }

    /// Whether an expression is a member of a C++ parameter of unknown type. If indexed, it is assumed to be a pointer.
    fn is_part_of_given(&self, mut at: ExprId) -> bool {
        let mut is_part = false;
        loop {
            match &self.exprs[at].kind {
                ExprKind::Unknown { what: Unknown::ElementOrTarget | Unknown::Member(_), operands }
                    if self.cpp =>
                {
                    (at, is_part) = (operands[0], true);
                }
                // The target of a reference.
                ExprKind::Deref(of) | ExprKind::Load(of) if is_part => at = *of,
                ExprKind::Variable(var) => {
                    return is_part && self.vars[*var].storage == Storage::Parameter;
                }
                _ => return false,
            }
        }
    }

    /// Reports a pointee without a size, which pointer arithmetic needs. `void` and functions have size 1, as in GNU C.
    pub(super) fn strides(&mut self, pointer: Ty, span: ast::Span) {
        let Some(target) = pointer.as_pointer() else { return };
        let pointee = self.complete(target.pointee);
        let known = layout(pointee).is_some() || pointee.is_void() || pointee.as_function().is_some();
        if !known && !mentions_unknown(pointee) {
            self.problem(span, TypeProblemKind::Incomplete { ty: pointee });
        }
    }

    fn size(
        &mut self,
        ty: Ty,
        text: Option<String>,
        span: ast::Span,
        of: impl Fn(crate::layout::Layout) -> u64,
    ) -> ExprId {
        let ty = self.complete(ty);
        match layout(ty) {
            Some(layout) => {
                self.push(ExprKind::Constant(Constant::Integer(of(layout).into())), Ty::SIZE, span)
            }
            // GNU's `sizeof(void)` and `sizeof(function)` are 1.
            None if ty.is_void() || ty.as_function().is_some() => {
                self.push(ExprKind::Constant(Constant::Integer(1)), Ty::SIZE, span)
            }
            None => {
                if !mentions_unknown(ty) {
                    self.problem(span, TypeProblemKind::Incomplete { ty });
                }
                self.dependent(text, Ty::SIZE, span)
            }
        }
    }

    /// `as_T(x)`: the same bits as another type of the same size. A vector of 3 lanes has the size of 4.
    pub(super) fn reinterpret(&mut self, operand: ExprId, to: Ty, span: ast::Span) -> ExprId {
        let from = self.exprs[operand].ty;
        if from.is_unknown() || to.is_unknown() {
            return self.unknown(&[operand], to, span);
        }
        if from == to {
            return operand;
        }
        let sizes = (layout(from), layout(to));
        let fits = matches!(sizes, (Some(from), Some(to)) if from.size == to.size);
        let pointers = from.as_pointer().is_some() || to.as_pointer().is_some();
        match fits {
            true if pointers => self.cast(operand, to, span),
            true => self.push(ExprKind::Convert { conversion: Conversion::Bits, operand }, to, span),
            false => self.wrong(
                span,
                TypeProblemKind::Convert { from, to, what: ConversionContext::Cast },
                &[operand],
            ),
        }
    }

    fn generic(
        &mut self,
        control: ast::ExprId,
        arms: &[(Option<ast::TypeId>, ast::ExprId)],
        span: ast::Span,
    ) -> ExprId {
        let control = self.value(self.done[control]);
        let ty = self.exprs[control].ty;
        let mut chosen = None;
        for &(of, arm) in arms {
            match of {
                Some(of) if self.type_name(of).ty == ty => {
                    chosen = Some(arm);
                    break;
                }
                Some(_) => {}
                None => chosen = chosen.or(Some(arm)),
            }
        }
        match chosen {
            Some(arm) => self.done[arm],
            None if ty.is_unknown() => self.unknown(&[control], Ty::UNKNOWN, span),
            None => self.wrong(span, TypeProblemKind::NoMatchingType { ty }, &[control]),
        }
    }

    /// Adds a variable without a name, such as the object of a compound literal.
    pub(super) fn unnamed(
        &mut self,
        ty: Ty,
        storage: Storage,
        space: AddressSpace,
        span: ast::Span,
    ) -> super::VarId {
        self.vars.push(Var {
            name: None,
            ty,
            storage,
            space,
            constant: false,
            volatile: false,
            is_object: false,
            span,
        })
    }
}

/// Lists the operands of an expression that are checked before it.
fn operands(ast: &ast::Ast, kind: &Ast, language: Grammar, list: &mut Vec<ast::ExprId>) {
    match kind {
        Ast::Error
        | Ast::Name(_)
        | Ast::Number(_)
        | Ast::Character(_)
        | Ast::String(_)
        | Ast::SizeofType(_)
        | Ast::Type(_)
        | Ast::AlignofType(_)
        | Ast::Offsetof { .. }
        | Ast::CompoundLiteral { .. }
        | Ast::Statement(_)
        | Ast::LabelAddress(_)
        | Ast::Block { .. }
        | Ast::Path(_)
        | Ast::This => {}
        Ast::Paren(operand)
        | Ast::ConstantExpr(operand)
        | Ast::Arguments(operand)
        | Ast::Unary { operand, .. }
        | Ast::Cast { operand, .. }
        | Ast::SizeofExpr(operand)
        | Ast::AlignofExpr(operand)
        | Ast::Astype { operand, .. }
        | Ast::VaArg { list: operand, .. }
        | Ast::Member { base: operand, .. }
        | Ast::MemberPath { base: operand, .. }
        | Ast::Expansion(operand)
        | Ast::Element { range: operand } => list.push(*operand),
        Ast::Construct { arguments: operands, .. }
        | Ast::Fold { operands }
        | Ast::Opaque { operands, .. } => list.extend(operands.iter().copied()),
        Ast::Launch { callee, configuration, arguments } => {
            list.push(*callee);
            list.extend(configuration.iter().chain(arguments).copied());
        }
        Ast::Braces(initializer) => initializer_exprs(initializer, list),
        Ast::Lambda(lambda) => list.extend(lambda.captures.iter().filter_map(|capture| capture.initializer)),
        Ast::Index { base: left, index: right }
        | Ast::Binary { left, right, .. }
        | Ast::Assign { left, right, .. }
        | Ast::Comma { left, right } => list.extend([*left, *right]),
        Ast::Conditional { condition, then, otherwise } => {
            list.push(*condition);
            list.extend(then);
            list.push(*otherwise);
        }
        Ast::Call { callee, arguments } => {
            // The check of the call resolves the name of the callee.
            match ast.exprs[*callee].kind {
                Ast::Name(_) if !matches!(language, Grammar::Cpp) => {}
                // The object of the method is an operand, but not the method.
                Ast::Member { base, .. } | Ast::MemberPath { base, .. } if language == Grammar::Cpp => {
                    list.push(base);
                }
                _ => list.push(*callee),
            }
            list.extend(arguments.iter().copied());
        }
        Ast::Generic { control, arms } => {
            list.push(*control);
            list.extend(arms.iter().map(|&(_, arm)| arm));
        }
    }
}

pub(super) fn is_integer(ty: Ty) -> bool {
    matches!(ty.kind(), TyKind::Integer(_) | TyKind::Bool)
}

/// Whether a type contains an unknown type at any depth. An array without a length counts: its length depends on an
/// undeclared name, or the missing length is reported elsewhere.
pub(crate) fn mentions_unknown(ty: Ty) -> bool {
    let mut seen: FxHashSet<Ty> = FxHashSet::default();
    let mut todo = vec![ty];
    while let Some(ty) = todo.pop() {
        match ty.kind() {
            TyKind::Unknown | TyKind::Array { length: None, .. } => return true,
            TyKind::Array { element: inner, .. }
            | TyKind::Pointer(Pointer { pointee: inner, .. })
            | TyKind::Atomic(inner) => todo.push(*inner),
            TyKind::Record(record) if seen.insert(ty) => {
                let fields = record.definition.iter().flat_map(|definition| &definition.fields);
                todo.extend(fields.map(|field| field.ty));
            }
            _ => {}
        }
    }
    false
}
