//! Instructions by opcode, jumps, and phis.

use tangle_base::Span;
use tangle_ir::flow::{BlockId, Function, Op, Terminator, Unknown, ValueId};
use tangle_ir::types::{MAX_LANES, Ty};
use tangle_ir::value::{Constant as Scalar, Conversion};

use super::{Built, FunctionReader, Name};
use crate::constant::{Constant, Expression};
use crate::error::{Error, ErrorKind};
use crate::lex::{Kind, Token};
use crate::types::{Class, Number, Type, TypeId};

/// Instructions of exceptions and computed jumps, which no program for a GPU has.
const UNSUPPORTED: [&str; 10] = [
    "indirectbr",
    "invoke",
    "callbr",
    "resume",
    "catchswitch",
    "catchret",
    "cleanupret",
    "catchpad",
    "cleanuppad",
    "landingpad",
];

/// Words between an opcode and its operands that do not change the result, or make more of it undefined.
const FLAGS: [&str; 22] = [
    "nuw",
    "nsw",
    "exact",
    "disjoint",
    "nneg",
    "samesign",
    "inbounds",
    "nusw",
    "fast",
    "nnan",
    "ninf",
    "nsz",
    "arcp",
    "contract",
    "afn",
    "reassoc",
    "volatile",
    "atomic",
    "weak",
    "inalloca",
    "swifterror",
    "tail",
];

impl<'a> FunctionReader<'_, 'a, '_> {
    /// Reads the blocks, up to the closing brace.
    pub(super) fn body(&mut self) -> Result<(), Error> {
        let mut is_open = true;
        loop {
            let token = self.reader.token();
            match token.kind {
                Kind::Mark(b'}') if !is_open => return Ok(()),
                Kind::Label => {
                    let block = self.block(token)?;
                    // The entry has begun already.
                    if block != Function::ENTRY && is_open {
                        return Err(self.reader.expected("the end of the previous block"));
                    }
                    if let Name::Number(number) = self.name(token) {
                        self.next_number = self.next_number.max(number.saturating_add(1));
                    }
                    self.builder.at(block);
                    is_open = true;
                    self.reader.next();
                }
                Kind::Record => self.reader.skip_line(),
                Kind::Local | Kind::Word if is_open => is_open = !self.instruction()?,
                _ if is_open => return Err(self.reader.expected("an instruction")),
                _ => return Err(self.reader.expected("a label or `}`")),
            }
        }
    }

    /// Reads an instruction. Returns whether it ends the block.
    fn instruction(&mut self) -> Result<bool, Error> {
        let start = self.reader.token();
        let mut end = self.reader.at + 1;
        while !self.reader.tokens[end].is_first {
            end += 1;
        }
        self.builder.place(Span::new(start.start, self.reader.tokens[end - 1].end));
        let at = self.reader.at;
        let mut name = None;
        if start.kind == Kind::Local {
            self.reader.next();
            self.reader.expect(b'=', "`=`")?;
            name = Some(self.name(start));
        }
        let opcode_at = self.reader.at;
        let opcode = self.reader.word();
        if opcode.is_empty() {
            return Err(self.reader.expected("an instruction"));
        }
        self.reader.next();
        if name.is_none() && self.terminator(opcode)? {
            self.skip_rest();
            return Ok(true);
        }
        if UNSUPPORTED.contains(&opcode) {
            return Err(self.reader.error_at(opcode_at, ErrorKind::Unsupported(opcode.to_owned())));
        }
        let built = self.operation(opcode, opcode_at)?;
        self.skip_rest();
        match (&built, name) {
            (Built::Nothing, None) => {}
            (Built::Nothing, Some(_)) => {
                return Err(self.reader.error_at(at, ErrorKind::Expected("an instruction without a name")));
            }
            (_, name) => self.define(name.unwrap_or(Name::Number(self.next_number)), built, at)?,
        }
        Ok(false)
    }

