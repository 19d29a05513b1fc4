//! Reads functions. A value may be used before the line that defines it, so types that depend on it are computed later
//! ([`infer`](super::infer)).

use rustc_hash::FxHashMap;
use tangle_base::{Span, Symbol};

use super::infer::{Origin, Unresolved};
use super::lex::Kind;
use super::{Error, Parser};
use crate::flow::kind::{BlockPart, parse_block_name};
use crate::flow::{
    Block, BlockId, BlockKind, Call, Callee, Function, Op, Parameter, ParameterRole, Passing, Slot, SlotId,
    Terminator, Token, Unknown, ValueId, Variable, VariableId, typing,
};
use crate::nest::StmtId;
use crate::text::names::is_compilers;
use crate::text::operators;
use crate::types::Ty;
use crate::value::Conversion;
use tangle_base::AddressSpace;

const NOWHERE: Span = Span { start: 0, end: 0 };

/// A function that is being read.
pub(super) struct Body {
    pub function: Function,
    pub open: Unresolved,
    /// The values by their text, with `%`.
    values: FxHashMap<String, ValueId>,
    blocks: FxHashMap<String, BlockId>,
    variables: FxHashMap<String, VariableId>,
}

impl<'a> Parser<'a> {
    /// Reads a function, after `function`.
    pub(super) fn function(&mut self) -> Result<Function, Error> {
        let key = self.key()?;
        let mut body = Body {
            function: Function::new(key, Ty::VOID),
            open: Unresolved::default(),
            values: FxHashMap::default(),
            blocks: FxHashMap::default(),
            variables: FxHashMap::default(),
        };
        self.head(&mut body)?;
        self.block_names(&mut body)?;
        let mut current: Option<BlockId> = None;
        let mut ended = true;
        loop {
            if self.eat("}") {
                self.line_end()?;
                break;
            }
            let start = self.at;
            match (self.word(), current) {
                (Some("slot"), None) => self.slot(&mut body)?,
                (Some("variable"), None) => self.variable(&mut body)?,
                _ if self.ends_with_colon() => {
                    if !ended {
                        return Err(self.error("the previous block does not end with a terminator"));
                    }
                    let next = current.map_or(BlockId::new(0), |block| block + 1);
                    (current, ended) = (Some(next), false);
                    while !matches!(self.kind(), Kind::Break | Kind::End) {
                        self.at += 1;
                    }
                }
                (_, Some(block)) if !ended => match self.terminator(&mut body)? {
                    Some(terminator) => {
                        body.function.blocks[block].terminator = terminator;
                        ended = true;
                    }
                    None => {
                        let value = self.operation(&mut body, start)?;
                        body.function.blocks[block].values.push(value);
                    }
                },
                _ => return Err(self.error("expected a block name followed by a colon")),
            }
            self.line_end()?;
            if *self.kind() == Kind::End {
                return Err(self.error("expected `}`"));
            }
        }
        if !ended {
            return Err(
                self.error_at(self.at.saturating_sub(1), "the last block does not end with a terminator")
            );
        }
        self.resolve(body)
    }

    fn head(&mut self, body: &mut Body) -> Result<(), Error> {
        self.expect("(")?;
        while !self.eat(")") {
            if !body.function.parameters.is_empty() {
                self.expect(",")?;
            }
            let role = match () {
                () if self.eat_word("object") => ParameterRole::Object,
                () if self.eat_word("captured") => ParameterRole::Captured,
                () => ParameterRole::Plain,
            };
            let passing = self.passing();
            let at = self.at;
            let (text, name) = self.value_name('%')?;
            self.expect(":")?;
            let ty = self.ty()?;
            let number = u32::try_from(body.function.parameters.len()).unwrap_or(u32::MAX);
            let of = if passing == Passing::Value { ty } else { Ty::pointer(ty, AddressSpace::Private) };
            let value = body.open.push(&mut body.function, Op::Parameter(number), Origin::Known(of), at);
            self.define(body, text, value, at)?;
            body.function.parameters.push(Parameter { name, ty, passing, value, role, span: NOWHERE });
        }
        if self.eat("->") {
            body.function.result = self.ty()?;
        }
        body.function.convergent = self.eat_word("convergent");
        body.function.kernel = self.eat_word("kernel");
        body.function.internal = self.eat_word("internal");
        if self.eat_word("overloadable") {
            body.function.key.overload = Some(body.function.declared_type());
        }
        if self.eat_word("work_group_size") {
            self.expect("(")?;
            let x = self.number("a number of threads")?;
            self.expect(",")?;
            let y = self.number("a number of threads")?;
            self.expect(",")?;
            let z = self.number("a number of threads")?;
            self.expect(")")?;
            body.function.work_group_size = Some([x, y, z]);
        }
        if self.eat_word("sub_group_size") {
            self.expect("(")?;
            let size = self.number("a number of threads")?;
            self.expect(")")?;
            body.function.sub_group_size = Some(size);
        }
        self.expect("{")?;
        self.line_end()
    }

