//! Functions whose result is a sum of products of their parameters.
//!
//! ```c
//! long global_thread_id(int thread, int block, int size) { return thread + (long)block * size; }
//!
//! long i = global_thread_id(get_local_id(0), get_group_id(0), get_local_size(0));   // affine in the ids
//! ```
//!
//! A caller replaces the parameters by the affine forms of the arguments (`ids`), as if the result was computed there.
//!
//! **Algorithm**: the search starts at the only returned value and visits its operands, at most [`MAX_NODES`] nodes. A
//! call of a function with a formula is replaced by that formula. Control flow does not matter: the result is the same
//! number wherever the operations run.

use std::sync::Arc;

use super::Summary;
use crate::flow::{Callee, Function, Op, Terminator, Unknown, ValueId};
use crate::types::{Integer, Ty};
use crate::value::{Arithmetic, Constant, Conversion};

/// The limit on nodes of a formula. Functions that compute an index are small.
const MAX_NODES: usize = 32;

/// A number computed from parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Formula {
    /// Operands precede their operators. The last node is the result.
    pub(super) nodes: Box<[FormulaNode]>,
}

/// A node of a formula, with its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FormulaNode {
    pub op: FormulaOp,
    pub integer: Integer,
}

/// The operation of a node. Operands are indices of earlier nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum FormulaOp {
    Parameter(u32),
    Number(i128),
    /// The operand in the type of this node.
    Convert(usize),
    Add(usize, usize),
    Sub(usize, usize),
    Mul(usize, usize),
}

impl Formula {
    /// Returns the numbers of the parameters in the formula, in ascending order.
    pub fn parameters(&self) -> Vec<u32> {
        let parameter = |node: &FormulaNode| match node.op {
            FormulaOp::Parameter(number) => Some(number),
            _ => None,
        };
        let mut all: Vec<u32> = self.nodes.iter().filter_map(parameter).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Returns the formula of the result of a function. `None` if it has more than one `return`, other operations, or no
/// parameters in it.
pub(super) fn of_result(
    function: &Function,
    summary: &dyn Fn(&Callee) -> Option<Arc<Summary>>,
) -> Option<Formula> {
    let mut returned = function.blocks.iter().filter_map(|block| match block.terminator {
        Terminator::Return(value) => Some(value),
        _ => None,
    });
    let (Some(Some(value)), None) = (returned.next(), returned.next()) else { return None };
    let mut search = Search { function, summary, nodes: Vec::new() };
    search.node(value)?;
    let formula = Formula { nodes: search.nodes.into() };
    (!formula.parameters().is_empty()).then_some(formula)
}

struct Search<'a> {
    function: &'a Function,
    summary: &'a dyn Fn(&Callee) -> Option<Arc<Summary>>,
    nodes: Vec<FormulaNode>,
}

impl Search<'_> {
    /// Adds the nodes of a value. Returns the index of the last one.
    fn node(&mut self, id: ValueId) -> Option<usize> {
        let function = self.function;
        let value = &function.values[id];
        // A value of an unknown type counts as an `int`, as in `ids`.
        let ty = if value.ty.is_unknown() { Ty::INT } else { value.ty };
        let integer = ty.as_integer()?;
        let op = match &value.op {
            Op::Parameter(number) => FormulaOp::Parameter(*number),
            Op::Constant(Constant::Integer(number)) => FormulaOp::Number(*number),
            Op::Constant(Constant::Zero) => FormulaOp::Number(0),
            Op::Convert { conversion: Conversion::Integer, operand } => {
                FormulaOp::Convert(self.node(*operand)?)
            }
            Op::Unknown { what: Unknown::Value, operands } if function.is_same_number(id) => {
                FormulaOp::Convert(self.node(*operands.first()?)?)
            }
            Op::Binary { op, left, right } => self.binary(*op, *left, *right)?,
            Op::Unknown { what: Unknown::Arithmetic(op), operands } => match **operands {
                [left, right] => self.binary(*op, left, right)?,
                _ => return None,
            },
            Op::Call(call) => {
                let formula = (self.summary)(&call.callee)?.formula.clone()?;
                let mut places: Vec<usize> = Vec::with_capacity(formula.nodes.len());
                for node in &formula.nodes {
                    let at = |operand: usize| places[operand];
                    let op = match node.op {
                        FormulaOp::Parameter(number) => {
                            FormulaOp::Convert(self.node(call.arguments.get(number as usize)?.0)?)
                        }
                        FormulaOp::Number(number) => FormulaOp::Number(number),
                        FormulaOp::Convert(operand) => FormulaOp::Convert(at(operand)),
                        FormulaOp::Add(left, right) => FormulaOp::Add(at(left), at(right)),
                        FormulaOp::Sub(left, right) => FormulaOp::Sub(at(left), at(right)),
                        FormulaOp::Mul(left, right) => FormulaOp::Mul(at(left), at(right)),
                    };
                    places.push(self.add(op, node.integer)?);
                }
                return places.last().copied();
            }
            _ => return None,
        };
        self.add(op, integer)
    }

    fn binary(&mut self, op: Arithmetic, left: ValueId, right: ValueId) -> Option<FormulaOp> {
        let operator = match op {
            Arithmetic::Add => FormulaOp::Add,
            Arithmetic::Sub => FormulaOp::Sub,
            Arithmetic::Mul => FormulaOp::Mul,
            _ => return None,
        };
        Some(operator(self.node(left)?, self.node(right)?))
    }

    fn add(&mut self, op: FormulaOp, integer: Integer) -> Option<usize> {
        self.nodes.push(FormulaNode { op, integer });
        (self.nodes.len() <= MAX_NODES).then(|| self.nodes.len() - 1)
    }
}
