//! The flow graph as text: easy to read, the same in every run, and what tests compare.
//!
//! A value is `%name` of its variable, or `%0`, `%1`, … in the order of the blocks; a second `x` is `%x.1`. Constants stand where they
//! are used: with their type (`int 1`) as the first operand of an operation or an argument, bare where the operand before them
//! says the type. Slots are listed before the entry.
//!
//! ```text
//! function k(%p: global int *) kernel {
//!   slot %buffer: int[4]
//! entry:
//!   %x = load int %p
//!   %0 = ne %x, 0
//!   branch %0, if.then, if.end
//! if.then:
//!   %1 = element int %buffer, int 2
//!   store %x, %1
//!   jump if.end
//! if.end:
//!   return
//! }
//! ```

use std::fmt::{self, Write};

use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    BlockId, Call, Callee, Function, Global, Module, Op, Passing, SlotId, Terminator, Token, Value, ValueId,
    VariableId,
};
use crate::display::space_name;
use crate::key::Entity;
use crate::types::{Ty, TyKind};
use crate::value::{Arithmetic, Comparison, Constant, Conversion, Data, UnaryOp};

/// A function as text, with a line break at the end.
pub fn print(function: &Function) -> String {
    let mut text = String::new();
    Printer { names: &Names::of(function), function, out: &mut text }
        .function()
        .expect("a string takes any text");
    text
}

/// One operation as it stands in the text.
pub fn operation(function: &Function, names: &Names, id: ValueId) -> String {
    let mut text = String::new();
    Printer { names, function, out: &mut text }.value(id).expect("a string takes any text");
    text
}

/// The terminator of a block as it stands in the text.
pub fn terminator(function: &Function, names: &Names, block: BlockId) -> String {
    let mut text = String::new();
    let mut printer = Printer { names, function, out: &mut text };
    printer.terminator(&function.blocks[block].terminator).expect("a string takes any text");
    text
}

/// A module as text: its variables, then its functions.
pub fn print_module(module: &Module) -> String {
    let mut text = String::new();
    for global in &module.globals {
        print_global(&mut text, global).expect("a string takes any text");
    }
    for function in &module.functions {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&print(function));
    }
    text
}

/// A variable of the module as text, with a line break at the end.
pub fn global(global: &Global) -> String {
    let mut text = String::new();
    print_global(&mut text, global).expect("a string takes any text");
    text
}

/// What the text calls the values and blocks of a function.
#[derive(Clone, Debug)]
pub struct Names {
    /// With `%` or `@`; empty for what yields nothing, and for constants and strings, which have no names.
    pub values: IndexVec<ValueId, String>,
    pub blocks: IndexVec<BlockId, String>,
    slots: IndexVec<SlotId, String>,
    variables: IndexVec<VariableId, String>,
}

impl Names {
    pub fn of(function: &Function) -> Names {
        let mut unique = Unique::default();
        let mut values: IndexVec<ValueId, String> = function.values.iter().map(|_| String::new()).collect();
        let mut unnamed = 0;
        let mut next = || {
            unnamed += 1;
            format!("%{}", unnamed - 1)
        };
        for parameter in &function.parameters {
            values[parameter.value] = match parameter.name {
                Some(name) => unique.name(&format!("%{name}")),
                None => next(),
            };
        }
        let slots: IndexVec<SlotId, String> = function
            .slots
            .iter()
            .map(|slot| match slot.name {
                Some(name) => unique.name(&format!("%{name}")),
                None => next(),
            })
            .collect();
        for block in &function.blocks {
            for &id in &block.values {
                let value = &function.values[id];
                values[id] = match value.name {
                    _ if value.ty.is_void() => String::new(),
                    Some(name) => unique.name(&format!("%{name}")),
                    None => next(),
                };
            }
        }
        for (id, value) in function.values.iter_enumerated() {
            match value.op {
                Op::Slot(slot) => values[id].clone_from(&slots[slot]),
                Op::Global(name) => values[id] = format!("@{name}"),
                Op::Function(key) => values[id] = format!("@{key}"),
                _ => {}
            }
        }
        let mut unique = Unique::default();
        let blocks = function.blocks.iter().map(|block| unique.name(&block.wish())).collect();
        let mut unique = Unique::default();
        let variables = function.variables.iter_enumerated().map(|(id, variable)| match variable.name {
            Some(name) => unique.name(&format!("${name}")),
            None => format!("${}", id.index()),
        });
        Names { values, blocks, slots, variables: variables.collect() }
    }
}

/// Names that were given, to give each once.
#[derive(Default)]
struct Unique {
    taken: FxHashSet<String>,
    /// The next suffix to try.
    next: FxHashMap<String, u32>,
}

