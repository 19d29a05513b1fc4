//! The printer of functions and modules.

use std::fmt::{self, Write};
use std::sync::Arc;

use super::names::{self, Context, Names};
use super::operators;
use super::spelling::TypeNames;
use crate::display::space_name;
use crate::flow::{
    BlockId, Call, Callee, Function, Global, Module, Op, Passing, Terminator, Token, Unknown, Value, ValueId,
    typing,
};
use crate::key::{FunctionKey, GlobalEntity};
use crate::types::Ty;
use crate::value::{Constant, Conversion, Data};

/// Returns a function as text, with a final line break. The declarations that a reader needs come first.
pub fn print(function: &Function) -> String {
    let names = Names::of(function);
    let mut text = names.context.declarations();
    if !text.is_empty() {
        text.push('\n');
    }
    Printer { names: &names, function, out: &mut text }.function().expect("a string takes any text");
    text
}

/// Returns the text of one operation.
pub fn operation(function: &Function, names: &Names, id: ValueId) -> String {
    let mut text = String::new();
    Printer { names, function, out: &mut text }.value(id).expect("a string takes any text");
    text
}

/// Returns the text of the terminator of a block.
pub fn terminator(function: &Function, names: &Names, block: BlockId) -> String {
    let mut text = String::new();
    let mut printer = Printer { names, function, out: &mut text };
    printer.terminator(&function.blocks[block].terminator).expect("a string takes any text");
    text
}

/// Returns a module as text: its types, its variables, then its functions. The path of its file is not part of the
/// text.
pub fn print_module(module: &Module) -> String {
    print_functions(module, &Vec::from_iter(0..module.functions.len()))
}

/// Returns a module as text with only some of its functions, given by their indices.
///
/// # Panics
///
/// If an index is out of range.
pub fn print_functions(module: &Module, functions: &[usize]) -> String {
    let context = Arc::new(Context::of_module(module, functions));
    let mut text = context.declarations();
    for global in &module.globals {
        print_global(&mut text, global, &context.types).expect("a string takes any text");
    }
    for &number in functions {
        if !text.is_empty() {
            text.push('\n');
        }
        let function = &module.functions[number];
        let names = Names::within(function, Arc::clone(&context));
        Printer { names: &names, function, out: &mut text }.function().expect("a string takes any text");
    }
    text
}

struct Printer<'a> {
    function: &'a Function,
    names: &'a Names,
    out: &'a mut String,
}

