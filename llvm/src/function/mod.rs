//! Functions: the header, blocks, and the values that names stand for.
//!
//! A value may be used before its definition, so its name then stands for a **placeholder** of the same type. At the end,
//! all placeholders are replaced. A variable that is only loaded and stored as a whole becomes values (`promote`).
//!
//! | module | instructions |
//! |---|---|
//! | `instruction` | all instructions, by opcode; jumps and phis |
//! | `arithmetic` | numbers, comparisons and conversions |
//! | `memory` | addresses, loads, stores, atomics and fences |
//! | `call` | calls, with their tokens |
//! | `intrinsic` | intrinsics of LLVM and of targets |
//! | `promote`, `pointees` | private variables that become values; the types that parameters point to |

mod arithmetic;
mod call;
mod instruction;
mod intrinsic;
mod memory;
mod pointees;
mod promote;

use rustc_hash::FxHashMap;
use tangle_base::{AddressSpace, Span, Symbol};
use tangle_ir::flow::builder::Builder;
use tangle_ir::flow::{
    Block, BlockId, BlockKind, Function, Op, Parameter, ParameterRole, Passing, Value, ValueId,
};
use tangle_ir::nest::StmtId;
use tangle_ir::types::{FunctionTy, Ty, TyKind};
use tangle_ir::value::{Constant as Scalar, Conversion};

use crate::callee::Language;
use crate::constant::Constant;
use crate::error::{Error, ErrorKind};
use crate::lex::{Kind, Token};
use crate::reader::{Attributes, Item, Reader};
use crate::types::{Class, MAX_LEAVES, Machine, Number, TypeId, is_same_space};

/// The header of a function, with the tokens where its parts begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header<'a> {
    pub symbol: Symbol,
    /// The location of the name.
    pub span: Span,
    /// The calling convention of a kernel. Empty for other functions.
    pub convention: &'a str,
    pub is_internal: bool,
    pub result: TypeId,
    /// The opening parenthesis of the parameters.
    pub parameters: usize,
    /// The metadata of the function.
    pub rest: usize,
    /// The first token after the opening brace.
    pub body: usize,
    pub attributes: Attributes,
}

/// Facts about the whole module and its language.
pub(crate) struct Environment<'e> {
    pub language: Language,
    pub is_builtin: &'e dyn Fn(Symbol) -> bool,
    /// The functions that metadata marks as kernels.
    pub annotated: &'e [Symbol],
}

/// The name of a value or a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Name {
    Number(u32),
    Text(Symbol),
}

/// The value of a name in the graph.
#[derive(Clone, Debug)]
enum Built {
    One(ValueId),
    /// The parts of an aggregate.
    Parts(Vec<Built>),
    /// No value: the result of a call of a `void` function.
    Nothing,
}

/// A function that is being read.
struct FunctionReader<'r, 'a, 'e> {
    reader: &'r mut Reader<'a>,
    environment: &'e Environment<'e>,
    header: Header<'a>,
    builder: Builder,
    values: FxHashMap<Name, Built>,
    /// The placeholders, with the first token that uses them.
    forward: FxHashMap<Name, (Built, usize)>,
    /// The value for each placeholder that has a definition.
    replaced: FxHashMap<ValueId, ValueId>,
    blocks: FxHashMap<Name, BlockId>,
    /// Operations at the end of a block: constants of phis that are expressions.
    at_end: Vec<(BlockId, Vec<ValueId>)>,
    /// The number of the next value or block without a name.
    next_number: u32,
    /// The address that a returned aggregate is written to.
    result: Option<ValueId>,
}

/// Reads a function whose header is known.
///
/// # Errors
///
/// The body is not LLVM IR, or has a part without a counterpart in a flow graph.
pub(crate) fn read_function<'a>(
    reader: &mut Reader<'a>,
    header: &Header<'a>,
    environment: &Environment<'_>,
) -> Result<Function, Error> {
    let result = match reader.types.number(header.result) {
        Some(number) => number.ty,
        None if reader.types.parts(header.result).is_some() => reader.types.memory(header.result),
        None => Ty::VOID,
    };
    let mut builder = Builder::new("", result);
    let key = reader.key(header.symbol);
    let function = builder.function();
    function.key = key;
    function.span = header.span;
    function.internal = header.is_internal;
    function.convergent = header.attributes.convergent;
    let mut body = FunctionReader {
        reader,
        environment,
        header: *header,
        builder,
        values: FxHashMap::default(),
        forward: FxHashMap::default(),
        replaced: FxHashMap::default(),
        blocks: FxHashMap::default(),
        at_end: Vec::new(),
        next_number: 0,
        result: None,
    };
    body.header()?;
    body.reader.at = header.body;
    body.labels()?;
    body.body()?;
    body.finish()
}