impl Unique {
    fn name(&mut self, wish: &str) -> String {
        if self.taken.insert(wish.to_owned()) {
            return wish.to_owned();
        }
        let next = self.next.entry(wish.to_owned()).or_insert(1);
        loop {
            let name = format!("{wish}.{next}");
            *next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

struct Printer<'a> {
    function: &'a Function,
    names: &'a Names,
    out: &'a mut String,
}

impl Printer<'_> {
    fn function(&mut self) -> fmt::Result {
        let function = self.function;
        write!(self.out, "function {}(", function.key)?;
        for (number, parameter) in function.parameters.iter().enumerate() {
            let passing = match parameter.passing {
                Passing::Value => "",
                Passing::Copy => "copy ",
                Passing::Result => "result ",
            };
            let name = &self.names.values[parameter.value];
            write!(self.out, "{}{passing}{name}: {}", comma(number), parameter.ty)?;
        }
        self.out.push(')');
        if !function.result.is_void() {
            write!(self.out, " -> {}", function.result)?;
        }
        for (word, holds) in [
            ("convergent", function.convergent),
            ("kernel", function.kernel),
            ("internal", function.internal),
            ("overloadable", function.key.overload.is_some()),
        ] {
            if holds {
                write!(self.out, " {word}")?;
            }
        }
        self.out.push_str(" {\n");
        for (id, slot) in function.slots.iter_enumerated() {
            writeln!(self.out, "  slot {}: {}", self.names.slots[id], slot.ty)?;
        }
        for (id, block) in function.blocks.iter_enumerated() {
            writeln!(self.out, "{}:", self.names.blocks[id])?;
            for &value in &block.values {
                self.out.push_str("  ");
                self.value(value)?;
                self.out.push('\n');
            }
            self.out.push_str("  ");
            self.terminator(&block.terminator)?;
            self.out.push('\n');
        }
        self.out.push_str("}\n");
        Ok(())
    }

    fn terminator(&mut self, terminator: &Terminator) -> fmt::Result {
        let names = &self.names.blocks;
        match terminator {
            Terminator::Jump(target) => write!(self.out, "jump {}", names[*target]),
            Terminator::Branch { condition, then, otherwise } => {
                write!(self.out, "branch ")?;
                self.typed(*condition)?;
                write!(self.out, ", {}, {}", self.names.blocks[*then], self.names.blocks[*otherwise])
            }
            Terminator::Switch { value, cases, otherwise } => {
                self.out.push_str("switch ");
                self.typed(*value)?;
                self.out.push_str(" [");
                for &(low, high, block) in cases {
                    match low == high {
                        true => write!(self.out, "{low}")?,
                        false => write!(self.out, "{low}..{high}")?,
                    }
                    write!(self.out, ": {}, ", self.names.blocks[block])?;
                }
                write!(self.out, "default: {}]", self.names.blocks[*otherwise])
            }
            Terminator::Return(None) => self.word("return"),
            Terminator::Return(Some(value)) => {
                self.out.push_str("return ");
                self.typed(*value)
            }
            Terminator::Unreachable => self.word("unreachable"),
        }
    }

    fn word(&mut self, word: &str) -> fmt::Result {
        self.out.write_str(word)
    }

    fn value(&mut self, id: ValueId) -> fmt::Result {
        let Value { op, ty, .. } = &self.function.values[id];
        if !ty.is_void() {
            write!(self.out, "{} = ", self.names.values[id])?;
        }
        match op {
            Op::Parameter(_)
            | Op::Constant(_)
            | Op::Slot(_)
            | Op::Global(_)
            | Op::Function(_)
            | Op::String(_) => self.typed(id),
            Op::Phi(incoming) => {
                write!(self.out, "phi {} ", *ty)?;
                for (number, &(block, value)) in incoming.iter().enumerate() {
                    write!(self.out, "{}[{}: ", comma(number), self.names.blocks[block])?;
                    self.bare(value)?;
                    self.out.push(']');
                }
                Ok(())
            }
            Op::Get(variable) => write!(self.out, "get {}", self.names.variables[*variable]),
            Op::Set(variable, value) => {
                write!(self.out, "set {}, ", self.names.variables[*variable])?;
                self.bare(*value)
            }
            Op::Unary { op, operand } => self.operation(unary(*op), &[*operand]),
            Op::Binary { op, left, right } => self.operation(arithmetic(*op), &[*left, *right]),
            Op::Compare { op, left, right } => self.operation(comparison(*op), &[*left, *right]),
            Op::Convert { conversion, operand } => {
                match conversion {
                    Conversion::Bits => write!(self.out, "bits {} ", *ty)?,
                    Conversion::Splat => write!(self.out, "splat {} ", *ty)?,
                    Conversion::ToBool => write!(self.out, "test ")?,
                    Conversion::Integer
                    | Conversion::IntToFloat
                    | Conversion::FloatToInt
                    | Conversion::Float
                    | Conversion::PointerToInt
                    | Conversion::IntToPointer
                    | Conversion::Pointer
                    | Conversion::Discard => write!(self.out, "convert {} ", *ty)?,
                }
                self.typed(*operand)
            }
            Op::Select { condition, then, otherwise } => {
                self.operation("select", &[*condition])?;
                self.out.push_str(", ");
                self.typed(*then)?;
                self.out.push_str(", ");
                self.bare(*otherwise)
            }
            Op::Extract { vector, lane } => self.operation("extract", &[*vector, *lane]),
            Op::Insert { vector, lane, value } => self.operation("insert", &[*vector, *lane, *value]),
            Op::Shuffle { left, right, lanes } => {
                self.operation("shuffle", &[*left, *right])?;
                self.out.push_str(", [");
                for (number, lane) in lanes.iter().enumerate() {
                    match lane {
                        Some(lane) => write!(self.out, "{}{lane}", comma(number))?,
                        None => write!(self.out, "{}_", comma(number))?,
                    }
                }
                self.word("]")
            }
            Op::Load { address, volatile, align } => {
                write!(self.out, "load {}{} ", volatile_word(*volatile), *ty)?;
                self.bare(*address)?;
                self.align(*ty, *align)
            }
            Op::Store { address, value, volatile, align } => {
                write!(self.out, "store {}", volatile_word(*volatile))?;
                self.typed(*value)?;
                self.out.push_str(", ");
                self.bare(*address)?;
                self.align(self.function.values[*value].ty, *align)
            }
            Op::Copy { to, from, ty } => {
                write!(self.out, "copy {} ", *ty)?;
                self.bare(*to)?;
                self.out.push_str(", ");
                self.bare(*from)
            }
            Op::Clear { address, ty } => {
                write!(self.out, "clear {} ", *ty)?;
                self.bare(*address)
            }
            Op::Element { base, index, element } => {
                write!(self.out, "element {} ", *element)?;
                self.bare(*base)?;
                self.out.push_str(", ");
                self.typed(*index)
            }
            Op::Field { base, record, field } => {
                write!(self.out, "field {} ", *record)?;
                self.bare(*base)?;
                let fields = record.as_record().and_then(|record| record.definition.as_ref());
                let name = fields.and_then(|it| it.fields.get(*field as usize)).and_then(|field| field.name);
                match name {
                    Some(name) => write!(self.out, ", {name}"),
                    None => write!(self.out, ", {field}"),
                }
            }
            Op::Call(call) => self.call(call, *ty),
            Op::Token(Token::Entry) => self.word("entry"),
            Op::Token(Token::Anchor) => self.word("anchor"),
            Op::Token(Token::Loop(parent)) => {
                self.out.push_str("loop with ");
                self.bare(*parent)
            }
        }
    }

    fn call(&mut self, call: &Call, ty: Ty) -> fmt::Result {
        self.out.push_str("call ");
        if !ty.is_void() {
            write!(self.out, "{} ", ty)?;
        }
        match &call.callee {
            Callee::Function { key, .. } => write!(self.out, "{key}(")?,
            Callee::Builtin { name, .. } | Callee::Compiler { name, .. } => write!(self.out, "{name}(")?,
            Callee::Pointer { address, .. } => {
                self.out.push('*');
                self.bare(*address)?;
                self.out.push('(');
            }
        }
        for (number, &(argument, passing)) in call.arguments.iter().enumerate() {
            self.out.push_str(comma(number));
            match passing {
                Passing::Value => {}
                Passing::Copy => self.out.push_str("copy "),
                Passing::Result => self.out.push_str("result "),
            }
            self.typed(argument)?;
        }
        self.out.push(')');
        match call.token {
            Some(token) => {
                self.out.push_str(" with ");
                self.bare(token)
            }
            None if call.convergent => self.word(" convergent"),
            None => Ok(()),
        }
    }

    fn operation(&mut self, word: &str, operands: &[ValueId]) -> fmt::Result {
        write!(self.out, "{word} ")?;
        for (number, &operand) in operands.iter().enumerate() {
            self.out.push_str(comma(number));
            match number {
                0 => self.typed(operand)?,
                _ => self.bare(operand)?,
            }
        }
        Ok(())
    }

    /// Says the alignment where it is not what the type asks for.
    fn align(&mut self, ty: Ty, align: u32) -> fmt::Result {
        match natural_align(ty) == Some(align) {
            true => Ok(()),
            false => write!(self.out, " align {align}"),
        }
    }

    fn typed(&mut self, id: ValueId) -> fmt::Result {
        let value = &self.function.values[id];
        if matches!(value.op, Op::Constant(_)) {
            write!(self.out, "{} ", value.ty)?;
        }
        self.bare(id)
    }

    fn bare(&mut self, id: ValueId) -> fmt::Result {
        match &self.function.values[id].op {
            Op::Constant(constant) => print_constant(self.out, constant),
            Op::String(bytes) => print_bytes(self.out, bytes),
            _ => {
                self.out.push_str(&self.names.values[id]);
                Ok(())
            }
        }
    }
}

fn comma(number: usize) -> &'static str {
    if number == 0 { "" } else { ", " }
}