impl Printer<'_> {
    fn function(&mut self) -> fmt::Result {
        let function = self.function;
        // The overload type is usually the declared type of the function. Then `overloadable` replaces it.
        let overload = function.key.overload.filter(|&overload| overload != function.declared_type());
        let key = FunctionKey { overload, ..function.key };
        write!(self.out, "function {}(", names::key(key, self.types()))?;
        for (number, parameter) in function.parameters.iter().enumerate() {
            let passing = match parameter.passing {
                Passing::Value => "",
                Passing::Copy => "copy ",
                Passing::Result => "result ",
            };
            let role = operators::role(parameter.role);
            let name = &self.names.values[parameter.value];
            write!(self.out, "{}{role}{passing}{name}: {}", comma(number), self.spelled(parameter.ty))?;
        }
        self.out.push(')');
        if !function.result.is_void() {
            write!(self.out, " -> {}", self.spelled(function.result))?;
        }
        for (word, holds) in [
            ("convergent", function.convergent),
            ("kernel", function.kernel),
            ("internal", function.internal),
            ("overloadable", function.key.overload.is_some() && overload.is_none()),
        ] {
            if holds {
                write!(self.out, " {word}")?;
            }
        }
        if let Some([x, y, z]) = function.work_group_size {
            write!(self.out, " work_group_size({x}, {y}, {z})")?;
        }
        if let Some(size) = function.sub_group_size {
            write!(self.out, " sub_group_size({size})")?;
        }
        self.out.push_str(" {\n");
        for (id, slot) in function.slots.iter_enumerated() {
            writeln!(self.out, "  slot {}: {}", self.names.slots[id], self.spelled(slot.ty))?;
        }
        for (id, variable) in function.variables.iter_enumerated() {
            writeln!(self.out, "  variable {}: {}", self.names.variables[id], self.spelled(variable.ty))?;
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

    fn types(&self) -> &TypeNames {
        &self.names.context.types
    }

    fn spelled(&self, ty: Ty) -> String {
        self.types().spelled(ty)
    }

    fn ty(&self, value: ValueId) -> Ty {
        self.function.values[value].ty
    }

    fn word(&mut self, word: &str) -> fmt::Result {
        self.out.write_str(word)
    }

    fn value(&mut self, id: ValueId) -> fmt::Result {
        let Value { op, ty, .. } = &self.function.values[id];
        if !ty.is_void() {
            self.out.push_str(&self.names.values[id]);
            if let Some(said) = typing::said_result(self.function, id) {
                write!(self.out, ": {}", self.spelled(said))?;
            }
            self.out.push_str(" = ");
        }
        match op {
            Op::Parameter(_)
            | Op::Constant(_)
            | Op::Slot(_)
            | Op::Global(_)
            | Op::Function(_)
            | Op::String(_) => self.typed(id),
            Op::Phi(incoming) => {
                write!(self.out, "phi {}", self.spelled(*ty))?;
                for (number, &(block, value)) in incoming.iter().enumerate() {
                    let comma = if number == 0 { " " } else { ", " };
                    write!(self.out, "{comma}[{}: ", self.names.blocks[block])?;
                    self.expected(value, *ty)?;
                    self.out.push(']');
                }
                Ok(())
            }
            Op::Get(variable) => write!(self.out, "get {}", self.names.variables[*variable]),
            Op::Set(variable, value) => {
                write!(self.out, "set {}, ", self.names.variables[*variable])?;
                self.expected(*value, self.function.variables[*variable].ty)
            }
            Op::Unary { op, operand } => self.operation(operators::unary(*op), &[(*operand, None)]),
            Op::Binary { op, left, right } => {
                self.operation(operators::arithmetic(*op), &[(*left, None), (*right, Some(self.ty(*left)))])
            }
            Op::Compare { op, left, right } => {
                self.operation(operators::comparison(*op), &[(*left, None), (*right, Some(self.ty(*left)))])
            }
            Op::Convert { conversion, operand } => {
                match conversion {
                    Conversion::Bits => write!(self.out, "bits {} ", self.spelled(*ty))?,
                    Conversion::Splat => write!(self.out, "splat {} ", self.spelled(*ty))?,
                    Conversion::ToBool => write!(self.out, "test ")?,
                    Conversion::Integer
                    | Conversion::IntToFloat
                    | Conversion::FloatToInt
                    | Conversion::Float
                    | Conversion::PointerToInt
                    | Conversion::IntToPointer
                    | Conversion::Pointer
                    | Conversion::Discard => write!(self.out, "convert {} ", self.spelled(*ty))?,
                }
                self.typed(*operand)
            }
            Op::Select { condition, then, otherwise } => {
                let operands = [(*condition, None), (*then, None), (*otherwise, Some(self.ty(*then)))];
                self.operation("select", &operands)
            }
            Op::Extract { vector, lane } => {
                self.operation("extract", &[(*vector, None), (*lane, Some(Ty::INT))])
            }
            Op::Insert { vector, lane, value } => {
                let element = typing::lane(self.ty(*vector));
                let operands = [(*vector, None), (*lane, Some(Ty::INT)), (*value, Some(element))];
                self.operation("insert", &operands)
            }
            Op::Shuffle { left, right, lanes } => {
                self.operation("shuffle", &[(*left, None), (*right, Some(self.ty(*left)))])?;
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
                write!(self.out, "load {}{} ", volatile_word(*volatile), self.spelled(*ty))?;
                self.typed(*address)?;
                self.align(*ty, *align)
            }
            Op::Store { address, value, volatile, align } => {
                write!(self.out, "store {}", volatile_word(*volatile))?;
                self.typed(*value)?;
                self.out.push_str(", ");
                self.typed(*address)?;
                self.align(self.ty(*value), *align)
            }
            Op::Copy { to, from, ty } => {
                write!(self.out, "copy {} ", self.spelled(*ty))?;
                self.typed(*to)?;
                self.out.push_str(", ");
                self.typed(*from)
            }
            Op::Clear { address, ty } => {
                write!(self.out, "clear {} ", self.spelled(*ty))?;
                self.typed(*address)
            }
            Op::Element { base, index, element } => {
                write!(self.out, "element {} ", self.spelled(*element))?;
                self.typed(*base)?;
                self.out.push_str(", ");
                self.typed(*index)
            }
            Op::Field { base, record, field } => {
                write!(self.out, "field {} ", self.spelled(*record))?;
                self.typed(*base)?;
                write!(self.out, ", {}", names::field(*record, *field))
            }
            Op::Unknown { what, operands } => self.unknown(*what, operands, *ty),
            Op::Call(call) => self.call(call, *ty),
            Op::Token(Token::Entry) => self.word("entry"),
            Op::Token(Token::Anchor) => self.word("anchor"),
            Op::Token(Token::Loop(parent)) => {
                self.out.push_str("loop with ");
                self.typed(*parent)
            }
        }
    }

    /// Writes an unknown. An unknown type is omitted.
    fn unknown(&mut self, what: Unknown, operands: &[ValueId], ty: Ty) -> fmt::Result {
        self.out.push_str("unknown ");
        if !ty.is_unknown() && !ty.is_void() {
            write!(self.out, "{} ", self.spelled(ty))?;
        }
        self.word(operators::unknown(what))?;
        if let Unknown::Name(name)
        | Unknown::Dependent(name)
        | Unknown::Variable(name)
        | Unknown::Member(name) = what
        {
            write!(self.out, " {}", names::plain(name))?;
        }
        for (number, &operand) in operands.iter().enumerate() {
            self.out.push_str(if number == 0 { " " } else { ", " });
            self.typed(operand)?;
        }
        Ok(())
    }

    fn call(&mut self, call: &Call, ty: Ty) -> fmt::Result {
        self.out.push_str("call ");
        if !ty.is_void() {
            write!(self.out, "{} ", self.spelled(ty))?;
        }
        match &call.callee {
            Callee::Function { key, .. } => write!(self.out, "@{}(", names::key(*key, self.types()))?,
            Callee::Builtin { name, .. } => {
                // Names that begin with `__builtin_` are builtins of the compiler. Exceptions need a keyword.
                let word = if names::is_compilers(*name) { "builtin " } else { "" };
                write!(self.out, "{word}{}(", names::builtin(*name))?;
            }
            Callee::CompilerBuiltin { name, .. } => {
                let word = if names::is_compilers(*name) { "" } else { "compiler " };
                write!(self.out, "{word}{}(", names::builtin(*name))?;
            }
            Callee::Pointer { address, .. } => {
                self.out.push_str("through ");
                self.typed(*address)?;
                self.out.push('(');
            }
            Callee::Unknown { named, .. } => {
                let named = named.map_or_else(|| "_".to_owned(), |named| names::named(named, self.types()));
                write!(self.out, "unknown {named}(")?;
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
        if let Some(said) = typing::said_callee(self.function, call, ty) {
            write!(self.out, " as {}", self.spelled(said))?;
        }
        match call.token {
            Some(token) => {
                self.out.push_str(" with ");
                self.typed(token)
            }
            None if call.convergent => self.word(" convergent"),
            None => Ok(()),
        }
    }

    /// Writes an operation. Each operand comes with the type of a constant at this position that states no type.
    fn operation(&mut self, word: &str, operands: &[(ValueId, Option<Ty>)]) -> fmt::Result {
        write!(self.out, "{word} ")?;
        for (number, &(operand, expected)) in operands.iter().enumerate() {
            self.out.push_str(comma(number));
            match expected {
                None => self.typed(operand)?,
                Some(expected) => self.expected(operand, expected)?,
            }
        }
        Ok(())
    }

    /// Writes the alignment if it is not the natural alignment of the type.
    fn align(&mut self, ty: Ty, align: u32) -> fmt::Result {
        match typing::natural_align(ty) == Some(align) {
            true => Ok(()),
            false => write!(self.out, " align {align}"),
        }
    }

    /// Writes an operand. A constant is written with its type.
    fn typed(&mut self, id: ValueId) -> fmt::Result {
        self.operand(id, None)
    }

    /// Writes an operand. A constant of the type `ty` is written without its type.
    fn expected(&mut self, id: ValueId, ty: Ty) -> fmt::Result {
        self.operand(id, Some(ty))
    }

    fn operand(&mut self, id: ValueId, expected: Option<Ty>) -> fmt::Result {
        let value = &self.function.values[id];
        let names = self.names;
        let reported = match &value.op {
            Op::Constant(_) => expected,
            Op::String(bytes) => Some(typing::string(bytes)),
            Op::Global(_) | Op::Function(_) => names.context.address(&names.values[id]),
            _ => Some(value.ty),
        };
        if reported != Some(value.ty) {
            write!(self.out, "{} ", self.spelled(value.ty))?;
        }
        match &value.op {
            Op::Constant(constant) => print_constant(self.out, constant),
            Op::String(bytes) => print_bytes(self.out, bytes),
            _ => self.word(&names.values[id]),
        }
    }
}

fn comma(number: usize) -> &'static str {
    if number == 0 { "" } else { ", " }
}

fn volatile_word(volatile: bool) -> &'static str {
    if volatile { "volatile " } else { "" }
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

fn print_global(out: &mut String, global: &Global, types: &TypeNames) -> fmt::Result {
    let Global { name, ty, space, constant, internal, external, initializer } = global;
    let name = names::global(*name);
    write!(out, "variable {name}: {} {}", space_name(*space), types.spelled(*ty))?;
    for (word, holds) in [("const", *constant), ("internal", *internal), ("external", *external)] {
        if holds {
            write!(out, " {word}")?;
        }
    }
    if let Some(data) = initializer {
        out.push_str(" = ");
        print_data(out, data, types)?;
    }
    out.write_char('\n')
}

/// Writes initial data. The depth of the recursion is the depth of the type, which the parser bounds.
fn print_data(out: &mut String, data: &Data, types: &TypeNames) -> fmt::Result {
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
                print_data(out, part, types)?;
            }
            out.write_char('}')
        }
        Data::Union { field, data } => {
            write!(out, "{{{field}: ")?;
            print_data(out, data, types)?;
            out.write_char('}')
        }
        Data::Bytes(bytes) => print_bytes(out, bytes),
        Data::Address { of, offset } => {
            match of {
                GlobalEntity::Variable(name) => out.push_str(&names::global(*name)),
                GlobalEntity::Function(key) => write!(out, "function @{}", names::key(*key, types))?,
            }
            beyond(out, *offset)
        }
        Data::StringAddress { bytes, offset } => {
            out.push_str("string ");
            print_bytes(out, bytes)?;
            beyond(out, *offset)
        }
        Data::Label(stmt) => write!(out, "label {}", stmt.index()),
        Data::Unknown => out.write_str("unknown"),
    }
}
