//! Memory: private objects, addresses, loads, stores, atomics and fences.
//!
//! An atomic is a builtin of the language that orders no other accesses, with fences before and after it:
//!
//! ```text
//! atomicrmw add ptr %p, i32 1 syncscope("workgroup") acq_rel
//!     → __threadfence_block(); atomicAdd_block(%p, 1); __threadfence_block()
//! ```

use tangle_base::AddressSpace;
use tangle_ir::flow::{Op, Slot, ValueId};
use tangle_ir::types::Ty;
use tangle_ir::value::{Arithmetic, Comparison, Constant as Scalar, Conversion};

use super::{Built, FunctionReader};
use crate::callee::Language;
use crate::error::{Error, ErrorKind};
use crate::lex::Kind;
use crate::types::{Class, Number, Type, TypeId};

/// The operations of `atomicrmw`, with the names of their builtins after `atomic_` of OpenCL C and `atomic` of CUDA.
const OPERATIONS: [(&str, &str, &str); 15] = [
    ("xchg", "xchg", "Exch"),
    ("add", "add", "Add"),
    ("sub", "sub", "Sub"),
    ("and", "and", "And"),
    ("or", "or", "Or"),
    ("xor", "xor", "Xor"),
    ("max", "max", "Max"),
    ("min", "min", "Min"),
    ("umax", "max", "Max"),
    ("umin", "min", "Min"),
    ("fadd", "add", "Add"),
    ("fsub", "sub", "Sub"),
    ("fmax", "max", "Max"),
    ("fmin", "min", "Min"),
    ("uinc_wrap", "inc_wrap", "Inc"),
];

/// The threads for which an atomic or a fence orders accesses, and how.
#[derive(Clone, Copy, Debug, Default)]
struct Order {
    acquires: bool,
    releases: bool,
    /// Whether the order holds for the threads of a work-group only.
    of_group: bool,
}

