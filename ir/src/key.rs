//! By what a program knows its functions and variables.
//!
//! ```c
//! __device__ int sum(int a, int b);                  // owner: the global namespace
//! struct tile { __device__ void load(int *p); };     // owner: the class `tile`
//! auto add = [](int a) { return a + 1; };            // owner: the function around, and the number of the literal
//! ```

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use tangle_base::{Namespace, Symbol};

use crate::types::{Class, Ty};

/// What declares a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Owner {
    /// A namespace: in C, the global one.
    Namespace(Namespace),
    /// A class.
    Class(Class),
    /// The function of this name, in which a lambda or block literal stands.
    Function {
        /// The name of the function.
        name: Symbol,
        /// How many literals stand before this one in the same item.
        literal: u32,
    },
}

/// By what calls and definitions name a function. Two functions of one program that are not the same have different keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionKey {
    /// What declares it.
    pub owner: Owner,
    /// The name without its scope. Empty: it has none.
    pub name: Symbol,
    /// Of a function that may stand beside others of its name: the type that tells it from these. None: the name says it all.
    pub overload: Option<Ty>,
}

impl FunctionKey {
    /// A function of the global namespace that is alone with its name.
    pub fn plain(name: Symbol) -> FunctionKey {
        FunctionKey { owner: Owner::Namespace(Namespace::GLOBAL), name, overload: None }
    }

    /// The names of calls that may mean this function, if overload resolution cannot decide.
    pub fn named(self) -> impl Iterator<Item = Named> {
        let (own, qualified) = match self.owner {
            Owner::Namespace(_) => (Named::Function(self.name), Some(Named::Qualified(self.name))),
            Owner::Class(_) => (Named::Method(self.name), Some(Named::Qualified(self.name))),
            Owner::Function { name, literal } => (Named::Literal { around: name, literal }, None),
        };
        [own].into_iter().chain(qualified)
    }

    /// Whether a call that names something may mean this function.
    pub fn is_named(self, by: Named) -> bool {
        match by {
            Named::OneOf { candidates, .. } => candidates.keys().contains(&self),
            by => self.named().any(|named| named == by),
        }
    }

    /// The name in lists and in other formats, without its owner: `load`, and `k.literal.1` for a literal in `k`.
    pub fn label(self) -> Cow<'static, str> {
        match self.owner {
            Owner::Namespace(_) | Owner::Class(_) => Cow::Borrowed(self.name.as_str()),
            Owner::Function { name, literal } => Cow::Owned(format!("{name}.literal.{literal}")),
        }
    }

    /// The name by which a row of a table may describe it. Methods and literals have none: they are not what a row describes.
    pub fn row(self) -> Option<Symbol> {
        matches!(self.owner, Owner::Namespace(_)).then_some(self.name)
    }
}

/// The name in messages: a method with its class, without namespaces.
impl fmt::Display for FunctionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.owner {
            Owner::Namespace(_) | Owner::Function { .. } => f.write_str(&self.label()),
            Owner::Class(class) => write!(f, "{}::{}", class.label(), self.name),
        }
    }
}

/// What a call names of which the types do not tell the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Named {
    /// Any function of this name, or a builtin, or what nothing declares.
    Function(Symbol),
    /// Any method of this name. The first argument is the object, if the call has one.
    Method(Symbol),
    /// Any function or static method of this name: what stands in front of it may be a namespace or a class.
    Qualified(Symbol),
    /// One of these functions and no other, because of the path or the class of the object.
    OneOf {
        /// The functions.
        candidates: Candidates,
        /// Whether the functions are methods, and the first argument is the object.
        of_object: bool,
    },
    /// None of the program's functions, although some may have this name.
    Foreign {
        /// Its name.
        name: Symbol,
        /// Whether the first argument is the object that it is a method of.
        of_object: bool,
    },
    /// A lambda or block literal, by the function around and its number there.
    Literal {
        /// The name of the function around.
        around: Symbol,
        /// How many literals stand before it in the same item.
        literal: u32,
    },
}

impl Named {
    /// What people call it. None: it has no name.
    pub fn name(self) -> Option<Symbol> {
        match self {
            Named::Function(name)
            | Named::Method(name)
            | Named::Qualified(name)
            | Named::Foreign { name, .. } => Some(name),
            Named::OneOf { candidates, .. } => candidates.keys().first().map(|key| key.name),
            Named::Literal { .. } => None,
        }
    }

    /// The name by which a row of a table may describe it.
    pub fn row(self) -> Option<Symbol> {
        match self {
            Named::Function(name) | Named::Qualified(name) | Named::Foreign { name, of_object: false } => {
                Some(name)
            }
            Named::OneOf { candidates, .. } => candidates.keys().first().and_then(|key| key.row()),
            Named::Method(_) | Named::Foreign { .. } | Named::Literal { .. } => None,
        }
    }
}

/// The candidates of a call for which overload resolution cannot decide. Interned as a number. The order of the numbers has no meaning and differs
/// between runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Candidates(u32);

#[derive(Default)]
struct Lists {
    numbers: DashMap<&'static [FunctionKey], Candidates, FxBuildHasher>,
    keys: boxcar::Vec<&'static [FunctionKey]>,
}

static LISTS: LazyLock<Lists> = LazyLock::new(Lists::default);

impl Candidates {
    /// The candidates with these keys.
    pub fn new(keys: &[FunctionKey]) -> Candidates {
        if let Some(known) = LISTS.numbers.get(keys) {
            return *known;
        }
        let keys: &'static [FunctionKey] = Box::leak(keys.into());
        // If another thread was first, its number is used.
        *LISTS.numbers.entry(keys).or_insert_with(|| {
            Candidates(u32::try_from(LISTS.keys.push(keys)).expect("fewer than 2^32 lists of functions"))
        })
    }

    /// The keys, in the given order.
    pub fn keys(self) -> &'static [FunctionKey] {
        LISTS.keys[self.0 as usize]
    }
}

impl fmt::Debug for Candidates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.keys()).finish()
    }
}

/// What has an address that the whole program knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entity {
    /// A variable of the module, by its name there.
    Variable(Symbol),
    /// A function.
    Function(FunctionKey),
}
