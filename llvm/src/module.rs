//! The parts of a module: types, variables, declarations, functions, groups of attributes, and metadata.
//!
//! A part may refer to later ones. So the first pass reads all parts except the bodies of functions, and remembers
//! where these begin.

use rustc_hash::FxHashMap;
use tangle_base::{Span, Symbol};
use tangle_ir::AddressSpace;
use tangle_ir::flow::{Function, Global, Module, Op, Value};
use tangle_ir::key::FunctionKey;
use tangle_ir::types::{Ty, TyKind};
use tangle_ir::value::Conversion;

use crate::callee::{demangled, language};
use crate::constant::Constant;
use crate::error::{Error, ErrorKind};
use crate::function::{Environment, Header, read_function};
use crate::lex::{Kind, tokens};
use crate::reader::{Attributes, Declared, Item, Reader};
use crate::types::{Machine, Type, TypeId};

/// The words between `@name =` and the type of a variable that say how it is linked.
const EXTERNAL: [&str; 2] = ["external", "extern_weak"];

/// Reads a module. `file`: its path, which is not part of the text. `is_builtin`: whether a function that the module
/// only declares is a builtin of the [language](language) of the module, by its name without the types of its parameters.
///
/// # Errors
///
/// The text is not LLVM IR, or has a part without a counterpart in a flow graph.
pub fn read(file: &str, text: &str, is_builtin: &dyn Fn(Symbol) -> bool) -> Result<Module, Error> {
    let mut reader = Reader::new(text, tokens(text)?);
    let mut parts = Parts::default();
    reader.metadata_and_groups(&mut parts);
    reader.at = 0;
    reader.parts(&mut parts)?;
    reader.name_functions(&parts.headers);
    let mut globals = Vec::new();
    for (name, ty, initializer) in &parts.variables {
        let data = initializer.as_ref().map(|constant| reader.data(*ty, constant));
        let Some(global) = reader.globals.get_mut(name) else { continue };
        global.initializer = data.filter(|_| global.space != AddressSpace::Local);
        globals.push(global.clone());
    }
    let annotated = reader.annotated_kernels(&parts);
    let environment = Environment { language: language(text), is_builtin, annotated: &annotated };
    let mut functions = Vec::new();
    for header in &parts.headers {
        functions.push(read_function(&mut reader, header, &environment)?);
    }
    Ok(Module { file: file.to_owned(), functions, globals })
}

/// Gives the parameters of a function the types that they have in another version of the function, such as its source.
/// LLVM IR has neither signs nor the types that pointers point to.
///
/// Does nothing if a parameter has another size or another kind of type in the other version.
pub fn adopt_parameters(function: &mut Function, other: &Function) {
    let fits = |(own, other): (&tangle_ir::flow::Parameter, &tangle_ir::flow::Parameter)| {
        own.passing == other.passing && conversion(other.ty, own.ty).is_some()
    };
    let (own, others) = (&function.parameters, &other.parameters);
    if own.len() != others.len() || !own.iter().zip(others).all(fits) {
        return;
    }
    let mut converted = Vec::new();
    for (number, other) in others.iter().enumerate() {
        let parameter = &mut function.parameters[number];
        let Some(conversion) = conversion(other.ty, parameter.ty).filter(|_| parameter.ty != other.ty) else {
            continue;
        };
        let before = parameter.value;
        let Value { op, ty, name, span } = function.values[before].clone();
        // A record is passed by its address.
        if parameter.passing != tangle_ir::flow::Passing::Value {
            parameter.ty = other.ty;
            continue;
        }
        let argument = function.values.push(Value { op, ty: other.ty, name, span });
        function.values[before] =
            Value { op: Op::Convert { conversion, operand: argument }, ty, name: None, span };
        parameter.ty = other.ty;
        parameter.value = argument;
        converted.push(before);
    }
    if let Some(entry) = function.blocks.first_mut() {
        entry.values.splice(0..0, converted);
    }
}

