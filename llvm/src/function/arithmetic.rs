//! Numbers: arithmetic, comparisons and conversions.
//!
//! A number of the graph is signed, or has zeros above its bits (`types`). Each operation first converts its operands to
//! the sign that it needs, and then its result back.
//!
//! ```text
//! %r = udiv i32 %a, %b    →   %0 = convert uint %a; %1 = convert uint %b; %2 = div %0, %1; %r = convert int %2
//! %r = add i33 %a, %b     →   %0 = add %a, %b; %r = and %0, 8589934591
//! ```

use tangle_ir::flow::{Op, ValueId};
use tangle_ir::types::Ty;
use tangle_ir::value::{Arithmetic, Comparison, Constant as Scalar, Conversion, UnaryOp};

use super::FunctionReader;
use crate::error::{Error, ErrorKind};
use crate::types::{Class, Number, TypeId};

/// How an operation uses its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// Only the low bits of the operands decide.
    Any,
    Signed,
    Unsigned,
    Float,
}

impl FunctionReader<'_, '_, '_> {
    pub(super) fn arithmetic(
        &mut self,
        op: Arithmetic,
        left: ValueId,
        right: ValueId,
    ) -> Result<ValueId, Error> {
        let ty = self.builder.ty(left);
        self.op(Op::Binary { op, left, right }, ty)
    }

    /// Returns a number as one without a sign, in a type of the graph that can represent it.
    pub(super) fn unsigned(&mut self, number: Number, value: ValueId) -> Result<ValueId, Error> {
        if number.is_bool() && number.lanes > 1 {
            let one = self.op(
                Op::Constant(Scalar::Vector(vec![Scalar::Integer(1); number.lanes.into()].into())),
                number.ty,
            )?;
            return self.arithmetic(Arithmetic::And, value, one);
        }
        match number.is_exact() {
            true => self.convert(Conversion::Integer, value, number.unsigned()),
            false => Ok(value),
        }
    }

    /// Returns a number as one with a sign.
    pub(super) fn signed(&mut self, number: Number, value: ValueId) -> Result<ValueId, Error> {
        if number.is_bool() {
            if number.lanes > 1 {
                return Ok(value);
            }
            let (all, none) = (self.integer(Number::integer(8), -1)?, self.integer(Number::integer(8), 0)?);
            return self.op(Op::Select { condition: value, then: all, otherwise: none }, Ty::CHAR);
        }
        if number.is_exact() {
            return Ok(value);
        }
        let Some(integer) = number.element.as_integer() else { return Ok(value) };
        self.shifted(number, value, integer.bits() - number.bits)
    }

    /// Moves the sign bit to the top and back.
    fn shifted(&mut self, number: Number, value: ValueId, by: u32) -> Result<ValueId, Error> {
        let by = self.same(number, by.into())?;
        let high = self.arithmetic(Arithmetic::Shl, value, by)?;
        self.arithmetic(Arithmetic::Shr, high, by)
    }

    /// Returns a number in the type that values of `number` have in the graph, whatever its bits mean.
    fn same(&mut self, number: Number, value: i128) -> Result<ValueId, Error> {
        let lane = Scalar::Integer(value);
        let constant = match number.lanes {
            1 => lane,
            lanes => Scalar::Vector(vec![lane; lanes.into()].into()),
        };
        self.op(Op::Constant(constant), number.ty)
    }

    /// Returns the low bits of a number that is in the type of `number`, as values of that type are represented.
    fn wrapped(&mut self, number: Number, value: ValueId) -> Result<ValueId, Error> {
        if number.is_bool() {
            return match number.lanes {
                1 => Ok(value),
                _ => self.shifted(number, value, 7),
            };
        }
        if number.is_exact() || number.class != Class::Integer {
            return Ok(value);
        }
        let mask = self.same(number, number.mask())?;
        self.arithmetic(Arithmetic::And, value, mask)
    }

    /// Converts an integer of any type of the graph to the low bits of another one.
    pub(super) fn narrowed(&mut self, value: ValueId, to: Number) -> Result<ValueId, Error> {
        if to.is_bool() && to.lanes == 1 {
            let ty = self.builder.ty(value);
            if ty == Ty::BOOL {
                return Ok(value);
            }
            let one = self.op(Op::Constant(Scalar::Integer(1)), ty)?;
            let bit = self.arithmetic(Arithmetic::And, value, one)?;
            return self.convert(Conversion::ToBool, bit, Ty::BOOL);
        }
        let value = self.convert(Conversion::Integer, value, to.ty)?;
        self.wrapped(to, value)
    }

    pub(super) fn negate(&mut self, ty: TypeId, operand: ValueId) -> Result<ValueId, Error> {
        let number = self.number(ty)?;
        match number.class {
            Class::Float => self.op(Op::Unary { op: UnaryOp::Negate, operand }, number.ty),
            _ => self.unknown("fneg", &[operand], number),
        }
    }

    pub(super) fn binary(
        &mut self,
        opcode: &str,
        ty: TypeId,
        left: ValueId,
        right: ValueId,
    ) -> Result<ValueId, Error> {
        let number = self.number(ty)?;
        let (op, sign) = match opcode {
            "add" => (Arithmetic::Add, Sign::Any),
            "sub" => (Arithmetic::Sub, Sign::Any),
            "mul" => (Arithmetic::Mul, Sign::Any),
            "shl" => (Arithmetic::Shl, Sign::Any),
            "and" => (Arithmetic::And, Sign::Any),
            "or" => (Arithmetic::Or, Sign::Any),
            "xor" => (Arithmetic::Xor, Sign::Any),
            "udiv" => (Arithmetic::Div, Sign::Unsigned),
            "urem" => (Arithmetic::Rem, Sign::Unsigned),
            "lshr" => (Arithmetic::Shr, Sign::Unsigned),
            "sdiv" => (Arithmetic::Div, Sign::Signed),
            "srem" => (Arithmetic::Rem, Sign::Signed),
            "ashr" => (Arithmetic::Shr, Sign::Signed),
            "fadd" => (Arithmetic::Add, Sign::Float),
            "fsub" => (Arithmetic::Sub, Sign::Float),
            "fmul" => (Arithmetic::Mul, Sign::Float),
            "fdiv" => (Arithmetic::Div, Sign::Float),
            // The executor has no remainder of floating-point numbers.
            _ => return self.unknown(opcode, &[left, right], number),
        };
        let is_float = sign == Sign::Float;
        match number.class {
            Class::Unknown => return self.unknown(opcode, &[left, right], number),
            Class::Integer if !is_float => {}
            Class::Float if is_float => {}
            _ => return Err(self.error(ErrorKind::Expected("operands of this instruction"))),
        }
        self.computed(op, sign, number, left, right)
    }

    fn computed(
        &mut self,
        op: Arithmetic,
        sign: Sign,
        number: Number,
        left: ValueId,
        right: ValueId,
    ) -> Result<ValueId, Error> {
        // The only shift of one bit that is defined is the one by 0.
        if number.is_bool() && matches!(op, Arithmetic::Shl | Arithmetic::Shr) {
            return Ok(left);
        }
        match sign {
            Sign::Any | Sign::Float => {
                let value = self.arithmetic(op, left, right)?;
                self.wrapped(number, value)
            }
            Sign::Unsigned => {
                let (left, right) = (self.unsigned(number, left)?, self.unsigned(number, right)?);
                let value = self.arithmetic(op, left, right)?;
                self.narrowed(value, number)
            }
            Sign::Signed => {
                let left = self.signed(number, left)?;
                // The distance of a shift has no sign.
                let right = if op == Arithmetic::Shr { right } else { self.signed(number, right)? };
                let value = self.arithmetic(op, left, right)?;
                self.narrowed(value, number)
            }
        }
    }

    /// Returns a comparison of two numbers without a sign.
    pub(super) fn is_less(
        &mut self,
        is_signed: bool,
        number: Number,
        left: ValueId,
        right: ValueId,
    ) -> Result<ValueId, Error> {
        let (left, right) = match is_signed {
            true => (self.signed(number, left)?, self.signed(number, right)?),
            false => (self.unsigned(number, left)?, self.unsigned(number, right)?),
        };
        self.compared(Comparison::Less, left, right, number.lanes)
    }

    /// Compares two values of one type of the graph. The result is that of a comparison in LLVM IR.
    fn compared(
        &mut self,
        op: Comparison,
        left: ValueId,
        right: ValueId,
        lanes: u8,
    ) -> Result<ValueId, Error> {
        if lanes == 1 {
            return self.op(Op::Compare { op, left, right }, Ty::BOOL);
        }
        let ty = self.builder.ty(left);
        let bits = match ty.lanes() {
            Some((element, _)) => {
                element.as_integer().map(|it| it.bits()).or(element.as_float().map(|it| it.bits()))
            }
            None => None,
        };
        let wide = Number::integer(bits.unwrap_or(8)).vector(lanes);
        let value = self.op(Op::Compare { op, left, right }, wide.ty)?;
        self.convert(Conversion::Integer, value, Ty::vector(Ty::CHAR, lanes))
    }

    pub(super) fn compare(
        &mut self,
        predicate: &str,
        ty: TypeId,
        left: ValueId,
        right: ValueId,
    ) -> Result<ValueId, Error> {
        let number = self.number(ty)?;
        let truth = Number::BOOL.vector(number.lanes);
        let is_ordered = |word: &str| match word {
            "gt" => Some(Comparison::Greater),
            "ge" => Some(Comparison::GreaterEqual),
            "lt" => Some(Comparison::Less),
            "le" => Some(Comparison::LessEqual),
            _ => None,
        };
        let wrong = |this: &Self| Err(this.error(ErrorKind::Expected("a comparison of these operands")));
        match number.class {
            Class::Unknown => self.unknown(predicate, &[left, right], truth),
            Class::Token => wrong(self),
            Class::Float => self.compare_floats(predicate, number, left, right),
            Class::Integer | Class::Pointer => {
                let (op, is_signed) = match predicate {
                    "eq" => (Comparison::Equal, None),
                    "ne" => (Comparison::NotEqual, None),
                    _ => match (predicate.split_at_checked(1), predicate.as_bytes().first()) {
                        (Some((_, rest)), Some(sign @ (b's' | b'u'))) => match is_ordered(rest) {
                            Some(op) => (op, Some(*sign == b's')),
                            None => return wrong(self),
                        },
                        _ => return wrong(self),
                    },
                };
                let (left, right) = match is_signed {
                    _ if number.class == Class::Pointer => (left, right),
                    Some(true) => (self.signed(number, left)?, self.signed(number, right)?),
                    Some(false) => (self.unsigned(number, left)?, self.unsigned(number, right)?),
                    None => (left, right),
                };
                self.compared(op, left, right, number.lanes)
            }
        }
    }

    fn compare_floats(
        &mut self,
        predicate: &str,
        number: Number,
        left: ValueId,
        right: ValueId,
    ) -> Result<ValueId, Error> {
        let lanes = number.lanes;
        let truth = Number::BOOL.vector(lanes);
        // A comparison that also holds for NaN is the negation of the opposite one.
        let (op, is_negated) = match predicate {
            "oeq" => (Comparison::Equal, false),
            "ogt" => (Comparison::Greater, false),
            "oge" => (Comparison::GreaterEqual, false),
            "olt" => (Comparison::Less, false),
            "ole" => (Comparison::LessEqual, false),
            "une" => (Comparison::NotEqual, false),
            "ugt" => (Comparison::LessEqual, true),
            "uge" => (Comparison::Less, true),
            "ult" => (Comparison::GreaterEqual, true),
            "ule" => (Comparison::Greater, true),
            "one" | "ueq" => {
                let less = self.compared(Comparison::Less, left, right, lanes)?;
                let greater = self.compared(Comparison::Greater, left, right, lanes)?;
                let differ = self.arithmetic(Arithmetic::Or, less, greater)?;
                return if predicate == "one" { Ok(differ) } else { self.inverted(truth, differ) };
            }
            "ord" | "uno" => {
                let left = self.compared(Comparison::Equal, left, left, lanes)?;
                let right = self.compared(Comparison::Equal, right, right, lanes)?;
                let ordered = self.arithmetic(Arithmetic::And, left, right)?;
                return if predicate == "ord" { Ok(ordered) } else { self.inverted(truth, ordered) };
            }
            "true" => return self.integer(truth, 1),
            "false" => return self.integer(truth, 0),
            _ => return Err(self.error(ErrorKind::Expected("a comparison of floating-point numbers"))),
        };
        let holds = self.compared(op, left, right, lanes)?;
        if is_negated { self.inverted(truth, holds) } else { Ok(holds) }
    }

    fn inverted(&mut self, number: Number, operand: ValueId) -> Result<ValueId, Error> {
        self.op(Op::Unary { op: UnaryOp::Complement, operand }, number.ty)
    }

    pub(super) fn cast(
        &mut self,
        opcode: &str,
        from: TypeId,
        operand: ValueId,
        to: TypeId,
    ) -> Result<ValueId, Error> {
        let (from, to) = (self.number(from)?, self.number(to)?);
        let fits = from.lanes == to.lanes || opcode == "bitcast";
        if from.class == Class::Unknown || to.class == Class::Unknown || !fits {
            return self.unknown(opcode, &[operand], to);
        }
        let long = Number::integer(64);
        let number = |number: Number| number.class == Class::Integer;
        Ok(match (opcode, from.class, to.class) {
            ("trunc", Class::Integer, Class::Integer) => self.narrowed(operand, to)?,
            ("zext", Class::Integer, Class::Integer) => {
                let value = self.unsigned(from, operand)?;
                self.convert(Conversion::Integer, value, to.ty)?
            }
            ("sext", Class::Integer, Class::Integer) => {
                let value = self.signed(from, operand)?;
                self.narrowed(value, to)?
            }
            ("fptrunc" | "fpext", Class::Float, Class::Float) => {
                self.convert(Conversion::Float, operand, to.ty)?
            }
            ("fptoui" | "fptosi", Class::Float, Class::Integer) => {
                let ty = match (to.is_bool() && to.lanes == 1, opcode) {
                    (true, _) => Ty::CHAR,
                    (false, "fptoui") => to.unsigned(),
                    _ => to.ty,
                };
                let value = self.convert(Conversion::FloatToInt, operand, ty)?;
                self.narrowed(value, to)?
            }
            ("uitofp", Class::Integer, Class::Float) => {
                let value = self.unsigned(from, operand)?;
                self.convert(Conversion::IntToFloat, value, to.ty)?
            }
            ("sitofp", Class::Integer, Class::Float) => {
                let value = self.signed(from, operand)?;
                self.convert(Conversion::IntToFloat, value, to.ty)?
            }
            ("ptrtoint" | "ptrtoaddr", Class::Pointer, Class::Integer) => {
                let value = self.convert(Conversion::PointerToInt, operand, long.ty)?;
                self.narrowed(value, to)?
            }
            ("inttoptr", Class::Integer, Class::Pointer) => {
                let value = self.unsigned(from, operand)?;
                let value = self.convert(Conversion::Integer, value, long.ty)?;
                self.convert(Conversion::IntToPointer, value, to.ty)?
            }
            ("addrspacecast" | "bitcast", Class::Pointer, Class::Pointer) => self.in_space(operand, to)?,
            ("bitcast", ..) => return self.bits(from, operand, to),
            _ if number(from) || number(to) || from.class == to.class => {
                return Err(self.error(ErrorKind::Expected("a conversion between these types")));
            }
            _ => self.unknown(opcode, &[operand], to)?,
        })
    }

    /// Reads the bits of a value as another type.
    fn bits(&mut self, from: Number, operand: ValueId, to: Number) -> Result<ValueId, Error> {
        if from == to {
            return Ok(operand);
        }
        if from.is_bool() && from.lanes > 1 && to.class == Class::Integer && to.lanes == 1 {
            return self.bits_of_truths(from, operand, to);
        }
        // A vector of three lanes has the size of four in the graph.
        let has_size =
            |number: Number| number.lanes != 3 && (number.class == Class::Float || number.is_exact());
        match has_size(from) && has_size(to) {
            true => self.convert(Conversion::Bits, operand, to.ty),
            false => self.unknown("bitcast", &[operand], to),
        }
    }

    /// Returns the number whose bits are the lanes of a vector of truth values.
    fn bits_of_truths(&mut self, from: Number, operand: ValueId, to: Number) -> Result<ValueId, Error> {
        let mut whole = self.integer(to, 0)?;
        for lane in 0..from.lanes {
            let at = self.integer(Number::integer(32), lane.into())?;
            let truth = self.op(Op::Extract { vector: operand, lane: at }, Ty::CHAR)?;
            let truth = self.convert(Conversion::Integer, truth, to.ty)?;
            let bit = self.same(to, to.canonical(1 << lane))?;
            let bit = self.arithmetic(Arithmetic::And, truth, bit)?;
            whole = self.arithmetic(Arithmetic::Or, whole, bit)?;
        }
        Ok(whole)
    }
}
