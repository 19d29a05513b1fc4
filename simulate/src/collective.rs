//! What convergent builtins give to the threads that execute them together.
//!
//! Results that the table calls uniform are computed once, and are given to those who come late, too. Those that depend on the
//! thread (scans, shuffles) are computed for each. What is not written out here is, if uniform, some number that depends on the
//! threads and their arguments, and dice if divergent.

use tangle_base::Symbol;
use tangle_ir::AddressSpace;
use tangle_ir::flow::{Op, ValueId};
use tangle_ir::types::{Ty, TyKind};
use tangle_ir::value::{Arithmetic, Comparison};

use crate::builtin::argument_types;
use crate::keys::Key;
use crate::language::Gives;
use crate::machine::Machine;
use crate::mask::mask;
use crate::memory::size;
use crate::observer::Observer;
use crate::program::Target;
use crate::races::Manner;
use crate::value::{Val, binary, compare, mixed, number, select, small, wrap};

/// One thread's part in a collective.
struct Part {
    thread: usize,
    lane: usize,
    arguments: Vec<Val>,
}

impl<O: Observer> Machine<'_, O> {
    /// The results for threads with converged instances of one call, in order.
    pub fn collective(&mut self, key: Key, group: usize, threads: &[usize], value: ValueId) -> Vec<Val> {
        let frame = self.frame(threads[0]);
        let function = self.function(frame);
        let data = &function.values[value];
        let (Op::Call(call), Target::Builtin(name, builtin)) = (&data.op, self.prepared(frame).calls[&value])
        else {
            unreachable!("threads wait only at builtins")
        };
        let types = argument_types(function, call);
        let parts: Vec<Part> = threads
            .iter()
            .map(|&thread| Part {
                thread,
                lane: self.threads[thread].place.lane,
                arguments: call.arguments.iter().map(|(it, _)| self.get(thread, *it).clone()).collect(),
            })
            .collect();
        if name.as_str().starts_with("async_work_group_") {
            self.begin_copy(threads);
            self.copy_together(name.as_str(), &parts[0], &types);
        }
        self.order_together(threads, (name, builtin), &parts[0].arguments);
        if let Some(results) = scanned(name.as_str(), &parts, data.ty) {
            return results;
        }
        if builtin.is_none_or(|builtin| builtin.gives != Gives::Uniform) {
            return (0..parts.len()).map(|at| self.own(name, at, &parts, data.ty)).collect();
        }
        // Who comes late gets what the others got; only lenient launches let anybody come late.
        let known = self.given.get(&(key, group)).cloned();
        let given = known.unwrap_or_else(|| self.shared(name, &parts, data.ty, (key, group)));
        if self.launch.lenient {
            self.given.insert((key, group), given.clone());
        }
        vec![given; threads.len()]
    }

    /// One copy for all, of as many elements as the first thread says; with a stride, in the memory that is not `local`.
    fn copy_together(&mut self, name: &str, part: &Part, types: &[Ty]) {
        let [to, from, Val::Int(count), rest @ ..] = &part.arguments[..] else { return };
        let Some(pointer) = types.first().and_then(|ty| ty.as_pointer()) else { return };
        let (step, count) = (size(pointer.pointee), u64::try_from(*count).unwrap_or(0));
        if !name.contains("strided") {
            return self.copy(part.thread, to, from, step.saturating_mul(count), Manner::Together);
        }
        let (Some(to), Some(from), Some(Val::Int(stride))) =
            (to.as_pointer(), from.as_pointer(), rest.first())
        else {
            return;
        };
        if !self.charge(part.thread, count) {
            return;
        }
        let wide = (*stride as i64).wrapping_mul(step as i64);
        let (by, of) = match pointer.space {
            AddressSpace::Local => (step as i64, wide),
            _ => (wide, step as i64),
        };
        for number in 0..count as i64 {
            let (to, from) = (to.plus(number.wrapping_mul(by)), from.plus(number.wrapping_mul(of)));
            self.copy(part.thread, &Val::Pointer(to), &Val::Pointer(from), step, Manner::Together);
        }
    }

    fn shared(&mut self, name: Symbol, parts: &[Part], ty: Ty, seed: (Key, usize)) -> Val {
        let text = name.as_str();
        let firsts: Vec<&Val> = parts.iter().filter_map(|part| part.arguments.first()).collect();
        let holds = |value: &&Val| number(value) != 0;
        if firsts.is_empty() || firsts.iter().any(|it| **it == Val::Undefined) {
            return if ty.is_void() || !firsts.is_empty() { Val::Undefined } else { self.any(ty) };
        }
        match done_by(text) {
            "all" => Val::Int(firsts.iter().all(holds).into()),
            "any" => Val::Int(firsts.iter().any(holds).into()),
            "all_equal" => Val::Int(firsts.iter().all(|it| it.agrees(firsts[0])).into()),
            "broadcast_first" => firsts[0].clone(),
            "broadcast" => {
                let wanted = &parts[0].arguments[1..];
                if wanted.contains(&Val::Undefined) {
                    return Val::Undefined;
                }
                let is_meant = |part: &&Part| self.is_at(part, text.starts_with("work"), wanted);
                parts.iter().find(is_meant).map_or(Val::Undefined, |part| part.arguments[0].clone())
            }
            "ballot" => {
                let holds = |part: &&Part| part.arguments.first().is_some_and(|it| number(it) != 0);
                let bits = parts.iter().filter(holds).fold(0, |bits, part| bits | 1u128 << part.lane);
                if ty.as_vector().is_some() { mask(bits) } else { Val::Int(wrap(bits as i128, ty)) }
            }
            end => match end.strip_prefix("reduce_") {
                Some(op) => reduced(op, &firsts, ty).unwrap_or_else(|| self.any(ty)),
                None => {
                    let arguments: Vec<&Vec<Val>> = parts.iter().map(|part| &part.arguments).collect();
                    small(ty, mixed(&(text, arguments, seed)))
                }
            },
        }
    }

    /// Whether a part is that of the thread that a broadcast names.
    fn is_at(&self, part: &Part, in_group: bool, wanted: &[Val]) -> bool {
        let place = &self.threads[part.thread].place;
        let ids: Vec<usize> = if in_group { place.local.to_vec() } else { vec![place.lane] };
        wanted.iter().zip(ids).all(|(wanted, id)| number(wanted) == id as i128)
    }

    /// What depends on the thread.
    fn own(&mut self, name: Symbol, at: usize, parts: &[Part], ty: Ty) -> Val {
        let part = &parts[at];
        let text = name.as_str();
        let of_lane = |lane: i128| {
            let it = parts.iter().find(|part| part.lane as i128 == lane);
            it.and_then(|part| part.arguments.first()).cloned().unwrap_or(Val::Undefined)
        };
        let lane = part.lane as i128;
        let by = part.arguments.get(1).and_then(Val::as_int);
        // Whose value it is, nothing defines.
        let is_read =
            matches!(done_by(text), "shuffle" | "shuffle_xor" | "shuffle_up" | "shuffle_down" | "rotate");
        if is_read && part.arguments.get(1) == Some(&Val::Undefined) {
            return Val::Undefined;
        }
        match (done_by(text), by) {
            ("elect", _) => Val::Int((part.thread == parts[0].thread).into()),
            ("shuffle", Some(by)) => of_lane(by),
            ("shuffle_xor", Some(by)) => of_lane(lane ^ by),
            ("shuffle_up", Some(by)) if text.starts_with("sub") => of_lane(lane.wrapping_sub(by)),
            ("rotate", Some(by)) => {
                let lanes = self.grid.of_sub_group(&self.threads[part.thread].place) as i128;
                of_lane(lane.wrapping_add(by).rem_euclid(lanes))
            }
            ("shuffle_down", Some(by)) if text.starts_with("sub") => of_lane(lane.wrapping_add(by)),
            _ => self.any(ty),
        }
    }
}