    fn passing(&mut self) -> Passing {
        if self.eat_word("copy") {
            Passing::Copy
        } else if self.eat_word("result") {
            Passing::Result
        } else {
            Passing::Value
        }
    }

    /// Reads a value or variable. Returns its text and its name.
    fn value_name(&mut self, sigil: char) -> Result<(String, Option<Symbol>), Error> {
        let token = self.token();
        let text = &self.text[token.start..token.end];
        let Kind::Value(name) = &token.kind else { return Err(self.error("expected a value")) };
        if !text.starts_with(sigil) {
            return Err(self.error(&format!("expected a name that starts with `{sigil}`")));
        }
        let found = (text.to_owned(), name.as_deref().map(Symbol::intern));
        self.at += 1;
        Ok(found)
    }

    fn define(&self, body: &mut Body, text: String, value: ValueId, at: usize) -> Result<(), Error> {
        match body.values.insert(text, value) {
            None => Ok(()),
            Some(_) => Err(self.error_at(at, "this name is already defined")),
        }
    }

    fn slot(&mut self, body: &mut Body) -> Result<(), Error> {
        self.at += 1;
        let at = self.at;
        let (text, name) = self.value_name('%')?;
        self.expect(":")?;
        let ty = self.ty()?;
        let slot: SlotId = body.function.slots.push(Slot { name, ty, span: NOWHERE });
        let of = Origin::Known(Ty::pointer(ty, AddressSpace::Private));
        let value = body.open.push(&mut body.function, Op::Slot(slot), of, at);
        self.define(body, text, value, at)
    }

    fn variable(&mut self, body: &mut Body) -> Result<(), Error> {
        self.at += 1;
        let at = self.at;
        let (text, name) = self.value_name('$')?;
        self.expect(":")?;
        let ty = self.ty()?;
        let variable = body.function.variables.push(Variable { name, ty, span: NOWHERE });
        match body.variables.insert(text, variable) {
            None => Ok(()),
            Some(_) => Err(self.error_at(at, "this name is already defined")),
        }
    }

    fn ends_with_colon(&self) -> bool {
        let line = self.tokens[self.at..].iter().position(|it| matches!(it.kind, Kind::Break | Kind::End));
        line.is_some_and(|length| length > 1 && *self.kind_at(self.at + length - 1) == Kind::Mark(":"))
    }

    /// Creates the blocks of the function in advance, so that jumps can refer to later blocks.
    fn block_names(&mut self, body: &mut Body) -> Result<(), Error> {
        let start = self.at;
        while !matches!(self.kind(), Kind::End | Kind::Mark("}")) {
            if self.ends_with_colon() {
                let at = self.at;
                let (text, kind, label) = self.block_name()?;
                let block = Block { label, ..Block::new(kind, StmtId::new(0), NOWHERE) };
                let id = body.function.blocks.push(block);
                if body.blocks.insert(text, id).is_some() {
                    return Err(self.error_at(at, "a block with this name already exists"));
                }
            }
            while !matches!(self.kind(), Kind::End | Kind::Break) {
                self.at += 1;
            }
            self.at += usize::from(*self.kind() == Kind::Break);
        }
        self.at = start;
        Ok(())
    }

