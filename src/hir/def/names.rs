//! Meanings of names as data, by kind of lookup and by namespace.
//!
//! ```cpp
//! namespace ops {
//! typedef float real;                    // Ordinary(real) in `ops`: a type
//! __device__ real twice(real x);         // Ordinary(twice) in `ops`: functions
//! struct tile { void load(real *p); };   // Ordinary(tile) in `ops`: a type; Methods(load): the methods of all classes
//! }
//! ```
//!
//! An item receives the meanings of its names in all namespaces ([`Names`]). The module `paths` selects one of them by
//! the namespace of the item and the spelling of the name.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};
use tangle_grammar::ast::{self, AddressSpace, Ast};
use tangle_grammar::symbol::Symbol;
use tangle_ir::Namespace;
use tangle_ir::key::{DeclaringScope, FunctionKey, InstanceArgument, InstanceArguments};
use tangle_ir::types::{RecordName, Ty};

use super::functions::{conversions, is_overloadable};
use super::overload;
use super::template::FunctionTemplate;
use crate::typed::{Data, VarId};
use tangle_syntax::dialect::Dialect;
use tangle_syntax::items::SharedTokens;

/// A type with the qualifiers that a declaration or type name gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Qualified {
    pub ty: Ty,
    /// None: not specified.
    pub space: Option<AddressSpace>,
    pub constant: bool,
    pub volatile: bool,
    pub restrict: bool,
    /// Whether the size of the type, or of a part of it, can differ between device and host.
    pub of_device: bool,
}

impl Qualified {
    /// Returns a type without qualifiers.
    pub fn plain(ty: Ty) -> Qualified {
        Qualified { ty, space: None, constant: false, volatile: false, restrict: false, of_device: false }
    }
}

/// The meaning of a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    Type(Qualified),
    /// More than one only for functions declared `overloadable`, and in C++.
    Functions(Arc<[FunctionMeaning]>),
    /// A variable at file scope.
    Global {
        /// Its name in the program: qualified with its namespace.
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
    /// A parameter or variable of the body. Occurs only in bodies.
    Variable(VarId),
    /// A template parameter that is a value, the same in all threads. Its type is unknown unless it is a number.
    TemplateValue {
        ty: Ty,
        /// Its number in the template whose pattern is read.
        number: Option<u32>,
    },
    /// The specialisations of class templates of one name.
    Specialisations(Arc<[RecordName]>),
    /// The declarations of the classes of one name, and of their specialisations.
    Classes(Arc<[ClassDeclaration]>),
}

impl Meaning {
    /// Returns the functions, if the name means functions.
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

/// A kind of lookup, with the name. In C++ one name can have several meanings: a function `load`, methods `load`, a
/// class template `load`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LookupKey {
    /// The plain name.
    Ordinary(Symbol),
    /// The methods of this name in all classes.
    Methods(Symbol),
    /// The specialisations of all class templates of this name.
    Specialisations(Symbol),
    /// The declarations of all classes of this name whose members depend on template arguments, or are constants or
    /// types.
    Classes(Symbol),
}

impl LookupKey {
    /// Returns the key of the conversion functions of all classes: `operator T *()`.
    pub fn conversions() -> LookupKey {
        LookupKey::Methods(conversions())
    }
}

/// The declaration of a class. Its instances are computed from it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClassDeclaration {
    /// The class, the class template or the specialisation.
    pub class: RecordName,
    /// The declaration in the item.
    pub decl: ast::DeclId,
    pub item: Arc<ItemSource>,
}

/// An item with the meanings of its names, as the source of what other items need of it. Two are equal if their tokens
/// and names are.
#[derive(Clone, Debug)]
pub struct ItemSource {
    pub tokens: SharedTokens,
    pub ast: Arc<Ast>,
    pub names: SharedNames,
}

impl PartialEq for ItemSource {
    fn eq(&self, other: &ItemSource) -> bool {
        self.tokens == other.tokens && self.names == other.names
    }
}

impl Eq for ItemSource {}

impl Hash for ItemSource {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.tokens.hash(state);
        self.names.hash(state);
    }
}

/// The names that an item uses, compared by content and hashed once.
#[derive(Clone, Debug, salsa::SalsaValue)]
pub struct SharedNames {
    hash: u64,
    pub names: Arc<Names>,
}

impl SharedNames {
    /// Returns these names.
    pub fn new(names: Names) -> SharedNames {
        let mut hasher = FxHasher::default();
        names.hash(&mut hasher);
        SharedNames { hash: hasher.finish(), names: Arc::new(names) }
    }
}

impl PartialEq for SharedNames {
    fn eq(&self, other: &SharedNames) -> bool {
        self.hash == other.hash && (Arc::ptr_eq(&self.names, &other.names) || self.names == other.names)
    }
}

impl Eq for SharedNames {}

impl Hash for SharedNames {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// The contents of a variable at run time, as far as its declaration determines them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Holds {
    /// Any value: it can change, or another statement initialises it.
    Variable,
    /// This constant.
    Known(Data),
    /// A constant with an unknown value: it depends on an undeclared name, or is too long to be stored.
    UnknownConstant,
}

/// A function that a name can mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionMeaning {
    pub key: FunctionKey,
    pub ty: Ty,
    /// The minimum number of arguments. In C++ parameters with default values follow.
    pub required: u32,
    /// The default values of the parameters that follow, each a number or unknown.
    pub defaults: InstanceArguments,
    /// The template, if it is a function template or an explicit specialisation of one.
    pub template: Option<FunctionTemplate>,
}

