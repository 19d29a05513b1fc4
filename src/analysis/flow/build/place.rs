//! Evaluates places, and lowers loads and stores of places.

use super::operation::is_record;
use super::{Builder, Leaf, VariableStorage, align};
use crate::flow::{Op, ValueId, VariableId};
use tangle_hir::layout::record_layout;
use tangle_hir::typed::{Arithmetic, Constant, Conversion, ExprId, ExprKind, Storage};
use tangle_hir::types::{Integer, Ty, TyKind};

use tangle_grammar::ast::AddressSpace;
use tangle_grammar::symbol::Symbol;

/// A location of a value. It can be loaded, and also stored unless it is a [`Place::Value`].
#[derive(Clone, Debug)]
pub(super) enum Place {
    Variable(VariableId, Ty),
    Memory(Memory),
    Bits(Bits),
    /// Lanes of a vector.
    Lanes {
        base: Box<Place>,
        lanes: Box<[u8]>,
        ty: Ty,
    },
    /// One lane of a vector, by a computed number.
    Lane {
        base: Box<Place>,
        lane: ValueId,
        ty: Ty,
    },
    /// A part of an object of unknown type, selected by `through`. Also the target of a value that is not known to be a
    /// pointer.
    Part {
        base: Box<Place>,
        through: Vec<Through>,
    },
    /// Not a place but a value: the result of a call, for example, when a part of the result is read.
    Value(ValueId),
}

/// The selection of a part of an object of unknown type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Through {
    /// The part that this value selects, such as an index.
    Value(ValueId),
    /// The member with this name.
    Member(Symbol),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    pub address: ValueId,
    pub ty: Ty,
    pub volatile: bool,
    pub align: u32,
}

/// A bit-field, as parts from the lowest bits on. It has several parts only if no integer of up to 64 bits inside
/// the record contains all its bits.
#[derive(Clone, Debug)]
pub(super) struct Bits {
    parts: Vec<Part>,
    width: u32,
    ty: Ty,
}

/// The bits of a bit-field in one unit.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// An unsigned integer.
    unit: Memory,
    bit: u32,
    width: u32,
    /// The lowest bit of the field's value that is in this unit.
    from: u32,
}

impl Bits {
    /// Returns the unsigned integer type for computations on the field: the type of its unit, if it has only one.
    fn integer(&self) -> Ty {
        match &*self.parts {
            [only] => only.unit.ty,
            _ if self.width <= 64 => Ty::ULONG,
            _ => Ty::integer(Integer::UInt128),
        }
    }
}

impl Place {
    pub(super) fn ty(&self, builder: &Builder<'_>) -> Ty {
        match self {
            Place::Variable(_, ty) | Place::Lanes { ty, .. } | Place::Lane { ty, .. } => *ty,
            Place::Memory(memory) => memory.ty,
            Place::Bits(bits) => bits.ty,
            Place::Part { .. } => Ty::UNKNOWN,
            Place::Value(value) => builder.ty(*value),
        }
    }
}

