//! Checks the expressions that only C++ has: qualified names, calls, references, construction of objects. The
//! [callee](super::callee) of a call is found in a separate module.
//!
//! An unsupported expression is an unknown value that depends on its operands (`docs/semantics.md` §9), so this module
//! reports no type errors, only undeclared names.
//!
//! ```c
//! __device__ void put(int &to, int v) { to = v; }   // `to` is a pointer that is dereferenced at each use
//! put(x, 1);                                        // the address of x is passed
//! ```

use tangle_grammar::ast::{
    self, AddressSpace, DeclaratorStep, ExprKind as Ast, Initializer as Syntax, Path, Span,
};
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::{Candidates, FunctionKey, UnresolvedCallee};

use super::callee::{CalleeCandidates, accepts, has_object};
use super::dependent::DependentTexts;
use super::{
    Checker, ConversionContext, FunctionMeaning, LookupKey, Meaning, Qualified, TypeProblem, TypeProblemKind,
};
use crate::body::CallId;
use crate::build::initializer_exprs;
use crate::builtin_class::builtin_class_type;
use crate::declare::pointer_to;
use crate::def::overload::{self, Resolution};
use crate::resolve::qualified_name;
use crate::typed::{Callee, Constant, Conversion, ExprId, ExprKind, Initializer, Storage, Unknown};
use crate::types::{FunctionTy, Pointer, RecordName, Ty, TyKind};
use tangle_syntax::dialect::{BuiltinKind, Index};

impl<'a> Checker<'a> {
    /// Checks an expression of a kind that only C++ has. Its operands are checked already.
    pub(super) fn cpp_node(&mut self, id: ast::ExprId) -> ExprId {
        let ast: &'a ast::Ast = self.ast;
        let ast::Expr { kind, span } = &ast.exprs[id];
        let span = *span;
        match kind {
            Ast::Path(path) => self.path(path, span),
            Ast::MemberPath { base, arrow, path } => {
                self.member(self.done[*base], *arrow, path.last().name, span)
            }
            Ast::Construct { ty, arguments } => {
                let to = self.type_name(*ty).ty;
                self.constructed(to, arguments, span)
            }
            Ast::Braces(initializer) => {
                let mut parts = Vec::new();
                initializer_exprs(initializer, &mut parts);
                let values = self.values_of(&parts);
                self.unknown(&values, Ty::UNKNOWN, span)
            }
            Ast::This => match self.lookup(Symbol::intern("this")) {
                Some(Meaning::Variable(var)) => self.this(var, span),
                _ => self.unknown_as(Unknown::Name(Symbol::intern("this")), &[], Ty::UNKNOWN, span),
            },
            Ast::Lambda(lambda) => self.block(None, (&lambda.parameters, lambda.body), Some(lambda), span),
            Ast::Expansion(inner) => {
                let value = self.value(self.done[*inner]);
                self.unknown(&[value], Ty::UNKNOWN, span)
            }
            Ast::Element { range } => {
                let range = self.value(self.done[*range]);
                self.unknown(&[range], Ty::UNKNOWN, span)
            }
            Ast::Fold { operands } | Ast::Opaque { operands, .. } => {
                let values = self.values_of(operands);
                self.unknown(&values, Ty::UNKNOWN, span)
            }
            Ast::Launch { callee, configuration, arguments } => {
                let all: Vec<ast::ExprId> =
                    [*callee].into_iter().chain(configuration.iter().chain(arguments).copied()).collect();
                let values = self.values_of(&all);
                self.unknown(&values, Ty::UNKNOWN, span)
            }
            _ => self.unknown(&[], Ty::UNKNOWN, span),
        }
    }

    fn values_of(&mut self, parts: &[ast::ExprId]) -> Vec<ExprId> {
        let values: Vec<ExprId> = parts.iter().map(|&part| self.value(self.done[part])).collect();
        values.into_iter().filter(|&value| !self.exprs[value].ty.is_void()).collect()
    }

