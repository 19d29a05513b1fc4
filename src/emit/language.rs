//! The properties of a language that LLVM IR needs: symbols of functions, builtins that read no memory, additional
//! arguments of pipe functions, and the metadata of the language.

use tangle_grammar::symbol::Symbol;
use tangle_ir::llvm::{Language, Named, Target, Version};

use super::mangle::{SpaceNames, mangle};
use tangle_hir::layout::layout;
use tangle_hir::types::{Opaque, Ty, TyKind};
use tangle_syntax::dialect::{BuiltinKind, Dialect};

/// The language of a module.
#[derive(Clone, Copy, Debug)]
pub struct DialectLanguage(pub Dialect);

impl Language for DialectLanguage {
    fn symbol(&self, function: Named, ty: Ty, target: Target) -> String {
        match function {
            Named::Function(key) if key.overload.is_none() => key.label().into_owned(),
            Named::Function(key) => mangle(self.0, &key.label(), ty, space_names(target)),
            Named::Builtin(name) => mangle(self.0, name.as_str(), ty, space_names(target)),
        }
    }

    fn version(&self) -> Option<Version<'_>> {
        let target = self.0.target();
        target.version_metadata.as_deref().map(|metadata| Version { metadata, of: target.version })
    }

    fn debug_name(&self) -> &str {
        self.0.target().debug_language.as_deref().unwrap_or("DW_LANG_C99")
    }

    /// Builtins from numbers to numbers are pure, except clocks, whose result changes.
    fn is_pure(&self, builtin: Symbol, ty: Ty) -> bool {
        let numbers = |ty: Ty| ty.lanes().is_some();
        ty.as_function().is_some_and(|function| {
            numbers(function.result)
                && function.parameters.iter().all(|parameter| numbers(*parameter))
                && !function.variadic
                && self.0.builtins().get(builtin).is_none_or(|row| row.kind != Some(BuiltinKind::Clock))
        })
    }

    /// The functions of the runtime accept pipes with any packet type, and need the size and alignment of a packet.
    fn extra_arguments(&self, builtin: Symbol, ty: Ty) -> Vec<u32> {
        let special = self.0.signatures().of(builtin).is_some_and(|overloads| overloads.special);
        let first = ty.as_function().and_then(|function| function.parameters.first());
        match first.map(|pipe| pipe.kind()) {
            Some(TyKind::Opaque(Opaque::Pipe { packet, .. })) if special => layout(*packet)
                .and_then(|packet| Some(vec![u32::try_from(packet.size).ok()?, packet.align]))
                .unwrap_or_default(),
            _ => Vec::new(),
        }
    }
}

fn space_names(target: Target) -> SpaceNames {
    match target {
        Target::Amdgcn => SpaceNames::AMDGCN,
        Target::Nvptx64 => SpaceNames::NVPTX64,
        Target::Spirv64 | Target::None => SpaceNames::SPIRV64,
        Target::X86_64 => SpaceNames::X86_64,
    }
}
