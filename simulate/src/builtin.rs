//! What builtins compute that no other thread takes part in.
//!
//! A function that only computes is whatever is equal for equal arguments; those that a generated program uses to bound or
//! compare numbers are exact. Results that the table calls divergent, and which nothing here knows better, are dice.

use smallvec::SmallVec;
use tangle_base::Symbol;
use tangle_ir::flow::{Call, Function, ValueId};
use tangle_ir::types::{Integer, Ty, TyKind};
use tangle_ir::value::{Arithmetic, Comparison, Conversion};

use crate::language::{Builtin, Gives, Kind};
use crate::machine::Machine;
use crate::mask;
use crate::memory::size;
use crate::observer::Observer;
use crate::races::{self, Manner};
use crate::value::{Val, binary, compare, convert, element, mixed, number, select, small, wrap};

/// The types of the arguments of a builtin. To which type a pointer points, its own type does not tell in a graph: what `buffer[0]` decays to is the
/// address of the array, and a cast leaves no trace. The type of the call does.
pub(crate) fn argument_types(function: &Function, call: &Call) -> SmallVec<[Ty; 4]> {
    let declared = call.callee.ty().as_function().map_or(&[][..], |ty| &ty.parameters);
    let is_told = |ty: &Ty| ty.as_pointer().is_some_and(|pointer| !pointer.pointee.is_void());
    let ty = |(number, &(value, _)): (usize, &(ValueId, _))| {
        declared.get(number).copied().filter(is_told).unwrap_or(function.values[value].ty)
    };
    call.arguments.iter().enumerate().map(ty).collect()
}

