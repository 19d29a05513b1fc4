//! Lowers unknowns (`docs/semantics.md` §9) to operations of their own, so that every function has a graph.
//!
//! **Part** of a place: a member or element of an object of unknown type. In memory, its address is somewhere inside
//! the object. A part of a variable is the whole variable: a store to the part makes a new value from the old value and
//! the stored one. A pointer with an undeclared name points to memory of its own.
//!
//! ```c
//! void f(global T *p, T v, int n) {  // T is undeclared
//!   v.x = n;          // set $v, (unknown value $v, %n)
//!   p[1].y = v.x;     // store (unknown value $v), (unknown place %p[1])
//!   if (n < SIZE) …   // lt %n, (unknown name SIZE)
//! }
//! ```

use super::operation::is_record;
use super::place::{Memory, Place, Through};
use super::{Builder, VariableStorage, align};
use crate::flow::{self, Call, Op, Passing, Unknown, Value, ValueId};
use tangle_hir::body::CallId;
use tangle_hir::typed::{self, Arithmetic, ExprId};
use tangle_hir::types::{FunctionTy, Ty, TyKind};

use tangle_grammar::ast::AddressSpace;
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::UnresolvedCallee;

impl Builder<'_> {
    /// Adds an unknown value that depends on `operands`.
    pub(super) fn unknown(&mut self, operands: impl IntoIterator<Item = ValueId>, ty: Ty) -> ValueId {
        let ty = if ty.is_void() { Ty::UNKNOWN } else { ty };
        self.push(Op::Unknown { what: Unknown::Value, operands: operands.into_iter().collect() }, ty)
    }

    /// Converts a value of unknown type to a known type.
    pub(super) fn convert_to_known(&mut self, value: ValueId, ty: Ty) -> ValueId {
        match self.ty(value).is_unknown() && !ty.is_unknown() && !ty.is_void() {
            true => self.unknown([value], ty),
            false => value,
        }
    }

    /// Converts a value for a store to memory of type `ty`. If `ty` is unknown, an address is stored unchanged, and any
    /// other value as an unknown value.
    pub(super) fn convert_for_store(&mut self, value: ValueId, ty: Ty) -> ValueId {
        match ty.is_unknown() && !self.ty(value).is_unknown() && self.ty(value).as_pointer().is_none() {
            true => self.unknown([value], ty),
            false => self.convert_to_known(value, ty),
        }
    }

    /// Returns the value of an undeclared name that the body only reads, or of a constant that depends on template
    /// arguments. It is defined in the entry block.
    fn constant_of_build(&mut self, what: Unknown, ty: Ty) -> ValueId {
        let span = self.span;
        let values = &mut self.function.values;
        *self.constants.entry((what, ty)).or_insert_with(|| {
            let op = Op::Unknown { what, operands: Box::default() };
            values.push(Value { op, ty, name: None, span })
        })
    }

    /// Whether an expression consists of one undeclared name.
    pub(super) fn is_undeclared_name(&self, expr: ExprId) -> bool {
        matches!(self.typed.exprs[expr].kind, typed::ExprKind::Unknown { what: typed::Unknown::Name(_), .. })
    }

    /// Adds an unsupported statement. Control is assumed to continue after it.
    pub(super) fn unknown_statement(&mut self) {
        self.effect(Op::Unknown { what: Unknown::Statement, operands: Box::default() });
    }

    /// Lowers an operator on an atomic object. Each thread gets a different value.
    pub(super) fn atomic(&mut self, place: &Place, operands: &[ValueId], ty: Ty) -> ValueId {
        let mut operands = operands.to_vec();
        operands.push(self.call_unnamed(&[]));
        let value = self.unknown(operands, ty);
        self.store(place, value)
    }

    /// Adds an unknown call without a name: the output of inline assembly that reads `values`, or the old value of an
    /// atomic object.
    pub(super) fn call_unnamed(&mut self, values: &[ValueId]) -> ValueId {
        self.call_unknown(|ty| flow::Callee::Unknown { named: None, ty }, values, None, Ty::UNKNOWN)
    }

    /// Adds a call of an unknown callee with evaluated arguments, which also determine the type of the callee.
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

    /// Stores an unknown value as a record. Returns the address.
    pub(super) fn record_of(&mut self, value: ValueId, ty: Ty) -> ValueId {
        let address = self.slot(None, ty, self.span);
        self.effect(Op::Store { address, value, volatile: false, align: align(ty) });
        address
    }

    /// Evaluates a partly unknown expression.
    pub(super) fn unknown_value(
        &mut self,
        id: ExprId,
        what: typed::Unknown,
        operands: &[ExprId],
        ty: Ty,
    ) -> ValueId {
        let span = self.span;
        let value = match what {
            typed::Unknown::Name(_) | typed::Unknown::ElementOrTarget | typed::Unknown::Member(_) => {
                let place = self.place(id);
                self.span = span;
                let value = self.load(&place);
                // The type of the expression may be known: a lane has the type of the other lanes.
                self.convert_to_known(value, ty)
            }
            typed::Unknown::Dependent(text) => self.constant_of_build(Unknown::Dependent(text), ty),
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
                let ty = if ty.is_void() || is_record(ty) { Ty::UNKNOWN } else { ty };
                self.push(Op::Unknown { what, operands: values }, ty)
            }
            typed::Unknown::Update(op) => {
                let Some((&first, further)) = operands.split_first() else { return self.unknown([], ty) };
                let place = self.place(first);
                let further: Vec<ValueId> = further.iter().map(|&operand| self.content(operand)).collect();
                self.span = span;
                self.update(&place, op, further)
            }
            typed::Unknown::Call { named, call, constant, template } => {
                let values: Vec<ValueId> = operands.iter().map(|&operand| self.value(operand)).collect();
                self.span = span;
                let result = if is_record(ty) { Ty::UNKNOWN } else { ty };
                let value = match (named, values.split_first()) {
                    (None, Some((&address, values))) => {
                        self.call_unknown(|ty| flow::Callee::Pointer { address, ty }, values, call, result)
                    }
                    _ => self.call_unknown(|ty| flow::Callee::Unknown { named, ty }, &values, call, result),
                };
                if !constant {
                    value
                } else {
                    // All evaluations of a name without arguments give the same value.
                    let what = match template {
                        _ if !values.is_empty() => None,
                        Some(Symbol::EMPTY) => None,
                        Some(text) => Some(Unknown::Dependent(text)),
                        None => named.and_then(UnresolvedCallee::name).map(Unknown::Name),
                    };
                    match what {
                        Some(what) => {
                            let known = self.constant_of_build(what, Ty::UNKNOWN);
                            self.convert_to_known(known, result)
                        }
                        None => self.unknown([], result),
                    }
                }
            }
        };
        match is_record(ty) && self.ty(value).as_pointer().is_none() {
            true => self.record_of(value, ty),
            false => value,
        }
    }

    /// Evaluates an operand of an unknown operation. For a record, loads its contents.
    fn content(&mut self, operand: ExprId) -> ValueId {
        let value = self.value(operand);
        match is_record(self.complete(self.typed.exprs[operand].ty)) && self.ty(value).as_pointer().is_some()
        {
            true => self.push(Op::Load { address: value, volatile: false, align: 1 }, Ty::UNKNOWN),
            false => value,
        }
    }

    /// Stores a new value that depends on the old value of a place and on `further`.
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

    /// Returns the place of a partly unknown expression.
    pub(super) fn unknown_place(&mut self, id: ExprId, what: typed::Unknown, operands: &[ExprId]) -> Place {
        match (what, operands) {
            (typed::Unknown::Name(name), _) => match self.undeclared.get(&name) {
                Some(VariableStorage::Variable(variable)) => Place::Variable(*variable, Ty::UNKNOWN),
                Some(VariableStorage::Memory(address)) => self.memory(*address, Ty::UNKNOWN, false),
                None => Place::Value(self.constant_of_build(Unknown::Name(name), Ty::UNKNOWN)),
            },
            (typed::Unknown::ElementOrTarget | typed::Unknown::Member(_), [base, through @ ..]) => {
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

    /// Returns the address of a part of `base` if `base` is memory, or a value, which counts as a pointer. None for
    /// other places.
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
                _ => Unknown::Address,
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

    /// Whether a value may be an address: it is a pointer, or an undeclared name.
    fn is_address(&self, value: ValueId) -> bool {
        let value = &self.function.values[value];
        value.ty.as_pointer().is_some()
            || matches!(value.op, Op::Unknown { what: Unknown::Name(_) | Unknown::Dependent(_), .. })
    }

    pub(super) fn store_part(&mut self, base: &Place, through: &[Through], value: ValueId) -> ValueId {
        if let Some(address) = self.place_of_part(base, through) {
            let value = self.convert_for_store(value, Ty::UNKNOWN);
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

/// Returns the values that select the part, without the members.
fn values(through: &[Through]) -> impl Iterator<Item = ValueId> {
    through.iter().filter_map(|it| match it {
        Through::Value(value) => Some(*value),
        Through::Member(_) => None,
    })
}
