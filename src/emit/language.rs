//! The properties of a language that LLVM IR needs: symbols of functions, builtins that read no memory, additional
//! arguments of pipe functions, and the metadata of the language.

use tangle_grammar::lexicon::Grammar;
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::FunctionKey;
use tangle_ir::llvm::{BuiltinOperation, Language, Named, Target, Version};

use super::mangle::{SpaceNames, mangle, mangle_in_cpp};
use tangle_hir::layout::layout;
use tangle_hir::types::{Float, Opaque, Ty, TyKind};
use tangle_ir::scope::Scope;
use tangle_syntax::dialect::{BuiltinKind, Dialect};

/// The language of a module.
#[derive(Clone, Copy, Debug)]
pub struct DialectLanguage(pub Dialect);

impl Language for DialectLanguage {
    fn symbol(&self, function: Named, ty: Ty, target: Target) -> String {
        match function {
            Named::Function(key) if key == FunctionKey::plain(key.name) => key.label().into_owned(),
            Named::Function(key) if self.0.lexicon().grammar() == Grammar::Cpp => mangle_in_cpp(key, ty),
            Named::Function(key) if key.overload.is_none() => key.label().into_owned(),
            Named::Function(key) => mangle(self.0, &key.label(), ty, self.space_names(target)),
            Named::Builtin(name) => library_symbol(self.0, name, ty, target)
                .unwrap_or_else(|| mangle(self.0, name.as_str(), ty, self.space_names(target))),
        }
    }

    /// The builtins of OpenCL C are functions of a library of the target. CUDA and HIP have no such library.
    fn operation(&self, builtin: Symbol) -> Option<BuiltinOperation> {
        if self.0.lexicon().grammar() != Grammar::Cpp {
            return None;
        }
        let row = self.0.builtins().get(builtin)?;
        Some(BuiltinOperation { operation: self.0.builtins().operation(builtin)?, scope: row.scope })
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

/// Returns the target that a language is made for.
pub fn usual_target(dialect: Dialect) -> Target {
    if dialect == tangle_syntax::dialect::cuda() { Target::Nvptx64 } else { Target::Amdgcn }
}

/// The fast functions of CUDA, which have less precision than the function with the same name without underscores.
const FAST: [&str; 12] = [
    "__cosf",
    "__exp10f",
    "__exp2f",
    "__expf",
    "__fdividef",
    "__log10f",
    "__log2f",
    "__logf",
    "__powf",
    "__sinf",
    "__tanf",
    "__tanhf",
];

/// Returns the symbol of a mathematical function of CUDA or HIP in the library of a target: libdevice for nvptx64, the
/// device libraries of ROCm for amdgcn. `None` for other functions and targets.
///
/// ```text
/// sqrtf, sqrt(float)   __nv_sqrtf       __ocml_sqrt_f32
/// sqrt(double)         __nv_sqrt        __ocml_sqrt_f64
/// __expf               __nv_fast_expf   __ocml_native_exp_f32
/// __umulhi             __nv_umulhi
/// ```
fn library_symbol(dialect: Dialect, name: Symbol, ty: Ty, target: Target) -> Option<String> {
    let row = dialect.builtins().get(name).filter(|row| row.kind == Some(BuiltinKind::Math))?;
    if dialect.lexicon().grammar() != Grammar::Cpp || row.scope != Scope::None {
        return None;
    }
    let name = name.as_str().rsplit("::").next()?;
    let bits = ty.as_function()?.parameters.first()?.as_float().map(Float::bits);
    let is_fast = FAST.contains(&name);
    let plain = name.strip_prefix("__");
    match target {
        Target::Nvptx64 => Some(match plain {
            Some(plain) if is_fast => format!("__nv_fast_{plain}"),
            Some(plain) => format!("__nv_{plain}"),
            None if bits == Some(32) && !name.ends_with('f') => format!("__nv_{name}f"),
            None => format!("__nv_{name}"),
        }),
        Target::Amdgcn => {
            let bits = bits?;
            let short = match bits {
                32 => name.strip_suffix('f').unwrap_or(name),
                _ => name,
            };
            let short = short.trim_start_matches('_');
            let native = if is_fast { "native_" } else { "" };
            Some(format!("__ocml_{native}{short}_f{bits}"))
        }
        Target::Spirv64 | Target::X86_64 | Target::None => None,
    }
}

impl DialectLanguage {
    /// Returns the names of address spaces in symbols. Types of CUDA and HIP have no address spaces.
    fn space_names(self, target: Target) -> SpaceNames {
        if self.0.lexicon().grammar() == Grammar::Cpp {
            return SpaceNames::NONE;
        }
        match target {
            Target::Amdgcn => SpaceNames::AMDGCN,
            Target::Nvptx64 => SpaceNames::NVPTX64,
            Target::Spirv64 | Target::None => SpaceNames::SPIRV64,
            Target::X86_64 => SpaceNames::X86_64,
        }
    }
}