impl<O: Observer> Machine<'_, O> {
    /// The result of a builtin that one thread executes on its own.
    pub fn builtin(
        &mut self,
        thread: usize,
        (name, builtin): (Symbol, Option<Builtin>),
        arguments: &[Val],
        types: &[Ty],
        ty: Ty,
    ) -> Val {
        let text = name.as_str();
        if builtin.is_some() {
            let place = &self.threads[thread].place;
            if let Some(result) = mask::builtin(text, arguments, place.lane, self.grid.of_sub_group(place)) {
                return result;
            }
        }
        match builtin.map(|builtin| builtin.kind) {
            Some(Kind::Place) => {
                match self.place_of(thread, builtin.and_then(|it| it.place).unwrap_or(name), arguments) {
                    Some(id) => Val::Int(id as i128),
                    // The size of an image is that of the image.
                    None if builtin.is_some_and(|builtin| builtin.gives == Gives::Operands) => {
                        self.computed(thread, text, arguments, types, ty)
                    }
                    None => self.any(ty),
                }
            }
            Some(Kind::Atomic) => self.atomic(thread, text, arguments, types, ty),
            Some(Kind::Load) if text.starts_with("vload") && !text.contains("half") => {
                let [Val::Int(offset), address] = arguments else { return Val::Undefined };
                let Some(pointer) = address.as_pointer() else { return Val::Undefined };
                let step = size(element(ty)) as i64;
                let first = (*offset as i64).wrapping_mul(lanes(ty)).wrapping_mul(step);
                let lane = |lane: i64| Val::Pointer(pointer.plus(first).plus(lane * step));
                Val::Vector(
                    (0..lanes(ty))
                        .map(|at| self.load(thread, &lane(at), element(ty), Manner::Plain))
                        .collect(),
                )
            }
            Some(Kind::Store) if text.starts_with("vstore") && !text.contains("half") => {
                let [value, Val::Int(offset), address] = arguments else { return Val::Undefined };
                let Some(pointer) = address.as_pointer() else { return Val::Undefined };
                let (of, count) = (element(types[0]), lanes(types[0]));
                let step = size(of) as i64;
                let first = (*offset as i64).wrapping_mul(count).wrapping_mul(step);
                for (lane, value) in (0..).zip(&value.lanes(count as usize)) {
                    let at = Val::Pointer(pointer.plus(first).plus(lane * step));
                    self.store(thread, &at, value, of, Manner::Plain);
                }
                Val::Undefined
            }
            Some(Kind::Fence) => {
                self.fence(thread, text, arguments);
                Val::Undefined
            }
            Some(_) if builtin.is_some_and(|builtin| builtin.gives != Gives::Operands) => self.any(ty),
            // What the table does not name computes as well.
            Some(_) | None => self.computed(thread, text, arguments, types, ty),
        }
    }

    /// Any value, another one each time.
    pub fn any(&mut self, ty: Ty) -> Val {
        if ty.is_void() { Val::Undefined } else { small(ty, self.random.below(1 << 20) as u64) }
    }

    /// What a builtin says of where a thread stands.
    fn place_of(&self, thread: usize, name: Symbol, arguments: &[Val]) -> Option<usize> {
        let (place, grid) = (&self.threads[thread].place, &self.grid);
        let axis = match arguments.first() {
            Some(Val::Int(axis)) => usize::try_from(*axis).ok().filter(|&axis| axis < 3),
            Some(_) => return None,
            None => Some(0),
        };
        let first = axis == Some(0);
        let local_size = axis.map_or(1, |axis| grid.local()[axis]);
        let groups = if first { grid.groups() } else { 1 };
        let group = if first { place.group } else { 0 };
        let local = axis.map_or(0, |axis| place.local[axis]);
        Some(match name.as_str() {
            "get_global_id" => group * local_size + local,
            "get_local_id" => local,
            "get_group_id" => group,
            "get_global_size" => groups * local_size,
            "get_local_size" | "get_enqueued_local_size" => local_size,
            "get_num_groups" => groups,
            "get_global_offset" => 0,
            "get_work_dim" => 3,
            "get_local_linear_id" => place.linear,
            "get_global_linear_id" => place.group * grid.of_group() + place.linear,
            "get_sub_group_id" => place.sub_group,
            "get_sub_group_local_id" => place.lane,
            "get_sub_group_size" => grid.of_sub_group(place),
            "get_max_sub_group_size" => grid.sub_group(),
            "get_num_sub_groups" | "get_enqueued_num_sub_groups" => grid.sub_groups(),
            _ => return None,
        })
    }

    fn atomic(&mut self, thread: usize, name: &str, arguments: &[Val], types: &[Ty], ty: Ty) -> Val {
        let Some(pointee) = types.first().and_then(|ty| ty.as_pointer()).map(|pointer| pointer.pointee)
        else {
            return self.any(ty);
        };
        let of = match pointee.kind() {
            TyKind::Atomic(of) => *of,
            _ => pointee,
        };
        let (order, failing) = races::atomic(name, arguments);
        let manner = Manner::Atomic(order.scope);
        let name =
            name.trim_start_matches("atomic_").trim_start_matches("atom_").trim_end_matches("_explicit");
        let Some(address) = arguments.first() else { return self.any(ty) };
        if name == "init" || name == "store" || name == "flag_clear" {
            let new = arguments.get(1).filter(|_| name != "flag_clear").cloned().unwrap_or(Val::Int(0));
            // To begin with, an atomic is written as any other object.
            let is_atomic = name != "init";
            if is_atomic {
                self.publish(thread, address, order, false);
            }
            let manner = if is_atomic { manner } else { Manner::Plain };
            self.store(thread, address, &new, of, manner);
            return Val::Undefined;
        }
        let old = self.load(thread, address, of, manner);
        let operand = arguments.get(1).cloned().unwrap_or(Val::Int(1));
        let (a, b) = (number(&old), number(&operand));
        if let "compare_exchange_strong" | "compare_exchange_weak" = name {
            let expected = self.load(thread, &operand, of, Manner::Plain);
            let same = expected.agrees(&old);
            let is_known = expected != Val::Undefined && old != Val::Undefined;
            match (same, arguments.get(2)) {
                (true, Some(wanted)) => {
                    self.observe(thread, address, order);
                    self.publish(thread, address, order, true);
                    self.store(thread, address, wanted, of, manner);
                }
                _ => {
                    self.observe(thread, address, failing);
                    self.store(thread, &operand, &old, of, Manner::Plain);
                }
            }
            return if is_known { Val::Int(same.into()) } else { Val::Undefined };
        }
        self.observe(thread, address, order);
        let is_float = of.as_float().is_some();
        let new = match name.trim_start_matches("fetch_") {
            "load" => return old,
            "flag_test_and_set" => Val::Int(1),
            "exchange" | "xchg" => operand,
            "cmpxchg" if old.agrees(&operand) => arguments.get(2).cloned().unwrap_or(Val::Undefined),
            "cmpxchg" => old.clone(),
            _ if old == Val::Undefined || operand == Val::Undefined => Val::Undefined,
            "add" if is_float => binary(Arithmetic::Add, &old, &operand, of),
            "sub" if is_float => binary(Arithmetic::Sub, &old, &operand, of),
            "min" | "max" if is_float => {
                let op = if name.ends_with("min") { Comparison::Less } else { Comparison::Greater };
                select(&compare(op, &old, &operand, of, Ty::BOOL), &old, &operand, of)
            }
            _ if is_float => self.any(of),
            "add" | "inc" => Val::Int(wrap(a.wrapping_add(b), of)),
            "sub" | "dec" => Val::Int(wrap(a.wrapping_sub(b), of)),
            "min" => Val::Int(a.min(b)),
            "max" => Val::Int(a.max(b)),
            "and" => Val::Int(a & b),
            "or" => Val::Int(a | b),
            "xor" => Val::Int(a ^ b),
            _ => self.any(of),
        };
        self.publish(thread, address, order, true);
        self.store(thread, address, &new, of, manner);
        if ty == Ty::BOOL { Val::Int((number(&old) != 0).into()) } else { old }
    }

    fn computed(&mut self, thread: usize, name: &str, arguments: &[Val], types: &[Ty], ty: Ty) -> Val {
        if let (Some(of), [Val::Int(a), rest @ ..]) = (ty.as_integer(), arguments) {
            let exact = match (name, rest) {
                ("min", [Val::Int(b)]) => Some(*a.min(b)),
                ("max", [Val::Int(b)]) => Some(*a.max(b)),
                ("clamp", [Val::Int(low), Val::Int(high)]) => Some(*a.max(low).min(high)),
                ("abs", []) => Some(a.wrapping_abs()),
                ("mul24", [Val::Int(b)]) => Some(a.wrapping_mul(*b)),
                ("mad24", [Val::Int(b), Val::Int(c)]) => Some(a.wrapping_mul(*b).wrapping_add(*c)),
                ("popcount", []) => Some((a & ((1i128 << of.bits().min(126)) - 1)).count_ones().into()),
                _ => None,
            };
            if let Some(exact) = exact {
                return Val::Int(wrap(exact, ty));
            }
        }
        if let (Some(how), [operand]) = (name.strip_prefix("convert_"), arguments) {
            return converted(how, operand, types[0], ty);
        }
        // What it writes through pointers depends on the arguments, too.
        for (number, (argument, ty)) in arguments.iter().zip(types).enumerate() {
            if let Some(pointer) = ty.as_pointer().filter(|pointer| !pointer.constant) {
                let value = small(pointer.pointee, mixed(&(name, number, arguments)));
                self.store(thread, argument, &value, pointer.pointee, Manner::Plain);
            }
        }
        let known = !arguments.contains(&Val::Undefined);
        if known && !ty.is_void() { small(ty, mixed(&(name, arguments))) } else { Val::Undefined }
    }
}

