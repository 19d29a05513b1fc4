//! Functions whose result is a multiple of one of their parameters.
//!
//! ```c
//! int pad(int n, int to) { return (n + to - 1) / to * to; }   // a multiple of `to`
//! int cut(int n, int to) { return n - n % to; }               // a multiple of `to`
//! int up(int n, int to) { return n % to == 0 ? n : n + to - n % to; }
//! int align(int n, int to) { return (n + to - 1) & ~(to - 1); } // a multiple of `to` if that is a power of two
//! ```
//!
//! If a caller passes the size of a work-group for `to`, the size divides the result. A loop up to the result that
//! steps by the size then takes the same number of iterations in each thread (`ids`).
//!
//! **Algorithm**: the search starts at each returned value and visits its operands, at most [`MOST_STEPS`] values. A
//! phi is a multiple if all its operands are; a cycle of phis adds nothing. As in `ids`, we assume that sums and
//! products do not wrap. A value of an unknown type that is added or multiplied counts as an integer.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::Summary;
use crate::flow::{Block, BlockId, Callee, Function, Op, Terminator, Unknown, ValueId};
use crate::value::{Arithmetic, Comparison, Constant, Conversion, UnaryOp};

/// The limit on visited values for one parameter.
const MOST_STEPS: usize = 200;

/// The limit on blocks of a function. Functions that round a number are small.
const MOST_BLOCKS: usize = 32;

/// A parameter that divides the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Multiple {
    /// The number of the parameter.
    pub parameter: u32,
    /// Whether it divides the result only if the argument is a power of two.
    pub of_powers_of_two: bool,
}

/// Returns the first parameter that divides every returned value.
pub(super) fn of_result(
    function: &Function,
    summary: &dyn Fn(&Callee) -> Option<Arc<Summary>>,
) -> Option<Multiple> {
    let returned: Vec<ValueId> = function
        .blocks
        .iter()
        .filter_map(|block| match block.terminator {
            Terminator::Return(value) => Some(value),
            _ => None,
        })
        .collect::<Option<_>>()?;
    if returned.is_empty() || function.blocks.len() > MOST_BLOCKS {
        return None;
    }
    let numbers = (0u32..).zip(&function.parameters);
    let numbers = numbers.filter(|(_, parameter)| {
        let ty = function.values[parameter.value].ty;
        ty.as_integer().is_some() || ty.is_unknown()
    });
    for (number, _) in numbers {
        let mut search =
            Search { function, summary, of: number, of_powers_of_two: false, seen: FxHashSet::default() };
        if returned.iter().all(|&value| search.is_multiple(value)) {
            return Some(Multiple { parameter: number, of_powers_of_two: search.of_powers_of_two });
        }
    }
    None
}

struct Search<'a> {
    function: &'a Function,
    summary: &'a dyn Fn(&Callee) -> Option<Arc<Summary>>,
    of: u32,
    of_powers_of_two: bool,
    seen: FxHashSet<ValueId>,
}

