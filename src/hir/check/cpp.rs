//! What C++ adds to expressions: qualified names, calls of one of several functions, references, values made of values.
//!
//! What is not understood is something unknown that is made of its operands (`docs/semantics.md` §9), so nothing here is called wrong.
//!
//! ```c
//! __device__ void put(int &to, int v) { to = v; }   // to: a reference is a pointer that is read through
//! put(x, 1);                                        // the address of x is passed
//! tile.load(p);                                     // a method: of the class of `tile`, if that is known
//! ns::f(1);                                         // the functions called f, of which the types choose one
//! ```
//!
//! **Candidates** of a call: the functions that its name may mean, and that take as many arguments. Where types do not choose one, the call is one of
//! them: it is known by name only, and convergent if any of that name is. An object of an unknown type is of none of the classes that are known by their
//! `operator()`, nor of the class around: tensors and tiles of libraries that are not there are used so all the time.

use std::fmt::Display;

use rustc_hash::FxHashSet;
use tangle_grammar::ast::{self, AddressSpace, Derived, ExprKind as Ast, Initializer as Syntax, Path, Span};
use tangle_grammar::symbol::Symbol;
use tangle_ir::Namespace;
use tangle_ir::key::{Candidates, FunctionKey, Named, Owner};

use super::{Checker, Entry, FunctionMeaning, Meaning, Qualified, TypeProblem, TypeProblemKind, Use, Used};
use crate::body::CallId;
use crate::build::initializer_exprs;
use crate::declare::pointer_to;
use crate::def::overload::{self, Resolution};
use crate::resolve::spelled;
use crate::typed::{
    Callee, Constant, Conversion, ExprId, ExprKind, Initializer, Storage, TypedBody, Unknown,
};
use crate::types::{Class, Definition, FunctionTy, Pointer, Record, Ty, TyKind};
use tangle_syntax::dialect::Index;

/// What is called, as far as its name tells.
struct Called {
    /// By what it is known if none of the candidates is chosen.
    named: Named,
    /// The object in front of `.name`, as an address.
    object: Option<ExprId>,
    candidates: Vec<FunctionMeaning>,
    /// The call means one of the candidates, because of the path or the class of the object.
    is_closed: bool,
}

impl Called {
    /// Leaves the candidates that may be meant. If there were some and none is left, it is a function that nothing here declares, whose name some here
    /// have as well.
    fn retain(&mut self, mut may_be_meant: impl FnMut(&FunctionMeaning) -> bool) {
        let some = !self.candidates.is_empty();
        self.candidates.retain(&mut may_be_meant);
        if some
            && self.candidates.is_empty()
            && let Some(name) = self.named.name()
        {
            self.named = Named::Foreign { name, of_object: self.object.is_some() };
        }
    }
}

impl<'a> Checker<'a> {
    /// An expression of a kind that only C++ has, with its operands checked.
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
            Ast::Lambda(lambda) => self.block(None, &lambda.parameters, lambda.body, span),
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

    /// A qualified name, or one with template arguments. What nothing declares is a constant of the build: `T::size`.
    fn path(&mut self, path: &Path, span: Span) -> ExprId {
        let last = path.last().name;
        let full = spelled(path);
        if let Some((value, ty)) = self.dialect.constant(full) {
            return self.push(ExprKind::Constant(Constant::Integer(value)), ty, span);
        }
        match self.lookup_path(path) {
            Some(meaning @ (Meaning::Enumerator { .. } | Meaning::Global { .. } | Meaning::Functions(_))) => {
                let known = self.meant(Some(meaning), last.text, span);
                known.unwrap_or_else(|| self.unknown(&[], Ty::UNKNOWN, span))
            }
            _ => match self.lookup(path.segments[0].name.text) {
                // A part of what a template is given is given, too.
                Some(Meaning::Type(q)) if q.ty.is_unknown() => self.unknown(&[], Ty::UNKNOWN, span),
                _ => {
                    self.assume(full, false, span);
                    self.unknown_as(Unknown::Name(full), &[], Ty::UNKNOWN, span)
                }
            },
        }
    }

