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
//! Only a parameter alone, and pointers, references and arrays of it, are deduced. A template whose arguments are not
//! all known is called itself: its body is checked for all arguments at once.

use std::sync::LazyLock;

use dashmap::DashSet;
use rustc_hash::FxBuildHasher;
use tangle_grammar::ast::AddressSpace;
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::{InstanceArgument, InstanceArguments};

use crate::types::{FunctionTy, Pointer, Ty, TyKind};

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

/// A parameter of a function template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TemplateParameter {
    /// Empty if it has no name.
    pub name: Symbol,
    pub kind: ParameterKind,
    /// `typename... T`: any number of arguments.
    pub pack: bool,
    /// The default argument, if it does not depend on other parameters.
    pub default: Option<InstanceArgument>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Parts {
    parameters: Box<[TemplateParameter]>,
    pattern: Ty,
    special: Option<Box<[InstanceArgument]>>,
}

/// A function template, or an explicit specialisation of one, interned.
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
        FunctionTemplate::of(Parts { parameters: parameters.into(), pattern, special: None })
    }

    /// Returns an explicit specialisation with these arguments and this type: `template <> int sum<int>(const int *)`.
    /// If `arguments` is empty, the type tells which template it specialises.
    pub fn specialisation(arguments: Vec<InstanceArgument>, ty: Ty) -> FunctionTemplate {
        FunctionTemplate::of(Parts {
            parameters: Box::default(),
            pattern: ty,
            special: Some(arguments.into()),
        })
    }

    /// Returns the parameters. Empty for an explicit specialisation.
    pub fn parameters(self) -> &'static [TemplateParameter] {
        &self.0.parameters
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

    /// Whether this is an explicit specialisation for these arguments, for which the template has this type.
    pub fn specialises(self, arguments: InstanceArguments, ty: Ty) -> bool {
        self.0.special.as_deref().is_some_and(|special| match special {
            [] => super::overload::signature(ty) == super::overload::signature(self.0.pattern),
            special => special == arguments.list(),
        })
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
            if let (InstanceArgument::Unknown, Some(default)) = (&slot, parameter.default) {
                *slot = default;
            }
        }
        if found.contains(&InstanceArgument::Unknown) {
            return None;
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
        _ => {}
    }
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
            _ => pattern,
        }
    })
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
        _ => false,
    })
}
