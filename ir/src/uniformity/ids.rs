//! Arithmetic on the ids of threads: which values are affine in the ids, and what remains when ids cancel.
//!
//! - **Affine form** of an integer: `base + x·X + y·Y + z·Z + lane·L`. `X Y Z` are the local ids of the thread, `L` is
//!   its number in the sub-group, and the factors are known numbers. The **base** is the rest. A value without ids is
//!   its own base.
//! - **Residue** of a base: its remainder modulo a known number, or modulo a known multiple of the work-group size.
//! - **Own divergence** of a value: the divergence that its ids contribute. All other divergence is in its base.
//! - **Exact** value: no operation wraps, so the value as its type reads it is the number of the affine form.
//!
//! ```c
//! int first = get_global_id(0) - get_local_id(0);    // no id is left: uniform in the work-group, as the base is
//! int end = n / get_local_size(0) * get_local_size(0);
//! // `end` is a multiple of the size, and so is `i` without its id: all threads take the same number of iterations.
//! for (int i = get_local_id(0); i < end; i += get_local_size(0))
//!   barrier(1);
//! ```
//!
//! | operation | own divergence |
//! |---|---|
//! | `+`, `-`, `·` and `<<` by a number, phi and choice of values with the same factors | that of the remaining ids |
//! | `/` and `>>` by `d`, `&` with multiples of a power of two `d` | none, if the ids cross no multiple of `d` |
//! | `%` by `d`, `&` with `d - 1`, under the same condition | that of the ids; the base is a number |
//! | `<`, `<=`, `>`, `>=` | none, if the ids do not change the sign of the difference |
//! | `==`, `!=` | none, if no id is left in the difference, or the difference is never zero |
//! | `·` of ids by an unknown number | as divergent as the operands; the base is a multiple of that number |
//! | call of a function that returns an affine form | that of the affine form |
//! | call of a function with a formula | that of the formula of the arguments |
//! | `-` of ids from an [unknown number](UnknownNumbers) | at most possibly divergent |
//! | any other | as divergent as the operands |
//!
//! "None" is checked for the work-group first, and then for the sub-group. In a sub-group, ids are `lane` plus a part
//! that all its threads share.
//!
//! **Tile**: in `x·W + ids`, where `W` is a constant of the build with an unknown value, we assume that the ids are
//! below `W`. So either all threads of the work-group are below `y·W`, or no thread is.
//!
//! We assume the following:
//!
//! - A value of an unknown type that is added to ids, or multiplied with them, is an integer.
//! - The grid consists of whole work-groups of one size, and its offset is a multiple of that size.
//! - Sums and products of numbers that are not negative do not wrap, and they fit into `int`.
//! - If whole work-groups count down below zero in an unsigned type, multiples remain multiples of the same number.
//!
//! **Algorithm**: affine forms depend on no facts. Iterations over the blocks in reverse post-order compute them;
//! values in cycles start without one. A phi whose affine form changes often gets none.

mod form;

use std::sync::Arc;

use std::cell::RefCell;

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;

use super::analysis::{BuiltinEffect, Environment, ThreadIndex};
use super::formula::{Formula, FormulaNode, FormulaOp};
use super::lanes::Lanes;
use super::launch::Launch;
use super::multiples::Multiple;
use super::names::{self, ImpliedMeaning};
use super::unknown_numbers::UnknownNumbers;
use super::{Divergence, Summary};
use crate::flow::{BlockId, Call, Callee, Function, Op, Unknown, ValueId};
use crate::scope::Scope;
use crate::types::{Integer, Ty};
use crate::value::{Arithmetic, Comparison, Constant, Conversion, UnaryOp};
use form::{FIRST_BUILD_UNIT, Residue, Stride};

pub(super) use form::AffineForm;
use tangle_base::Symbol;

/// The limit on changes of the affine form of a phi.
const MAX_PHI_CHANGES: u8 = 8;

/// The affine forms of a function.
#[derive(Debug, Default)]
pub(super) struct AffineForms {
    /// Empty if the function queries no ids.
    values: IndexVec<ValueId, AffineState>,
}

#[derive(Clone, Copy, Debug, Default)]
struct AffineState {
    /// `None`: not computed yet.
    form: Option<AffineForm>,
    /// The own divergence. `None`: as divergent as the operands.
    own: Option<Divergence>,
    changes: u8,
}

