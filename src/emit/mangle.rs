//! The names of OpenCL functions in object files: Itanium C++ ABI names, which contain the types of the parameters.
//!
//! **Component**: a type whose second occurrence is written as `S_`, `S0_`, …: every type except the builtin scalars.
//! **Qualified type**: a pointee with its address space and `const`/`volatile`, which together are one component.
//!
//! ```c
//! float4 vload4(size_t, const global float *);   // _Z6vload4mPU3AS1Kf for amdgcn
//! ```
//!
//! A name is `_Z`, the length and text of the function name, and then the type of each parameter from the outside in. A
//! component that occurred before is replaced by its number. Libraries of device functions are looked up by these
//! names, so they must equal the names of clang.

use rustc_hash::FxHashMap;
use tangle_grammar::ast::{Access, AddressSpace};
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::{DeclaringScope, FunctionKey, InstanceArgument, InstanceArguments};

use tangle_hir::types::{
    Float, FunctionTy, Integer, Opaque, Pointer, Record, RecordName, Ty, TyKind, VectorAbi,
};
use tangle_syntax::dialect::Dialect;

/// How a target writes address spaces in names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpaceNames {
    /// By the number of the target (`U3AS1`). `None`: the space is not written.
    Numbers {
        global: Option<u8>,
        local: Option<u8>,
        constant: Option<u8>,
        private: Option<u8>,
        generic: Option<u8>,
    },
    /// By the name of OpenCL C (`U8CLglobal`).
    Words,
}

impl SpaceNames {
    /// Pointers of this target are private by default, so all spaces are written, also generic (0).
    pub const AMDGCN: SpaceNames = SpaceNames::numbers(Some(1), Some(3), Some(4), Some(5), Some(0));
    pub const NVPTX64: SpaceNames = SpaceNames::numbers(Some(1), Some(3), Some(4), None, None);
    pub const SPIRV64: SpaceNames = SpaceNames::numbers(Some(1), Some(3), Some(2), None, Some(4));
    pub const X86_64: SpaceNames = SpaceNames::Words;
    /// No space is written.
    pub const NONE: SpaceNames = SpaceNames::numbers(None, None, None, None, None);

    const fn numbers(
        global: Option<u8>,
        local: Option<u8>,
        constant: Option<u8>,
        private: Option<u8>,
        generic: Option<u8>,
    ) -> SpaceNames {
        SpaceNames::Numbers { global, local, constant, private, generic }
    }

    /// The qualifier. `None`: the space is not written.
    fn text(self, space: AddressSpace) -> Option<String> {
        match self {
            SpaceNames::Numbers { global, local, constant, private, generic } => {
                let number = match space {
                    AddressSpace::Global => global,
                    AddressSpace::Local => local,
                    AddressSpace::Constant => constant,
                    AddressSpace::Private => private,
                    AddressSpace::Generic => generic,
                };
                number.map(|number| format!("AS{number}"))
            }
            SpaceNames::Words => {
                let word = match space {
                    AddressSpace::Global => "CLglobal",
                    AddressSpace::Local => "CLlocal",
                    AddressSpace::Constant => "CLconstant",
                    AddressSpace::Private => "CLprivate",
                    AddressSpace::Generic => "CLgeneric",
                };
                Some(word.to_owned())
            }
        }
    }
}

/// Returns the name in the object file of an OpenCL function with this name and type.
///
/// Builtins that C declares without overloading (`printf`) keep their names. For builtins that compilers translate
/// (pipes, enqueuing of blocks, `to_global`), the name belongs to a function of the runtime. It takes more arguments
/// than the call: the size and alignment of a packet, or the kernel and literal of a block.
pub fn mangle(dialect: Dialect, name: &str, ty: Ty, spaces: SpaceNames) -> String {
    let overloads = dialect.signatures().of(Symbol::intern(name));
    let Some(function) = ty.as_function() else { return name.to_owned() };
    if name == "printf" {
        return name.to_owned();
    }
    if overloads.is_some_and(|overloads| overloads.special) {
        return runtime_name(name, function);
    }
    let mut mangler = Mangler {
        text: format!("_Z{}{name}", name.len()),
        components: FxHashMap::default(),
        spaces,
        cpp: false,
    };
    for (number, parameter) in function.parameters.iter().enumerate() {
        match overloads.and_then(|overloads| overloads.enumeration(ty, number)) {
            Some(enumeration) => mangler.named(enumeration),
            None => mangler.ty(*parameter),
        }
    }
    mangler.end_of_parameters(function);
    mangler.text
}