    fn block_name(&mut self) -> Result<(String, BlockKind, Option<Symbol>), Error> {
        let (at, start) = (self.at, self.token().start);
        let mut parts = Vec::new();
        loop {
            let quoted = matches!(self.kind(), Kind::Quoted(_));
            let name = self.name("the name of a block")?;
            parts.push(if quoted { BlockPart::Quoted(name) } else { BlockPart::Plain(name) });
            if !self.eat(".") {
                break;
            }
            if *self.kind() == Kind::Number {
                self.at += 1;
                break;
            }
        }
        let text = self.text[start..self.end_before()].to_owned();
        let (kind, label) = parse_block_name(&parts)
            .ok_or_else(|| self.error_at(at, "invalid block name: put it in quotes"))?;
        Ok((text, kind, label))
    }

    fn block(&mut self, body: &Body) -> Result<BlockId, Error> {
        let at = self.at;
        let (text, ..) = self.block_name()?;
        let known = body.blocks.get(&text).copied();
        known.ok_or_else(|| self.error_at(at, &format!("unknown block `{text}`")))
    }

    /// Reads a terminator. None if the line is not a terminator.
    fn terminator(&mut self, body: &mut Body) -> Result<Option<Terminator>, Error> {
        let Some(word) = self.word() else { return Ok(None) };
        self.at += 1;
        Ok(Some(match word {
            "jump" => Terminator::Jump(self.block(body)?),
            "branch" => {
                let condition = self.operand(body, None)?;
                self.expect(",")?;
                let then = self.block(body)?;
                self.expect(",")?;
                Terminator::Branch { condition, then, otherwise: self.block(body)? }
            }
            "switch" => {
                let value = self.operand(body, None)?;
                self.expect("[")?;
                let mut cases = Vec::new();
                while self.word() != Some("default") {
                    let low = self.number("a case value")?;
                    let high = if self.eat("..") { self.number("the end of a case range")? } else { low };
                    self.expect(":")?;
                    cases.push((low, high, self.block(body)?));
                    self.expect(",")?;
                }
                self.at += 1;
                self.expect(":")?;
                let otherwise = self.block(body)?;
                self.expect("]")?;
                Terminator::Switch { value, cases, otherwise }
            }
            "return" => match self.kind() {
                Kind::Break | Kind::End => Terminator::Return(None),
                _ => Terminator::Return(Some(self.operand(body, None)?)),
            },
            "unreachable" => Terminator::Unreachable,
            _ => {
                self.at -= 1;
                return Ok(None);
            }
        }))
    }

    /// Reads an operand. `expected` is the origin of the type of a constant that states no type.
    fn operand(&mut self, body: &mut Body, expected: Option<Origin>) -> Result<ValueId, Error> {
        let at = self.at;
        if let Kind::Value(_) = self.kind() {
            let (text, _) = self.value_name('%')?;
            if let Some(&value) = body.values.get(&text) {
                return Ok(value);
            }
            let value = body.open.forward(&mut body.function, at);
            body.values.insert(text, value);
            return Ok(value);
        }
        let said = if self.at_type() { Some(self.ty()?) } else { None };
        let (op, reported) = if self.is("@") {
            let start = self.token().start;
            self.at += 1;
            let key = self.key()?;
            let text = &self.text[start..self.end_before()];
            let ty = said.or_else(|| self.addresses.get(text).copied());
            let missing =
                || self.error_at(at, &format!("the type of `{text}` is unknown: add a line `use {text}: …`"));
            let ty = ty.ok_or_else(missing)?;
            let is_function = ty.as_pointer().is_some_and(|it| it.pointee.as_function().is_some());
            (if is_function { Op::Function(key) } else { Op::Global(key.name) }, Some(Origin::Known(ty)))
        } else if let Kind::Quoted(bytes) = self.kind() {
            let bytes = bytes.clone();
            self.at += 1;
            let ty = typing::string(&bytes);
            (Op::String(bytes), Some(Origin::Known(ty)))
        } else if self.at_constant() {
            (Op::Constant(self.constant()?), expected)
        } else {
            return Err(self.error("expected an operand"));
        };
        let from = said.map(Origin::Known).or(reported);
        let from = from.ok_or_else(|| self.error_at(at, "expected a type before this constant"))?;
        Ok(body.open.push(&mut body.function, op, from, at))
    }

