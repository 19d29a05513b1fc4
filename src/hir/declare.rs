//! Types of declarations: from specifiers and declarators to [`Qualified`] types.
//!
//! ```c
//! global const int *p[3];  // array of 3 pointers to const int in global memory
//! ```
//!
//! The specifiers give `int`, const, in `global` memory; the declarator then builds outwards from there to the name. A pointee
//! without an address space is in `generic` memory (OpenCL C 3.0, 6.7.1). An array keeps its element's qualifiers.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use tangle_grammar::ast::{
    self, Access, AddressSpace, Attribute, Decl, Derived, Enumerator, Specifiers, TypeSpecifier,
};
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;

use super::check::{Checker, Meaning, Qualified, TypeProblemKind};
use super::types::{Definition, Field, Float, FunctionTy, Integer, Opaque, Pointer, Record, Ty, TyKind};

impl Qualified {
    pub fn plain(ty: Ty) -> Qualified {
        Qualified { ty, space: None, constant: false, volatile: false, restrict: false }
    }
}

/// The types that the dialect has under a name.
static BUILTIN_TYPES: LazyLock<FxHashMap<Symbol, Ty>> = LazyLock::new(|| {
    let mut types = FxHashMap::default();
    let mut add = |name: &str, ty: Ty| _ = types.insert(Symbol::intern(name), ty);
    let scalars: [(&str, Ty); 11] = [
        ("char", Ty::CHAR),
        ("uchar", Ty::UCHAR),
        ("short", Ty::SHORT),
        ("ushort", Ty::USHORT),
        ("int", Ty::INT),
        ("uint", Ty::UINT),
        ("long", Ty::LONG),
        ("ulong", Ty::ULONG),
        ("half", Ty::HALF),
        ("float", Ty::FLOAT),
        ("double", Ty::DOUBLE),
    ];
    for (name, ty) in scalars {
        add(name, ty);
        for lanes in [2, 3, 4, 8, 16] {
            add(&format!("{name}{lanes}"), Ty::vector(ty, lanes));
        }
    }
    let names = [
        ("size_t", Ty::SIZE),
        ("ptrdiff_t", Ty::LONG),
        ("intptr_t", Ty::LONG),
        ("uintptr_t", Ty::ULONG),
        ("_Float16", Ty::HALF),
        ("__int128_t", Ty::integer(Integer::Int128)),
        ("__uint128_t", Ty::integer(Integer::UInt128)),
        ("cl_mem_fence_flags", Ty::UINT),
        ("memory_order", Ty::UINT),
        ("memory_scope", Ty::UINT),
        ("clk_profiling_info", Ty::INT),
        ("kernel_enqueue_flags_t", Ty::INT),
    ];
    names.into_iter().for_each(|(name, ty)| add(name, ty));
    let atomics = [
        ("int", Ty::INT),
        ("uint", Ty::UINT),
        ("long", Ty::LONG),
        ("ulong", Ty::ULONG),
        ("half", Ty::HALF),
        ("float", Ty::FLOAT),
        ("double", Ty::DOUBLE),
        ("flag", Ty::INT),
        ("size_t", Ty::SIZE),
        ("ptrdiff_t", Ty::LONG),
        ("intptr_t", Ty::LONG),
        ("uintptr_t", Ty::ULONG),
        ("intmax_t", Ty::LONG),
        ("uintmax_t", Ty::ULONG),
    ];
    atomics.into_iter().for_each(|(name, ty)| add(&format!("atomic_{name}"), Ty::new(TyKind::Atomic(ty))));
    let opaque = [
        ("sampler_t", Opaque::Sampler),
        ("event_t", Opaque::Event),
        ("clk_event_t", Opaque::ClkEvent),
        ("queue_t", Opaque::Queue),
        ("reserve_id_t", Opaque::ReserveId),
        ("ndrange_t", Opaque::NdRange),
        ("va_list", Opaque::VaList),
        ("__builtin_va_list", Opaque::VaList),
    ];
    opaque.into_iter().for_each(|(name, opaque)| add(name, Ty::new(TyKind::Opaque(opaque))));
    types
});

