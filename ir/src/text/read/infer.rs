//! Computes the types that the text omits, once all lines are read.
//!
//! The type of each value comes from the text, from another value, or from the deciding operand
//! ([`typing`](crate::flow::typing)). These chains are followed without recursion. A cyclic chain is an error.

use index_vec::{IndexVec, index_vec};
use tangle_base::Span;

use super::body::Body;
use super::{Error, Parser};
use crate::flow::typing::{self, TypeOrigin};
use crate::flow::{Function, Op, Value, ValueId};
use crate::text::normal::normal;
use crate::types::Ty;
use crate::value::{Constant, Conversion};

/// The origin of the type of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Origin {
    Known(Ty),
    /// The type of another value.
    Same(ValueId),
    /// The lane type of another value.
    Lane(ValueId),
    /// The operation and its operands determine the type.
    Operation,
    /// The value is used, but not defined yet.
    Missing,
}

/// The open questions about the values of a function.
#[derive(Default)]
pub(super) struct Unresolved {
    from: IndexVec<ValueId, Origin>,
    /// The first token of each value, for error messages.
    at: IndexVec<ValueId, usize>,
    /// The calls whose callee has the type that the arguments imply.
    callees: Vec<ValueId>,
    /// Whether the call that is being read states the type of its callee.
    pub said_callee: bool,
}

impl Unresolved {
    pub fn push(&mut self, function: &mut Function, op: Op, from: Origin, at: usize) -> ValueId {
        let value = Value { op, ty: Ty::UNKNOWN, name: None, span: Span::new(0, 0) };
        let value = function.values.push(value);
        self.from.push(from);
        self.at.push(at);
        self.note_callee(function, value);
        value
    }

    /// Adds a value that a later line defines.
    pub fn forward(&mut self, function: &mut Function, at: usize) -> ValueId {
        self.push(function, Op::Constant(Constant::Undefined), Origin::Missing, at)
    }

    /// Defines a value that was used before. Returns false if it is already defined.
    pub fn define(
        &mut self,
        function: &mut Function,
        value: ValueId,
        op: Op,
        from: Origin,
        at: usize,
    ) -> bool {
        if self.from[value] != Origin::Missing {
            return false;
        }
        function.values[value].op = op;
        self.from[value] = from;
        self.at[value] = at;
        self.note_callee(function, value);
        true
    }

    fn note_callee(&mut self, function: &Function, value: ValueId) {
        if matches!(function.values[value].op, Op::Call(_)) && !std::mem::take(&mut self.said_callee) {
            self.callees.push(value);
        }
    }
}

impl Parser<'_> {
    /// Returns the function that was read, in its normal form.
    pub(super) fn resolve(&self, body: Body) -> Result<Function, Error> {
        let Body { mut function, open, .. } = body;
        self.types_of(&mut function, &open)?;
        for &call in &open.callees {
            let value = &function.values[call];
            let Op::Call(it) = &value.op else { continue };
            let reported = typing::callee(it, value.ty, |value| function.values[value].ty);
            let Op::Call(it) = &mut function.values[call].op else { continue };
            *it.callee.ty_mut() = reported;
        }
        for value in function.values.indices() {
            let to = function.values[value].ty;
            match function.values[value].op {
                Op::Convert { conversion: Conversion::Discard, operand } => {
                    let reported = typing::conversion(function.values[operand].ty, to);
                    let reported = reported.ok_or_else(|| {
                        self.error_at(open.at[value], "no conversion exists between these types")
                    })?;
                    if let Op::Convert { conversion, .. } = &mut function.values[value].op {
                        *conversion = reported;
                    }
                }
                Op::Store { value: stored, align: 0, .. } => {
                    let natural = typing::natural_align(function.values[stored].ty);
                    let missing =
                        || self.error_at(open.at[value], "this type has no natural alignment: add `align`");
                    let natural = natural.ok_or_else(missing)?;
                    if let Op::Store { align, .. } = &mut function.values[value].op {
                        *align = natural;
                    }
                }
                _ => {}
            }
        }
        Ok(normal(&function))
    }

    fn types_of(&self, function: &mut Function, open: &Unresolved) -> Result<(), Error> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Begun,
            Done,
        }
        let mut states: IndexVec<ValueId, State> = index_vec![State::New; function.values.len()];
        for value in function.values.indices() {
            let mut todo = vec![value];
            while let Some(&value) = todo.last() {
                let op = &function.values[value].op;
                let source = match open.from[value] {
                    Origin::Known(ty) => TypeOrigin::Fixed(ty),
                    Origin::Same(of) | Origin::Lane(of) => TypeOrigin::Operand(of),
                    Origin::Operation => typing::source(op),
                    Origin::Missing => {
                        let name = &self.tokens[open.at[value]];
                        let name = &self.text[name.start..name.end];
                        return Err(self.error_at(open.at[value], &format!("unknown value `{name}`")));
                    }
                };
                let ty = match source {
                    TypeOrigin::Fixed(ty) => ty,
                    TypeOrigin::Operand(of) if states[of] == State::Done => {
                        let ty = function.values[of].ty;
                        match open.from[value] {
                            Origin::Lane(_) => typing::lane(ty),
                            Origin::Same(_) => ty,
                            _ => typing::from(op, ty),
                        }
                    }
                    TypeOrigin::Operand(of) if states[of] == State::New && of != value => {
                        states[value] = State::Begun;
                        todo.push(of);
                        continue;
                    }
                    TypeOrigin::Operand(_) | TypeOrigin::Explicit => {
                        return Err(
                            self.error_at(open.at[value], "cannot infer the type of this value: write it")
                        );
                    }
                };
                function.values[value].ty = ty;
                states[value] = State::Done;
                todo.pop();
            }
        }
        Ok(())
    }
}
