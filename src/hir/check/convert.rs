//! Conversions of places to values, and between the types of values.

use tangle_grammar::ast::{AddressSpace, Span};

use super::{Checker, ConversionContext, TypeProblemKind};
use crate::declare::pointer_to;
use crate::def::names::Qualified;
use crate::typed::{Constant, Conversion, ExprId, ExprKind, Storage};
use crate::types::{Integer, Opaque, Pointer, Record, Ty, TyKind};

/// The properties of a place beyond its type.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaceQualifiers {
    pub space: AddressSpace,
    /// Declared `const`. A place in `constant` memory may lack this, but cannot be written either.
    pub constant: bool,
    pub volatile: bool,
    /// A bit-field or lanes of a vector, which have no address.
    pub partial: bool,
}

impl Checker<'_> {
    /// Returns the properties of a place. None: the expression is a value.
    pub(super) fn place(&self, id: ExprId) -> Option<PlaceQualifiers> {
        let (mut constant, mut volatile, mut partial) = (false, false, false);
        let mut at = id;
        loop {
            let expr = &self.exprs[at];
            let (space, c, v) = match &expr.kind {
                ExprKind::Variable(var) | ExprKind::Compound { var, .. } => {
                    let var = &self.vars[*var];
                    (var.space, var.constant && var.space != AddressSpace::Constant, var.volatile)
                }
                ExprKind::Global(name) => match self.global(*name) {
                    Some((space, c, v)) => (space, c, v),
                    None => return None,
                },
                ExprKind::Deref(pointer) => match self.exprs[*pointer].ty.as_pointer() {
                    Some(pointer) => (pointer.space, pointer.constant, pointer.volatile),
                    None => return None,
                },
                ExprKind::String(_) => (AddressSpace::Constant, false, false),
                ExprKind::Field { base, field } => {
                    let record = self.exprs[*base].ty.as_record()?;
                    let field = &record.definition.as_ref()?.fields[*field as usize];
                    constant |= field.constant;
                    volatile |= field.volatile;
                    partial |= field.bits.is_some();
                    at = *base;
                    continue;
                }
                ExprKind::Lanes { base, lanes } => {
                    let repeated = lanes.iter().enumerate().any(|(n, lane)| lanes[..n].contains(lane));
                    if repeated {
                        return None;
                    }
                    partial = true;
                    at = *base;
                    continue;
                }
                ExprKind::Lane { base, .. } => {
                    partial = true;
                    at = *base;
                    continue;
                }
                _ => return None,
            };
            return Some(PlaceQualifiers {
                space,
                constant: constant || c,
                volatile: volatile || v,
                partial,
            });
        }
    }

    fn global(&self, name: tangle_grammar::symbol::Symbol) -> Option<(AddressSpace, bool, bool)> {
        match self.global_meaning(name) {
            Some(super::Meaning::Global { space, constant, volatile, .. }) => {
                Some((*space, *constant, *volatile))
            }
            // The only declaration of the variable is an `extern` declaration in a block.
            _ => {
                let var = self.vars.iter().find(|var| var.storage == Storage::Extern(name))?;
                Some((var.space, var.constant && var.space != AddressSpace::Constant, var.volatile))
            }
        }
    }

    /// Converts an expression to a value: loads a place, or takes a pointer to the first element of an array.
    pub(super) fn value(&mut self, id: ExprId) -> ExprId {
        let expr = &self.exprs[id];
        let (ty, span) = (expr.ty, expr.span);
        if ty.is_unknown() {
            return id;
        }
        if let TyKind::Array { element, .. } = ty.kind() {
            // An array in a record that a call returned is in private memory until the end of the expression.
            let temporary = PlaceQualifiers {
                space: AddressSpace::Private,
                constant: false,
                volatile: false,
                partial: false,
            };
            let place = self.place(id).unwrap_or(temporary);
            let element = Qualified {
                ty: *element,
                space: Some(place.space),
                constant: place.constant,
                volatile: place.volatile,
                restrict: false,
                of_device: false,
            };
            return self.push(ExprKind::Decay(id), pointer_to(element, false), span);
        }
        if self.place(id).is_none() {
            return id;
        }
        if let (ExprKind::Deref(operand), true) = (&self.exprs[id].kind, ty.is_void()) {
            // `*p` of a `void *` is evaluated, but has no value to load.
            let operand = *operand;
            return self.push(ExprKind::Convert { conversion: Conversion::Discard, operand }, ty, span);
        }
        if ty.as_record().is_some_and(|record| record.definition.is_none()) {
            return self.wrong(span, TypeProblemKind::Incomplete { ty }, &[id]);
        }
        let ty = match ty.kind() {
            TyKind::Atomic(inner) => *inner,
            _ => ty,
        };
        let loaded = self.push(ExprKind::Load(id), ty, span);
        // `threadIdx.x / WARP`: a global variable that is a known constant becomes its value.
        if self.cpp
            && ty.as_integer().is_some()
            && matches!(self.exprs[id].kind, ExprKind::Global(_))
            && let Some(number) = self.constant(loaded, 0)
        {
            self.exprs[loaded].kind = ExprKind::Constant(number);
            return loaded;
        }
        match self.bit_field(id) {
            // The width of a bit-field matters only for the integer promotions (C11, 6.3.1.1).
            Some(bits) if bits < 32 && ty.as_integer().is_some() => self.as_scalar(loaded, Ty::INT),
            _ => loaded,
        }
    }

    /// Returns the width of a bit-field. None: the expression is not a bit-field.
    pub(super) fn bit_field(&self, id: ExprId) -> Option<u32> {
        let ExprKind::Field { base, field } = self.exprs[id].kind else { return None };
        let record = self.exprs[base].ty.as_record()?;
        record.definition.as_ref()?.fields[field as usize].bits
    }

    /// Converts a value. The language must permit the conversion. Literals are folded.
    pub(super) fn converted(&mut self, id: ExprId, to: Ty, conversion: Conversion) -> ExprId {
        let span = self.exprs[id].span;
        // `(event_t)0` is a null event, but the bits of a sampler have a meaning.
        let zero = matches!(self.exprs[id].kind, ExprKind::Constant(Constant::Integer(0)));
        if let (true, TyKind::Opaque(opaque)) = (zero && conversion == Conversion::Bits, to.kind())
            && *opaque != Opaque::Sampler
        {
            return self.push(ExprKind::Constant(Constant::Zero), to, span);
        }
        if conversion != Conversion::Bits
            && let Some(constant) = self.folded(id, to, conversion)
        {
            return self.push(ExprKind::Constant(constant), to, span);
        }
        self.push(ExprKind::Convert { conversion, operand: id }, to, span)
    }

    /// Folds the conversion of a literal. Most conversions are of literals, and nodes for them would carry no
    /// information.
    fn folded(&self, id: ExprId, to: Ty, conversion: Conversion) -> Option<Constant> {
        let ExprKind::Constant(constant) = &self.exprs[id].kind else { return None };
        super::constant::convert_constant(constant, self.exprs[id].ty, to, conversion)
    }

    /// Returns the conversion between two arithmetic scalars.
    pub(super) fn scalar_conversion(from: Ty, to: Ty) -> Option<Conversion> {
        if !from.is_arithmetic() || !to.is_arithmetic() {
            return None;
        }
        Some(match (from.as_float().is_some(), to.as_float().is_some()) {
            _ if to == Ty::BOOL => Conversion::ToBool,
            (false, false) => Conversion::Integer,
            (false, true) => Conversion::IntToFloat,
            (true, false) => Conversion::FloatToInt,
            (true, true) => Conversion::Float,
        })
    }

    /// Converts a scalar to another arithmetic type.
    pub(super) fn as_scalar(&mut self, id: ExprId, to: Ty) -> ExprId {
        let from = self.exprs[id].ty;
        if from == to || from.is_unknown() || to.is_unknown() {
            return id;
        }
        match Self::scalar_conversion(from, to) {
            Some(conversion) => self.converted(id, to, conversion),
            None => id,
        }
    }

    /// Copies a scalar to every lane of a vector type.
    pub(super) fn splat(&mut self, id: ExprId, vector: Ty) -> ExprId {
        let Some((element, _)) = vector.as_vector() else { return id };
        let scalar = self.as_scalar(id, element);
        self.converted(scalar, vector, Conversion::Splat)
    }

    /// Converts a scalar or pointer to `bool`, for conditions.
    pub(super) fn condition(&mut self, id: ExprId) -> ExprId {
        let id = self.operand_as_value(id);
        let id = self.value(id);
        let (ty, span) = (self.exprs[id].ty, self.exprs[id].span);
        match ty.kind() {
            TyKind::Bool | TyKind::Unknown => id,
            TyKind::Integer(_) | TyKind::Float(_) | TyKind::Pointer(_) | TyKind::BlockPointer(_) => {
                self.converted(id, Ty::BOOL, Conversion::ToBool)
            }
            _ => self.wrong(span, TypeProblemKind::Condition { ty }, &[id]),
        }
    }

    /// Converts a value implicitly to another type, as in an assignment.
    pub(super) fn assigned(&mut self, id: ExprId, to: Ty, what: ConversionContext) -> ExprId {
        let id = self.as_converted_object(id, to);
        let id = self.value(id);
        let (from, span) = (self.exprs[id].ty, self.exprs[id].span);
        let to = match to.kind() {
            TyKind::Atomic(inner) => *inner,
            _ => to,
        };
        if from == to || from.is_unknown() || to.is_unknown() {
            return id;
        }
        match self.implicit(id, from, to, what) {
            ImplicitConversion::Same => id,
            ImplicitConversion::Null => self.push(ExprKind::Constant(Constant::Zero), to, span),
            ImplicitConversion::By(conversion) => self.converted(id, to, conversion),
            ImplicitConversion::Splat => self.splat(id, to),
            ImplicitConversion::Space => self.wrong(span, TypeProblemKind::Space { from, to, what }, &[id]),
            ImplicitConversion::None => self.wrong(span, TypeProblemKind::Convert { from, to, what }, &[id]),
        }
    }

    fn implicit(&self, id: ExprId, from: Ty, to: Ty, what: ConversionContext) -> ImplicitConversion {
        if let Some(conversion) = Self::scalar_conversion(from, to) {
            return ImplicitConversion::By(conversion);
        }
        match (from.kind(), to.kind()) {
            (_, TyKind::Pointer(_) | TyKind::BlockPointer(_)) if self.is_null(id) => ImplicitConversion::Null,
            (TyKind::Pointer(from), TyKind::Pointer(to)) => pointer_conversion(from, to, self.cpp),
            (TyKind::Pointer(_) | TyKind::BlockPointer(_), TyKind::Bool) => {
                ImplicitConversion::By(Conversion::ToBool)
            }
            (TyKind::BlockPointer(_), TyKind::BlockPointer(_)) => ImplicitConversion::By(Conversion::Pointer),
            (TyKind::Record(a), TyKind::Record(b)) if same_record(a, b) => ImplicitConversion::Same,
            (_, TyKind::Vector { .. }) if from.is_arithmetic() => ImplicitConversion::Splat,
            (_, TyKind::Opaque(opaque)) if self.is_opaque_constant(id, opaque, what) => {
                ImplicitConversion::By(Conversion::Bits)
            }
            _ => ImplicitConversion::None,
        }
    }

    pub(super) fn is_constant(&self, id: ExprId) -> bool {
        matches!(self.exprs[id].kind, ExprKind::Constant(_))
    }

    /// Whether an expression is a null pointer constant: 0, or 0 as a `void *`. It converts to every pointer type and
    /// address space.
    pub(super) fn is_null(&self, id: ExprId) -> bool {
        let expr = &self.exprs[id];
        let zero = matches!(expr.kind, ExprKind::Constant(Constant::Integer(0) | Constant::Zero));
        zero && match expr.ty.kind() {
            TyKind::Integer(_) | TyKind::Bool => true,
            TyKind::Pointer(pointer) => {
                let plain = !pointer.constant && !pointer.volatile && pointer.space == AddressSpace::Generic;
                plain && pointer.pointee.is_void()
            }
            _ => false,
        }
    }

    /// Whether an integer constant is a value of an opaque type: the bits of a sampler, a null event, a null queue.
    fn is_opaque_constant(&self, id: ExprId, opaque: &Opaque, what: ConversionContext) -> bool {
        let integer = self.exprs[id].ty.as_integer().is_some() || self.exprs[id].ty == Ty::BOOL;
        match opaque {
            Opaque::Sampler => integer && self.is_constant(id) && what != ConversionContext::Cast,
            Opaque::Event if what == ConversionContext::Assign => false,
            Opaque::Event | Opaque::ClkEvent | Opaque::ReserveId => integer && self.is_null(id),
            Opaque::Queue => self.is_null(id),
            _ => false,
        }
    }

    /// Checks a cast in the source.
    pub(super) fn cast(&mut self, operand: ExprId, to: Ty, span: Span) -> ExprId {
        if to.is_void() {
            let operand = self.value(operand);
            return self.push(ExprKind::Convert { conversion: Conversion::Discard, operand }, Ty::VOID, span);
        }
        let operand = self.as_converted_object(operand, to);
        let id = self.value(operand);
        let from = self.exprs[id].ty;
        if from.is_unknown() || to.is_unknown() {
            return self.unknown(&[id], to, span);
        }
        if from == to {
            return id;
        }
        if let Some(conversion) = Self::scalar_conversion(from, to) {
            return self.converted(id, to, conversion);
        }
        let conversion = match (from.kind(), to.kind()) {
            (TyKind::Pointer(a), TyKind::Pointer(b)) => match self.cpp || spaces_overlap(a.space, b.space) {
                true => Conversion::Pointer,
                false => {
                    return self.wrong(
                        span,
                        TypeProblemKind::Space { from, to, what: ConversionContext::Cast },
                        &[id],
                    );
                }
            },
            (TyKind::BlockPointer(_), TyKind::Pointer(_) | TyKind::BlockPointer(_))
            | (TyKind::Pointer(_), TyKind::BlockPointer(_)) => Conversion::Pointer,
            (TyKind::Pointer(_) | TyKind::BlockPointer(_), TyKind::Integer(_)) => Conversion::PointerToInt,
            (TyKind::Pointer(_) | TyKind::BlockPointer(_), TyKind::Bool) => Conversion::ToBool,
            (TyKind::Integer(_) | TyKind::Bool, TyKind::Pointer(_) | TyKind::BlockPointer(_)) => {
                Conversion::IntToPointer
            }
            (_, TyKind::Vector { .. }) if from.is_arithmetic() => return self.splat(id, to),
            (TyKind::Record(a), TyKind::Record(b)) if same_record(a, b) => return id,
            (_, TyKind::Opaque(opaque)) if self.is_opaque_constant(id, opaque, ConversionContext::Cast) => {
                Conversion::Bits
            }
            _ => {
                return self.wrong(
                    span,
                    TypeProblemKind::Convert { from, to, what: ConversionContext::Cast },
                    &[id],
                );
            }
        };
        self.converted(id, to, conversion)
    }

    /// Applies the integer promotions.
    pub(super) fn promoted(&mut self, id: ExprId) -> ExprId {
        let to = promoted_type(self.exprs[id].ty);
        self.as_scalar(id, to)
    }

    /// Applies the usual arithmetic conversions to two operands, also to vectors. None: their types are incompatible.
    pub(super) fn usual_conversions(&mut self, left: ExprId, right: ExprId) -> Option<(ExprId, ExprId, Ty)> {
        let (l, r) = (self.exprs[left].ty, self.exprs[right].ty);
        match (l.as_vector(), r.as_vector()) {
            (Some(_), Some(_)) => (l == r).then_some((left, right, l)),
            (Some((element, _)), None) => {
                let fits = r.is_arithmetic() && self.can_splat(right, element);
                fits.then(|| (left, self.splat(right, l), l))
            }
            (None, Some((element, _))) => {
                let fits = l.is_arithmetic() && self.can_splat(left, element);
                fits.then(|| (self.splat(left, r), right, r))
            }
            (None, None) => {
                let common = common_type(l, r)?;
                Some((self.as_scalar(left, common), self.as_scalar(right, common), common))
            }
        }
    }

    /// Whether a scalar operand can be copied to the lanes of the other operand: its rank must not be greater. Of two
    /// integers of one size, the unsigned one has the greater rank. Constants are always permitted, although clang
    /// rejects them: `v * 2.0` is common where doubles are not supported.
    pub(super) fn can_splat(&self, id: ExprId, element: Ty) -> bool {
        let from = self.exprs[id].ty;
        match (from.as_integer(), element.as_integer(), from.as_float(), element.as_float()) {
            (Some(from), Some(to), ..) => from <= to || self.is_constant(id),
            (.., Some(from), Some(to)) => from <= to || self.is_constant(id),
            (None, Some(_), Some(_), None) => false,
            _ => true,
        }
    }
}

