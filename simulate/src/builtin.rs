//! Computes the results of builtins that one thread executes alone.
//!
//! A function that only computes has an arbitrary result, equal for equal arguments. Functions that a generated program
//! uses to bound or compare numbers are exact. If the table calls a result divergent and the executor does not model
//! it, the result is random.

use smallvec::SmallVec;
use tangle_base::Symbol;
use tangle_ir::flow::{Call, Function, ValueId};
use tangle_ir::types::{Integer, Ty, TyKind};
use tangle_ir::value::{Arithmetic, Comparison, Conversion};

use crate::grid::Grid;
use crate::language::{Builtin, ResultUniformity};
use crate::machine::Machine;
use crate::mask;
use crate::memory::size;
use crate::observer::Observer;
use crate::operation::{Atomic, AtomicOp, Index, Math, Operation, Rounding, Size};
use crate::races::{self, AccessKind};
use crate::value::{Value, binary, compare, convert, element, hash_of, number, select, small, wrap};

/// The types of the arguments of a builtin. The type of a pointer argument in the graph does not give its pointee:
/// `buffer[0]` decays to the address of the array, and a cast leaves no trace. The type of the call does.
pub(crate) fn argument_types(function: &Function, call: &Call) -> SmallVec<[Ty; 4]> {
    let declared = call.callee.ty().as_function().map_or(&[][..], |ty| &ty.parameters);
    let is_reported = |ty: &Ty| ty.as_pointer().is_some_and(|pointer| !pointer.pointee.is_void());
    let ty = |(number, &(value, _)): (usize, &(ValueId, _))| {
        declared.get(number).copied().filter(is_reported).unwrap_or(function.values[value].ty)
    };
    call.arguments.iter().enumerate().map(ty).collect()
}

