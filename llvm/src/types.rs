//! The types of LLVM IR, and their counterparts in a flow graph.
//!
//! LLVM's integers have no sign. In the graph, `i8` to `i128` are signed. All other widths are in the next wider type,
//! with zeros above their bits. `i1` is `bool`; a vector of `i1` has lanes of 8 bits that are 0 or -1. A pointer points to
//! `char`, because LLVM's pointers have no pointee.
//!
//! ```text
//! i32 → int     i33 → long, with 31 zeros     <4 x i1> → char4 of 0 and -1     ptr addrspace(1) → global char *
//! ```
//!
//! An aggregate (a struct or an array) is a list of values in the graph, one for each of its **leaves**.

use rustc_hash::FxHashMap;
use tangle_base::{AddressSpace, Symbol};
use tangle_ir::layout::layout;
use tangle_ir::types::{Definition, Field, Float, Integer, MAX_LANES, Record, RecordName, Ty, TyKind};

/// A type of a module, by number.
pub(crate) type TypeId = u32;

/// The maximum number of leaves of an aggregate that is a value.
pub(crate) const MAX_LEAVES: usize = 512;

/// The maximum depth of structs in structs.
const MAX_DEPTH: u32 = 64;

/// A type of LLVM IR.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    Void,
    Integer(u32),
    Float(Float),
    /// A pointer, with the number of its address space.
    Pointer(u32),
    Vector {
        lanes: u64,
        element: TypeId,
    },
    Array {
        length: u64,
        element: TypeId,
    },
    Struct {
        fields: Box<[TypeId]>,
        is_packed: bool,
    },
    /// A named struct, by its number in [`Types::named`].
    Named(usize),
    Function {
        result: TypeId,
        parameters: Box<[TypeId]>,
        is_variadic: bool,
    },
    Token,
    Metadata,
    /// A type that no flow graph has: `bfloat`, `x86_fp80`, an opaque type.
    Other,
}

/// How the lanes of a value are represented in the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Integers. [`Number::bits`] is their width in LLVM IR.
    Integer,
    Float,
    Pointer,
    Token,
    /// The unknown type.
    Unknown,
}

/// The type of a value that is not an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    /// The type in the graph.
    pub ty: Ty,
    /// The type of a lane in the graph.
    pub element: Ty,
    /// The number of lanes. 1 for a scalar and for a vector of one lane, which is a scalar in the graph.
    pub lanes: u8,
    /// The width of an integer lane in LLVM IR.
    pub bits: u32,
    pub class: Class,
}

impl Number {
    pub const UNKNOWN: Number =
        Number { ty: Ty::UNKNOWN, element: Ty::UNKNOWN, lanes: 1, bits: 0, class: Class::Unknown };
    pub const BOOL: Number =
        Number { ty: Ty::BOOL, element: Ty::BOOL, lanes: 1, bits: 1, class: Class::Integer };

    fn of(element: Ty, bits: u32, class: Class) -> Number {
        Number { ty: element, element, lanes: 1, bits, class }
    }

    /// Returns the type of an integer of this width.
    pub fn integer(bits: u32) -> Number {
        let wider = [8, 16, 32, 64, 128].into_iter().zip([
            Integer::Char,
            Integer::Short,
            Integer::Int,
            Integer::Long,
            Integer::Int128,
        ]);
        match bits {
            1 => Number::BOOL,
            _ => match wider.into_iter().find(|&(width, _)| bits <= width) {
                Some((_, integer)) => Number::of(Ty::integer(integer), bits, Class::Integer),
                None => Number::UNKNOWN,
            },
        }
    }

    /// Returns the type with other lanes and the same number of them.
    pub fn with_lanes_of(self, lane: Number) -> Number {
        if self.lanes == 1 { lane } else { lane.vector(self.lanes) }
    }

    /// Returns the vector with these lanes.
    pub fn vector(self, lanes: u8) -> Number {
        // A vector of truth values has lanes of 8 bits.
        let element = if self.is_bool() { Ty::CHAR } else { self.element };
        match self.class {
            _ if lanes == 1 => self,
            Class::Integer | Class::Float => {
                Number { ty: Ty::vector(element, lanes), element, lanes, ..self }
            }
            _ => Number::UNKNOWN,
        }
    }

