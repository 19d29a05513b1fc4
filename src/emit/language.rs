//! OpenCL C as LLVM IR sees it: the symbols of functions, which builtins read no memory, and what pipe functions are told of packets.

use tangle_grammar::symbol::Symbol;
use tangle_ir::llvm::{Language, Named, Target};

use super::mangle::{SpaceNames, mangle};
use crate::hir::builtins::signatures;
use crate::hir::layout::layout;
use crate::hir::types::{Opaque, Ty, TyKind};

/// The language of a module.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenCl;

impl Language for OpenCl {
    fn symbol(&self, function: Named, ty: Ty, target: Target) -> String {
        match function {
            Named::Function(key) if key.overload.is_none() => key.name.to_string(),
            Named::Function(key) => mangle(key.name.as_str(), ty, space_names(target)),
            Named::Builtin(name) => mangle(name.as_str(), ty, space_names(target)),
        }
    }

    /// That of every builtin between numbers, clocks apart, which read something that changes.
    fn is_pure(&self, builtin: Symbol, ty: Ty) -> bool {
        let numbers = |ty: Ty| ty.lanes().is_some();
        ty.as_function().is_some_and(|function| {
            numbers(function.result)
                && function.parameters.iter().all(|parameter| numbers(*parameter))
                && !function.variadic
                && !builtin.as_str().contains("clock")
        })
    }

    /// The runtime's functions take pipes of any packet, and are told its size and alignment.
    fn further_arguments(&self, builtin: Symbol, ty: Ty) -> Vec<u32> {
        let special = signatures::of(builtin).is_some_and(|overloads| overloads.special);
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
