//! Reads constants, and variables of the module.

use super::lex::Kind;
use super::{Error, Parser};
use crate::flow::Global;
use crate::key::{FunctionKey, GlobalEntity};
use crate::nest::StmtId;
use crate::text::operators;
use crate::value::{Constant, Data};

impl Parser<'_> {
    /// Returns whether a constant begins here.
    pub(super) fn at_constant(&self) -> bool {
        matches!(self.kind(), Kind::Number | Kind::Mark("("))
            || matches!(self.word(), Some("zero" | "undefined" | "inf" | "nan"))
    }

    pub(super) fn constant(&mut self) -> Result<Constant, Error> {
        if self.eat("(") {
            let mut lanes = Vec::new();
            while !self.eat(")") {
                if !lanes.is_empty() {
                    self.expect(",")?;
                }
                lanes.push(self.nested(Parser::constant)?);
            }
            return Ok(Constant::Vector(lanes.into()));
        }
        let token = self.token();
        let text = &self.text[token.start..token.end];
        let constant = match text {
            "zero" => Some(Constant::Zero),
            "undefined" => Some(Constant::Undefined),
            "inf" => Some(Constant::float(f64::INFINITY)),
            "-inf" => Some(Constant::float(f64::NEG_INFINITY)),
            "nan" => {
                self.at += 1;
                self.expect(":")?;
                let token = self.token();
                let digits = self.text[token.start..token.end].strip_prefix("0x");
                let bits = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
                bits.filter(|&bits| f64::from_bits(bits).is_nan()).map(Constant::Float)
            }
            _ if *self.kind() != Kind::Number => None,
            _ if text.contains(['.', 'e']) && !text.starts_with("0x") => {
                text.parse().ok().map(Constant::float)
            }
            _ => text.parse().ok().map(Constant::Integer),
        };
        let constant = constant.ok_or_else(|| self.error("expected a constant"))?;
        self.at += 1;
        Ok(constant)
    }

    /// Reads a variable of the module, after `variable`.
    pub(super) fn global(&mut self) -> Result<Global, Error> {
        self.expect("@")?;
        let name = self.key()?.name;
        self.expect(":")?;
        let space = self.word().and_then(operators::read_space);
        let space = space.ok_or_else(|| self.error("expected the address space of the variable"))?;
        self.at += 1;
        let ty = self.ty()?;
        let constant = self.eat_word("const");
        let internal = self.eat_word("internal");
        let external = self.eat_word("external");
        let initializer = if self.eat("=") { Some(self.data()?) } else { None };
        Ok(Global { name, ty, space, constant, internal, external, initializer })
    }

    fn data(&mut self) -> Result<Data, Error> {
        if self.eat("{") {
            if *self.kind() == Kind::Number && *self.kind_at(self.at + 1) == Kind::Mark(":") {
                let field = self.number("the number of a field")?;
                self.expect(":")?;
                let data = Box::new(self.nested(Parser::data)?);
                self.expect("}")?;
                return Ok(Data::Union { field, data });
            }
            let mut parts = Vec::new();
            while !self.eat("}") {
                if !parts.is_empty() {
                    self.expect(",")?;
                }
                parts.push(self.nested(Parser::data)?);
            }
            return Ok(Data::Aggregate(parts.into()));
        }
        if let Kind::Quoted(bytes) = self.kind() {
            let bytes = bytes.clone();
            self.at += 1;
            return Ok(Data::Bytes(bytes));
        }
        if self.eat_word("string") {
            let Kind::Quoted(bytes) = self.kind() else { return Err(self.error("expected a string")) };
            let bytes = bytes.clone();
            self.at += 1;
            return Ok(Data::StringAddress { bytes, offset: self.offset()? });
        }
        if self.eat_word("unknown") {
            return Ok(Data::Unknown);
        }
        if self.eat_word("label") {
            let number: u32 = self.number("the number of a statement")?;
            return Ok(Data::Label(StmtId::new(number as usize)));
        }
        if self.eat_word("function") {
            self.expect("@")?;
            let of = GlobalEntity::Function(self.key()?);
            return Ok(Data::Address { of, offset: self.offset()? });
        }
        if self.eat("@") {
            let start = self.at;
            let key = self.key()?;
            if key != FunctionKey::plain(key.name) {
                return Err(self.error_at(start, "expected a variable"));
            }
            return Ok(Data::Address { of: GlobalEntity::Variable(key.name), offset: self.offset()? });
        }
        Ok(Data::Constant(self.constant()?))
    }

    fn offset(&mut self) -> Result<i64, Error> {
        if self.eat("+") { self.number("a number of bytes") } else { Ok(0) }
    }
}