    /// Checks a qualified name, or a name with template arguments. An undeclared one is a constant of the build:
    /// `T::size`.
    fn path(&mut self, path: &Path, span: Span) -> ExprId {
        let last = path.last().name;
        let full = qualified_name(path);
        if let Some((value, ty)) = self.dialect.constant(full) {
            return self.push(ExprKind::Constant(Constant::Integer(value)), ty, span);
        }
        let member = self.class_of_qualifier(path).and_then(|class| self.member_of_class(class, last.text));
        if let Some(Meaning::Enumerator { value, ty }) = member {
            return self.push(ExprKind::Constant(Constant::Integer(value)), ty, span);
        }
        match self.lookup_path(path) {
            Some(meaning @ (Meaning::Enumerator { .. } | Meaning::Global { .. } | Meaning::Functions(_))) => {
                let known = self.meant(Some(meaning), last.text, span);
                known.unwrap_or_else(|| self.unknown(&[], Ty::UNKNOWN, span))
            }
            _ => match self.lookup(path.segments[0].name.text) {
                // A member of a template argument is the same in all threads, like the argument.
                Some(Meaning::Type(q)) if q.ty.is_unknown() => {
                    self.dependent(self.texts(|texts| texts.path(path)), Ty::UNKNOWN, span)
                }
                _ => {
                    self.assume(full, false, span);
                    if self.is_dependent_path(path) {
                        return self.dependent(self.texts(|texts| texts.path(path)), Ty::UNKNOWN, span);
                    }
                    self.unknown_as(Unknown::Name(full), &[], Ty::UNKNOWN, span)
                }
            },
        }
    }

    /// Adds a constant that depends on template arguments, by its text. Without a text, it adds an unknown value.
    pub(super) fn dependent(&mut self, text: Option<String>, ty: Ty, span: Span) -> ExprId {
        match text {
            Some(text) => self.unknown_as(Unknown::Dependent(Symbol::intern(&text)), &[], ty, span),
            None => self.unknown(&[], ty, span),
        }
    }

    /// Returns a text of [`DependentTexts`].
    pub(super) fn texts(&self, of: impl FnOnce(&DependentTexts) -> Option<String>) -> Option<String> {
        let outside = self.body.as_ref().and_then(|body| Some(body.blocks.first()?.1));
        let blocks = outside.and_then(|outside| self.scopes.get(outside..)).unwrap_or_default();
        let is_declared_in_body =
            |name: Symbol| blocks.iter().any(|scope| scope.get(LookupKey::Ordinary(name)).is_some());
        of(&DependentTexts { ast: self.ast, is_declared_in_body: &is_declared_in_body })
    }

    /// Whether an undeclared name has template arguments that decide its value. If a convention covers its name, the
    /// arguments do not count.
    fn is_dependent_path(&self, path: &Path) -> bool {
        let conventions = self.dialect.builtins().conventions();
        path.segments.iter().any(|segment| segment.arguments.is_some())
            && conventions.of(qualified_name(path)).is_none()
    }

    /// Checks `T(a)` and `T{a, b}`.
    pub(super) fn constructed(&mut self, to: Ty, arguments: &[ast::ExprId], span: Span) -> ExprId {
        if let ([only], true) = (arguments, to.is_arithmetic() || to.as_pointer().is_some()) {
            return self.cast(self.done[*only], to, span);
        }
        let checked: Vec<ExprId> = arguments.iter().map(|&argument| self.done[argument]).collect();
        if let Some(object) = self.construct(to, checked, span) {
            return object;
        }
        if to.as_record().is_some_and(|record| record.definition.is_some()) {
            return self.aggregate(to, arguments, span);
        }
        let values = self.values_of(arguments);
        if let (Some((_, lanes)), true) = (to.as_vector(), !values.is_empty())
            && (values.len() == 1 || values.len() == usize::from(lanes))
        {
            return self.vector_of(to, values, span);
        }
        if values.is_empty() && (to.is_arithmetic() || to.as_vector().is_some()) {
            return self.push(ExprKind::Constant(Constant::Zero), to, span);
        }
        self.unknown(&values, to, span)
    }