fn volatile_word(volatile: bool) -> &'static str {
    if volatile { "volatile " } else { "" }
}

/// The alignment of what a load or store takes, where it follows from the type alone.
fn natural_align(ty: Ty) -> Option<u32> {
    match ty.kind() {
        TyKind::Bool => Some(1),
        TyKind::Integer(integer) => Some(integer.bits() / 8),
        TyKind::Float(float) => Some(float.bits() / 8),
        TyKind::Vector { element, lanes } => {
            Some(natural_align(*element)? * u32::from(*lanes).next_power_of_two())
        }
        TyKind::Atomic(inner) => natural_align(*inner),
        TyKind::Pointer(_) | TyKind::BlockPointer(_) | TyKind::Opaque(_) => Some(8),
        _ => None,
    }
}

pub(super) fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Negate => "neg",
        UnaryOp::Complement => "not",
    }
}

pub(super) fn arithmetic(op: Arithmetic) -> &'static str {
    match op {
        Arithmetic::Mul => "mul",
        Arithmetic::Div => "div",
        Arithmetic::Rem => "rem",
        Arithmetic::Add => "add",
        Arithmetic::Sub => "sub",
        Arithmetic::Shl => "shl",
        Arithmetic::Shr => "shr",
        Arithmetic::And => "and",
        Arithmetic::Xor => "xor",
        Arithmetic::Or => "or",
    }
}

