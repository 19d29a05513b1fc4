//! What kernels may be given and give back: a host calls them, so both must mean the same by it.
//!
//! ```c
//! kernel void k(global int *p, struct pair v);  // right
//! kernel int f(int *p, bool b, size_t n);       // wrong: the result; where `p` points is not said; a host may have other sizes for `b` and `n`
//! ```
//!
//! Some of it depends on the version of the language and its extensions. It is noted all the same; who tells of it asks the settings.

use rustc_hash::FxHashSet;
use tangle_grammar::ast::{AddressSpace, Decl, Derived, Specifiers, Storage, TypeSpecifier};

use super::Context;
use crate::check::{Checker, TypeProblemKind};
use crate::types::{Integer, Opaque, Ty, TyKind};

impl Checker<'_> {
    /// A kernel is called by a host: what it is given means the same there, and it gives nothing back.
    pub(super) fn kernel(&mut self, decl: &Decl, ty: Ty) {
        let (Some(function), Some(Derived::Function { parameters, .. })) =
            (ty.as_function(), decl.declarator.first())
        else {
            return;
        };
        let span = decl.name.map_or(decl.span, |name| name.span);
        // A kernel whose name a macro makes that nothing defines reads as a function that returns one.
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
                // `CONSTANT const int *`: the word that nothing declares may say where it points.
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
                // Nothing points to what is in no memory.
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

/// Whether a name stands beside the words of a type: it is none of them, and a macro that nothing defines.
fn has_unknown_word(specifiers: &Specifiers) -> bool {
    let types = &specifiers.types;
    let among_types = types.len() > 1 && types.iter().any(|word| matches!(word, TypeSpecifier::Named(_)));
    // Attributes are spelled in small letters; a word that nothing declares stands among them under its own name.
    let is_macro = |name: &str| !name.contains(|c: char| c.is_ascii_lowercase());
    among_types || specifiers.attributes.iter().any(|attribute| is_macro(attribute.name.text.as_str()))
}

/// Whether what a kernel is given says where it points, and what it points to does, if that is a pointer.
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

/// The types that a value consists of: of what its members and elements are, at any depth, or its own.
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
