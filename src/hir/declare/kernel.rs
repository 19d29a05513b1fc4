//! Checks the parameters and results of kernels. The host calls a kernel, so they must mean the same there.
//!
//! ```c
//! kernel void k(global int *p, struct pair v);  // right
//! kernel int f(int *p, bool b, size_t n);       // wrong: the result; no address space of `p`; sizes of `b`, `n`
//! ```
//!
//! Some rules depend on the language version and extensions. They are checked all the same: the rule that reports them
//! reads the settings.

use rustc_hash::FxHashSet;
use tangle_grammar::ast::{AddressSpace, Decl, DeclaratorStep, Specifiers, Storage, TypeSpecifier};

use super::Context;
use crate::check::{Checker, TypeProblemKind};
use crate::types::{Integer, Opaque, Ty, TyKind};

impl Checker<'_> {
    /// Checks that the parameters of a kernel mean the same on the host, and that the kernel returns nothing.
    pub(super) fn kernel(&mut self, decl: &Decl, ty: Ty) {
        let (Some(function), Some(DeclaratorStep::Function { parameters, .. })) =
            (ty.as_function(), decl.declarator.first())
        else {
            return;
        };
        let span = decl.name.map_or(decl.span, |name| name.span);
        // If an undefined macro declares the kernel's name, the declaration is parsed as one of a function that returns
        // a function.
        let result = function.result;
        if !result.is_void() && !result.is_unknown() && result.as_function().is_none() {
            self.problem(span, TypeProblemKind::KernelResult { ty: function.result });
        }
        if decl.specifiers.storage.contains(&Storage::Static) {
            self.problem(span, TypeProblemKind::StaticKernel);
        }
        let ast = self.ast;
        for (&ty, &id) in function.parameters.iter().zip(parameters) {
            let parameter = &ast.decls[id];
            match ty.as_pointer() {
                // `CONSTANT const int *`: the undeclared name may be an address space.
                Some(pointer)
                    if !points_somewhere(ty)
                        && !pointer.pointee.is_unknown()
                        && !has_unknown_word(&parameter.specifiers) =>
                {
                    self.problem(parameter.span, TypeProblemKind::KernelPointer { ty });
                }
                None if self.declared(parameter, Context::Parameter).of_device || !is_known_to_host(ty) => {
                    let name = parameter.specifiers.types.iter().find_map(|word| match word {
                        TypeSpecifier::Named(name) => Some(name.text),
                        _ => None,
                    });
                    self.problem(parameter.span, TypeProblemKind::KernelParameter { name, ty });
                }
                // Objects of these types are not in memory, so there are no pointers to them.
                Some(pointer)
                    if matches!(
                        pointer.pointee.kind(),
                        TyKind::BlockPointer(_) | TyKind::Opaque(Opaque::Image { .. } | Opaque::Sampler)
                    ) =>
                {
                    self.problem(parameter.span, TypeProblemKind::KernelParameter { name: None, ty });
                }
                Some(pointer) if pointer.pointee.as_pointer().is_some() => {
                    self.problem(parameter.span, TypeProblemKind::KernelPointers { ty });
                }
                None if parts(ty).any(|part| part.as_pointer().is_some()) => {
                    self.problem(parameter.span, TypeProblemKind::KernelPointers { ty });
                }
                None if parts(ty).any(|part| part == Ty::HALF) => {
                    self.problem(parameter.span, TypeProblemKind::KernelHalf { ty });
                }
                _ => {}
            }
        }
        self.read = None;
    }
}

/// Whether type specifiers contain an undefined macro: a name beside another specifier.
fn has_unknown_word(specifiers: &Specifiers) -> bool {
    let types = &specifiers.types;
    let among_types = types.len() > 1 && types.iter().any(|word| matches!(word, TypeSpecifier::Named(_)));
    // The parser takes an undeclared name among attributes as an attribute. Real attributes have lowercase letters.
    let is_macro = |name: &str| !name.contains(|c: char| c.is_ascii_lowercase());
    among_types || specifiers.attributes.iter().any(|attribute| is_macro(attribute.name.text.as_str()))
}

/// Whether a pointer type, and each pointer type that it points to, has an address space. True for other types.
fn points_somewhere(mut ty: Ty) -> bool {
    while let Some(pointer) = ty.as_pointer() {
        if matches!(pointer.space, AddressSpace::Generic | AddressSpace::Private) {
            return false;
        }
        ty = pointer.pointee;
    }
    true
}

/// Whether a host can pass a value of a type (OpenCL C 3.0, 6.11).
fn is_known_to_host(ty: Ty) -> bool {
    parts(ty).all(|part| match part.kind() {
        TyKind::Bool | TyKind::BlockPointer(_) | TyKind::Integer(Integer::Int128 | Integer::UInt128) => false,
        TyKind::Opaque(opaque) => {
            !matches!(opaque, Opaque::Event | Opaque::ReserveId | Opaque::NdRange | Opaque::VaList)
        }
        _ => true,
    })
}

/// Returns the types of the parts of a value: of its members and elements at any depth, or its own type.
fn parts(ty: Ty) -> impl Iterator<Item = Ty> {
    let mut seen: FxHashSet<Ty> = FxHashSet::default();
    let mut todo = vec![ty];
    std::iter::from_fn(move || {
        loop {
            let ty = todo.pop()?;
            match ty.kind() {
                TyKind::Array { element, .. } => todo.push(*element),
                TyKind::Record(record) => {
                    if seen.insert(ty) {
                        let fields = record.definition.iter().flat_map(|definition| &definition.fields);
                        todo.extend(fields.map(|field| field.ty));
                    }
                }
                _ => return Some(ty),
            }
        }
    })
}