impl<O: Observer> Machine<'_, O> {
    /// The result of a builtin that one thread executes alone. A function without a row in the table, which only the
    /// compiler knows, computes its result from its arguments.
    pub fn builtin(
        &mut self,
        thread: usize,
        (name, builtin): (Symbol, Option<Builtin>),
        arguments: &[Value],
        types: &[Ty],
        ty: Ty,
    ) -> Value {
        let Some(Builtin { operation, gives, .. }) = builtin else {
            return self.computed(thread, name, arguments, types, ty);
        };
        let result = match operation {
            Operation::Index(index) => self.index(thread, index, arguments),
            Operation::Size(size) => self.size(thread, size, arguments),
            Operation::Atomic(atomic) => Some(self.atomic(thread, atomic, arguments, types, ty)),
            Operation::LoadVector => Some(self.load_vector(thread, arguments, ty)),
            Operation::StoreVector => Some(self.store_vector(thread, arguments, types)),
            Operation::Fence(fence) => {
                self.fence(thread, fence, arguments);
                Some(Value::Undefined)
            }
            Operation::Mask(op) => {
                let place = &self.threads[thread].place;
                Some(mask::compute(op, arguments, place.lane, self.grid.of_sub_group(place)))
            }
            Operation::Argument => arguments.first().cloned(),
            Operation::Load => {
                arguments.first().map(|address| self.load(thread, address, ty, AccessKind::Plain))
            }
            Operation::Store => {
                if let [address, value] = arguments {
                    self.store(thread, address, value, types[1], AccessKind::Plain);
                }
                Some(Value::Undefined)
            }
            Operation::CopyBytes { .. } => match arguments {
                [to, from, Value::Int(bytes)] => {
                    let bytes = u64::try_from(*bytes).unwrap_or(u64::MAX);
                    self.copy(thread, to, from, bytes, AccessKind::Plain);
                    Some(to.clone())
                }
                _ => None,
            },
            Operation::SetBytes => match arguments {
                [to, Value::Int(byte), Value::Int(bytes)] => {
                    self.set_bytes(thread, to, *byte as u8, u64::try_from(*bytes).unwrap_or(u64::MAX));
                    Some(to.clone())
                }
                _ => None,
            },
            Operation::Nothing => Some(Value::Undefined),
            Operation::Bits => match arguments {
                [operand] => Some(crate::memory::same_bits(operand, types[0], ty)),
                _ => None,
            },
            Operation::Vector => match arguments {
                [only] => Some(only.clone()),
                lanes => Some(Value::Vector(lanes.into())),
            },
            Operation::Math(op) => exact(op, arguments, types, ty),
            Operation::Convert { rounding, saturated } => match arguments {
                [operand] => Some(converted((rounding, saturated), operand, types[0], ty)),
                _ => None,
            },
            Operation::Barrier(_)
            | Operation::AsyncCopy { .. }
            | Operation::AwaitCopies
            | Operation::Collective(_)
            | Operation::Print
            | Operation::Other => None,
        };
        result.unwrap_or_else(|| match gives {
            ResultUniformity::Operands => self.computed(thread, name, arguments, types, ty),
            ResultUniformity::Uniform | ResultUniformity::Divergent => self.any(ty),
        })
    }

    /// A random value of a type, different in each call.
    pub fn any(&mut self, ty: Ty) -> Value {
        if ty.is_void() { Value::Undefined } else { small(ty, self.random.below(1 << 20) as u64) }
    }

    fn index(&self, thread: usize, index: Index, arguments: &[Value]) -> Option<Value> {
        let (place, grid) = (&self.threads[thread].place, &self.grid);
        let axis = Axis::of(arguments)?;
        let group = if axis.is_first() { place.group } else { 0 };
        let local = axis.0.map_or(0, |axis| place.local[axis]);
        let number = match index {
            Index::Global => group * axis.local_size(grid) + local,
            Index::Local => local,
            Index::Group => group,
            Index::GlobalOffset => 0,
            Index::LocalLinear => place.linear,
            Index::GlobalLinear => {
                let ([x, y, z], [width, height, _]) = (place.local, grid.local());
                let row = width * grid.groups();
                (z * height + y) * row + place.group * width + x
            }
            Index::Launch => place.group * grid.threads_per_group() + place.linear,
            Index::GroupLinear => place.group,
            Index::SubGroup => place.sub_group,
            Index::Lane => place.lane,
            Index::TileLane => place.lane % mask::tile_size(arguments.first()?)?,
        };
        Some(Value::Int(number as i128))
    }

    fn size(&self, thread: usize, size: Size, arguments: &[Value]) -> Option<Value> {
        let (place, grid) = (&self.threads[thread].place, &self.grid);
        let axis = Axis::of(arguments)?;
        let groups = if axis.is_first() { grid.groups() } else { 1 };
        let number = match size {
            Size::Global => groups * axis.local_size(grid),
            Size::Local => axis.local_size(grid),
            Size::LocalLinear => grid.threads_per_group(),
            Size::Launch => grid.threads_per_group() * grid.groups(),
            Size::GroupsLinear => grid.groups(),
            Size::Groups => groups,
            Size::Dimensions => 3,
            Size::SubGroup => grid.of_sub_group(place),
            Size::MaxSubGroup => grid.sub_group(),
            Size::SubGroups => grid.sub_groups(),
        };
        Some(Value::Int(number as i128))
    }

    fn load_vector(&mut self, thread: usize, arguments: &[Value], ty: Ty) -> Value {
        let [Value::Int(offset), address] = arguments else { return Value::Undefined };
        let Some(pointer) = address.as_pointer() else { return Value::Undefined };
        let step = size(element(ty)) as i64;
        let first = (*offset as i64).wrapping_mul(lanes(ty)).wrapping_mul(step);
        let lane = |lane: i64| Value::Pointer(pointer.plus(first).plus(lane * step));
        Value::Vector(
            (0..lanes(ty)).map(|at| self.load(thread, &lane(at), element(ty), AccessKind::Plain)).collect(),
        )
    }

    fn store_vector(&mut self, thread: usize, arguments: &[Value], types: &[Ty]) -> Value {
        let [value, Value::Int(offset), address] = arguments else { return Value::Undefined };
        let Some(pointer) = address.as_pointer() else { return Value::Undefined };
        let (of, count) = (element(types[0]), lanes(types[0]));
        let step = size(of) as i64;
        let first = (*offset as i64).wrapping_mul(count).wrapping_mul(step);
        for (lane, value) in (0..).zip(&value.lanes(count as usize)) {
            let at = Value::Pointer(pointer.plus(first).plus(lane * step));
            self.store(thread, &at, value, of, AccessKind::Plain);
        }
        Value::Undefined
    }

    fn atomic(&mut self, thread: usize, atomic: Atomic, arguments: &[Value], types: &[Ty], ty: Ty) -> Value {
        let Some(pointee) = types.first().and_then(|ty| ty.as_pointer()).map(|pointer| pointer.pointee)
        else {
            return self.any(ty);
        };
        let of = match pointee.kind() {
            TyKind::Atomic(of) => *of,
            _ => pointee,
        };
        let op = atomic.op;
        let order = races::order(atomic.ordering, arguments);
        let manner = AccessKind::Atomic(order.scope);
        let Some(address) = arguments.first() else { return self.any(ty) };
        if matches!(op, AtomicOp::Init | AtomicOp::Store | AtomicOp::Clear) {
            let new = arguments.get(1).filter(|_| op != AtomicOp::Clear).cloned().unwrap_or(Value::Int(0));
            let is_atomic = op != AtomicOp::Init;
            if is_atomic {
                self.publish(thread, address, order, false);
            }
            let manner = if is_atomic { manner } else { AccessKind::Plain };
            self.store(thread, address, &new, of, manner);
            return Value::Undefined;
        }
        let old = self.load(thread, address, of, manner);
        let operand = arguments.get(1).cloned().unwrap_or(Value::Int(1));
        if op == AtomicOp::Compare {
            let expected = self.load(thread, &operand, of, AccessKind::Plain);
            let same = expected.may_equal(&old);
            let is_known = expected != Value::Undefined && old != Value::Undefined;
            match (same, arguments.get(2)) {
                (true, Some(wanted)) => {
                    self.observe(thread, address, order);
                    self.publish(thread, address, order, true);
                    self.store(thread, address, wanted, of, manner);
                }
                _ => {
                    self.observe(thread, address, races::order(atomic.failure, arguments));
                    self.store(thread, &operand, &old, of, AccessKind::Plain);
                }
            }
            return if is_known { Value::Int(same.into()) } else { Value::Undefined };
        }
        self.observe(thread, address, order);
        let new = match op {
            AtomicOp::Load => return old,
            AtomicOp::TestAndSet => Value::Int(1),
            AtomicOp::Exchange => operand,
            AtomicOp::CompareExchange if old.may_equal(&operand) => {
                arguments.get(2).cloned().unwrap_or(Value::Undefined)
            }
            AtomicOp::CompareExchange => old.clone(),
            _ if old == Value::Undefined || operand == Value::Undefined => Value::Undefined,
            _ => updated(op, &old, &operand, of).unwrap_or_else(|| self.any(of)),
        };
        self.publish(thread, address, order, true);
        self.store(thread, address, &new, of, manner);
        if ty == Ty::BOOL { Value::Int((number(&old) != 0).into()) } else { old }
    }

    /// The result of a function that only computes: equal for equal arguments.
    fn computed(&mut self, thread: usize, name: Symbol, arguments: &[Value], types: &[Ty], ty: Ty) -> Value {
        // The values that it writes through pointers depend on the arguments, too.
        for (number, (argument, ty)) in arguments.iter().zip(types).enumerate() {
            if let Some(pointer) = ty.as_pointer().filter(|pointer| !pointer.constant) {
                let value = small(pointer.pointee, hash_of(&(name.as_str(), number, arguments)));
                self.store(thread, argument, &value, pointer.pointee, AccessKind::Plain);
            }
        }
        let known = !arguments.contains(&Value::Undefined);
        if known && !ty.is_void() {
            small(ty, hash_of(&(name.as_str(), arguments)))
        } else {
            Value::Undefined
        }
    }
}

