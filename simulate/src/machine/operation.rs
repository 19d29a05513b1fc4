//! Computes the result of one operation.

use smallvec::SmallVec;
use tangle_ir::flow::{Function, Op, Token, ValueId};

use super::{Machine, Next};
use crate::memory::{Object, size};
use crate::observer::Observer;
use crate::races::AccessKind;
use crate::value::{self, Value};

impl<'p, O: Observer> Machine<'p, O> {
    pub(super) fn operation(&mut self, thread: usize, function: &'p Function, value: ValueId) -> Next {
        let data = &function.values[value];
        let ty = data.ty;
        let of = |value: &ValueId| function.values[*value].ty;
        let values = &self.frame(thread).values;
        let get = |value: &ValueId| &values[value.index()];
        let offset = || self.program.functions[self.frame(thread).function].offsets[value.index()];
        let result = match &data.op {
            Op::Call(call) => return self.call(thread, function, value, call),
            Op::Unary { op, operand } => value::unary(*op, get(operand), ty),
            Op::Binary { op, left, right } => value::binary(*op, get(left), get(right), ty),
            Op::Compare { op, left, right } => value::compare(*op, get(left), get(right), of(left), ty),
            Op::Convert { conversion, operand } => value::convert(*conversion, get(operand), of(operand), ty),
            Op::Select { condition, then, otherwise } => {
                value::select(get(condition), get(then), get(otherwise), ty)
            }
            Op::Extract { vector, lane } => match (get(vector), get(lane)) {
                (Value::Vector(lanes), Value::Int(lane)) => usize::try_from(*lane)
                    .ok()
                    .and_then(|lane| lanes.get(lane).cloned())
                    .unwrap_or(Value::Undefined),
                _ => Value::Undefined,
            },
            Op::Insert { vector, lane, value } => {
                let mut lanes = get(vector).lanes(ty.lanes().map_or(1, |(_, lanes)| lanes.into()));
                match get(lane).as_int().and_then(|lane| usize::try_from(lane).ok()) {
                    Some(lane) if lane < lanes.len() => {
                        lanes[lane] = get(value).clone();
                        Value::Vector(lanes.into())
                    }
                    _ => Value::Undefined,
                }
            }
            Op::Shuffle { left, right, lanes } => {
                let count = of(left).lanes().map_or(1, |(_, lanes)| lanes.into());
                let mut all = get(left).lanes(count);
                all.extend(get(right).lanes(count));
                let lane = |lane: &Option<u8>| lane.and_then(|lane| all.get(usize::from(lane)).cloned());
                let mut lanes = lanes.iter().map(|it| lane(it).unwrap_or(Value::Undefined));
                match ty.as_vector() {
                    Some(_) => Value::Vector(lanes.collect()),
                    None => lanes.next().unwrap_or(Value::Undefined),
                }
            }
            Op::Element { base, index, .. } => match (get(base), get(index)) {
                (Value::Pointer(pointer), Value::Int(index)) => {
                    Value::Pointer(pointer.plus((*index as i64).wrapping_mul(offset())))
                }
                _ => Value::Undefined,
            },
            Op::Field { base, .. } => match get(base) {
                Value::Pointer(pointer) => Value::Pointer(pointer.plus(offset())),
                _ => Value::Undefined,
            },
            Op::Unknown { what, operands } => {
                let operands: SmallVec<[Value; 4]> = operands.iter().map(|it| get(it).clone()).collect();
                self.unknown((value, function.is_same_number(value)), *what, &operands, ty)
            }
            Op::Load { address, .. } => {
                let address = get(address).clone();
                self.load(thread, &address, ty, AccessKind::Plain)
            }
            Op::Store { address, value, .. } => {
                let (address, of, value) = (get(address).clone(), of(value), get(value).clone());
                self.store(thread, &address, &value, of, AccessKind::Plain);
                Value::Undefined
            }
            Op::Copy { to, from, ty } => {
                let (to, from) = (get(to).clone(), get(from).clone());
                self.copy(thread, &to, &from, size(*ty), AccessKind::Plain);
                Value::Undefined
            }
            Op::Clear { address, ty } => {
                let address = get(address).clone();
                if self.charge(thread, size(*ty) / 64) {
                    let clear = |object: &mut Object, offset| object.clear(offset, *ty);
                    self.access(thread, &address, size(*ty), (true, AccessKind::Plain), clear);
                }
                Value::Undefined
            }
            // Threads that entered the function together have converged instances of `entry`.
            Op::Token(Token::Entry) => Value::Token(self.frame(thread).activation),
            Op::Token(Token::Anchor | Token::Loop(_)) => {
                let key = self.instance(thread, value);
                self.settle_keys(thread);
                Value::Token(key)
            }
            // Phis are assigned on the edge to their block. The others are in no block of a graph that satisfies the
            // rules.
            Op::Phi(_)
            | Op::Get(_)
            | Op::Set(..)
            | Op::Parameter(_)
            | Op::Constant(_)
            | Op::Slot(_)
            | Op::Global(_)
            | Op::Function(_)
            | Op::String(_) => get(&value).clone(),
        };
        if self.observer.wants_values() {
            let key = match (&data.op, &result) {
                (Op::Token(Token::Anchor | Token::Loop(_)), Value::Token(key)) => *key,
                _ => self.instance(thread, value),
            };
            self.done(thread, value, key, result);
        } else {
            self.set(thread, value, result);
        }
        Next::On
    }
}
