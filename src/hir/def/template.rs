//! Function templates: their parameters, and the arguments that a call gives or that follow from its types.
//!
//! **Pattern**: the type of a function template, with [`TyKind::Parameter`] where it mentions a parameter. **Deduction**:
//! finds the arguments for which the types of a call fit the pattern. **Instance**: the template with all arguments
//! known.
//!
//! ```c
//! template <class T, int N = 4> __device__ T sum(const T *p);   // the pattern: parameter 0 (const parameter 0 *)
//! sum(row);                                                     // `row` is a `float *`: T is float, N is 4
//! sum<double, 8>(row);                                          // given
//! ```
//!
//! Only a parameter alone, pointers, references and arrays of it, and the arguments of a class, are deduced. A template whose arguments are not
//! all known is called itself: its body is checked for all arguments at once.

use std::sync::LazyLock;

use dashmap::DashSet;
use rustc_hash::FxBuildHasher;
use tangle_grammar::ast::AddressSpace;
use tangle_grammar::symbol::Symbol;
#[cfg(doc)]
use tangle_ir::key::FunctionKey;
use tangle_ir::key::{InstanceArgument, InstanceArguments};

use crate::types::{FunctionTy, Pointer, Record, RecordName, TemplateArgument, Ty, TyKind};

/// The kind of argument that a template parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParameterKind {
    /// A type.
    Type,
    /// A value of this type.
    Value(Ty),
    /// A class template.
    Template,
}

/// A parameter of a function template, or of the class of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TemplateParameter {
    /// Empty if it has no name.
    pub name: Symbol,
    pub kind: ParameterKind,
    /// `typename... T`: any number of arguments.
    pub pack: bool,
    /// Whether it has a default argument.
    pub has_default: bool,
    /// The default argument, if it is known and does not depend on other parameters.
    pub default: Option<InstanceArgument>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Parts {
    parameters: Box<[TemplateParameter]>,
    of_class: usize,
    pattern: Ty,
    special: Option<Box<[InstanceArgument]>>,
}

/// A function template, a method of a class template, or an explicit specialisation of a function template, interned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionTemplate(&'static Parts);

static TEMPLATES: LazyLock<DashSet<&'static Parts, FxBuildHasher>> = LazyLock::new(DashSet::default);

impl FunctionTemplate {
    fn of(parts: Parts) -> FunctionTemplate {
        if let Some(known) = TEMPLATES.get(&parts) {
            return FunctionTemplate(*known);
        }
        let parts: &'static Parts = Box::leak(Box::new(parts));
        TEMPLATES.insert(parts);
        FunctionTemplate(parts)
    }

    /// Returns a template with these parameters and this pattern.
    pub fn new(parameters: Vec<TemplateParameter>, pattern: Ty) -> FunctionTemplate {
        FunctionTemplate::of_method(parameters, 0, pattern)
    }

    /// Returns a method as a template. The first `of_class` parameters belong to its class.
    pub fn of_method(parameters: Vec<TemplateParameter>, of_class: usize, pattern: Ty) -> FunctionTemplate {
        FunctionTemplate::of(Parts { parameters: parameters.into(), of_class, pattern, special: None })
    }

    /// Returns an explicit specialisation with these arguments and this type: `template <> int sum<int>(const int *)`.
    /// If `arguments` is empty, the type tells which template it specialises.
    pub fn specialisation(arguments: Vec<InstanceArgument>, ty: Ty) -> FunctionTemplate {
        FunctionTemplate::of(Parts {
            parameters: Box::default(),
            of_class: 0,
            pattern: ty,
            special: Some(arguments.into()),
        })
    }

