//! What convergent builtins give to the threads that execute them together.
//!
//! Results that the table calls uniform are computed once, and are given to those who come late, too. Those that depend on the
//! thread (scans, shuffles) are computed for each. What is not written out here is, if uniform, some number that depends on the
//! threads and their arguments, and dice if divergent.

use tangle::dialect::Outcome;
use tangle::flow::{Callee, Op, ValueId};
use tangle::hir::types::Ty;
use tangle_grammar::symbol::Symbol;

use crate::keys::Key;
use crate::machine::Machine;
use crate::value::{Val, binary, compare, mixed, number, select, small, wrap};
use tangle::hir::typed::{Arithmetic, Comparison};

/// One thread's part in a collective.
struct Part {
    thread: usize,
    lane: usize,
    arguments: Vec<Val>,
}

impl Machine<'_> {
    /// The results for threads with converged instances of one call, in order.
    pub fn collective(&mut self, key: Key, group: usize, threads: &[usize], value: ValueId) -> Vec<Val> {
        let frame = self.threads[threads[0]].frames.last().expect("it waits");
        let function = self.function(frame);
        let data = &function.values[value];
        let Op::Call(call) = &data.op else { panic!("only calls are convergent") };
        let (Callee::Builtin { name, .. } | Callee::Compiler { name, .. }) = &call.callee else {
            panic!("functions of the module wait for nobody")
        };
        let types: Vec<Ty> = call.arguments.iter().map(|(it, _)| function.values[*it].ty).collect();
        let parts: Vec<Part> = threads
            .iter()
            .map(|&thread| Part {
                thread,
                lane: self.threads[thread].place.lane,
                arguments: call.arguments.iter().map(|(it, _)| self.get(thread, *it)).collect(),
            })
            .collect();
        let row = self.builtins.get(*name);
        let uniform = matches!(
            row.and_then(|row| row.result),
            Some(Outcome::UniformInWorkgroup | Outcome::UniformInSubgroup)
        );
        if name.as_str().starts_with("async_work_group_") {
            self.copy_together(&parts[0], &types);
        }
        if !uniform {
            return parts.iter().map(|part| self.own(*name, part, &parts, data.ty)).collect();
        }
        let given = match self.given.get(&(key, group)) {
            Some(given) => given.clone(),
            None => self.shared(*name, &parts, data.ty, (key, group)),
        };
        self.given.insert((key, group), given.clone());
        vec![given; threads.len()]
    }

    /// One copy for all, of as many elements as the first thread says.
    fn copy_together(&mut self, part: &Part, types: &[Ty]) {
        let [to, from, Val::Int(count), ..] = &part.arguments[..] else { return };
        let Some(pointer) = types[0].as_pointer() else { return };
        let bytes = crate::memory::size(pointer.pointee) * usize::try_from(*count).unwrap_or(0).min(256);
        self.copy(part.thread, to, from, bytes);
    }

    fn shared(&mut self, name: Symbol, parts: &[Part], ty: Ty, seed: (Key, usize)) -> Val {
        let text = name.as_str();
        let firsts: Vec<&Val> = parts.iter().filter_map(|part| part.arguments.first()).collect();
        let holds = |value: &&Val| number(value) != 0;
        if firsts.iter().any(|it| **it == Val::Undefined) {
            return Val::Undefined;
        }
        let end = text.rsplit("group_").next().unwrap_or(text).trim_start_matches("non_uniform_");
        match end {
            "all" => Val::Int(firsts.iter().all(holds).into()),
            "any" => Val::Int(firsts.iter().any(holds).into()),
            "all_equal" => Val::Int(firsts.iter().all(|it| it.agrees(firsts[0])).into()),
            "broadcast_first" => firsts[0].clone(),
            "broadcast" => {
                let wanted = &parts[0].arguments[1..];
                let is_meant = |part: &&Part| self.is_at(part, text.starts_with("work"), wanted);
                parts.iter().find(is_meant).unwrap_or(&parts[0]).arguments[0].clone()
            }
            "ballot" => {
                let bit = |part: &Part| u32::from(number(&part.arguments[0]) != 0) << part.lane;
                let bits: u32 = parts.iter().map(bit).sum();
                let lanes = [i128::from(bits), 0, 0, 0].map(Val::Int);
                if ty.as_vector().is_some() { Val::Vector(lanes.into()) } else { lanes[0].clone() }
            }
            _ => match end.strip_prefix("reduce_") {
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
    fn own(&mut self, name: Symbol, part: &Part, parts: &[Part], ty: Ty) -> Val {
        let text = name.as_str();
        let end = text.rsplit("group_").next().unwrap_or(text).trim_start_matches("non_uniform_");
        let of_lane = |lane: i128| {
            let it = parts.iter().find(|part| part.lane as i128 == lane);
            it.map_or(Val::Undefined, |part| part.arguments[0].clone())
        };
        let lane = part.lane as i128;
        let by = part.arguments.get(1).and_then(Val::as_int);
        match (end, by) {
            ("elect", _) => Val::Int((part.thread == parts[0].thread).into()),
            ("shuffle", Some(by)) => of_lane(by),
            ("shuffle_xor", Some(by)) => of_lane(lane ^ by),
            ("shuffle_up", Some(by)) if text.starts_with("sub") => of_lane(lane - by),
            ("shuffle_down", Some(by)) if text.starts_with("sub") => of_lane(lane + by),
            _ => {
                let scan = end.strip_prefix("scan_inclusive_");
                let before = parts.iter().take_while(|it| it.thread <= part.thread);
                let values: Vec<&Val> = before.filter_map(|part| part.arguments.first()).collect();
                match scan.and_then(|op| reduced(op, &values, ty)) {
                    Some(value) => value,
                    None => self.any(ty),
                }
            }
        }
    }
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
        "logical_and" => Val::Int(wrap(values.iter().all(|it| number(it) != 0).into(), ty)),
        "logical_or" => Val::Int(wrap(values.iter().any(|it| number(it) != 0).into(), ty)),
        _ => return None,
    })
}
