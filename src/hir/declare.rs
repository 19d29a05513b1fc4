//! Types of declarations: from specifiers and declarators to [`Qualified`] types.
//!
//! ```c
//! global const int *p[3];  // array of 3 pointers to const int in global memory
//! ```
//!
//! The specifiers give `int`, `const` and `global` memory. The declarator then derives types from there outwards to the
//! name. A pointee without an address space is in `generic` memory (OpenCL C 3.0, 6.7.1). Qualifiers of an array belong
//! to its elements.

mod attributes;
mod kernel;

use tangle_grammar::ast::{
    self, Access, AddressSpace, Attribute, Decl, DeclaratorStep, Enumerator, Specifiers, Storage,
    TypeSpecifier,
};
use tangle_grammar::packing::Packing;
use tangle_grammar::symbol::Symbol;

use rustc_hash::FxHashMap;

use super::builtin_class::{EMPTY_CLASS, builtin_class_type};
use super::check::as_reference;
use super::check::{Checker, LookupKey, Meaning, Qualified, TypeProblemKind, Used, mentions_unknown};
use super::def::names::Scope;
use super::layout::layout;
use super::resolve;
use super::types::{
    Definition, Field, Float, FunctionTy, Integer, Opaque, Pointer, Record, RecordName, Ty, TyKind,
};
use tangle_ir::uniformity::ImpliedMeaning;

/// The maximum number of steps in a declarator. The parser has the same limit for brackets.
const MAX_STEPS: usize = 256;

/// The position of a declaration, as far as its type depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    Parameter,
    Other,
}

impl<'a> Checker<'a> {
    /// Returns the meaning of a name in the innermost scope that declares it. Builtins of the dialect are not included.
    pub(super) fn lookup(&self, name: Symbol) -> Option<Meaning> {
        self.lookup_as(LookupKey::Ordinary(name))
    }

    /// Returns the meaning of an entry in the innermost scope that declares it.
    pub(super) fn lookup_as(&self, entry: LookupKey) -> Option<Meaning> {
        let local = self.scopes.iter().rev().find_map(|scope| scope.get(entry));
        local.cloned().or_else(|| self.names.visible(entry))
    }

    /// Returns the meaning of an entry in the namespace of the item.
    pub(super) fn lookup_own(&self, entry: LookupKey) -> Option<Meaning> {
        let own = self.scopes[0].get(entry);
        own.or_else(|| self.names.within(self.names.namespace, entry)).cloned()
    }

    /// Returns the type of a record in the innermost scope that declares it.
    pub(super) fn tag(&self, tag: RecordName) -> Option<Ty> {
        let local = self.scopes.iter().rev().find_map(|scope| scope.tags.get(&tag)).copied();
        local.or_else(|| self.names.tag(tag))
    }

    /// Looks up a tag, starting at the namespace of the item.
    pub(super) fn lookup_tag(&self, tag: Symbol) -> Option<Ty> {
        let mut around = self.names.namespace.ancestors();
        let known = around.find_map(|namespace| self.tag(RecordName::new(namespace, tag, Box::default())));
        known.or_else(|| match self.lookup(tag) {
            Some(Meaning::Type(q)) if self.cpp => Some(q.ty),
            _ => None,
        })
    }

    /// Returns the class of a tag in the namespace of the item.
    fn own_class(&self, tag: Symbol) -> RecordName {
        RecordName::new(self.names.namespace, tag, Box::default())
    }

    /// Looks up a qualified name. If the path is unknown, looks up the plain name.
    pub(super) fn lookup_path(&self, path: &ast::Path) -> Option<Meaning> {
        let found = self.lookup_qualified(path).cloned();
        found.or_else(|| self.lookup_as(LookupKey::Ordinary(path.last().name.text)))
    }