/// The type that the dialect has under a name; images, which are many, not among them.
pub(super) fn builtin_type(name: Symbol) -> Option<Ty> {
    BUILTIN_TYPES.get(&name).copied()
}

/// Where a declaration stands, as far as its type depends on that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    Parameter,
    Other,
}

impl Checker<'_> {
    /// What a name stands for, in the innermost scope that has it. Builtins of the dialect are not among them.
    pub(super) fn lookup(&self, name: Symbol) -> Option<Meaning> {
        let local = self.scopes.iter().rev().find_map(|scope| scope.ordinary.get(&name));
        local.or_else(|| self.names.ordinary(name)).cloned()
    }

    pub(super) fn lookup_tag(&self, tag: Symbol) -> Option<Ty> {
        let local = self.scopes.iter().rev().find_map(|scope| scope.tags.get(&tag)).copied();
        local.or_else(|| self.names.tag(tag))
    }

    /// The type with its members, if it is a record that is only named here and defined somewhere in scope.
    pub(super) fn complete(&self, ty: Ty) -> Ty {
        match ty.as_record() {
            Some(Record { union, tag: Some(tag), definition: None }) => match self.lookup_tag(*tag) {
                Some(found) if found.as_record().is_some_and(|record| record.union == *union) => found,
                _ => ty,
            },
            _ => ty,
        }
    }

    pub(super) fn type_name(&mut self, id: ast::TypeId) -> Qualified {
        let ast = self.ast;
        let name = &ast.types[id];
        let base = self.specified(&name.specifiers);
        self.derive(base, &name.declarator, Context::Other)
    }

    /// The type of what a declaration declares. A function's type is that of the function.
    pub(super) fn declared(&mut self, decl: &Decl, context: Context) -> Qualified {
        let mut base = self.specified(&decl.specifiers);
        let typedef = decl.specifiers.storage.contains(&ast::Storage::Typedef);
        if let (true, Some(name), Some(record)) =
            (typedef && decl.declarator.is_empty(), decl.name, base.ty.as_record())
            && record.tag.is_none()
        {
            base.ty = Ty::new(TyKind::Record(Box::new(Record { tag: Some(name.text), ..record.clone() })));
        }
        let attributes = decl.specifiers.attributes.iter().chain(&decl.attributes);
        for attribute in attributes {
            self.vector_attribute(attribute, &mut base);
        }
        self.derive(base, &decl.declarator, context)
    }

    fn derive(&mut self, base: Qualified, declarator: &[Derived], context: Context) -> Qualified {
        let mut q = base;
        for (position, derived) in declarator.iter().enumerate().rev() {
            let adjusted = position == 0 && context == Context::Parameter;
            q = match derived {
                Derived::Pointer { qualifiers } => {
                    Qualified { ty: pointer_to(q, qualifiers.restrict), ..qualified(qualifiers) }
                }
                Derived::BlockPointer { qualifiers } => {
                    Qualified { ty: Ty::new(TyKind::BlockPointer(q.ty)), ..qualified(qualifiers) }
                }
                Derived::Array { size } => {
                    let length = size.and_then(|size| self.array_length(size));
                    match adjusted {
                        true => Qualified::plain(pointer_to(q, false)),
                        false => Qualified { ty: Ty::array(q.ty, length), ..q },
                    }
                }
                Derived::Function { parameters, variadic } => {
                    let types: Vec<Ty> = parameters
                        .iter()
                        .map(|&parameter| {
                            let ast = self.ast;
                            let parameter = self.declared(&ast.decls[parameter], Context::Parameter);
                            adjust(parameter)
                        })
                        .collect();
                    // `f(void)` has no parameters.
                    let parameters = if types == [Ty::VOID] { Vec::new() } else { types };
                    let function =
                        FunctionTy { result: q.ty, parameters: parameters.into(), variadic: *variadic };
                    Qualified::plain(Ty::new(TyKind::Function(Box::new(function))))
                }
            };
        }
        if context == Context::Parameter {
            // A typedef may name an array or a function.
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
                    word = Some(specifier)
                }
                T::Named(name) => base = Some(self.named_type(*name)),
                T::Record { union, name, members } => {
                    let ty = self.record(*union, *name, members.as_deref(), &specifiers.attributes);
                    base = Some(Qualified::plain(ty));
                }
                T::Enum { name, enumerators } => {
                    base = Some(Qualified::plain(self.enumeration(*name, enumerators.as_deref())));
                }
                T::TypeofExpr(expr) => {
                    // The type of an expression, without what its place adds.
                    base = Some(Qualified { space: None, ..self.type_of_expr(*expr) });
                }
                T::TypeofType(ty) => base = Some(self.type_name(*ty)),
                T::Atomic(ty) => {
                    let inner = self.type_name(*ty);
                    base = Some(Qualified { ty: Ty::new(TyKind::Atomic(inner.ty)), ..inner });
                }
            }
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
                // `unsigned size_t` is no C, but `unsigned uint8`-like typedefs of macros come up: the sign word wins.
                Some(integer) if unsigned => Qualified { ty: Ty::integer(integer.with_sign(false)), ..base },
                _ => base,
            },
            (Some(integer), ..) => Qualified::plain(Ty::integer(integer.with_sign(!unsigned))),
            (_, Some(T::Void), _) => Qualified::plain(Ty::VOID),
            (_, Some(T::Bool), _) => Qualified::plain(Ty::BOOL),
            (_, Some(T::Half), _) => Qualified::plain(Ty::HALF),
            (_, Some(T::Float), _) => Qualified::plain(Ty::FLOAT),
            (_, Some(T::Double), _) => Qualified::plain(Ty::DOUBLE),
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
            return q;
        }
        if let Some(ty) = builtin_type(name.text) {
            return Qualified::plain(ty);
        }
        let text = name.text.as_str();
        if text.starts_with("image") && text.ends_with("_t") {
            let image = Opaque::Image { name: name.text, access: Access::ReadOnly };
            return Qualified::plain(Ty::new(TyKind::Opaque(image)));
        }
        // `unknown-type` says so.
        Qualified::plain(Ty::UNKNOWN)
    }

    fn record(
        &mut self,
        union: bool,
        name: Option<ast::Name>,
        members: Option<&[ast::DeclId]>,
        attributes: &[Attribute],
    ) -> Ty {
        let tag = name.map(|name| name.text);
        let incomplete = Ty::new(TyKind::Record(Box::new(Record { union, tag, definition: None })));
        let Some(members) = members else {
            let known = tag.and_then(|tag| self.lookup_tag(tag));
            return known.filter(|ty| ty.as_record().is_some_and(|r| r.union == union)).unwrap_or(incomplete);
        };
        if let Some(tag) = tag {
            self.scope().tags.insert(tag, incomplete);
        }
        let mut fields = Vec::with_capacity(members.len());
        for &id in members {
            let ast = self.ast;
            let decl = &ast.decls[id];
            let q = self.declared(decl, Context::Other);
            let bits = decl.bit_width.map(|width| self.bit_width(width, q.ty));
            // A bare `enum { … };` or `struct tag { … };` inside declares a type, not a member.
            let unnamed_record = q.ty.as_record().is_some_and(|record| record.tag.is_none());
            if decl.name.is_none() && bits.is_none() && !unnamed_record {
                continue;
            }
            let alignment = decl.specifiers.attributes.iter().chain(&decl.attributes).find_map(alignment);
            fields.push(Field {
                name: decl.name.map(|name| name.text),
                ty: q.ty,
                bits,
                constant: q.constant,
                volatile: q.volatile,
                align: alignment,
            });
        }
        let definition = Definition {
            fields: fields.into(),
            packed: attributes.iter().any(|attribute| attribute_name(attribute) == "packed"),
            align: attributes.iter().find_map(alignment),
        };
        let ty = Ty::new(TyKind::Record(Box::new(Record { union, tag, definition: Some(definition) })));
        if let Some(tag) = tag {
            self.scope().tags.insert(tag, ty);
        }
        ty
    }

    fn bit_width(&mut self, width: ast::ExprId, ty: Ty) -> u32 {
        let limit = match ty.kind() {
            TyKind::Bool => 1,
            TyKind::Integer(integer) => integer.bits(),
            _ => 64,
        };
        match self.constant_integer(width) {
            Some(bits) if (0..=i128::from(limit)).contains(&bits) => bits as u32,
            _ => {
                self.problem(self.ast.exprs[width].span, TypeProblemKind::BitWidth { limit });
                limit
            }
        }
    }

    fn enumeration(&mut self, name: Option<ast::Name>, enumerators: Option<&[Enumerator]>) -> Ty {
        let Some(enumerators) = enumerators else {
            return name.and_then(|name| self.lookup_tag(name.text)).unwrap_or(Ty::UINT);
        };
        let mut next: i128 = 0;
        let mut negative = false;
        let mut wide = false;
        for (constant, value) in enumerators {
            if let Some(value) = value {
                match self.constant_integer(*value) {
                    Some(value) => next = value,
                    None if self.depends_on_unknown(*value) => {}
                    None => self.problem(self.ast.exprs[*value].span, TypeProblemKind::NotConstant),
                }
            }
            negative |= next < 0;
            let fits = i32::try_from(next).is_ok();
            wide |= !fits && u32::try_from(next).is_err();
            let ty = if fits {
                Ty::INT
            } else if wide {
                Ty::LONG
            } else {
                Ty::UINT
            };
            self.scope().ordinary.insert(constant.text, Meaning::Enumerator { value: next, ty });
            next += 1;
        }
        let ty = match (wide, negative) {
            (true, true) => Ty::LONG,
            (true, false) => Ty::ULONG,
            (false, true) => Ty::INT,
            (false, false) => Ty::UINT,
        };
        if let Some(name) = name {
            self.scope().tags.insert(name.text, ty);
        }
        ty
    }

    /// `ext_vector_type(n)`, and `vector_size(bytes)`.
    fn vector_attribute(&mut self, attribute: &Attribute, q: &mut Qualified) {
        let Some(number) = first_number(attribute) else { return };
        let lanes = match (attribute_name(attribute), super::layout::layout(q.ty)) {
            ("ext_vector_type", _) => number,
            ("vector_size", Some(layout)) if layout.size > 0 => number / layout.size,
            _ => return,
        };
        if matches!(lanes, 1..=16) && q.ty.is_arithmetic() {
            q.ty = Ty::vector(q.ty, lanes as u8);
        }
    }
}