/// Returns the conversion of an argument to the type that a parameter has in LLVM IR. `None` if the values differ.
fn conversion(from: Ty, to: Ty) -> Option<Conversion> {
    let bits = |ty: Ty| {
        let (element, lanes) = ty.lanes()?;
        let integer = element.as_integer()?;
        Some((integer.bits(), lanes))
    };
    match (from.kind(), to.kind()) {
        _ if from == to => Some(Conversion::Integer),
        (TyKind::Pointer(_) | TyKind::Opaque(_), TyKind::Pointer(_)) => Some(Conversion::Pointer),
        (TyKind::Record(_) | TyKind::Array { .. }, TyKind::Record(_) | TyKind::Array { .. }) => {
            let size = |ty| tangle_ir::layout::layout(ty).map(|layout| layout.size);
            (size(from) == size(to)).then_some(Conversion::Bits)
        }
        (TyKind::Bool, TyKind::Integer(_)) => Some(Conversion::Integer),
        (TyKind::Opaque(_), _) if to == Ty::LONG => Some(Conversion::Bits),
        _ => (bits(from).is_some() && bits(from) == bits(to)).then_some(Conversion::Integer),
    }
}

/// A variable with an initial value that later parts may be needed for.
type Variable<'a> = (Symbol, TypeId, Option<Constant<'a>>);

/// The parts of a module that are read after all others.
#[derive(Default)]
struct Parts<'a> {
    variables: Vec<Variable<'a>>,
    headers: Vec<Header<'a>>,
    /// The items of `!nvvm.annotations`.
    annotations: Vec<String>,
}

impl<'a> Reader<'a> {
    /// Reads the groups of attributes, and finds the metadata and the triple.
    fn metadata_and_groups(&mut self, parts: &mut Parts<'a>) {
        while self.kind() != Kind::End {
            let token = self.next();
            if !token.is_first {
                continue;
            }
            match (token.kind, self.text_of(token)) {
                (Kind::Metadata, name) if self.eat(b'=') => {
                    self.eat_word("distinct");
                    self.nodes.insert(name, self.at);
                    if name == "!nvvm.annotations" {
                        let items = self.node(name).into_iter();
                        let nodes = items.filter_map(|item| match item {
                            Item::Node(name) => Some(name),
                            _ => None,
                        });
                        parts.annotations = nodes.collect();
                    }
                }
                (Kind::Word, "attributes") if self.kind() == Kind::Attributes => {
                    let token = self.next();
                    let name = self.text_of(token);
                    if self.eat(b'=') && self.eat(b'{') {
                        let group = self.group();
                        self.groups.insert(name, group);
                    }
                }
                (Kind::Word, "target") if self.eat_word("triple") && self.eat(b'=') => {
                    let token = self.token();
                    self.types.machine = Machine::of_triple(self.text_of(token).trim_matches('"'));
                }
                _ => {}
            }
        }
    }

    fn parts(&mut self, parts: &mut Parts<'a>) -> Result<(), Error> {
        loop {
            let token = self.token();
            match (token.kind, self.text_of(token)) {
                (Kind::End, _) => return Ok(()),
                (Kind::Local, _) => self.named_type()?,
                (Kind::Global, _) => self.variable(parts)?,
                (Kind::Word, "declare") => {
                    self.next();
                    self.header(false)?;
                    self.skip_metadata();
                }
                (Kind::Word, "define") => {
                    self.next();
                    let header = self.header(true)?;
                    while !self.is(b'{') {
                        if self.kind() == Kind::End {
                            return Err(self.expected("`{`"));
                        }
                        self.next();
                    }
                    let body = self.at + 1;
                    self.skip_group();
                    parts.headers.push(Header { body, ..header });
                }
                (Kind::Metadata, _)
                | (Kind::Mark(b'^'), _)
                | (
                    Kind::Word,
                    "source_filename" | "target" | "module" | "uselistorder" | "uselistorder_bb",
                ) => {
                    self.skip_line();
                }
                (Kind::Word, "attributes") => {
                    while !matches!(self.kind(), Kind::End | Kind::Mark(b'{')) {
                        self.next();
                    }
                    self.skip_group();
                }
                // A group of functions. The linker keeps one.
                (Kind::Word, name) if name.starts_with('$') => self.skip_line(),
                _ => return Err(self.expected("a function, a variable or another part of a module")),
            }
        }
    }

