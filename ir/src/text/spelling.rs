//! The spelling of types in the text of a flow graph. It is exact, so that the reader gets the same type back, except
//! that a reference of C++ is written as a pointer.
//!
//! Types look as in C ([`display`](crate::display)). Lines before the functions declare the properties that C's
//! spelling omits: the contents of a record, and the full spelling of each type with a short name.
//!
//! ```text
//! type struct node = {value: int, next: global incomplete struct node *}
//! type unnamed struct = {a: int bits 3, : int bits 0, b: int volatile} packed
//! type T0 = void (*)(struct node, struct node, …)
//!
//! function f(%p: global struct node *, %callback: T0) {
//! ```

use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use super::names::{UniqueNames, inside, leaves, plain};
use super::operators;
use crate::display::{access_name, space_name};
use crate::flow::{Callee, Function, Op, typing};
use crate::key::{DeclaringScope, FunctionKey, InstanceArgument, InstanceArguments, UnresolvedCallee};
use crate::types::{
    Field, Float, FunctionTy, Integer, Opaque, Pointer, Record, RecordName, TemplateArgument, Ty, TyKind,
    VectorAbi,
};
use tangle_base::AddressSpace;

/// The maximum length of a spelling in bytes. A type with a longer spelling gets a name.
const MAX_SPELLING: usize = 200;

/// The types whose spelling is one word.
pub(super) const SINGLE_WORD_TYPES: [(&str, TyKind); 10] = [
    ("void", TyKind::Void),
    ("bool", TyKind::Bool),
    ("token", TyKind::Token),
    ("sampler_t", TyKind::Opaque(Opaque::Sampler)),
    ("event_t", TyKind::Opaque(Opaque::Event)),
    ("clk_event_t", TyKind::Opaque(Opaque::ClkEvent)),
    ("queue_t", TyKind::Opaque(Opaque::Queue)),
    ("reserve_id_t", TyKind::Opaque(Opaque::ReserveId)),
    ("ndrange_t", TyKind::Opaque(Opaque::NdRange)),
    ("va_list", TyKind::Opaque(Opaque::VaList)),
];

/// Returns the scalar or vector type that a word such as `uint4` names.
pub(super) fn arithmetic(word: &str) -> Option<Ty> {
    let scalars = Integer::ALL.map(|it| (it.name(), Ty::integer(it))).into_iter();
    let scalars = scalars.chain(Float::ALL.map(|it| (it.name(), Ty::float(it)))).chain([("bool", Ty::BOOL)]);
    scalars.filter(|(name, _)| !name.contains(' ')).find_map(|(name, ty)| match word.strip_prefix(name)? {
        "" => Some(ty),
        lanes if lanes.starts_with('0') => None,
        lanes => lanes.parse().ok().filter(|&lanes: &u8| lanes > 1).map(|lanes| Ty::vector(ty, lanes)),
    })
}

/// Returns the rules for the vector whose name follows: `cuda float4`.
pub(super) fn vector_abi(word: &str) -> Option<VectorAbi> {
    match word {
        "cuda" => Some(VectorAbi::Cuda),
        "hip" => Some(VectorAbi::Hip),
        _ => None,
    }
}

/// Returns the atomic integer type that a word such as `atomic_int` names.
pub(super) fn atomic(word: &str) -> Option<Ty> {
    let of = word.strip_prefix("atomic_")?;
    let integer = Integer::ALL.into_iter().find(|it| it.bits() < 128 && it.name() == of)?;
    Some(Ty::new(TyKind::Atomic(Ty::integer(integer))))
}

/// Returns whether a type can begin with the word.
pub(super) fn is_type_word(word: &str) -> bool {
    matches!(
        word,
        "unknown" | "unsigned" | "struct" | "union" | "incomplete" | "unnamed" | "_Atomic" | "parameter"
    ) || is_qualifier(word)
        || operators::read_access(word).is_some()
        || SINGLE_WORD_TYPES.iter().any(|(it, _)| *it == word)
        || arithmetic(word).is_some()
        || vector_abi(word).is_some()
        || atomic(word).is_some()
        || is_given_name(word)
}

/// Returns whether the word is a qualifier of a pointee: `const`, `volatile` or an address space.
pub(super) fn is_qualifier(word: &str) -> bool {
    matches!(word, "const" | "volatile") || operators::read_space(word).is_some()
}

