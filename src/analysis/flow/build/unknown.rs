//! What is not known (`docs/semantics.md` §9): operations that say so stand for it, so that every function has a graph.
//!
//! **Part** of a place: a member or element of something of which it is not known what it has. In memory it is somewhere in what the address
//! of the whole points to; of a variable it is the variable: whoever stores a part stores something that is made of the old value and the
//! new part. What a name leads to that nothing declares is memory of its own.
//!
//! ```c
//! void f(global T *p, T v, int n) {  // T: nothing declares it
//!   v.x = n;          // set $v, (unknown value $v, %n)
//!   p[1].y = v.x;     // store (unknown value $v), (unknown place %p[1])
//!   if (n < SIZE) …   // lt %n, (unknown name SIZE)
//! }
//! ```

use super::operation::is_record;
use super::place::{Memory, Place, Through};
use super::{Builder, Home, align};
use crate::flow::{self, Call, Op, Passing, Unknown, Value, ValueId};
use tangle_hir::body::CallId;
use tangle_hir::typed::{self, Arithmetic, ExprId};
use tangle_hir::types::{FunctionTy, Ty, TyKind};

use tangle_grammar::ast::AddressSpace;
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::Named;

impl Builder<'_> {
    /// Something that is made of values, of which no more is known.
    pub(super) fn unknown(&mut self, operands: impl IntoIterator<Item = ValueId>, ty: Ty) -> ValueId {
        let ty = if ty.is_void() { Ty::UNKNOWN } else { ty };
        self.push(Op::Unknown { what: Unknown::Value, operands: operands.into_iter().collect() }, ty)
    }

    /// A value of which the type was not known, where one of the type stands.
    pub(super) fn taken_as(&mut self, value: ValueId, ty: Ty) -> ValueId {
        match self.ty(value).is_unknown() && !ty.is_unknown() && !ty.is_void() {
            true => self.unknown([value], ty),
            false => value,
        }
    }

    /// A value as it goes into memory: addresses go as they are, others into memory of an unknown type as something unknown.
    pub(super) fn stored_as(&mut self, value: ValueId, ty: Ty) -> ValueId {
        match ty.is_unknown() && !self.ty(value).is_unknown() && self.ty(value).as_pointer().is_none() {
            true => self.unknown([value], ty),
            false => self.taken_as(value, ty),
        }
    }

    /// What a name stands for that nothing declares and nothing changes. It is there from the beginning.
    pub(super) fn constant_of_build(&mut self, name: Symbol) -> ValueId {
        let span = self.span;
        let values = &mut self.function.values;
        *self.constants.entry(name).or_insert_with(|| {
            let op = Op::Unknown { what: Unknown::Name(name), operands: Box::default() };
            values.push(Value { op, ty: Ty::UNKNOWN, name: None, span })
        })
    }

    /// A statement that is not understood is taken to run on.
    pub(super) fn unknown_statement(&mut self) {
        self.effect(Op::Unknown { what: Unknown::Statement, operands: Box::default() });
    }

    /// What an operator makes of an object that is atomic: each thread sees another value.
    pub(super) fn atomic(&mut self, place: &Place, operands: &[ValueId], ty: Ty) -> ValueId {
        let mut operands = operands.to_vec();
        operands.push(self.call_unnamed(&[]));
        let value = self.unknown(operands, ty);
        self.store(place, value)
    }

    /// What no function of the source yields: what inline assembly writes, having read some values, or what an atomic operator finds.
    pub(super) fn call_unnamed(&mut self, values: &[ValueId]) -> ValueId {
        self.call_unknown(|ty| flow::Callee::Unknown { named: None, ty }, values, None, Ty::UNKNOWN)
    }

    /// A call of which it is not known what it calls, with arguments that are evaluated. The callee gets the type that follows from them.
    fn call_unknown(
        &mut self,
        callee: impl FnOnce(Ty) -> flow::Callee,
        values: &[ValueId],
        call: Option<CallId>,
        ty: Ty,
    ) -> ValueId {
        let parameters = values.iter().map(|&value| self.ty(value)).collect();
        let function = FunctionTy { result: ty, parameters, variadic: false };
        let callee = callee(Ty::new(TyKind::Function(Box::new(function))));
        let arguments = values.iter().map(|&value| (value, Passing::Value)).collect();
        self.push(Op::Call(Call { callee, arguments, call, convergent: false, token: None }), ty)
    }

    /// Something unknown as a record: the address of memory that holds it.
    pub(super) fn record_of(&mut self, value: ValueId, ty: Ty) -> ValueId {
        let address = self.slot(None, ty, self.span);
        self.effect(Op::Store { address, value, volatile: false, align: align(ty) });
        address
    }

    /// The value of an expression of which not all is known.
    pub(super) fn unknown_value(
        &mut self,
        id: ExprId,
        what: typed::Unknown,
        operands: &[ExprId],
        ty: Ty,
    ) -> ValueId {
        let span = self.span;
        let value = match what {
            typed::Unknown::Name(_) | typed::Unknown::Part | typed::Unknown::Member(_) => {
                let place = self.place(id);
                self.span = span;
                let value = self.load(&place);
                // The expression may say what its part is: a lane has the type of the others.
                self.taken_as(value, ty)
            }
            typed::Unknown::Given(name) => {
                let given = self.constant_of_build(name);
                self.taken_as(given, ty)
            }
            typed::Unknown::Address => {
                let Some(&operand) = operands.first() else { return self.unknown([], ty) };
                let place = self.place(operand);
                self.span = span;
                self.address(&place)
            }
            typed::Unknown::Value | typed::Unknown::Arithmetic(_) | typed::Unknown::Compare(_) => {
                let values: Vec<ValueId> = operands.iter().map(|&operand| self.content(operand)).collect();
                self.span = span;
                let is_void = |value: &ValueId| self.ty(*value).is_void();
                let what = match what {
                    typed::Unknown::Arithmetic(op) if !values.iter().any(is_void) => Unknown::Arithmetic(op),
                    typed::Unknown::Compare(op) if !values.iter().any(is_void) => Unknown::Compare(op),
                    _ => Unknown::Value,
                };
                let values = values.into_iter().filter(|value| !is_void(value)).collect();
                let ty = if ty.is_void() { Ty::UNKNOWN } else { ty };
                self.push(Op::Unknown { what, operands: values }, ty)
            }
            typed::Unknown::Update(op) => {
                let Some((&first, further)) = operands.split_first() else { return self.unknown([], ty) };
                let place = self.place(first);
                let further: Vec<ValueId> = further.iter().map(|&operand| self.content(operand)).collect();
                self.span = span;
                self.update(&place, op, further)
            }
            typed::Unknown::Call { named, call, constant } => {
                let values: Vec<ValueId> = operands.iter().map(|&operand| self.value(operand)).collect();
                self.span = span;
                let result = if is_record(ty) { Ty::UNKNOWN } else { ty };
                let value = match (named, values.split_first()) {
                    (None, Some((&address, values))) => {
                        self.call_unknown(|ty| flow::Callee::Pointer { address, ty }, values, call, result)
                    }
                    _ => self.call_unknown(|ty| flow::Callee::Unknown { named, ty }, &values, call, result),
                };
                match named.and_then(Named::name) {
                    // The same wherever it is asked.
                    Some(name) if constant && values.is_empty() => {
                        let known = self.constant_of_build(name);
                        self.taken_as(known, result)
                    }
                    _ if constant => self.unknown([], result),
                    _ => value,
                }
            }
        };
        match is_record(ty) && self.ty(value).as_pointer().is_none() {
            true => self.record_of(value, ty),
            false => value,
        }
    }

    /// The value of an operand from which something unknown is made; of a record, what is in it.
    fn content(&mut self, operand: ExprId) -> ValueId {
        let value = self.value(operand);
        match is_record(self.complete(self.typed.exprs[operand].ty)) && self.ty(value).as_pointer().is_some()
        {
            true => self.push(Op::Load { address: value, volatile: false, align: 1 }, Ty::UNKNOWN),
            false => value,
        }
    }

    /// Stores something that is made of what a place holds and of other values.
    pub(super) fn update(
        &mut self,
        place: &Place,
        op: Option<Arithmetic>,
        mut further: Vec<ValueId>,
    ) -> ValueId {
        let old = self.load(place);
        let ty = place.ty(self);
        let ty = if is_record(ty) { Ty::UNKNOWN } else { ty };
        let new = match op {
            Some(op) => {
                let by = further.pop().unwrap_or_else(|| self.integer(1, Ty::INT));
                self.push(Op::Unknown { what: Unknown::Arithmetic(op), operands: [old, by].into() }, ty)
            }
            None => self.unknown([old].into_iter().chain(further), ty),
        };
        self.store(place, new)
    }

    /// The place of an expression of which not all is known.
    pub(super) fn unknown_place(&mut self, id: ExprId, what: typed::Unknown, operands: &[ExprId]) -> Place {
        match (what, operands) {
            (typed::Unknown::Name(name), _) => match self.undeclared.get(&name) {
                Some(Home::Variable(variable)) => Place::Variable(*variable, Ty::UNKNOWN),
                Some(Home::Memory(address)) => self.memory(*address, Ty::UNKNOWN, false),
                None => Place::Value(self.constant_of_build(name)),
            },
            (typed::Unknown::Part | typed::Unknown::Member(_), [base, through @ ..]) => {
                let span = self.span;
                let base = self.place(*base);
                let values = through.iter().map(|&operand| Through::Value(self.value(operand)));
                let mut own: Vec<Through> = values.collect();
                if let typed::Unknown::Member(name) = what {
                    own.push(Through::Member(name));
                }
                self.span = span;
                match base {
                    Place::Part { base, mut through } => {
                        through.extend(own);
                        Place::Part { base, through }
                    }
                    base => Place::Part { base: Box::new(base), through: own },
                }
            }
            _ => {
                let ty = self.complete(self.typed.exprs[id].ty);
                let value = self.unknown_value(id, what, operands, ty);
                match is_record(ty) {
                    true => self.memory(value, ty, false),
                    false => Place::Value(value),
                }
            }
        }
    }

    /// Where a part is, if what it is a part of is in memory, or leads there.
    fn place_of_part(&mut self, base: &Place, through: &[Through]) -> Option<ValueId> {
        let (mut address, ty) = match base {
            Place::Memory(Memory { address, .. }) => (*address, self.pointer_beside(*address, Ty::UNKNOWN)),
            Place::Value(value) => match self.ty(*value).as_pointer() {
                Some(_) => (*value, self.pointer_beside(*value, Ty::UNKNOWN)),
                None => (*value, Ty::pointer(Ty::UNKNOWN, AddressSpace::Generic)),
            },
            _ => return None,
        };
        let is_member = |it: &Through| matches!(it, Through::Member(_));
        let steps = through.chunk_by(|a, b| !is_member(a) && !is_member(b));
        for step in steps.chain(through.is_empty().then_some(through)) {
            let what = match step {
                [Through::Member(name)] => Unknown::Member(*name),
                _ => Unknown::Place,
            };
            let operands = [address].into_iter().chain(values(step)).collect();
            address = self.push(Op::Unknown { what, operands }, ty);
        }
        Some(address)
    }

    pub(super) fn load_part(&mut self, base: &Place, through: &[Through]) -> ValueId {
        if !matches!(base, Place::Value(value) if !self.is_address(*value))
            && let Some(address) = self.place_of_part(base, through)
        {
            return self.push(Op::Load { address, volatile: false, align: 1 }, Ty::UNKNOWN);
        }
        let whole = self.load(base);
        if let [Through::Member(name)] = through {
            let what = Unknown::Member(*name);
            return self.push(Op::Unknown { what, operands: [whole].into() }, Ty::UNKNOWN);
        }
        self.unknown([whole].into_iter().chain(values(through)), Ty::UNKNOWN)
    }

    /// Whether a value may be taken for an address: it is one, or it is a name that may stand for one.
    fn is_address(&self, value: ValueId) -> bool {
        let value = &self.function.values[value];
        value.ty.as_pointer().is_some() || matches!(value.op, Op::Unknown { what: Unknown::Name(_), .. })
    }

    pub(super) fn store_part(&mut self, base: &Place, through: &[Through], value: ValueId) -> ValueId {
        if let Some(address) = self.place_of_part(base, through) {
            let value = self.stored_as(value, Ty::UNKNOWN);
            self.effect(Op::Store { address, value, volatile: false, align: 1 });
            return value;
        }
        let whole = self.load(base);
        let ty = base.ty(self);
        let new = self.unknown([whole].into_iter().chain(values(through)).chain([value]), ty);
        self.store(base, new);
        value
    }

    pub(super) fn address_of_part(&mut self, base: &Place, through: &[Through]) -> ValueId {
        self.place_of_part(base, through).unwrap_or_else(|| {
            let whole = self.load(base);
            self.unknown([whole].into_iter().chain(values(through)), Ty::UNKNOWN)
        })
    }
}

/// The values that say which part it is.
fn values(through: &[Through]) -> impl Iterator<Item = ValueId> {
    through.iter().filter_map(|it| match it {
        Through::Value(value) => Some(*value),
        Through::Member(_) => None,
    })
}