    /// Skips the metadata after a declaration.
    fn skip_metadata(&mut self) {
        while !self.token().is_first {
            self.next();
        }
    }

    /// `%struct.S = type { i32, float }`
    fn named_type(&mut self) -> Result<(), Error> {
        let at = self.at;
        let token = self.next();
        let name = self.name_of(token);
        let number = self.types.name(Symbol::intern(&name));
        self.expect(b'=', "`=`")?;
        if !self.eat_word("type") {
            return Err(self.expected("`type`"));
        }
        let ty = self.ty()?;
        match self.types.named[number].1.replace(ty) {
            None => Ok(()),
            Some(_) => Err(self.error_at(at, ErrorKind::Redefined(name.into_owned()))),
        }
    }

    /// `@table = internal addrspace(4) constant [2 x i32] [i32 1, i32 2], align 4`
    fn variable(&mut self, parts: &mut Parts<'a>) -> Result<(), Error> {
        let at = self.at;
        let token = self.next();
        let text = self.name_of(token).into_owned();
        let name = Symbol::intern(&text);
        self.expect(b'=', "`=`")?;
        let (mut is_internal, mut is_external, mut space) = (false, false, 0);
        let is_constant = loop {
            match self.word() {
                "global" => break false,
                "constant" => break true,
                "alias" | "ifunc" => return Err(self.error(ErrorKind::Unsupported(self.word().to_owned()))),
                "addrspace" => {
                    space = self.address_space()?;
                    continue;
                }
                word => {
                    is_internal |= matches!(word, "internal" | "private");
                    is_external |= EXTERNAL.contains(&word);
                }
            }
            match self.kind() {
                Kind::Word => self.next(),
                // `thread_local(initialexec)`
                Kind::Mark(b'(') => {
                    self.skip_group();
                    continue;
                }
                _ => return Err(self.expected("`global` or `constant`")),
            };
        };
        self.next();
        let ty = self.ty()?;
        // An external variable has no initial value. Tokens of the next line are not a value.
        let has_value = !self.token().is_first && !self.is(b',') && !is_external;
        let initializer = if has_value { Some(self.constant(ty)?) } else { None };
        while !self.token().is_first {
            self.next();
        }
        let in_memory = self.types.memory(ty);
        let space = match self.types.machine.space(space) {
            AddressSpace::Generic | AddressSpace::Private if is_constant => AddressSpace::Constant,
            AddressSpace::Generic | AddressSpace::Private => AddressSpace::Global,
            space => space,
        };
        // The launch gives the size of an array without elements in local memory.
        let is_open = space == AddressSpace::Local && self.types.parts(ty) == Some(0);
        let ty_of_global = match (is_open, in_memory.kind()) {
            (true, TyKind::Array { element, .. }) => Ty::array(*element, None),
            _ => in_memory,
        };
        let global = Global {
            name,
            ty: ty_of_global,
            space,
            constant: is_constant,
            internal: is_internal,
            external: is_external || is_open,
            initializer: None,
        };
        if self.globals.insert(name, global).is_some() {
            return Err(self.error_at(at, ErrorKind::Redefined(text)));
        }
        parts.variables.push((name, ty, initializer));
        Ok(())
    }