fn qualified(qualifiers: &ast::Qualifiers) -> Qualified {
    Qualified {
        ty: Ty::UNKNOWN,
        space: qualifiers.space,
        constant: qualifiers.constant_value,
        volatile: qualifiers.volatile,
        restrict: qualifiers.restrict,
    }
}

/// The pointer to something qualified.
pub(super) fn pointer_to(q: Qualified, restrict: bool) -> Ty {
    let space = match q.ty.kind() {
        // Code is in no address space of the language; one number for all pointers to it.
        TyKind::Function(_) => AddressSpace::Private,
        _ => q.space.unwrap_or(AddressSpace::Generic),
    };
    Ty::new(TyKind::Pointer(Pointer {
        pointee: q.ty,
        space,
        constant: q.constant,
        volatile: q.volatile,
        restrict,
    }))
}

/// The type of a parameter in its function's type.
fn adjust(q: Qualified) -> Ty {
    match q.ty.as_pointer() {
        Some(pointer) if q.restrict && !pointer.restrict => {
            Ty::new(TyKind::Pointer(Pointer { restrict: true, ..*pointer }))
        }
        _ => q.ty,
    }
}

fn attribute_name(attribute: &Attribute) -> &'static str {
    attribute.name.text.as_str().trim_matches('_')
}

fn first_number(attribute: &Attribute) -> Option<u64> {
    let token = attribute.arguments.iter().find(|token| token.kind == TokenKind::Number)?;
    match tangle_grammar::literal::number(token.text.as_str()) {
        Ok(tangle_grammar::literal::Number::Integer { value, .. }) => Some(value),
        _ => None,
    }
}

fn alignment(attribute: &Attribute) -> Option<u32> {
    if attribute_name(attribute) != "aligned" {
        return None;
    }
    // Without an argument: the largest alignment of the target.
    let value = if attribute.arguments.is_empty() { 16 } else { first_number(attribute)? };
    u32::try_from(value).ok().filter(|align| align.is_power_of_two())
}

/// The scalar with a number of bits and a sign, for masks of vectors.
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