    /// Checks `T{a, b}` for a class without constructors: a variable that is initialised field by field, or a copy.
    fn aggregate(&mut self, to: Ty, arguments: &[ast::ExprId], span: Span) -> ExprId {
        if let &[only] = arguments
            && self.exprs[self.done[only]].ty == to
        {
            return self.value(self.done[only]);
        }
        let part = |&argument: &ast::ExprId| match &self.ast.exprs[argument].kind {
            Ast::Braces(initializer) => (Box::default(), initializer.clone()),
            _ => (Box::default(), Syntax::Expression(argument)),
        };
        let list = Syntax::List(arguments.iter().map(part).collect());
        let (initializer, ty) = self.initializer(&list, to, span);
        let var = self.unnamed(ty, Storage::Automatic, AddressSpace::Private, span);
        let object = self.push(ExprKind::Compound { var, initializer }, ty, span);
        self.push(ExprKind::Load(object), ty, span)
    }

    /// Whether no constructor of a class takes these arguments, but the constructor without arguments, or that copies an
    /// object, which the compiler writes.
    fn is_of_compiler(
        &self,
        class: RecordName,
        constructors: &[FunctionMeaning],
        arguments: &[ExprId],
    ) -> bool {
        match *arguments {
            [] => !constructors.iter().any(|it| accepts(it, 0, true)),
            [object] if self.exprs[object].ty.as_record().is_some_and(|it| it.tag == Some(class)) => {
                let takes_object = |it: &FunctionMeaning| {
                    let parameter = it.ty.as_function().and_then(|function| function.parameters.get(1));
                    let parameter =
                        parameter.map(|ty| ty.as_pointer().map_or(*ty, |pointer| pointer.pointee));
                    parameter.is_some_and(|ty| {
                        ty.is_unknown() || ty.as_record().is_some_and(|record| record.tag == Some(class))
                    })
                };
                !constructors.iter().any(takes_object)
            }
            _ => false,
        }
    }

    /// Constructs an object of a class with constructors: adds a variable, and calls the constructor that the arguments
    /// select. None: the class has no constructors.
    pub(super) fn construct(&mut self, ty: Ty, arguments: Vec<ExprId>, span: Span) -> Option<ExprId> {
        let class = ty.as_record().and_then(|record| record.tag).filter(|_| self.cpp)?;
        let name = class.name();
        let candidates = self.methods_of(class, name);
        if candidates.is_empty() || self.is_of_compiler(class, &candidates, &arguments) {
            return None;
        }
        let var = self.unnamed(ty, Storage::Automatic, AddressSpace::Private, span);
        let nothing = Initializer { zero: false, entries: Box::default() };
        let memory = self.push(ExprKind::Compound { var, initializer: nothing }, ty, span);
        let address = self.address_of(memory, span);
        let named = UnresolvedCallee::Method(name);
        let called = CalleeCandidates { named, object: Some(address), candidates, only_candidates: true };
        let constructed = match self.select_candidate(&called, &arguments) {
            Some(function) => {
                let function = self.instance_of(function, &[], &[], &arguments);
                self.call_of(function, Some(address), arguments, None, span)
            }
            None => {
                let operands = self.operands_of_unknown(Some(address), &arguments);
                self.unknown_as(
                    Unknown::Call { named: Some(named), call: None, constant: false, template: None },
                    &operands,
                    Ty::UNKNOWN,
                    span,
                )
            }
        };
        let object = self.push(ExprKind::Variable(var), ty, span);
        let right = self.push(ExprKind::Load(object), ty, span);
        Some(self.push(ExprKind::Comma { left: constructed, right }, ty, span))
    }

    /// Returns the initialiser of a variable of a class with constructors. None: the variable is initialised as in C.
    pub(super) fn constructed_by(
        &mut self,
        syntax: Option<&Syntax>,
        ty: Ty,
        span: Span,
    ) -> Option<Initializer> {
        let arguments: Vec<ast::ExprId> = match syntax {
            None => Vec::new(),
            Some(Syntax::Arguments(all)) => all.to_vec(),
            Some(Syntax::List(list)) => {
                let plain = |(path, entry): &(Box<[ast::Designator]>, Syntax)| match entry {
                    Syntax::Expression(expr) if path.is_empty() => Some(*expr),
                    _ => None,
                };
                list.iter().map(plain).collect::<Option<_>>()?
            }
            Some(Syntax::Expression(_)) => return None,
        };
        let ty = self.complete(ty);
        let class = ty.as_record().and_then(|record| record.tag).filter(|_| self.cpp)?;
        if self.methods_of(class, class.name()).is_empty() {
            return None;
        }
        let arguments = arguments.into_iter().map(|argument| self.expr(argument)).collect();
        let value = self.construct(ty, arguments, span)?;
        Some(Initializer { zero: false, entries: [(Box::default(), value)].into() })
    }