enum ImplicitConversion {
    Same,
    /// A null pointer constant.
    Null,
    By(Conversion),
    Splat,
    /// Pointers to address spaces without a conversion.
    Space,
    None,
}

/// Returns the conversion between pointers. A pointer converts to `generic`, and to any pointee in its own address
/// space: clang only warns about the latter. In C++ all memory is generic.
fn pointer_conversion(from: &Pointer, to: &Pointer, cpp: bool) -> ImplicitConversion {
    let to_generic = to.space == AddressSpace::Generic && (cpp || from.space != AddressSpace::Constant);
    if from.space == to.space || to_generic {
        return match nested_spaces(from, to) {
            true => ImplicitConversion::By(Conversion::Pointer),
            false => ImplicitConversion::Space,
        };
    }
    match from.pointee.as_function().is_some() || to.pointee.as_function().is_some() {
        true => ImplicitConversion::By(Conversion::Pointer),
        false => ImplicitConversion::Space,
    }
}

/// Whether the address spaces of nested pointers are equal: only the outermost address space is converted.
fn nested_spaces(from: &Pointer, to: &Pointer) -> bool {
    let (mut from, mut to) = (from, to);
    while let (Some(f), Some(t)) = (from.pointee.as_pointer(), to.pointee.as_pointer()) {
        if f.space != t.space {
            return false;
        }
        (from, to) = (f, t);
    }
    true
}

