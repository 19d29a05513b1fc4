//! Keys that identify the functions and variables of a program.
//!
//! ```c
//! __device__ int sum(int a, int b);                  // owner: the global namespace
//! struct tile { __device__ void load(int *p); };     // owner: the class `tile`
//! auto add = [](int a) { return a + 1; };            // owner: the enclosing function, and the number of the literal
//! template <class T> __device__ T twice(T x);        // `twice<float>` has the arguments `float`
//! ```

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use tangle_base::{Namespace, Symbol};

use crate::types::{RecordName, Ty, TyKind};

/// The scope that declares a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DeclaringScope {
    /// A namespace. In C, always the global one.
    Namespace(Namespace),
    /// A class.
    Class(RecordName),
    /// A function: the declared function is a lambda or block literal inside it.
    Function {
        /// The name of the enclosing function.
        name: Symbol,
        /// The number of literals before this one in the same item.
        literal: u32,
    },
}

/// The identity of a function in calls and definitions. Different functions of one program have different keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionKey {
    /// The scope that declares the function.
    pub owner: DeclaringScope,
    /// The name without its scope. Empty for a function without a name.
    pub name: Symbol,
    /// The type that distinguishes this function from others with the same name. None if the name alone identifies it.
    /// In that of a function template, [`TyKind::Parameter`] stands for its parameters.
    pub overload: Option<Ty>,
    /// The arguments for which a template is declared. A function template has one for each of its own parameters: the
    /// parameter itself for a type, and [`InstanceArgument::Unknown`] for a value. An explicit specialisation has its
    /// arguments. Empty for other functions.
    pub head: InstanceArguments,
    /// The arguments of an instantiation of a function template. Empty for the template, and for other functions.
    pub arguments: InstanceArguments,
}

impl FunctionKey {
    /// Returns the key of a function in the global namespace that is not overloaded.
    pub fn plain(name: Symbol) -> FunctionKey {
        FunctionKey::of(DeclaringScope::Namespace(Namespace::GLOBAL), name, None)
    }

    /// Returns the key of a function that is not an instantiation of a template.
    pub fn of(owner: DeclaringScope, name: Symbol, overload: Option<Ty>) -> FunctionKey {
        FunctionKey {
            owner,
            name,
            overload,
            head: InstanceArguments::NONE,
            arguments: InstanceArguments::NONE,
        }
    }

    /// Returns the key of the template of an instantiation, or of the function itself.
    pub fn template(self) -> FunctionKey {
        FunctionKey { arguments: InstanceArguments::NONE, ..self }
    }

    /// Returns the arguments of an explicit specialisation of a function template. `None` for other functions, and if an
    /// argument is not known.
    pub fn specialised_for(self) -> Option<InstanceArguments> {
        let is_known = |argument: &InstanceArgument| match argument {
            InstanceArgument::Unknown => false,
            InstanceArgument::Type(ty) => !matches!(ty.kind(), TyKind::Parameter(_)),
            InstanceArgument::Value { .. } => true,
        };
        let list = self.head.list();
        (!list.is_empty() && list.iter().all(is_known)).then_some(self.head)
    }

    /// Whether it is an instantiation of a template.
    pub fn is_instance(self) -> bool {
        self.arguments != InstanceArguments::NONE
    }

    /// Returns the names by which a call can refer to this function if overload resolution cannot decide.
    pub fn named(self) -> impl Iterator<Item = UnresolvedCallee> {
        let (own, qualified) = match self.owner {
            DeclaringScope::Namespace(_) => {
                (UnresolvedCallee::Function(self.name), Some(UnresolvedCallee::Qualified(self.name)))
            }
            DeclaringScope::Class(_) => {
                (UnresolvedCallee::Method(self.name), Some(UnresolvedCallee::Qualified(self.name)))
            }
            DeclaringScope::Function { name, literal } => {
                (UnresolvedCallee::Literal { around: name, literal }, None)
            }
        };
        [own].into_iter().chain(qualified)
    }