impl AffineForms {
    /// Computes the affine forms of a function in an environment.
    pub fn of(
        function: &Function,
        order: &[BlockId],
        (lanes, forwarded, unknown_numbers): (&Lanes, &FxHashMap<ValueId, ValueId>, &UnknownNumbers),
        environment: &Environment,
    ) -> AffineForms {
        let index = |op: &Op| match op {
            Op::Call(call) => {
                (environment.builtin)(&call.callee).and_then(|effect: BuiltinEffect| effect.index)
            }
            _ => None,
        };
        let is_counted = |op: &Op| match op {
            Op::Call(call) => {
                (environment.summary)(&call.callee).is_some_and(|it| it.affine_result.is_some())
            }
            _ => false,
        };
        if !function.values.iter().any(|value| index(&value.op).is_some() || is_counted(&value.op)) {
            return AffineForms::default();
        }
        let mut finder = AffineAnalysis {
            function,
            summary: environment.summary,
            lanes,
            forwarded,
            unknown_numbers,
            launch: environment.launch,
            index: &index,
            implied: environment.implied,
            is_row: environment.launch.strides_cover_work_group && is_one_dimensional(function, &index),
            units: RefCell::default(),
            values: index_vec![AffineState::default(); function.values.len()],
        };
        finder.find_all(order);
        AffineForms { values: finder.values }
    }

    /// Returns the divergence that ids add to the base of a value. `None` if the value is as divergent as its operands.
    pub fn own(&self, value: ValueId) -> Option<Divergence> {
        self.values.get(value)?.own
    }

    /// Returns the affine form of a returned value, for use by callers. `None` if it has no ids.
    pub fn of_result(&self, value: ValueId) -> Option<AffineForm> {
        self.values.get(value)?.form?.for_callers()
    }

    /// Whether a value has ids in addition to its base.
    pub fn has_ids(&self, value: ValueId) -> bool {
        self.values.get(value).and_then(|known| known.form).is_some_and(|form| form.has_ids())
    }
}

/// Whether a function queries only the first dimension. We assume that its work-groups have one dimension.
fn is_one_dimensional(function: &Function, index: &dyn Fn(&Op) -> Option<ThreadIndex>) -> bool {
    let asks_further = |op: &Op| {
        let Op::Call(call) = op else { return false };
        let of_dimension = matches!(
            index(op),
            Some(ThreadIndex::Local | ThreadIndex::Global | ThreadIndex::LocalSize | ThreadIndex::GlobalSize)
        );
        let first = call.arguments.first().map(|&(it, _)| &function.values[it].op);
        of_dimension && !matches!(first, Some(Op::Constant(Constant::Zero | Constant::Integer(0))))
    };
    !function.values.iter().any(|value| asks_further(&value.op))
}

/// Returns the number that a value is: a constant, or the result of a function that returns one number for all
/// arguments.
pub(super) fn number(
    function: &Function,
    id: ValueId,
    summary: &dyn Fn(&Callee) -> Option<Arc<Summary>>,
) -> Option<i128> {
    match &function.values[id].op {
        Op::Constant(Constant::Integer(number)) => Some(*number),
        Op::Constant(Constant::Zero) => Some(0),
        Op::Call(call) => summary(&call.callee)?.number,
        Op::Convert { conversion: Conversion::Integer, operand } => match &function.values[*operand].op {
            Op::Convert { .. } => None,
            _ => number(function, *operand, summary),
        },
        _ => None,
    }
}

struct AffineAnalysis<'a> {
    function: &'a Function,
    summary: &'a dyn Fn(&Callee) -> Option<Arc<Summary>>,
    lanes: &'a Lanes,
    /// The loads of variables whose value one store wrote, with the stored value.
    forwarded: &'a FxHashMap<ValueId, ValueId>,
    unknown_numbers: &'a UnknownNumbers,
    launch: Launch,
    index: &'a dyn Fn(&Op) -> Option<ThreadIndex>,
    implied: &'a dyn Fn(Symbol) -> Option<ImpliedMeaning>,
    /// Whether we assume that work-groups have one dimension.
    is_row: bool,
    /// The constants of the build that were found so far, in the order of their unit numbers.
    units: RefCell<Vec<ValueId>>,
    values: IndexVec<ValueId, AffineState>,
}

