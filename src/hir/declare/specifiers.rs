//! The type that specifiers name together.

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;
use tangle_grammar::ast::{Access, Span, Specifiers, TypeSpecifier};
use tangle_grammar::builtin_types;
use tangle_grammar::symbol::Symbol;

use crate::hir::check::{Checker, Meaning, Qualified, TypeProblemKind};
use crate::hir::types::{Integer, Opaque, Ty, TyKind};

/// What the keywords among the specifiers say, and what else names a type.
#[derive(Default)]
struct Words {
    signed: u8,
    unsigned: u8,
    short: u8,
    int: u8,
    long: u8,
    char: u8,
    double: u8,
    complex: bool,
    pipe: bool,
    other: Option<Qualified>,
    others: u8,
}

impl Words {
    fn any(&self) -> bool {
        let counts = [self.signed, self.unsigned, self.short, self.int, self.long, self.char, self.double];
        counts.iter().any(|&count| count > 0)
    }

    /// The arithmetic type that the words name: any order, `int` and `signed` as C lets one omit them.
    fn arithmetic(&self) -> Result<Ty, TypeProblemKind> {
        let Words { signed, unsigned, short, int, long, char, double, .. } = *self;
        if double > 0 {
            return match (signed | unsigned | short | int | char, long, double) {
                (0, 0, 1) => Ok(Ty::DOUBLE),
                (0, 1, 1) => Err(TypeProblemKind::UnsupportedType("long double")),
                _ => Err(TypeProblemKind::ConflictingSpecifiers),
            };
        }
        let integer = match (char, short, int, long) {
            (1, 0, 0, 0) => Integer::Char,
            (0, 1, 0 | 1, 0) => Integer::Short,
            (0, 0, 0 | 1, 0) => Integer::Int,
            (0, 0, 0 | 1, 1) => Integer::Long,
            // OpenCL C reserves `long long` for 128 bits, and so does clang.
            (0, 0, 0 | 1, 2) => Integer::Int128,
            _ => return Err(TypeProblemKind::ConflictingSpecifiers),
        };
        match (signed, unsigned) {
            (0 | 1, 0) => Ok(Ty::integer(integer)),
            (0, 1) => Ok(Ty::integer(integer.with_sign(false))),
            _ => Err(TypeProblemKind::ConflictingSpecifiers),
        }
    }
}

/// The types that the dialect names, apart from keywords. Images are `read_only` until someone says otherwise.
static BUILTIN: LazyLock<FxHashMap<Symbol, Ty>> = LazyLock::new(|| {
    let named = |name: &'static str| Some((Symbol::intern(name), builtin(name)?));
    builtin_types().filter_map(named).collect()
});

fn builtin(name: &'static str) -> Option<Ty> {
    let opaque = |opaque| Some(Ty::new(TyKind::Opaque(opaque)));
    if name.starts_with("image") {
        return opaque(Opaque::Image { name: Symbol::intern(name), access: Access::ReadOnly });
    }
    if let Some(name) = name.strip_prefix("atomic_") {
        let ty = match name {
            "flag" => Ty::INT,
            "intmax_t" => Ty::LONG,
            "uintmax_t" => Ty::ULONG,
            name => scalar(name)?,
        };
        return Some(Ty::new(TyKind::Atomic(ty)));
    }
    match name {
        "sampler_t" => opaque(Opaque::Sampler),
        "event_t" => opaque(Opaque::Event),
        "clk_event_t" => opaque(Opaque::ClkEvent),
        "queue_t" => opaque(Opaque::Queue),
        "reserve_id_t" => opaque(Opaque::ReserveId),
        "ndrange_t" => opaque(Opaque::NdRange),
        "va_list" | "__builtin_va_list" => opaque(Opaque::VaList),
        // Enumerations without negative values, and typedefs of `uint`, in every implementation's header.
        "memory_order"
        | "memory_scope"
        | "cl_mem_fence_flags"
        | "clk_profiling_info"
        | "kernel_enqueue_flags_t" => Some(Ty::UINT),
        "__int128_t" => Some(Ty::integer(Integer::Int128)),
        "__uint128_t" => Some(Ty::integer(Integer::UInt128)),
        "_Float16" => Some(Ty::HALF),
        _ => scalar(name).or_else(|| {
            let element = name.trim_end_matches(|c: char| c.is_ascii_digit());
            let lanes = name[element.len()..].parse().ok()?;
            Some(Ty::vector(scalar(element)?, lanes))
        }),
    }
}

