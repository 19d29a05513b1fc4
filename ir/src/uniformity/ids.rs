//! Arithmetic on the ids of threads: how much of a value comes from them, and what is left if that is taken away.
//!
//! **Form** of an integer: `base + x·X + y·Y + z·Z + lane·L`, where `X Y Z` are the local ids of the thread, `L` is its number in the sub-group, the
//! factors are known numbers, and the **base** is the rest. A value without ids is its own base. **Residue** of a base: what it leaves when it is
//! divided by a known number, or by a known multiple of the size of the work-group. **Own divergence** of a value: what ids bring into it; whatever
//! else differs is in its base. **Exact**: nothing wraps, so the number of the value in its type is that of the form.
//!
//! ```c
//! int first = get_global_id(0) - get_local_id(0);    // no id is left: the base, the same for the work-group
//! int end = n / get_local_size(0) * get_local_size(0);
//! for (int i = get_local_id(0); i < end; i += get_local_size(0))
//!   barrier(1);                                      // `i` and `end` are multiples of the size, but for the id in `i`: all go round equally often
//! ```
//!
//! | operation | own divergence |
//! |---|---|
//! | `+`, `-`, `·` and `<<` by a number, phi and choice of values with the same factors | that of the ids that are left |
//! | `/` and `>>` by `d`, `&` with multiples of a power of two `d` | none, if the ids do not lead over a multiple of `d` |
//! | `%` by `d`, `&` with `d - 1`, where that is so | that of the ids; the base is a number |
//! | `<`, `<=`, `>`, `>=` | none, if the ids do not lead the difference over zero |
//! | `==`, `!=` | none, if no id is left in the difference, or the difference is never zero |
//! | call of a function whose result ids make | that of the form of the result |
//! | any other | as divergent as the operands |
//!
//! "None" is said for the work-group first, then for the sub-group, in which ids are `lane` and something that all share.
//!
//! **Tile**: in `x·W + ids`, where `W` is a constant of the build of which nothing is known, the ids are taken to be below `W`: all threads of the work-group are
//! below `y·W`, or none.
//!
//! Assumed: what has an unknown type and is added to or multiplied with ids is an integer; the grid is whole work-groups of one size, and begins at a multiple of it; sums and products of what is not negative do not wrap, nor is any of them too large for `int`; whole work-groups that count down below zero in
//! an unsigned type stay multiples of what they were multiples of.
//!
//! **Algorithm**: forms depend on no facts. Rounds over the blocks in reverse post-order find them, from no form for anything in a cycle on. A phi whose form changes often
//! gets none.

mod form;

use std::sync::Arc;

use std::cell::RefCell;

use index_vec::{IndexVec, index_vec};

use super::analysis::{Effect, Environment};
use super::lanes::Lanes;
use super::launch::Launch;
use super::multiples::Multiple;
use super::names::{self, Implied};
use super::{Divergence, Summary};
use crate::flow::{BlockId, Call, Callee, Function, Op, Unknown, ValueId};
use crate::scope::Scope;
use crate::types::{Integer, Ty};
use crate::value::{Arithmetic, Comparison, Constant, Conversion, UnaryOp};
use form::{Residue, Stride, UNITS};

pub(super) use form::Form;
use tangle_base::Symbol;

/// Which number of a thread, or of its launch, a builtin gives; for the dimension that is its argument, if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Index {
    /// In the work-group.
    Local,
    /// In the work-group, as one number.
    LocalLinear,
    /// In the grid.
    Global,
    /// In the sub-group.
    Lane,
    /// How many threads a full sub-group has.
    SubGroupSize,
    /// How many threads a work-group has.
    LocalSize,
    /// How many threads a work-group has in all dimensions together.
    LocalLinearSize,
    /// How many threads the grid has.
    GlobalSize,
}

/// How often the form of a phi may change.
const CHANGES: u8 = 8;

/// The forms of a function.
#[derive(Debug, Default)]
pub(super) struct Ids {
    /// Empty: the function asks for no id.
    values: IndexVec<ValueId, Known>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// None: not found yet.
    form: Option<Form>,
    /// None: as divergent as the operands.
    own: Option<Divergence>,
    changes: u8,
}

impl Ids {
    /// The forms of a function under an environment.
    pub fn of(function: &Function, order: &[BlockId], lanes: &Lanes, environment: &Environment) -> Ids {
        let index = |op: &Op| match op {
            Op::Call(call) => (environment.builtin)(&call.callee).and_then(|effect: Effect| effect.index),
            _ => None,
        };
        let is_counted = |op: &Op| match op {
            Op::Call(call) => (environment.summary)(&call.callee).is_some_and(|it| it.counted.is_some()),
            _ => false,
        };
        if !function.values.iter().any(|value| index(&value.op).is_some() || is_counted(&value.op)) {
            return Ids::default();
        }
        let mut finder = Finder {
            function,
            summary: environment.summary,
            lanes,
            launch: environment.launch,
            index: &index,
            implied: environment.implied,
            is_row: environment.launch.whole_strides && is_row(function, &index),
            units: RefCell::default(),
            values: index_vec![Known::default(); function.values.len()],
        };
        finder.find_all(order);
        Ids { values: finder.values }
    }

