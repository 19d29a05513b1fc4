//! Computes the results of convergent builtins, for the threads that execute them together.
//!
//! A result that is the same for all threads is computed once, and also given to threads that arrive late. A result
//! that depends on the thread (scans, shuffles) is computed for each thread. If the executor does not model an
//! operation and the language calls its result uniform, the result is a number that depends on the threads and their
//! arguments. Otherwise it is a random number.

use tangle_base::Symbol;
use tangle_ir::AddressSpace;
use tangle_ir::flow::{Op, ValueId};
use tangle_ir::types::{Ty, TyKind};
use tangle_ir::value::{Arithmetic, Comparison};

use crate::builtin::argument_types;
use crate::keys::Key;
use crate::language::ResultUniformity;
use crate::machine::{Machine, Participants};
use crate::mask::{mask, tile_size};
use crate::memory::size;
use crate::observer::Observer;
use crate::operation::{Argument, Collective, CollectiveOp, Combination, Lane, Operation, Outside};
use crate::program::ResolvedCallee;
use crate::races::AccessKind;
use crate::value::{Value, binary, compare, hash_of, number, select, small, splat, wrap};

/// The contribution of one thread to a collective operation.
struct Contribution {
    thread: usize,
    lane: usize,
    arguments: Vec<Value>,
}

/// The result of a shuffle for one thread.
enum Shuffled {
    Value(Value),
    /// The lane takes no part.
    Unread,
    /// Any number: the executor does not model the operation.
    Arbitrary,
}