    /// Skips metadata and other parts at the end of an instruction.
    fn skip_rest(&mut self) {
        while !self.reader.token().is_first {
            self.reader.next();
        }
    }

    pub(super) fn skip_flags(&mut self) {
        while FLAGS.contains(&self.reader.word()) {
            self.reader.next();
            // `inrange(-8, 16)`
            if self.reader.is(b'(') {
                self.reader.skip_group();
            }
        }
    }

    /// Reads `label %block`.
    fn label(&mut self) -> Result<BlockId, Error> {
        if !self.reader.eat_word("label") {
            return Err(self.reader.expected("`label`"));
        }
        let token = self.reader.next();
        self.block(token)
    }

    /// Reads a terminator. Returns false if the instruction is none.
    fn terminator(&mut self, opcode: &str) -> Result<bool, Error> {
        let terminator = match opcode {
            "br" if self.reader.word() == "label" => Terminator::Jump(self.label()?),
            "br" => {
                let (_, condition) = self.typed_value()?;
                self.comma()?;
                let then = self.label()?;
                self.comma()?;
                Terminator::Branch { condition, then, otherwise: self.label()? }
            }
            "switch" => self.switch()?,
            "ret" => self.ret()?,
            "unreachable" => Terminator::Unreachable,
            _ => return Ok(false),
        };
        let function = self.builder.function();
        let fits = match &terminator {
            Terminator::Branch { condition, .. } => function.values[*condition].ty == Ty::BOOL,
            _ => true,
        };
        if !fits || terminator.successors().contains(&Function::ENTRY) {
            return Err(self
                .reader
                .expected("a valid jump: a condition of type `i1`, and no jump to the first block"));
        }
        self.builder.end(terminator);
        Ok(true)
    }