/// The dimension that a call names. `None`: a dimension that no launch has.
struct Axis(Option<usize>);

impl Axis {
    /// The first dimension if the call has no arguments. `None` if the argument is not a known integer.
    fn of(arguments: &[Value]) -> Option<Axis> {
        match arguments.first() {
            Some(Value::Int(axis)) => Some(Axis(usize::try_from(*axis).ok().filter(|&axis| axis < 3))),
            Some(_) => None,
            None => Some(Axis(Some(0))),
        }
    }

    /// Whether this is the dimension of the work-groups: a launch has only one work-group in the others.
    fn is_first(&self) -> bool {
        self.0 == Some(0)
    }

    fn local_size(&self, grid: &Grid) -> usize {
        self.0.map_or(1, |axis| grid.local()[axis])
    }
}

/// The new value of an atomic, computed from a defined old value and a defined operand. `None` if the operation does
/// not exist for this type.
fn updated(op: AtomicOp, old: &Value, operand: &Value, of: Ty) -> Option<Value> {
    if of.as_float().is_some() {
        let pick = |op| select(&compare(op, old, operand, of, Ty::BOOL), old, operand, of);
        return match op {
            AtomicOp::Add => Some(binary(Arithmetic::Add, old, operand, of)),
            AtomicOp::Sub => Some(binary(Arithmetic::Sub, old, operand, of)),
            AtomicOp::Min => Some(pick(Comparison::Less)),
            AtomicOp::Max => Some(pick(Comparison::Greater)),
            _ => None,
        };
    }
    let (a, b) = (number(old), number(operand));
    let new = match op {
        AtomicOp::Add => wrap(a.wrapping_add(b), of),
        AtomicOp::Sub => wrap(a.wrapping_sub(b), of),
        AtomicOp::Increment => wrap(a.wrapping_add(1), of),
        AtomicOp::Decrement => wrap(a.wrapping_sub(1), of),
        AtomicOp::IncrementUpTo => {
            if a >= b {
                0
            } else {
                a + 1
            }
        }
        AtomicOp::DecrementFrom => {
            if a == 0 || a > b {
                b
            } else {
                a - 1
            }
        }
        AtomicOp::Min => a.min(b),
        AtomicOp::Max => a.max(b),
        AtomicOp::And => a & b,
        AtomicOp::Or => a | b,
        AtomicOp::Xor => a ^ b,
        _ => return None,
    };
    Some(Value::Int(new))
}