impl<O: Observer> Machine<'_, O> {
    /// The results of one call for threads with converged instances of it, in the order of the threads.
    pub fn collective(&mut self, key: Key, group: usize, threads: &[usize], value: ValueId) -> Vec<Value> {
        let frame = self.frame(threads[0]);
        let function = self.function(frame);
        let data = &function.values[value];
        let (Op::Call(call), ResolvedCallee::Builtin(name, Some(builtin))) =
            (&data.op, self.prepared(frame).calls[&value])
        else {
            unreachable!("threads wait only at builtins of the language")
        };
        let types = argument_types(function, call);
        let parts: Vec<Contribution> = threads
            .iter()
            .map(|&thread| Contribution {
                thread,
                lane: self.threads[thread].place.lane,
                arguments: call.arguments.iter().map(|(it, _)| self.get(thread, *it).clone()).collect(),
            })
            .collect();
        if let Operation::AsyncCopy { strided } = builtin.operation {
            self.begin_copy(threads);
            self.copy_together(strided, &parts[0], &types);
        }
        // Threads with other masks, or of other tiles, take part apart.
        let mask = builtin.names.and_then(|names| names.mask);
        let set = |part: &Contribution| {
            (tile_of(builtin.operation, part), mask.and_then(|mask| part.argument(mask)).cloned())
        };
        let mut rest: Vec<&Contribution> = parts.iter().collect();
        while let Some(first) = rest.first().map(|part| set(part)) {
            let (together, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|part| set(part) == first);
            let threads: Vec<usize> = together.iter().map(|part| part.thread).collect();
            self.order_together(&threads, builtin, &together[0].arguments);
            rest = others;
        }
        let Operation::Collective(collective) = builtin.operation else {
            if builtin.gives != ResultUniformity::Uniform {
                return threads.iter().map(|_| self.any(data.ty)).collect();
            }
            let given = self.result_once((key, group, Participants::default()), |machine| {
                machine.arbitrary(name, &parts, data.ty, (key, group))
            });
            return vec![given; threads.len()];
        };
        let mut results = vec![Value::Undefined; threads.len()];
        let mut rest: Vec<usize> = (0..threads.len()).collect();
        while let Some(&first) = rest.first() {
            let of = |part| Participants {
                mask: mask_of(collective, part),
                tile: tile_of(builtin.operation, part),
            };
            let chosen = of(&parts[first]);
            let (same, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|&at| of(&parts[at]) == chosen);
            let together: Vec<&Contribution> = same.iter().map(|&at| &parts[at]).collect();
            let given = self.results_together(collective, &together, data.ty, (key, group, chosen));
            same.into_iter().zip(given).for_each(|(at, given)| results[at] = given);
            rest = others;
        }
        results
    }

    /// The results for threads that take part together, in the order of the threads.
    fn results_together(
        &mut self,
        collective: Collective,
        parts: &[&Contribution],
        ty: Ty,
        instance: (Key, usize, Participants),
    ) -> Vec<Value> {
        let first = instance.2.tile.unwrap_or(0);
        match collective.op {
            CollectiveOp::Scan { combination, inclusive } => {
                let results = scanned((combination, inclusive), collective.value, parts, ty);
                results.unwrap_or_else(|| parts.iter().map(|_| self.any(ty)).collect())
            }
            CollectiveOp::Elect => {
                parts.iter().map(|part| Value::Int((part.thread == parts[0].thread).into())).collect()
            }
            CollectiveOp::MatchAny => {
                parts.iter().map(|part| matching(collective.value, part, (parts, first), ty)).collect()
            }
            CollectiveOp::MatchAll => self.match_all(collective.value, parts, ty),
            CollectiveOp::Shuffle { from, by, outside } => {
                let shuffled = |part| self.shuffled((from, by, outside), collective, part, parts);
                let results: Vec<Shuffled> = parts.iter().map(|part| shuffled(part)).collect();
                if let Outside::Segments { size } = outside {
                    let lanes = 1..=self.grid.sub_group() as i128;
                    let is_invalid = |part: &&&Contribution| match part.argument(size) {
                        Some(Value::Int(size)) => !lanes.contains(size) || size.count_ones() != 1,
                        _ => false,
                    };
                    self.invalid_width.extend(parts.iter().filter(is_invalid).map(|part| part.thread));
                }
                let given = |(part, result): (&&Contribution, Shuffled)| match result {
                    Shuffled::Value(value) => value,
                    Shuffled::Unread => {
                        self.unread.push(part.thread);
                        self.unread_value(ty)
                    }
                    Shuffled::Arbitrary => self.any(ty),
                };
                parts.iter().zip(results).map(given).collect()
            }
            _ => {
                let given =
                    self.result_once(instance, |machine| machine.shared(collective, (parts, first), ty));
                vec![given; parts.len()]
            }
        }
    }

    /// One result for all threads. Threads that arrive late get the same result; this happens only in lenient launches.
    fn result_once(
        &mut self,
        instance: (Key, usize, Participants),
        compute: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        if let Some(known) = self.given.get(&instance) {
            return known.clone();
        }
        let given = compute(self);
        if self.launch.lenient {
            self.given.insert(instance, given.clone());
        }
        given
    }

    /// Executes one copy for all threads, with the arguments of the first one. A stride counts in the memory that is
    /// not `local`.
    fn copy_together(&mut self, strided: bool, part: &Contribution, types: &[Ty]) {
        let [to, from, Value::Int(count), rest @ ..] = &part.arguments[..] else { return };
        let Some(pointer) = types.first().and_then(|ty| ty.as_pointer()) else { return };
        let (step, count) = (size(pointer.pointee), u64::try_from(*count).unwrap_or(0));
        if !strided {
            return self.copy(part.thread, to, from, step.saturating_mul(count), AccessKind::Together);
        }
        let (Some(to), Some(from), Some(Value::Int(stride))) =
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
            self.copy(part.thread, &Value::Pointer(to), &Value::Pointer(from), step, AccessKind::Together);
        }
    }

    /// The result of an operation that the executor does not model: a number that depends on the threads and their
    /// arguments.
    fn arbitrary(&mut self, name: Symbol, parts: &[Contribution], ty: Ty, seed: (Key, usize)) -> Value {
        let mut firsts = parts.iter().filter_map(|part| part.arguments.first()).peekable();
        if firsts.peek().is_none() {
            return self.any(ty);
        }
        if firsts.any(|it| *it == Value::Undefined) {
            return Value::Undefined;
        }
        let arguments: Vec<&Vec<Value>> = parts.iter().map(|part| &part.arguments).collect();
        small(ty, hash_of(&(name.as_str(), arguments, seed)))
    }

    /// The one result of an operation that gives all threads the same result. `first`: bit 0 of a mask is this lane.
    fn shared(
        &mut self,
        Collective { op, value, .. }: Collective,
        (parts, first): (&[&Contribution], usize),
        ty: Ty,
    ) -> Value {
        if op == CollectiveOp::Active {
            return lanes_of(parts.iter(), first, ty);
        }
        let values: Vec<&Value> = parts.iter().filter_map(|part| part.argument(value)).collect();
        let holds = |value: &&Value| number(value) != 0;
        if values.is_empty() {
            return self.any(ty);
        }
        if values.iter().any(|it| **it == Value::Undefined) {
            return Value::Undefined;
        }
        match op {
            CollectiveOp::All => Value::Int(values.iter().all(holds).into()),
            CollectiveOp::Any => Value::Int(values.iter().any(holds).into()),
            CollectiveOp::AllEqual => Value::Int(values.iter().all(|it| it.may_equal(values[0])).into()),
            CollectiveOp::BroadcastFirst => values[0].clone(),
            CollectiveOp::BroadcastLane | CollectiveOp::BroadcastThread => {
                let wanted = parts[0].arguments.get(usize::from(value) + 1..).unwrap_or_default();
                if wanted.contains(&Value::Undefined) {
                    return Value::Undefined;
                }
                let is_meant = |part: &&&Contribution| {
                    let place = &self.threads[part.thread].place;
                    let ids = match op {
                        CollectiveOp::BroadcastThread => &place.local[..],
                        _ => std::slice::from_ref(&place.lane),
                    };
                    wanted.iter().zip(ids).all(|(wanted, &id)| number(wanted) == id as i128)
                };
                let meant = parts.iter().find(is_meant);
                match meant.and_then(|part| part.argument(value)) {
                    Some(read) => read.clone(),
                    None => {
                        self.unread.extend(parts.iter().map(|part| part.thread));
                        self.unread_value(ty)
                    }
                }
            }
            CollectiveOp::Count => Value::Int(values.iter().filter(|it| holds(it)).count() as i128),
            CollectiveOp::Ballot => {
                let set = parts.iter().filter(|part| part.argument(value).is_some_and(|it| holds(&it)));
                lanes_of(set, first, ty)
            }
            CollectiveOp::Reduce(combination) => {
                combined(combination, &values, ty).unwrap_or_else(|| self.any(ty))
            }
            CollectiveOp::Active
            | CollectiveOp::Elect
            | CollectiveOp::MatchAny
            | CollectiveOp::MatchAll
            | CollectiveOp::Scan { .. }
            | CollectiveOp::Shuffle { .. } => unreachable!("each thread has its own result"),
        }
    }

    /// The result of `MatchAll` for each thread. Also writes whether the values are equal.
    fn match_all(&mut self, value: Argument, parts: &[&Contribution], ty: Ty) -> Vec<Value> {
        let first = parts[0].argument(value);
        let is_known =
            parts.iter().all(|part| part.argument(value).is_some_and(|it| *it != Value::Undefined));
        let is_equal = parts.iter().all(|part| part.argument(value) == first);
        let (mask, equal) = match is_known {
            true if is_equal => (lanes_of(parts.iter(), 0, ty), Value::Int(1)),
            true => (Value::Int(0), Value::Int(0)),
            false => (Value::Undefined, Value::Undefined),
        };
        for part in parts {
            if let Some(address) = part.argument(value + 1) {
                self.store(part.thread, address, &equal, Ty::INT, AccessKind::Plain);
            }
        }
        vec![mask; parts.len()]
    }

    /// The value that a thread gets that reads from a lane that takes no part.
    fn unread_value(&self, ty: Ty) -> Value {
        self.launch.unread.map_or(Value::Undefined, |number| splat(number, ty))
    }

    /// The value that a thread reads from another lane.
    fn shuffled(
        &self,
        (from, by, outside): (Lane, Argument, Outside),
        Collective { value, mask, .. }: Collective,
        part: &Contribution,
        parts: &[&Contribution],
    ) -> Shuffled {
        let undefined = Shuffled::Value(Value::Undefined);
        let of_lane = |lane: i128| {
            let part = parts.iter().find(|part| part.lane as i128 == lane);
            let read = part.and_then(|part| part.argument(value)).cloned();
            read.map_or(Shuffled::Unread, Shuffled::Value)
        };
        let by = match part.argument(by) {
            Some(Value::Int(by)) => *by,
            // The lane is undefined.
            Some(Value::Undefined) => return undefined,
            Some(_) | None => return Shuffled::Arbitrary,
        };
        if outside == Outside::Ranked {
            let mask = match mask.and_then(|mask| part.argument(mask)) {
                Some(Value::Int(mask)) => *mask,
                Some(_) => return undefined,
                None => return Shuffled::Arbitrary,
            };
            let lane = u32::try_from(part.lane).ok();
            return match lane.and_then(|lane| from.ranked(mask as u64, lane, by)) {
                Some(Some(lane)) => of_lane(lane.into()),
                Some(None) => undefined,
                None => Shuffled::Arbitrary,
            };
        }
        let (lane, place) = (part.lane as i128, &self.threads[part.thread].place);
        let other = match from {
            Lane::Absolute => by,
            Lane::Xor => lane ^ by,
            Lane::Up => lane.wrapping_sub(by),
            Lane::Down => lane.wrapping_add(by),
            Lane::Rotate => lane.wrapping_add(by).rem_euclid(self.grid.of_sub_group(place) as i128),
            Lane::Any => return Shuffled::Arbitrary,
        };
        let Outside::Segments { size } = outside else { return of_lane(other) };
        let size = match part.argument(size) {
            None => self.grid.sub_group() as i128,
            Some(Value::Int(size)) if *size > 0 && size.count_ones() == 1 => *size,
            Some(_) => return undefined,
        };
        let first = lane - lane % size;
        of_lane(match from {
            Lane::Absolute => first + other.rem_euclid(size),
            Lane::Up if other < first => lane,
            Lane::Down | Lane::Xor if other >= first + size => lane,
            _ => other,
        })
    }
}