    fn switch(&mut self) -> Result<Terminator, Error> {
        let (ty, value) = self.typed_value()?;
        let number = self.number(ty)?;
        if number.class != Class::Integer || number.lanes != 1 {
            return Err(self.reader.expected("an integer"));
        }
        self.comma()?;
        let otherwise = self.label()?;
        self.reader.expect(b'[', "`[`")?;
        let mut cases: Vec<(i128, i128, BlockId)> = Vec::new();
        while !self.reader.eat(b']') {
            let at = self.reader.at;
            let (_, case) = self.typed_value()?;
            let case = self.constant_of(case);
            let case = case.ok_or_else(|| self.reader.error_at(at, ErrorKind::Number))?;
            self.comma()?;
            cases.push((case, case, self.label()?));
        }
        let mut sorted: Vec<i128> = cases.iter().map(|case| case.0).collect();
        sorted.sort_unstable();
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(self.reader.expected("a `switch` with different cases"));
        }
        Ok(Terminator::Switch { value, cases, otherwise })
    }

    fn ret(&mut self) -> Result<Terminator, Error> {
        if self.reader.eat_word("void") {
            if !self.builder.function().result.is_void() {
                return Err(self.reader.expected("a value"));
            }
            return Ok(Terminator::Return(None));
        }
        let at = self.reader.at;
        let (ty, built) = self.typed()?;
        let is_result = self.reader.types.get(ty) == self.reader.types.get(self.header.result);
        match (&built, self.result) {
            _ if !is_result => {
                Err(self.reader.error_at(at, ErrorKind::Expected("the result type of the function")))
            }
            (Built::One(value), None) => Ok(Terminator::Return(Some(*value))),
            (Built::Parts(_), Some(address)) => {
                self.store_parts(ty, &built, address)?;
                Ok(Terminator::Return(None))
            }
            _ => Err(self.reader.error_at(at, ErrorKind::Expected("the result of the function"))),
        }
    }

    /// Reads an instruction that ends no block.
    fn operation(&mut self, opcode: &'a str, at: usize) -> Result<Built, Error> {
        if let "phi" = opcode {
            return self.phi();
        }
        // `call` has flags before its other words.
        if !matches!(opcode, "call" | "tail" | "musttail" | "notail" | "load" | "store") {
            self.skip_flags();
        }
        Ok(match opcode {
            "call" => self.call_instruction()?,
            "tail" | "musttail" | "notail" if self.reader.eat_word("call") => self.call_instruction()?,
            "load" => self.load_instruction()?,
            "store" => self.store_instruction()?,
            "alloca" => self.alloca()?,
            "getelementptr" => self.gep_instruction()?,
            "atomicrmw" => self.atomicrmw()?,
            "cmpxchg" => self.cmpxchg()?,
            "fence" => self.fence_instruction()?,
            "icmp" | "fcmp" => {
                let predicate = self.reader.word();
                self.reader.next();
                self.skip_flags();
                let (ty, left) = self.typed_value()?;
                self.comma()?;
                let right = self.value(ty)?;
                Built::One(self.compare(predicate, ty, left, right)?)
            }
            "select" => {
                let (of, condition) = self.typed_value()?;
                self.comma()?;
                let (ty, then) = self.typed()?;
                self.comma()?;
                let (_, otherwise) = self.typed()?;
                self.select(of, condition, ty, &then, &otherwise)?
            }
            "freeze" => self.typed()?.1,
            "fneg" => {
                let (ty, operand) = self.typed_value()?;
                Built::One(self.negate(ty, operand)?)
            }
            "extractelement" => {
                let (ty, vector) = self.typed_value()?;
                self.comma()?;
                let (of, lane) = self.typed_value()?;
                Built::One(self.extract(ty, vector, of, lane)?)
            }
            "insertelement" => {
                let (ty, vector) = self.typed_value()?;
                self.comma()?;
                let (_, value) = self.typed_value()?;
                self.comma()?;
                let (of, lane) = self.typed_value()?;
                Built::One(self.insert(ty, vector, value, (of, lane))?)
            }
            "shufflevector" => self.shuffle_instruction()?,
            "extractvalue" => {
                let (_, mut aggregate) = self.typed()?;
                let path = self.path()?;
                match part_mut(&mut aggregate, &path) {
                    Some(part) => part.clone(),
                    None => {
                        return Err(self.reader.error_at(at, ErrorKind::Expected("a part of the aggregate")));
                    }
                }
            }
            "insertvalue" => {
                let (_, mut aggregate) = self.typed()?;
                self.comma()?;
                let (_, value) = self.typed()?;
                let path = self.path()?;
                match part_mut(&mut aggregate, &path) {
                    Some(part) => *part = value,
                    None => {
                        return Err(self.reader.error_at(at, ErrorKind::Expected("a part of the aggregate")));
                    }
                }
                aggregate
            }
            "trunc" | "zext" | "sext" | "fptrunc" | "fpext" | "fptoui" | "fptosi" | "uitofp" | "sitofp"
            | "ptrtoint" | "ptrtoaddr" | "inttoptr" | "bitcast" | "addrspacecast" => {
                let (from, operand) = self.typed_value()?;
                if !self.reader.eat_word("to") {
                    return Err(self.reader.expected("`to`"));
                }
                let to = self.reader.ty()?;
                Built::One(self.cast(opcode, from, operand, to)?)
            }
            _ if is_binary(opcode) => {
                let (ty, left) = self.typed_value()?;
                self.comma()?;
                let right = self.value(ty)?;
                Built::One(self.binary(opcode, ty, left, right)?)
            }
            _ => self.unknown_instruction(at)?,
        })
    }

    /// Reads an instruction that is not known. Its result has an unknown type, and derives from all values that it names.
    fn unknown_instruction(&mut self, at: usize) -> Result<Built, Error> {
        let mut operands = Vec::new();
        let has_name = at > 0 && self.reader.tokens[at - 1].kind == Kind::Mark(b'=');
        while !self.reader.token().is_first {
            let token: Token = self.reader.next();
            if token.kind == Kind::Local {
                match self.values.get(&self.name(token)) {
                    Some(Built::One(value)) if self.builder.ty(*value) != Ty::TOKEN => operands.push(*value),
                    _ => {}
                }
            }
        }
        let (what, ty) =
            if has_name { (Unknown::Value, Ty::UNKNOWN) } else { (Unknown::Statement, Ty::VOID) };
        let value = self.op(Op::Unknown { what, operands: operands.into() }, ty)?;
        Ok(if has_name { Built::One(value) } else { Built::Nothing })
    }

    /// Reads the numbers of `extractvalue` and `insertvalue`.
    fn path(&mut self) -> Result<Vec<u64>, Error> {
        let mut path = Vec::new();
        while self.reader.is(b',') && self.reader.tokens[self.reader.at + 1].kind == Kind::Number {
            self.reader.next();
            path.push(self.reader.unsigned()?);
        }
        Ok(path)
    }

    fn phi(&mut self) -> Result<Built, Error> {
        self.skip_flags();
        let at = self.reader.at;
        let ty = self.reader.ty()?;
        let phi = self.each_leaf(ty, &mut 0, &mut |this, number| {
            if number.class == Class::Token {
                return Err(this.reader.error_at(at, ErrorKind::Unsupported("phi token".to_owned())));
            }
            this.op(Op::Phi(Vec::new()), number.ty)
        })?;
        loop {
            self.reader.expect(b'[', "`[`")?;
            // Operations of a constant belong to the end of the other block.
            let here = self.builder.here();
            let length = self.builder.function().blocks[here].values.len();
            let operand = self.operand(ty)?;
            let rest = self.builder.function().blocks[here].values.split_off(length);
            self.comma()?;
            let token = self.reader.next();
            let from = self.block(token)?;
            self.reader.expect(b']', "`]`")?;
            if !rest.is_empty() {
                self.at_end.push((from, rest));
            }
            self.incoming(&phi, from, &operand);
            if !(self.reader.is(b',') && self.reader.tokens[self.reader.at + 1].kind == Kind::Mark(b'[')) {
                return Ok(phi);
            }
            self.reader.next();
        }
    }

    /// Both have the same type.
    fn incoming(&mut self, phi: &Built, from: BlockId, operand: &Built) {
        match (phi, operand) {
            (Built::One(phi), Built::One(operand)) => {
                if let Op::Phi(incoming) = &mut self.builder.function().values[*phi].op {
                    incoming.push((from, *operand));
                }
            }
            (Built::Parts(phis), Built::Parts(operands)) => {
                for (phi, operand) in phis.iter().zip(operands) {
                    self.incoming(phi, from, operand);
                }
            }
            _ => {}
        }
    }

    /// Returns the values of a constant expression.
    pub(super) fn expression(&mut self, ty: TypeId, expression: &Expression<'a>) -> Result<Built, Error> {
        let Expression { opcode, predicate, operands, ty: of } = expression;
        let mut built: Vec<(TypeId, ValueId)> = Vec::new();
        for (ty, operand) in operands {
            match self.build(*ty, operand)? {
                Built::One(value) => built.push((*ty, value)),
                _ => return Err(self.reader.expected("a number or an address")),
            }
        }
        Ok(Built::One(match (*opcode, &built[..]) {
            ("getelementptr", [(base, address), indices @ ..]) => {
                let Some(source) = *of else { return Err(self.reader.expected("a type")) };
                let indices = indices.to_vec();
                self.gep(source, (*base, *address), &indices)?
            }
            ("icmp" | "fcmp", &[(of, left), (_, right)]) => self.compare(predicate, of, left, right)?,
            ("select", &[(of, condition), (_, then), (_, otherwise)]) => {
                return self.select(of, condition, ty, &Built::One(then), &Built::One(otherwise));
            }
            (opcode, &[(of, left), (_, right)]) if is_binary(opcode) => {
                self.binary(opcode, of, left, right)?
            }
            (opcode, &[(from, operand)]) => self.cast(opcode, from, operand, ty)?,
            _ => {
                let number = self.number(ty)?;
                let operands: Vec<ValueId> = built.iter().map(|&(_, value)| value).collect();
                self.unknown(opcode, &operands, number)?
            }
        }))
    }

    fn select(
        &mut self,
        of: TypeId,
        condition: ValueId,
        ty: TypeId,
        then: &Built,
        otherwise: &Built,
    ) -> Result<Built, Error> {
        match (then, otherwise) {
            (Built::One(then), Built::One(otherwise)) => {
                let (number, of) = (self.number(ty)?, self.number(of)?);
                let op = Op::Select { condition, then: *then, otherwise: *otherwise };
                if number.class == Class::Unknown || of.class == Class::Unknown {
                    return Ok(Built::One(self.unknown(
                        "select",
                        &[condition, *then, *otherwise],
                        number,
                    )?));
                }
                Ok(Built::One(self.op(op, number.ty)?))
            }
            (Built::Parts(then), Built::Parts(otherwise)) => {
                let mut parts = Vec::new();
                for (number, (then, otherwise)) in then.iter().zip(otherwise).enumerate() {
                    let Some((part, _)) = self.reader.types.part(ty, number as u64) else {
                        return Err(self.reader.expected("an aggregate"));
                    };
                    parts.push(self.select(of, condition, part, then, otherwise)?);
                }
                Ok(Built::Parts(parts))
            }
            _ => Err(self.reader.expected("values of one type")),
        }
    }

    fn extract(&mut self, ty: TypeId, vector: ValueId, of: TypeId, lane: ValueId) -> Result<ValueId, Error> {
        let number = self.number(ty)?;
        if number.class == Class::Unknown {
            let element = match *self.reader.types.get(ty) {
                Type::Vector { element, .. } => self.number(element)?,
                _ => Number::UNKNOWN,
            };
            return self.unknown("extractelement", &[vector, lane], element);
        }
        if number.lanes == 1 {
            return Ok(vector);
        }
        let lane = self.lane_number(of, lane)?;
        let value = self.op(Op::Extract { vector, lane }, number.element)?;
        if number.is_bool() { self.convert(Conversion::ToBool, value, Ty::BOOL) } else { Ok(value) }
    }

    fn insert(
        &mut self,
        ty: TypeId,
        vector: ValueId,
        value: ValueId,
        (of, lane): (TypeId, ValueId),
    ) -> Result<ValueId, Error> {
        let number = self.number(ty)?;
        if number.class == Class::Unknown {
            return self.unknown("insertelement", &[vector, value, lane], number);
        }
        if number.lanes == 1 {
            return Ok(value);
        }
        let lane = self.lane_number(of, lane)?;
        let mut value = value;
        if number.is_bool() {
            let (all, none) = (self.integer(Number::integer(8), -1)?, self.integer(Number::integer(8), 0)?);
            value = self.op(Op::Select { condition: value, then: all, otherwise: none }, Ty::CHAR)?;
        }
        self.op(Op::Insert { vector, lane, value }, number.ty)
    }

    /// Returns the number of a lane, which has no sign.
    fn lane_number(&mut self, of: TypeId, lane: ValueId) -> Result<ValueId, Error> {
        let number = self.number(of)?;
        match self.constant_of(lane) {
            Some(_) => Ok(lane),
            None => self.convert(Conversion::Integer, lane, number.unsigned()),
        }
    }

    fn shuffle_instruction(&mut self) -> Result<Built, Error> {
        let (ty, left) = self.typed_value()?;
        self.comma()?;
        let (_, right) = self.typed_value()?;
        self.comma()?;
        let of_mask = self.reader.ty()?;
        let mask = self.reader.constant(of_mask)?;
        let number = self.number(ty)?;
        let Some(lanes) = self.mask(of_mask, &mask) else {
            return Err(self.reader.expected("a constant mask"));
        };
        let count = u8::try_from(lanes.len()).ok().filter(|&count| (1..=MAX_LANES).contains(&count));
        let Some(count) = count.filter(|_| number.class != Class::Unknown) else {
            let result = Number::UNKNOWN;
            return Ok(Built::One(self.unknown("shufflevector", &[left, right], result)?));
        };
        let result = number.lane().vector(count);
        let is_inside = lanes.iter().flatten().all(|&lane| lane < 2 * u64::from(number.lanes));
        if !is_inside {
            return Err(self.reader.expected("lanes of the vectors"));
        }
        if number.lanes == 1 {
            return Ok(Built::One(self.spread((left, right), &lanes, result)?));
        }
        let lanes: Box<[Option<u8>]> = lanes.iter().map(|lane| lane.map(|lane| lane as u8)).collect();
        let is_truth = result.is_bool() && count == 1;
        let ty = if is_truth { Ty::CHAR } else { result.ty };
        let shuffled = self.op(Op::Shuffle { left, right, lanes }, ty)?;
        Ok(Built::One(if is_truth {
            self.convert(Conversion::ToBool, shuffled, Ty::BOOL)?
        } else {
            shuffled
        }))
    }

    /// Returns a vector of lanes of two vectors with one lane, which are scalars in the graph.
    fn spread(
        &mut self,
        (left, right): (ValueId, ValueId),
        lanes: &[Option<u64>],
        result: Number,
    ) -> Result<ValueId, Error> {
        let mut whole = self.op(Op::Constant(Scalar::Undefined), result.ty)?;
        for (at, lane) in lanes.iter().enumerate() {
            let Some(lane) = lane else { continue };
            let mut value = if *lane == 0 { left } else { right };
            if result.lanes == 1 {
                return Ok(value);
            }
            if result.is_bool() {
                let (all, none) =
                    (self.integer(Number::integer(8), -1)?, self.integer(Number::integer(8), 0)?);
                value = self.op(Op::Select { condition: value, then: all, otherwise: none }, Ty::CHAR)?;
            }
            let lane = self.integer(Number::integer(32), at as i128)?;
            whole = self.op(Op::Insert { vector: whole, lane, value }, result.ty)?;
        }
        Ok(whole)
    }

    /// Returns the lanes that a mask selects. `None` for a lane that is undefined.
    fn mask(&self, ty: TypeId, mask: &Constant<'a>) -> Option<Vec<Option<u64>>> {
        let Type::Vector { lanes, .. } = *self.reader.types.get(ty) else { return None };
        let lanes = usize::try_from(lanes).ok().filter(|&lanes| lanes <= 4096)?;
        let lane = |lane: &Constant<'a>| match lane {
            Constant::Integer(number) => u64::try_from(*number).ok().map(Some),
            Constant::Zero => Some(Some(0)),
            Constant::Undefined => Some(None),
            _ => None,
        };
        match mask {
            Constant::Parts(parts) if parts.len() == lanes => {
                parts.iter().map(|(_, part)| lane(part)).collect()
            }
            Constant::Splat(all) => Some(vec![lane(all)?; lanes]),
            Constant::Zero | Constant::Undefined => Some(vec![lane(mask)?; lanes]),
            _ => None,
        }
    }
}

/// Returns a part of an aggregate.
fn part_mut<'b>(aggregate: &'b mut Built, path: &[u64]) -> Option<&'b mut Built> {
    let mut at = aggregate;
    for &number in path {
        let Built::Parts(parts) = at else { return None };
        at = parts.get_mut(usize::try_from(number).ok()?)?;
    }
    Some(at)
}

/// Whether an opcode computes a number from two numbers of one type.
pub(super) fn is_binary(opcode: &str) -> bool {
    matches!(
        opcode,
        "add"
            | "sub"
            | "mul"
            | "udiv"
            | "sdiv"
            | "urem"
            | "srem"
            | "shl"
            | "lshr"
            | "ashr"
            | "and"
            | "or"
            | "xor"
            | "fadd"
            | "fsub"
            | "fmul"
            | "fdiv"
            | "frem"
    )
}
