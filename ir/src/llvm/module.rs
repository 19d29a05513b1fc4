//! Data that the functions of a module share: symbols, declarations, strings, attributes, metadata.

use std::fmt::Write;
use std::rc::Rc;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashMap;
use tangle_base::Symbol;
use tangle_base::{AddressSpace, Span};

use super::function::emit_function;
use super::metadata::Metadata;
use super::names::{escaped, quoted, variable};
use super::target::Target;
use super::token_workarounds::TokenHolds;
use super::types::{Reason, Types};
use super::{Language, LocationMap, Named, Options};
use crate::flow::{Function, Global, Module, NotLowered, Op, Passing};
use crate::key::FunctionKey;
use crate::types::{FunctionTy, Pointer, Ty, TyKind};
use crate::value::{Constant, Data};

/// A function that the module uses and does not define.
struct Declaration {
    /// The text from the result to the closing parenthesis.
    text: String,
    convergent: bool,
    /// Whether it reads and writes no memory.
    pure: bool,
    /// Whether it is an intrinsic of LLVM, which has its attributes already.
    intrinsic: bool,
}

pub(super) struct ModuleWriter<'a> {
    pub module: &'a Module,
    pub target: Target,
    pub language: &'a dyn Language,
    pub types: Types,
    pub globals: FxHashMap<Symbol, &'a Global>,
    pub metadata: Metadata<'a>,
    /// The number of each function.
    functions: FxHashMap<FunctionKey, usize>,
    /// The symbol of each function, with `@`.
    symbols: Vec<Rc<str>>,
    /// Kernels that are called like functions, in the order of the calls. Each has the symbol of a function with the
    /// same body.
    called_kernels: IndexMap<usize, Rc<str>>,
    declarations: IndexMap<Rc<str>, Declaration>,
    builtins: FxHashMap<(Symbol, Ty), Rc<str>>,
    /// The variables that other modules define, or the launch: `extern __shared__` arrays. Each has its declaration.
    variables: IndexMap<Symbol, String>,
    strings: IndexSet<Box<[u8]>>,
    attributes: IndexSet<String>,
}