impl<'a> FunctionReader<'_, 'a, '_> {
    fn error(&self, kind: ErrorKind) -> Error {
        self.reader.error(kind)
    }

    /// Reads the metadata of the function and its parameters.
    fn header(&mut self) -> Result<(), Error> {
        let mut metadata: FxHashMap<&'a str, Vec<Item>> = FxHashMap::default();
        self.reader.at = self.header.rest;
        while self.reader.at + 1 < self.header.body {
            let (kind, node) = (self.reader.next(), self.reader.token());
            if kind.kind == Kind::Metadata && node.kind == Kind::Metadata {
                let (kind, node) = (self.reader.text_of(kind), self.reader.text_of(node));
                let items = self.reader.node(node);
                metadata.insert(kind, items);
            }
        }
        let numbers = |name: &str| -> Vec<u32> {
            let items = metadata.get(name).into_iter().flatten();
            let number = |item: &Item| match item {
                Item::Number(number) => u32::try_from(*number).ok(),
                _ => None,
            };
            items.filter_map(number).collect()
        };
        let function = self.builder.function();
        function.kernel = !self.header.convention.is_empty()
            || metadata.contains_key("!kernel_arg_type")
            || self.environment.annotated.contains(&self.header.symbol);
        if let [x, y, z] = numbers("!reqd_work_group_size")[..] {
            function.work_group_size = Some([x, y, z]);
        }
        function.sub_group_size = match numbers("!intel_reqd_sub_group_size")[..] {
            [size] => Some(size),
            // LLVM replaces a read of the size of a warp by 32.
            _ => (self.reader.types.machine == Machine::Nvptx).then_some(32),
        };
        let texts = |name: &str| -> Vec<String> {
            let items = metadata.get(name).into_iter().flatten();
            let text = |item: &Item| match item {
                Item::Text(text) => text.clone(),
                _ => String::new(),
            };
            items.map(text).collect()
        };
        let types = texts("!kernel_arg_base_type");
        let names = texts("!kernel_arg_name");
        if self.reader.types.parts(self.header.result).is_some() {
            let ty = self.reader.types.memory(self.header.result);
            let result = self.parameter(None, ty, Passing::Result, ty)?;
            self.result = Some(result);
        }
        self.reader.at = self.header.parameters + 1;
        let mut number = 0;
        while !self.reader.eat(b')') {
            if number > 0 {
                self.reader.expect(b',', "`,`")?;
            }
            if self.reader.eat_word("...") {
                continue;
            }
            self.read_parameter(
                types.get(number).map(String::as_str),
                names.get(number).map(String::as_str),
            )?;
            number += 1;
        }
        Ok(())
    }

    fn read_parameter(&mut self, declared: Option<&str>, given: Option<&str>) -> Result<(), Error> {
        let start = self.reader.token();
        let ty = self.reader.ty()?;
        let copied = self.reader.parameter_attributes()?;
        let token = self.reader.token();
        let name = if token.kind == Kind::Local {
            self.reader.next();
            self.name(token)
        } else {
            Name::Number(self.next_number)
        };
        self.builder.place(Span::new(start.start, token.end));
        let of_name = match name {
            Name::Text(name) => Some(name),
            Name::Number(_) => given.filter(|name| !name.is_empty()).map(Symbol::intern),
        };
        let number = self.reader.types.number(ty);
        let built = match (number, copied) {
            (Some(number), None) => {
                let own = declared.map_or(number.ty, |text| declared_type(text, number));
                let value = self.parameter(of_name, own, Passing::Value, own)?;
                Built::One(if own == number.ty || number.class == Class::Pointer {
                    value
                } else {
                    self.convert(Conversion::Integer, value, number.ty)?
                })
            }
            (Some(number), Some(of)) => {
                let of = self.reader.types.memory(of);
                let value = self.parameter(of_name, of, Passing::Copy, of)?;
                Built::One(self.in_space(value, number)?)
            }
            (None, _) if self.reader.types.parts(ty).is_some() => {
                let of = self.reader.types.memory(ty);
                let value = self.parameter(of_name, of, Passing::Copy, of)?;
                self.load_parts(ty, value)?
            }
            (None, _) => return Err(self.reader.expected("the type of a parameter")),
        };
        self.define(name, built, self.reader.at)
    }