    /// Looks up a name in the namespaces that qualify it. None: a plain name, or an unknown namespace.
    pub(super) fn lookup_qualified(&self, path: &ast::Path) -> Option<&'a Meaning> {
        let qualifier = path.qualifier();
        let entry = LookupKey::Ordinary(path.last().name.text);
        if qualifier.is_empty() { None } else { self.names.qualified(&qualifier, entry) }
    }

    /// Looks up a class. None: the path has another meaning or none.
    pub(super) fn lookup_class(&self, path: &ast::Path) -> Option<RecordName> {
        match self.lookup_path(path)? {
            Meaning::Type(q) => q.ty.as_record()?.tag,
            _ => None,
        }
    }

    /// Returns the type with its members, if it is a record without members that some scope defines.
    pub(super) fn complete(&self, ty: Ty) -> Ty {
        match ty.as_record() {
            Some(Record { union, tag: Some(tag), definition: None }) => match self.tag(*tag) {
                Some(found)
                    if found.as_record().is_some_and(|it| it.union == *union && it.definition.is_some()) =>
                {
                    found
                }
                _ if !tag.arguments().is_empty() => {
                    self.class_instance(*tag).map_or(ty, |instance| instance.ty)
                }
                _ => ty,
            },
            _ => ty,
        }
    }

    pub(super) fn type_name(&mut self, id: ast::TypeId) -> Qualified {
        let ast = self.ast;
        let name = &ast.types[id];
        let base = self.specified(&name.specifiers);
        self.derive(base, &name.declarator, Context::Other, name.span)
    }

    /// Returns the type that a declaration gives its name. For a function, this is the function type.
    pub(super) fn declared(&mut self, decl: &Decl, context: Context) -> Qualified {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.declared_here(decl, context))
    }

    fn declared_here(&mut self, decl: &Decl, context: Context) -> Qualified {
        let mut base = self.shared_specified(decl);
        base.ty = self.with_vector_attributes(base.ty, &decl.attributes);
        let declared = self.derive(base, &decl.declarator, context, decl.span);
        if decl.specifiers.storage.contains(&Storage::Kernel) {
            self.kernel(decl, declared.ty);
        }
        declared
    }

    /// Returns the type of the specifiers. Several declarators can share specifiers: the tags in them are defined once.
    /// A record without a tag gets the name of the typedef that defines it.
    fn shared_specified(&mut self, decl: &Decl) -> Qualified {
        if let Some((read, known)) = &self.read
            && std::sync::Arc::ptr_eq(read, &decl.specifiers)
        {
            return *known;
        }
        let mut base = self.specified(&decl.specifiers);
        let typedef = decl.specifiers.storage.contains(&Storage::Typedef);
        if let (true, Some(name), Some(record)) =
            (typedef && decl.declarator.is_empty(), decl.name, base.ty.as_record())
            && record.tag.is_none()
        {
            base.ty = Ty::new(TyKind::Record(Box::new(Record {
                tag: Some(self.own_class(name.text)),
                ..record.clone()
            })));
        }
        self.read = Some((decl.specifiers.clone(), base));
        base
    }

    fn derive(
        &mut self,
        base: Qualified,
        declarator: &[DeclaratorStep],
        context: Context,
        span: ast::Span,
    ) -> Qualified {
        if declarator.len() > MAX_STEPS {
            self.problem(span, TypeProblemKind::DeclaratorTooLong);
            return Qualified::plain(Ty::UNKNOWN);
        }
        let mut q = base;
        for (position, derived) in declarator.iter().enumerate().rev() {
            let adjusted = position == 0 && context == Context::Parameter;
            q = match derived {
                DeclaratorStep::Pointer { qualifiers } => {
                    Qualified { ty: pointer_to(q, qualifiers.restrict), ..qualified(qualifiers) }
                }
                DeclaratorStep::BlockPointer { qualifiers } => {
                    Qualified { ty: Ty::new(TyKind::BlockPointer(q.ty)), ..qualified(qualifiers) }
                }
                DeclaratorStep::Reference { .. } => Qualified::plain(as_reference(pointer_to(q, false))),
                DeclaratorStep::Array { size } => {
                    q.ty = self.complete(q.ty);
                    let length = size.and_then(|size| self.array_length(size));
                    match adjusted {
                        true => Qualified::plain(pointer_to(q, false)),
                        false => Qualified { ty: Ty::array(q.ty, length), ..q },
                    }
                }
                DeclaratorStep::Function { parameters, variadic } => {
                    let mut variadic = *variadic;
                    let types: Vec<Ty> = parameters
                        .iter()
                        .map(|&parameter| {
                            let decl = &self.ast.decls[parameter];
                            let parameter = self.declared(decl, Context::Parameter);
                            if decl.name.is_none() && is_macro(parameter.ty) {
                                variadic = true;
                                return Ty::UNKNOWN;
                            }
                            adjust(parameter)
                        })
                        .collect();
                    // The body declares the tags of parameters again, so their specifiers are read again.
                    self.read = None;
                    // `f(void)` has no parameters.
                    let parameters = if types == [Ty::VOID] { Vec::new() } else { types };
                    let function = FunctionTy { result: q.ty, parameters: parameters.into(), variadic };
                    Qualified::plain(Ty::new(TyKind::Function(Box::new(function))))
                }
            };
        }
        if context == Context::Parameter {
            // A typedef can name an array or a function.
            q = match q.ty.kind() {
                TyKind::Array { element, .. } => {
                    Qualified::plain(pointer_to(Qualified { ty: *element, ..q }, false))
                }
                TyKind::Function(_) => Qualified::plain(pointer_to(q, false)),
                _ => q,
            };
        }
        q
    }

    fn array_length(&mut self, size: ast::ExprId) -> Option<u64> {
        let span = self.ast.exprs[size].span;
        match self.constant_integer(size) {
            Some(length) => match u64::try_from(length) {
                Ok(length) => Some(length),
                Err(_) => {
                    self.problem(span, TypeProblemKind::NegativeLength);
                    None
                }
            },
            None => {
                if !self.depends_on_unknown(size) {
                    self.problem(span, TypeProblemKind::NotConstant);
                }
                None
            }
        }
    }

    pub(super) fn specified(&mut self, specifiers: &Specifiers) -> Qualified {
        let qualifiers = &specifiers.qualifiers;
        let mut q = self.specified_type(specifiers);
        q.ty = self.complete(q.ty);
        q.ty = self.with_vector_attributes(q.ty, &specifiers.attributes);
        if qualifiers.atomic && !q.ty.is_unknown() {
            q.ty = Ty::new(TyKind::Atomic(q.ty));
        }
        if let (Some(access), TyKind::Opaque(Opaque::Image { name, .. })) = (qualifiers.access, q.ty.kind()) {
            q.ty = Ty::new(TyKind::Opaque(Opaque::Image { name: *name, access }));
        }
        if let (Some(access), TyKind::Opaque(Opaque::Pipe { packet, .. })) = (qualifiers.access, q.ty.kind())
        {
            q.ty = Ty::new(TyKind::Opaque(Opaque::Pipe { packet: *packet, access }));
        }
        q.space = qualifiers.space.or(q.space);
        q.constant |= qualifiers.constant_value;
        q.volatile |= qualifiers.volatile;
        q.restrict |= qualifiers.restrict;
        q
    }

    fn specified_type(&mut self, specifiers: &Specifiers) -> Qualified {
        use TypeSpecifier as T;
        let (mut signed, mut unsigned, mut longs, mut short) = (false, false, 0, false);
        let mut base: Option<Qualified> = None;
        let mut word: Option<&T> = None;
        let mut words = 0;
        let mut pipe = false;
        for specifier in &specifiers.types {
            match specifier {
                T::Signed => signed = true,
                T::Unsigned => unsigned = true,
                T::Long => longs += 1,
                T::Short => short = true,
                T::Pipe => pipe = true,
                T::Complex => base = Some(Qualified::plain(Ty::UNKNOWN)),
                T::Void | T::Bool | T::Char | T::Int | T::Half | T::Float | T::Double => {
                    // These keywords exclude each other. `short`, `long`, `signed` and `unsigned` are checked below.
                    words += u32::from(word.is_some_and(|word| word != specifier));
                    word = Some(specifier)
                }
                T::Named(name) => base = Some(self.named_type(*name)),
                T::Path(path) => base = Some(self.qualified_type(path)),
                T::Auto => base = Some(Qualified::plain(Ty::UNKNOWN)),
                T::Record { union, name, members, packing, class } => {
                    let members = members.as_deref().map(|members| (members, *packing));
                    let class = class.as_deref();
                    base = Some(self.record(*union, *name, class, members, &specifiers.attributes));
                }
                T::Enum { name, enumerators } => {
                    let ty = self.enumeration(*name, enumerators.as_deref(), &specifiers.attributes);
                    base = Some(Qualified::plain(ty));
                }
                T::TypeofExpr(expr) => {
                    // The type of an expression, without the address space of its place.
                    base = Some(Qualified { space: None, ..self.type_of_expr(*expr) });
                }
                T::TypeofType(ty) => base = Some(self.type_name(*ty)),
                T::Atomic(ty) => {
                    let inner = self.type_name(*ty);
                    base = Some(Qualified { ty: Ty::new(TyKind::Atomic(inner.ty)), ..inner });
                }
            }
        }
        let modified = short || longs > 0;
        let signs = signed || unsigned;
        let conflict = match word {
            _ if words > 0 || signed && unsigned || short && longs > 0 => true,
            Some(T::Int) => base.is_some(),
            Some(T::Char) => base.is_some() || modified,
            Some(T::Double) => base.is_some() || signs || short,
            Some(_) => base.is_some() || signs || modified,
            None => base.is_some_and(|base| (signs || modified) && base.ty.as_integer().is_none()),
        };
        if let (true, Some(span)) = (conflict, specifiers.span) {
            // An undeclared name may be a qualifier of a missing header.
            if base.is_none_or(|base| !base.ty.is_unknown()) {
                self.problem(span, TypeProblemKind::Specifiers);
            }
            return Qualified::plain(Ty::UNKNOWN);
        }
        let integer = match (short, longs, word) {
            (true, ..) => Some(Integer::Short),
            (_, 1.., Some(T::Double)) => None,
            (_, 1.., _) => Some(Integer::Long),
            (.., Some(T::Char)) => Some(Integer::Char),
            (.., Some(T::Int)) => Some(Integer::Int),
            (.., None) if signed || unsigned => Some(Integer::Int),
            _ => None,
        };
        let mut q = match (integer, word, base) {
            (_, _, Some(base)) => match base.ty.as_integer() {
                // `unsigned size_t` is not valid C, but macros and typedefs lead to such code. `unsigned` then decides.
                Some(integer) if unsigned => Qualified { ty: Ty::integer(integer.with_sign(false)), ..base },
                _ => base,
            },
            (Some(integer), ..) => Qualified::plain(Ty::integer(integer.with_sign(!unsigned))),
            (_, Some(T::Void), _) => Qualified::plain(Ty::VOID),
            (_, Some(T::Bool), _) => Qualified::plain(Ty::BOOL),
            (_, Some(T::Half), _) => Qualified::plain(Ty::HALF),
            (_, Some(T::Float), _) => Qualified::plain(Ty::FLOAT),
            (_, Some(T::Double), _) => Qualified::plain(Ty::DOUBLE),
            // `KERNEL(name) { … }`: probably a macro of a missing header.
            _ if specifiers.span.is_none() => Qualified::plain(Ty::UNKNOWN),
            // Implicit `int`, as in `const x = 5;`.
            _ => Qualified::plain(Ty::INT),
        };
        if pipe {
            q = Qualified::plain(Ty::new(TyKind::Opaque(Opaque::Pipe {
                packet: q.ty,
                access: Access::ReadOnly,
            })));
        }
        q
    }

    fn named_type(&mut self, name: ast::Name) -> Qualified {
        if let Some(Meaning::Type(q)) = self.lookup(name.text) {
            // A parameter of a template stands for any type.
            if q.ty.is_unknown() && !self.is_local(name.text) {
                self.unknown_type(name.text, name.span);
            }
            return q;
        }
        let whole = self.builtin_name(name.text, name.span);
        if self.cpp && self.dialect.builtins().is_class(whole) {
            return Qualified::plain(builtin_class_type(self.dialect, whole, None));
        }
        // `unknown-type` reports names that the language does not have either.
        let types = self.dialect.types();
        let ty = types.get(name.text).unwrap_or(Ty::UNKNOWN);
        if ty.is_unknown() {
            self.unknown_type(name.text, name.span);
        }
        Qualified { of_device: types.depends_on_device(name.text), ..Qualified::plain(ty) }
    }

    /// Returns the type of a qualified name, or of a template with arguments.
    fn qualified_type(&mut self, path: &ast::Path) -> Qualified {
        let full = resolve::qualified_name(path);
        if let Some(ty) = self.dialect.types().get(full) {
            return Qualified::plain(ty);
        }
        let is_standard = |name: &ast::Name| matches!(name.text.as_str(), "std" | "cuda");
        if let [outside @ .., last] = &*path.segments
            && outside.iter().all(|segment| is_standard(&segment.name))
            && let Some(ty) = self.dialect.types().get(last.name.text)
        {
            return Qualified::plain(ty);
        }
        let whole = self.builtin_name(full, path.last().name.span);
        if self.dialect.builtins().is_class(whole) {
            return Qualified::plain(self.class_of_path(whole, path));
        }
        let dependent = path.segments.len() > 1;
        if let Some(class) = self.class_of_qualifier(path)
            && let Some(Meaning::Type(q)) = self.member_of_class(class, path.last().name.text)
        {
            return self.with_arguments(q, path.last());
        }
        // `T::sum` can be any specialisation of a template with that name.
        if dependent && path.last().arguments.is_none() && self.has_specialisations(path.last().name.text) {
            return Qualified::plain(Ty::UNKNOWN);
        }
        match self.lookup_path(path) {
            Some(Meaning::Type(q)) if !dependent || q.ty.as_record().is_some() => {
                self.with_arguments(q, path.last())
            }
            _ => {
                let first = path.segments[0].name.text;
                // The tables do not list each class of the language: `cg::plus`.
                let of_language = dependent && self.leads_into_language(first);
                if !self.is_local(first) && !of_language {
                    self.unknown_type(full, path.last().name.span);
                }
                Qualified::plain(Ty::UNKNOWN)
            }
        }
    }

    /// Whether a name is declared in a scope inside the item, such as a parameter of a template.
    fn is_local(&self, name: Symbol) -> bool {
        self.scopes.iter().any(|scope| scope.has(name))
    }

    /// Whether a name is a namespace or class of the language, or an alias of one.
    fn leads_into_language(&self, name: Symbol) -> bool {
        let mut usings = self.names.usings.iter().filter(|using| using.in_language);
        self.dialect.builtins().leads(name)
            || usings.any(|using| matches!(using.used, Used::Alias { name: alias, .. } if alias == name))
    }

    /// Returns the class of the language that a name with arguments means. `WarpReduce<T, 8>` uses a part of the warp;
    /// the table lists this class as `LogicalWarpReduce`.
    pub(super) fn class_for_group_size(&mut self, class: Symbol, path: &ast::Path) -> Symbol {
        let arguments = path.last().arguments.as_deref().unwrap_or_default();
        let Some(&ast::TemplateArgument::Value(size)) = arguments.get(1) else { return class };
        let (outside, own) = class.as_str().rsplit_once("::").unwrap_or(("", class.as_str()));
        let sized = Symbol::intern(&format!("{outside}::Logical{own}"));
        if !self.dialect.builtins().is_class(sized) {
            return class;
        }
        let number = self.constant_if_any(size);
        let is_whole = match (number, &self.ast.exprs[size].kind) {
            (Some(number), _) => number == i128::from(self.dialect.largest_sub_group()),
            (None, &ast::ExprKind::Name(name)) => {
                self.assume(name, false, self.ast.exprs[size].span);
                self.dialect.builtins().conventions().implied(name) == Some(ImpliedMeaning::SubGroupSize)
            }
            (None, _) => false,
        };
        if is_whole { class } else { sized }
    }

    fn record(
        &mut self,
        union: bool,
        name: Option<ast::Name>,
        class: Option<&ast::Class>,
        members: Option<(&[ast::DeclId], Packing)>,
        attributes: &[Attribute],
    ) -> Qualified {
        let arguments = class.and_then(|class| class.arguments.as_deref());
        let tag = name.map(|name| self.defined_class(self.names.namespace, name.text, arguments));
        let incomplete = Ty::new(TyKind::Record(Box::new(Record { union, tag, definition: None })));
        let Some((members, packing)) = members else {
            let Some(name) = name else { return Qualified::plain(Ty::UNKNOWN) };
            return Qualified::plain(match self.lookup_tag(name.text) {
                Some(known) if known.as_record().is_none_or(|record| record.union != union) => {
                    self.problem(name.span, TypeProblemKind::TagKind(name.text));
                    Ty::UNKNOWN
                }
                known => known.unwrap_or(incomplete),
            });
        };
        if let Some(tag) = tag {
            self.enter_tag(tag, incomplete);
        }
        if let Some(special) = tag.filter(|tag| !tag.arguments().is_empty()) {
            self.enter_specialisation(special);
        }
        let (ty, of_device, members) = self.defined_record(union, tag, class, (members, packing), attributes);
        let scope = self.scope();
        scope.tags.extend(members.declared.tags);
        for (entry, meaning) in members.declared.entries {
            scope.enter_as(entry, meaning);
        }
        if let Some(tag) = tag {
            self.enter_tag(tag, ty);
        }
        Qualified { of_device, ..Qualified::plain(ty) }
    }

    /// Checks the members of a record. Returns its type, whether its size can differ between device and host, and what its
    /// members declare besides fields.
    pub(super) fn defined_record(
        &mut self,
        union: bool,
        tag: Option<RecordName>,
        class: Option<&ast::Class>,
        (members, packing): (&[ast::DeclId], Packing),
        attributes: &[Attribute],
    ) -> (Ty, bool, RecordMembers) {
        let ast = self.ast;
        let packed = attributes::packed(attributes.iter());
        let mut of_device = false;
        let mut fields = Vec::with_capacity(members.len());
        let mut constants = FxHashMap::default();
        self.scopes.push(Scope::default());
        let bases = class.map_or(&[][..], |class| &class.bases);
        fields.extend(bases.iter().filter_map(|&base| self.base(base)));
        for (number, &id) in members.iter().enumerate() {
            let decl = &ast.decls[id];
            if let Some((name, meaning)) = self.member_constant(decl) {
                self.scope().enter(name, meaning.clone());
                constants.insert(name, meaning);
                continue;
            }
            let Some((field, device)) = self.field(decl) else { continue };
            of_device |= device;
            // A flexible array must be the last member.
            let open = matches!(decl.declarator.first(), Some(DeclaratorStep::Array { size: None }));
            if open && number + 1 < members.len() && !union {
                self.problem(decl.span, TypeProblemKind::Incomplete { ty: field.ty });
            }
            fields.push(field);
        }
        // An object of C++ has an address of its own, so it has at least one byte.
        if self.cpp && fields.is_empty() {
            fields.push(EMPTY_CLASS);
        }
        let align = self.alignment(attributes.iter());
        let definition = Definition { fields: fields.into(), packed, pack: packing.limit(), align };
        let ty = Ty::new(TyKind::Record(Box::new(Record { union, tag, definition: Some(definition) })));
        let mut declared = self.scopes.pop().unwrap_or_default();
        declared
            .entries
            .retain(|entry, _| !matches!(entry, LookupKey::Ordinary(name) if constants.contains_key(name)));
        (ty, of_device, RecordMembers { declared, constants })
    }

    /// Returns the name and the value of a constant that a member of a class declares, if it is an integer.
    fn member_constant(&mut self, decl: &Decl) -> Option<(Symbol, Meaning)> {
        let is = |word| decl.specifiers.storage.contains(&word);
        if !self.cpp
            || !is(Storage::Static) && !is(Storage::Constexpr)
            || decl.more.as_ref().is_some_and(|it| it.friend)
        {
            return None;
        }
        let name = decl.name?.text;
        let value = match decl.initializer.as_ref()? {
            ast::Initializer::Expression(value) => *value,
            ast::Initializer::List(list) => match &**list {
                [(path, ast::Initializer::Expression(value))] if path.is_empty() => *value,
                _ => return None,
            },
            ast::Initializer::Arguments(_) => return None,
        };
        self.quietly(|checker| {
            let q = checker.declared(decl, Context::Other);
            let is_auto = decl.specifiers.types.contains(&TypeSpecifier::Auto);
            let ty = if is_auto { Ty::INT } else { q.ty };
            let is_number = ty == Ty::BOOL || ty.as_integer().is_some();
            let value = checker
                .constant_integer(value)
                .filter(|_| is_number && (q.constant || is(Storage::Constexpr)))?;
            let value = match ty.as_integer() {
                Some(integer) => integer.wrap(value),
                None => i128::from(value != 0),
            };
            Some((name, Meaning::Enumerator { value, ty }))
        })
    }

    /// Declares the type of a tag. In C++ it is also an ordinary name.
    fn enter_tag(&mut self, tag: RecordName, ty: Ty) {
        let cpp = self.cpp;
        let scope = self.scope();
        scope.tags.insert(tag, ty);
        if cpp && tag.arguments().is_empty() {
            scope.enter(tag.name(), Meaning::Type(Qualified::plain(ty)));
        }
    }

    /// Returns a base class as an unnamed member, so that lookups find its members. None: an unknown base.
    fn base(&mut self, base: ast::TypeId) -> Option<Field> {
        let ty = self.type_name(base).ty;
        let ty = self.complete(ty);
        // A base class without fields needs no memory.
        if ty.as_record()?.definition.as_ref().is_some_and(|definition| *definition.fields == [EMPTY_CLASS]) {
            return None;
        }
        Some(Field {
            name: None,
            ty,
            bits: None,
            constant: false,
            volatile: false,
            packed: false,
            align: None,
        })
    }

    /// Returns the member that a declaration in a record declares, if any, and whether its size can differ between
    /// device and host.
    fn field(&mut self, decl: &Decl) -> Option<(Field, bool)> {
        let outside = self.enter_templates(decl);
        let q = self.declared(decl, Context::Other);
        self.leave_templates(outside);
        if self.cpp && is_no_field(decl, q.ty) {
            if let (Some(name), true) = (decl.name, decl.specifiers.storage.contains(&Storage::Typedef)) {
                self.scope().enter(name.text, Meaning::Type(q));
            }
            return None;
        }
        let mut ty = self.complete(q.ty);
        // `enum { … };` or `struct tag { … };` in a record declares a type, not a member.
        let unnamed_record = ty.as_record().is_some_and(|record| record.tag.is_none());
        if decl.name.is_none() && decl.bit_width.is_none() && !unnamed_record {
            return None;
        }
        // A flexible array has no size. `record` checks its position.
        let sized = match ty.kind() {
            TyKind::Array { element, length: None } => *element,
            _ => ty,
        };
        if layout(sized).is_none() && !mentions_unknown(sized) {
            self.problem(decl.span, TypeProblemKind::Incomplete { ty });
            ty = Ty::UNKNOWN;
        }
        if let TyKind::Opaque(Opaque::Event | Opaque::Image { .. } | Opaque::Sampler)
        | TyKind::BlockPointer(_) = ty.kind()
        {
            self.problem(decl.span, TypeProblemKind::Member { ty });
            ty = Ty::UNKNOWN;
        }
        let bits = decl.bit_width.and_then(|width| self.bit_width(width, ty, decl));
        if decl.bit_width.is_some() && bits.is_none() {
            ty = Ty::UNKNOWN;
        }
        // Attributes after the members of a record belong to the record.
        let own = !attributes::defines_record(&decl.specifiers.types);
        let specified = decl.specifiers.attributes.iter().filter(|_| own);
        let all = specified.chain(&decl.attributes);
        let packed = attributes::packed(all.clone());
        let align = self.alignment(all);
        let field = Field {
            name: decl.name.map(|name| name.text),
            ty,
            bits,
            constant: q.constant,
            volatile: q.volatile,
            packed,
            align,
        };
        Some((field, q.of_device))
    }

    /// Returns the width of a bit-field. Only an unnamed bit-field can have width 0.
    fn bit_width(&mut self, width: ast::ExprId, ty: Ty, decl: &Decl) -> Option<u32> {
        let limit = match ty.kind() {
            TyKind::Unknown => return None,
            TyKind::Bool => 1,
            TyKind::Integer(integer) => integer.bits(),
            _ => {
                self.problem(decl.span, TypeProblemKind::BitField { ty });
                return None;
            }
        };
        let least = i128::from(decl.name.is_some());
        match self.constant_integer(width) {
            Some(bits) if (least..=i128::from(limit)).contains(&bits) => Some(bits as u32),
            None if self.depends_on_unknown(width) => None,
            _ => {
                self.problem(self.ast.exprs[width].span, TypeProblemKind::BitWidth { limit });
                None
            }
        }
    }

    fn enumeration(
        &mut self,
        name: Option<ast::Name>,
        enumerators: Option<&[Enumerator]>,
        attributes: &[Attribute],
    ) -> Ty {
        let Some(enumerators) = enumerators else {
            let Some(name) = name else { return Ty::UNKNOWN };
            return match self.lookup_tag(name.text) {
                Some(ty) if ty.as_record().is_some() => {
                    self.problem(name.span, TypeProblemKind::TagKind(name.text));
                    Ty::UNKNOWN
                }
                // As in clang, a pointer to an enumeration that is defined later is permitted.
                known => known.unwrap_or(Ty::UNKNOWN),
            };
        };
        let (mut least, mut most) = (0, 0);
        let mut next: i128 = 0;
        let mut wide = Vec::new();
        for (constant, value) in enumerators {
            if let Some(value) = value {
                match self.constant_integer(*value) {
                    Some(value) => next = value,
                    None if self.depends_on_unknown(*value) => {}
                    None => self.problem(self.ast.exprs[*value].span, TypeProblemKind::NotConstant),
                }
            }
            (least, most) = (next.min(least), next.max(most));
            let ty = if i32::try_from(next).is_ok() {
                Ty::INT
            } else {
                wide.push((constant.text, next));
                if i64::try_from(next).is_ok() { Ty::LONG } else { Ty::ULONG }
            };
            self.scope().enter(constant.text, Meaning::Enumerator { value: next, ty });
            next = next.saturating_add(1);
        }
        let ty = underlying(least, most, attributes::packed(attributes.iter()));
        // Enumerators that do not fit into `int` have the type of the enumeration, which is known only now.
        for (name, value) in wide {
            self.scope().enter(name, Meaning::Enumerator { value, ty });
        }
        if let Some(name) = name {
            let class = self.own_class(name.text);
            self.enter_tag(class, ty);
        }
        ty
    }
}