impl Builder<'_> {
    /// Evaluates an expression to a place. An expression that is not a place becomes a [`Place::Value`].
    pub(super) fn place(&mut self, id: ExprId) -> Place {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.place_of(id))
    }

    fn place_of(&mut self, id: ExprId) -> Place {
        let expr = &self.typed.exprs[id];
        self.span = expr.span;
        let ty = self.complete(expr.ty);
        match &expr.kind {
            ExprKind::Variable(var) => match self.homes[*var] {
                VariableStorage::Variable(variable) => Place::Variable(variable, ty),
                VariableStorage::Memory(address) => {
                    let volatile = self.typed.vars[*var].volatile;
                    // The type of the expression may be an array without its length.
                    let ty = self.complete(self.typed.vars[*var].ty);
                    self.memory(address, ty, volatile)
                }
            },
            ExprKind::Global(name) => {
                let (space, volatile) = self.global_space(*name);
                let address = self.global(*name, ty, space);
                self.memory(address, ty, volatile)
            }
            ExprKind::Deref(pointer) => {
                let volatile = self.typed.exprs[*pointer].ty.as_pointer().is_some_and(|p| p.volatile);
                let address = self.value(*pointer);
                self.span = expr.span;
                self.memory(address, ty, volatile)
            }
            &ExprKind::Field { base, field } => {
                let record = self.complete(self.typed.exprs[base].ty);
                let base = self.place(base);
                self.span = expr.span;
                match base {
                    Place::Memory(base) => self.field(Memory { ty: record, ..base }, field),
                    base => Place::Part { base: Box::new(base), through: Vec::new() },
                }
            }
            ExprKind::Lanes { base, lanes } => {
                let base = self.place(*base);
                self.span = expr.span;
                match (&base, &**lanes) {
                    (Place::Memory(memory), &[lane]) => {
                        let lane = self.integer(lane.into(), Ty::ULONG);
                        Place::Memory(self.element(*memory, lane, ty))
                    }
                    _ => Place::Lanes { base: Box::new(base), lanes: lanes.clone(), ty },
                }
            }
            ExprKind::Lane { base, index } => {
                let base = self.place(*base);
                let lane = self.value(*index);
                self.span = expr.span;
                match base {
                    Place::Memory(memory) => Place::Memory(self.element(memory, lane, ty)),
                    base => Place::Lane { base: Box::new(base), lane, ty },
                }
            }
            ExprKind::String(bytes) => {
                let ty = Ty::array(Ty::CHAR, Some(bytes.len() as u64));
                let pointer = Ty::pointer(ty, AddressSpace::Constant);
                let address = self.leaf(Leaf::String(bytes.clone()), pointer);
                self.memory(address, ty, false)
            }
            ExprKind::Compound { var, initializer } => {
                self.initialize(*var, Some(initializer));
                self.span = expr.span;
                match self.homes[*var] {
                    VariableStorage::Variable(variable) => Place::Variable(variable, ty),
                    VariableStorage::Memory(address) => {
                        let ty = self.complete(self.typed.vars[*var].ty);
                        self.memory(address, ty, false)
                    }
                }
            }
            ExprKind::Unknown { what, operands } => self.unknown_place(id, *what, operands),
            _ => {
                let value = self.value(id);
                match ty.as_record() {
                    Some(_) => self.memory(value, ty, false),
                    None => Place::Value(value),
                }
            }
        }
    }

    fn global_space(&self, name: tangle_grammar::symbol::Symbol) -> (AddressSpace, bool) {
        match self.names.global(name) {
            Some(tangle_hir::def::names::Meaning::Global { space, volatile, .. }) => (*space, *volatile),
            // The variable is declared only by an `extern` declaration in a block.
            _ => {
                let declared = self.typed.vars.iter().find(|var| var.storage == Storage::Extern(name));
                declared.map_or((AddressSpace::Global, false), |var| (var.space, var.volatile))
            }
        }
    }

    pub(super) fn memory(&self, address: ValueId, ty: Ty, volatile: bool) -> Place {
        // An incomplete type has no alignment, but can be used as in `&*p`.
        let atomic = matches!(ty.kind(), TyKind::Atomic(_));
        Place::Memory(Memory { address, ty, volatile: volatile || atomic, align: align(ty) })
    }

    /// Returns one lane or element of an object in memory.
    pub(super) fn element(&mut self, base: Memory, index: ValueId, ty: Ty) -> Memory {
        let pointer = self.pointer_beside(base.address, ty);
        let address = self.push(Op::Element { base: base.address, index, element: ty }, pointer);
        Memory { address, ty, volatile: base.volatile, align: base.align.min(align(ty)) }
    }

    /// Returns the type of a pointer to `ty` in the address space of `address`.
    pub(super) fn pointer_beside(&self, address: ValueId, ty: Ty) -> Ty {
        let space = self.ty(address).as_pointer().map_or(AddressSpace::Private, |pointer| pointer.space);
        Ty::pointer(ty, space)
    }

    /// Returns a field of a record in memory.
    pub(super) fn field(&mut self, base: Memory, number: u32) -> Place {
        let record = base.ty.as_record();
        let fields =
            record.and_then(|record| record.definition.as_ref()).map(|definition| &definition.fields);
        let field = fields.and_then(|fields| fields.get(number as usize));
        let placed = record_layout(base.ty);
        let (field, placed) = match (field, placed) {
            (Some(field), Some(placed)) => (field, placed),
            // The offset depends on a field of unknown size.
            (Some(field), None) if field.bits.is_none() => {
                let ty = self.complete(field.ty);
                let pointer = self.pointer_beside(base.address, ty);
                let address =
                    self.push(Op::Field { base: base.address, record: base.ty, field: number }, pointer);
                return Place::Memory(Memory { address, ty, volatile: base.volatile, align: 1 });
            }
            _ => return Place::Part { base: Box::new(Place::Memory(base)), through: Vec::new() },
        };
        let at = placed.fields[number as usize];
        let ty = self.complete(field.ty);
        let atomic = matches!(ty.kind(), TyKind::Atomic(_));
        let volatile = base.volatile || field.volatile || atomic;
        let aligned = |offset: u64, natural: u32| {
            let of_offset = 1u64 << offset.trailing_zeros().min(16);
            natural.min(base.align).min(u32::try_from(of_offset).unwrap_or(natural)).max(1)
        };
        let Some(width) = field.bits else {
            let natural = align(ty);
            let pointer = self.pointer_beside(base.address, ty);
            let op = Op::Field { base: base.address, record: base.ty, field: number };
            let address = self.push(op, pointer);
            let align = aligned(at.offset, natural);
            return Place::Memory(Memory { address, ty, volatile, align });
        };
        // The smallest aligned integer inside the record that contains the whole field.
        let first = at.offset * 8 + u64::from(at.bit);
        let last = first + u64::from(width.max(1)) - 1;
        let size = placed.layout.size * 8;
        let units = [Integer::UChar, Integer::UShort, Integer::UInt, Integer::ULong];
        let of_window = units.into_iter().find_map(|unit| {
            let bits = u64::from(unit.bits());
            let start = first / bits * bits;
            (last < start + bits && start + bits <= size).then_some((unit, start))
        });
        let anywhere = || {
            units.into_iter().find_map(|unit| {
                let start = first / 8 * 8;
                let bits = u64::from(unit.bits());
                (last < start + bits && start + bits <= size).then_some((unit, start))
            })
        };
        let mut parts = Vec::new();
        let mut at = first;
        while at <= last {
            // If no unit contains the whole field: the largest unit that starts here, at least a byte.
            let largest = || {
                let start = at / 8 * 8;
                let inside = |unit: &Integer| start + u64::from(unit.bits()) <= size && start + 8 <= last + 1;
                (units.into_iter().rfind(inside).unwrap_or(Integer::UChar), start)
            };
            let (unit, start) = of_window.or_else(anywhere).unwrap_or_else(largest);
            let end = (last + 1).min(start + u64::from(unit.bits()));
            let unit_ty = Ty::integer(unit);
            let address = match start {
                0 => base.address,
                start => {
                    let offset = self.integer(i128::from(start / 8), Ty::ULONG);
                    let pointer = self.pointer_beside(base.address, unit_ty);
                    self.push(Op::Element { base: base.address, index: offset, element: Ty::UCHAR }, pointer)
                }
            };
            let align = aligned(start / 8, unit.bits() / 8);
            let unit = Memory { address, ty: unit_ty, volatile, align };
            let (bit, width, from) = ((at - start) as u32, (end - at) as u32, (at - first) as u32);
            parts.push(Part { unit, bit, width, from });
            at = end;
        }
        Place::Bits(Bits { parts, width, ty })
    }

    /// Loads the value of a place. For a record, returns its address.
    pub(super) fn load(&mut self, place: &Place) -> ValueId {
        match place {
            Place::Variable(variable, ty) => self.push(Op::Get(*variable), *ty),
            Place::Memory(memory) => match memory.ty.kind() {
                TyKind::Record(_) | TyKind::Array { .. } | TyKind::Function(_) => memory.address,
                TyKind::Void => self.unknown([memory.address], Ty::UNKNOWN),
                _ => {
                    let ty = without_atomic(memory.ty);
                    let &Memory { address, volatile, align, .. } = memory;
                    self.push(Op::Load { address, volatile, align }, ty)
                }
            },
            Place::Bits(bits) => self.load_bits(bits),
            Place::Lanes { base, lanes, ty } => {
                let vector = self.load(base);
                self.swizzle(vector, lanes, *ty)
            }
            Place::Lane { base, lane, ty } => {
                let vector = self.load(base);
                self.push(Op::Extract { vector, lane: *lane }, *ty)
            }
            Place::Part { base, through } => self.load_part(base, through),
            Place::Value(value) => *value,
        }
    }

    /// Stores a value. Returns the value that the place then contains.
    pub(super) fn store(&mut self, place: &Place, value: ValueId) -> ValueId {
        let ty = place.ty(self);
        let value = match place {
            _ if is_record(ty) => value,
            Place::Memory(_) => self.convert_for_store(value, ty),
            Place::Part { .. } => value,
            _ => self.convert_to_known(value, ty),
        };
        match place {
            Place::Variable(variable, _) => self.effect(Op::Set(*variable, value)),
            Place::Memory(memory) => match memory.ty.kind() {
                TyKind::Record(_) | TyKind::Array { .. } if self.ty(value).as_pointer().is_some() => {
                    if memory.address != value {
                        self.effect(Op::Copy { to: memory.address, from: value, ty: memory.ty });
                    }
                    return memory.address;
                }
                _ => {
                    let &Memory { address, volatile, align, .. } = memory;
                    self.effect(Op::Store { address, value, volatile, align });
                }
            },
            Place::Bits(bits) => return self.store_bits(bits, value),
            Place::Lanes { base, lanes, .. } => {
                let vector = self.load(base);
                let replaced = self.replace_lanes(vector, lanes, value);
                self.store(base, replaced);
            }
            Place::Lane { base, lane, .. } => {
                let vector = self.load(base);
                let ty = self.ty(vector);
                let replaced = self.push(Op::Insert { vector, lane: *lane, value }, ty);
                self.store(base, replaced);
            }
            Place::Part { base, through } => return self.store_part(base, through, value),
            // A value such as the result of a call is not stored anywhere.
            Place::Value(_) => {}
        }
        value
    }

    fn load_bits(&mut self, bits: &Bits) -> ValueId {
        let integer = bits.integer();
        let mut value = None;
        for part in &bits.parts {
            let Memory { address, volatile, align, ty: unit } = part.unit;
            let whole = self.push(Op::Load { address, volatile, align }, unit);
            let lowest = self.shifted(Arithmetic::Shr, whole, part.bit);
            // Bits above the last part are dropped when the value is extended.
            let widened = self.convert(Conversion::Integer, lowest, integer);
            let placed = self.shifted(Arithmetic::Shl, widened, part.from);
            value = Some(match value {
                None => placed,
                Some(below) => {
                    self.push(Op::Binary { op: Arithmetic::Or, left: below, right: placed }, integer)
                }
            });
        }
        let value = value.unwrap_or_else(|| self.undefined(integer));
        self.extend_bits(bits, value)
    }

    /// Shifts a value by a number of bits, which may be 0.
    fn shifted(&mut self, op: Arithmetic, value: ValueId, bits: u32) -> ValueId {
        if bits == 0 {
            return value;
        }
        let ty = self.ty(value);
        let count = self.integer(bits.into(), ty);
        self.push(Op::Binary { op, left: value, right: count }, ty)
    }

    /// Converts the lowest bits of an unsigned integer to a value of the field's type.
    fn extend_bits(&mut self, bits: &Bits, value: ValueId) -> ValueId {
        let unit = bits.integer();
        let total = unit.as_integer().map_or(8, Integer::bits);
        if bits.ty.as_integer().is_some_and(Integer::signed) {
            let signed = unit.as_integer().map_or(unit, |unit| Ty::integer(unit.with_sign(true)));
            let count = self.integer((total - bits.width.min(total)).into(), signed);
            let value = self.convert(Conversion::Integer, value, signed);
            let up = self.push(Op::Binary { op: Arithmetic::Shl, left: value, right: count }, signed);
            let down = self.push(Op::Binary { op: Arithmetic::Shr, left: up, right: count }, signed);
            return self.convert(Conversion::Integer, down, bits.ty);
        }
        let mask = self.integer(low_bits(bits.width), unit);
        let masked = self.push(Op::Binary { op: Arithmetic::And, left: value, right: mask }, unit);
        match bits.ty == Ty::BOOL {
            true => self.convert(Conversion::ToBool, masked, Ty::BOOL),
            false => self.convert(Conversion::Integer, masked, bits.ty),
        }
    }

    fn store_bits(&mut self, bits: &Bits, value: ValueId) -> ValueId {
        let integer = bits.integer();
        let value = self.convert(Conversion::Integer, value, integer);
        let mask = self.integer(low_bits(bits.width), integer);
        let masked = self.push(Op::Binary { op: Arithmetic::And, left: value, right: mask }, integer);
        for part in &bits.parts {
            let Memory { address, volatile, align, ty: unit } = part.unit;
            let total = unit.as_integer().map_or(8, Integer::bits);
            let own = self.shifted(Arithmetic::Shr, masked, part.from);
            // Every part except the last one extends to the top bit of its unit: the shift drops the bits of later
            // parts.
            let own = self.convert(Conversion::Integer, own, unit);
            let placed = self.shifted(Arithmetic::Shl, own, part.bit);
            let whole = if part.width == total {
                placed
            } else {
                let rest = low_bits(total) & !(low_bits(part.width) << part.bit);
                let rest = self.integer(rest, unit);
                let old = self.push(Op::Load { address, volatile, align }, unit);
                let kept = self.push(Op::Binary { op: Arithmetic::And, left: old, right: rest }, unit);
                self.push(Op::Binary { op: Arithmetic::Or, left: kept, right: placed }, unit)
            };
            self.effect(Op::Store { address, value: whole, volatile, align });
        }
        self.extend_bits(bits, masked)
    }

    /// Returns the address of a place. If it is not in memory, the address is unknown.
    pub(super) fn address(&mut self, place: &Place) -> ValueId {
        match place {
            Place::Memory(memory) => memory.address,
            Place::Part { base, through } => self.address_of_part(base, through),
            place => {
                let value = self.load(place);
                self.unknown([value], Ty::UNKNOWN)
            }
        }
    }

    /// Returns an undefined value.
    pub(super) fn undefined(&mut self, ty: Ty) -> ValueId {
        self.constant(Constant::Undefined, ty)
    }
}

/// Returns an integer with the lowest `width` bits set. For 128 bits, this is -1.
fn low_bits(width: u32) -> i128 {
    u128::MAX.checked_shr(128 - width.min(128)).unwrap_or(0) as i128
}

pub(super) fn without_atomic(ty: Ty) -> Ty {
    match ty.kind() {
        TyKind::Atomic(inner) => *inner,
        _ => ty,
    }
}