/// Returns the name in the object file of a function of C++, by the ABI of Itanium. The object of a method counts as its
/// first parameter. The name of an instance of a template contains its arguments, and its types mention the parameters:
/// `twice<float>` is `_Z5twiceIfET_S0_`.
pub fn mangle_in_cpp(key: FunctionKey, ty: Ty) -> String {
    let owners: Vec<Symbol> = match key.owner {
        DeclaringScope::Namespace(namespace) => namespace.path(),
        DeclaringScope::Class(class) => class.namespace().path().into_iter().chain([class.name()]).collect(),
        DeclaringScope::Function { .. } => Vec::new(),
    };
    let name = match operator_code(&key.label()) {
        Some(code) => code.to_owned(),
        None => source_name(&key.label()),
    };
    let mut mangler = Mangler {
        text: "_Z".to_owned(),
        components: FxHashMap::default(),
        spaces: SpaceNames::NONE,
        cpp: true,
    };
    if !owners.is_empty() {
        mangler.text.push('N');
        mangler.scopes(&owners);
    }
    let arguments = key.specialised_for().unwrap_or(key.arguments);
    let is_instance = !arguments.list().is_empty();
    mangler.text.push_str(&name);
    if is_instance {
        mangler.add(Component::Name(joined(&owners, &name)));
        mangler.arguments(arguments);
    }
    if !owners.is_empty() {
        mangler.text.push('E');
    }
    let overload = key.overload.filter(|_| is_instance).and_then(Ty::as_function);
    let Some(function) = ty.as_function() else { return mangler.text };
    let written = overload.unwrap_or(function);
    if is_instance {
        // The type of the template: its result is part of the name.
        mangler.ty(if written.result.is_void() { function.result } else { written.result });
    }
    written.parameters.iter().for_each(|parameter| mangler.ty(*parameter));
    mangler.end_of_parameters(written);
    mangler.text
}

/// Returns a name with its length. Characters that assemblers reject become underscores.
fn source_name(name: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let name: String = name.chars().map(|it| if plain(it) { it } else { '_' }).collect();
    format!("{}{name}", name.len())
}

/// Returns the full name of a namespace, a class or a function in these scopes.
fn joined(scopes: &[Symbol], name: &str) -> Symbol {
    let mut whole = String::new();
    for scope in scopes {
        whole += scope.as_str();
        whole += "::";
    }
    Symbol::intern(&(whole + name))
}

/// Returns the code of an operator that is a function: `operator()` is `cl`.
fn operator_code(name: &str) -> Option<&'static str> {
    let operator = name.strip_prefix("operator")?.trim_start();
    Some(match operator {
        "()" => "cl",
        "[]" => "ix",
        "->" => "pt",
        "+" => "pl",
        "-" => "mi",
        "*" => "ml",
        "/" => "dv",
        "%" => "rm",
        "=" => "aS",
        "+=" => "pL",
        "-=" => "mI",
        "*=" => "mL",
        "/=" => "dV",
        "%=" => "rM",
        "&" => "an",
        "|" => "or",
        "^" => "eo",
        "~" => "co",
        "!" => "nt",
        "&&" => "aa",
        "||" => "oo",
        "&=" => "aN",
        "|=" => "oR",
        "^=" => "eO",
        "<<" => "ls",
        ">>" => "rs",
        "<<=" => "lS",
        ">>=" => "rS",
        "==" => "eq",
        "!=" => "ne",
        "<" => "lt",
        ">" => "gt",
        "<=" => "le",
        ">=" => "ge",
        "<=>" => "ss",
        "++" => "pp",
        "--" => "mm",
        "," => "cm",
        "->*" => "pm",
        _ => return None,
    })
}