    /// Reads a line with an operation.
    fn operation(&mut self, body: &mut Body, start: usize) -> Result<ValueId, Error> {
        let mut result = None;
        let mut said = None;
        if let Kind::Value(_) = self.kind() {
            result = Some(self.value_name('%')?);
            said = if self.eat(":") { Some(self.ty()?) } else { None };
            self.expect("=")?;
        }
        let (op, from) = self.op(body)?;
        let from = match (said, &result) {
            (Some(ty), _) => Origin::Known(ty),
            (None, Some(_)) => from,
            // An operation without a name has no result.
            (None, None) => match from {
                Origin::Known(ty) if !ty.is_void() => {
                    return Err(self.error_at(start, "the result of this operation needs a name"));
                }
                _ => Origin::Known(Ty::VOID),
            },
        };
        let Some((text, name)) = result else {
            return Ok(body.open.push(&mut body.function, op, from, start));
        };
        if from == Origin::Known(Ty::VOID) {
            return Err(self.error_at(start, "this operation has no result, so it cannot have a name"));
        }
        let value = match body.values.get(&text) {
            Some(&value) => {
                if !body.open.define(&mut body.function, value, op, from, start) {
                    return Err(self.error_at(start, "this name is already defined"));
                }
                value
            }
            None => {
                let value = body.open.push(&mut body.function, op, from, start);
                body.values.insert(text, value);
                value
            }
        };
        body.function.values[value].name = name;
        Ok(value)
    }

    fn comma(&mut self, body: &mut Body, expected: Option<Origin>) -> Result<ValueId, Error> {
        self.expect(",")?;
        self.operand(body, expected)
    }