    /// Returns the type of a lane.
    pub fn lane(self) -> Number {
        if self.is_bool() { Number::BOOL } else { Number { ty: self.element, lanes: 1, ..self } }
    }

    /// Whether it is `i1`, or a vector of `i1`.
    pub fn is_bool(self) -> bool {
        self.class == Class::Integer && self.bits == 1
    }

    /// Whether the width in the graph is that in LLVM IR.
    pub fn is_exact(self) -> bool {
        self.element.as_integer().is_some_and(|integer| integer.bits() == self.bits)
    }

    /// Returns the same type with unsigned lanes in the graph.
    pub fn unsigned(self) -> Ty {
        match self.element.as_integer() {
            Some(integer) => Ty::vector(Ty::integer(integer.with_sign(false)), self.lanes),
            None => self.ty,
        }
    }

    /// Returns the number in the graph for a number in LLVM IR.
    pub fn canonical(self, number: i128) -> i128 {
        match self.element.as_integer() {
            _ if self.is_bool() && self.lanes == 1 => number & 1,
            _ if self.is_bool() => -(number & 1),
            Some(integer) if self.is_exact() => integer.wrap(number),
            Some(_) => number & self.mask(),
            None => number,
        }
    }

    /// Returns the number with all bits of a lane that is narrower than its type in the graph.
    pub fn mask(self) -> i128 {
        if self.bits >= 127 { i128::MAX } else { (1 << self.bits) - 1 }
    }
}

/// Returns whether both types are pointers of one address space.
pub(crate) fn is_same_space(one: Ty, other: Ty) -> bool {
    match (one.as_pointer(), other.as_pointer()) {
        (Some(one), Some(other)) => one.space == other.space,
        _ => false,
    }
}

/// The machine of a module, as far as address spaces depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Machine {
    Amdgcn,
    Nvptx,
    /// SPIR and SPIR-V, and modules without a triple.
    #[default]
    Spir,
    /// A CPU: all memory is generic.
    Cpu,
}

impl Machine {
    pub fn of_triple(triple: &str) -> Machine {
        match triple.split('-').next().unwrap_or_default() {
            "amdgcn" | "r600" => Machine::Amdgcn,
            "nvptx" | "nvptx64" => Machine::Nvptx,
            "" => Machine::Spir,
            name if name.starts_with("spir") || name == "dxil" => Machine::Spir,
            _ => Machine::Cpu,
        }
    }

    /// Returns the address space with a number.
    pub fn space(self, number: u32) -> AddressSpace {
        match (self, number) {
            (Machine::Cpu, _) => AddressSpace::Generic,
            (Machine::Spir, 0) => AddressSpace::Private,
            (Machine::Spir, 2) => AddressSpace::Constant,
            (Machine::Spir, 3) => AddressSpace::Local,
            (Machine::Spir, 4) => AddressSpace::Generic,
            (_, 1) => AddressSpace::Global,
            (_, 3) => AddressSpace::Local,
            (_, 4) => AddressSpace::Constant,
            (Machine::Amdgcn, 6) => AddressSpace::Constant,
            (Machine::Amdgcn | Machine::Nvptx, 5) => AddressSpace::Private,
            (Machine::Nvptx, 101) => AddressSpace::Constant,
            (Machine::Spir, 5..) => AddressSpace::Global,
            _ => AddressSpace::Generic,
        }
    }

    /// Whether LLVM's pointers of this address space have 4 bytes. They have 8 bytes in the graph.
    fn is_small(self, space: u32) -> bool {
        self == Machine::Amdgcn && matches!(space, 2 | 3 | 5 | 6)
    }
}

/// The size and alignment of a type in memory, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub size: u64,
    pub align: u64,
}

/// The types of a module.
#[derive(Default)]
pub(crate) struct Types {
    pub machine: Machine,
    all: Vec<Type>,
    numbers: FxHashMap<Type, TypeId>,
    /// The named structs: the name, and the type once it is known.
    pub named: Vec<(Symbol, Option<TypeId>)>,
    names: FxHashMap<Symbol, usize>,
    extents: FxHashMap<TypeId, Option<Extent>>,
    memory: FxHashMap<TypeId, Ty>,
}

