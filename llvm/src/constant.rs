//! Constants: numbers, addresses, aggregates, and expressions of them.
//!
//! ```text
//! i32 7      float 0x3FF8000000000000      [2 x i8] c"\01\02"      <2 x i32> splat (i32 1)
//! ptr getelementptr inbounds (i8, ptr @table, i64 4)
//! ```

use tangle_base::Symbol;
use tangle_ir::key::{FunctionKey, GlobalEntity};
use tangle_ir::types::{Float, Ty, TyKind};
use tangle_ir::value::{Constant as Value, Data};

use crate::error::{Error, ErrorKind};
use crate::lex::{Kind, unescaped};
use crate::reader::Reader;
use crate::types::{Class, Number, Type, TypeId};

/// A constant with a type that the context gives.
#[derive(Clone, Debug)]
pub(crate) enum Constant<'a> {
    Integer(i128),
    /// A floating-point number, as a `double`.
    Float(f64),
    /// Zero bits: `null`, `zeroinitializer`, `none`.
    Zero,
    Undefined,
    /// The address of a variable or function.
    Global(Symbol),
    /// The parts of an aggregate, or the lanes of a vector.
    Parts(Vec<(TypeId, Constant<'a>)>),
    Bytes(Vec<u8>),
    /// A vector with one constant in all lanes.
    Splat(Box<Constant<'a>>),
    Expression(Box<Expression<'a>>),
    /// A constant without a counterpart: the address of a block.
    Unknown,
}

/// An operation on constants, written like an instruction.
#[derive(Clone, Debug)]
pub(crate) struct Expression<'a> {
    pub opcode: &'a str,
    /// The relation of a comparison.
    pub predicate: &'a str,
    pub operands: Vec<(TypeId, Constant<'a>)>,
    /// The type of `getelementptr`, or the result type of a conversion.
    pub ty: Option<TypeId>,
}

impl<'a> Reader<'a> {
    /// Reads a constant of a type.
    pub fn constant(&mut self, ty: TypeId) -> Result<Constant<'a>, Error> {
        self.nested(|reader| reader.constant_inside(ty))
    }

    fn constant_inside(&mut self, ty: TypeId) -> Result<Constant<'a>, Error> {
        let start = self.at;
        let token = self.next();
        let text = self.text_of(token);
        Ok(match token.kind {
            Kind::Number => self.number(text, ty).ok_or_else(|| self.error_at(start, ErrorKind::Number))?,
            Kind::Global => Constant::Global(Symbol::intern(&self.name_of(token))),
            Kind::Bytes => Constant::Bytes(unescaped(&text[2..text.len() - 1])),
            Kind::Mark(b'[') => Constant::Parts(self.typed_list(b']')?),
            Kind::Mark(b'{') => Constant::Parts(self.typed_list(b'}')?),
            Kind::Mark(b'<') if self.eat(b'{') => {
                let parts = self.typed_list(b'}')?;
                self.expect(b'>', "`>`")?;
                Constant::Parts(parts)
            }
            Kind::Mark(b'<') => Constant::Parts(self.typed_list(b'>')?),
            Kind::Word => match text {
                "true" => Constant::Integer(1),
                "false" => Constant::Integer(0),
                "null" | "zeroinitializer" | "none" => Constant::Zero,
                "undef" | "poison" => Constant::Undefined,
                "splat" => {
                    self.expect(b'(', "`(`")?;
                    let ty = self.ty()?;
                    let lane = self.constant(ty)?;
                    self.expect(b')', "`)`")?;
                    Constant::Splat(Box::new(lane))
                }
                "dso_local_equivalent" | "no_cfi" => self.constant(ty)?,
                "blockaddress" | "ptrauth" => {
                    self.skip_group();
                    Constant::Unknown
                }
                // A number in base 16: `u0x1F`.
                _ if text.starts_with("u0x") || text.starts_with("s0x") => {
                    let number = i128::from_str_radix(&text[3..], 16);
                    Constant::Integer(number.map_err(|_| self.error_at(start, ErrorKind::Number))?)
                }
                opcode => self.expression(opcode, start)?,
            },
            _ => return Err(self.error_at(start, ErrorKind::Expected("a value"))),
        })
    }

    /// Reads a list of constants with their types, after the opening bracket.
    fn typed_list(&mut self, end: u8) -> Result<Vec<(TypeId, Constant<'a>)>, Error> {
        let mut list = Vec::new();
        while !self.eat(end) {
            if !list.is_empty() {
                self.expect(b',', "`,`")?;
            }
            let ty = self.ty()?;
            list.push((ty, self.constant(ty)?));
        }
        Ok(list)
    }

    fn expression(&mut self, opcode: &'a str, start: usize) -> Result<Constant<'a>, Error> {
        let mut predicate = "";
        while self.kind() == Kind::Word {
            // `inbounds`, `nsw`, or the relation of a comparison.
            predicate = self.word();
            self.next();
            if predicate == "inrange" && self.is(b'(') {
                self.skip_group();
            }
        }
        if !self.eat(b'(') {
            return Err(self.error_at(start, ErrorKind::Expected("a value")));
        }
        let mut ty = None;
        if opcode == "getelementptr" {
            ty = Some(self.ty()?);
            self.expect(b',', "`,`")?;
        }
        let mut operands = Vec::new();
        loop {
            if !operands.is_empty() {
                self.expect(b',', "`,`")?;
            }
            self.eat_word("inrange");
            let operand = self.ty()?;
            operands.push((operand, self.constant(operand)?));
            if self.eat_word("to") {
                ty = Some(self.ty()?);
            }
            if self.eat(b')') {
                break;
            }
        }
        Ok(Constant::Expression(Box::new(Expression { opcode, predicate, operands, ty })))
    }

    fn number(&self, text: &str, ty: TypeId) -> Option<Constant<'a>> {
        let Some(number) = self.types.number(ty) else { return Some(Constant::Unknown) };
        match number.class {
            Class::Float => {
                let hex = |digits: &str| u64::from_str_radix(digits, 16).ok();
                Some(Constant::Float(match text.strip_prefix("0x") {
                    Some(digits) if digits.starts_with('H') => half(hex(&digits[1..])?.try_into().ok()?),
                    Some(digits) => f64::from_bits(hex(digits)?),
                    None => text.parse().ok()?,
                }))
            }
            Class::Integer => {
                let number = text.parse::<i128>().ok();
                let number = number.or_else(|| text.parse::<u128>().ok().map(|number| number as i128));
                number.map(Constant::Integer)
            }
            // The digits of a number that the graph does not have.
            Class::Unknown => Some(Constant::Unknown),
            Class::Pointer | Class::Token => None,
        }
    }

    /// Returns a constant of the graph. `None` for addresses and expressions.
    pub fn folded(&self, number: Number, constant: &Constant<'a>) -> Option<Value> {
        let lanes = usize::from(number.lanes);
        Some(match constant {
            Constant::Zero => Value::Zero,
            Constant::Undefined | Constant::Unknown => Value::Undefined,
            _ if number.class == Class::Unknown => Value::Undefined,
            Constant::Splat(lane) => {
                let lane = self.folded(number.lane(), lane)?;
                if lanes == 1 { lane } else { Value::Vector(vec![in_vector(lane, number); lanes].into()) }
            }
            Constant::Parts(parts) if parts.len() == lanes => {
                let mut all = Vec::new();
                for (_, part) in parts {
                    all.push(in_vector(self.folded(number.lane(), part)?, number));
                }
                if lanes == 1 { all.pop()? } else { Value::Vector(all.into()) }
            }
            Constant::Integer(value) if number.class == Class::Integer && lanes == 1 => {
                Value::Integer(number.canonical(*value))
            }
            Constant::Float(value) if number.class == Class::Float && lanes == 1 => {
                Value::Float(rounded(*value, number.element).to_bits())
            }
            _ => return None,
        })
    }

    /// Returns the initial value of a variable, and its type in the graph.
    pub fn data(&mut self, ty: TypeId, constant: &Constant<'a>) -> Data {
        let in_memory = self.types.memory(ty);
        self.data_of(ty, in_memory, constant)
    }

    /// The depth of the constant limits the recursion.
    fn data_of(&mut self, ty: TypeId, in_memory: Ty, constant: &Constant<'a>) -> Data {
        if let Constant::Zero = constant {
            return Data::Constant(Value::Zero);
        }
        if let Some(number) = self.types.number(ty) {
            if let Some(value) = self.folded(number, constant).filter(|_| number.class != Class::Unknown) {
                return Data::Constant(value);
            }
            return match self.address(constant) {
                Some((name, offset)) => Data::Address { of: self.entity(name), offset },
                None => Data::Unknown,
            };
        }
        let is_same = match (self.types.get(ty), in_memory.kind()) {
            (Type::Struct { .. }, TyKind::Record(_)) => true,
            (Type::Array { element, .. }, TyKind::Array { .. }) => {
                let element = *element;
                let of_element = self.types.memory(element);
                in_memory == Ty::array(of_element, self.types.parts(ty))
            }
            _ => false,
        };
        match constant {
            Constant::Undefined => Data::Constant(Value::Undefined),
            Constant::Bytes(bytes) if is_same => Data::Bytes(bytes.clone().into()),
            Constant::Parts(parts) if is_same => {
                let mut all = Vec::with_capacity(parts.len());
                for (ty, part) in parts {
                    let in_memory = self.types.memory(*ty);
                    all.push(self.data_of(*ty, in_memory, part));
                }
                Data::Aggregate(all.into())
            }
            _ => Data::Unknown,
        }
    }

    fn entity(&self, name: Symbol) -> GlobalEntity {
        match self.functions.get(&name) {
            Some(function) => GlobalEntity::Function(FunctionKey::plain(function.name)),
            None => GlobalEntity::Variable(name),
        }
    }

    /// Returns the variable that an address points into, and the offset in bytes.
    pub fn address(&mut self, constant: &Constant<'a>) -> Option<(Symbol, i64)> {
        match constant {
            Constant::Global(name) => Some((*name, 0)),
            Constant::Expression(expression) => {
                let Expression { opcode, operands, ty, .. } = &**expression;
                let (name, offset) = self.address(&operands.first()?.1)?;
                match *opcode {
                    "bitcast" | "addrspacecast" | "ptrtoint" | "inttoptr" => Some((name, offset)),
                    "getelementptr" => {
                        let mut at = (*ty)?;
                        let mut total = offset;
                        for (number, (_, index)) in operands[1..].iter().enumerate() {
                            let index = match index {
                                Constant::Integer(index) => i64::try_from(*index).ok()?,
                                Constant::Zero => 0,
                                _ => return None,
                            };
                            let distance = if number == 0 {
                                i64::try_from(self.types.extent(at)?.size).ok()?.checked_mul(index)?
                            } else {
                                let (part, offset) = self.types.part(at, u64::try_from(index).ok()?)?;
                                at = part;
                                i64::try_from(offset).ok()?
                            };
                            total = total.checked_add(distance)?;
                        }
                        Some((name, total))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Returns a constant as a lane of a vector. A truth value is -1 there.
fn in_vector(lane: Value, of: Number) -> Value {
    match lane {
        Value::Integer(number) if of.is_bool() && of.lanes > 1 => Value::Integer(-number),
        lane => lane,
    }
}

fn rounded(value: f64, ty: Ty) -> f64 {
    if ty.as_float() == Some(Float::Single) { f64::from(value as f32) } else { value }
}

/// Returns the number with the bits of an IEEE `half`.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    };
    sign * magnitude
}
