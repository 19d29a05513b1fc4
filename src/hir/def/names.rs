//! What the names of an item mean, as data: meanings, by what they are asked for and by the namespace that they stand in.
//!
//! ```cpp
//! namespace ops {
//! typedef float real;                    // Ordinary(real) in `ops`: a type
//! __device__ real twice(real x);         // Ordinary(twice) in `ops`: functions
//! struct tile { void load(real *p); };   // Ordinary(tile) in `ops`: a type; Methods(load): those of all classes
//! }
//! ```
//!
//! An item is given the meanings that its names have in any namespace ([`Names`]). Which of them is meant depends on where the item stands
//! and on how it writes the name: [`paths`](super::paths).

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tangle_grammar::ast::{self, AddressSpace, Ast};
use tangle_grammar::symbol::Symbol;
use tangle_ir::Namespace;
use tangle_ir::key::{FunctionKey, Owner};
use tangle_ir::types::{Class, Ty};

use super::functions::is_overloadable;
use super::overload;
use crate::dialect::Dialect;
use crate::hir::typed::{Data, VarId};

/// A type with the qualifiers that a declaration or type name gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Qualified {
    pub ty: Ty,
    /// None: none was written.
    pub space: Option<AddressSpace>,
    pub constant: bool,
    pub volatile: bool,
    pub restrict: bool,
    /// The size of the type, or of a part of it, is the device's own: a host may have another for it.
    pub of_device: bool,
}

impl Qualified {
    /// A type alone.
    pub fn plain(ty: Ty) -> Qualified {
        Qualified { ty, space: None, constant: false, volatile: false, restrict: false, of_device: false }
    }
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    Type(Qualified),
    /// More than one only for functions declared `overloadable`, and in C++.
    Functions(Arc<[FunctionMeaning]>),
    /// A variable at file scope.
    Global {
        /// By what the program knows it: with the namespace that it stands in.
        name: Symbol,
        ty: Ty,
        space: AddressSpace,
        constant: bool,
        volatile: bool,
        holds: Holds,
    },
    Enumerator {
        value: i128,
        ty: Ty,
    },
    /// A parameter or variable of the body. Only inside one.
    Variable(VarId),
    /// A value that a template is given: the same in all threads. The type is not known unless it is that of a number.
    Given {
        ty: Ty,
    },
    /// The specialisations of class templates of one name.
    Specialisations(Arc<[Class]>),
}

impl Meaning {
    /// The functions that it is.
    pub fn functions(&self) -> Option<&Arc<[FunctionMeaning]>> {
        match self {
            Meaning::Functions(functions) => Some(functions),
            _ => None,
        }
    }

    fn is_global(&self, of: Symbol) -> bool {
        matches!(self, Meaning::Global { name, .. } if *name == of)
    }
}

/// What of a name is asked for. C++ has more under one name than C: a function `load`, the methods of that name, and the specialisations of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Entry {
    /// What the name alone means.
    Ordinary(Symbol),
    /// The methods of this name, of all classes: whose one is meant, a call may not tell.
    Methods(Symbol),
    /// The specialisations of the class templates of this name.
    Specialisations(Symbol),
}

/// What a variable holds while the program runs, as far as its declaration says it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Holds {
    /// It may change, or something else than its declaration gives it its value.
    Anything,
    /// It is constant, and holds this.
    Known(Data),
    /// It is constant. Its value is not known: it depends on what nothing declares, or is too long to be kept.
    Something,
}

/// A function that a name may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionMeaning {
    pub key: FunctionKey,
    pub ty: Ty,
    /// How many arguments a call has at least: those behind have values of their own. As many as there are parameters, but for C++.
    pub required: u32,
}

impl FunctionMeaning {
    /// The function that a declaration in a namespace names, of this type.
    pub fn of(
        decl: &ast::Decl,
        name: Symbol,
        namespace: Namespace,
        ty: Ty,
        dialect: Dialect,
    ) -> FunctionMeaning {
        let overload = is_overloadable(decl, dialect).then(|| overload::signature(ty));
        let required = ty.as_function().map_or(0, |function| function.parameters.len() as u32);
        FunctionMeaning {
            key: FunctionKey { owner: Owner::Namespace(namespace), name, overload },
            ty,
            required,
        }
    }
}