impl Types {
    pub fn id(&mut self, ty: Type) -> TypeId {
        if let Some(&known) = self.numbers.get(&ty) {
            return known;
        }
        let id = self.all.len() as TypeId;
        self.all.push(ty.clone());
        self.numbers.insert(ty, id);
        id
    }

    /// Returns the number of a named struct, which may be defined later.
    pub fn name(&mut self, name: Symbol) -> usize {
        let next = self.named.len();
        let number = *self.names.entry(name).or_insert(next);
        if number == next {
            self.named.push((name, None));
        }
        number
    }

    /// Returns the type. For a named struct, its definition.
    pub fn get(&self, id: TypeId) -> &Type {
        let mut id = id;
        // A name can only stand for another name in an invalid module.
        for _ in 0..MAX_DEPTH {
            match self.all[id as usize] {
                Type::Named(number) => match self.named[number].1 {
                    Some(definition) => id = definition,
                    None => return &Type::Other,
                },
                _ => return &self.all[id as usize],
            }
        }
        &Type::Other
    }

    /// Returns the type of a value in the graph. `None` for an aggregate and for a type without values.
    pub fn number(&self, id: TypeId) -> Option<Number> {
        Some(match *self.get(id) {
            Type::Integer(bits) => Number::integer(bits),
            Type::Float(float) => Number::of(Ty::float(float), 0, Class::Float),
            Type::Pointer(space) => {
                let ty = Ty::pointer(Ty::CHAR, self.machine.space(space));
                Number::of(ty, 0, Class::Pointer)
            }
            Type::Token => Number::of(Ty::TOKEN, 0, Class::Token),
            Type::Other => Number::UNKNOWN,
            Type::Vector { lanes, element } => match (u8::try_from(lanes), self.number(element)) {
                (Ok(lanes @ 1..=MAX_LANES), Some(lane)) => lane.vector(lanes),
                _ => Number::UNKNOWN,
            },
            Type::Void
            | Type::Metadata
            | Type::Function { .. }
            | Type::Array { .. }
            | Type::Struct { .. }
            | Type::Named(_) => return None,
        })
    }

    /// Returns the number of parts of an aggregate. `None` for all other types.
    pub fn parts(&self, id: TypeId) -> Option<u64> {
        match self.get(id) {
            Type::Array { length, .. } => Some(*length),
            Type::Struct { fields, .. } => Some(fields.len() as u64),
            _ => None,
        }
    }

    /// Returns the type of a part of an aggregate or a vector, and its offset in bytes.
    pub fn part(&mut self, id: TypeId, number: u64) -> Option<(TypeId, u64)> {
        match *self.get(id) {
            Type::Array { element, .. } => Some((element, self.extent(element)?.size.checked_mul(number)?)),
            Type::Vector { element, .. } => {
                // The lanes of a vector follow each other without gaps.
                Some((element, (self.bits(element)? / 8).checked_mul(number)?))
            }
            Type::Struct { ref fields, is_packed } => {
                let fields = fields.clone();
                let mut offset = 0u64;
                for (at, &field) in fields.iter().enumerate() {
                    let Extent { size, align } = self.extent(field)?;
                    if !is_packed {
                        offset = offset.checked_next_multiple_of(align)?;
                    }
                    if at as u64 == number {
                        return Some((field, offset));
                    }
                    offset = offset.checked_add(size)?;
                }
                None
            }
            _ => None,
        }
    }

    /// Returns the number of bits of a value that is not an aggregate.
    fn bits(&self, id: TypeId) -> Option<u64> {
        Some(match *self.get(id) {
            Type::Integer(bits) => bits.into(),
            Type::Float(float) => float.bits().into(),
            Type::Pointer(_) => 64,
            Type::Vector { lanes, element } => self.bits(element)?.checked_mul(lanes)?,
            _ => return None,
        })
    }