    fn op(&mut self, body: &mut Body) -> Result<(Op, Origin), Error> {
        let at = self.at;
        let Some(word) = self.word() else { return Err(self.error("expected an operation")) };
        self.at += 1;
        let void = Origin::Known(Ty::VOID);
        if let Some(op) = operators::read_unary(word) {
            return Ok((Op::Unary { op, operand: self.operand(body, None)? }, Origin::Operation));
        }
        if let Some(op) = operators::read_arithmetic(word) {
            let left = self.operand(body, None)?;
            let right = self.comma(body, Some(Origin::Same(left)))?;
            return Ok((Op::Binary { op, left, right }, Origin::Operation));
        }
        if let Some(op) = operators::read_comparison(word) {
            let left = self.operand(body, None)?;
            let right = self.comma(body, Some(Origin::Same(left)))?;
            return Ok((Op::Compare { op, left, right }, Origin::Operation));
        }
        Ok(match word {
            "phi" => {
                let ty = self.ty()?;
                let mut incoming = Vec::new();
                while self.is("[") || self.is(",") {
                    if !incoming.is_empty() {
                        self.expect(",")?;
                    }
                    self.expect("[")?;
                    let block = self.block(body)?;
                    self.expect(":")?;
                    incoming.push((block, self.operand(body, Some(Origin::Known(ty)))?));
                    self.expect("]")?;
                }
                (Op::Phi(incoming), Origin::Known(ty))
            }
            "get" => {
                let variable = self.variable_name(body)?;
                (Op::Get(variable), Origin::Known(body.function.variables[variable].ty))
            }
            "set" => {
                let variable = self.variable_name(body)?;
                let ty = body.function.variables[variable].ty;
                (Op::Set(variable, self.comma(body, Some(Origin::Known(ty)))?), void)
            }
            "bits" | "splat" | "convert" => {
                let ty = self.ty()?;
                let operand = self.operand(body, None)?;
                // The kind of conversion of `convert` follows from the types and is computed later.
                let conversion = match word {
                    "bits" => Conversion::Bits,
                    "splat" => Conversion::Splat,
                    _ => Conversion::Discard,
                };
                (Op::Convert { conversion, operand }, Origin::Known(ty))
            }
            "test" => {
                let operand = self.operand(body, None)?;
                (Op::Convert { conversion: Conversion::ToBool, operand }, Origin::Operation)
            }
            "select" => {
                let condition = self.operand(body, None)?;
                let then = self.comma(body, None)?;
                let otherwise = self.comma(body, Some(Origin::Same(then)))?;
                (Op::Select { condition, then, otherwise }, Origin::Operation)
            }
            "extract" => {
                let vector = self.operand(body, None)?;
                let lane = self.comma(body, Some(Origin::Known(Ty::INT)))?;
                (Op::Extract { vector, lane }, Origin::Operation)
            }
            "insert" => {
                let vector = self.operand(body, None)?;
                let lane = self.comma(body, Some(Origin::Known(Ty::INT)))?;
                let value = self.comma(body, Some(Origin::Lane(vector)))?;
                (Op::Insert { vector, lane, value }, Origin::Operation)
            }
            "shuffle" => {
                let left = self.operand(body, None)?;
                let right = self.comma(body, Some(Origin::Same(left)))?;
                self.expect(",")?;
                self.expect("[")?;
                let mut lanes = Vec::new();
                while !self.eat("]") {
                    if !lanes.is_empty() {
                        self.expect(",")?;
                    }
                    lanes.push(if self.eat_word("_") { None } else { Some(self.number("a lane number")?) });
                }
                (Op::Shuffle { left, right, lanes: lanes.into() }, Origin::Operation)
            }
            "load" => {
                let volatile = self.eat_word("volatile");
                let ty = self.ty()?;
                let address = self.operand(body, None)?;
                let align = if self.is_word("align") { 0 } else { typing::natural_align(ty).unwrap_or(0) };
                let align = self.alignment(align, at)?;
                (Op::Load { address, volatile, align }, Origin::Known(ty))
            }
            "store" => {
                let volatile = self.eat_word("volatile");
                let value = self.operand(body, None)?;
                let address = self.comma(body, None)?;
                // Without `align`, the natural alignment of the value's type is computed later.
                let align = if self.is_word("align") { self.alignment(0, at)? } else { 0 };
                (Op::Store { address, value, volatile, align }, void)
            }
            "copy" => {
                let ty = self.ty()?;
                let to = self.operand(body, None)?;
                (Op::Copy { to, from: self.comma(body, None)?, ty }, void)
            }
            "clear" => {
                let ty = self.ty()?;
                (Op::Clear { address: self.operand(body, None)?, ty }, void)
            }
            "element" => {
                let element = self.ty()?;
                let base = self.operand(body, None)?;
                (Op::Element { base, index: self.comma(body, None)?, element }, Origin::Operation)
            }
            "field" => {
                let record = self.ty()?;
                let base = self.operand(body, None)?;
                self.expect(",")?;
                (Op::Field { base, record, field: self.field_number(record)? }, Origin::Operation)
            }
            "unknown" => self.unknown(body)?,
            "call" => self.call(body)?,
            "entry" => (Op::Token(Token::Entry), Origin::Operation),
            "anchor" => (Op::Token(Token::Anchor), Origin::Operation),
            "loop" => {
                self.keyword("with")?;
                (Op::Token(Token::Loop(self.operand(body, None)?)), Origin::Operation)
            }
            _ => return Err(self.error_at(at, &format!("unknown operation `{word}`"))),
        })
    }

    /// Reads an unknown, after `unknown`.
    fn unknown(&mut self, body: &mut Body) -> Result<(Op, Origin), Error> {
        let said = if self.at_type() { Some(self.ty()?) } else { None };
        let at = self.at;
        let Some(word) = self.word() else {
            return Err(self.error("expected the kind of the unknown value"));
        };
        self.at += 1;
        let what = operators::read_unknown(word)
            .ok_or_else(|| self.error_at(at, &format!("`{word}` is not a kind of unknown value")))?;
        let what = match what {
            Unknown::Name(_) => Unknown::Name(Symbol::intern(&self.name("a name")?)),
            Unknown::Dependent(_) => Unknown::Dependent(Symbol::intern(&self.name("a text")?)),
            Unknown::Variable(_) => Unknown::Variable(Symbol::intern(&self.name("a name")?)),
            Unknown::Member(_) => Unknown::Member(Symbol::intern(&self.name("a name")?)),
            what => what,
        };
        let mut operands = Vec::new();
        while !matches!(self.kind(), Kind::Break | Kind::End) {
            if !operands.is_empty() {
                self.expect(",")?;
            }
            operands.push(self.operand(body, None)?);
        }
        let nothing = matches!(what, Unknown::Statement | Unknown::Assembly);
        let ty = if nothing { Ty::VOID } else { said.unwrap_or(Ty::UNKNOWN) };
        Ok((Op::Unknown { what, operands: operands.into() }, Origin::Known(ty)))
    }