/// The name of the runtime function for a builtin that compilers translate.
fn runtime_name(name: &str, function: &FunctionTy) -> String {
    let parameters = &function.parameters;
    let ending = match name {
        "read_pipe" | "write_pipe" => format!("_{}", parameters.len()),
        "get_pipe_num_packets" | "get_pipe_max_packets" => {
            let access = parameters.first().map(|pipe| pipe.kind());
            let written =
                matches!(access, Some(TyKind::Opaque(Opaque::Pipe { access: Access::WriteOnly, .. })));
            if written { "_wo".to_owned() } else { "_ro".to_owned() }
        }
        "enqueue_kernel" => {
            let block = parameters.iter().position(|ty| matches!(ty.kind(), TyKind::BlockPointer(_)));
            let block = block.unwrap_or(parameters.len().saturating_sub(1));
            // A queue, flags and a range come first, then events, if any. Sizes follow the block.
            let events = block > 3;
            let sizes = parameters.len() > block + 1;
            match (events, sizes) {
                (false, false) => "_basic",
                (true, false) => "_basic_events",
                (false, true) => "_varargs",
                (true, true) => "_events_varargs",
            }
            .to_owned()
        }
        _ if name.starts_with("get_kernel_") => "_impl".to_owned(),
        _ => String::new(),
    };
    format!("__{name}{ending}")
}

/// A component that a substitution can represent.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Component {
    Type(Ty),
    /// An enumeration or a class template, which have no types of their own here.
    Named(Symbol),
    /// A namespace, a class or a function template, by its name with the namespaces and classes around it.
    Name(Symbol),
    /// The target of a pointer. A separate component, also if the space is not written.
    Pointee(Pointee),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Pointee {
    ty: Ty,
    space: AddressSpace,
    constant: bool,
    volatile: bool,
    /// The `restrict` of a pointer that is itself a pointee.
    restrict: bool,
}

impl Pointee {
    /// The pointee of a pointer. The `restrict` of a pointer that is itself a pointee becomes a qualifier of the
    /// pointee.
    fn of(pointer: &Pointer) -> Pointee {
        let (ty, restrict) = match pointer.pointee.as_pointer() {
            Some(inner) if inner.restrict => {
                (Ty::new(TyKind::Pointer(Pointer { restrict: false, ..*inner })), true)
            }
            _ => (pointer.pointee, false),
        };
        let Pointer { space, constant, volatile, .. } = *pointer;
        Pointee { ty, space, constant, volatile, restrict }
    }
}

struct Mangler {
    text: String,
    /// The components that occurred before, with their numbers.
    components: FxHashMap<Component, usize>,
    spaces: SpaceNames,
    /// Whether the language has no address spaces: a pointee without qualifiers is no component of its own.
    cpp: bool,
}