/// Returns whether the word is the name of a type with a long spelling, such as `T0`.
pub(super) fn is_given_name(word: &str) -> bool {
    word.strip_prefix('T')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The types that a text mentions, and the names that the text gives to some of them.
#[derive(Clone, Debug, Default)]
pub(super) struct TypeNames {
    names: FxHashMap<Ty, String>,
    /// The types with a name, in the order of their declarations: the parts of a type precede the type.
    named: Vec<Ty>,
    /// The mentioned types, each with the approximate length of its spelling.
    lengths: FxHashMap<Ty, usize>,
    tags: UniqueNames,
    long: u32,
}

impl TypeNames {
    /// Mentions all types in the text of a function.
    pub(super) fn mention_function(&mut self, function: &Function) {
        for parameter in &function.parameters {
            self.mention(parameter.ty);
        }
        self.mention(function.result);
        self.mention_key(function.key);
        for ty in function.slots.iter().map(|slot| slot.ty).chain(function.variables.iter().map(|it| it.ty)) {
            self.mention(ty);
        }
        let mut seen = FxHashSet::default();
        leaves(function, &mut |leaf| {
            if seen.insert(leaf) {
                let value = &function.values[leaf];
                self.mention_leaf(&value.op, value.ty);
            }
        });
        for block in &function.blocks {
            for &value in &block.values {
                let value = &function.values[value];
                self.mention(value.ty);
                self.mention_operation(function, &value.op, value.ty);
            }
        }
    }

    fn mention_leaf(&mut self, op: &Op, ty: Ty) {
        self.mention(ty);
        if let Op::Function(key) = op {
            self.mention_key(*key);
        }
    }

    fn mention_key(&mut self, key: FunctionKey) {
        if let DeclaringScope::Class(class) = key.owner {
            parts_of_class(class, &mut |ty| self.mention(ty));
        }
        key.overload.into_iter().for_each(|overload| self.mention(overload));
        for argument in key.head.list().iter().chain(key.arguments.list()) {
            match argument {
                InstanceArgument::Type(ty) | InstanceArgument::Value { ty, .. } => self.mention(*ty),
                InstanceArgument::Unknown => {}
            }
        }
    }

    fn mention_operation(&mut self, function: &Function, op: &Op, ty: Ty) {
        match op {
            Op::Copy { ty, .. } | Op::Clear { ty, .. } => self.mention(*ty),
            Op::Element { element, .. } => self.mention(*element),
            Op::Field { record, .. } => self.mention(*record),
            Op::Call(call) => {
                if let Some(said) = typing::said_callee(function, call, ty) {
                    self.mention(said);
                }
                if let Callee::Unknown { named: Some(UnresolvedCallee::OneOf { candidates, .. }), .. } =
                    call.callee
                {
                    candidates.keys().iter().for_each(|&key| self.mention_key(key));
                }
                if let Callee::Function { key, .. } = call.callee {
                    self.mention_key(key);
                }
            }
            _ => {}
        }
    }

    /// Gives a type and its parts the names that they need. Works for types of any depth, without recursion.
    pub(super) fn mention(&mut self, ty: Ty) {
        let mut todo = vec![(ty, false)];
        while let Some((ty, again)) = todo.pop() {
            if self.lengths.contains_key(&ty) {
                continue;
            }
            if !again {
                todo.push((ty, true));
                let first = todo.len();
                parts(ty, &mut |part| todo.push((part, false)));
                todo[first..].reverse();
                continue;
            }
            // The approximate length that one level adds: a star, brackets, qualifiers.
            let mut length: usize = 6;
            parts(ty, &mut |part| {
                length = length.saturating_add(self.lengths.get(&part).copied().unwrap_or(0));
            });
            let name = match ty.kind() {
                TyKind::Record(record) if record.definition.is_some() => {
                    let tag = self.tag(record);
                    Some(self.tags.name(tag))
                }
                TyKind::Record(_) => None,
                _ if length > MAX_SPELLING => {
                    self.long += 1;
                    Some(format!("T{}", self.long - 1))
                }
                _ => None,
            };
            if let Some(name) = name {
                length = name.len();
                self.names.insert(ty, name);
                self.named.push(ty);
            }
            self.lengths.insert(ty, length);
        }
    }

    /// Returns the lines that declare the names.
    pub(super) fn declarations(&self) -> String {
        let mut out = String::new();
        for &ty in &self.named {
            let _ = write!(out, "type {} = ", self.names[&ty]);
            match ty.kind() {
                TyKind::Record(record) => self.record(record, &mut out),
                _ => out += &self.written(ty, true),
            }
            out.push('\n');
        }
        out
    }

    fn record(&self, record: &Record, out: &mut String) {
        let Some(definition) = &record.definition else { return };
        out.push('{');
        for (number, field) in definition.fields.iter().enumerate() {
            let Field { name, ty, bits, constant, volatile, packed, align } = field;
            out.push_str(if number == 0 { "" } else { ", " });
            let _ = write!(out, "{}: {}", name.map(plain).unwrap_or_default(), self.spelled(*ty));
            if let Some(bits) = bits {
                let _ = write!(out, " bits {bits}");
            }
            for (word, holds) in [("const", *constant), ("volatile", *volatile), ("packed", *packed)] {
                out.push_str(if holds { " " } else { "" });
                out.push_str(if holds { word } else { "" });
            }
            if let Some(align) = align {
                let _ = write!(out, " align {align}");
            }
        }
        out.push('}');
        out.push_str(if definition.packed { " packed" } else { "" });
        if let Some(pack) = definition.pack {
            let _ = write!(out, " pack {pack}");
        }
        if let Some(align) = definition.align {
            let _ = write!(out, " align {align}");
        }
    }

    /// Returns the spelling of a type in the text.
    pub(super) fn spelled(&self, ty: Ty) -> String {
        self.written(ty, false)
    }

    /// Builds the spelling of a type from the inside out: `inner` is the declarator so far, without a name. With
    /// `whole`, the type's own name is not used. The recursion ends at types with names, so [`MAX_SPELLING`] bounds it.
    fn written(&self, ty: Ty, whole: bool) -> String {
        let mut inner = String::new();
        let mut qualifiers = String::new();
        let mut whole = whole;
        let mut at = ty;
        let base = loop {
            if let Some(name) = self.names.get(&at).filter(|_| !whole) {
                break name.clone();
            }
            whole = false;
            match at.kind() {
                TyKind::Pointer(pointer) => {
                    let own = format!("{qualifiers}{}", if pointer.restrict { "restrict " } else { "" });
                    let of = pointed(pointer);
                    (inner, qualifiers) = self.around(pointer.pointee, '*', &own, &inner, of);
                    at = pointer.pointee;
                }
                TyKind::BlockPointer(function) => {
                    (inner, qualifiers) = self.around(*function, '^', &qualifiers, &inner, String::new());
                    at = *function;
                }
                TyKind::Array { element, length } => {
                    let _ = match length {
                        Some(length) => write!(inner, "[{length}]"),
                        None => write!(inner, "[]"),
                    };
                    at = *element;
                }
                TyKind::Function(function) => {
                    inner += &self.parameters(function);
                    at = function.result;
                }
                _ => break self.base(at),
            }
        };
        let space = if inner.is_empty() || inner.starts_with('[') { "" } else { " " };
        format!("{qualifiers}{base}{space}{inner}")
    }

    fn tag(&self, record: &Record) -> String {
        let word = if record.union { "union" } else { "struct" };
        match record.tag {
            Some(tag) => format!("{word} {}", self.class(tag)),
            None => format!("unnamed {word}"),
        }
    }

    /// Returns the spelling of a class, or of a specialisation with its arguments.
    pub(super) fn class(&self, class: RecordName) -> String {
        let name = format!("{}{}", inside(class.namespace()), plain(class.name()));
        let argument = |argument: &TemplateArgument| match argument {
            TemplateArgument::Any => "any".to_owned(),
            TemplateArgument::Other => "other".to_owned(),
            TemplateArgument::Number(number) => number.to_string(),
            TemplateArgument::Type(ty) => format!("type {}", self.spelled(*ty)),
            TemplateArgument::Parameter(number) => format!("value {number}"),
        };
        match class.arguments() {
            [] => name,
            all => format!("{name}<{}>", all.iter().map(argument).collect::<Vec<_>>().join(", ")),
        }
    }

    /// Returns the arguments of a function template after this word. Empty if there are none.
    pub(super) fn arguments(&self, word: &str, arguments: InstanceArguments) -> String {
        let argument = |argument: &InstanceArgument| match argument {
            InstanceArgument::Unknown => "any".to_owned(),
            InstanceArgument::Type(ty) => format!("type {}", self.spelled(*ty)),
            InstanceArgument::Value { value, ty } => format!("{value}: {}", self.spelled(*ty)),
        };
        match arguments.list() {
            [] => String::new(),
            all => format!("<{word} {}>", all.iter().map(argument).collect::<Vec<_>>().join(", ")),
        }
    }

    /// Returns the declarator of a pointer, and the remaining qualifiers of its pointee.
    fn around(&self, to: Ty, star: char, own: &str, inner: &str, of: String) -> (String, String) {
        let text = format!("{star}{own}{inner}");
        let text = text.trim_end();
        match to.kind() {
            _ if self.names.contains_key(&to) => (text.to_owned(), of),
            TyKind::Array { .. } => (format!("({text})"), of),
            // The qualifiers of a function are in the parentheses. Before the function they would qualify the pointee
            // of its result.
            TyKind::Function(_) => (format!("({of}{text})"), String::new()),
            _ => (text.to_owned(), of),
        }
    }

    fn parameters(&self, function: &FunctionTy) -> String {
        let mut parts: Vec<String> = function.parameters.iter().map(|&ty| self.spelled(ty)).collect();
        parts.extend(function.variadic.then(|| "...".to_owned()));
        format!("({})", parts.join(", "))
    }

    fn base(&self, ty: Ty) -> String {
        if let Some((word, _)) = SINGLE_WORD_TYPES.iter().find(|(_, kind)| kind == ty.kind()) {
            return (*word).to_owned();
        }
        match ty.kind() {
            TyKind::Integer(integer) => integer.name().to_owned(),
            TyKind::Float(float) => float.name().to_owned(),
            TyKind::Vector { element, lanes, abi } => {
                let abi = match abi {
                    VectorAbi::OpenCl => "",
                    VectorAbi::Cuda => "cuda ",
                    VectorAbi::Hip => "hip ",
                };
                format!("{abi}{}{lanes}", self.spelled(*element))
            }
            TyKind::Record(record) => format!("incomplete {}", self.tag(record)),
            TyKind::Atomic(of) => match of.as_integer() {
                Some(integer) if integer.bits() < 128 => format!("atomic_{}", integer.name()),
                _ => format!("_Atomic({})", self.spelled(*of)),
            },
            TyKind::Opaque(Opaque::Image { name, access }) => {
                format!("{} {}", access_name(*access), plain(*name))
            }
            TyKind::Opaque(Opaque::Pipe { packet, access }) => {
                format!("{} pipe({})", access_name(*access), self.spelled(*packet))
            }
            TyKind::Parameter(number) => format!("parameter {number}"),
            _ => "unknown type".to_owned(),
        }
    }
}

/// Returns the qualifiers that a pointer type has for its pointee, each followed by a space.
fn pointed(pointer: &Pointer) -> String {
    let space = match pointer.space {
        // An operation can have `volatile` before its type, so no type begins with `volatile`: `generic` precedes it.
        AddressSpace::Generic if !pointer.volatile || pointer.constant => String::new(),
        space => format!("{} ", space_name(space)),
    };
    let constant = if pointer.constant { "const " } else { "" };
    let volatile = if pointer.volatile { "volatile " } else { "" };
    format!("{space}{constant}{volatile}")
}

/// Visits the types that a type consists of, in the order of its spelling.
fn parts(ty: Ty, visit: &mut dyn FnMut(Ty)) {
    match ty.kind() {
        TyKind::Pointer(pointer) => visit(pointer.pointee),
        TyKind::Vector { element, .. } | TyKind::Array { element, .. } => visit(*element),
        TyKind::Function(function) => {
            visit(function.result);
            function.parameters.iter().for_each(|&ty| visit(ty));
        }
        TyKind::Record(record) => {
            record.tag.into_iter().for_each(|class| parts_of_class(class, visit));
            let definition = record.definition.iter();
            definition.for_each(|it| it.fields.iter().for_each(|field| visit(field.ty)));
        }
        TyKind::Atomic(of) | TyKind::BlockPointer(of) => visit(*of),
        TyKind::Opaque(Opaque::Pipe { packet, .. }) => visit(*packet),
        TyKind::Opaque(_)
        | TyKind::Unknown
        | TyKind::Void
        | TyKind::Bool
        | TyKind::Integer(_)
        | TyKind::Float(_)
        | TyKind::Parameter(_)
        | TyKind::Token => {}
    }
}

/// Visits the types among the arguments of a specialisation.
fn parts_of_class(class: RecordName, visit: &mut dyn FnMut(Ty)) {
    for argument in class.arguments() {
        if let TemplateArgument::Type(ty) = argument {
            visit(*ty);
        }
    }
}