    // ---- Variables of the language ----

    /// Returns the value of a variable of the language that contains the number of a thread or the size of a group:
    /// `threadIdx.x`.
    pub(super) fn index_variable(
        &mut self,
        name: Symbol,
        field: Option<Symbol>,
        span: Span,
    ) -> Option<ExprId> {
        if !self.dialect.is_index_variable(name) || self.lookup(name).is_some() {
            return None;
        }
        if let Some(index) = self.dialect.index(name, field) {
            return Some(self.index_value(index, span));
        }
        let function = self.dialect.index(name, Some(Symbol::intern("x")))?.function;
        Some(self.indices(function, span))
    }

    /// Returns the vector of the results of an id function in all dimensions: `threadIdx`.
    pub(super) fn indices(&mut self, function: Symbol, span: Span) -> ExprId {
        let index = |dimension| Index { function, dimension: Some(dimension) };
        let parts: Box<[ExprId]> = (0..3).map(|dimension| self.index_value(index(dimension), span)).collect();
        let ty = Ty::vector_of(self.dialect.types().vector_abi(), Ty::UINT, 3);
        self.push(ExprKind::Vector(parts), ty, span)
    }

    /// Returns one lane of a vector of [`Self::indices`].
    pub(super) fn lane_of_indices(&self, vector: ExprId, lanes: &[u8]) -> Option<ExprId> {
        let (ExprKind::Vector(parts), &[lane]) = (&self.exprs[vector].kind, lanes) else { return None };
        let part = *parts.get(usize::from(lane))?;
        // Other vectors can have lanes with side effects.
        let ExprKind::Call { callee: Callee::Builtin { name, .. }, .. } = self.exprs[part].kind else {
            return None;
        };
        let kind = self.dialect.builtins().get(name)?.kind;
        matches!(kind, Some(BuiltinKind::Id | BuiltinKind::Size)).then_some(part)
    }

    fn index_value(&mut self, index: Index, span: Span) -> ExprId {
        let dimension = index.dimension.map(|dimension| Constant::Integer(dimension.into()));
        let arguments: Vec<ExprId> =
            dimension.into_iter().map(|it| self.push(ExprKind::Constant(it), Ty::UINT, span)).collect();
        let parameters = arguments.iter().map(|_| Ty::UINT).collect();
        let function = FunctionTy { result: Ty::UINT, parameters, variadic: false };
        let ty = Ty::new(TyKind::Function(Box::new(function)));
        let callee = Callee::Builtin { name: index.function, ty };
        self.push(ExprKind::Call { callee, arguments: arguments.into(), call: None }, Ty::UINT, span)
    }

    // ---- References ----

    /// Returns the target of a reference. Other expressions are unchanged.
    pub(super) fn deref_reference(&mut self, id: ExprId) -> ExprId {
        let (ty, span) = (self.exprs[id].ty, self.exprs[id].span);
        let Some(&Pointer { pointee, reference: true, .. }) = ty.as_pointer() else { return id };
        let pointer = match self.place(id) {
            Some(_) => self.push(ExprKind::Load(id), ty, span),
            None => id,
        };
        let pointee = self.complete(pointee);
        self.push(ExprKind::Deref(pointer), pointee, span)
    }

    /// Checks a cast to a reference type: memory is accessed as another type. A value is unchanged.
    pub(super) fn cast_to_reference(&mut self, operand: ExprId, to: Ty, span: Span) -> ExprId {
        let is_place = self.place(operand).is_some_and(|place| !place.partial);
        if !is_place && !matches!(self.exprs[operand].kind, ExprKind::Unknown { .. }) {
            return operand;
        }
        let address = self.address_of(operand, span);
        let pointer = self.cast(address, as_pointer_type(to), span);
        let pointee = to.as_pointer().map_or(Ty::UNKNOWN, |pointer| pointer.pointee);
        let pointee = self.complete(pointee);
        self.push(ExprKind::Deref(pointer), pointee, span)
    }