/// The names that an item uses, with what they stand for at file scope and in namespaces. Tags have a name space of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Names {
    /// Where the item stands.
    pub namespace: Namespace,
    /// Sorted by entry; of one entry, in the order in which the namespaces have got it.
    pub entries: Box<[(Entry, Namespace, Meaning)]>,
    /// What makes names of other namespaces known, in the order of the text.
    pub usings: Box<[Using]>,
    /// The record or enumeration type of a tag. Sorted by tag.
    pub tags: Box<[(Class, Ty)]>,
}

impl Names {
    /// What an entry stands for in each namespace that has it.
    pub fn all(&self, entry: Entry) -> impl DoubleEndedIterator<Item = (Namespace, &Meaning)> {
        let start = self.entries.partition_point(|(known, ..)| *known < entry);
        let end = self.entries.partition_point(|(known, ..)| *known <= entry);
        self.entries[start..end].iter().map(|(_, namespace, meaning)| (*namespace, meaning))
    }

    /// What an entry stands for in one namespace.
    pub fn within(&self, namespace: Namespace, entry: Entry) -> Option<&Meaning> {
        self.all(entry).find(|(known, _)| *known == namespace).map(|(_, meaning)| meaning)
    }

    /// What the declaration of a variable says that the program knows by this name.
    pub fn global(&self, name: Symbol) -> Option<&Meaning> {
        let plain = self.within(Namespace::GLOBAL, Entry::Ordinary(name));
        let all = || self.entries.iter().map(|(_, _, meaning)| meaning);
        plain.filter(|it| it.is_global(name)).or_else(|| all().find(|it| it.is_global(name)))
    }

    /// The type of a tag.
    pub fn tag(&self, tag: Class) -> Option<Ty> {
        let at = self.tags.binary_search_by_key(&tag, |&(tag, _)| tag).ok()?;
        Some(self.tags[at].1)
    }
}

/// What makes names of another namespace known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Using {
    /// Where it stands: it holds there, and in the namespaces inside.
    pub within: Namespace,
    pub used: Used,
    /// It leads to something that the language has.
    pub in_language: bool,
}

impl Using {
    /// What an item of a namespace says so, in its blocks as well.
    pub fn of(ast: &Ast, within: Namespace, dialect: Dialect) -> impl Iterator<Item = Using> + '_ {
        Used::of(ast).map(move |used| {
            let (Used::Alias { of, .. } | Used::Namespace(of)) = used;
            Using { within, used, in_language: dialect.builtins().leads(of.spelled()) }
        })
    }
}

/// What is made known. Paths are as they are written: where they begin, the place tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Used {
    /// Another name for a namespace, or a name without the namespace that it is of.
    Alias { name: Symbol, of: Namespace },
    /// All names of a namespace.
    Namespace(Namespace),
}

impl Used {
    fn of(ast: &Ast) -> impl Iterator<Item = Used> + '_ {
        let path = |path: &ast::Path| {
            Namespace::GLOBAL.of_path(path.segments.iter().map(|segment| segment.name.text))
        };
        ast.usings.iter().map(move |using| match using {
            ast::Using::Name(of) => Used::Alias { name: of.last().name.text, of: path(of) },
            ast::Using::Namespace(of) => Used::Namespace(path(of)),
            ast::Using::Alias { name, of } => Used::Alias { name: name.text, of: path(of) },
        })
    }
}

/// Names of one block, or of an item itself.
#[derive(Debug, Default)]
pub(in crate::hir) struct Scope {
    entries: FxHashMap<Entry, Meaning>,
    pub tags: FxHashMap<Class, Ty>,
}

impl Scope {
    pub fn get(&self, entry: Entry) -> Option<&Meaning> {
        self.entries.get(&entry)
    }

    pub fn has(&self, name: Symbol) -> bool {
        self.entries.contains_key(&Entry::Ordinary(name))
    }

    /// The variable at file scope that the program knows by a name.
    pub fn global(&self, name: Symbol) -> Option<&Meaning> {
        let plain = self.entries.get(&Entry::Ordinary(name)).filter(|it| it.is_global(name));
        plain.or_else(|| self.entries.values().find(|it| it.is_global(name)))
    }

    /// Enters what a name means.
    pub fn enter(&mut self, name: Symbol, meaning: Meaning) {
        self.enter_as(Entry::Ordinary(name), meaning);
    }

    pub fn enter_as(&mut self, entry: Entry, meaning: Meaning) {
        self.entries.insert(entry, meaning);
    }

    /// All that it has.
    pub fn into_entries(self) -> (FxHashMap<Entry, Meaning>, FxHashMap<Class, Ty>) {
        (self.entries, self.tags)
    }
}