    fn parameter(
        &mut self,
        name: Option<Symbol>,
        ty: Ty,
        passing: Passing,
        of: Ty,
    ) -> Result<ValueId, Error> {
        let ty_of_value = if passing == Passing::Value { ty } else { Ty::pointer(of, AddressSpace::Private) };
        let number = self.builder.function().parameters.len() as u32;
        let value = self.op(Op::Parameter(number), ty_of_value)?;
        let function = self.builder.function();
        let span = function.values[value].span;
        function.parameters.push(Parameter { name, ty, passing, value, role: ParameterRole::Plain, span });
        Ok(value)
    }

    /// Creates the blocks of the function, so that jumps can refer to later ones.
    fn labels(&mut self) -> Result<(), Error> {
        let start = self.reader.at;
        let mut depth = 0;
        let mut is_entry = true;
        loop {
            let token = self.reader.token();
            match token.kind {
                Kind::End => return Err(self.reader.expected("`}`")),
                Kind::Mark(b'{' | b'[' | b'(') => depth += 1,
                Kind::Mark(b'}') if depth == 0 => break,
                Kind::Mark(b'}' | b']' | b')') => depth -= 1,
                Kind::Label if token.is_first => {
                    let name = self.name(token);
                    let label = self.reader.name_of(token).into_owned();
                    let block = if std::mem::take(&mut is_entry) {
                        Function::ENTRY
                    } else {
                        self.builder.function().blocks.push(named_block(&label))
                    };
                    if self.blocks.insert(name, block).is_some() {
                        return Err(self.error(ErrorKind::Redefined(label)));
                    }
                }
                _ if std::mem::take(&mut is_entry) => {
                    // The first block has no label. It has the number after the parameters.
                    self.blocks.insert(Name::Number(self.next_number), Function::ENTRY);
                    self.next_number += 1;
                }
                _ => {}
            }
            self.reader.next();
        }
        self.reader.at = start;
        Ok(())
    }

    /// Returns the block that a token names.
    fn block(&mut self, token: Token) -> Result<BlockId, Error> {
        let name = self.name(token);
        match self.blocks.get(&name) {
            Some(&block) => Ok(block),
            None => {
                let text = self.reader.name_of(token).into_owned();
                Err(Error::at(self.reader.text, token.start as usize, ErrorKind::UndefinedBlock(text)))
            }
        }
    }

    /// Returns the name of a value or block. Numbers in quotes are texts.
    fn name(&self, token: Token) -> Name {
        let text = self.reader.text_of(token);
        match text.trim_start_matches('%').parse() {
            Ok(number) => Name::Number(number),
            Err(_) => Name::Text(Symbol::intern(&self.reader.name_of(token))),
        }
    }

    /// Defines the value of a name. `at`: the token of the definition.
    fn define(&mut self, name: Name, built: Built, at: usize) -> Result<(), Error> {
        if let Name::Number(number) = name {
            self.next_number = self.next_number.max(number.saturating_add(1));
        }
        if let (Name::Text(text), Built::One(value)) = (name, &built) {
            let value = &mut self.builder.function().values[*value];
            if value.name.is_none() && !value.op.is_leaf() {
                value.name = Some(text);
            }
        }
        if let Some((placeholder, _)) = self.forward.remove(&name) {
            self.replace(&placeholder, &built);
        }
        match self.values.insert(name, built) {
            None => Ok(()),
            Some(_) => {
                let text = match name {
                    Name::Number(number) => format!("%{number}"),
                    Name::Text(text) => format!("%{text}"),
                };
                Err(self.reader.error_at(at, ErrorKind::Redefined(text)))
            }
        }
    }

    /// Both have the same type.
    fn replace(&mut self, placeholder: &Built, built: &Built) {
        match (placeholder, built) {
            (Built::One(placeholder), Built::One(value)) => _ = self.replaced.insert(*placeholder, *value),
            (Built::Parts(placeholders), Built::Parts(parts)) => {
                for (placeholder, part) in placeholders.iter().zip(parts) {
                    self.replace(placeholder, part);
                }
            }
            _ => {}
        }
    }

