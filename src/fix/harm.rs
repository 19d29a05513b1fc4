//! Decides which expressions additional threads may evaluate.
//!
//! **Harmless**: an expression that accesses only variables of the thread, and whose evaluation is defined for all
//! values of these variables. So it does no harm if more threads evaluate it.
//!
//! ```c
//! int row = get_local_id(0) * 4;   // harmless
//! float x = in[row];               // not harmless: `row` may be outside of the buffer
//! out[row] = x;                    // not harmless: other threads can read it
//! ```

use tangle_grammar::symbol::Symbol;
use tangle_ir::key::UnresolvedCallee;

use tangle_analysis::lookup::ConvergentCalls;
use tangle_analysis::program::ConvergentCallee;
use tangle_hir::body::CallId;
use tangle_hir::typed::{Arithmetic, Callee, Constant, ExprId, ExprKind, Storage, TypedBody, Unknown};
use tangle_syntax::dialect::{BuiltinKind, Builtins};

/// Finds the harm in expressions of a body.
pub(super) struct EffectAnalysis<'a> {
    pub typed: &'a TypedBody,
    pub operations: &'a ConvergentCalls<'a>,
    pub builtins: &'a Builtins,
}

/// The effect if more threads evaluate an expression, from the weakest to the strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Effect {
    /// The expression is harmless.
    None,
    /// The expression waits for other threads, and is harmless otherwise.
    Waits,
    /// A convergent operation with operands: its result depends on the threads that take part.
    Exchanges,
    /// The expression may do harm.
    Harm,
}

impl EffectAnalysis<'_> {
    /// The effect of an expression.
    pub fn of(&self, id: ExprId) -> Effect {
        let all = |ids: &[ExprId]| ids.iter().map(|&id| self.of(id)).max().unwrap_or(Effect::None);
        match &self.typed.exprs[id].kind {
            ExprKind::Constant(_)
            | ExprKind::Function(_)
            | ExprKind::Label(_)
            | ExprKind::String(_)
            | ExprKind::Variable(_)
            | ExprKind::Global(_) => Effect::None,
            ExprKind::Unknown { what: Unknown::Name(_) | Unknown::Dependent(_), .. } => Effect::None,
            ExprKind::Unknown { what: Unknown::Arithmetic(Arithmetic::Div | Arithmetic::Rem), operands } => {
                let is_divisor = operands.last().is_some_and(|&divisor| self.is_divisor(divisor));
                if is_divisor { all(operands) } else { Effect::Harm }
            }
            ExprKind::Unknown { what: Unknown::Compare(_) | Unknown::Arithmetic(_), operands } => {
                all(operands)
            }
            ExprKind::Load(place) if !self.is_own(*place) => Effect::Harm,
            ExprKind::Load(operand)
            | ExprKind::Decay(operand)
            | ExprKind::AddressOf(operand)
            | ExprKind::Deref(operand)
            | ExprKind::Field { base: operand, .. }
            | ExprKind::Lanes { base: operand, .. }
            | ExprKind::Convert { operand, .. }
            | ExprKind::Unary { operand, .. }
            | ExprKind::Not(operand) => self.of(*operand),
            ExprKind::Lane { base, index } => all(&[*base, *index]),
            ExprKind::Binary { op: Arithmetic::Div | Arithmetic::Rem, left, right }
                if self.typed.exprs[id].ty.as_float().is_none() && !self.is_divisor(*right) =>
            {
                self.of(*left).max(Effect::Harm)
            }
            ExprKind::Binary { left, right, .. }
            | ExprKind::Compare { left, right, .. }
            | ExprKind::Logical { left, right, .. }
            | ExprKind::LogicalLanes { left, right, .. }
            | ExprKind::Difference { left, right }
            | ExprKind::Comma { left, right }
            | ExprKind::Offset { pointer: left, index: right, .. } => all(&[*left, *right]),
            ExprKind::Conditional { condition, then, otherwise }
            | ExprKind::ConditionalLanes { condition, then, otherwise } => {
                all(&[*condition, *then, *otherwise])
            }
            ExprKind::Elvis { value, otherwise } => all(&[*value, *otherwise]),
            ExprKind::Vector(operands) => all(operands),
            ExprKind::Assign { place, value } if self.is_own(*place) => all(&[*place, *value]),
            ExprKind::CompoundAssign { place, op, value, .. } if self.is_own(*place) => match op {
                Arithmetic::Div | Arithmetic::Rem if !self.is_divisor(*value) => Effect::Harm,
                _ => all(&[*place, *value]),
            },
            ExprKind::Step { place, .. } if self.is_own(*place) => self.of(*place),
            ExprKind::Call { callee, arguments, call } => {
                let builtin = match callee {
                    Callee::Builtin { name, .. } => Some(*name),
                    _ => None,
                };
                self.of_call(*call, builtin).max(all(arguments))
            }
            // A call whose arguments have no known types.
            ExprKind::Unknown { what: Unknown::Call { named, call, .. }, operands } => {
                self.of_call(*call, named.and_then(UnresolvedCallee::table_name)).max(all(operands))
            }
            _ => Effect::Harm,
        }
    }

    /// The effect of a call without its arguments.
    fn of_call(&self, call: Option<CallId>, builtin: Option<Symbol>) -> Effect {
        let kind = |name: Symbol| self.builtins.get(name).and_then(|row| row.kind);
        match call.and_then(|call| self.operations.call(call)) {
            Some(ConvergentCallee::Operation(name, _)) if kind(name) == Some(BuiltinKind::Barrier) => {
                Effect::Waits
            }
            Some(ConvergentCallee::Operation(..)) => Effect::Exchanges,
            Some(ConvergentCallee::Function(_) | ConvergentCallee::Pointer) => Effect::Harm,
            None => match builtin.and_then(kind) {
                Some(
                    BuiltinKind::Id
                    | BuiltinKind::Size
                    | BuiltinKind::Convert
                    | BuiltinKind::Math
                    | BuiltinKind::Geometric
                    | BuiltinKind::Fence
                    | BuiltinKind::Hint,
                ) => Effect::None,
                _ => Effect::Harm,
            },
        }
    }

    /// Whether a place is a variable of the thread, or a fixed part of one.
    fn is_own(&self, place: ExprId) -> bool {
        match &self.typed.exprs[place].kind {
            ExprKind::Variable(var) => {
                let var = &self.typed.vars[*var];
                matches!(var.storage, Storage::Automatic | Storage::Parameter) && !var.volatile
            }
            ExprKind::Field { base, .. } | ExprKind::Lanes { base, .. } => self.is_own(*base),
            _ => false,
        }
    }

    /// Whether an expression is a valid divisor: a constant other than zero.
    fn is_divisor(&self, id: ExprId) -> bool {
        match &self.typed.exprs[id].kind {
            ExprKind::Constant(Constant::Integer(number)) => *number != 0,
            ExprKind::Convert { operand, .. } => self.is_divisor(*operand),
            // The sizes of groups are at least 1.
            ExprKind::Call { callee: Callee::Builtin { name, .. }, .. } => {
                self.builtins.get(*name).is_some_and(|row| row.kind == Some(BuiltinKind::Size))
            }
            _ => false,
        }
    }
}