/// The mask of the lanes of some threads, counted from a lane before them, as a value of the given type.
fn lanes_of<'a>(parts: impl Iterator<Item = &'a &'a Contribution>, first: usize, ty: Ty) -> Value {
    let bits = parts.fold(0, |bits, part| bits | 1u128 << (part.lane - first));
    if ty.as_vector().is_some() { mask(bits) } else { Value::Int(wrap(bits as i128, ty)) }
}

/// The mask of the threads with the value of one thread.
fn matching(
    value: Argument,
    part: &Contribution,
    (parts, first): (&[&Contribution], usize),
    ty: Ty,
) -> Value {
    let own = part.argument(value);
    if parts.iter().any(|other| other.argument(value).is_none_or(|it| *it == Value::Undefined)) {
        return Value::Undefined;
    }
    lanes_of(parts.iter().filter(|other| other.argument(value) == own), first, ty)
}

impl Contribution {
    fn argument(&self, number: Argument) -> Option<&Value> {
        self.arguments.get(usize::from(number))
    }
}

/// The mask of the threads that take part together with a thread. `None`: all threads that execute the call together.
fn mask_of(collective: Collective, part: &Contribution) -> Option<i128> {
    part.argument(collective.mask?).and_then(Value::as_int)
}

/// The first lane of the tile of a thread, for an operation whose tiles take part separately. `None`: no tiles, or the
/// size of a tile is not known.
fn tile_of(operation: Operation, part: &Contribution) -> Option<usize> {
    let tile = match operation {
        Operation::Barrier(barrier) => barrier.tile,
        Operation::Collective(collective) => collective.tile,
        _ => None,
    };
    let size = tile_size(part.argument(tile?)?)?;
    Some(part.lane - part.lane % size)
}