pub(super) fn comparison(op: Comparison) -> &'static str {
    match op {
        Comparison::Less => "lt",
        Comparison::Greater => "gt",
        Comparison::LessEqual => "le",
        Comparison::GreaterEqual => "ge",
        Comparison::Equal => "eq",
        Comparison::NotEqual => "ne",
    }
}

fn print_constant(out: &mut String, constant: &Constant) -> fmt::Result {
    match constant {
        Constant::Integer(value) => write!(out, "{value}"),
        Constant::Float(bits) => match f64::from_bits(*bits) {
            value if value.is_nan() => write!(out, "nan:{bits:#018x}"),
            value => write!(out, "{value:?}"),
        },
        Constant::Zero => out.write_str("zero"),
        Constant::Undefined => out.write_str("undefined"),
        Constant::Vector(lanes) => {
            out.push('(');
            for (number, lane) in lanes.iter().enumerate() {
                out.push_str(comma(number));
                print_constant(out, lane)?;
            }
            out.write_char(')')
        }
    }
}

fn print_bytes(out: &mut String, bytes: &[u8]) -> fmt::Result {
    write!(out, "\"{}\"", bytes.escape_ascii())
}

fn print_global(out: &mut String, global: &Global) -> fmt::Result {
    let Global { name, ty, space, constant, internal, external, initializer } = global;
    write!(out, "variable @{name}: {} {}", space_name(*space), *ty)?;
    for (word, holds) in [("const", *constant), ("internal", *internal), ("external", *external)] {
        if holds {
            write!(out, " {word}")?;
        }
    }
    if let Some(data) = initializer {
        out.push_str(" = ");
        print_data(out, data)?;
    }
    out.write_char('\n')
}

/// Depth is that of the type, which the parser bounds.
fn print_data(out: &mut String, data: &Data) -> fmt::Result {
    let beyond = |out: &mut String, offset: i64| match offset {
        0 => Ok(()),
        offset => write!(out, " + {offset}"),
    };
    match data {
        Data::Constant(constant) => print_constant(out, constant),
        Data::Aggregate(parts) => {
            out.push('{');
            for (number, part) in parts.iter().enumerate() {
                out.push_str(comma(number));
                print_data(out, part)?;
            }
            out.write_char('}')
        }
        Data::Union { field, data } => {
            write!(out, "{{{field}: ")?;
            print_data(out, data)?;
            out.write_char('}')
        }
        Data::Bytes(bytes) => print_bytes(out, bytes),
        Data::Address { of, offset } => {
            match of {
                Entity::Variable(name) => write!(out, "@{name}")?,
                Entity::Function(key) => write!(out, "@{key}")?,
            }
            beyond(out, *offset)
        }
        Data::StringAddress { bytes, offset } => {
            print_bytes(out, bytes)?;
            beyond(out, *offset)
        }
        Data::Label(stmt) => write!(out, "label {}", stmt.index()),
    }
}
