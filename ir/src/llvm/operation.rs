//! Operations on numbers and vectors, and the operations without an instruction.

use std::fmt::Write;
use std::rc::Rc;

use super::constant::is_sampler;
use super::function::FunctionWriter;
use super::types::Reason;
use crate::flow::{Callee, Op, Token, ValueId};
use crate::types::{Ty, TyKind};
use crate::value::{Arithmetic, Comparison, Conversion, UnaryOp};

/// The kind of the lanes of a type in LLVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneKind {
    Signed,
    Unsigned,
    Float,
    Pointer,
}

/// Returns the kind of a scalar, vector or pointer. An opaque type counts as unsigned.
pub(super) fn number(ty: Ty) -> LaneKind {
    match ty.kind() {
        TyKind::Integer(integer) if integer.signed() => LaneKind::Signed,
        TyKind::Float(_) => LaneKind::Float,
        TyKind::Pointer(_) | TyKind::BlockPointer(_) => LaneKind::Pointer,
        TyKind::Vector { element, .. } => number(*element),
        TyKind::Atomic(inner) => number(*inner),
        _ => LaneKind::Unsigned,
    }
}

impl<'a> FunctionWriter<'_, 'a> {
    /// Returns the operand that a value is equal to, if the value needs no instruction.
    pub fn alias(&mut self, id: ValueId) -> Option<ValueId> {
        let function = self.function;
        let value = &function.values[id];
        match &value.op {
            Op::Convert { conversion, operand } => {
                let keeps = matches!(
                    conversion,
                    Conversion::Integer
                        | Conversion::Float
                        | Conversion::Pointer
                        | Conversion::Bits
                        | Conversion::ToBool
                );
                let from = self.module.types.value(function.values[*operand].ty).ok()?;
                let to = self.module.types.value(value.ty).ok()?;
                let sampler = is_sampler(value.ty) != is_sampler(function.values[*operand].ty);
                (keeps && from == to && !sampler).then_some(*operand)
            }
            Op::Field { base, record, .. } => {
                record.as_record().is_some_and(|record| record.union).then_some(*base)
            }
            Op::Call(call) => match &call.callee {
                Callee::CompilerBuiltin { name, .. } if super::compiler::is_first_argument(name.as_str()) => {
                    let (first, _) = call.arguments.first()?;
                    let same = self.module.types.value(function.values[*first].ty).ok()?
                        == self.module.types.value(value.ty).ok()?;
                    same.then_some(*first)
                }
                _ => None,
            },
            _ => None,
        }
    }

    pub fn operation(&mut self, id: ValueId, op: &'a Op) -> Result<(), Reason> {
        match op {
            // Leaves are in no block, and `FunctionWriter::block` writes phis.
            Op::Parameter(_)
            | Op::Constant(_)
            | Op::Slot(_)
            | Op::Global(_)
            | Op::Function(_)
            | Op::String(_)
            | Op::Phi(_) => Ok(()),
            Op::Get(_) | Op::Set(..) => Err("the function is not in SSA form".to_owned()),
            Op::Unary { op, operand } => self.unary(id, *op, *operand),
            Op::Binary { op, left, right } => self.binary(id, *op, *left, *right),
            Op::Compare { op, left, right } => self.compare(id, *op, *left, *right),
            Op::Convert { conversion, operand } => self.convert(id, *conversion, *operand),
            Op::Select { condition, then, otherwise } => self.select(id, *condition, *then, *otherwise),
            Op::Extract { vector, lane } => {
                let (vector, lane) = (self.typed(*vector)?, self.typed(*lane)?);
                self.define(id, format_args!("extractelement {vector}, {lane}"));
                Ok(())
            }
            Op::Insert { vector, lane, value } => {
                let (vector, lane, value) = (self.typed(*vector)?, self.typed(*lane)?, self.typed(*value)?);
                self.define(id, format_args!("insertelement {vector}, {value}, {lane}"));
                Ok(())
            }
            Op::Shuffle { left, right, lanes } => self.shuffle(id, *left, *right, lanes),
            Op::Load { address, volatile, align } => self.load(id, *address, *volatile, *align),
            Op::Store { address, value, volatile, align } => self.store(*address, *value, *volatile, *align),
            Op::Copy { to, from, ty } => self.copy(*to, *from, *ty),
            Op::Clear { address, ty } => self.clear(*address, *ty),
            Op::Element { base, index, element } => self.element(id, *base, *index, *element),
            Op::Field { base, record, field } => self.field(id, *base, *record, *field),
            Op::Call(call) => self.call(id, call),
            Op::Unknown { what, .. } => Err(what.reason()),
            Op::Token(token) => self.token(id, *token),
        }
    }

    fn unary(&mut self, id: ValueId, op: UnaryOp, operand: ValueId) -> Result<(), Reason> {
        let ty = self.function.values[id].ty;
        let text = self.ty(id)?;
        let value = self.operand(operand);
        match (op, number(ty)) {
            (UnaryOp::Negate, LaneKind::Float) => self.define(id, format_args!("fneg {text} {value}")),
            (UnaryOp::Negate, _) => {
                let zero = if ty.as_vector().is_some() { "zeroinitializer" } else { "0" };
                self.define(id, format_args!("sub {text} {zero}, {value}"));
            }
            (UnaryOp::Complement, _) => {
                let ones = self.all_lanes(ty, if ty == Ty::BOOL { "true" } else { "-1" })?;
                self.define(id, format_args!("xor {text} {value}, {ones}"));
            }
        }
        Ok(())
    }

    /// Returns a constant with this scalar in every lane, without its type.
    pub fn all_lanes(&mut self, ty: Ty, scalar: &str) -> Result<String, Reason> {
        let Some((element, lanes)) = ty.as_vector() else { return Ok(scalar.to_owned()) };
        let element = self.module.types.value(element)?;
        let lanes = (0..lanes).map(|_| format!("{element} {scalar}")).collect::<Vec<_>>();
        Ok(format!("<{}>", lanes.join(", ")))
    }

    fn binary(&mut self, id: ValueId, op: Arithmetic, left: ValueId, right: ValueId) -> Result<(), Reason> {
        let instruction = match (op, number(self.function.values[id].ty)) {
            (Arithmetic::Mul, LaneKind::Float) => "fmul",
            (Arithmetic::Div, LaneKind::Float) => "fdiv",
            (Arithmetic::Rem, LaneKind::Float) => "frem",
            (Arithmetic::Add, LaneKind::Float) => "fadd",
            (Arithmetic::Sub, LaneKind::Float) => "fsub",
            (_, LaneKind::Float | LaneKind::Pointer) => {
                return Err("a bitwise operation has operands that are not integers".to_owned());
            }
            (Arithmetic::Mul, _) => "mul",
            (Arithmetic::Div, LaneKind::Signed) => "sdiv",
            (Arithmetic::Div, _) => "udiv",
            (Arithmetic::Rem, LaneKind::Signed) => "srem",
            (Arithmetic::Rem, _) => "urem",
            (Arithmetic::Add, _) => "add",
            (Arithmetic::Sub, _) => "sub",
            (Arithmetic::Shl, _) => "shl",
            (Arithmetic::Shr, LaneKind::Signed) => "ashr",
            (Arithmetic::Shr, _) => "lshr",
            (Arithmetic::And, _) => "and",
            (Arithmetic::Xor, _) => "xor",
            (Arithmetic::Or, _) => "or",
        };
        let (left, right) = (self.typed(left)?, self.operand(right));
        self.define(id, format_args!("{instruction} {left}, {right}"));
        Ok(())
    }

    fn compare(&mut self, id: ValueId, op: Comparison, left: ValueId, right: ValueId) -> Result<(), Reason> {
        let predicate = match (op, number(self.function.values[left].ty)) {
            // Comparisons with NaN are false, except "not equal".
            (Comparison::Less, LaneKind::Float) => "fcmp olt",
            (Comparison::Greater, LaneKind::Float) => "fcmp ogt",
            (Comparison::LessEqual, LaneKind::Float) => "fcmp ole",
            (Comparison::GreaterEqual, LaneKind::Float) => "fcmp oge",
            (Comparison::Equal, LaneKind::Float) => "fcmp oeq",
            (Comparison::NotEqual, LaneKind::Float) => "fcmp une",
            (Comparison::Less, LaneKind::Signed) => "icmp slt",
            (Comparison::Greater, LaneKind::Signed) => "icmp sgt",
            (Comparison::LessEqual, LaneKind::Signed) => "icmp sle",
            (Comparison::GreaterEqual, LaneKind::Signed) => "icmp sge",
            (Comparison::Less, _) => "icmp ult",
            (Comparison::Greater, _) => "icmp ugt",
            (Comparison::LessEqual, _) => "icmp ule",
            (Comparison::GreaterEqual, _) => "icmp uge",
            (Comparison::Equal, _) => "icmp eq",
            (Comparison::NotEqual, _) => "icmp ne",
        };
        let ty = self.function.values[id].ty;
        let (left, right) = (self.typed(left)?, self.operand(right));
        if ty == Ty::BOOL {
            self.define(id, format_args!("{predicate} {left}, {right}"));
            return Ok(());
        }
        let bits = match ty.as_vector() {
            Some((_, lanes)) => format!("<{lanes} x i1>"),
            None => "i1".to_owned(),
        };
        // A true scalar is 1, and a true lane is -1.
        let extend = if ty.as_vector().is_some() { "sext" } else { "zext" };
        let text = self.ty(id)?;
        let bit = self.temporary("cmp", format_args!("{predicate} {left}, {right}"));
        self.define(id, format_args!("{extend} {bits} {bit} to {text}"));
        Ok(())
    }

    fn select(
        &mut self,
        id: ValueId,
        condition: ValueId,
        then: ValueId,
        otherwise: ValueId,
    ) -> Result<(), Reason> {
        let mut bit = self.typed(condition)?;
        if let Some((_, lanes)) = self.function.values[condition].ty.as_vector() {
            let top = self.temporary("top", format_args!("icmp slt {bit}, zeroinitializer"));
            bit = format!("<{lanes} x i1> {top}");
        }
        let (then, otherwise) = (self.typed(then)?, self.typed(otherwise)?);
        self.define(id, format_args!("select {bit}, {then}, {otherwise}"));
        Ok(())
    }

    fn shuffle(
        &mut self,
        id: ValueId,
        left: ValueId,
        right: ValueId,
        lanes: &[Option<u8>],
    ) -> Result<(), Reason> {
        let (left_text, right_text) = (self.typed(left)?, self.typed(right)?);
        if let [lane] = lanes {
            // A vector of one lane is a scalar.
            let width = self.function.values[left].ty.as_vector().map_or(1, |(_, lanes)| lanes);
            let (from, lane) = match *lane {
                Some(lane) if lane >= width => (right_text, lane - width),
                Some(lane) => (left_text, lane),
                None => (left_text, 0),
            };
            self.define(id, format_args!("extractelement {from}, i32 {lane}"));
            return Ok(());
        }
        let mask = mask(lanes.iter().copied());
        self.define(id, format_args!("shufflevector {left_text}, {right_text}, {mask}"));
        Ok(())
    }

    /// Writes a vector with the first lanes of another one. Additional lanes are poison.
    pub fn resized(&mut self, element: Ty, value: &str, from: u8, to: u8) -> Result<Rc<str>, Reason> {
        let element = self.module.types.value(element)?;
        let mask = mask((0..to).map(|lane| (lane < from).then_some(lane)));
        let vector = format!("<{from} x {element}>");
        Ok(self.temporary(
            if to > from { "wide" } else { "narrow" },
            format_args!("shufflevector {vector} {value}, {vector} poison, {mask}"),
        ))
    }

    fn token(&mut self, id: ValueId, token: Token) -> Result<(), Reason> {
        let (kind, operands) = match token {
            Token::Entry => ("entry", String::new()),
            Token::Anchor => ("anchor", String::new()),
            Token::Loop(parent) => ("loop", format!(" [ \"convergencectrl\"({}) ]", self.typed(parent)?)),
        };
        let name = format!("llvm.experimental.convergence.{kind}");
        self.module.declare_intrinsic(&name, "token", &[]);
        self.define(id, format_args!("call token @{name}(){operands}"));
        Ok(())
    }
}

/// Returns the mask of a `shufflevector`.
pub(super) fn mask(lanes: impl ExactSizeIterator<Item = Option<u8>>) -> String {
    let mut text = format!("<{} x i32> <", lanes.len());
    for (number, lane) in lanes.enumerate() {
        let separator = if number == 0 { "" } else { ", " };
        let _ = match lane {
            Some(lane) => write!(text, "{separator}i32 {lane}"),
            None => write!(text, "{separator}i32 poison"),
        };
    }
    text.push('>');
    text
}