    /// Returns the address that initialises a reference. A value is stored in a new variable.
    fn reference_to(&mut self, id: ExprId, reference: Ty) -> ExprId {
        let (ty, span) = (self.exprs[id].ty, self.exprs[id].span);
        let is_place = self.place(id).is_some_and(|place| !place.partial);
        if is_place || matches!(self.exprs[id].kind, ExprKind::Unknown { .. }) {
            let address = self.address_of(id, span);
            return match self.exprs[address].ty.is_unknown() {
                true => address,
                false => self.assigned(address, as_pointer_type(reference), ConversionContext::Argument(0)),
            };
        }
        let value = self.value(id);
        if ty.is_unknown() || ty.is_void() || ty.as_function().is_some() {
            return self.unknown_as(Unknown::Address, &[value], Ty::UNKNOWN, span);
        }
        let address = self.address_of_value(value);
        self.as_object(address, reference)
    }

    /// Stores a value in a new variable, and returns the address of the variable.
    pub(super) fn address_of_value(&mut self, value: ExprId) -> ExprId {
        let (ty, span) = (self.exprs[value].ty, self.exprs[value].span);
        let value = self.value(value);
        let var = self.unnamed(ty, Storage::Automatic, AddressSpace::Private, span);
        let initializer = Initializer { zero: false, entries: [(Box::default(), value)].into() };
        let place = self.push(ExprKind::Compound { var, initializer }, ty, span);
        self.address_of(place, span)
    }

    /// Converts an expression to the type of a parameter or variable, which may be a reference.
    pub(super) fn bind_or_convert(&mut self, id: ExprId, to: Ty, what: ConversionContext) -> ExprId {
        match to.as_pointer() {
            Some(pointer) if pointer.reference => self.reference_to(id, to),
            _ => self.assigned(id, to, what),
        }
    }

    /// Deduces the type of an `auto` variable from its initialiser. Returns the initialiser of an `auto` variable or a
    /// reference.
    pub(super) fn deduce_auto(&mut self, decl: &'a ast::Decl, q: &mut Qualified) -> Option<Initializer> {
        let reference = q.ty.as_pointer().is_some_and(|pointer| pointer.reference);
        let auto = decl.specifiers.types.contains(&ast::TypeSpecifier::Auto);
        if !self.cpp || !(reference || auto) {
            return None;
        }
        let only = match decl.initializer.as_ref()? {
            Syntax::Expression(expr) => Some(*expr),
            Syntax::Arguments(all) => all.first().copied().filter(|_| all.len() == 1),
            Syntax::List(list) => match &**list {
                [(path, Syntax::Expression(expr))] if path.is_empty() => Some(*expr),
                _ => None,
            },
        };
        let id = self.expr(only?);
        if auto {
            let found = match reference {
                true => self.exprs[id].ty,
                false => {
                    let value = self.value(id);
                    self.exprs[value].ty
                }
            };
            q.ty = match decl.declarator.first() {
                Some(DeclaratorStep::Reference { .. }) => {
                    let space = self.place(id).map(|place| place.space);
                    let of = Qualified { space, constant: q.constant, ..Qualified::plain(found) };
                    as_reference(pointer_to(of, false))
                }
                // `auto *p = …` has the type of the pointer.
                _ => found,
            };
        }
        let value = self.bind_or_convert(id, q.ty, ConversionContext::Initialise);
        Some(Initializer { zero: false, entries: [(Box::default(), value)].into() })
    }

    // ---- Calls ----