/// The results of a scan, in the order of the threads. `None` if the scan does not exist for this type.
fn scanned(
    (combination, inclusive): (Combination, bool),
    value: Argument,
    parts: &[&Contribution],
    ty: Ty,
) -> Option<Vec<Value>> {
    let mut before = identity(combination, ty);
    let mut results = Vec::with_capacity(parts.len());
    for (number, part) in parts.iter().enumerate() {
        let own = part.argument(value)?;
        let values = if number == 0 { &[own][..] } else { &[&before, own] };
        let with = combined(combination, values, ty)?;
        results.push(if inclusive { with.clone() } else { before });
        before = with;
    }
    Some(results)
}

/// The identity of a combination: the result of an exclusive scan for the first thread.
fn identity(combination: Combination, ty: Ty) -> Value {
    let is_float = ty.as_float().is_some();
    let number = |integer: i128, float: f64| {
        if is_float { Value::float(float) } else { Value::Int(wrap(integer, ty)) }
    };
    let bits = match ty.kind() {
        TyKind::Integer(integer) => integer.bits() - u32::from(integer.signed()),
        _ => 1,
    };
    // Values are computed in 128 bits, which do not hold all unsigned integers of 128 bits.
    let most = if bits < 127 { (1i128 << bits) - 1 } else { i128::MAX };
    let least = if ty.as_integer().is_some_and(|integer| integer.signed()) { -most - 1 } else { 0 };
    match combination {
        Combination::Add
        | Combination::Or
        | Combination::Xor
        | Combination::LogicalOr
        | Combination::LogicalXor => number(0, 0.0),
        Combination::Mul | Combination::LogicalAnd => number(1, 1.0),
        Combination::And => number(-1, 0.0),
        Combination::Min => number(most, f64::INFINITY),
        Combination::Max => number(least, f64::NEG_INFINITY),
    }
}