/// Whether two records are the same. Either can be known by its tag only.
fn same_record(a: &Record, b: &Record) -> bool {
    a.union == b.union && a.tag == b.tag && a.tag.is_some()
}

/// Whether two types are equal. A record in one of them can be known by its tag only.
pub(super) fn compatible(a: Ty, b: Ty) -> bool {
    let (mut a, mut b) = (a, b);
    loop {
        if a == b || a.is_unknown() || b.is_unknown() {
            return true;
        }
        (a, b) = match (a.kind(), b.kind()) {
            (TyKind::Record(a), TyKind::Record(b)) => return same_record(a, b),
            (TyKind::Pointer(a), TyKind::Pointer(b)) => {
                let same = a.space == b.space && a.constant == b.constant && a.volatile == b.volatile;
                if !same {
                    return false;
                }
                (a.pointee, b.pointee)
            }
            (TyKind::Array { element: a, length: x }, TyKind::Array { element: b, length: y }) => {
                if x.is_some() && y.is_some() && x != y {
                    return false;
                }
                (*a, *b)
            }
            _ => return false,
        };
    }
}

/// Whether a cast can convert a pointer from one address space to the other.
fn spaces_overlap(from: AddressSpace, to: AddressSpace) -> bool {
    let generic = |space| space == AddressSpace::Generic;
    from == to
        || (generic(to) && from != AddressSpace::Constant)
        || (generic(from) && to != AddressSpace::Constant)
}