fn scalar(name: &str) -> Option<Ty> {
    Some(match name {
        "char" => Ty::CHAR,
        "uchar" => Ty::UCHAR,
        "short" => Ty::SHORT,
        "ushort" => Ty::USHORT,
        "int" => Ty::INT,
        "uint" => Ty::UINT,
        "long" | "ptrdiff_t" | "intptr_t" => Ty::LONG,
        "ulong" | "size_t" | "uintptr_t" => Ty::ULONG,
        "half" => Ty::HALF,
        "float" => Ty::FLOAT,
        "double" => Ty::DOUBLE,
        _ => return None,
    })
}

/// The type that the dialect gives a name which nothing declares.
pub(in crate::hir) fn builtin_type(name: Symbol) -> Option<Ty> {
    BUILTIN.get(&name).copied()
}

impl Checker<'_> {
    /// The type of specifiers, read once for all declarators that follow them: what they define is defined once.
    pub(super) fn specified_once(&mut self, specifiers: &Arc<Specifiers>) -> Qualified {
        if let Some((read, ty)) = &self.read
            && Arc::ptr_eq(read, specifiers)
        {
            return *ty;
        }
        let ty = self.specified(specifiers);
        self.read = Some((specifiers.clone(), ty));
        ty
    }

    /// The type that specifiers name, with its qualifiers.
    pub(in crate::hir) fn specified(&mut self, specifiers: &Specifiers) -> Qualified {
        let span = specifiers.span.unwrap_or(Span::new(0, 0));
        let mut all = self.unqualified(specifiers, span);
        all.ty = self.complete(all.ty);
        all.ty = self.with_vector_attributes(all.ty, &specifiers.attributes);
        let qualifiers = &specifiers.qualifiers;
        if qualifiers.atomic {
            all.ty = self.atomic(all.ty, span);
        }
        if let Some(access) = qualifiers.access {
            all.ty = with_access(all.ty, access);
        }
        if qualifiers.restrict {
            all.ty = all.ty.with_restrict(true);
        }
        match (all.space, qualifiers.space) {
            (Some(one), Some(other)) if one != other => {
                self.problem(span, TypeProblemKind::ConflictingSpaces(one, other));
            }
            (space, written) => all.space = written.or(space),
        }
        all.constant |= qualifiers.constant_value;
        all.volatile |= qualifiers.volatile;
        all.restrict |= qualifiers.restrict;
        all
    }

    fn unqualified(&mut self, specifiers: &Specifiers, span: Span) -> Qualified {
        let mut words = Words::default();
        for ty in &specifiers.types {
            let count = match ty {
                TypeSpecifier::Signed => &mut words.signed,
                TypeSpecifier::Unsigned => &mut words.unsigned,
                TypeSpecifier::Short => &mut words.short,
                TypeSpecifier::Int => &mut words.int,
                TypeSpecifier::Long => &mut words.long,
                TypeSpecifier::Char => &mut words.char,
                TypeSpecifier::Double => &mut words.double,
                TypeSpecifier::Complex => {
                    words.complex = true;
                    continue;
                }
                TypeSpecifier::Pipe => {
                    words.pipe = true;
                    continue;
                }
                other => {
                    let other = self.single(other, specifiers, span);
                    words.other = Some(other);
                    &mut words.others
                }
            };
            *count = count.saturating_add(1);
        }
        let unknown = Qualified::plain(Ty::UNKNOWN);
        let one = match words.other {
            _ if words.complex => Err(TypeProblemKind::UnsupportedType("_Complex")),
            // Two words of which one is unknown: the unknown one may be a qualifier of a missing header.
            Some(other) if other.ty.is_unknown() => Ok(unknown),
            Some(_) if words.others > 1 || words.any() => Err(TypeProblemKind::ConflictingSpecifiers),
            Some(other) => Ok(other),
            None if words.any() => words.arithmetic().map(Qualified::plain),
            // `KERNEL(name) { … }`: a macro of a missing header, most likely.
            None if specifiers.span.is_none() => Ok(unknown),
            None => Err(TypeProblemKind::MissingType),
        };
        let one = one.unwrap_or_else(|kind| {
            self.problem(span, kind);
            unknown
        });
        if words.pipe && !one.ty.is_unknown() {
            let access = specifiers.qualifiers.access.unwrap_or(Access::ReadOnly);
            return Qualified::plain(Ty::new(TyKind::Opaque(Opaque::Pipe { packet: one.ty, access })));
        }
        one
    }

    /// A specifier that is a type by itself.
    fn single(&mut self, specifier: &TypeSpecifier, specifiers: &Specifiers, span: Span) -> Qualified {
        Qualified::plain(match specifier {
            TypeSpecifier::Void => Ty::VOID,
            TypeSpecifier::Bool => Ty::BOOL,
            TypeSpecifier::Half => Ty::HALF,
            TypeSpecifier::Float => Ty::FLOAT,
            TypeSpecifier::Named(name) => match self.lookup(name.text) {
                Some(Meaning::Type(ty)) => return ty,
                // The parser says of every unknown type where it is met first.
                _ => builtin_type(name.text).unwrap_or(Ty::UNKNOWN),
            },
            TypeSpecifier::Record { union, name, members: None } => match name {
                Some(name) => self.mentioned_record(*union, *name),
                None => Ty::UNKNOWN,
            },
            TypeSpecifier::Record { union, name, members: Some(members) } => {
                self.defined_record(*union, *name, members, &specifiers.attributes)
            }
            TypeSpecifier::Enum { name, enumerators: None } => match name {
                Some(name) => self.mentioned_enum(*name),
                None => Ty::UNKNOWN,
            },
            TypeSpecifier::Enum { name, enumerators: Some(list) } => {
                self.defined_enum(*name, list, &specifiers.attributes)
            }
            TypeSpecifier::TypeofExpr(expr) => return self.type_of_expr(*expr),
            TypeSpecifier::TypeofType(ty) => return self.type_name(*ty),
            TypeSpecifier::Atomic(ty) => {
                let ty = self.type_name(*ty).ty;
                self.atomic(ty, span)
            }
            // Counted by the caller.
            TypeSpecifier::Signed
            | TypeSpecifier::Unsigned
            | TypeSpecifier::Short
            | TypeSpecifier::Int
            | TypeSpecifier::Long
            | TypeSpecifier::Char
            | TypeSpecifier::Double
            | TypeSpecifier::Complex
            | TypeSpecifier::Pipe => Ty::UNKNOWN,
        })
    }

    fn atomic(&mut self, ty: Ty, span: Span) -> Ty {
        match ty.kind() {
            TyKind::Unknown | TyKind::Atomic(_) => ty,
            TyKind::Bool | TyKind::Integer(_) | TyKind::Float(_) | TyKind::Pointer(_) | TyKind::Record(_) => {
                Ty::new(TyKind::Atomic(ty))
            }
            _ => {
                self.problem(span, TypeProblemKind::AtomicOf(ty));
                Ty::UNKNOWN
            }
        }
    }
}

/// An image or pipe with another access.
fn with_access(ty: Ty, access: Access) -> Ty {
    match *ty.kind() {
        TyKind::Opaque(Opaque::Image { name, .. }) => Ty::new(TyKind::Opaque(Opaque::Image { name, access })),
        TyKind::Opaque(Opaque::Pipe { packet, .. }) => {
            Ty::new(TyKind::Opaque(Opaque::Pipe { packet, access }))
        }
        _ => ty,
    }
}
