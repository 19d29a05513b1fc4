//! Emits a flow graph as the text of LLVM 19's IR.
//!
//! Each operation becomes one or a few instructions. A block keeps its name, and a value gets the name of its variable.
//! An operation without an LLVM instruction is replaced by its operand: an `int` used as `uint`, a pointer converted in
//! the same space, or the address of a member of a union.
//!
//! ```text
//! define spir_kernel void @k(ptr addrspace(1) %p) #0 {
//! entry:
//!   %token = call token @llvm.experimental.convergence.entry()
//!   %x = load i32, ptr addrspace(1) %p, align 4
//!   %ne = icmp ne i32 %x, 0
//!   br i1 %ne, label %if.then, label %if.end
//! if.then:
//!   call spir_func void @_Z7barrierj(i32 1) #1 [ "convergencectrl"(token %token) ]
//!   …
//! ```
//!
//! A module has this order: record types, variables, strings, functions in source order, declarations of their callees,
//! attribute groups, metadata. The same module gives the same text in every run.
//!
//! - `target`: triples, address spaces, calling conventions. `types`: types of values, and types in memory. `constant`:
//!   initialisers.
//! - `module`: data that functions share. `function`: headers, names, blocks, terminators.
//! - `operation`, `convert`, `memory`, `call`, `compiler`: operations by kind.
//! - `device`: builtins that become instructions of the target.
//! - `token_workarounds`: workarounds that keep tokens in place in LLVM's optimiser. `metadata`: kernel arguments and debug
//!   locations.

mod call;
mod compiler;
mod constant;
mod convert;
mod device;
mod function;
mod memory;
mod metadata;
mod module;
mod names;
mod operation;
mod target;
#[cfg(test)]
mod tests;
mod token_workarounds;
mod types;

use std::borrow::Cow;
use std::sync::Arc;

use tangle_base::{Span, Symbol};

use crate::flow::exits::{self, ExitHub};
use crate::flow::{Module, NotLowered};
use crate::key::FunctionKey;
use crate::types::Ty;

pub use device::BuiltinOperation;
pub use target::Target;

/// The properties of the source language that LLVM IR depends on.
pub trait Language {
    /// Returns the symbol of a function, without `@`.
    fn symbol(&self, function: Named, ty: Ty, target: Target) -> String;
    /// Returns the version of the language for the metadata of the module. `None`: no such metadata.
    fn version(&self) -> Option<Version<'_>>;
    /// Returns the `language` of a compile unit, as LLVM spells it: `DW_LANG_C99`.
    fn debug_name(&self) -> &str;
    /// Whether the result of a builtin depends only on its arguments and on the executing thread.
    fn is_pure(&self, builtin: Symbol, ty: Ty) -> bool;
    /// Returns the operation of a builtin that becomes instructions of the target. `None`: calls of the builtin are calls
    /// of its symbol.
    fn operation(&self, _builtin: Symbol) -> Option<BuiltinOperation> {
        None
    }
    /// Returns additional arguments of the function that implements a builtin: 32-bit numbers after the call arguments.
    fn extra_arguments(&self, _builtin: Symbol, _ty: Ty) -> Vec<u32> {
        Vec::new()
    }
}

/// The version of a language, as named metadata of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version<'a> {
    /// The name of the metadata.
    pub metadata: &'a str,
    /// The major and the minor number.
    pub of: [u32; 2],
}

/// A function, by its name in the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Named {
    /// A function of the program.
    Function(FunctionKey),
    /// A builtin of the language.
    Builtin(Symbol),
}

/// A language without known builtins. The name of a function is its symbol.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainNames;

impl Language for PlainNames {
    fn symbol(&self, function: Named, _: Ty, _: Target) -> String {
        match function {
            Named::Function(key) => key.label().into_owned(),
            Named::Builtin(name) => name.to_string(),
        }
    }

    fn version(&self) -> Option<Version<'_>> {
        None
    }

    fn debug_name(&self) -> &str {
        "DW_LANG_C99"
    }

    fn is_pure(&self, _: Symbol, _: Ty) -> bool {
        false
    }
}

/// The options of the emission.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The target machine.
    pub target: Target,
    /// The source language of the module.
    pub language: &'a dyn Language,
    /// Whether to emit debug locations: a compile unit, subprograms, and a location for each instruction.
    pub debug: bool,
}

/// A source location, for debug locations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    /// The path of the file.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

/// Maps spans of the module's functions to source locations.
pub trait LocationMap {
    /// Returns the location of the start of a span in the function with this number. `None` if it is unknown.
    fn place(&self, function: usize, span: Span) -> Option<SourceLocation>;
}

/// A map without locations.
pub struct NoLocations;

impl LocationMap for NoLocations {
    fn place(&self, _: usize, _: Span) -> Option<SourceLocation> {
        None
    }
}

/// Returns the module as LLVM IR.
///
/// # Errors
///
/// The reason for the first function or variable without a translation.
pub fn emit(module: &Module, options: &Options, places: &dyn LocationMap) -> Result<String, NotLowered> {
    emit_or_all_errors(module, options, places).map_err(|mut errors| errors.swap_remove(0))
}

/// Returns the module as LLVM IR.
///
/// # Errors
///
/// The reasons for all functions and variables without a translation, at least one.
pub fn emit_or_all_errors(
    module: &Module,
    options: &Options,
    places: &dyn LocationMap,
) -> Result<String, Vec<NotLowered>> {
    let mut hubs: Vec<Vec<ExitHub>> = module.functions.iter().map(|_| Vec::new()).collect();
    let mut module = Cow::Borrowed(module);
    if options.target.unifies_exits() && module.functions.iter().any(exits::has_hearts) {
        let functions = &mut module.to_mut().functions;
        hubs = functions.iter_mut().map(exits::unify_exits).collect();
    }
    module::emit(&module, &token_workarounds::holds(&module, &hubs), options, places)
}