/// Combines several values. `None` if the combination does not exist for this type.
fn combined(combination: Combination, values: &[&Value], ty: Ty) -> Option<Value> {
    let of = |op| move |a: Value, b: &&Value| binary(op, &a, b, ty);
    let pick = |op| {
        move |a: Value, b: &&Value| {
            let first = compare(op, &a, b, ty, Ty::BOOL);
            select(&first, &a, b, ty)
        }
    };
    let (first, rest) = values.split_first()?;
    let first = (*first).clone();
    Some(match combination {
        Combination::Add => rest.iter().fold(first, of(Arithmetic::Add)),
        Combination::Mul => rest.iter().fold(first, of(Arithmetic::Mul)),
        Combination::And => rest.iter().fold(first, of(Arithmetic::And)),
        Combination::Or => rest.iter().fold(first, of(Arithmetic::Or)),
        Combination::Xor => rest.iter().fold(first, of(Arithmetic::Xor)),
        Combination::Min => rest.iter().fold(first, pick(Comparison::Less)),
        Combination::Max => rest.iter().fold(first, pick(Comparison::Greater)),
        _ if values.iter().any(|it| **it == Value::Undefined) => Value::Undefined,
        Combination::LogicalAnd => Value::Int(wrap(values.iter().all(|it| number(it) != 0).into(), ty)),
        Combination::LogicalOr => Value::Int(wrap(values.iter().any(|it| number(it) != 0).into(), ty)),
        Combination::LogicalXor => {
            Value::Int(wrap((values.iter().filter(|it| number(it) != 0).count() as i128) & 1, ty))
        }
    })
}