    /// Checks a call in C++. Its arguments are not converted to values yet: an argument that is passed by reference
    /// stays a place.
    pub(super) fn cpp_call(&mut self, callee: ast::ExprId, arguments: &[ast::ExprId], span: Span) -> ExprId {
        let place = self.ast.exprs[callee].span;
        let call = self.body.as_ref().and_then(|body| body.calls.get(&place)).copied();
        let arguments: Vec<ExprId> = arguments.iter().map(|&argument| self.done[argument]).collect();
        let called = self.called(callee, &arguments).or_else(|| self.call_operator(self.done[callee]));
        let Some(mut called) = called else {
            return self.call_of_value(self.done[callee], arguments, call, span);
        };
        let has_address = called.object.is_some();
        called.retain(|it| accepts(it, arguments.len(), has_address));
        let written = self.written_arguments(callee);
        let specialisations = called.take_specialisations();
        called.retain_by_template_arguments(written.len());
        let chosen = self.select_candidate(&called, &arguments);
        let CalleeCandidates { mut named, object, candidates, only_candidates: is_closed } = called;
        if is_closed && !candidates.is_empty() {
            let keys: Vec<FunctionKey> = candidates.iter().map(|it| it.key).collect();
            named = UnresolvedCallee::OneOf { candidates: Candidates::new(&keys), of_object: has_address };
        }
        if let (true, UnresolvedCallee::Function(name)) = (candidates.is_empty() && object.is_none(), named) {
            self.undeclared(name, place);
        }
        if let Some(function) = chosen {
            let function = self.instance_of(function, written, &specialisations, &arguments);
            return self.call_of(function, object, arguments, call, span);
        }
        // Each candidate can write its arguments that are passed by reference.
        let mut arguments = arguments;
        for (number, argument) in arguments.iter_mut().enumerate() {
            let takes_reference = |it: &FunctionMeaning| {
                let hidden = usize::from(has_address && has_object(it));
                let parameter = it.ty.as_function().and_then(|of| of.parameters.get(number + hidden));
                parameter.and_then(|ty| ty.as_pointer()).is_some_and(|it| it.reference && !it.constant)
            };
            if candidates.iter().any(takes_reference) && self.place(*argument).is_some() {
                let at = self.exprs[*argument].span;
                *argument = self.address_of(*argument, at);
            }
        }
        let of_type = object.is_none() && self.is_static_member_call(callee);
        let template = match &self.ast.exprs[callee].kind {
            Ast::Path(path) if self.is_dependent_path(path) => {
                Some(self.texts(|texts| texts.path(path)).map_or(Symbol::EMPTY, |text| Symbol::intern(&text)))
            }
            _ => None,
        };
        let named = self.row_for_group(named, &arguments);
        if let Some(called) = self.group_call(callee, named, &arguments, call, span) {
            return called;
        }
        let class = match &self.ast.exprs[callee].kind {
            Ast::Path(path) => self.class_made(named, Some(path)),
            _ => self.class_made(named, None),
        };
        self.call_of_builtin((named, class), (object, of_type, template), arguments, call, span)
    }

    /// Replaces the name of a free function by the row for the class of its first argument, a group.
    fn row_for_group(&self, named: UnresolvedCallee, arguments: &[ExprId]) -> UnresolvedCallee {
        let UnresolvedCallee::Function(name) = named else { return named };
        let row = || {
            let (_, own) = name.as_str().rsplit_once("::")?;
            self.row_of_class(self.exprs[*arguments.first()?].ty, Symbol::intern(own))
        };
        row().map_or(named, UnresolvedCallee::Function)
    }

    /// Returns the class of the object that a call makes, if it is a class of the language:
    /// `cub::BlockReduce<int, 128>(storage)`.
    fn class_made(&mut self, named: UnresolvedCallee, path: Option<&Path>) -> Option<Ty> {
        let name = named.table_name()?;
        let builtins = self.dialect.builtins();
        let class = match builtins.get(name).and_then(|row| row.gives.as_deref()) {
            Some(class) => Symbol::intern(class),
            None if builtins.is_class(name) => name,
            None => return None,
        };
        Some(match path {
            Some(path) => self.class_of_path(class, path),
            None => builtin_class_type(self.dialect, class, None),
        })
    }

    /// Whether a callee is a static function of a type: `T::size`, `tile<N>::size`.
    fn is_static_member_call(&self, callee: ast::ExprId) -> bool {
        let Ast::Path(path) = &self.ast.exprs[callee].kind else { return false };
        let Some((_, owners)) = path.segments.split_last() else { return false };
        let is_type = |it: &ast::Segment| {
            it.arguments.is_some() || matches!(self.lookup(it.name.text), Some(Meaning::Type(_)))
        };
        owners.iter().any(is_type)
    }