impl Mangler {
    /// Writes the substitution of a component that occurred before. Returns false if it did not.
    fn substitute(&mut self, component: Component) -> bool {
        let Some(number) = self.components.get(&component) else { return false };
        // `S_`, then `S` with numbers from 0 in base 36.
        self.text.push('S');
        if let Some(mut number) = number.checked_sub(1) {
            let mut digits = Vec::new();
            loop {
                digits.push(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number % 36]);
                number /= 36;
                if number == 0 {
                    break;
                }
            }
            self.text.extend(digits.iter().rev().map(|digit| char::from(*digit)));
        }
        self.text.push('_');
        true
    }

    fn add(&mut self, component: Component) {
        let number = self.components.len();
        self.components.entry(component).or_insert(number);
    }

    /// Writes a text after its length.
    fn source_name(&mut self, name: &str) {
        self.text.push_str(&name.len().to_string());
        self.text.push_str(name);
    }

    fn named(&mut self, name: Symbol) {
        if !self.substitute(Component::Named(name)) {
            self.source_name(name.as_str());
            self.add(Component::Named(name));
        }
    }

    /// Writes namespaces and classes, each inside the one before it.
    fn scopes(&mut self, scopes: &[Symbol]) {
        let name = |count: usize| Component::Name(joined(&scopes[..count], ""));
        let known = (1..=scopes.len()).rev().find(|&count| self.components.contains_key(&name(count)));
        let known = known.unwrap_or(0);
        if known > 0 {
            self.substitute(name(known));
        }
        for (count, scope) in (known + 1..).zip(&scopes[known..]) {
            self.text.push_str(&source_name(scope.as_str()));
            self.add(name(count));
        }
    }

    /// Writes a class.
    fn class(&mut self, class: RecordName) {
        let scopes: Vec<Symbol> = class.namespace().path().into_iter().chain([class.name()]).collect();
        if self.substitute(Component::Name(joined(&scopes, ""))) {
            return;
        }
        let is_nested = scopes.len() > 1;
        self.text.push_str(if is_nested { "N" } else { "" });
        self.scopes(&scopes);
        self.text.push_str(if is_nested { "E" } else { "" });
    }

    /// Writes the arguments of an instance.
    fn arguments(&mut self, arguments: InstanceArguments) {
        self.text.push('I');
        for argument in arguments.list() {
            match argument {
                InstanceArgument::Type(ty) => self.ty(*ty),
                InstanceArgument::Value { value, ty } => {
                    self.text.push('L');
                    self.ty(if ty.is_unknown() { Ty::INT } else { *ty });
                    let sign = if *value < 0 { "n" } else { "" };
                    self.text.push_str(&format!("{sign}{}E", value.unsigned_abs()));
                }
                // An argument that is not known keeps symbols apart, but is no valid name.
                InstanceArgument::Unknown => self.text.push('v'),
            }
        }
        self.text.push('E');
    }

    /// Writes a type without its qualifiers. The qualifiers of a parameter itself are not part of the type of its
    /// function.
    fn ty(&mut self, ty: Ty) {
        // The depth of types is not limited.
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.unqualified(ty));
    }

    fn unqualified(&mut self, ty: Ty) {
        let ty = match ty.as_pointer() {
            Some(pointer) if pointer.restrict => {
                Ty::new(TyKind::Pointer(Pointer { restrict: false, ..*pointer }))
            }
            _ => ty,
        };
        let letters = match ty.kind() {
            // Lowered functions do not have these types.
            TyKind::Unknown | TyKind::Token | TyKind::Void => "v",
            TyKind::Bool => "b",
            TyKind::Integer(integer) => letter(*integer),
            TyKind::Float(Float::Half) => "Dh",
            TyKind::Float(Float::Single) => "f",
            TyKind::Float(Float::Double) => "d",
            _ => "",
        };
        if !letters.is_empty() {
            self.text.push_str(letters);
            return;
        }
        if let Some(Record { tag: Some(class), .. }) = ty.as_record() {
            return self.class(*class);
        }
        if self.substitute(Component::Type(ty)) {
            return;
        }
        match ty.kind() {
            TyKind::Vector { element, lanes, abi: VectorAbi::OpenCl } => {
                self.text.push_str(&format!("Dv{lanes}_"));
                self.ty(*element);
            }
            // `half2` is a typedef.
            TyKind::Vector { element, lanes, .. } if *element == Ty::HALF => {
                self.source_name(&format!("__half{lanes}"));
            }
            TyKind::Vector { abi: VectorAbi::Cuda, .. } => self.source_name(&ty.to_string()),
            TyKind::Vector { element, lanes, abi: VectorAbi::Hip } => {
                self.named(Symbol::intern("HIP_vector_type"));
                self.text.push('I');
                self.ty(*element);
                self.text.push_str(&format!("Lj{lanes}EE"));
            }
            TyKind::Pointer(pointer) => {
                self.text.push(if pointer.reference { 'R' } else { 'P' });
                self.pointee(Pointee::of(pointer));
            }
            TyKind::Array { element, length } => {
                self.array(*length);
                self.ty(*element);
            }
            TyKind::Parameter(0) => self.text.push_str("T_"),
            TyKind::Parameter(number) => self.text.push_str(&format!("T{}_", number - 1)),
            TyKind::Function(function) => self.function(function),
            TyKind::Record(_) => self.text.push_str("Ut_"),
            TyKind::Atomic(ty) => {
                self.text.push_str("U7_Atomic");
                self.ty(*ty);
            }
            TyKind::BlockPointer(ty) => {
                self.text.push_str("U13block_pointer");
                self.ty(*ty);
            }
            TyKind::Opaque(opaque) => self.source_name(&opaque_name(*opaque)),
            _ => {}
        }
        self.add(Component::Type(ty));
    }

    fn pointee(&mut self, pointee: Pointee) {
        // Functions have no address space.
        let is_qualified = pointee.constant || pointee.volatile || pointee.restrict;
        if pointee.ty.as_function().is_some() || self.cpp && !is_qualified {
            return self.ty(pointee.ty);
        }
        if self.substitute(Component::Pointee(pointee)) {
            return;
        }
        // The qualifiers of an array apply to its elements.
        if let TyKind::Array { element, length } = pointee.ty.kind() {
            self.array(*length);
            let element = *element;
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.pointee(Pointee { ty: element, ..pointee }));
        } else {
            if let Some(space) = self.spaces.text(pointee.space) {
                self.text.push('U');
                self.source_name(&space);
            }
            for (present, letter) in
                [(pointee.restrict, 'r'), (pointee.volatile, 'V'), (pointee.constant, 'K')]
            {
                if present {
                    self.text.push(letter);
                }
            }
            self.ty(pointee.ty);
        }
        self.add(Component::Pointee(pointee));
    }

    fn array(&mut self, length: Option<u64>) {
        self.text.push('A');
        if let Some(length) = length {
            self.text.push_str(&length.to_string());
        }
        self.text.push('_');
    }

    fn function(&mut self, function: &FunctionTy) {
        self.text.push('F');
        self.ty(function.result);
        for parameter in &function.parameters {
            self.ty(*parameter);
        }
        self.end_of_parameters(function);
        self.text.push('E');
    }

    fn end_of_parameters(&mut self, function: &FunctionTy) {
        if function.variadic {
            self.text.push('z');
        } else if function.parameters.is_empty() {
            self.text.push('v');
        }
    }
}