    /// Reads the header of a function, after `define` or `declare`, up to its attributes.
    fn header(&mut self, is_defined: bool) -> Result<Header<'a>, Error> {
        let mut is_internal = false;
        let mut convention = "";
        // A declaration can begin with its metadata.
        while self.kind() == Kind::Metadata {
            self.next();
            self.next();
        }
        while !self.is_type() {
            match self.kind() {
                Kind::Word => {
                    let word = self.word();
                    is_internal |= matches!(word, "internal" | "private");
                    if word.ends_with("kernel") {
                        convention = word;
                    }
                    self.next();
                    // `cc 76` and `align 4`
                    if self.kind() == Kind::Number {
                        self.next();
                    }
                }
                Kind::Mark(b'(') => self.skip_group(),
                Kind::Text => _ = self.next(),
                _ => return Err(self.expected("the result type of the function")),
            }
        }
        let result = self.ty()?;
        let at = self.at;
        let token = self.next();
        if token.kind != Kind::Global {
            return Err(self.error_at(at, ErrorKind::Expected("the name of the function")));
        }
        let symbol = Symbol::intern(&self.name_of(token));
        let parameters = self.at;
        if !self.is(b'(') {
            return Err(self.expected("`(`"));
        }
        self.skip_group();
        let attributes = self.function_attributes();
        let rest = self.at;
        let span = Span::new(token.start, token.end);
        let declared = Declared { attributes, name: symbol, is_defined };
        if let Some(before) = self.functions.insert(symbol, declared)
            && before.is_defined
            && is_defined
        {
            return Err(self.error_at(at, ErrorKind::Redefined(symbol.as_str().to_owned())));
        }
        Ok(Header { symbol, span, convention, is_internal, result, parameters, rest, body: rest, attributes })
    }

    /// Gives each defined function its name in the language, if no other function has this name.
    fn name_functions(&mut self, headers: &[Header<'a>]) {
        let name = |header: &Header| demangled(header.symbol.as_str()).map(|it| Symbol::intern(it.name));
        let mut counts: FxHashMap<Symbol, u32> = FxHashMap::default();
        for short in headers.iter().filter_map(name) {
            *counts.entry(short).or_default() += 1;
        }
        for header in headers {
            let Some(short) = name(header) else { continue };
            let is_alone = counts[&short] == 1 && !self.functions.contains_key(&short);
            if is_alone && let Some(function) = self.functions.get_mut(&header.symbol) {
                function.name = short;
            }
        }
    }

    /// Returns the functions that `!nvvm.annotations` marks as kernels.
    fn annotated_kernels(&mut self, parts: &Parts) -> Vec<Symbol> {
        let mut kernels = Vec::new();
        for node in &parts.annotations {
            let items = self.node(node);
            if let [Item::Global(name), rest @ ..] = &items[..]
                && rest.contains(&Item::Text("kernel".to_owned()))
            {
                kernels.push(*name);
            }
        }
        kernels
    }

    /// Returns the key of a function of the module.
    pub(crate) fn key(&self, symbol: Symbol) -> FunctionKey {
        FunctionKey::plain(self.functions.get(&symbol).map_or(symbol, |function| function.name))
    }

    /// Returns whether a call is convergent.
    pub(crate) fn is_convergent(&self, callee: Option<Symbol>, call: Attributes) -> bool {
        let mut all = call;
        if let Some(function) = callee.and_then(|callee| self.functions.get(&callee)) {
            all.join(function.attributes);
        }
        all.convergent && !call.noconvergent
    }

    /// Returns the result of a function type. `None` for all other types.
    pub(crate) fn function_result(&self, ty: TypeId) -> Option<TypeId> {
        match self.types.get(ty) {
            Type::Function { result, .. } => Some(*result),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::language;
    use crate::Language;

    #[test]
    fn language_follows_from_the_triple_and_the_metadata() {
        assert_eq!(language("target triple = \"nvptx64-nvidia-cuda\"\n"), Language::Cuda);
        assert_eq!(language("target triple = \"amdgcn-amd-amdhsa\"\n"), Language::Hip);
        let opencl = "target triple = \"amdgcn-amd-amdhsa\"\n!opencl.ocl.version = !{!0}\n";
        assert_eq!(language(opencl), Language::OpenCl);
        assert_eq!(language(""), Language::OpenCl);
    }
}