impl FunctionMeaning {
    /// Returns the function that a declaration in a namespace declares with this type.
    pub fn of(decl: &ast::Decl, name: Symbol, namespace: Namespace, ty: Ty) -> FunctionMeaning {
        let overload = is_overloadable(decl).then(|| overload::signature(ty));
        let required = ty.as_function().map_or(0, |function| function.parameters.len() as u32);
        FunctionMeaning {
            key: FunctionKey::of(DeclaringScope::Namespace(namespace), name, overload),
            ty,
            required,
            defaults: InstanceArguments::NONE,
            template: None,
        }
    }

    /// Returns the meaning of another declaration of the same function, which has the default values of both.
    #[must_use]
    pub fn after(self, earlier: FunctionMeaning) -> FunctionMeaning {
        match self.required <= earlier.required {
            true => self,
            false => FunctionMeaning { required: earlier.required, defaults: earlier.defaults, ..self },
        }
    }

    /// Returns the default value of a parameter. `None`: it has none, or the value is not known.
    pub fn default_value(&self, parameter: usize) -> Option<i128> {
        match self.defaults.list().get(parameter.checked_sub(self.required as usize)?)? {
            InstanceArgument::Value { value, .. } => Some(*value),
            InstanceArgument::Type(_) | InstanceArgument::Unknown => None,
        }
    }
}

/// Returns the functions of a name after a declaration: the declared one, with the default values of earlier declarations,
/// and then the others.
pub fn declared_again(function: FunctionMeaning, known: &[FunctionMeaning]) -> Vec<FunctionMeaning> {
    let (same, others): (Vec<FunctionMeaning>, Vec<FunctionMeaning>) =
        known.iter().partition(|known| known.key == function.key);
    let function = same.into_iter().fold(function, FunctionMeaning::after);
    [function].into_iter().chain(others).collect()
}

/// The names that an item uses, with their meanings at file scope and in namespaces. Tags have a separate name space.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Names {
    /// The namespace of the item.
    pub namespace: Namespace,
    /// Sorted by entry. The meanings of one entry are in the order of their declarations.
    pub entries: Box<[(LookupKey, Namespace, Meaning)]>,
    /// `using` declarations, `using` directives and namespace aliases, in source order.
    pub usings: Box<[Using]>,
    /// The record or enumeration type of a tag. Sorted by tag.
    pub tags: Box<[(RecordName, Ty)]>,
}

impl Names {
    /// Returns the meanings of an entry in all namespaces.
    pub fn all(&self, entry: LookupKey) -> impl DoubleEndedIterator<Item = (Namespace, &Meaning)> {
        let start = self.entries.partition_point(|(known, ..)| *known < entry);
        let end = self.entries.partition_point(|(known, ..)| *known <= entry);
        self.entries[start..end].iter().map(|(_, namespace, meaning)| (*namespace, meaning))
    }

    /// Returns the meaning of an entry in one namespace.
    pub fn within(&self, namespace: Namespace, entry: LookupKey) -> Option<&Meaning> {
        self.all(entry).find(|(known, _)| *known == namespace).map(|(_, meaning)| meaning)
    }

    /// Returns the variable with this qualified name.
    pub fn global(&self, name: Symbol) -> Option<&Meaning> {
        let plain = self.within(Namespace::GLOBAL, LookupKey::Ordinary(name));
        let all = || self.entries.iter().map(|(_, _, meaning)| meaning);
        plain.filter(|it| it.is_global(name)).or_else(|| all().find(|it| it.is_global(name)))
    }

    /// Returns the type of a tag.
    pub fn tag(&self, tag: RecordName) -> Option<Ty> {
        let at = self.tags.binary_search_by_key(&tag, |&(tag, _)| tag).ok()?;
        Some(self.tags[at].1)
    }
}

/// A `using` declaration, a `using` directive or a namespace alias.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Using {
    /// Its namespace. It is valid there and in nested namespaces.
    pub within: Namespace,
    pub used: Used,
    /// Whether its path is a prefix of the name of a builtin.
    pub in_language: bool,
}

impl Using {
    /// Returns the `using`s of an item, including those in its blocks.
    pub fn of(ast: &Ast, within: Namespace, dialect: Dialect) -> impl Iterator<Item = Using> + '_ {
        Used::of(ast).map(move |used| {
            let (Used::Alias { of, .. } | Used::Namespace(of)) = used;
            Using { within, used, in_language: dialect.builtins().leads(of.to_symbol()) }
        })
    }
}

/// The contents of a [`Using`]. Paths are relative, as in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Used {
    /// `namespace name = of;`, or `using of;`, where `name` is the last part of `of`.
    Alias { name: Symbol, of: Namespace },
    /// `using namespace path;`
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

/// The names that a block, or an item at file scope, declares.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    pub entries: FxHashMap<LookupKey, Meaning>,
    pub tags: FxHashMap<RecordName, Ty>,
}

impl Scope {
    pub fn get(&self, entry: LookupKey) -> Option<&Meaning> {
        self.entries.get(&entry)
    }

    pub fn has(&self, name: Symbol) -> bool {
        self.entries.contains_key(&LookupKey::Ordinary(name))
    }

    /// Returns the variable at file scope with this qualified name.
    pub fn global(&self, name: Symbol) -> Option<&Meaning> {
        let plain = self.entries.get(&LookupKey::Ordinary(name)).filter(|it| it.is_global(name));
        plain.or_else(|| self.entries.values().find(|it| it.is_global(name)))
    }

    /// Adds the meaning of a name.
    pub fn enter(&mut self, name: Symbol, meaning: Meaning) {
        self.enter_as(LookupKey::Ordinary(name), meaning);
    }

    pub fn enter_as(&mut self, entry: LookupKey, meaning: Meaning) {
        self.entries.insert(entry, meaning);
    }
}