/// The name of what is done, without whom it is done by.
fn done_by(name: &str) -> &str {
    name.rsplit("group_").next().unwrap_or(name).trim_start_matches("non_uniform_")
}

/// The results of a scan, for all threads in order. None: it is none.
fn scanned(name: &str, parts: &[Part], ty: Ty) -> Option<Vec<Val>> {
    let scan = done_by(name).strip_prefix("scan_")?;
    let inclusive = scan.strip_prefix("inclusive_");
    let op = inclusive.or_else(|| scan.strip_prefix("exclusive_"))?;
    let mut before = identity(op, ty)?;
    let mut results = Vec::with_capacity(parts.len());
    for (number, part) in parts.iter().enumerate() {
        let own = part.arguments.first()?;
        let with = if number == 0 { reduced(op, &[own], ty) } else { reduced(op, &[&before, own], ty) }?;
        results.push(if inclusive.is_some() { with.clone() } else { before });
        before = with;
    }
    Some(results)
}

/// What a scan gives to the first thread, before any value.
fn identity(op: &str, ty: Ty) -> Option<Val> {
    let is_float = ty.as_float().is_some();
    let number = |integer: i128, float: f64| {
        if is_float { Val::float(float) } else { Val::Int(wrap(integer, ty)) }
    };
    let bits = match ty.kind() {
        TyKind::Integer(integer) => integer.bits() - u32::from(integer.signed()),
        _ => 1,
    };
    // Of 128 bits there are values beyond what is computed with.
    let most = if bits < 127 { (1i128 << bits) - 1 } else { i128::MAX };
    let least = if ty.as_integer().is_some_and(|integer| integer.signed()) { -most - 1 } else { 0 };
    Some(match op {
        "add" | "or" | "xor" | "logical_or" | "logical_xor" => number(0, 0.0),
        "mul" | "logical_and" => number(1, 1.0),
        "and" => number(-1, 0.0),
        "min" => number(most, f64::INFINITY),
        "max" => number(least, f64::NEG_INFINITY),
        _ => return None,
    })
}

fn reduced(op: &str, values: &[&Val], ty: Ty) -> Option<Val> {
    let of = |op| move |a: Val, b: &&Val| binary(op, &a, b, ty);
    let pick = |op| {
        move |a: Val, b: &&Val| {
            let first = compare(op, &a, b, ty, Ty::BOOL);
            select(&first, &a, b, ty)
        }
    };
    let (first, rest) = values.split_first()?;
    let first = (*first).clone();
    Some(match op {
        "add" => rest.iter().fold(first, of(Arithmetic::Add)),
        "mul" => rest.iter().fold(first, of(Arithmetic::Mul)),
        "and" => rest.iter().fold(first, of(Arithmetic::And)),
        "or" => rest.iter().fold(first, of(Arithmetic::Or)),
        "xor" => rest.iter().fold(first, of(Arithmetic::Xor)),
        "min" => rest.iter().fold(first, pick(Comparison::Less)),
        "max" => rest.iter().fold(first, pick(Comparison::Greater)),
        _ if values.iter().any(|it| **it == Val::Undefined) => Val::Undefined,
        "logical_and" => Val::Int(wrap(values.iter().all(|it| number(it) != 0).into(), ty)),
        "logical_or" => Val::Int(wrap(values.iter().any(|it| number(it) != 0).into(), ty)),
        "logical_xor" => Val::Int(wrap((values.iter().filter(|it| number(it) != 0).count() as i128) & 1, ty)),
        _ => return None,
    })
}