fn lanes(ty: Ty) -> i64 {
    ty.lanes().map_or(1, |(_, lanes)| lanes.into())
}

/// `convert_T_sat_rte`, by what stands behind `convert_`: a number, or lane by lane.
fn converted(how: &str, operand: &Val, from: Ty, ty: Ty) -> Val {
    if let Val::Vector(lanes) = operand {
        return Val::Vector(
            lanes.iter().map(|lane| converted(how, lane, element(from), element(ty))).collect(),
        );
    }
    let is_rounded_to = |mode: &str| how.ends_with(mode);
    match (operand, ty.as_integer()) {
        (Val::Float(bits), Some(integer)) => {
            let value = f64::from_bits(*bits);
            let whole = if is_rounded_to("_rte") {
                value.round_ties_even()
            } else if is_rounded_to("_rtp") {
                value.ceil()
            } else if is_rounded_to("_rtn") {
                value.floor()
            } else {
                value.trunc()
            } as i128;
            Val::Int(if how.contains("_sat") { saturated(whole, integer) } else { wrap(whole, ty) })
        }
        (Val::Int(value), Some(integer)) if how.contains("_sat") => Val::Int(saturated(*value, integer)),
        (Val::Int(value), Some(_)) => Val::Int(wrap(*value, ty)),
        (Val::Int(_), None) => convert(Conversion::IntToFloat, operand, from, ty),
        (Val::Float(_), None) => convert(Conversion::Float, operand, from, ty),
        _ => Val::Undefined,
    }
}

fn saturated(value: i128, ty: Integer) -> i128 {
    let bits = ty.bits().min(127) - u32::from(ty.signed());
    let most = if bits >= 126 { i128::MAX } else { (1 << bits) - 1 };
    value.clamp(if ty.signed() { -most - 1 } else { 0 }, most)
}