    /// Returns the size and alignment in memory. `None` if the type has none, or is too large.
    pub fn extent(&mut self, id: TypeId) -> Option<Extent> {
        if let Some(&known) = self.extents.get(&id) {
            return known;
        }
        // A struct that contains itself has no extent.
        self.extents.insert(id, None);
        let extent = self.new_extent(id);
        self.extents.insert(id, extent);
        extent
    }

    fn new_extent(&mut self, id: TypeId) -> Option<Extent> {
        let scalar = |bytes: u64| Extent { size: bytes, align: bytes };
        Some(match *self.get(id) {
            Type::Integer(bits) => {
                let align = u64::from(bits).div_ceil(8).checked_next_power_of_two()?.min(16);
                Extent { size: u64::from(bits).div_ceil(8).next_multiple_of(align), align }
            }
            Type::Float(float) => scalar(u64::from(float.bits() / 8)),
            Type::Pointer(_) => scalar(8),
            Type::Vector { .. } => scalar(self.bits(id)?.div_ceil(8).checked_next_power_of_two()?),
            Type::Array { length, element } => {
                let Extent { size, align } = self.extent(element)?;
                Extent { size: size.checked_mul(length)?, align }
            }
            Type::Struct { ref fields, is_packed } => {
                let fields = fields.clone();
                if self.is_padded_pointer(&fields) {
                    return Some(scalar(8));
                }
                let (mut end, mut most) = (0u64, 1);
                for &field in &fields {
                    let Extent { size, align } = self.extent(field)?;
                    if !is_packed {
                        end = end.checked_next_multiple_of(align)?;
                        most = most.max(align);
                    }
                    end = end.checked_add(size)?;
                }
                Extent { size: end.checked_next_multiple_of(most)?, align: most }
            }
            _ => return None,
        })
        .filter(|extent| extent.size <= i64::MAX as u64)
    }

    /// Whether a struct is a pointer of 4 bytes that is padded to 8, as tangle writes it. In the graph, the pointer alone
    /// has 8 bytes.
    fn is_padded_pointer(&self, fields: &[TypeId]) -> bool {
        let [pointer, padding] = fields else { return false };
        matches!(self.get(*pointer), Type::Pointer(space) if self.machine.is_small(*space))
            && matches!(self.get(*padding), Type::Array { length: 4, element } if *self.get(*element) == Type::Integer(8))
    }

    /// Returns the type of an object in memory, with the size that LLVM IR gives it.
    pub fn memory(&mut self, id: TypeId) -> Ty {
        self.memory_at(id, 0)
    }

    fn memory_at(&mut self, id: TypeId, depth: u32) -> Ty {
        if let Some(&known) = self.memory.get(&id) {
            return known;
        }
        let size = self.extent(id).map(|extent| extent.size);
        let ty = match self.get(id).clone() {
            _ if depth > MAX_DEPTH => None,
            Type::Array { length, element } => {
                Some(Ty::array(self.memory_at(element, depth + 1), Some(length)))
            }
            Type::Struct { fields, is_packed } => {
                let name = match self.all[id as usize] {
                    Type::Named(number) => self.named[number].0,
                    _ => Symbol::intern(&format!("struct.{id}")),
                };
                let field = |(number, ty): (usize, Ty)| Field {
                    name: Some(Symbol::intern(&format!("f{number}"))),
                    ty,
                    bits: None,
                    constant: false,
                    volatile: false,
                    packed: false,
                    align: None,
                };
                let types: Vec<Ty> = fields.iter().map(|&ty| self.memory_at(ty, depth + 1)).collect();
                let fields = types.into_iter().enumerate().map(field).collect();
                let definition = Definition { fields, packed: is_packed, pack: None, align: None };
                Some(Ty::new(TyKind::Record(Box::new(Record {
                    union: false,
                    tag: Some(RecordName::plain(name)),
                    definition: Some(definition),
                }))))
            }
            _ => self.number(id).map(|number| number.ty),
        };
        let bytes = |size| Ty::array(Ty::CHAR, Some(size));
        let ty = match (ty, size) {
            (Some(ty), Some(size)) if layout(ty).is_some_and(|layout| layout.size == size) => ty,
            (_, Some(size)) => bytes(size),
            // An opaque type.
            (_, None) => Ty::CHAR,
        };
        self.memory.insert(id, ty);
        ty
    }
}