    /// How divergent ids make a value beside its base. None: it is as divergent as its operands.
    pub fn own(&self, value: ValueId) -> Option<Divergence> {
        self.values.get(value)?.own
    }

    /// The form of a value that the function returns, as callers may know it. None: no ids make it.
    pub fn of_result(&self, value: ValueId) -> Option<Form> {
        self.values.get(value)?.form?.for_callers()
    }

    /// Whether there are ids in a value beside its base.
    pub fn has_ids(&self, value: ValueId) -> bool {
        self.values.get(value).and_then(|known| known.form).is_some_and(|form| form.has_ids())
    }
}

/// Whether a function asks for no number of a dimension but the first: it is meant for work-groups that have one.
fn is_row(function: &Function, index: &dyn Fn(&Op) -> Option<Index>) -> bool {
    let asks_further = |op: &Op| {
        let Op::Call(call) = op else { return false };
        let of_dimension =
            matches!(index(op), Some(Index::Local | Index::Global | Index::LocalSize | Index::GlobalSize));
        let first = call.arguments.first().map(|&(it, _)| &function.values[it].op);
        of_dimension && !matches!(first, Some(Op::Constant(Constant::Zero | Constant::Integer(0))))
    };
    !function.values.iter().any(|value| asks_further(&value.op))
}

/// The number that a value is: a constant, or what a function returns whatever it is given.
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

struct Finder<'a> {
    function: &'a Function,
    summary: &'a dyn Fn(&Callee) -> Option<Arc<Summary>>,
    lanes: &'a Lanes,
    launch: Launch,
    index: &'a dyn Fn(&Op) -> Option<Index>,
    implied: &'a dyn Fn(Symbol) -> Option<Implied>,
    /// Work-groups are taken to have one dimension.
    is_row: bool,
    /// The constants of the build that are met, in the order of their numbers as units.
    units: RefCell<Vec<ValueId>>,
    values: IndexVec<ValueId, Known>,
}