    /// Returns the parameters. Empty for an explicit specialisation.
    pub fn parameters(self) -> &'static [TemplateParameter] {
        &self.0.parameters
    }

    /// Returns the number of parameters that belong to the class of a method. They come first.
    pub fn of_class(self) -> usize {
        self.0.of_class
    }

    /// Returns the type of the function in terms of the parameters.
    pub fn pattern(self) -> Ty {
        self.0.pattern
    }

    /// Returns the type that distinguishes the template from others of its name: its pattern, without a result that
    /// mentions no parameter.
    pub fn signature(self) -> Ty {
        let signature = super::overload::signature(self.pattern());
        match (self.pattern().as_function(), signature.as_function()) {
            (Some(FunctionTy { result, .. }), Some(of)) if mentions_parameter(*result) => {
                Ty::new(TyKind::Function(Box::new(FunctionTy { result: *result, ..of.clone() })))
            }
            _ => signature,
        }
    }

    /// Returns the arguments that distinguish the template from others: see [`FunctionKey::head`].
    pub fn head(self) -> InstanceArguments {
        let own = self.parameters().iter().enumerate().skip(self.of_class());
        let parameter = |(number, parameter): (usize, &TemplateParameter)| match parameter.kind {
            ParameterKind::Type => InstanceArgument::Type(Ty::new(TyKind::Parameter(number as u32))),
            ParameterKind::Value(_) | ParameterKind::Template => InstanceArgument::Unknown,
        };
        let all: Vec<InstanceArgument> = match self.0.special.as_deref() {
            Some(special) => special.to_vec(),
            None => own.map(parameter).collect(),
        };
        InstanceArguments::new(&all)
    }

    /// Whether this is an explicit specialisation: `template <> int sum<int>(const int *)`.
    pub fn is_specialisation(self) -> bool {
        self.0.special.is_some()
    }

    /// Whether this is an explicit specialisation for these arguments, for which the template has this type.
    pub fn specialises(self, arguments: InstanceArguments, ty: Ty) -> bool {
        self.0.special.as_deref().is_some_and(|special| match special {
            [] => super::overload::signature(ty) == super::overload::signature(self.0.pattern),
            special => special == arguments.list(),
        })
    }

    /// Whether a call with this number of written arguments can determine all arguments. An argument that is not written
    /// must have a default, or a type of the pattern must mention its parameter. A type that is not known may mention any
    /// parameter.
    ///
    /// ```c
    /// template <int N> __device__ int width();      // `width<4>()`, but not `width()`
    /// template <class T> __device__ int size(T x);  // `size(x)`
    /// ```
    pub fn is_determined_by(self, written: usize) -> bool {
        let parameters = self.pattern().as_function().map_or(&[][..], |function| &function.parameters);
        let is_determined = |(number, parameter): (usize, &TemplateParameter)| {
            let is_deduced = || parameters.iter().any(|&ty| may_mention(ty, number));
            number < self.of_class() + written || parameter.pack || parameter.has_default || is_deduced()
        };
        self.parameters().iter().enumerate().all(is_determined)
    }

    /// Returns the instance for the given arguments, and those deduced from the types of the arguments of a call.
    /// `None`: an argument is not known.
    pub fn instance(self, given: &[InstanceArgument], types: &[Ty]) -> Option<(InstanceArguments, Ty)> {
        let parameters = self.parameters();
        if parameters.is_empty() || parameters.iter().any(|it| it.pack) || given.len() > parameters.len() {
            return None;
        }
        let mut found: Vec<InstanceArgument> = vec![InstanceArgument::Unknown; parameters.len()];
        for ((slot, parameter), &argument) in found.iter_mut().zip(parameters).zip(given) {
            *slot = fitting(parameter.kind, argument)?;
        }
        let pattern = self.pattern().as_function()?;
        for (&parameter, &ty) in pattern.parameters.iter().zip(types) {
            deduce(parameter, ty, &mut found);
        }
        for (slot, parameter) in found.iter_mut().zip(parameters) {
            *slot = match (&slot, parameter.default) {
                (InstanceArgument::Unknown, Some(default)) => default,
                (InstanceArgument::Unknown, None) => return None,
                (argument, _) => fitting(parameter.kind, **argument)?,
            };
        }
        let arguments = InstanceArguments::new(&found);
        Some((arguments, substituted(self.pattern(), arguments)))
    }
}

/// Returns an argument as one of a parameter of this kind. `None`: it does not fit.
pub fn fitting(kind: ParameterKind, argument: InstanceArgument) -> Option<InstanceArgument> {
    match (kind, argument) {
        (ParameterKind::Type, InstanceArgument::Type(_)) => Some(argument),
        (ParameterKind::Value(ty), InstanceArgument::Value { value, ty: own }) => {
            let ty = if ty.is_unknown() { own } else { ty };
            let value = if ty == Ty::BOOL { i128::from(value != 0) } else { value };
            Some(InstanceArgument::Value { value, ty })
        }
        _ => None,
    }
}

