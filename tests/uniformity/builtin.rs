//! What builtins compute that no other thread takes part in.
//!
//! A function that only computes is whatever is equal for equal arguments; those that a generated program uses to bound or
//! compare numbers are exact. Results that the table calls divergent, and which nothing here knows better, are dice.

use tangle::dialect::{Kind, Outcome};
use tangle::hir::types::{Ty, TyKind};
use tangle_grammar::symbol::Symbol;

use crate::machine::Machine;
use crate::value::{Val, element, mixed, number, small, wrap};

impl Machine<'_> {
    /// The result of a builtin that one thread executes on its own.
    pub fn builtin(&mut self, thread: usize, name: Symbol, arguments: &[Val], types: &[Ty], ty: Ty) -> Val {
        let text = name.as_str();
        let row = self.builtins.get(name);
        match row.map(|row| row.kind) {
            Some(Some(Kind::Id | Kind::Size)) => match self.id(thread, text, arguments) {
                Some(id) => Val::Int(id as i128),
                None => self.any(ty),
            },
            Some(Some(Kind::Atomic)) => self.atomic(thread, text, arguments, types, ty),
            Some(Some(Kind::Load)) if text.starts_with("vload") && !text.contains("half") => {
                let of = size_of(element(ty)) * lanes(ty);
                let [Val::Int(offset), address] = arguments else { return Val::Undefined };
                match address.as_pointer() {
                    Some(pointer) => {
                        let lane = |lane: usize| {
                            let by = (*offset as i64).wrapping_mul(of as i64)
                                + (lane * size_of(element(ty))) as i64;
                            Val::Pointer(crate::value::Pointer {
                                offset: pointer.offset.wrapping_add(by),
                                ..pointer
                            })
                        };
                        let read = |at: usize| self.load(thread, &lane(at), element(ty));
                        Val::Vector((0..lanes(ty)).map(read).collect())
                    }
                    None => Val::Undefined,
                }
            }
            Some(Some(Kind::Store)) if text.starts_with("vstore") && !text.contains("half") => {
                let [value, Val::Int(offset), address] = arguments else { return Val::Undefined };
                let of = element(types[0]);
                let Some(pointer) = address.as_pointer() else { return Val::Undefined };
                for (lane, value) in value.lanes(lanes(types[0])).iter().enumerate() {
                    let index = (*offset as i64).wrapping_mul(lanes(types[0]) as i64) + lane as i64;
                    let by = index.wrapping_mul(size_of(of) as i64);
                    let at = crate::value::Pointer { offset: pointer.offset.wrapping_add(by), ..pointer };
                    self.store(thread, &Val::Pointer(at), value, of);
                }
                Val::Undefined
            }
            Some(Some(Kind::Fence)) => Val::Undefined,
            Some(_) if row.and_then(|row| row.result) != Some(Outcome::Operands) => self.any(ty),
            Some(_) => self.computed(thread, text, arguments, types, ty),
            None if text.starts_with("__builtin_") => self.computed(thread, text, arguments, types, ty),
            None => self.any(ty),
        }
    }

    /// Any value, another one each time.
    pub fn any(&mut self, ty: Ty) -> Val {
        if ty.is_void() { Val::Undefined } else { small(ty, self.random.below(1 << 20) as u64) }
    }

    fn id(&self, thread: usize, name: &str, arguments: &[Val]) -> Option<usize> {
        let (place, grid) = (&self.threads[thread].place, &self.grid);
        let axis = match arguments.first() {
            Some(Val::Int(axis)) => usize::try_from(*axis).ok().filter(|&axis| axis < 3),
            Some(_) => return None,
            None => Some(0),
        };
        let first = axis == Some(0);
        let local_size = axis.map_or(1, |axis| grid.local[axis]);
        let groups = if first { grid.groups() } else { 1 };
        let group = if first { place.group } else { 0 };
        let local = axis.map_or(0, |axis| place.local[axis]);
        Some(match name {
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
            "get_sub_group_id" => place.subgroup,
            "get_sub_group_local_id" => place.lane,
            "get_sub_group_size" => grid.of_subgroup(place),
            "get_max_sub_group_size" => grid.subgroup,
            "get_num_sub_groups" | "get_enqueued_num_sub_groups" => grid.subgroups(),
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
        let name =
            name.trim_start_matches("atomic_").trim_start_matches("atom_").trim_end_matches("_explicit");
        let address = &arguments[0];
        let old = self.load(thread, address, of);
        let operand = arguments.get(1).cloned().unwrap_or(Val::Int(1));
        let (a, b) = (number(&old), number(&operand));
        if let "compare_exchange_strong" | "compare_exchange_weak" = name {
            let expected = self.load(thread, &operand, of);
            let same = expected.agrees(&old);
            match (same, arguments.get(2)) {
                (true, Some(wanted)) => self.store(thread, address, wanted, of),
                _ => self.store(thread, &operand, &old, of),
            }
            return Val::Int(same.into());
        }
        let new = match name.trim_start_matches("fetch_") {
            "load" => return old,
            "store" | "init" | "flag_clear" => {
                let new = if name == "flag_clear" { Val::Int(0) } else { operand };
                self.store(thread, address, &new, of);
                return Val::Undefined;
            }
            "flag_test_and_set" => Val::Int(1),
            "exchange" | "xchg" => operand,
            "cmpxchg" if old.agrees(&operand) => arguments.get(2).cloned().unwrap_or(Val::Undefined),
            "cmpxchg" => old.clone(),
            _ if of.as_float().is_some() => self.any(of),
            "add" | "inc" => Val::Int(wrap(a.wrapping_add(b), of)),
            "sub" | "dec" => Val::Int(wrap(a.wrapping_sub(b), of)),
            "min" => Val::Int(a.min(b)),
            "max" => Val::Int(a.max(b)),
            "and" => Val::Int(a & b),
            "or" => Val::Int(a | b),
            "xor" => Val::Int(a ^ b),
            _ => self.any(of),
        };
        self.store(thread, address, &new, of);
        if ty == Ty::BOOL { Val::Int((number(&old) != 0).into()) } else { old }
    }

    fn computed(&mut self, thread: usize, name: &str, arguments: &[Val], types: &[Ty], ty: Ty) -> Val {
        if let (Some(of), [Val::Int(a), rest @ ..]) = (ty.as_integer(), arguments) {
            let exact = match (name, rest) {
                ("min", [Val::Int(b)]) => Some(*a.min(b)),
                ("max", [Val::Int(b)]) => Some(*a.max(b)),
                ("clamp", [Val::Int(low), Val::Int(high)]) => Some(*a.max(low).min(high)),
                ("abs", []) => Some(a.abs()),
                ("popcount", []) => Some((a & ((1i128 << of.bits().min(126)) - 1)).count_ones().into()),
                _ => None,
            };
            if let Some(exact) = exact {
                return Val::Int(wrap(exact, ty));
            }
        }
        // What it writes through pointers depends on the arguments, too.
        for (number, (argument, ty)) in arguments.iter().zip(types).enumerate() {
            if let Some(pointer) = ty.as_pointer().filter(|pointer| !pointer.constant) {
                let value = small(pointer.pointee, mixed(&(name, number, arguments)));
                self.store(thread, argument, &value, pointer.pointee);
            }
        }
        let known = !arguments.contains(&Val::Undefined);
        if known && !ty.is_void() { small(ty, mixed(&(name, arguments))) } else { Val::Undefined }
    }
}

fn lanes(ty: Ty) -> usize {
    ty.lanes().map_or(1, |(_, lanes)| lanes.into())
}

fn size_of(ty: Ty) -> usize {
    crate::memory::size(ty)
}