impl Search<'_> {
    fn op(&self, id: ValueId) -> &Op {
        &self.function.values[self.plain(id)].op
    }

    /// Returns a value before conversions that keep its number.
    fn plain(&self, mut id: ValueId) -> ValueId {
        loop {
            let value = &self.function.values[id];
            let is_wide = value.ty.as_integer().is_none_or(|integer| integer.bits() >= 32);
            id = match &value.op {
                Op::Convert { conversion: Conversion::Integer, operand } if is_wide => *operand,
                Op::Unknown { operands, .. } if is_wide && self.function.is_same_number(id) => operands[0],
                _ => return id,
            };
        }
    }

    /// Returns the operands of an arithmetic operation. `None` for any other operation.
    fn arithmetic(&self, id: ValueId) -> Option<(Arithmetic, ValueId, ValueId)> {
        match self.op(id) {
            Op::Binary { op, left, right } => Some((*op, *left, *right)),
            Op::Unknown { what: Unknown::Arithmetic(op), operands } => Some((*op, operands[0], operands[1])),
            _ => None,
        }
    }

    fn is_parameter(&self, id: ValueId) -> bool {
        matches!(self.op(id), Op::Parameter(number) if *number == self.of)
    }

    fn is_number(&self, id: ValueId, number: i128) -> bool {
        match self.op(id) {
            Op::Constant(Constant::Integer(own)) => *own == number,
            Op::Constant(Constant::Zero) => number == 0,
            _ => false,
        }
    }

    fn is_same(&self, a: ValueId, b: ValueId) -> bool {
        let (a, b) = (self.plain(a), self.plain(b));
        a == b
            || match (self.arithmetic(a), self.arithmetic(b)) {
                (Some((op, left, right)), Some((other, other_left, other_right))) => {
                    op == other
                        && self.plain(left) == self.plain(other_left)
                        && self.plain(right) == self.plain(other_right)
                }
                _ => false,
            }
    }

    /// Whether a value is the parameter minus one. If the parameter is a power of two, this is the mask of the lower
    /// bits.
    fn is_parameter_less_one(&self, id: ValueId) -> bool {
        match self.arithmetic(id) {
            Some((Arithmetic::Sub, left, right)) => self.is_parameter(left) && self.is_number(right, 1),
            Some((Arithmetic::Add, left, right)) => self.is_parameter(left) && self.is_number(right, -1),
            _ => false,
        }
    }

    /// Whether a value is a mask for multiples of the parameter, which is a power of two: `~(to - 1)`, `-to`.
    fn is_mask_of_multiples(&self, id: ValueId) -> bool {
        match self.op(id) {
            Op::Unary { op: UnaryOp::Complement, operand } => self.is_parameter_less_one(*operand),
            Op::Unary { op: UnaryOp::Negate, operand } => self.is_parameter(*operand),
            _ => false,
        }
    }

    fn is_multiple(&mut self, id: ValueId) -> bool {
        let id = self.plain(id);
        if self.is_parameter(id) || self.is_number(id, 0) || !self.seen.insert(id) {
            return true;
        }
        if self.seen.len() > MOST_STEPS {
            return false;
        }
        match self.op(id).clone() {
            // `n % to == 0 ? n : …`
            Op::Phi(incoming) => incoming.iter().all(|&(from, it)| {
                self.is_divided_on(from, block_of(self.function, id), it) || self.is_multiple(it)
            }),
            Op::Select { condition, then, otherwise } => {
                (self.is_divided_where(condition, true, then) || self.is_multiple(then))
                    && (self.is_divided_where(condition, false, otherwise) || self.is_multiple(otherwise))
            }
            Op::Call(call) => {
                let of = (self.summary)(&call.callee).and_then(|summary| summary.multiple);
                let argument = of.and_then(|of| call.arguments.get(of.parameter as usize));
                // The argument has to be the parameter itself: a multiple of a power of two need not be a power of two.
                self.of_powers_of_two |= of.is_some_and(|of| of.of_powers_of_two);
                argument.is_some_and(|&(argument, _)| self.is_parameter(argument))
            }
            _ => match self.arithmetic(id) {
                Some((Arithmetic::Mul, left, right)) => self.is_either(left, right),
                Some((Arithmetic::Sub, left, right)) if self.is_remainder(right, left) => true,
                Some((Arithmetic::Add | Arithmetic::Sub, ..)) => self.is_sum_of_multiples(id),
                Some((Arithmetic::Shl, left, _)) => self.is_multiple(left),
                Some((Arithmetic::And, left, right))
                    if self.is_mask_of_multiples(right) || self.is_mask_of_multiples(left) =>
                {
                    self.of_powers_of_two = true;
                    true
                }
                _ => false,
            },
        }
    }

    /// Whether a sum is a multiple. Each term is one, or another term subtracts its remainder: `n + to - n % to`.
    fn is_sum_of_multiples(&mut self, sum: ValueId) -> bool {
        let (mut added, mut taken) = (Vec::new(), Vec::new());
        let mut todo = vec![(sum, true)];
        while let Some((id, is_added)) = todo.pop() {
            if added.len() + taken.len() + todo.len() > MOST_STEPS {
                return false;
            }
            match self.arithmetic(id) {
                Some((Arithmetic::Add, left, right)) => todo.extend([(left, is_added), (right, is_added)]),
                Some((Arithmetic::Sub, left, right)) if !self.is_remainder(right, left) => {
                    todo.extend([(left, is_added), (right, !is_added)]);
                }
                _ if is_added => added.push(id),
                _ => taken.push(id),
            }
        }
        taken.retain(|&rest| match added.iter().position(|&term| self.is_remainder(rest, term)) {
            Some(term) => {
                added.swap_remove(term);
                false
            }
            None => true,
        });
        added.into_iter().chain(taken).all(|term| self.is_multiple(term))
    }

    /// Whether the parameter divides a number if the condition is `holds`: `n % to == 0`.
    fn is_divided_where(&self, condition: ValueId, holds: bool, number: ValueId) -> bool {
        let is_rest =
            |rest: ValueId, zero: ValueId| self.is_remainder(rest, number) && self.is_number(zero, 0);
        match self.op(condition) {
            Op::Compare { op: Comparison::Equal, left, right } => holds && is_rest(*left, *right),
            Op::Compare { op: Comparison::NotEqual, left, right } => !holds && is_rest(*left, *right),
            Op::Unknown { what: Unknown::Compare(Comparison::Equal), operands } => {
                holds && is_rest(operands[0], operands[1])
            }
            Op::Convert { conversion: Conversion::ToBool, operand } => {
                !holds && self.is_remainder(*operand, number)
                    || self.is_divided_where(*operand, holds, number)
            }
            _ => false,
        }
    }

    /// Whether the parameter divides a number on the edge between two blocks, or whenever the first one is executed.
    fn is_divided_on(&self, from: BlockId, to: BlockId, number: ValueId) -> bool {
        let on_edge = |from: BlockId, to: BlockId| match self.function.blocks[from].terminator {
            Terminator::Branch { condition, then, otherwise } if then != otherwise => {
                self.is_divided_where(condition, to == then, number)
            }
            _ => false,
        };
        let mut before = self
            .function
            .blocks
            .iter_enumerated()
            .filter(|(_, block)| block.terminator.successors().contains(&from));
        on_edge(from, to)
            || matches!((before.next(), before.next()), (Some((only, _)), None) if on_edge(only, from))
    }

    /// Whether one of two factors is a multiple. If the first one is not, the state of its search is discarded.
    fn is_either(&mut self, left: ValueId, right: ValueId) -> bool {
        [left, right].into_iter().any(|factor| {
            let (seen, of_powers_of_two) = (self.seen.clone(), self.of_powers_of_two);
            let is_multiple = self.is_multiple(factor);
            if !is_multiple {
                (self.seen, self.of_powers_of_two) = (seen, of_powers_of_two);
            }
            is_multiple
        })
    }

    /// Whether a value is the remainder of another one modulo the parameter.
    fn is_remainder(&self, id: ValueId, of: ValueId) -> bool {
        match self.arithmetic(id) {
            Some((Arithmetic::Rem, left, right)) => self.is_same(left, of) && self.is_parameter(right),
            _ => false,
        }
    }
}

/// Returns the block of an operation.
fn block_of(function: &Function, id: ValueId) -> BlockId {
    let holds = |(_, block): &(BlockId, &Block)| block.values.contains(&id);
    function.blocks.iter_enumerated().find(holds).map_or(Function::ENTRY, |(block, _)| block)
}