/// Deduces arguments from the type that an argument of a call has. A parameter that is known already keeps its argument.
fn deduce(pattern: Ty, ty: Ty, found: &mut [InstanceArgument]) {
    match (pattern.kind(), ty.kind()) {
        (TyKind::Parameter(number), _) => {
            // The value of an array is a pointer.
            let ty = match ty.kind() {
                TyKind::Array { element, .. } => Ty::pointer(*element, AddressSpace::Generic),
                _ => ty,
            };
            if let (Some(slot @ InstanceArgument::Unknown), true) =
                (found.get_mut(*number as usize), is_argument(ty))
            {
                *slot = InstanceArgument::Type(without_space(ty));
            }
        }
        (TyKind::Pointer(pattern), _) if pattern.reference => {
            let ty = match ty.as_pointer() {
                Some(pointer) if pointer.reference => pointer.pointee,
                _ => ty,
            };
            match (pattern.pointee.kind(), ty.kind()) {
                // A reference to an array: only its elements are deduced.
                (TyKind::Array { element: pattern, .. }, TyKind::Array { element, .. }) => {
                    deduce_inside(*pattern, *element, found);
                }
                (TyKind::Parameter(_), TyKind::Array { .. }) => {}
                _ => deduce_inside(pattern.pointee, ty, found),
            }
        }
        (TyKind::Pointer(pattern), TyKind::Pointer(pointer)) => {
            deduce_inside(pattern.pointee, pointer.pointee, found);
        }
        (TyKind::Pointer(pattern), TyKind::Array { element, .. }) => {
            deduce_inside(pattern.pointee, *element, found);
        }
        (TyKind::Record(pattern), TyKind::Record(record)) => {
            if let (Some(pattern), Some(class)) = (pattern.tag, record.tag) {
                deduce_class(pattern, class, found);
            }
        }
        _ => {}
    }
}

/// Deduces arguments from the arguments of a class: `tile<T, N>` from `tile<float, 4>`.
pub fn deduce_class(pattern: RecordName, class: RecordName, found: &mut [InstanceArgument]) {
    if pattern.template() != class.template() || pattern.arguments().len() != class.arguments().len() {
        return;
    }
    for (pattern, argument) in pattern.arguments().iter().zip(class.arguments()) {
        match (*pattern, *argument) {
            (TemplateArgument::Type(pattern), TemplateArgument::Type(ty)) => {
                deduce_inside(pattern, ty, found)
            }
            (TemplateArgument::Parameter(number), TemplateArgument::Number(value)) => {
                if let Some(slot @ InstanceArgument::Unknown) = found.get_mut(number as usize) {
                    *slot = InstanceArgument::Value { value, ty: Ty::INT };
                }
            }
            _ => {}
        }
    }
}

/// Returns the class that arguments make of a template: its parameters, in their order.
pub fn class_of_arguments(template: RecordName, arguments: &[InstanceArgument]) -> Option<RecordName> {
    let argument = |argument: &InstanceArgument| match *argument {
        InstanceArgument::Type(ty) => Some(TemplateArgument::Type(by_name(ty))),
        InstanceArgument::Value { value, .. } => Some(TemplateArgument::Number(value)),
        InstanceArgument::Unknown => None,
    };
    let all: Option<Box<[TemplateArgument]>> = arguments.iter().map(argument).collect();
    Some(RecordName::new(template.namespace(), template.name(), all?))
}

/// Returns a class with the parameters among its arguments replaced by these arguments. `None`: one of them is not known.
pub fn class_substituted(class: RecordName, arguments: InstanceArguments) -> Option<RecordName> {
    let argument = |argument: &TemplateArgument| match *argument {
        TemplateArgument::Type(ty) => {
            let ty = substituted(ty, arguments);
            (!ty.is_unknown()).then(|| TemplateArgument::Type(by_name(ty)))
        }
        TemplateArgument::Parameter(number) => match arguments.list().get(number as usize)? {
            InstanceArgument::Value { value, .. } => Some(TemplateArgument::Number(*value)),
            InstanceArgument::Type(_) | InstanceArgument::Unknown => None,
        },
        other => Some(other),
    };
    let all: Option<Box<[TemplateArgument]>> = class.arguments().iter().map(argument).collect();
    Some(RecordName::new(class.namespace(), class.name(), all?))
}

/// Returns a type as an argument of a class: records without their contents, so that a class has one name before and
/// after the definition of its arguments.
pub fn by_name(ty: Ty) -> Ty {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, || match ty.kind() {
        TyKind::Record(record) if record.definition.is_some() && record.tag.is_some() => {
            Ty::new(TyKind::Record(Box::new(Record { definition: None, ..Record::clone(record) })))
        }
        TyKind::Pointer(pointer) => {
            Ty::new(TyKind::Pointer(Pointer { pointee: by_name(pointer.pointee), ..*pointer }))
        }
        TyKind::Array { element, length } => Ty::array(by_name(*element), *length),
        TyKind::Function(function) => Ty::new(TyKind::Function(Box::new(FunctionTy {
            result: by_name(function.result),
            parameters: function.parameters.iter().map(|&ty| by_name(ty)).collect(),
            variadic: function.variadic,
        }))),
        _ => ty,
    })
}

fn deduce_inside(pattern: Ty, ty: Ty, found: &mut [InstanceArgument]) {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, || deduce(pattern, ty, found));
}