/// The declarations of the members of a record that are not fields.
pub(super) struct RecordMembers {
    /// The tags, types and enumerators. The scope around the record knows them, too.
    pub declared: Scope,
    /// The constants. They are found only as members.
    pub constants: FxHashMap<Symbol, Meaning>,
}

impl RecordMembers {
    /// Returns the meanings of the types, enumerators and constants.
    pub fn into_meanings(self) -> FxHashMap<Symbol, Meaning> {
        let declared = self.declared.entries.into_iter().filter_map(|(entry, meaning)| match entry {
            LookupKey::Ordinary(name) => Some((name, meaning)),
            _ => None,
        });
        declared.chain(self.constants).collect()
    }
}

/// Whether a member of a class is not a field: a function, a friend, a static variable or a type.
fn is_no_field(decl: &Decl, ty: Ty) -> bool {
    let is = |word| decl.specifiers.storage.contains(&word);
    let friend = decl.more.as_ref().is_some_and(|more| more.friend);
    ty.as_function().is_some()
        || friend
        || is(Storage::Static)
        || is(Storage::Constexpr)
        || is(Storage::Typedef)
}

/// Returns the integer type that clang chooses for an enumeration: `uint` or `int` by the sign of the values, and a
/// wider type if necessary.
fn underlying(least: i128, most: i128, packed: bool) -> Ty {
    let signed = least < 0;
    let narrow: &[Integer] = if packed { &[Integer::Char, Integer::Short] } else { &[] };
    let fitting =
        narrow.iter().chain(&[Integer::Int]).map(|integer| integer.with_sign(signed)).find(|integer| {
            let limit = 1 << (integer.bits() - u32::from(signed));
            most < limit && least >= -limit
        });
    Ty::integer(fitting.unwrap_or(Integer::Long.with_sign(signed)))
}