    /// Reads an operand of a type.
    fn operand(&mut self, ty: TypeId) -> Result<Built, Error> {
        let token = self.reader.token();
        if token.kind == Kind::Local {
            let at = self.reader.at;
            self.reader.next();
            let name = self.name(token);
            let known = self.values.get(&name).or(self.forward.get(&name).map(|(built, _)| built));
            if let Some(known) = known {
                let known = known.clone();
                return self.checked(known, ty, at);
            }
            let placeholder = self.placeholder(ty)?;
            self.forward.insert(name, (placeholder.clone(), at));
            return Ok(placeholder);
        }
        let constant = self.reader.constant(ty)?;
        self.build(ty, &constant)
    }

    /// Returns an operand if it has the type that the instruction gives it.
    fn checked(&mut self, built: Built, ty: TypeId, at: usize) -> Result<Built, Error> {
        let fits = match (&built, self.reader.types.number(ty)) {
            (Built::One(value), Some(number)) => {
                let of = self.builder.ty(*value);
                of == number.ty || is_same_space(of, number.ty) || of.is_unknown() || number.ty.is_unknown()
            }
            (Built::Parts(parts), None) => self.reader.types.parts(ty) == Some(parts.len() as u64),
            // The result of an instruction that is not known.
            (Built::One(value), None) => self.builder.ty(*value).is_unknown(),
            _ => false,
        };
        match (fits, &built) {
            (true, Built::One(_)) if self.reader.types.number(ty).is_none() => self.placeholder(ty),
            (true, _) => Ok(built),
            (false, _) => Err(self.reader.error_at(at, ErrorKind::Expected("a value of this type"))),
        }
    }

    /// Reads an operand that is not an aggregate.
    fn value(&mut self, ty: TypeId) -> Result<ValueId, Error> {
        let at = self.reader.at;
        match self.operand(ty)? {
            Built::One(value) => Ok(value),
            _ => Err(self.reader.error_at(at, ErrorKind::Expected("a value that is not an aggregate"))),
        }
    }

    /// Reads a type and an operand.
    fn typed(&mut self) -> Result<(TypeId, Built), Error> {
        let ty = self.reader.ty()?;
        Ok((ty, self.operand(ty)?))
    }

    /// Reads a type and an operand that is not an aggregate.
    fn typed_value(&mut self) -> Result<(TypeId, ValueId), Error> {
        let ty = self.reader.ty()?;
        Ok((ty, self.value(ty)?))
    }

    fn comma(&mut self) -> Result<(), Error> {
        self.reader.expect(b',', "`,`")
    }

    /// Returns the type of a value that is not an aggregate.
    fn number(&self, ty: TypeId) -> Result<Number, Error> {
        self.reader.types.number(ty).ok_or_else(|| self.reader.expected("a type of a number or an address"))
    }

    /// Creates a value of a type for each leaf, with a function for the type of a leaf.
    fn each_leaf(
        &mut self,
        ty: TypeId,
        count: &mut usize,
        leaf: &mut dyn FnMut(&mut Self, Number) -> Result<ValueId, Error>,
    ) -> Result<Built, Error> {
        *count += 1;
        if *count > MAX_LEAVES {
            return Err(self.error(ErrorKind::Large("an aggregate that is a value")));
        }
        if let Some(number) = self.reader.types.number(ty) {
            return Ok(Built::One(leaf(self, number)?));
        }
        let Some(parts) = self.reader.types.parts(ty) else {
            return Err(self.reader.expected("a type of values"));
        };
        let mut all = Vec::new();
        for number in 0..parts {
            let Some((part, _)) = self.reader.types.part(ty, number) else {
                return Err(self.error(ErrorKind::Large("an aggregate that is a value")));
            };
            all.push(self.each_leaf(part, count, leaf)?);
        }
        Ok(Built::Parts(all))
    }

    fn placeholder(&mut self, ty: TypeId) -> Result<Built, Error> {
        self.each_leaf(ty, &mut 0, &mut |this, number| {
            let op = Op::Constant(Scalar::Undefined);
            let span = Span::new(0, 0);
            Ok(this.builder.function().values.push(Value { op, ty: number.ty, name: None, span }))
        })
    }