impl Finder<'_> {
    /// Finds the forms of all values.
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

    /// By what a loop steps that begins at the local id in a dimension.
    fn stride(&self, phi: ValueId, incoming: &[(BlockId, ValueId)]) -> Option<Stride> {
        if !self.launch.whole_strides {
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

    /// A multiple of an argument, if a function returns one: by its definition, or else by its name.
    fn multiple(&self, call: &Call) -> Option<Form> {
        let by_name = || {
            let is_implied = |name: Symbol| (self.implied)(name) == Some(Implied::Multiple);
            let is_multiple = call.arguments.len() == 2 && call.callee.name().is_some_and(is_implied);
            is_multiple.then_some(Multiple { of: 1, of_powers_of_two: false })
        };
        let multiple = match (self.summary)(&call.callee) {
            Some(summary) => summary.multiple,
            None => by_name(),
        }?;
        let &(of, _) = call.arguments.get(multiple.of as usize)?;
        let is_power =
            || self.number(of).is_some_and(|number| u64::try_from(number).is_ok_and(u64::is_power_of_two));
        self.form(of)?.as_multiple().filter(|_| !multiple.of_powers_of_two || is_power())
    }

    fn is_sub_group_size(&self, id: ValueId) -> bool {
        names::is_sub_group_size(&self.function.values[id].op, self.implied)
    }

    /// What a function gives that ids make.
    fn counted(&self, call: &Call) -> Option<Form> {
        Some((self.summary)(&call.callee)?.counted?.form)
    }

    /// The form of a constant of the build. None: there are too many of them.
    fn unit(&self, name: ValueId) -> Option<Form> {
        let mut units = self.units.borrow_mut();
        let known = units.iter().position(|&it| it == name);
        let at = known.unwrap_or_else(|| {
            units.push(name);
            units.len() - 1
        });
        Some(Form::unit(UNITS.checked_add(u8::try_from(at).ok()?)?))
    }

    /// The unit that a value is.
    fn as_unit(&self, id: ValueId) -> Option<u8> {
        match &self.function.values[id].op {
            Op::Unknown { what: Unknown::Value, operands } => match **operands {
                [of] => self.as_unit(of),
                _ => None,
            },
            Op::Unknown { what: Unknown::Name(_), .. } if !self.is_sub_group_size(id) => {
                let at = self.units.borrow().iter().position(|&it| it == id)?;
                UNITS.checked_add(u8::try_from(at).ok()?)
            }
            _ => None,
        }
    }

    /// Finds the form of a value from those of its operands; tells whether that is news.
    fn find(&mut self, id: ValueId) -> bool {
        let value = &self.function.values[id];
        let Some((form, own)) = self.derived(id, &value.op, value.ty) else { return false };
        let known = &mut self.values[id];
        let is_news = known.form != Some(form) || known.own != own;
        if is_news {
            known.changes = known.changes.saturating_add(1);
            let gives_up = known.changes > CHANGES && matches!(value.op, Op::Phi(_));
            (known.form, known.own) =
                if gives_up { (Some(Form::leaf(value.ty)), None) } else { (Some(form), own) };
            return !gives_up || known.changes == CHANGES + 1;
        }
        false
    }

    fn form(&self, id: ValueId) -> Option<Form> {
        self.values[id].form
    }

    /// The form of an operation, and its own divergence. None: no operand has a form yet.
    fn derived(&self, id: ValueId, op: &Op, ty: Ty) -> Option<(Form, Option<Divergence>)> {
        let leaf = || Some((Form::leaf(ty), None));
        let compared = |op: Comparison, left: ValueId, right: ValueId| {
            Some((Form::leaf(ty), self.compared(op, self.form(left)?, self.form(right)?)))
        };
        let integer = match (op, ty.as_integer()) {
            (Op::Compare { op, left, right }, None) => return compared(*op, *left, *right),
            (_, Some(integer)) => integer,
            // Of an unknown type: taken for an integer.
            (_, None) if ty.is_unknown() => Ty::INT.as_integer()?,
            (_, None) => return leaf(),
        };
        match op {
            Op::Constant(Constant::Integer(number)) => Some((Form::number(*number, integer), None)),
            Op::Constant(Constant::Zero) => Some((Form::number(0, integer), None)),
            Op::Call(call) => match (self.index)(op) {
                Some(index) => {
                    let dimension = call.arguments.first().map(|&(it, _)| self.number(it));
                    Some(self.index(index, dimension, integer))
                }
                None => match self.number(id) {
                    Some(number) => Some((Form::number(number, integer), None)),
                    None if self.is_sub_group_size(id) => Some((self.sub_group_size(integer), None)),
                    None => match (self.counted(call), self.multiple(call)) {
                        (Some(form), _) => self.with_ids(Some(form), integer),
                        (None, Some(form)) => Some((form, None)),
                        (None, None) => leaf(),
                    },
                },
            },
            Op::Unknown { what: Unknown::Name(_), .. } if self.is_sub_group_size(id) => {
                Some((self.sub_group_size(integer), None))
            }
            Op::Unknown { what, operands } => match (what, &**operands) {
                (Unknown::Name(_), _) => Some((self.unit(id).unwrap_or(Form::leaf(ty)), None)),
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
            Op::Convert { conversion: Conversion::Integer, operand } => {
                let from = self.function.values[*operand].ty.as_integer();
                let form = self.form(*operand)?;
                self.with_ids(from.and_then(|from| form.converted(from, integer)), integer)
            }
            Op::Unary { op: UnaryOp::Negate, operand } => {
                let zero = Form::number(0, integer);
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

    /// A form as a result. None: it is not known.
    fn with_ids(&self, form: Option<Form>, integer: Integer) -> Option<(Form, Option<Divergence>)> {
        Some(match form {
            Some(form) => (form.or_leaf(integer), Some(self.own(form))),
            None => (Form::leaf_of(integer), None),
        })
    }

    fn sub_group_size(&self, integer: Integer) -> Form {
        let size = self.launch.sub_group_size;
        size.map_or(Form::leaf_of(integer), |size| Form::number(size.into(), integer))
    }

    fn number(&self, id: ValueId) -> Option<i128> {
        number(self.function, id, self.summary)
    }

    /// What a builtin gives. `dimension`: its argument, if it has one, and that is a number.
    fn index(
        &self,
        index: Index,
        dimension: Option<Option<i128>>,
        integer: Integer,
    ) -> (Form, Option<Divergence>) {
        let leaf = (Form::leaf_of(integer), None);
        match index {
            Index::LocalLinear => {
                let row = self.is_row.then(|| Form::id(0, &self.launch, Residue::number(0)));
                let form = Form::linear(&self.launch).or(row);
                return form.map_or(leaf, |form| (form, Some(self.own(form))));
            }
            Index::LocalLinearSize if self.is_row => return (Form::size(0, &self.launch), None),
            Index::LocalLinearSize => return leaf,
            _ => {}
        }
        let dimension = match dimension {
            Some(Some(number)) => match usize::try_from(number) {
                Ok(number) if number < 3 => number,
                // OpenCL C gives every thread the same for other dimensions.
                _ => return leaf,
            },
            Some(None) => return leaf,
            None => 0,
        };
        let form = match index {
            Index::Local => Form::id(dimension, &self.launch, Residue::number(0)),
            Index::Global => {
                Form::id(dimension, &self.launch, Residue::multiple_of_size(dimension, &self.launch))
            }
            Index::Lane => Form::lane(),
            Index::LocalLinear | Index::LocalLinearSize => return leaf,
            Index::SubGroupSize => return (self.sub_group_size(integer), None),
            Index::LocalSize => return (Form::size(dimension, &self.launch), None),
            Index::GlobalSize => {
                let base = match (dimension, self.launch.global_multiple_of) {
                    (0, Some(multiple)) => Residue::multiple_of(multiple.into()),
                    _ => Residue::multiple_of_size(dimension, &self.launch),
                };
                return (Form::uniform(base), None);
            }
        };
        (form, Some(self.own(form)))
    }

    /// What is one of several: with their ids, if these are the same.
    fn same_factors(
        &self,
        mut forms: impl Iterator<Item = Form>,
        integer: Integer,
    ) -> Option<(Form, Option<Divergence>)> {
        let first = forms.next()?;
        self.with_ids(forms.try_fold(first, Form::join), integer)
    }

    fn binary(
        &self,
        op: Arithmetic,
        left: ValueId,
        right: ValueId,
        integer: Integer,
    ) -> Option<(Form, Option<Divergence>)> {
        let (a, b) = (self.form(left)?, self.form(right)?);
        let number = |id: ValueId| self.number(id).map(|number| signed(number, integer));
        let linear = match op {
            Arithmetic::Add => match (number(left), number(right)) {
                (_, Some(less)) if less < 0 && !integer.signed() => {
                    self.difference(a, Form::number(-less, integer), integer)
                }
                (Some(less), _) if less < 0 && !integer.signed() => {
                    self.difference(b, Form::number(-less, integer), integer)
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
                    _ => a.times(b),
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
            // What is not negative stays so.
            Arithmetic::Div | Arithmetic::Rem | Arithmetic::Shr if !a.may_be_negative() => {
                return Some((Form::uniform(Residue::ANY), None));
            }
            _ => None,
        };
        self.with_ids(linear, integer)
    }

    /// `a - b`. In an unsigned type it is exact only if the threads of a work-group wrap all or none.
    fn difference(&self, a: Form, b: Form, integer: Integer) -> Option<Form> {
        let form = a.minus(b)?;
        let is_exact = integer.signed() || form.may_be_unsigned(&self.launch);
        Some(if is_exact { form.in_type(integer) } else { form.as_signed() })
    }

    /// Operations that leave out a part of a number that has ids.
    fn divided(
        &self,
        op: Arithmetic,
        (a, left): (Form, Option<i128>),
        (b, right): (Form, Option<i128>),
        integer: Integer,
    ) -> (Form, Option<Divergence>) {
        let plain = (Form::leaf_of(integer), None);
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
                (Form::uniform(Residue::ANY), own)
            }
            Arithmetic::Shr => match small(right) {
                Some(count @ 0..=30) if a.has_ids() && a.is_exact() => {
                    let own = self.divergence(|scope| a.has_one_quotient(1 << count, scope, &self.launch));
                    (Form::leaf_of(integer), own)
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
                (Form::leaf_of(integer), own)
            }
        };
        // The ids decide: what they come from tells it best.
        if result.1 == Divergence::Subgroup { plain } else { (result.0, Some(result.1)) }
    }

    /// What is left of a number with ids when it is divided.
    fn remainder(&self, form: Form, by: i64, integer: Integer) -> (Form, Option<Divergence>) {
        match form.remainder(by, &self.launch) {
            Some(form) => (form, Some(self.own(form))),
            None => (Form::leaf_of(integer), None),
        }
    }

    fn compared(&self, op: Comparison, left: Form, right: Form) -> Option<Divergence> {
        if !left.has_ids() && !right.has_ids() {
            return None;
        }
        let keeps_order = left.keeps_order() && right.keeps_order();
        let of = |less: Form, than: Form| {
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

    /// How divergent ids make a form.
    fn own(&self, form: Form) -> Divergence {
        self.divergence(|scope| form.is_uniform(scope, &self.launch))
    }

    /// How divergent something is that is the same for the groups of some scopes.
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

/// A number of a type as the number of the signed type of its width.
fn signed(number: i128, integer: Integer) -> i128 {
    let bits = integer.bits();
    if !integer.signed() && bits < 128 && number >= 1 << (bits - 1) { number - (1 << bits) } else { number }
}