/// Returns the module as text, or the reason for each function and variable without a translation. `holds` has the workarounds for each function.
pub(super) fn emit(
    module: &Module,
    holds: &[TokenHolds],
    options: &Options,
    places: &dyn LocationMap,
) -> Result<String, Vec<NotLowered>> {
    let mut errors = Vec::new();
    let mut writer = ModuleWriter::new(module, options, Metadata::new(options, module, places));
    let mut globals = String::new();
    for global in &module.globals {
        match writer.global(global) {
            Ok(text) => globals.push_str(&text),
            Err(reason) => {
                let reason = format!("the variable `{}`: {reason}", global.name);
                let users = users(module, global.name);
                match users.is_empty() {
                    true => errors.push(NotLowered { function: None, span: Span::new(0, 0), reason }),
                    false => errors.extend(users.into_iter().map(|(function, span)| NotLowered {
                        function: Some(function),
                        span,
                        reason: reason.clone(),
                    })),
                }
            }
        }
    }
    let mut functions = String::new();
    for (number, function) in module.functions.iter().enumerate() {
        let symbol = writer.symbols[number].clone();
        let emitted =
            emit_function(&mut writer, number, &holds[number], &symbol, function.kernel, &mut functions);
        errors.extend(emitted.err());
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut done = 0;
    while let Some((&number, symbol)) = writer.called_kernels.get_index(done) {
        let symbol = symbol.clone();
        emit_function(&mut writer, number, &holds[number], &symbol, false, &mut functions)
            .map_err(|error| vec![error])?;
        done += 1;
    }
    Ok(writer.finish(&globals, &functions))
}

/// Returns the functions that use a variable, each with the location of the first use.
fn users(module: &Module, variable: Symbol) -> Vec<(FunctionKey, Span)> {
    let of = |function: &Function| {
        let uses = |op: &Op| matches!(op, Op::Global(name) if *name == variable);
        let first = function.values.iter().find(|value| uses(&value.op))?;
        Some((function.key, first.span))
    };
    module.functions.iter().filter_map(of).collect()
}

impl<'a> ModuleWriter<'a> {
    fn new(module: &'a Module, options: &Options<'a>, metadata: Metadata<'a>) -> ModuleWriter<'a> {
        let Options { target, language, .. } = *options;
        let mut functions: FxHashMap<FunctionKey, usize> = FxHashMap::default();
        let mut symbols = Vec::new();
        let mut used: FxHashMap<String, u32> = FxHashMap::default();
        for (number, function) in module.functions.iter().enumerate() {
            functions.insert(function.key, number);
            let symbol = language.symbol(Named::Function(function.key), function.declared_type(), target);
            // The symbol does not say which instantiation of a template it is.
            let count = used.entry(symbol.clone()).or_insert(0);
            *count += 1;
            let symbol = if *count == 1 { symbol } else { format!("{symbol}${}", *count - 1) };
            symbols.push(format!("@{}", quoted(&symbol)).into());
        }
        ModuleWriter {
            module,
            target,
            language,
            types: Types::new(target),
            globals: module.globals.iter().map(|global| (global.name, global)).collect(),
            metadata,
            functions,
            symbols,
            called_kernels: IndexMap::new(),
            declarations: IndexMap::new(),
            builtins: FxHashMap::default(),
            variables: IndexMap::new(),
            strings: IndexSet::new(),
            attributes: IndexSet::new(),
        }
    }

    /// Returns the definition of a variable.
    fn global(&mut self, global: &Global) -> Result<String, Reason> {
        let name = variable(global.name.as_str());
        let space = match self.target.space(global.space) {
            0 => String::new(),
            number => format!("addrspace({number}) "),
        };
        let kind =
            if global.constant || global.space == AddressSpace::Constant { "constant" } else { "global" };
        let align = self.types.align(global.ty);
        if super::constant::is_sampler(global.ty) {
            // Each read of a sampler creates it from its initialiser.
            return Ok(String::new());
        }
        if global.external {
            let memory = self.types.memory(global.ty)?.text;
            return Ok(format!("@{name} = external {space}{kind} {memory}, align {align}\n"));
        }
        let linkage = match (global.internal || global.space == AddressSpace::Local, self.target) {
            (true, _) => "internal ",
            (false, Target::X86_64) => "dso_local ",
            (false, _) => "",
        };
        // Local memory is undefined at the start, and cannot have an initial value.
        let initial = match &global.initializer {
            _ if global.space == AddressSpace::Local => {
                format!("{} undef", self.types.memory(global.ty)?.text)
            }
            Some(data) => self.initial(global.ty, data)?,
            None => self.initial(global.ty, &Data::Constant(Constant::Zero))?,
        };
        let kind = if global.space == AddressSpace::Local { "global" } else { kind };
        Ok(format!("@{name} = {linkage}{space}{kind} {initial}, align {align}\n"))
    }

    /// Declares a variable that the module does not define, and returns its address space. The length of an array may be
    /// unknown: the launch gives the size of an array in local memory.
    pub fn declare_variable(&mut self, name: Symbol, pointer: &Pointer) -> Result<AddressSpace, Reason> {
        let is_open = matches!(pointer.pointee.kind(), TyKind::Array { length: None, .. });
        let (memory, align) = match is_open {
            // All such arrays begin at the same address, and their types can differ.
            true => ("[0 x i8]".to_owned(), 16),
            false => {
                (self.types.memory(pointer.pointee)?.text.to_string(), self.types.align(pointer.pointee))
            }
        };
        let space = match self.target.space(pointer.space) {
            0 => String::new(),
            number => format!("addrspace({number}) "),
        };
        let kind = if pointer.space == AddressSpace::Constant { "constant" } else { "global" };
        let symbol = variable(name.as_str());
        let text = format!("@{symbol} = external {space}{kind} {memory}, align {align}\n");
        self.variables.entry(name).or_insert(text);
        Ok(pointer.space)
    }

    /// Returns the symbol of a string, with `@`.
    pub fn string(&mut self, bytes: &[u8]) -> String {
        let number = match self.strings.get_index_of(bytes) {
            Some(number) => number,
            None => self.strings.insert_full(bytes.into()).0,
        };
        if number == 0 { "@.str".to_owned() } else { format!("@.str.{number}") }
    }

    /// Returns the symbol, with `@`, for calls of a function or pointers to it. `ty` is its declared type.
    pub fn function_address(&mut self, key: FunctionKey, ty: Ty) -> Result<String, Reason> {
        let Some(&number) = self.functions.get(&key) else {
            let symbol = self.language.symbol(Named::Function(key), ty, self.target);
            let symbol: Rc<str> = format!("@{}", quoted(&symbol)).into();
            self.declare(&symbol, ty, false, false)?;
            return Ok(symbol.to_string());
        };
        if !self.module.functions[number].kernel || self.target.calls_kernels() {
            return Ok(self.symbols[number].to_string());
        }
        let symbol = self
            .called_kernels
            .entry(number)
            .or_insert_with(|| format!("@{}", quoted(&format!("{}.called", key.label()))).into());
        Ok(symbol.to_string())
    }

    /// Returns the symbol, with `@`, of a function of this module or of another one. See [`Self::function_address`].
    pub fn callee(&mut self, key: FunctionKey, ty: Ty, convergent: bool) -> Result<Rc<str>, Reason> {
        let symbol: Rc<str> = self.function_address(key, ty)?.into();
        if let Some(declaration) = self.declarations.get_mut(&symbol) {
            declaration.convergent |= convergent;
        }
        Ok(symbol)
    }

    /// Declares a builtin, and returns its symbol with `@`.
    pub fn builtin(&mut self, name: Symbol, ty: Ty, convergent: bool) -> Result<Rc<str>, Reason> {
        if let Some(symbol) = self.builtins.get(&(name, ty)) {
            let symbol = symbol.clone();
            if let Some(declaration) = self.declarations.get_mut(&symbol) {
                declaration.convergent |= convergent;
            }
            return Ok(symbol);
        }
        let symbol = self.language.symbol(Named::Builtin(name), ty, self.target);
        let symbol: Rc<str> = format!("@{}", quoted(&symbol)).into();
        let further = self.language.extra_arguments(name, ty).len();
        let declared = if further == 0 { ty } else { with_further(ty, further) };
        self.declare(&symbol, declared, convergent, self.language.is_pure(name, ty))?;
        self.builtins.insert((name, ty), symbol.clone());
        Ok(symbol)
    }

    /// Declares a function with this type. A second declaration of the same symbol can only make it convergent.
    pub fn declare(&mut self, symbol: &Rc<str>, ty: Ty, convergent: bool, pure: bool) -> Result<(), Reason> {
        if let Some(declaration) = self.declarations.get_mut(symbol) {
            declaration.convergent |= convergent;
            return Ok(());
        }
        let function = ty.as_function().ok_or("the type of a function is unknown")?;
        let mut parameters = Vec::new();
        if is_record(function.result) {
            parameters.push(self.record_parameter(function.result, Passing::Result, false)?);
        }
        for &parameter in &function.parameters {
            parameters.push(if is_record(parameter) {
                self.record_parameter(parameter, Passing::Copy, false)?
            } else {
                format!("{}{}", self.types.value(parameter)?, extension(parameter))
            });
        }
        if function.variadic {
            parameters.push("...".to_owned());
        }
        let result = self.result_text(function.result)?;
        let convention = self.target.function_convention();
        let text = format!("{convention}{result} {symbol}({})", parameters.join(", "));
        self.declarations.insert(symbol.clone(), Declaration { text, convergent, pure, intrinsic: false });
        Ok(())
    }

    /// Declares an intrinsic of LLVM: its name without `@`, the type of its result, and the types of its parameters.
    pub fn declare_intrinsic(&mut self, name: &str, result: &str, parameters: &[&str]) {
        if !self.declarations.contains_key(name) {
            let text = format!("{result} @{name}({})", parameters.join(", "));
            let declaration = Declaration { text, convergent: false, pure: false, intrinsic: true };
            self.declarations.insert(name.into(), declaration);
        }
    }

    /// Returns the result type with its attributes. It is `void` for records, which are written through the first
    /// parameter.
    pub fn result_text(&mut self, ty: Ty) -> Result<String, Reason> {
        if is_record(ty) {
            return Ok("void".to_owned());
        }
        let extension = extension(ty).trim_start();
        let space = if extension.is_empty() { "" } else { " " };
        Ok(format!("{extension}{space}{}", self.types.value(ty)?))
    }

    /// Returns the type and the attributes of a record parameter.
    pub fn record_parameter(&mut self, ty: Ty, passing: Passing, kernel: bool) -> Result<String, Reason> {
        let memory = self.types.memory(ty)?.text;
        let align = self.types.align(ty);
        if kernel && self.target == Target::Amdgcn {
            // A kernel receives a record by reference: the target places it in constant memory.
            return Ok(format!("ptr addrspace(4) byref({memory}) align {align}"));
        }
        let pointer = super::types::pointer_text(self.target.space(AddressSpace::Private));
        let attribute = if passing == Passing::Result { "sret" } else { "byval" };
        Ok(format!("{pointer} {attribute}({memory}) align {align}"))
    }

    /// Returns the number of an attribute group, as ` #0`.
    pub fn attributes(&mut self, text: String) -> String {
        format!(" #{}", self.attributes.insert_full(text).0)
    }

    fn finish(mut self, globals: &str, functions: &str) -> String {
        let mut text = String::with_capacity(functions.len() + globals.len() + 4096);
        let _ = writeln!(text, "source_filename = \"{}\"", escaped(self.module.file.as_bytes()));
        let _ = writeln!(text, "target datalayout = \"{}\"", self.target.data_layout());
        if let Some(triple) = self.target.triple() {
            let _ = writeln!(text, "target triple = \"{triple}\"");
        }
        section(&mut text, &self.types.definitions);
        section(&mut text, globals);
        section(&mut text, &self.variables.values().map(String::as_str).collect::<String>());
        let space = match self.target.space(AddressSpace::Constant) {
            0 => String::new(),
            number => format!("addrspace({number}) "),
        };
        let mut strings = String::new();
        for (number, bytes) in self.strings.iter().enumerate() {
            let suffix = if number == 0 { String::new() } else { format!(".{number}") };
            let _ = writeln!(
                strings,
                "@.str{suffix} = private unnamed_addr {space}constant [{} x i8] c\"{}\", align 1",
                bytes.len(),
                escaped(bytes)
            );
        }
        section(&mut text, &strings);
        text.push_str(functions);
        let mut declarations = String::new();
        for declaration in std::mem::take(&mut self.declarations).values() {
            let attributes = match declaration {
                Declaration { intrinsic: true, .. } => String::new(),
                Declaration { convergent, pure, .. } => {
                    let convergent = if *convergent { "convergent " } else { "" };
                    let memory = if *pure { " willreturn memory(none)" } else { "" };
                    self.attributes(format!("{convergent}nounwind{memory}"))
                }
            };
            let _ = writeln!(declarations, "declare {}{attributes}", declaration.text);
        }
        section(&mut text, &declarations);
        let mut attributes = String::new();
        for (number, group) in self.attributes.iter().enumerate() {
            let _ = writeln!(attributes, "attributes #{number} = {{ {group} }}");
        }
        section(&mut text, &attributes);
        section(&mut text, &self.metadata.finish());
        text
    }
}

/// Appends lines after an empty line.
fn section(text: &mut String, lines: &str) {
    if !lines.is_empty() {
        text.push('\n');
        text.push_str(lines);
    }
}

pub(super) fn is_record(ty: Ty) -> bool {
    matches!(ty.kind(), TyKind::Record(_))
}

/// Returns the extension attribute of a parameter or result narrower than `int`.
pub(super) fn extension(ty: Ty) -> &'static str {
    match ty.kind() {
        TyKind::Bool => " zeroext",
        TyKind::Integer(integer) if integer.bits() < 32 && integer.signed() => " signext",
        TyKind::Integer(integer) if integer.bits() < 32 => " zeroext",
        _ => "",
    }
}

/// Returns the type of a function with additional parameters. See [`Language::extra_arguments`].
fn with_further(ty: Ty, count: usize) -> Ty {
    let Some(function) = ty.as_function() else { return ty };
    let parameters = function.parameters.iter().copied().chain(std::iter::repeat_n(Ty::UINT, count));
    Ty::new(TyKind::Function(Box::new(FunctionTy { parameters: parameters.collect(), ..function.clone() })))
}
