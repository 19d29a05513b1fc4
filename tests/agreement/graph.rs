//! What threads of a lowered kernel do, by its tokens alone.

use std::collections::HashMap;

use tangle::flow::{BlockId, Callee, Function, Op, Terminator, Token, ValueId};
use tangle::hir::typed::{Arithmetic, Comparison, Constant};

/// Which dynamic instance of a token it is, up to convergence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub usize);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Made {
    Entry,
    /// The heart, what its parent made, and how often the thread has executed it since.
    Heart(ValueId, Key, u32),
    /// Whoever the implementation wants.
    Anchor(ValueId),
}

#[derive(Default)]
pub struct Keys {
    known: HashMap<Made, Key>,
    made: Vec<Made>,
}

impl Keys {
    fn of(&mut self, made: Made) -> Key {
        let next = Key(self.made.len());
        *self.known.entry(made.clone()).or_insert_with(|| {
            self.made.push(made);
            next
        })
    }

    /// The tokens on which one hangs, itself first.
    pub fn chain(&self, key: Key) -> Vec<&Made> {
        let next = |made: &&Made| match made {
            Made::Heart(_, parent, _) => Some(&self.made[parent.0]),
            _ => None,
        };
        std::iter::successors(Some(&self.made[key.0]), |it| next(it)).collect()
    }
}

/// An operation of a thread: its number, its call, and what its token made.
pub struct Done {
    pub op: u32,
    pub call: ValueId,
    pub key: Key,
}

/// The operations that a thread executes, in order, and at most so many steps.
pub fn run(function: &Function, keys: &mut Keys, thread: u32, steps: usize) -> Vec<Done> {
    let mut values: HashMap<ValueId, u64> = HashMap::new();
    let mut tokens: HashMap<ValueId, Key> = HashMap::new();
    let mut counts: HashMap<(ValueId, Key), u32> = HashMap::new();
    let mut done = Vec::new();
    let mut block = Function::ENTRY;
    let mut from: Option<BlockId> = None;
    let mut left = steps;
    loop {
        let phis: Vec<(ValueId, u64)> = function.blocks[block]
            .values
            .iter()
            .map_while(|&value| match &function.values[value].op {
                Op::Phi(incoming) => {
                    let operand = incoming.iter().find(|(block, _)| Some(*block) == from).expect("a way").1;
                    Some((value, get(function, &values, operand)))
                }
                _ => None,
            })
            .collect();
        values.extend(phis);
        for &value in &function.blocks[block].values {
            let Some(rest) = left.checked_sub(1) else { return done };
            left = rest;
            let data = &function.values[value];
            let of = |value: ValueId| get(function, &values, value);
            let result = match &data.op {
                Op::Phi(_) => continue,
                Op::Token(token) => {
                    let made = match token {
                        Token::Entry => Made::Entry,
                        Token::Anchor => Made::Anchor(value),
                        Token::Loop(parent) => {
                            let parent = tokens[parent];
                            let count = counts.entry((value, parent)).or_insert(0);
                            *count += 1;
                            Made::Heart(value, parent, *count)
                        }
                    };
                    tokens.insert(value, keys.of(made));
                    continue;
                }
                Op::Call(call) => match &call.callee {
                    Callee::Builtin { name, .. } if name.as_str() == "get_local_id" => u64::from(thread),
                    _ => {
                        let op = of(call.arguments[0].0) as u32;
                        let token = call.token.expect("every convergent call has a token");
                        done.push(Done { op, call: value, key: tokens[&token] });
                        0
                    }
                },
                Op::Binary { op, left, right } => {
                    let (a, b) = (of(*left), of(*right));
                    match op {
                        Arithmetic::Add => a.wrapping_add(b),
                        Arithmetic::Mul => a.wrapping_mul(b),
                        Arithmetic::Rem => a % b,
                        Arithmetic::Shr => a >> b,
                        Arithmetic::And => a & b,
                        other => panic!("{other:?} is not in a program"),
                    }
                }
                Op::Compare { op, left, right } => {
                    let (a, b) = (of(*left), of(*right));
                    u64::from(match op {
                        Comparison::Less => a < b,
                        Comparison::Equal => a == b,
                        Comparison::NotEqual => a != b,
                        other => panic!("{other:?} is not in a program"),
                    })
                }
                Op::Convert { operand, .. } => of(*operand),
                other => panic!("{other:?} is not in a program"),
            };
            let bits = data.ty.as_integer().map_or(1, |integer| integer.bits());
            values.insert(value, if bits < 64 { result & ((1 << bits) - 1) } else { result });
        }
        let of = |value: ValueId| get(function, &values, value);
        let next = match &function.blocks[block].terminator {
            Terminator::Jump(target) => *target,
            Terminator::Branch { condition, then, otherwise } => {
                if of(*condition) != 0 {
                    *then
                } else {
                    *otherwise
                }
            }
            Terminator::Switch { value, cases, otherwise } => {
                let value = i128::from(of(*value));
                let case = cases.iter().find(|(low, high, _)| (*low..=*high).contains(&value));
                case.map_or(*otherwise, |case| case.2)
            }
            Terminator::Return(_) => return done,
            Terminator::Unreachable => panic!("an unreachable place is reached"),
        };
        let Some(rest) = left.checked_sub(1) else { return done };
        left = rest;
        (from, block) = (Some(block), next);
    }
}

fn get(function: &Function, values: &HashMap<ValueId, u64>, value: ValueId) -> u64 {
    match &function.values[value].op {
        Op::Constant(Constant::Integer(number)) => *number as u64,
        Op::Constant(Constant::Zero | Constant::Undefined) => 0,
        _ => values[&value],
    }
}
