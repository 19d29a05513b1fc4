//! What a language is, as data.
//!
//! **Dialect**: a language of the C family. It is all that tells one from another: keywords, predefined macros, types and constants by
//! name, builtin functions with their types, and what a target is told of the language. No stage knows any language; each asks the
//! dialect of what it has in hand.
//!
//! ```text
//! language.toml  predefined.h  builtins.toml  signatures.txt   →   Dialect   →   Settings   →   Unit, Chunk   →   Item
//! ```
//!
//! A dialect is a key: small, copied, compared by its number. What it stands for lives as long as the process; the same texts
//! give the same dialect. It comes in with the settings. The preprocessor, which needs it to tell keywords and types from other names,
//! writes it into the chunks that it makes, and every [`Item`](crate::syntax::Item) is interned with it. So whatever is known of an
//! item, a chunk or a unit is known under one dialect, is shared by all units of that dialect, and by none of another, although their tokens be the
//! same.
//!
//! To add a language: write the four texts, and [`Dialect::define`] it. No stage changes.

mod builtins;
mod language;
mod notation;
mod place;
mod row;
pub mod signatures;
mod simulated;
mod types;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, RwLock};

use rustc_hash::FxHashMap;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::words::Words;

pub use builtins::Builtins;
use language::Operators;
pub use language::{Kernels, Target};
pub use place::{Mistake, Place};
pub use row::{Argument, Builtin, Kind, Name, Outcome, Partial, Scope};
pub use signatures::Signatures;
pub use types::Types;

use tangle_ir::types::Ty;

/// The texts that define a language.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Keywords, types, constants and facts for targets, in TOML; `opencl/language.toml` is an example.
    pub language: &'a str,
    /// The macros that are defined before the first line, as a file of `#define` lines.
    pub predefined: &'a str,
    /// What the builtin functions do, in TOML; the head of `opencl/builtins.toml` tells what may stand there.
    pub builtins: &'a str,
    /// The types of the builtin functions; the head of `opencl/signatures.txt` explains the notation.
    pub signatures: &'a str,
}

/// A language. Two are equal iff the texts that define them are.
#[derive(Clone, Copy)]
pub struct Dialect(&'static Definition);

/// What a language is.
#[derive(Debug)]
struct Definition {
    number: u32,
    texts: [Box<str>; 4],
    words: Words,
    types: Types,
    operators: Operators,
    builtins: Builtins,
    signatures: Signatures,
    kernels: Kernels,
    target: Target,
    constants: FxHashMap<Symbol, (i128, Ty)>,
    reserved: Vec<String>,
}

/// All languages that were ever defined.
static KNOWN: RwLock<Vec<Dialect>> = RwLock::new(Vec::new());

static OPENCL: LazyLock<Dialect> = LazyLock::new(|| {
    let source = Source {
        language: include_str!("opencl/language.toml"),
        predefined: include_str!("opencl/predefined.h"),
        builtins: include_str!("opencl/builtins.toml"),
        signatures: include_str!("opencl/signatures.txt"),
    };
    Dialect::define(source).unwrap_or_else(|mistake| panic!("a mistake in our own tables: {mistake}"))
});

/// OpenCL C 3.0 and its extensions.
pub fn opencl() -> Dialect {
    *OPENCL
}

impl Dialect {
    /// The language that some texts define.
    ///
    /// # Errors
    /// What is wrong with a text, and where, if it is not well-formed.
    pub fn define(source: Source) -> Result<Dialect, Mistake> {
        let texts = [source.language, source.predefined, source.builtins, source.signatures];
        let known =
            |all: &[Dialect]| all.iter().copied().find(|it| it.0.texts.iter().map(|text| &**text).eq(texts));
        if let Some(dialect) = known(&KNOWN.read().expect("no panic under this lock")) {
            return Ok(dialect);
        }
        let mut definition = language::read(source)?;
        let mut all = KNOWN.write().expect("no panic under this lock");
        // Another thread may have come first.
        if let Some(dialect) = known(&all) {
            return Ok(dialect);
        }
        definition.number = u32::try_from(all.len()).expect("fewer than 2^32 languages");
        let dialect = Dialect(Box::leak(Box::new(definition)));
        all.push(dialect);
        Ok(dialect)
    }

    /// What the language is called.
    pub fn title(self) -> &'static str {
        self.0.words.title()
    }

    /// Its keywords.
    pub fn words(self) -> &'static Words {
        &self.0.words
    }

    /// The macros that are defined before the first line, as a file of `#define` lines.
    pub fn predefined(self) -> &'static str {
        &self.0.texts[1]
    }

    /// The types that it has by name.
    pub fn types(self) -> &'static Types {
        &self.0.types
    }

    /// What its builtin functions do.
    pub fn builtins(self) -> &'static Builtins {
        &self.0.builtins
    }

    /// The types of its builtin functions.
    pub fn signatures(self) -> &'static Signatures {
        &self.0.signatures
    }

    /// What its kernels are given only sometimes.
    pub fn kernels(self) -> &'static Kernels {
        &self.0.kernels
    }

    /// What a module says of it.
    pub fn target(self) -> &'static Target {
        &self.0.target
    }

    /// A constant that the language has although no macro defines it.
    pub fn constant(self, name: Symbol) -> Option<(i128, Ty)> {
        self.0.constants.get(&name).copied()
    }

    /// The value of a name for a truth value.
    pub fn truth(self, name: Symbol) -> Option<bool> {
        self.constant(name).filter(|&(_, ty)| ty == Ty::BOOL).map(|(value, _)| value != 0)
    }

    /// Whether the language has, or keeps for itself, a name: nothing is missing where only such a name is used.
    pub fn is_own_name(self, name: Symbol) -> bool {
        let text = name.as_str();
        self.constant(name).is_some()
            || self.builtins().get(name).is_some()
            || self.0.reserved.iter().any(|beginning| text.starts_with(beginning))
    }

    /// The type that `as_T` reads bits as, for the operator of this name.
    pub fn reinterpreted(self, name: Symbol) -> Option<Ty> {
        let beginning = self.0.operators.reinterpret.as_deref()?;
        let ty = self.0.types.get(Symbol::intern(name.as_str().strip_prefix(beginning)?))?;
        ty.lanes().map(|_| ty)
    }

    /// Whether a name is the operator that gives the number of lanes of a type.
    pub fn counts_lanes(self, name: Symbol) -> bool {
        self.0.operators.lanes.as_deref() == Some(name.as_str())
    }
}

impl PartialEq for Dialect {
    fn eq(&self, other: &Dialect) -> bool {
        self.0.number == other.0.number
    }
}

impl Eq for Dialect {}

impl Hash for Dialect {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u32(self.0.number);
    }
}

impl fmt::Debug for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dialect({})", self.title())
    }
}