impl FunctionReader<'_, '_, '_> {
    pub(super) fn alloca(&mut self) -> Result<Built, Error> {
        let ty = self.reader.ty()?;
        let mut of = self.reader.types.memory(ty);
        let mut space = if self.reader.types.machine == crate::types::Machine::Amdgcn { 5 } else { 0 };
        while self.reader.is(b',') && !self.reader.token().is_first {
            let at = self.reader.at;
            self.reader.next();
            if self.reader.word() == "addrspace" {
                space = self.reader.address_space()?;
            } else if self.reader.is_type() {
                let (_, count) = self.typed_value()?;
                let count = self.constant_of(count).and_then(|count| u64::try_from(count).ok());
                let Some(count) = count else {
                    let what = "alloca of a variable number of elements".to_owned();
                    return Err(self.reader.error_at(at, ErrorKind::Unsupported(what)));
                };
                if count != 1 {
                    of = Ty::array(of, Some(count));
                }
            } else {
                // The alignment, or metadata.
                self.reader.next();
                self.reader.next();
            }
        }
        // A value of an unknown type has no size in LLVM IR that the graph knows, but it has a place.
        let is_unknown = self.reader.types.number(ty).is_some_and(|number| number.class == Class::Unknown);
        if tangle_ir::layout::layout(of).is_none() || self.reader.types.extent(ty).is_none() && !is_unknown {
            return Err(self.error(ErrorKind::Large("a variable")));
        }
        let span = tangle_base::Span::new(0, 0);
        let slot = self.builder.function().slots.push(Slot { name: None, ty: of, span });
        let address = self.op(Op::Slot(slot), Ty::pointer(of, AddressSpace::Private))?;
        let pointer = self.reader.types.id(Type::Pointer(space));
        let number = self.number(pointer)?;
        Ok(Built::One(self.in_space(address, number)?))
    }

    pub(super) fn gep_instruction(&mut self) -> Result<Built, Error> {
        let source = self.reader.ty()?;
        self.comma()?;
        let base = self.typed_value()?;
        let mut indices = Vec::new();
        while self.reader.is(b',') && self.reader.tokens[self.reader.at + 1].kind != Kind::Metadata {
            self.reader.next();
            self.reader.eat_word("inrange");
            indices.push(self.typed_value()?);
        }
        Ok(Built::One(self.gep(source, base, &indices)?))
    }

    /// Computes an address: `source` is the type of the objects that `base` points to.
    pub(super) fn gep(
        &mut self,
        source: TypeId,
        (of_base, base): (TypeId, ValueId),
        indices: &[(TypeId, ValueId)],
    ) -> Result<ValueId, Error> {
        let number = self.number(of_base)?;
        if number.class != Class::Pointer {
            let mut operands = vec![base];
            operands.extend(indices.iter().map(|&(_, value)| value));
            return self.unknown("getelementptr", &operands, number);
        }
        let is_scalar = self.reader.types.number(source).is_some_and(|it| it.class != Class::Unknown);
        let (mut at, mut address, mut offset) = (source, base, 0i64);
        for (position, &(of_index, index)) in indices.iter().enumerate() {
            let constant = self.constant_of(index);
            if position > 0
                && let Type::Struct { .. } = self.reader.types.get(at)
            {
                let field = constant.and_then(|number| u64::try_from(number).ok());
                let part = field.and_then(|field| self.reader.types.part(at, field));
                let Some((part, distance)) = part else {
                    return Err(self.reader.expected("a field of the struct"));
                };
                (at, offset) = (part, offset.wrapping_add(distance as i64));
                continue;
            }
            let element = match position {
                0 => Some((at, self.reader.types.extent(at).map_or(0, |extent| extent.size))),
                _ => self
                    .reader
                    .types
                    .part(at, 0)
                    .zip(self.reader.types.part(at, 1))
                    .map(|(first, second)| (first.0, second.1)),
            };
            let Some((element, size)) = element else {
                return Err(self.reader.expected("an array or a vector"));
            };
            at = element;
            match constant {
                // One constant index, as in the source.
                Some(_) if is_scalar && indices.len() == 1 => {}
                Some(number) => {
                    offset = offset.wrapping_add((number as i64).wrapping_mul(size as i64));
                    continue;
                }
                None => {}
            }
            if self.number(of_index)?.class != Class::Integer {
                return self.unknown("getelementptr", &[address, index], number);
            }
            let index = self.wide_index(of_index, index)?;
            let step = self.reader.types.memory(element);
            let step = match tangle_ir::layout::layout(step) {
                Some(layout) if layout.size == size => step,
                _ => Ty::array(Ty::CHAR, Some(size)),
            };
            let ty = self.builder.ty(address);
            address = self.op(Op::Element { base: address, index, element: step }, ty)?;
        }
        if offset != 0 {
            let index = self.integer(Number::integer(64), offset.into())?;
            let ty = self.builder.ty(address);
            address = self.op(Op::Element { base: address, index, element: Ty::CHAR }, ty)?;
        }
        Ok(address)
    }

    /// Returns an index of one of the integer types that are sign-extended.
    fn wide_index(&mut self, ty: TypeId, index: ValueId) -> Result<ValueId, Error> {
        let number = self.number(ty)?;
        match number.is_exact() {
            true => Ok(index),
            false => self.signed(number, index),
        }
    }

    /// Returns the address of a part of an object.
    fn part_address(&mut self, base: ValueId, offset: u64) -> Result<ValueId, Error> {
        if offset == 0 {
            return Ok(base);
        }
        let index = self.integer(Number::integer(64), offset.into())?;
        let ty = self.builder.ty(base);
        self.op(Op::Element { base, index, element: Ty::CHAR }, ty)
    }

    /// Loads an aggregate: each of its leaves.
    pub(super) fn load_parts(&mut self, ty: TypeId, address: ValueId) -> Result<Built, Error> {
        // Checks the number of leaves first.
        self.placeholder(ty)?;
        self.load_at(ty, address, false)
    }

    fn load_at(&mut self, ty: TypeId, address: ValueId, volatile: bool) -> Result<Built, Error> {
        let Some(number) = self.reader.types.number(ty) else {
            let mut all = Vec::new();
            for number in 0..self.reader.types.parts(ty).unwrap_or(0) {
                let Some((part, offset)) = self.reader.types.part(ty, number) else {
                    return Err(self.error(ErrorKind::Large("an aggregate that is a value")));
                };
                let address = self.part_address(address, offset)?;
                all.push(self.load_at(part, address, volatile)?);
            }
            return Ok(Built::Parts(all));
        };
        Ok(Built::One(self.load_number(number, address, volatile)?))
    }

    fn load_number(&mut self, number: Number, address: ValueId, volatile: bool) -> Result<ValueId, Error> {
        let is_odd = number.class == Class::Integer && !number.is_exact();
        if number.class == Class::Unknown || is_odd && number.lanes > 1 || number.class == Class::Token {
            return self.unknown("load", &[address], number);
        }
        if is_odd && !number.is_bool() {
            return self.load_bytes(number, address, volatile);
        }
        let align = tangle_ir::layout::layout(number.ty).map_or(1, |layout| layout.align);
        self.op(Op::Load { address, volatile, align }, number.ty)
    }

    /// Loads an integer of another width byte by byte.
    fn load_bytes(&mut self, number: Number, address: ValueId, volatile: bool) -> Result<ValueId, Error> {
        let mut whole = self.integer(number, 0)?;
        for byte in 0..number.bits.div_ceil(8) {
            let at = self.part_address(address, byte.into())?;
            let value = self.op(Op::Load { address: at, volatile, align: 1 }, Ty::UCHAR)?;
            let value = self.convert(Conversion::Integer, value, number.ty)?;
            let by = self.op(Op::Constant(Scalar::Integer((8 * byte).into())), number.ty)?;
            let value = self.arithmetic(Arithmetic::Shl, value, by)?;
            whole = self.arithmetic(Arithmetic::Or, whole, value)?;
        }
        Ok(whole)
    }

    fn store_bytes(
        &mut self,
        number: Number,
        value: ValueId,
        address: ValueId,
        volatile: bool,
    ) -> Result<(), Error> {
        for byte in 0..number.bits.div_ceil(8) {
            let at = self.part_address(address, byte.into())?;
            let by = self.op(Op::Constant(Scalar::Integer((8 * byte).into())), number.ty)?;
            let part = self.arithmetic(Arithmetic::Shr, value, by)?;
            let part = self.convert(Conversion::Integer, part, Ty::UCHAR)?;
            self.op(Op::Store { address: at, value: part, volatile, align: 1 }, Ty::VOID)?;
        }
        Ok(())
    }

    pub(super) fn store_parts(&mut self, ty: TypeId, built: &Built, address: ValueId) -> Result<(), Error> {
        self.store_at(ty, built, address, false)
    }

    fn store_at(&mut self, ty: TypeId, built: &Built, address: ValueId, volatile: bool) -> Result<(), Error> {
        match built {
            Built::One(value) => {
                let number = self.number(ty)?;
                let is_odd = number.class == Class::Integer && !number.is_exact();
                if number.class == Class::Unknown || is_odd && number.lanes > 1 {
                    // The size of the type is not known.
                    self.op(
                        Op::Unknown {
                            what: tangle_ir::flow::Unknown::Statement,
                            operands: [address, *value].into(),
                        },
                        Ty::VOID,
                    )?;
                    return Ok(());
                }
                if is_odd && !number.is_bool() {
                    return self.store_bytes(number, *value, address, volatile);
                }
                let align = tangle_ir::layout::layout(number.ty).map_or(1, |layout| layout.align);
                self.op(Op::Store { address, value: *value, volatile, align }, Ty::VOID)?;
                Ok(())
            }
            Built::Parts(parts) => {
                for (number, part) in parts.iter().enumerate() {
                    let Some((of, offset)) = self.reader.types.part(ty, number as u64) else {
                        return Err(self.error(ErrorKind::Large("an aggregate that is a value")));
                    };
                    let address = self.part_address(address, offset)?;
                    self.store_at(of, part, address, volatile)?;
                }
                Ok(())
            }
            Built::Nothing => Err(self.reader.expected("a value")),
        }
    }

    pub(super) fn load_instruction(&mut self) -> Result<Built, Error> {
        let is_atomic = self.reader.eat_word("atomic");
        let volatile = self.reader.eat_word("volatile");
        let ty = self.reader.ty()?;
        self.comma()?;
        let (_, address) = self.typed_value()?;
        if !is_atomic {
            self.placeholder(ty)?;
            return self.load_at(ty, address, volatile);
        }
        let order = self.order();
        let number = self.number(ty)?;
        self.fence(Order { acquires: false, ..order })?;
        // A read of memory that changes nothing: `atomic_or(p, 0)`.
        let integer = self.bits_of(number);
        let zero = self.integer(integer, 0)?;
        let old = self.atomic("or", address, zero, integer, order)?;
        let old = self.number_with_bits(old, integer, number)?;
        self.fence(Order { releases: false, ..order })?;
        Ok(Built::One(old))
    }

    pub(super) fn store_instruction(&mut self) -> Result<Built, Error> {
        let is_atomic = self.reader.eat_word("atomic");
        let volatile = self.reader.eat_word("volatile");
        let (ty, built) = self.typed()?;
        self.comma()?;
        let (_, address) = self.typed_value()?;
        match (is_atomic, &built) {
            (true, Built::One(value)) => {
                let order = self.order();
                let number = self.number(ty)?;
                self.fence(Order { acquires: false, ..order })?;
                self.atomic("xchg", address, *value, number, order)?;
                self.fence(Order { releases: false, ..order })?;
            }
            _ => self.store_at(ty, &built, address, volatile)?,
        }
        Ok(Built::Nothing)
    }

    pub(super) fn atomicrmw(&mut self) -> Result<Built, Error> {
        let operation = self.reader.word();
        self.reader.next();
        let (_, address) = self.typed_value()?;
        self.comma()?;
        let (ty, operand) = self.typed_value()?;
        let order = self.order();
        let number = self.number(ty)?;
        self.fence(Order { acquires: false, ..order })?;
        let old = match operation.starts_with('u') && number.is_exact() {
            // The type of the operand decides how numbers are compared.
            true => {
                let operand = self.unsigned(number, operand)?;
                let of = Number { ty: number.unsigned(), element: number.unsigned(), ..number };
                let old = self.atomic(operation, address, operand, of, order)?;
                self.convert(Conversion::Integer, old, number.ty)?
            }
            false => self.atomic(operation, address, operand, number, order)?,
        };
        self.fence(Order { releases: false, ..order })?;
        Ok(Built::One(old))
    }

    pub(super) fn cmpxchg(&mut self) -> Result<Built, Error> {
        let (_, address) = self.typed_value()?;
        self.comma()?;
        let (ty, expected) = self.typed_value()?;
        self.comma()?;
        let (_, wanted) = self.typed_value()?;
        let order = self.order();
        let number = self.number(ty)?;
        self.fence(Order { acquires: false, ..order })?;
        let name = match (self.environment.language, order.of_group) {
            (Language::OpenCl, _) => "atomic_cmpxchg",
            (_, true) => "atomicCAS_block",
            (_, false) => "atomicCAS",
        };
        let pointer = self.pointer_to(address, number.ty);
        let old =
            self.builtin(name, &[(address, pointer), (expected, number.ty), (wanted, number.ty)], number.ty)?;
        self.fence(Order { releases: false, ..order })?;
        let (op, lanes) = (Comparison::Equal, number.lanes);
        let is_equal = match (lanes, number.class) {
            (1, Class::Integer | Class::Pointer) => {
                self.op(Op::Compare { op, left: old, right: expected }, Ty::BOOL)?
            }
            _ => self.unknown("cmpxchg", &[old, expected], Number::BOOL)?,
        };
        Ok(Built::Parts(vec![Built::One(old), Built::One(is_equal)]))
    }

    pub(super) fn fence_instruction(&mut self) -> Result<Built, Error> {
        let order = self.order();
        self.fence(order)?;
        Ok(Built::Nothing)
    }

    /// Returns the pointer to a type in the memory of an address.
    pub(super) fn pointer_to(&self, address: ValueId, pointee: Ty) -> Ty {
        let space =
            self.builder.ty(address).as_pointer().map_or(AddressSpace::Generic, |pointer| pointer.space);
        Ty::pointer(pointee, space)
    }

    /// Calls the builtin for an atomic, which returns the old value.
    fn atomic(
        &mut self,
        operation: &str,
        address: ValueId,
        operand: ValueId,
        number: Number,
        order: Order,
    ) -> Result<ValueId, Error> {
        let row = OPERATIONS.iter().find(|row| row.0 == operation);
        let pointer = self.pointer_to(address, number.ty);
        let Some((_, opencl, cuda)) = row else {
            // It writes an arbitrary value.
            return self.builtin(
                "__nv_atomic_fetch_other",
                &[(address, pointer), (operand, number.ty)],
                number.ty,
            );
        };
        let name = match (self.environment.language, order.of_group) {
            (Language::OpenCl, _) => format!("atomic_{opencl}"),
            (_, true) => format!("atomic{cuda}_block"),
            (_, false) => format!("atomic{cuda}"),
        };
        self.builtin(&name, &[(address, pointer), (operand, number.ty)], number.ty)
    }

    /// Returns the integer with the bits of a number or an address.
    fn bits_of(&self, number: Number) -> Number {
        match number.class {
            Class::Float => Number::integer(number.element.as_float().map_or(32, |float| float.bits())),
            Class::Pointer => Number::integer(64),
            _ => number,
        }
    }

    fn number_with_bits(
        &mut self,
        value: ValueId,
        integer: Number,
        number: Number,
    ) -> Result<ValueId, Error> {
        match number.class {
            Class::Float => self.convert(Conversion::Bits, value, number.ty),
            Class::Pointer => self.convert(Conversion::IntToPointer, value, number.ty),
            _ if integer == number => Ok(value),
            _ => self.unknown("load", &[value], number),
        }
    }

    /// Reads the scope and the order of an atomic or a fence, after its operands.
    fn order(&mut self) -> Order {
        let mut order = Order::default();
        loop {
            let token = self.reader.token();
            if token.is_first || token.kind != Kind::Word {
                return order;
            }
            match self.reader.word() {
                "syncscope" => {
                    self.reader.next();
                    self.reader.next();
                    let scope = self.reader.text_of(self.reader.token());
                    let is_of_group = |word: &str| scope.trim_matches('"').starts_with(word);
                    order.of_group = ["workgroup", "wavefront", "singlethread", "block", "subgroup"]
                        .into_iter()
                        .any(is_of_group);
                    self.reader.next();
                }
                "acquire" => order.acquires = true,
                "release" => order.releases = true,
                "acq_rel" | "seq_cst" => (order.acquires, order.releases) = (true, true),
                _ => {}
            }
            self.reader.next();
        }
    }

    /// Calls the fence of the language, if an order needs one.
    fn fence(&mut self, order: Order) -> Result<(), Error> {
        if !(order.acquires || order.releases) {
            return Ok(());
        }
        match (self.environment.language, order.of_group) {
            (Language::OpenCl, of_group) => {
                let (memories, kind) = (
                    3,
                    if !order.releases {
                        2
                    } else if order.acquires {
                        4
                    } else {
                        3
                    },
                );
                let mut arguments = Vec::new();
                for number in [memories, kind, if of_group { 1 } else { 2 }] {
                    let ty = if arguments.is_empty() { Ty::UINT } else { Ty::INT };
                    arguments.push((self.op(Op::Constant(Scalar::Integer(number)), ty)?, ty));
                }
                self.builtin("atomic_work_item_fence", &arguments, Ty::VOID)?;
            }
            (_, true) => _ = self.builtin("__threadfence_block", &[], Ty::VOID)?,
            (_, false) => _ = self.builtin("__threadfence", &[], Ty::VOID)?,
        }
        Ok(())
    }
}