    /// Returns the values of a constant.
    fn build(&mut self, ty: TypeId, constant: &Constant<'a>) -> Result<Built, Error> {
        let Some(number) = self.reader.types.number(ty) else {
            return self.build_parts(ty, constant);
        };
        if number.class == Class::Token {
            return Err(self.reader.expected("a token"));
        }
        if let Some(constant) = self.reader.folded(number, constant) {
            return Ok(Built::One(self.op(Op::Constant(constant), number.ty)?));
        }
        Ok(Built::One(match constant {
            Constant::Global(name) if self.reader.functions.contains_key(name) => {
                let function = FunctionTy { result: Ty::VOID, parameters: Box::default(), variadic: false };
                let function = Ty::new(TyKind::Function(Box::new(function)));
                let space = number.ty.as_pointer().map_or(AddressSpace::Generic, |pointer| pointer.space);
                let key = self.reader.key(*name);
                self.op(Op::Function(key), Ty::pointer(function, space))?
            }
            Constant::Global(name) => {
                let Some(ty) = self.reader.address_of(*name) else {
                    return Err(self.error(ErrorKind::Undefined(format!("@{name}"))));
                };
                let address = self.op(Op::Global(*name), ty)?;
                self.in_space(address, number)?
            }
            Constant::Expression(expression) => return self.expression(ty, expression),
            _ => self.op(Op::Constant(Scalar::Undefined), number.ty)?,
        }))
    }

    fn build_parts(&mut self, ty: TypeId, constant: &Constant<'a>) -> Result<Built, Error> {
        match constant {
            Constant::Parts(parts) if parts.len() <= MAX_LEAVES => {
                let built: Result<Vec<Built>, Error> =
                    parts.iter().map(|(ty, part)| self.build(*ty, part)).collect();
                Ok(Built::Parts(built?))
            }
            Constant::Bytes(bytes) if bytes.len() <= MAX_LEAVES => {
                let mut all = Vec::new();
                for &byte in bytes {
                    all.push(Built::One(self.integer(Number::integer(8), byte.into())?));
                }
                Ok(Built::Parts(all))
            }
            Constant::Zero | Constant::Undefined | Constant::Unknown => {
                let of = if matches!(constant, Constant::Zero) { Scalar::Zero } else { Scalar::Undefined };
                self.each_leaf(ty, &mut 0, &mut |this, number| {
                    if number.class == Class::Token {
                        return Err(this.reader.expected("a token"));
                    }
                    this.op(Op::Constant(of.clone()), number.ty)
                })
            }
            _ => Err(self.error(ErrorKind::Large("an aggregate that is a value"))),
        }
    }

    /// Appends an operation, or adds a value that is in no block.
    fn op(&mut self, op: Op, ty: Ty) -> Result<ValueId, Error> {
        self.builder.try_op(op, ty).map_err(|rule| self.reader.error(ErrorKind::Rule(rule)))
    }

    fn convert(&mut self, conversion: Conversion, operand: ValueId, to: Ty) -> Result<ValueId, Error> {
        if self.builder.ty(operand) == to {
            return Ok(operand);
        }
        if let (Conversion::Integer, Some(number), Some(integer)) =
            (conversion, self.constant_of(operand), to.as_integer())
        {
            return self.op(Op::Constant(Scalar::Integer(integer.wrap(number))), to);
        }
        self.op(Op::Convert { conversion, operand }, to)
    }

    /// Returns a number in all lanes of a type.
    fn integer(&mut self, number: Number, value: i128) -> Result<ValueId, Error> {
        let lane = Scalar::Integer(number.canonical(value));
        let constant = match number.lanes {
            1 => lane,
            lanes => Scalar::Vector(vec![lane; lanes.into()].into()),
        };
        self.op(Op::Constant(constant), number.ty)
    }

    /// Returns an address, converted to the address space of a type.
    fn in_space(&mut self, address: ValueId, number: Number) -> Result<ValueId, Error> {
        if number.class != Class::Pointer || is_same_space(self.builder.ty(address), number.ty) {
            return Ok(address);
        }
        self.convert(Conversion::Pointer, address, number.ty)
    }