    /// `T(a)`, `T{a, b}`.
    fn constructed(&mut self, to: Ty, arguments: &[ast::ExprId], span: Span) -> ExprId {
        if let ([only], true) = (arguments, to.is_arithmetic() || to.as_pointer().is_some()) {
            return self.cast(self.done[*only], to, span);
        }
        let checked: Vec<ExprId> = arguments.iter().map(|&argument| self.done[argument]).collect();
        if let Some(object) = self.construct(to, checked, span) {
            return object;
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

    /// An object of a class with constructors: memory of its own, given to the constructor that the arguments choose. None: the class has none.
    pub(super) fn construct(&mut self, ty: Ty, arguments: Vec<ExprId>, span: Span) -> Option<ExprId> {
        let class = ty.as_record().and_then(|record| record.tag).filter(|_| self.cpp)?;
        let name = class.name();
        let mut candidates = self.functions(Entry::Methods(name));
        candidates.retain(|it| it.key.owner == Owner::Class(class));
        if candidates.is_empty() {
            return None;
        }
        let var = self.unnamed(ty, Storage::Automatic, AddressSpace::Private, span);
        let nothing = Initializer { zero: false, entries: Box::default() };
        let memory = self.push(ExprKind::Compound { var, initializer: nothing }, ty, span);
        let address = self.address_of(memory, span);
        let named = Named::Method(name);
        let called = Called { named, object: Some(address), candidates, is_closed: true };
        let constructed = match self.chosen(&called, &arguments) {
            Some(function) => self.call_of(function, Some(address), arguments, None, span),
            None => {
                let operands = self.operands_of_unknown(Some(address), &arguments);
                self.unknown_as(
                    Unknown::Call { named: Some(named), call: None, constant: false },
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

    /// How a variable of a class with constructors begins. None: as one of C does.
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
        let constructors = self.functions(Entry::Methods(class.name()));
        constructors.iter().find(|it| it.key.owner == Owner::Class(class))?;
        let arguments = arguments.into_iter().map(|argument| self.expr(argument)).collect();
        let value = self.construct(ty, arguments, span)?;
        Some(Initializer { zero: false, entries: [(Box::default(), value)].into() })
    }

    // ---- What the language has under names of its own ----

    /// A variable of the language that holds the number of a thread or the size of a group: `threadIdx.x`.
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
        // All of it at once.
        let fields = ["x", "y", "z"].map(Symbol::intern);
        let dialect = self.dialect;
        let parts = fields.into_iter().filter_map(|field| dialect.index(name, Some(field)));
        let parts: Vec<ExprId> = parts.map(|index| self.index_value(index, span)).collect();
        Some(self.unknown(&parts, Ty::UNKNOWN, span))
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

    /// What a reference refers to, where a place or value of its type stands; anything else as it is.
    pub(super) fn referred(&mut self, id: ExprId) -> ExprId {
        let (ty, span) = (self.exprs[id].ty, self.exprs[id].span);
        let Some(&Pointer { pointee, reference: true, .. }) = ty.as_pointer() else { return id };
        let pointer = match self.place(id) {
            Some(_) => self.push(ExprKind::Load(id), ty, span),
            None => id,
        };
        let pointee = self.complete(pointee);
        self.push(ExprKind::Deref(pointer), pointee, span)
    }

    /// What a cast to a reference type refers to: memory, seen as another type. A value stays one.
    pub(super) fn cast_to_reference(&mut self, operand: ExprId, to: Ty, span: Span) -> ExprId {
        let is_place = self.place(operand).is_some_and(|place| !place.partial);
        if !is_place && !matches!(self.exprs[operand].kind, ExprKind::Unknown { .. }) {
            return operand;
        }
        let address = self.address_of(operand, span);
        let pointer = self.cast(address, plain(to), span);
        let pointee = to.as_pointer().map_or(Ty::UNKNOWN, |pointer| pointer.pointee);
        let pointee = self.complete(pointee);
        self.push(ExprKind::Deref(pointer), pointee, span)
    }

    /// The address of something as a reference of a type begins with it. A value gets memory of its own.
    fn reference_to(&mut self, id: ExprId, reference: Ty) -> ExprId {
        let (ty, span) = (self.exprs[id].ty, self.exprs[id].span);
        let is_place = self.place(id).is_some_and(|place| !place.partial);
        if is_place || matches!(self.exprs[id].kind, ExprKind::Unknown { .. }) {
            let address = self.address_of(id, span);
            return match self.exprs[address].ty.is_unknown() {
                true => address,
                false => self.assigned(address, plain(reference), Use::Argument(0)),
            };
        }
        let value = self.value(id);
        if ty.is_unknown() || ty.is_void() || ty.as_function().is_some() {
            return self.unknown_as(Unknown::Address, &[value], Ty::UNKNOWN, span);
        }
        let var = self.unnamed(ty, Storage::Automatic, AddressSpace::Private, span);
        let initializer = Initializer { zero: false, entries: [(Box::default(), value)].into() };
        let place = self.push(ExprKind::Compound { var, initializer }, ty, span);
        self.address_of(place, span)
    }

    /// An expression as the value of something of a type, which may be a reference.
    pub(super) fn bound(&mut self, id: ExprId, to: Ty, what: Use) -> ExprId {
        match to.as_pointer() {
            Some(pointer) if pointer.reference => self.reference_to(id, to),
            _ => self.assigned(id, to, what),
        }
    }

    /// Gives a variable the type of what it begins with, if `auto` leaves that to it, and its initialiser.
    pub(super) fn deduced(&mut self, decl: &'a ast::Decl, q: &mut Qualified) -> Option<Initializer> {
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
                Some(Derived::Reference { .. }) => {
                    let space = self.place(id).map(|place| place.space);
                    let of = Qualified { space, constant: q.constant, ..Qualified::plain(found) };
                    as_reference(pointer_to(of, false))
                }
                // `auto *p = …` has the type of the pointer.
                _ => found,
            };
        }
        let value = self.bound(id, q.ty, Use::Initialise);
        Some(Initializer { zero: false, entries: [(Box::default(), value)].into() })
    }

    // ---- Calls ----

    /// A call in a language of C++. Arguments are checked, and not yet values: what is passed by reference stays a place.
    pub(super) fn cpp_call(&mut self, callee: ast::ExprId, arguments: &[ast::ExprId], span: Span) -> ExprId {
        let place = self.ast.exprs[callee].span;
        let call = self.body.as_ref().and_then(|body| body.calls.get(&place)).copied();
        let arguments: Vec<ExprId> = arguments.iter().map(|&argument| self.done[argument]).collect();
        let called = self.called(callee, &arguments).or_else(|| self.functor(self.done[callee]));
        let Some(mut called) = called else {
            return self.call_of_value(self.done[callee], arguments, call, span);
        };
        let has_address = called.object.is_some();
        called.retain(|it| takes(it, arguments.len(), has_address));
        let chosen = self.chosen(&called, &arguments);
        let Called { mut named, object, candidates, is_closed } = called;
        if is_closed && !candidates.is_empty() {
            let keys: Vec<FunctionKey> = candidates.iter().map(|it| it.key).collect();
            named = Named::OneOf { candidates: Candidates::new(&keys), of_object: has_address };
        }
        if let (true, Named::Function(name)) = (candidates.is_empty() && object.is_none(), named) {
            self.undeclared(name, place);
        }
        if let Some(function) = chosen {
            return self.call_of(function, object, arguments, call, span);
        }
        // Whichever it is, it may write what it is given by reference.
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
        let of_type = object.is_none() && self.is_of_type(callee);
        self.call_of_builtin(named, (object, of_type), arguments, call, span)
    }

    /// Whether a callee is a static function of a type: `T::size`, `tile<N>::size`.
    fn is_of_type(&self, callee: ast::ExprId) -> bool {
        let Ast::Path(path) = &self.ast.exprs[callee].kind else { return false };
        let Some((_, owners)) = path.segments.split_last() else { return false };
        let is_type = |it: &ast::Segment| {
            it.arguments.is_some() || matches!(self.lookup(it.name.text), Some(Meaning::Type(_)))
        };
        owners.iter().any(is_type)
    }

    /// A call of what nothing of the unit is known to be: of a function of the language, or of one that nothing declares. What a static function of
    /// a type yields that gets constants only is the same for all threads (`docs/semantics.md` §9).
    fn call_of_builtin(
        &mut self,
        mut named: Named,
        (object, of_type): (Option<ExprId>, bool),
        mut arguments: Vec<ExprId>,
        call: Option<CallId>,
        span: Span,
    ) -> ExprId {
        // An operation of a group, which is its first argument, is what it is for that kind of group.
        if let Named::Function(name) = named
            && let Some((_, own)) = name.as_str().rsplit_once("::")
            && let Some(&group) = arguments.first()
            && let Some(row) = self.row_of_class(self.exprs[group].ty, Symbol::intern(own))
        {
            named = Named::Function(row);
        }
        let row = named.row().and_then(|name| self.dialect.builtins().get(name));
        for argument in row.into_iter().flat_map(|row| &row.writes) {
            if let Some(argument) = arguments.get_mut(usize::from(argument.0)) {
                let at = self.exprs[*argument].span;
                *argument = self.address_of(*argument, at);
            }
        }
        let given = row.and_then(|row| row.gives.as_deref()).map(Symbol::intern);
        // `cub::BlockReduce<int, 128>(storage)` makes an object.
        let given = given
            .or_else(|| named.row().filter(|&name| self.dialect.builtins().is_class(name)))
            .map(object_of);
        let operands = self.operands_of_unknown(object, &arguments);
        let is_number = row.is_some_and(|row| row.index.is_some() && row.gives.is_none());
        let ty = given.unwrap_or_else(|| match self.type_of_builtin(named, &operands) {
            // The number of a thread, or how many there are.
            ty if ty.is_unknown() && is_number => Ty::UINT,
            ty => ty,
        });
        let constant = of_type && operands.iter().all(|&operand| self.is_constant(operand));
        self.unknown_as(Unknown::Call { named: Some(named), call, constant }, &operands, ty, span)
    }

    /// Nothing declares what is called by a name. What a name in a namespace means, headers of that namespace tell.
    fn undeclared(&mut self, name: Symbol, span: Span) {
        let is_known = self.dialect.builtins().get(name).is_some()
            || self.dialect.signatures().has(name)
            || self.dialect.types().get(name).is_some()
            || self.lookup(name).is_some();
        if self.is_trying() || is_known || name.as_str().contains("::") {
            return;
        }
        self.problems.push(TypeProblem { span, kind: TypeProblemKind::UndeclaredFunction(name) });
    }

    /// The name under which the table of the language knows what a name stands for: a namespace may have another name here, or be left out.
    pub(crate) fn whole_name(&mut self, name: Symbol, span: Span) -> Symbol {
        let builtins = self.dialect.builtins();
        if builtins.knows(name) {
            return name;
        }
        let text = name.as_str();
        let (first, rest) = text.split_once("::").map_or((text, None), |(first, rest)| (first, Some(rest)));
        let known = self.names.usings.iter().filter(|using| using.in_language).find_map(|using| {
            let whole = match using.used {
                Used::Alias { name, of } if name.as_str() == first => match rest {
                    Some(rest) => format!("{of}::{rest}"),
                    None => of.to_string(),
                },
                Used::Alias { .. } => return None,
                Used::Namespace(namespace) => format!("{namespace}::{text}"),
            };
            let whole = Symbol::intern(&whole);
            builtins.knows(whole).then_some(whole)
        });
        let (None, Some(rest)) = (known, rest) else { return known.unwrap_or(name) };
        match builtins.of_any_namespace(Symbol::intern(rest)) {
            Some(whole) => {
                self.assume_namespace(Symbol::intern(first), whole, span);
                whole
            }
            None => name,
        }
    }

    /// Argument-dependent lookup of a function of the language: its name in the namespace of the class of an argument.
    ///
    /// ```cuda
    /// auto block = cg::this_thread_block();    // its class: cooperative_groups::thread_block
    /// sync(block);                             // cooperative_groups::sync
    /// ```
    ///
    /// `last` is the last part of the name. A name that the tables know already keeps its meaning, and the result is none.
    fn of_an_argument(
        &mut self,
        name: Symbol,
        last: Symbol,
        arguments: &[ExprId],
        span: Span,
    ) -> Option<Symbol> {
        let builtins = self.dialect.builtins();
        if builtins.knows(name) {
            return None;
        }
        let whole = arguments.iter().find_map(|&argument| {
            let namespace = self.exprs[argument].ty.as_record()?.tag?.namespace();
            let whole = inside(namespace, last);
            builtins.get(whole).map(|_| whole)
        })?;
        if let Some((first, _)) = name.as_str().split_once("::") {
            self.assume_namespace(Symbol::intern(first), whole, span);
        }
        Some(whole)
    }

    /// Notes that an unknown namespace is taken for a namespace of the language, because of a name in it.
    fn assume_namespace(&mut self, name: Symbol, whole: Symbol, span: Span) {
        if !self.is_trying() {
            self.problems.push(TypeProblem { span, kind: TypeProblemKind::AssumedNamespace { name, whole } });
        }
    }

    /// The row of the table for a method of a class that the language has.
    fn row_of_class(&self, class: Ty, name: Symbol) -> Option<Symbol> {
        let class = class.as_pointer().map_or(class, |pointer| pointer.pointee);
        let tag = class.as_record()?.tag?;
        let row = inside(tag, name);
        self.dialect.builtins().get(row).map(|_| row)
    }

    /// What a callee names. None: it is a value that is called.
    fn called(&mut self, mut callee: ast::ExprId, arguments: &[ExprId]) -> Option<Called> {
        let ast: &'a ast::Ast = self.ast;
        while let Ast::Paren(inner) = ast.exprs[callee].kind {
            callee = inner;
        }
        match &ast.exprs[callee].kind {
            &Ast::Name(name) => match self.lookup(name) {
                Some(Meaning::Variable(_) | Meaning::Global { .. }) => None,
                Some(Meaning::Functions(functions)) => {
                    let mut candidates = functions.to_vec();
                    self.add_by_arguments(name, arguments, &mut candidates);
                    Some(Called { named: Named::Function(name), object: None, candidates, is_closed: false })
                }
                _ => {
                    let span = ast.exprs[callee].span;
                    if let Some(method) = self.own_method(name, span) {
                        return Some(method);
                    }
                    let whole = self.whole_name(name, span);
                    let whole = self.of_an_argument(whole, name, arguments, span).unwrap_or(whole);
                    let named = Named::Function(whole);
                    Some(Called { named, object: None, candidates: Vec::new(), is_closed: false })
                }
            },
            Ast::Path(path) => {
                let full = spelled(path);
                let last = path.last().name.text;
                let entry = Entry::Ordinary(last);
                let is_plain = path.segments.len() == 1;
                let inside = self.lookup_qualified(path).and_then(Meaning::functions);
                let is_closed = inside.is_some();
                let mut candidates = match inside {
                    Some(functions) => functions.to_vec(),
                    None if is_plain => {
                        let mut visible = self.functions(entry);
                        self.add_by_arguments(last, arguments, &mut visible);
                        visible
                    }
                    // The path is unknown.
                    None => self.names.functions_anywhere(entry),
                };
                if !is_closed {
                    candidates.extend(self.static_functions(path));
                }
                let named = match candidates.is_empty() {
                    true => {
                        let span = ast.exprs[callee].span;
                        let name = self.whole_name(full, span);
                        let name = self.of_an_argument(name, last, arguments, span).unwrap_or(name);
                        self.assume(name, true, span);
                        Named::Function(self.of_its_size(name, path))
                    }
                    false if is_plain => Named::Function(last),
                    false => Named::Qualified(last),
                };
                Some(Called { named, object: None, candidates, is_closed })
            }
            Ast::Member { base, arrow, name } => Some(self.method_of(self.done[*base], *arrow, name.text)),
            Ast::MemberPath { base, arrow, path } => {
                Some(self.method_of(self.done[*base], *arrow, path.last().name.text))
            }
            _ => None,
        }
    }

    /// Argument-dependent lookup: adds functions of the namespaces of the arguments' classes. An argument of unknown type can have the class of the
    /// parameter.
    fn add_by_arguments(&self, name: Symbol, arguments: &[ExprId], candidates: &mut Vec<FunctionMeaning>) {
        let all = self.names.functions_anywhere(Entry::Ordinary(name));
        if all.len() <= candidates.len() {
            return;
        }
        let class_of = |ty: Ty| {
            let ty = ty.as_pointer().map_or(ty, |pointer| pointer.pointee);
            (ty.is_unknown(), ty.as_record().and_then(|record| record.tag))
        };
        let given: Vec<(bool, Option<Class>)> =
            arguments.iter().map(|&argument| class_of(self.exprs[argument].ty)).collect();
        let is_found = |function: &FunctionMeaning| {
            let Owner::Namespace(namespace) = function.key.owner else { return false };
            let parameters = function.ty.as_function().map_or(&[][..], |of| &of.parameters);
            given.iter().enumerate().any(|(number, &(is_unknown, class))| match class {
                Some(class) => class.namespace() == namespace,
                None if is_unknown => parameters.get(number).is_some_and(|&parameter| {
                    let (is_any, asked) = class_of(parameter);
                    is_any || asked.is_some_and(|asked| asked.namespace() == namespace)
                }),
                None => false,
            })
        };
        let known: FxHashSet<FunctionKey> = candidates.iter().map(|it| it.key).collect();
        candidates.extend(all.into_iter().filter(|it| !known.contains(&it.key) && is_found(it)));
    }

    /// The functions of a class that a qualified name may mean. If it does not tell which specialisation has them, those of any.
    fn static_functions(&mut self, path: &Path) -> Vec<FunctionMeaning> {
        let mut statics = self.functions(Entry::Methods(path.last().name.text));
        let Some((_, outside)) = path.segments.split_last() else { return Vec::new() };
        let Some(class) = outside.last() else { return Vec::new() };
        let known = self.lookup_class(&Path { segments: outside.into(), ..path.clone() });
        let arguments = class.arguments.as_ref();
        let special = arguments.and_then(|arguments| self.specialised(class.name.text, known, arguments));
        if let Some(owner) = special.or(known).map(Owner::Class)
            && statics.iter().any(|it| it.key.owner == owner)
        {
            statics.retain(|it| it.key.owner == owner);
        } else {
            statics.retain(|it| match it.key.owner {
                Owner::Class(of) => match known {
                    Some(known) => of.template() == known.template(),
                    None => of.name() == class.name.text,
                },
                Owner::Namespace(_) | Owner::Function { .. } => false,
            });
        }
        statics
    }

    fn functions(&self, entry: Entry) -> Vec<FunctionMeaning> {
        match self.lookup_as(entry) {
            Some(Meaning::Functions(functions)) => functions.to_vec(),
            _ => Vec::new(),
        }
    }

    /// A plain name as a method of the class around.
    fn own_method(&mut self, name: Symbol, span: Span) -> Option<Called> {
        let class = self.class?;
        let mut candidates = self.functions(Entry::Methods(name));
        candidates.retain(|it| it.key.owner == Owner::Class(class.class));
        if candidates.is_empty() {
            return None;
        }
        let object = class.this.map(|this| self.this(this, span));
        Some(Called { named: Named::Method(name), object, candidates, is_closed: true })
    }

    /// An object of a known class, as who is called by `object(…)`.
    fn functor(&mut self, object: ExprId) -> Option<Called> {
        self.exprs[object].ty.as_record()?.tag?;
        Some(self.method_of(object, false, Symbol::intern("operator()")))
    }

    fn method_of(&mut self, base: ExprId, arrow: bool, name: Symbol) -> Called {
        let ty = self.exprs[base].ty;
        let (object, class) = match (arrow, ty.as_pointer()) {
            (true, Some(pointer)) => (self.value(base), pointer.pointee),
            (true, None) => (self.value(base), Ty::UNKNOWN),
            (false, _) => {
                let span = self.exprs[base].span;
                let is_place =
                    self.place(base).is_some() || matches!(self.exprs[base].kind, ExprKind::Unknown { .. });
                (if is_place { self.address_of(base, span) } else { self.value(base) }, ty)
            }
        };
        let mut candidates = self.functions(Entry::Methods(name));
        let row = self.row_of_class(class, name);
        let class = class.as_record().and_then(|record| record.tag);
        // The class has no such method: it can be a method of a base class.
        let owner = class.map(Owner::Class);
        let is_closed = candidates.iter().any(|it| Some(it.key.owner) == owner);
        if is_closed {
            candidates.retain(|it| Some(it.key.owner) == owner);
        } else if let Some(row) = row {
            let named = Named::Function(row);
            return Called { named, object: None, candidates: Vec::new(), is_closed };
        }
        let named = Named::Method(name);
        let mut called = Called { named, object: Some(object), candidates, is_closed };
        if class.is_none() {
            let around = self.class.map(|class| Owner::Class(class.class));
            called.retain(|it| name.as_str() != "operator()" && Some(it.key.owner) != around);
        }
        called
    }

    /// The candidate that the number and the types of arguments choose, if they choose one.
    fn chosen(&mut self, called: &Called, arguments: &[ExprId]) -> Option<FunctionMeaning> {
        let hidden = |it: &FunctionMeaning| usize::from(called.object.is_some() && has_object(it));
        if let [only] = called.candidates[..] {
            return takes(&only, arguments.len(), called.object.is_some()).then_some(only);
        }
        let exact = |it: &&FunctionMeaning| {
            it.ty.as_function().is_some_and(|of| of.parameters.len() == arguments.len() + hidden(it))
        };
        let exact: Vec<FunctionMeaning> = called.candidates.iter().filter(exact).copied().collect();
        if let [only] = exact[..] {
            return Some(only);
        }
        // The types of objects chose the candidates already.
        let types: Vec<Ty> = exact.iter().map(|it| by_value(it.ty, hidden(it))).collect();
        let found: Vec<Ty> = arguments
            .iter()
            .map(|&argument| {
                let value = self.value(argument);
                self.exprs[value].ty
            })
            .collect();
        if found.iter().any(|ty| ty.is_unknown()) {
            return None;
        }
        match overload::choose(&types, &found) {
            Resolution::Found { ty } => {
                let mut same = exact.iter().zip(&types).filter(|&(_, &of)| of == ty);
                match (same.next(), same.next()) {
                    (Some((only, _)), None) => Some(*only),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A call of a function that is known.
    fn call_of(
        &mut self,
        function: FunctionMeaning,
        object: Option<ExprId>,
        arguments: Vec<ExprId>,
        call: Option<CallId>,
        span: Span,
    ) -> ExprId {
        let FunctionMeaning { key, ty, .. } = function;
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
                    self.bound(argument, parameter, Use::Argument(converted.len()))
                }
                None => self.value(argument),
            });
        }
        // What a parameter has where nothing is given: a constant of the build, as far as we are concerned.
        while let Some(&parameter) = of.parameters.get(converted.len()) {
            let value = self.unknown(&[], parameter, span);
            converted.push(value);
        }
        let result = self.complete(of.result);
        let callee = Callee::Function { key, ty };
        let called = self.push(ExprKind::Call { callee, arguments: converted.into(), call }, result, span);
        self.referred(called)
    }

    /// The address of an object as its method takes it: in the address space of `this`.
    fn as_object(&mut self, object: ExprId, this: Ty) -> ExprId {
        let ty = self.exprs[object].ty;
        match (ty.as_pointer(), this.as_pointer()) {
            (Some(of), Some(this)) if of.space != this.space => {
                let to = Ty::new(TyKind::Pointer(Pointer { space: this.space, ..*of }));
                self.converted(object, to, Conversion::Pointer)
            }
            _ => object,
        }
    }

    /// A call of what a variable or an expression holds: a function's address, a lambda, an object with `operator()`.
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
            // Whoever holds the address of a function may run any.
            let operands: Vec<ExprId> = [target].into_iter().chain(values).collect();
            return self.unknown_as(
                Unknown::Call { named: None, call, constant: false },
                &operands,
                Ty::UNKNOWN,
                span,
            );
        }
        let lambda = match ty.kind() {
            TyKind::BlockPointer(_) => self.lambda_of(target),
            _ => None,
        };
        let Some((named, number)) = lambda else {
            let named = Named::Foreign { name: Symbol::intern("operator()"), of_object: true };
            let operands: Vec<ExprId> = [target].into_iter().chain(values).collect();
            return self.unknown_as(
                Unknown::Call { named: Some(named), call, constant: false },
                &operands,
                Ty::UNKNOWN,
                span,
            );
        };
        let mut operands = values;
        operands.extend(self.captured_by(number, span));
        self.unknown_as(
            Unknown::Call { named: Some(named), call, constant: false },
            &operands,
            Ty::UNKNOWN,
            span,
        )
    }

    /// What a lambda has captured, as its body is given it behind its parameters.
    fn captured_by(&mut self, number: usize, span: Span) -> Vec<ExprId> {
        let names = self.literals.captured(number);
        let meanings = names.into_iter().map(|name| {
            let meaning = self.meaning(name, span);
            meaning
                .map(|it| self.value(it))
                .unwrap_or_else(|| self.unknown_as(Unknown::Name(name), &[], Ty::UNKNOWN, span))
        });
        meanings.collect()
    }

    /// The lambda that a value is: its name in calls, and its number in the item.
    fn lambda_of(&self, value: ExprId) -> Option<(Named, usize)> {
        let number = self.literal_numbers.get(&value).or_else(|| {
            let ExprKind::Load(place) = self.exprs[value].kind else { return None };
            let ExprKind::Variable(var) = self.exprs[place].kind else { return None };
            self.lambdas.get(&var)
        })?;
        let around = self.body.as_ref()?.body.name.text;
        let key = TypedBody::key_of_literal(FunctionKey::plain(around), *number);
        Some((key.named().next()?, *number))
    }

    /// The operands of a call of which nothing is known: values, but for what an object is.
    fn operands_of_unknown(&mut self, object: Option<ExprId>, arguments: &[ExprId]) -> Vec<ExprId> {
        let values: Vec<ExprId> = arguments.iter().map(|&argument| self.value(argument)).collect();
        let all = object.into_iter().chain(values);
        all.filter(|&value| !self.exprs[value].ty.is_void()).collect()
    }

    /// What a builtin yields for these arguments, if its table of types says so.
    fn type_of_builtin(&mut self, named: Named, operands: &[ExprId]) -> Ty {
        let Some(name) = named.row() else { return Ty::UNKNOWN };
        let found: Vec<Ty> = operands.iter().map(|&operand| self.exprs[operand].ty).collect();
        match overload::resolve(self.dialect, name, &found) {
            Resolution::Found { ty } => ty.as_function().map_or(Ty::UNKNOWN, |function| function.result),
            _ => Ty::UNKNOWN,
        }
    }
}

/// The type of a class that only functions of the language look into.
pub(crate) fn object_of(class: Symbol) -> Ty {
    let mut path: Vec<Symbol> = class.as_str().split("::").map(Symbol::intern).collect();
    let name = path.pop().unwrap_or(class);
    let class = Class::new(Namespace::GLOBAL.of_path(path), name, Box::default());
    let definition = Definition { fields: Box::default(), packed: false, pack: None, align: None };
    Ty::new(TyKind::Record(Box::new(Record { union: false, tag: Some(class), definition: Some(definition) })))
}

/// Whether a function takes so many arguments, the object of a method apart.
fn takes(function: &FunctionMeaning, arguments: usize, has_address: bool) -> bool {
    let Some(of) = function.ty.as_function() else { return false };
    let given = arguments + usize::from(has_address && has_object(function));
    given >= function.required as usize && (given <= of.parameters.len() || of.variadic)
}

/// Whether the first parameter of a function is the object that it is a method of.
fn has_object(function: &FunctionMeaning) -> bool {
    let first = function.ty.as_function().and_then(|of| of.parameters.first()).and_then(|ty| ty.as_pointer());
    let Owner::Class(class) = function.key.owner else { return false };
    first.is_some_and(|pointer| {
        let record = pointer.pointee.as_record();
        record.is_some_and(|record| record.tag == Some(class))
            || pointer.pointee.is_unknown() && !pointer.reference
    })
}

/// A function's type with what it takes by reference taken by value, and without its object: what arguments are held against.
fn by_value(ty: Ty, hidden: usize) -> Ty {
    let Some(function) = ty.as_function() else { return ty };
    let parameters = function.parameters.iter().skip(hidden).map(|ty| match ty.as_pointer() {
        Some(pointer) if pointer.reference => pointer.pointee,
        _ => *ty,
    });
    let function = FunctionTy { parameters: parameters.collect(), ..function.clone() };
    Ty::new(TyKind::Function(Box::new(function)))
}

/// A reference as the pointer that it is.
fn plain(reference: Ty) -> Ty {
    match reference.as_pointer() {
        Some(pointer) => Ty::new(TyKind::Pointer(Pointer { reference: false, ..*pointer })),
        None => reference,
    }
}

/// A pointer as a reference.
pub(crate) fn as_reference(pointer: Ty) -> Ty {
    match pointer.as_pointer() {
        Some(pointer) => Ty::new(TyKind::Pointer(Pointer { reference: true, ..*pointer })),
        None => pointer,
    }
}

/// The name of a member of a namespace or class, as the tables of a dialect have it.
fn inside(outer: impl Display, name: Symbol) -> Symbol {
    Symbol::intern(&format!("{outer}::{name}"))
}