    /// Adds a call of a builtin or of an undeclared function. If all arguments are constants, the result of a static
    /// function of a type is the same for all threads (`docs/semantics.md` §9).
    fn call_of_builtin(
        &mut self,
        (named, given): (UnresolvedCallee, Option<Ty>),
        (object, of_type, template): (Option<ExprId>, bool, Option<Symbol>),
        mut arguments: Vec<ExprId>,
        call: Option<CallId>,
        span: Span,
    ) -> ExprId {
        let row = named.table_name().and_then(|name| self.dialect.builtins().get(name));
        for argument in row.into_iter().flat_map(|row| &row.writes) {
            if let Some(argument) = arguments.get_mut(usize::from(argument.0)) {
                let at = self.exprs[*argument].span;
                *argument = self.address_of(*argument, at);
            }
        }
        let operands = self.operands_of_unknown(object, &arguments);
        let overload = match given {
            Some(_) => None,
            None => self.overload_of_builtin(named, &operands),
        };
        let takes = |of: &FunctionTy, count: usize| {
            count == of.parameters.len() || of.variadic && count > of.parameters.len()
        };
        let is_known = |operand: &ExprId| {
            let ty = self.exprs[*operand].ty;
            !ty.is_unknown() && ty.as_pointer().is_none_or(|pointer| !pointer.pointee.is_unknown())
        };
        if let (UnresolvedCallee::Function(name), None, Some(ty)) = (named, object, overload)
            && operands.iter().all(is_known)
            && let Some(function) = ty.as_function().filter(|of| takes(of, operands.len()))
        {
            return self.finish_call(
                Callee::Builtin { name, ty },
                function,
                Some(name),
                operands,
                call,
                span,
            );
        }
        let is_number = row.is_some_and(|row| row.index.is_some() && row.gives.is_none());
        let result = overload.and_then(Ty::as_function).map_or(Ty::UNKNOWN, |function| function.result);
        let ty = given.unwrap_or(match result.is_unknown() && is_number {
            // The number of a thread, or the number of threads.
            true => Ty::UINT,
            false => result,
        });
        let constant = of_type && operands.iter().all(|&operand| self.is_constant(operand));
        self.unknown_as(Unknown::Call { named: Some(named), call, constant, template }, &operands, ty, span)
    }

    /// Reports an undeclared function. A qualified name is not reported: a missing header may declare it.
    fn undeclared(&mut self, name: Symbol, span: Span) {
        let is_known = self.dialect.builtins().get(name).is_some()
            || self.dialect.signatures().has(name)
            || self.dialect.types().get(name).is_some()
            || self.lookup(name).is_some();
        if self.is_speculative() || is_known || name.as_str().contains("::") {
            return;
        }
        self.problems.push(TypeProblem { span, kind: TypeProblemKind::UndeclaredFunction(name) });
    }

    /// Adds a call of a known function.
    pub(super) fn call_of(
        &mut self,
        function: FunctionMeaning,
        object: Option<ExprId>,
        arguments: Vec<ExprId>,
        call: Option<CallId>,
        span: Span,
    ) -> ExprId {
        let FunctionMeaning { key, ty, .. } = function;
        let ty = self.complete_function(ty);
        let Some(of) = ty.as_function() else { return self.unknown(&arguments, Ty::UNKNOWN, span) };
        let mut converted = Vec::with_capacity(of.parameters.len());
        if has_object(&function) {
            converted.push(match object {
                Some(object) => self.as_object(object, of.parameters[0]),
                None => self.unknown(&[], Ty::UNKNOWN, span),
            });
        }
        for argument in arguments {
            converted.push(match of.parameters.get(converted.len()) {
                Some(&parameter) => {
                    let parameter = self.complete(parameter);
                    self.bind_or_convert(argument, parameter, ConversionContext::Argument(converted.len()))
                }
                None => self.value(argument),
            });
        }
        while let Some(&parameter) = of.parameters.get(converted.len()) {
            let value = match function.default_value(converted.len()) {
                Some(value) if parameter.as_integer().is_some() || parameter == Ty::BOOL => {
                    let value = self.push(ExprKind::Constant(Constant::Integer(value)), Ty::LONG, span);
                    self.cast(value, parameter, span)
                }
                // Any other default argument is assumed to be a constant of the build.
                _ => self.unknown(&[], parameter, span),
            };
            converted.push(value);
        }
        let result = self.complete(of.result);
        let callee = Callee::Function { key, ty };
        let called = self.push(ExprKind::Call { callee, arguments: converted.into(), call }, result, span);
        self.deref_reference(called)
    }