    /// Returns the number of a constant operand.
    fn constant_of(&mut self, value: ValueId) -> Option<i128> {
        match &self.builder.function().values[value].op {
            Op::Constant(Scalar::Integer(number)) => Some(*number),
            Op::Constant(Scalar::Zero) => Some(0),
            _ => None,
        }
    }

    /// Replaces the placeholders, and checks that all values are defined.
    fn finish(self) -> Result<Function, Error> {
        if let Some((name, &(_, at))) = self.forward.iter().min_by_key(|it| it.1.1) {
            let text = match name {
                Name::Number(number) => format!("%{number}"),
                Name::Text(text) => format!("%{text}"),
            };
            return Err(self.reader.error_at(at, ErrorKind::UndefinedValue(text)));
        }
        let mut function = self.builder.finish();
        for (block, values) in self.at_end {
            function.blocks[block].values.extend(values);
        }
        let replaced = resolved(self.replaced);
        let resolve = |value: &mut ValueId| *value = replaced.get(value).copied().unwrap_or(*value);
        function.values.iter_mut().for_each(|value| value.op.operands_mut(resolve));
        for block in &mut function.blocks {
            if let Some(operand) = block.terminator.operand_mut() {
                resolve(operand);
            }
        }
        for &placeholder in replaced.keys() {
            // No operation uses it.
            function.values[placeholder].ty = Ty::INT;
        }
        promote::promote(&mut function);
        pointees::infer(&mut function);
        Ok(function)
    }
}

/// Returns the value for each placeholder. A placeholder can stand for another one, and for itself in code that no thread
/// reaches.
fn resolved(mut replaced: FxHashMap<ValueId, ValueId>) -> FxHashMap<ValueId, ValueId> {
    let placeholders: Vec<ValueId> = replaced.keys().copied().collect();
    for placeholder in placeholders {
        let (mut at, mut chain) = (placeholder, Vec::new());
        while let Some(&next) = replaced.get(&at).filter(|_| chain.len() <= replaced.len()) {
            chain.push(at);
            at = next;
        }
        // Shorten the chain, so that it is followed once.
        for link in chain {
            replaced.insert(link, at);
        }
    }
    replaced
}

fn named_block(label: &str) -> Block {
    let (kind, label) = match label.is_empty() {
        true => (BlockKind::Other, None),
        false => (BlockKind::Other, Some(Symbol::intern(label))),
    };
    Block { label, ..Block::new(kind, StmtId::new(0), Span::new(0, 0)) }
}

/// Returns the type that the source gives a parameter, if it has the same bits: `uint`, `float4*`,
/// `float __attribute__((ext_vector_type(4)))*`.
fn declared_type(text: &str, number: Number) -> Ty {
    if let Some(pointer) = number.ty.as_pointer() {
        let Some(pointee) = text.strip_suffix('*') else { return number.ty };
        let scalar = source_type(pointee.trim());
        return match scalar {
            Some(pointee) => Ty::pointer(pointee, pointer.space),
            None => number.ty,
        };
    }
    let same_bits = |ty: &Ty| {
        let (element, lanes) = (ty.lanes(), number.lanes);
        element.is_some_and(|(element, count)| {
            count == lanes
                && element
                    .as_integer()
                    .is_some_and(|integer| number.is_exact() && integer.bits() == number.bits)
        })
    };
    source_type(text).filter(same_bits).unwrap_or(number.ty)
}

/// Returns the number type with a name in C.
fn source_type(text: &str) -> Option<Ty> {
    if let Some((element, lanes)) = text.split_once(" __attribute__((ext_vector_type(") {
        let lanes: u8 = lanes.strip_suffix(")))")?.parse().ok()?;
        return source_type(element)
            .filter(|_| (2..=16).contains(&lanes))
            .map(|element| Ty::vector(element, lanes));
    }
    Some(match text {
        "bool" | "_Bool" => Ty::BOOL,
        "char" | "signed char" => Ty::CHAR,
        "uchar" | "unsigned char" => Ty::UCHAR,
        "short" => Ty::SHORT,
        "ushort" | "unsigned short" => Ty::USHORT,
        "int" => Ty::INT,
        "uint" | "unsigned int" => Ty::UINT,
        "long" => Ty::LONG,
        "ulong" | "unsigned long" => Ty::ULONG,
        "half" => Ty::HALF,
        "float" => Ty::FLOAT,
        "double" => Ty::DOUBLE,
        _ => return None,
    })
}