impl AffineAnalysis<'_> {
    /// Computes the affine forms of all values.
    fn find_all(&mut self, order: &[BlockId]) {
        for id in self.function.values.indices().filter(|&id| self.function.values[id].op.is_leaf()) {
            self.find(id);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &block in order {
                for &id in &self.function.blocks[block].values {
                    changed |= self.find(id);
                }
            }
        }
    }

    /// Returns the step of a loop whose counter begins at the local id of a dimension.
    fn stride(&self, phi: ValueId, incoming: &[(BlockId, ValueId)]) -> Option<Stride> {
        if !self.launch.strides_cover_work_group {
            return None;
        }
        incoming.iter().find_map(|&(_, it)| self.form(it)?.as_id())?;
        let step = |&(_, it): &(BlockId, ValueId)| match self.function.values[it].op {
            Op::Binary { op: Arithmetic::Add, left, right } if left == phi => Some(right),
            Op::Binary { op: Arithmetic::Add, left, right } if right == phi => Some(left),
            _ => None,
        };
        self.form(incoming.iter().find_map(step)?)?.as_stride()
    }

    /// Returns an affine form for any multiple of an argument, if the callee returns one: by its summary, or else by
    /// its name.
    fn multiple(&self, call: &Call) -> Option<AffineForm> {
        let by_name = || {
            let is_implied = |name: Symbol| (self.implied)(name) == Some(ImpliedMeaning::Multiple);
            let is_multiple = call.arguments.len() == 2 && call.callee.name().is_some_and(is_implied);
            is_multiple.then_some(Multiple { parameter: 1, of_powers_of_two: false })
        };
        let multiple = match (self.summary)(&call.callee) {
            Some(summary) => summary.multiple,
            None => by_name(),
        }?;
        let &(of, _) = call.arguments.get(multiple.parameter as usize)?;
        let is_power =
            || self.number(of).is_some_and(|number| u64::try_from(number).is_ok_and(u64::is_power_of_two));
        self.form(of)?.as_multiple().filter(|_| !multiple.of_powers_of_two || is_power())
    }

    fn is_sub_group_size(&self, id: ValueId) -> bool {
        names::is_sub_group_size(&self.function.values[id].op, self.implied)
    }

    /// Returns the affine form of the result of a callee, if it has ids.
    fn counted(&self, call: &Call) -> Option<AffineForm> {
        Some((self.summary)(&call.callee)?.affine_result?.form)
    }

    fn formula(&self, call: &Call) -> Option<Arc<Formula>> {
        (self.summary)(&call.callee)?.formula.clone()
    }

    /// Returns the affine form of a formula of the arguments of a call: `Some(None)` if it has none, and `None` if an
    /// argument has no affine form yet.
    fn applied(&self, formula: &Formula, call: &Call) -> Option<Option<AffineForm>> {
        let mut forms: Vec<AffineForm> = Vec::with_capacity(formula.nodes.len());
        for &FormulaNode { op, integer } in &formula.nodes {
            let form = match op {
                FormulaOp::Parameter(number) => match call.arguments.get(number as usize) {
                    Some(&(argument, _)) => Some(self.form(argument)?),
                    None => None,
                },
                FormulaOp::Number(number) => Some(AffineForm::number(number, integer)),
                FormulaOp::Convert(of) => forms[of].converted(formula.nodes[of].integer, integer),
                FormulaOp::Add(left, right) => forms[left].plus(forms[right]),
                FormulaOp::Sub(left, right) => self.difference(forms[left], forms[right], integer),
                FormulaOp::Mul(left, right) => match (forms[left].as_number(), forms[right].as_number()) {
                    (_, Some(factor)) => forms[left].times_number(factor.into(), integer),
                    (Some(factor), _) => forms[right].times_number(factor.into(), integer),
                    (None, None) => forms[left].times(forms[right]),
                },
            };
            match form {
                Some(form) => forms.push(form.or_unknown(integer)),
                None => return Some(None),
            }
        }
        Some(forms.last().copied())
    }

    /// Returns the affine form of a constant of the build. `None` if there are too many of them.
    fn unit(&self, name: ValueId) -> Option<AffineForm> {
        let mut units = self.units.borrow_mut();
        let known = units.iter().position(|&it| it == name);
        let at = known.unwrap_or_else(|| {
            units.push(name);
            units.len() - 1
        });
        Some(AffineForm::unit(FIRST_BUILD_UNIT.checked_add(u8::try_from(at).ok()?)?))
    }

    /// Returns the number of the unit that a value is.
    fn as_unit(&self, id: ValueId) -> Option<u8> {
        match &self.function.values[id].op {
            Op::Unknown { what: Unknown::Value, operands } => match **operands {
                [of] => self.as_unit(of),
                _ => None,
            },
            Op::Unknown { what: Unknown::Name(_) | Unknown::Dependent(_), .. }
                if !self.is_sub_group_size(id) =>
            {
                let at = self.units.borrow().iter().position(|&it| it == id)?;
                FIRST_BUILD_UNIT.checked_add(u8::try_from(at).ok()?)
            }
            _ => None,
        }
    }

    /// Computes the affine form of a value from the affine forms of its operands. Returns whether it changed.
    fn find(&mut self, id: ValueId) -> bool {
        let value = &self.function.values[id];
        let Some((form, own)) = self.derived(id, &value.op, value.ty) else { return false };
        let known = &mut self.values[id];
        let is_news = known.form != Some(form) || known.own != own;
        if is_news {
            known.changes = known.changes.saturating_add(1);
            let gives_up = known.changes > MAX_PHI_CHANGES && matches!(value.op, Op::Phi(_));
            (known.form, known.own) =
                if gives_up { (Some(AffineForm::leaf(value.ty)), None) } else { (Some(form), own) };
            return !gives_up || known.changes == MAX_PHI_CHANGES + 1;
        }
        false
    }

    fn form(&self, id: ValueId) -> Option<AffineForm> {
        self.values[id].form
    }

    /// Returns the affine form of an operation, and its own divergence. `None` if an operand has no affine form yet;
    /// for a phi, if no operand has one.
    fn derived(&self, id: ValueId, op: &Op, ty: Ty) -> Option<(AffineForm, Option<Divergence>)> {
        let leaf = || Some((AffineForm::leaf(ty), None));
        let compared = |op: Comparison, left: ValueId, right: ValueId| {
            Some((AffineForm::leaf(ty), self.compared(op, self.form(left)?, self.form(right)?)))
        };
        // Ids that are subtracted from an unknown number may cancel, so their factors are unknown.
        if let Some((left, right)) = self.unknown_numbers.difference(op)
            && !self.form(left)?.has_ids()
            && self.form(right)?.has_ids()
        {
            return leaf();
        }
        let integer = match (op, ty.as_integer()) {
            (Op::Compare { op, left, right }, None) => return compared(*op, *left, *right),
            (_, Some(integer)) => integer,
            // A value of an unknown type counts as an `int`.
            (_, None) if ty.is_unknown() => Ty::INT.as_integer()?,
            (_, None) => return leaf(),
        };
        match op {
            Op::Constant(Constant::Integer(number)) => Some((AffineForm::number(*number, integer), None)),
            Op::Constant(Constant::Zero) => Some((AffineForm::number(0, integer), None)),
            Op::Call(call) => match (self.index)(op) {
                Some(index) => {
                    let dimension = call.arguments.first().map(|&(it, _)| self.number(it));
                    Some(self.index(index, dimension, integer))
                }
                None => match self.number(id) {
                    Some(number) => Some((AffineForm::number(number, integer), None)),
                    None if self.is_sub_group_size(id) => Some((self.sub_group_size(integer), None)),
                    None => match (self.counted(call), self.multiple(call), self.formula(call)) {
                        (Some(form), ..) => self.with_ids(Some(form), integer),
                        (None, Some(form), _) => Some((form, None)),
                        (None, None, Some(formula)) => self.with_ids(self.applied(&formula, call)?, integer),
                        (None, None, None) => leaf(),
                    },
                },
            },
            Op::Unknown { what: Unknown::Name(_) | Unknown::Dependent(_), .. }
                if self.is_sub_group_size(id) =>
            {
                Some((self.sub_group_size(integer), None))
            }
            Op::Unknown { what, operands } => match (what, &**operands) {
                (Unknown::Name(_) | Unknown::Dependent(_), _) => {
                    Some((self.unit(id).unwrap_or(AffineForm::leaf(ty)), None))
                }
                (Unknown::Value, &[of]) if self.function.is_same_number(id) => {
                    self.with_ids(self.form(of), integer)
                }
                (Unknown::Arithmetic(op), &[left, right]) => self.binary(*op, left, right, integer),
                (Unknown::Compare(op), &[left, right]) => compared(*op, left, right),
                _ => leaf(),
            },
            Op::Phi(incoming) => {
                let forms = incoming.iter().filter_map(|&(_, it)| self.form(it));
                let (form, own) = self.same_factors(forms, integer)?;
                match self.stride(id, incoming).filter(|_| form.has_ids()) {
                    Some(stride) => self.with_ids(Some(form.stepping_by(stride)), integer),
                    None => Some((form, own)),
                }
            }
            Op::Select { then, otherwise, .. } => {
                self.same_factors([self.form(*then)?, self.form(*otherwise)?].into_iter(), integer)
            }
            Op::Load { .. } => match self.forwarded.get(&id) {
                Some(&stored) => self.with_ids(self.form(stored), integer),
                None => leaf(),
            },
            Op::Convert { conversion: Conversion::Integer, operand } => {
                let from = self.function.values[*operand].ty.as_integer();
                let form = self.form(*operand)?;
                self.with_ids(from.and_then(|from| form.converted(from, integer)), integer)
            }
            Op::Unary { op: UnaryOp::Negate, operand } => {
                let zero = AffineForm::number(0, integer);
                self.with_ids(self.difference(zero, self.form(*operand)?, integer), integer)
            }
            Op::Binary { op, left, right } => self.binary(*op, *left, *right, integer),
            Op::Extract { .. } => match self.lanes.source(id) {
                Some(source) if self.function.values[source].ty == ty => {
                    self.with_ids(self.form(source), integer)
                }
                _ => leaf(),
            },
            _ => leaf(),
        }
    }

    /// Returns an affine form as a result, with its own divergence. `None` as an argument: it is unknown.
    fn with_ids(
        &self,
        form: Option<AffineForm>,
        integer: Integer,
    ) -> Option<(AffineForm, Option<Divergence>)> {
        Some(match form {
            Some(form) => (form.or_unknown(integer), Some(self.own(form))),
            None => (AffineForm::leaf_of(integer), None),
        })
    }

    fn sub_group_size(&self, integer: Integer) -> AffineForm {
        let size = self.launch.sub_group_size;
        size.map_or(AffineForm::leaf_of(integer), |size| AffineForm::number(size.into(), integer))
    }

    fn number(&self, id: ValueId) -> Option<i128> {
        number(self.function, id, self.summary)
    }

    /// Returns the result of a builtin. `dimension` is its argument: `None` without an argument, `Some(None)` if the
    /// argument is not a known number.
    fn index(
        &self,
        index: ThreadIndex,
        dimension: Option<Option<i128>>,
        integer: Integer,
    ) -> (AffineForm, Option<Divergence>) {
        let leaf = (AffineForm::leaf_of(integer), None);
        match index {
            ThreadIndex::LocalLinear => {
                let row = self.is_row.then(|| AffineForm::id(0, &self.launch, Residue::number(0)));
                let form = AffineForm::linear(&self.launch).or(row);
                return form.map_or(leaf, |form| (form, Some(self.own(form))));
            }
            ThreadIndex::LocalLinearSize if self.is_row => return (AffineForm::size(0, &self.launch), None),
            ThreadIndex::LocalLinearSize => return leaf,
            _ => {}
        }
        let dimension = match dimension {
            Some(Some(number)) => match usize::try_from(number) {
                Ok(number) if number < 3 => number,
                // In OpenCL C, other dimensions yield the same number in all threads.
                _ => return leaf,
            },
            Some(None) => return leaf,
            None => 0,
        };
        let form = match index {
            ThreadIndex::Local => AffineForm::id(dimension, &self.launch, Residue::number(0)),
            ThreadIndex::Global => {
                AffineForm::id(dimension, &self.launch, Residue::multiple_of_size(dimension, &self.launch))
            }
            ThreadIndex::Lane => AffineForm::lane(),
            ThreadIndex::LocalLinear | ThreadIndex::LocalLinearSize => return leaf,
            ThreadIndex::SubGroupSize => return (self.sub_group_size(integer), None),
            ThreadIndex::LocalSize => return (AffineForm::size(dimension, &self.launch), None),
            ThreadIndex::GlobalSize => {
                let base = match (dimension, self.launch.global_multiple_of) {
                    (0, Some(multiple)) => Residue::multiple_of(multiple.into()),
                    _ => Residue::multiple_of_size(dimension, &self.launch),
                };
                return (AffineForm::uniform(base), None);
            }
        };
        (form, Some(self.own(form)))
    }

    /// Returns the affine form of a value that is one of several: with ids, if all have the same factors.
    fn same_factors(
        &self,
        mut forms: impl Iterator<Item = AffineForm>,
        integer: Integer,
    ) -> Option<(AffineForm, Option<Divergence>)> {
        let first = forms.next()?;
        self.with_ids(forms.try_fold(first, AffineForm::join), integer)
    }

    fn binary(
        &self,
        op: Arithmetic,
        left: ValueId,
        right: ValueId,
        integer: Integer,
    ) -> Option<(AffineForm, Option<Divergence>)> {
        let (a, b) = (self.form(left)?, self.form(right)?);
        let number = |id: ValueId| self.number(id).map(|number| signed(number, integer));
        let linear = match op {
            Arithmetic::Add => match (number(left), number(right)) {
                (_, Some(less)) if less < 0 && !integer.signed() => {
                    self.difference(a, AffineForm::number(-less, integer), integer)
                }
                (Some(less), _) if less < 0 && !integer.signed() => {
                    self.difference(b, AffineForm::number(-less, integer), integer)
                }
                _ => a.plus(b),
            },
            Arithmetic::Sub => self.difference(a, b, integer),
            Arithmetic::Mul => match (number(left), number(right)) {
                (_, Some(factor)) => a.times_number(factor, integer),
                (Some(factor), _) => b.times_number(factor, integer),
                _ => match (self.as_unit(left), self.as_unit(right)) {
                    (_, Some(unit)) if a.has_ids() => a.times_unit(unit),
                    (Some(unit), _) if b.has_ids() => b.times_unit(unit),
                    // The row of a thread times the length of a row, for example.
                    _ => match a.times_as_base(b) {
                        Some(base) => return Some((base.or_unknown(integer), None)),
                        None => a.times(b),
                    },
                },
            },
            Arithmetic::Shl => match number(right) {
                Some(count @ 0..=30) => a.times_number(1 << count, integer),
                _ => None,
            },
            Arithmetic::Div | Arithmetic::Rem | Arithmetic::Shr | Arithmetic::And
                if a.has_ids() || b.has_ids() =>
            {
                return Some(self.divided(op, (a, number(left)), (b, number(right)), integer));
            }
            // The result is not negative either.
            Arithmetic::Div | Arithmetic::Rem | Arithmetic::Shr if !a.may_be_negative() => {
                return Some((AffineForm::uniform(Residue::ANY), None));
            }
            _ => None,
        };
        self.with_ids(linear, integer)
    }

    /// Returns `a - b`. In an unsigned type, it is exact only if it wraps in all threads of a work-group or in none.
    fn difference(&self, a: AffineForm, b: AffineForm, integer: Integer) -> Option<AffineForm> {
        let form = a.minus(b)?;
        let is_exact = integer.signed() || form.may_be_unsigned(&self.launch);
        Some(if is_exact { form.in_type(integer) } else { form.as_signed() })
    }

    /// Returns the affine form of an operation that drops a part of a number with ids: `/`, `%`, `>>` or `&`.
    fn divided(
        &self,
        op: Arithmetic,
        (a, left): (AffineForm, Option<i128>),
        (b, right): (AffineForm, Option<i128>),
        integer: Integer,
    ) -> (AffineForm, Option<Divergence>) {
        let plain = (AffineForm::leaf_of(integer), None);
        let small = |number: Option<i128>| number.and_then(|it| i64::try_from(it).ok());
        let result = match op {
            Arithmetic::Div | Arithmetic::Rem => {
                if !a.has_ids() || !a.is_exact() || a.may_be_negative() {
                    return plain;
                }
                let own = match small(right) {
                    Some(number) if number > 0 => {
                        if op == Arithmetic::Rem {
                            return self.remainder(a, number, integer);
                        }
                        self.divergence(|scope| a.has_one_quotient(number, scope, &self.launch))
                    }
                    _ => match (b.as_number(), b.size_of()) {
                        (Some(number), _) if number > 0 && op == Arithmetic::Div => {
                            self.divergence(|scope| a.has_one_quotient(number, scope, &self.launch))
                        }
                        (Some(number), _) if number > 0 => return self.remainder(a, number, integer),
                        (None, Some(dimension)) if op == Arithmetic::Div => self
                            .divergence(|scope| a.has_one_quotient_by_size(dimension, scope, &self.launch)),
                        _ => return plain,
                    },
                };
                (AffineForm::uniform(Residue::ANY), own)
            }
            Arithmetic::Shr => match small(right) {
                Some(count @ 0..=30) if a.has_ids() && a.is_exact() => {
                    let own = self.divergence(|scope| a.has_one_quotient(1 << count, scope, &self.launch));
                    (AffineForm::leaf_of(integer), own)
                }
                _ => return plain,
            },
            _ => {
                let (form, mask) = match (small(left), small(right)) {
                    (_, Some(mask)) => (a, mask),
                    (Some(mask), _) => (b, mask),
                    _ => return plain,
                };
                match mask.checked_add(1) {
                    Some(d) if d > 1 && d & (d - 1) == 0 => return self.remainder(form, d, integer),
                    _ if mask == 0 || mask.trailing_zeros() > 30 => return plain,
                    _ => {}
                }
                let d = 1 << mask.trailing_zeros();
                let own = self.divergence(|scope| form.has_one_quotient(d, scope, &self.launch));
                (AffineForm::leaf_of(integer), own)
            }
        };
        // If the ids make the result divergent, a chain of causes through the operands is the most informative.
        if result.1 == Divergence::Subgroup { plain } else { (result.0, Some(result.1)) }
    }

    /// Returns the remainder of a number with ids.
    fn remainder(&self, form: AffineForm, by: i64, integer: Integer) -> (AffineForm, Option<Divergence>) {
        match form.remainder(by, &self.launch) {
            Some(form) => (form, Some(self.own(form))),
            None => (AffineForm::leaf_of(integer), None),
        }
    }

    fn compared(&self, op: Comparison, left: AffineForm, right: AffineForm) -> Option<Divergence> {
        if !left.has_ids() && !right.has_ids() {
            return None;
        }
        let keeps_order = left.keeps_order() && right.keeps_order();
        let of = |less: AffineForm, than: AffineForm| {
            if less.is_in_tile(&than) && keeps_order {
                return Some(Divergence::None);
            }
            let difference = less.minus(than)?;
            keeps_order.then(|| self.divergence(|scope| difference.has_one_sign(scope, &self.launch)))
        };
        let own = match op {
            Comparison::Less | Comparison::GreaterEqual => of(left, right)?,
            Comparison::Greater | Comparison::LessEqual => of(right, left)?,
            Comparison::Equal | Comparison::NotEqual => {
                let difference = left.minus(right)?;
                if !difference.has_ids() {
                    Divergence::None
                } else if left.has_bits_of_number() && right.has_bits_of_number() {
                    self.divergence(|scope| difference.is_never_zero(scope, &self.launch))
                } else {
                    return None;
                }
            }
        };
        (own != Divergence::Subgroup).then_some(own)
    }

    /// Returns the divergence that ids contribute to an affine form.
    fn own(&self, form: AffineForm) -> Divergence {
        self.divergence(|scope| form.is_uniform(scope, &self.launch))
    }

    /// Returns the divergence of a value that is the same within each group of the scopes for which `is_same` returns
    /// true.
    fn divergence(&self, is_same: impl Fn(Scope) -> bool) -> Divergence {
        if is_same(Scope::Workgroup) {
            Divergence::None
        } else if !is_same(Scope::Subgroup) {
            Divergence::Subgroup
        } else if self.launch.is_one_sub_group() {
            Divergence::None
        } else {
            Divergence::Workgroup
        }
    }
}

/// Returns a number of a type as a number of the signed type of the same width.
fn signed(number: i128, integer: Integer) -> i128 {
    let bits = integer.bits();
    if !integer.signed() && bits < 128 && number >= 1 << (bits - 1) { number - (1 << bits) } else { number }
}