    /// Returns a type of a function with the members of the records that it takes and returns. They can be missing in the
    /// type of an instance, and of a method inside of its class.
    fn complete_function(&self, ty: Ty) -> Ty {
        let Some(function) = ty.as_function() else { return ty };
        let parameters: Box<[Ty]> = function.parameters.iter().map(|&ty| self.complete(ty)).collect();
        let result = self.complete(function.result);
        if result == function.result && parameters == function.parameters {
            return ty;
        }
        Ty::new(TyKind::Function(Box::new(FunctionTy { result, parameters, variadic: function.variadic })))
    }

    /// Converts the address of an object to the address space of `this`, and that of an object of unknown type to its
    /// type.
    fn as_object(&mut self, object: ExprId, this: Ty) -> ExprId {
        let ty = self.exprs[object].ty;
        match (ty.as_pointer(), this.as_pointer()) {
            (Some(of), Some(this)) if of.space != this.space || of.pointee.is_unknown() => {
                let pointee = if of.pointee.is_unknown() { this.pointee } else { of.pointee };
                let to = Ty::new(TyKind::Pointer(Pointer { space: this.space, pointee, ..*of }));
                self.converted(object, to, Conversion::Pointer)
            }
            _ => object,
        }
    }

    /// Adds a call of the value of a variable or an expression: a function pointer, a lambda, an object with
    /// `operator()`.
    fn call_of_value(
        &mut self,
        target: ExprId,
        arguments: Vec<ExprId>,
        call: Option<CallId>,
        span: Span,
    ) -> ExprId {
        let target = self.value(target);
        let ty = self.exprs[target].ty;
        let values: Vec<ExprId> = arguments.iter().map(|&argument| self.value(argument)).collect();
        let function = ty.as_pointer().map(|pointer| pointer.pointee).filter(|of| of.as_function().is_some());
        if function.is_some() {
            // A function pointer can point to any function.
            let operands: Vec<ExprId> = [target].into_iter().chain(values).collect();
            return self.unknown_as(
                Unknown::Call { named: None, call, constant: false, template: None },
                &operands,
                Ty::UNKNOWN,
                span,
            );
        }
        let lambda = match ty.kind() {
            TyKind::BlockPointer(_) => self.lambda_of(target),
            _ => None,
        };
        let Some(lambda) = lambda else {
            let named = UnresolvedCallee::Undeclared { name: Symbol::intern("operator()"), of_object: true };
            let operands: Vec<ExprId> = [target].into_iter().chain(values).collect();
            return self.unknown_as(
                Unknown::Call { named: Some(named), call, constant: false, template: None },
                &operands,
                Ty::UNKNOWN,
                span,
            );
        };
        self.call_of_lambda(lambda, arguments, call, span)
    }

    /// Returns the operands of an unknown call: the address of the object, and the values of the arguments.
    fn operands_of_unknown(&mut self, object: Option<ExprId>, arguments: &[ExprId]) -> Vec<ExprId> {
        let values: Vec<ExprId> = arguments.iter().map(|&argument| self.value(argument)).collect();
        let all = object.into_iter().chain(values);
        all.filter(|&value| !self.exprs[value].ty.is_void()).collect()
    }

    /// Returns the type of the overload of a builtin for these arguments, if the table of types has it.
    fn overload_of_builtin(&mut self, named: UnresolvedCallee, operands: &[ExprId]) -> Option<Ty> {
        let name = named.table_name()?;
        let found: Vec<Ty> = operands.iter().map(|&operand| self.exprs[operand].ty).collect();
        match overload::resolve(self.dialect, name, &found) {
            Resolution::Found { ty } => Some(ty),
            _ => None,
        }
    }
}

/// Returns a reference type as a pointer type.
fn as_pointer_type(reference: Ty) -> Ty {
    match reference.as_pointer() {
        Some(pointer) => Ty::new(TyKind::Pointer(Pointer { reference: false, ..*pointer })),
        None => reference,
    }
}

/// Returns a pointer type as a reference type.
pub(crate) fn as_reference(pointer: Ty) -> Ty {
    match pointer.as_pointer() {
        Some(pointer) => Ty::new(TyKind::Pointer(Pointer { reference: true, ..*pointer })),
        None => pointer,
    }
}