/// Whether an unnamed parameter is an undefined macro, `MACRO()`, which can expand to any number of parameters.
fn is_macro(ty: Ty) -> bool {
    let function = ty.as_pointer().and_then(|pointer| pointer.pointee.as_function());
    function.is_some_and(|function| function.result.is_unknown())
}

fn qualified(qualifiers: &ast::Qualifiers) -> Qualified {
    Qualified {
        ty: Ty::UNKNOWN,
        space: qualifiers.space,
        constant: qualifiers.constant_value,
        volatile: qualifiers.volatile,
        restrict: qualifiers.restrict,
        of_device: false,
    }
}

/// Returns the type of a pointer to a qualified type.
pub(super) fn pointer_to(q: Qualified, restrict: bool) -> Ty {
    let space = match q.ty.kind() {
        // Functions are in no address space of the language. All pointers to functions use the same one.
        TyKind::Function(_) => AddressSpace::Private,
        _ => q.space.unwrap_or(AddressSpace::Generic),
    };
    Ty::new(TyKind::Pointer(Pointer {
        pointee: q.ty,
        space,
        constant: q.constant,
        volatile: q.volatile,
        restrict,
        reference: false,
    }))
}

/// Returns the type of a parameter in the type of its function.
fn adjust(q: Qualified) -> Ty {
    match q.ty.as_pointer() {
        Some(pointer) if q.restrict && !pointer.restrict => {
            Ty::new(TyKind::Pointer(Pointer { restrict: true, ..*pointer }))
        }
        _ => q.ty,
    }
}

/// Returns the signed integer as wide as an element of a vector, for masks.
pub(super) fn mask_element(element: Ty) -> Ty {
    let bits = match element.kind() {
        TyKind::Integer(integer) => integer.bits(),
        TyKind::Float(Float::Half) => 16,
        TyKind::Float(Float::Single) => 32,
        TyKind::Float(Float::Double) => 64,
        _ => 8,
    };
    match bits {
        8 => Ty::CHAR,
        16 => Ty::SHORT,
        32 => Ty::INT,
        _ => Ty::LONG,
    }
}
