//! From the flow graph to LLVM 19's IR, as text.
//!
//! Each operation becomes an instruction, or a few; a block becomes a block under its name, a value one under that of its variable.
//! What is no operation in LLVM (an `int` taken as `uint`, a pointer taken for another one in the same space, the address of a
//! member of a union) is its operand.
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
//! A module is: record types, variables, strings, functions in source order, declarations of what they call, groups of
//! attributes, metadata. The same module is the same text in every run.
//!
//! - `target`: triples, address spaces, conventions. `types`: types of values and in memory. `constant`: initialisers.
//! - `module`: what functions share. `function`: headers, names, blocks, terminators.
//! - `operation`, `convert`, `memory`, `call`, `compiler`: operations by kind.
//! - `hold`: what keeps LLVM's optimiser from moving tokens. `metadata`: kernel arguments and debug locations.

mod call;
mod compiler;
mod constant;
mod convert;
mod function;
mod hold;
mod memory;
mod metadata;
mod module;
mod names;
mod operation;
mod target;
#[cfg(test)]
mod tests;
mod types;

use std::borrow::Cow;
use std::sync::Arc;

use tangle_base::{Span, Symbol};

use crate::flow::exits::{self, Hub};
use crate::flow::{Module, NotLowered};
use crate::key::FunctionKey;
use crate::types::Ty;

pub use target::Target;

/// What LLVM IR has to know of the language that a module was made of.
pub trait Language {
    /// The symbol of a function, without `@`: that of the program, or a builtin's.
    fn symbol(&self, function: Named, ty: Ty, target: Target) -> String;
    /// What the module's metadata says of the language. None: nothing.
    fn version(&self) -> Option<Version<'_>>;
    /// The `language` of a compile unit, as LLVM spells it: `DW_LANG_C99`.
    fn debug_name(&self) -> &str;
    /// Whether a builtin's result follows from its arguments alone, and from which thread it is.
    fn is_pure(&self, builtin: Symbol, ty: Ty) -> bool;
    /// What the function behind a builtin is told beyond the arguments of a call: numbers of 32 bits that follow them.
    fn further_arguments(&self, _builtin: Symbol, _ty: Ty) -> Vec<u32> {
        Vec::new()
    }
}

/// The version of a language, as named metadata of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version<'a> {
    /// The name of the metadata.
    pub metadata: &'a str,
    /// Major and minor.
    pub of: [u32; 2],
}

/// A function by what the language calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Named {
    /// One of the program.
    Function(FunctionKey),
    /// One of the language.
    Builtin(Symbol),
}

/// A language in which the name of a function is its symbol, and nothing is known of builtins.
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

/// What a module is emitted for.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The machine.
    pub target: Target,
    /// The language that the module was made of.
    pub language: &'a dyn Language,
    /// Debug locations: a compile unit, subprograms, and a place for each instruction.
    pub debug: bool,
}

/// Where something stands, for debug locations. Lines and columns begin at 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The path of the file.
    pub file: Arc<str>,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}

/// Tells where spans of the module's functions are.
pub trait Places {
    /// The beginning of a span in the function of that number. None: not known.
    fn place(&self, function: usize, span: Span) -> Option<Place>;
}

/// Knows no places.
pub struct NoPlaces;

impl Places for NoPlaces {
    fn place(&self, _: usize, _: Span) -> Option<Place> {
        None
    }
}

/// The module as LLVM IR.
pub fn emit(module: &Module, options: &Options, places: &dyn Places) -> Result<String, NotLowered> {
    let mut hubs: Vec<Vec<Hub>> = module.functions.iter().map(|_| Vec::new()).collect();
    let mut module = Cow::Borrowed(module);
    if options.target.unifies_exits() && module.functions.iter().any(exits::has_hearts) {
        let functions = &mut module.to_mut().functions;
        hubs = functions.iter_mut().map(exits::unify).collect();
    }
    module::emit(&module, &hold::holds(&module, &hubs), options, places)
}
