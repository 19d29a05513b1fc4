//! Names and types: from the syntax of an item to [`typed`](super::typed) bodies.
//!
//! **Meaning**: what a name stands for where it is used. The meanings of file-scope names come from outside ([`Names`]), so
//! that an item is checked once for all units in which its names mean the same; those of block scope are found on the way.
//! **Unknown**: the type of what depends on a name that nothing declares. Said once, where the name is; compatible with
//! everything, so that nothing follows from it.

use rustc_hash::FxHashMap;
use tangle_grammar::ast::{AddressSpace, Ast};
use tangle_grammar::symbol::Symbol;

use super::typed::VarId;
use super::types::Ty;

pub use super::problem::{TypeProblem, TypeProblemKind};

/// A type with the qualifiers that a declaration or type name gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Qualified {
    pub ty: Ty,
    /// None: none was written.
    pub space: Option<AddressSpace>,
    pub constant: bool,
    pub volatile: bool,
    pub restrict: bool,
}

/// What an ordinary name stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    Type(Qualified),
    /// More than one only for functions declared `overloadable`.
    Functions(Box<[FunctionMeaning]>),
    /// A variable at file scope.
    Global {
        ty: Ty,
        space: AddressSpace,
        constant: bool,
        volatile: bool,
    },
    Enumerator {
        value: i128,
        ty: Ty,
    },
    /// A parameter or variable of the body. Only inside one.
    Variable(VarId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionMeaning {
    pub ty: Ty,
    pub overloadable: bool,
}

/// The file-scope names that an item uses, with what they stand for. Tags have a name space of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Names {
    /// Sorted by the text of the name: the same in every run.
    pub ordinary: Box<[(Symbol, Meaning)]>,
    /// The record or enumeration type of a tag.
    pub tags: Box<[(Symbol, Ty)]>,
}

/// Names of one block.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub ordinary: FxHashMap<Symbol, Meaning>,
    pub tags: FxHashMap<Symbol, Ty>,
}

/// The checking of one item.
pub(super) struct Checker<'a> {
    pub ast: &'a Ast,
    pub names: &'a Names,
    /// Blocks around the place that is checked, the innermost last. The first is the item's own file scope.
    pub scopes: Vec<Scope>,
    pub problems: Vec<TypeProblem>,
}