/// Returns the common type of two pointers. None: they have no common address space.
pub(super) fn common_pointer(left: &Pointer, right: &Pointer) -> Option<Ty> {
    let space = match (left.space, right.space) {
        (a, b) if a == b => a,
        (AddressSpace::Constant, _) | (_, AddressSpace::Constant) => return None,
        (AddressSpace::Generic, _) | (_, AddressSpace::Generic) => AddressSpace::Generic,
        _ => return None,
    };
    let same = compatible(left.pointee, right.pointee);
    if !same && !left.pointee.is_void() && !right.pointee.is_void() {
        // For pointers to different types, clang warns and uses `void *`.
        return Some(Ty::pointer(Ty::VOID, space));
    }
    Some(Ty::new(TyKind::Pointer(Pointer {
        pointee: if same { left.pointee } else { Ty::VOID },
        space,
        constant: left.constant || right.constant,
        volatile: left.volatile || right.volatile,
        restrict: false,
        reference: false,
    })))
}

pub(super) fn promoted_type(ty: Ty) -> Ty {
    match ty.kind() {
        TyKind::Bool => Ty::INT,
        TyKind::Integer(integer) if integer.bits() < 32 => Ty::INT,
        _ => ty,
    }
}

/// Returns the common type of two arithmetic scalars.
pub(super) fn common_type(left: Ty, right: Ty) -> Option<Ty> {
    if !left.is_arithmetic() || !right.is_arithmetic() {
        return None;
    }
    if let (Some(l), Some(r)) = (left.as_float(), right.as_float()) {
        return Some(Ty::float(l.max(r)));
    }
    if left.as_float().is_some() {
        return Some(left);
    }
    if right.as_float().is_some() {
        return Some(right);
    }
    common_integer(promoted_type(left), promoted_type(right))
}

/// Returns the common type of two integer types without promotion.
pub(super) fn common_integer(left: Ty, right: Ty) -> Option<Ty> {
    let (l, r) = (left.as_integer()?, right.as_integer()?);
    Some(Ty::integer(match (l.signed(), r.signed()) {
        (a, b) if a == b => {
            if l.bits() >= r.bits() {
                l
            } else {
                r
            }
        }
        (true, false) => unsigned_wins(r, l),
        _ => unsigned_wins(l, r),
    }))
}

/// Returns the unsigned type, unless the signed type can represent all of its values.
fn unsigned_wins(unsigned: Integer, signed: Integer) -> Integer {
    if signed.bits() > unsigned.bits() { signed } else { unsigned }
}
