//! Types and declarations as text in the language of the document.

use tangle_grammar::ast::AddressSpace;
use tangle_grammar::symbol::Symbol;
use tangle_hir::types::{Pointer, Ty, TyKind};

use crate::snapshot::View;

/// Returns a type as its language spells it. In CUDA and HIP, pointers are spelled without the address space that the
/// analysis knows for a kernel's parameters.
pub fn in_language(view: View, ty: Ty) -> Ty {
    match ty.as_pointer() {
        Some(pointer) if view.has_host_code() => {
            Ty::new(TyKind::Pointer(Pointer { space: AddressSpace::Generic, ..*pointer }))
        }
        _ => ty,
    }
}

/// Returns a declaration of a name with a type.
pub fn declarator(ty: Ty, name: Symbol) -> String {
    let text = ty.to_string();
    // Insert the name into the type where a declarator has it: `int (*)[4]`, `int[3]`, `float(int)`.
    if let Some(at) = text.find("(*") {
        let at = at + 2;
        return format!("{}{name}{}", &text[..at], &text[at..]);
    }
    match text.find(['[', '(']) {
        Some(at) => format!("{} {name}{}", text[..at].trim_end(), &text[at..]),
        // There is no space between a star and the name.
        None if text.ends_with('*') => format!("{text}{name}"),
        None => format!("{text} {name}"),
    }
}