/// Whether a type can be the argument of a template. Lambdas and classes without a name are types of their own.
fn is_argument(ty: Ty) -> bool {
    match ty.kind() {
        TyKind::Bool
        | TyKind::Integer(_)
        | TyKind::Float(_)
        | TyKind::Vector { .. }
        | TyKind::Opaque(_)
        | TyKind::Atomic(_) => true,
        TyKind::Pointer(pointer) => {
            !pointer.reference && (pointer.pointee.is_void() || is_argument(pointer.pointee))
        }
        TyKind::Record(record) => record.tag.is_some(),
        TyKind::Unknown
        | TyKind::Void
        | TyKind::Array { .. }
        | TyKind::Function(_)
        | TyKind::BlockPointer(_)
        | TyKind::Parameter(_)
        | TyKind::Token => false,
    }
}

/// Returns a type of C++, which has no address spaces.
fn without_space(ty: Ty) -> Ty {
    match ty.as_pointer() {
        Some(pointer) => Ty::new(TyKind::Pointer(Pointer {
            pointee: stacker::maybe_grow(64 * 1024, 1024 * 1024, || without_space(pointer.pointee)),
            space: AddressSpace::Generic,
            restrict: false,
            ..*pointer
        })),
        None => ty,
    }
}

/// Returns a pattern with the parameters replaced by these arguments.
pub fn substituted(pattern: Ty, arguments: InstanceArguments) -> Ty {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
        let inside = |ty: Ty| substituted(ty, arguments);
        match pattern.kind() {
            TyKind::Parameter(number) => match arguments.list().get(*number as usize) {
                Some(InstanceArgument::Type(ty)) => *ty,
                _ => Ty::UNKNOWN,
            },
            TyKind::Pointer(pointer) => {
                Ty::new(TyKind::Pointer(Pointer { pointee: inside(pointer.pointee), ..*pointer }))
            }
            TyKind::Array { element, length } => Ty::array(inside(*element), *length),
            TyKind::Function(function) => Ty::new(TyKind::Function(Box::new(FunctionTy {
                result: inside(function.result),
                parameters: function.parameters.iter().map(|&ty| inside(ty)).collect(),
                variadic: function.variadic,
            }))),
            TyKind::Record(record) if mentions_parameter(pattern) => {
                let class = record.tag.and_then(|class| class_substituted(class, arguments));
                // Only a class of the language has members here. They do not depend on its arguments.
                let Record { union, definition, .. } = &**record;
                class.map_or(Ty::UNKNOWN, |class| {
                    let definition = definition.clone();
                    Ty::new(TyKind::Record(Box::new(Record { union: *union, tag: Some(class), definition })))
                })
            }
            _ => pattern,
        }
    })
}

/// Whether a type mentions the template parameter with this number, or may mention it because a part of it is unknown.
fn may_mention(ty: Ty, number: usize) -> bool {
    let inside = |ty: Ty| stacker::maybe_grow(64 * 1024, 1024 * 1024, || may_mention(ty, number));
    match ty.kind() {
        TyKind::Parameter(of) => *of as usize == number,
        // The length of an array can be a parameter.
        TyKind::Unknown | TyKind::Array { length: None, .. } => true,
        TyKind::Array { element, .. } => inside(*element),
        TyKind::Pointer(pointer) => inside(pointer.pointee),
        TyKind::Function(function) => {
            function.parameters.iter().chain([&function.result]).any(|&ty| inside(ty))
        }
        TyKind::Record(record) => record.tag.is_none_or(|class| {
            class.arguments().iter().any(|argument| match *argument {
                TemplateArgument::Type(ty) => inside(ty),
                TemplateArgument::Parameter(of) => of as usize == number,
                TemplateArgument::Any | TemplateArgument::Other => true,
                TemplateArgument::Number(_) => false,
            })
        }),
        _ => false,
    }
}

/// Whether a type mentions a template parameter.
pub fn mentions_parameter(ty: Ty) -> bool {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, || match ty.kind() {
        TyKind::Parameter(_) => true,
        TyKind::Pointer(pointer) => mentions_parameter(pointer.pointee),
        TyKind::Array { element, .. } => mentions_parameter(*element),
        TyKind::Function(function) => {
            mentions_parameter(function.result)
                || function.parameters.iter().any(|&ty| mentions_parameter(ty))
        }
        TyKind::Record(record) => record.tag.is_some_and(class_mentions_parameter),
        _ => false,
    })
}

/// Whether an argument of a class mentions a template parameter.
pub fn class_mentions_parameter(class: RecordName) -> bool {
    class.arguments().iter().any(|argument| match argument {
        TemplateArgument::Type(ty) => mentions_parameter(*ty),
        TemplateArgument::Parameter(_) => true,
        TemplateArgument::Any | TemplateArgument::Number(_) | TemplateArgument::Other => false,
    })
}