    /// Returns whether a call with the callee name `by` can refer to this function.
    pub fn is_named(self, by: UnresolvedCallee) -> bool {
        match by {
            UnresolvedCallee::OneOf { candidates, .. } => candidates.keys().contains(&self.template()),
            by => self.named().any(|named| named == by),
        }
    }

    /// Returns the name for lists and other formats, without the owner: `load`, or `k.literal.1` for a literal in `k`.
    pub fn label(self) -> Cow<'static, str> {
        match self.owner {
            DeclaringScope::Namespace(_) | DeclaringScope::Class(_) => Cow::Borrowed(self.name.as_str()),
            DeclaringScope::Function { name, literal } => Cow::Owned(format!("{name}.literal.{literal}")),
        }
    }

    /// Returns the name under which a row of a table can describe the function. None for methods and literals, which no
    /// row describes.
    pub fn row(self) -> Option<Symbol> {
        matches!(self.owner, DeclaringScope::Namespace(_)).then_some(self.name)
    }
}

/// Writes the name for messages: a method with its class, without namespaces, and an instantiation or explicit
/// specialisation with its arguments.
impl fmt::Display for FunctionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.owner {
            DeclaringScope::Namespace(_) | DeclaringScope::Function { .. } => f.write_str(&self.label())?,
            DeclaringScope::Class(class) => write!(f, "{}::{}", class.label(), self.name)?,
        }
        write!(f, "{}", self.specialised_for().unwrap_or(self.arguments))
    }
}

/// An argument of an instantiation of a function template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InstanceArgument {
    /// An argument that is not known: the parameter stays a parameter.
    Unknown,
    /// A type.
    Type(Ty),
    /// A number, also that of an enumerator or a truth value.
    Value {
        /// The number.
        value: i128,
        /// The type of the parameter.
        ty: Ty,
    },
}

impl fmt::Display for InstanceArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InstanceArgument::Unknown => f.write_str("_"),
            InstanceArgument::Type(ty) => write!(f, "{ty}"),
            InstanceArgument::Value { value, ty } if *ty == Ty::BOOL => write!(f, "{}", *value != 0),
            InstanceArgument::Value { value, .. } => write!(f, "{value}"),
        }
    }
}

/// The arguments of an instantiation of a function template, interned, one for each parameter. The order of the numbers
/// has no meaning and varies between runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct InstanceArguments(u32);

struct ArgumentInterner {
    numbers: DashMap<&'static [InstanceArgument], InstanceArguments, FxBuildHasher>,
    lists: boxcar::Vec<&'static [InstanceArgument]>,
}

static ARGUMENTS: LazyLock<ArgumentInterner> = LazyLock::new(|| {
    let lists = boxcar::Vec::new();
    let none: &'static [InstanceArgument] = &[];
    lists.push(none);
    let numbers: DashMap<&'static [InstanceArgument], InstanceArguments, FxBuildHasher> = DashMap::default();
    numbers.insert(none, InstanceArguments::NONE);
    ArgumentInterner { numbers, lists }
});

impl InstanceArguments {
    /// No arguments: not an instantiation.
    pub const NONE: InstanceArguments = InstanceArguments(0);

    /// Returns these arguments, in the order of the parameters.
    pub fn new(arguments: &[InstanceArgument]) -> InstanceArguments {
        if let Some(known) = ARGUMENTS.numbers.get(arguments) {
            return *known;
        }
        let arguments: &'static [InstanceArgument] = Box::leak(arguments.into());
        // If another thread was first, use its number.
        *ARGUMENTS.numbers.entry(arguments).or_insert_with(|| {
            let number = ARGUMENTS.lists.push(arguments);
            InstanceArguments(u32::try_from(number).expect("fewer than 2^32 lists of arguments"))
        })
    }

    /// Returns the arguments, in the order of the parameters.
    pub fn list(self) -> &'static [InstanceArgument] {
        ARGUMENTS.lists[self.0 as usize]
    }
}