fn letter(integer: Integer) -> &'static str {
    match integer {
        Integer::Char => "c",
        Integer::UChar => "h",
        Integer::Short => "s",
        Integer::UShort => "t",
        Integer::Int => "i",
        Integer::UInt => "j",
        Integer::Long => "l",
        Integer::ULong => "m",
        Integer::Int128 => "n",
        Integer::UInt128 => "o",
    }
}

fn opaque_name(opaque: Opaque) -> String {
    match opaque {
        Opaque::Image { name, access } => {
            let name = name.as_str();
            let access = match access {
                Access::ReadOnly => "ro",
                Access::WriteOnly => "wo",
                Access::ReadWrite => "rw",
            };
            format!("ocl_{}_{access}", name.strip_suffix("_t").unwrap_or(name))
        }
        Opaque::Pipe { .. } => "ocl_pipe".to_owned(),
        Opaque::Sampler => "ocl_sampler".to_owned(),
        Opaque::Event => "ocl_event".to_owned(),
        Opaque::ClkEvent => "ocl_clkevent".to_owned(),
        Opaque::Queue => "ocl_queue".to_owned(),
        Opaque::ReserveId => "ocl_reserveid".to_owned(),
        Opaque::NdRange => "ndrange_t".to_owned(),
        Opaque::VaList => "__va_list_tag".to_owned(),
    }
}

#[cfg(test)]
mod tests;