    /// Returns whether a word at token `at` says how the source names the callee.
    fn is_named_callee(&self, at: usize) -> bool {
        matches!(self.word_at(at), Some("method" | "qualified" | "foreign" | "literal"))
            && *self.kind_at(at + 1) != Kind::Mark("(")
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    fn alignment(&mut self, natural: u32, at: usize) -> Result<u32, Error> {
        let is_written = self.eat_word("align");
        let align = if is_written { self.number("a number of bytes")? } else { natural };
        match align.is_power_of_two() {
            true => Ok(align),
            false if is_written => Err(self.error_at(at, "an alignment must be a power of two")),
            false => Err(self.error_at(at, "this type has no natural alignment: add `align`")),
        }
    }

    fn variable_name(&mut self, body: &Body) -> Result<VariableId, Error> {
        let at = self.at;
        let (text, _) = self.value_name('$')?;
        let known = body.variables.get(&text).copied();
        known.ok_or_else(|| self.error_at(at, &format!("unknown variable `{text}`")))
    }

    fn field_number(&mut self, record: Ty) -> Result<u32, Error> {
        if *self.kind() == Kind::Number {
            return self.number("a field");
        }
        let at = self.at;
        let name = Symbol::intern(&self.name("a field")?);
        let definition = record.as_record().and_then(|record| record.definition.as_ref());
        let number = definition.and_then(|it| it.fields.iter().position(|field| field.name == Some(name)));
        let number = number.and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| self.error_at(at, "the record has no such field"))
    }

    fn call(&mut self, body: &mut Body) -> Result<(Op, Origin), Error> {
        // `unknown` begins the type `unknown type`, or an unknown callee.
        let is_mark = |at: usize| *self.kind_at(at) == Kind::Mark("(");
        let is_one_of = *self.kind_at(self.at + 1) == Kind::Mark("[");
        let is_callee = self.is_word("unknown")
            && (is_mark(self.at + 2) || is_one_of || self.is_named_callee(self.at + 1));
        let result = if self.at_type() && !is_callee { self.ty()? } else { Ty::VOID };
        // The type follows from the arguments, unless `as` states it.
        let ty = Ty::UNKNOWN;
        let called = *self.kind_at(self.at + 1) == Kind::Mark("(");
        let mut callee = if self.eat("@") {
            Callee::Function { key: self.key()?, ty }
        } else if !called && self.eat_word("through") {
            Callee::Pointer { address: self.operand(body, None)?, ty }
        } else {
            let builtin = !called && self.eat_word("builtin");
            let compiler = !called && !builtin && self.eat_word("compiler");
            let unknown = !called && !builtin && !compiler && self.eat_word("unknown");
            if unknown {
                Callee::Unknown { named: self.named()?, ty }
            } else {
                let name = Symbol::intern(&self.name("a callee")?);
                match compiler || (!builtin && is_compilers(name)) {
                    true => Callee::CompilerBuiltin { name, ty },
                    false => Callee::Builtin { name, ty },
                }
            }
        };
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.eat(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            let passing = self.passing();
            arguments.push((self.operand(body, None)?, passing));
        }
        let mut said = false;
        if self.eat_word("as") {
            said = true;
            let of = self.ty()?;
            *callee.ty_mut() = of;
        }
        let token = if self.eat_word("with") { Some(self.operand(body, None)?) } else { None };
        let convergent = token.is_some() || self.eat_word("convergent");
        body.open.said_callee = said;
        Ok((Op::Call(Call { callee, arguments, call: None, convergent, token }), Origin::Known(result)))
    }
}