impl fmt::Debug for InstanceArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.list()).finish()
    }
}

/// Writes the arguments as the source does, such as `<float, 4>`. Nothing if there are none.
impl fmt::Display for InstanceArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.list().iter().map(InstanceArgument::to_string).collect();
        match &texts[..] {
            [] => Ok(()),
            all => write!(f, "<{}>", all.join(", ")),
        }
    }
}

/// The name of a callee in a call, if overload resolution cannot decide which function it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnresolvedCallee {
    /// Any function with this name, a builtin, or an undeclared function.
    Function(Symbol),
    /// Any method with this name. The first argument is the object, if the call has one.
    Method(Symbol),
    /// Any function or static method with this name. The qualifier before the name may be a namespace or a class.
    Qualified(Symbol),
    /// Exactly one of these functions, as the path or the class of the object implies.
    OneOf {
        /// The possible functions.
        candidates: Candidates,
        /// Whether the functions are methods and the first argument is the object.
        of_object: bool,
    },
    /// A function outside the program. Functions of the program may have the same name, but the call does not match
    /// them.
    Undeclared {
        /// The name of the function.
        name: Symbol,
        /// Whether it is a method and the first argument is the object.
        of_object: bool,
    },
    /// A lambda or block literal.
    Literal {
        /// The name of the enclosing function.
        around: Symbol,
        /// The number of literals before this one in the same item.
        literal: u32,
    },
}

impl UnresolvedCallee {
    /// Returns the name for messages. None if the callee has no name.
    pub fn name(self) -> Option<Symbol> {
        match self {
            UnresolvedCallee::Function(name)
            | UnresolvedCallee::Method(name)
            | UnresolvedCallee::Qualified(name)
            | UnresolvedCallee::Undeclared { name, .. } => Some(name),
            UnresolvedCallee::OneOf { candidates, .. } => candidates.keys().first().map(|key| key.name),
            UnresolvedCallee::Literal { .. } => None,
        }
    }

    /// Returns the name under which a row of a table can describe the callee.
    pub fn table_name(self) -> Option<Symbol> {
        match self {
            UnresolvedCallee::Function(name)
            | UnresolvedCallee::Qualified(name)
            | UnresolvedCallee::Undeclared { name, of_object: false } => Some(name),
            UnresolvedCallee::OneOf { candidates, .. } => candidates.keys().first().and_then(|key| key.row()),
            UnresolvedCallee::Method(_)
            | UnresolvedCallee::Undeclared { .. }
            | UnresolvedCallee::Literal { .. } => None,
        }
    }
}

/// The candidates of a call that overload resolution cannot decide, interned. The order of the numbers has no meaning
/// and differs between runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Candidates(u32);

#[derive(Default)]
struct CandidateInterner {
    numbers: DashMap<&'static [FunctionKey], Candidates, FxBuildHasher>,
    keys: boxcar::Vec<&'static [FunctionKey]>,
}

static LISTS: LazyLock<CandidateInterner> = LazyLock::new(CandidateInterner::default);

impl Candidates {
    /// Returns the candidates with these keys.
    pub fn new(keys: &[FunctionKey]) -> Candidates {
        if let Some(known) = LISTS.numbers.get(keys) {
            return *known;
        }
        let keys: &'static [FunctionKey] = Box::leak(keys.into());
        // If another thread was first, use its number.
        *LISTS.numbers.entry(keys).or_insert_with(|| {
            Candidates(u32::try_from(LISTS.keys.push(keys)).expect("fewer than 2^32 lists of functions"))
        })
    }

    /// Returns the keys, in the given order.
    pub fn keys(self) -> &'static [FunctionKey] {
        LISTS.keys[self.0 as usize]
    }
}

impl fmt::Debug for Candidates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.keys()).finish()
    }
}

/// A function or variable whose address is known in the whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GlobalEntity {
    /// A variable of the module, by its name in the module.
    Variable(Symbol),
    /// A function.
    Function(FunctionKey),
}