/// The exact result of a computation on integers. `None` if an operand or the result is not an integer.
fn exact(op: Math, arguments: &[Value], types: &[Ty], ty: Ty) -> Option<Value> {
    let result = ty.as_integer()?;
    let [Value::Int(a), rest @ ..] = arguments else { return None };
    // The width of the result can differ from the width of the operand.
    let width = || types.first().and_then(|ty| ty.as_integer()).unwrap_or(result).bits().min(126);
    let bits = || a & ((1i128 << width()) - 1);
    let exact = match (op, rest) {
        (Math::Min, [Value::Int(b)]) => *a.min(b),
        (Math::Max, [Value::Int(b)]) => *a.max(b),
        (Math::Clamp, [Value::Int(low), Value::Int(high)]) => *a.max(low).min(high),
        (Math::Abs, []) => a.wrapping_abs(),
        (Math::Multiply, [Value::Int(b)]) => a.wrapping_mul(*b),
        (Math::MultiplyAdd, [Value::Int(b), Value::Int(c)]) => a.wrapping_mul(*b).wrapping_add(*c),
        (Math::CountOnes, []) => bits().count_ones().into(),
        (Math::LeadingZeros, []) => i128::from(bits().leading_zeros()) - i128::from(128 - width()),
        (Math::ReverseBits, []) => (bits() as u128).reverse_bits().wrapping_shr(128 - width()) as i128,
        (Math::FindFirst, []) if bits() == 0 => 0,
        (Math::FindFirst, []) => i128::from(bits().trailing_zeros()) + 1,
        _ => return None,
    };
    Some(Value::Int(wrap(exact, ty)))
}

fn lanes(ty: Ty) -> i64 {
    ty.lanes().map_or(1, |(_, lanes)| lanes.into())
}

/// Converts a number, or each lane of a vector, to another type.
fn converted((rounding, saturates): (Rounding, bool), operand: &Value, from: Ty, ty: Ty) -> Value {
    if let Value::Vector(lanes) = operand {
        let lane = |lane: &Value| converted((rounding, saturates), lane, element(from), element(ty));
        return Value::Vector(lanes.iter().map(lane).collect());
    }
    match (operand, ty.as_integer()) {
        (Value::Float(bits), Some(integer)) => {
            let value = f64::from_bits(*bits);
            let whole = match rounding {
                Rounding::NearestEven => value.round_ties_even(),
                Rounding::Up => value.ceil(),
                Rounding::Down => value.floor(),
                Rounding::TowardZero => value.trunc(),
            } as i128;
            Value::Int(if saturates { saturated(whole, integer) } else { wrap(whole, ty) })
        }
        (Value::Int(value), Some(integer)) if saturates => Value::Int(saturated(*value, integer)),
        (Value::Int(value), Some(_)) => Value::Int(wrap(*value, ty)),
        (Value::Int(_), None) => convert(Conversion::IntToFloat, operand, from, ty),
        (Value::Float(_), None) => convert(Conversion::Float, operand, from, ty),
        _ => Value::Undefined,
    }
}

fn saturated(value: i128, ty: Integer) -> i128 {
    let bits = ty.bits().min(127) - u32::from(ty.signed());
    let most = if bits >= 126 { i128::MAX } else { (1 << bits) - 1 };
    value.clamp(if ty.signed() { -most - 1 } else { 0 }, most)
}
