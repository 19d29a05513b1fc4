//! What a language is, as data.
//!
//! **Dialect**: a language of the C family. It is all that tells one from another: keywords, predefined macros, types and constants by
//! name, builtin functions with their types, and what a target is told of the language. No stage knows any language; each asks the
//! dialect of what it has in hand.
//!
//! ```text
//! language.toml  predefined.h  builtins.toml…  signatures.txt   →   Dialect   →   Settings   →   Unit, Chunk   →   Item
//! ```
//!
//! A dialect is a key: small, copied, compared by its number. What it stands for lives as long as the process; the same texts
//! give the same dialect. It comes in with the settings. The preprocessor, which needs it to tell keywords and types from other names,
//! writes it into the chunks that it makes, and every [`Item`](crate::items::Item) is interned with it. So whatever is known of an
//! item, a chunk or a unit is known under one dialect, is shared by all units of that dialect, and by none of another, although their tokens be the
//! same.
//!
//! To add a language: write the texts, and [`Dialect::define`] it. No stage changes. Tables of builtins that languages share are in `gpu/`.

mod assembly;
mod builtins;
pub mod content;
mod conventions;
mod effects;
mod language;
mod notation;
mod place;
mod row;
pub mod signatures;
mod simulated;
mod types;
mod vocabulary;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, RwLock};

use globset::GlobSet;
use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::symbol::Symbol;
use tangle_grammar::words::Words;

pub use assembly::Operation;
pub use builtins::Builtins;
pub use conventions::{Changes as ConventionChanges, Convention, Conventions};
pub use effects::thread_index;
use language::Operators;
pub use language::{Index, Kernels, Masks, Target};
pub use place::{Mistake, Place};
pub use row::{Argument, Builtin, Group, Kind, Left, Meets, Name, Outcome, Partial, Scope};
pub use signatures::Signatures;
pub use types::Types;
pub use vocabulary::Vocabulary;

use tangle_ir::types::Ty;
use tangle_ir::uniformity::Launch;

/// The texts that define a language.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Keywords, types, constants and facts for targets, in TOML; `opencl/language.toml` is an example.
    pub language: &'a str,
    /// The macros that are defined before the first line, as a file of `#define` lines.
    pub predefined: &'a str,
    /// What the builtin functions do, in TOML; the head of `opencl/builtins.toml` tells what may stand there. Of several tables an earlier
    /// one wins.
    pub builtins: &'a [&'a str],
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
    texts: Vec<Box<str>>,
    words: Words,
    headers: GlobSet,
    launchers: FxHashSet<Symbol>,
    types: Types,
    operators: Operators,
    builtins: Builtins,
    signatures: Signatures,
    kernels: Kernels,
    target: Target,
    constants: FxHashMap<Symbol, (i128, Ty)>,
    indices: FxHashMap<(Symbol, Option<Symbol>), Index>,
    launch: Launch,
    masks: Option<Masks>,
    vocabulary: Vocabulary,
    reserved: Vec<String>,
}

/// All languages that were ever defined.
static KNOWN: RwLock<Vec<Dialect>> = RwLock::new(Vec::new());

static OPENCL: LazyLock<Dialect> = LazyLock::new(|| {
    let source = Source {
        language: include_str!("opencl/language.toml"),
        predefined: include_str!("opencl/predefined.h"),
        builtins: &[
            include_str!("opencl/builtins.toml"),
            include_str!("gpu/amdgcn.toml"),
            include_str!("gpu/nvptx.toml"),
            include_str!("gpu/gcn.toml"),
            include_str!("gpu/ptx.toml"),
        ],
        signatures: include_str!("opencl/signatures.txt"),
    };
    Dialect::define(source).unwrap_or_else(|mistake| panic!("error in the built-in tables: {mistake}"))
});

static CUDA: LazyLock<Dialect> = LazyLock::new(|| {
    let source = Source {
        language: include_str!("cuda/language.toml"),
        predefined: concat!(include_str!("gpu/predefined.h"), include_str!("cuda/predefined.h")),
        builtins: &[
            include_str!("cuda/builtins.toml"),
            include_str!("cuda/libraries.toml"),
            include_str!("gpu/builtins.toml"),
            include_str!("gpu/cooperative_groups.toml"),
            include_str!("gpu/cub.toml"),
            include_str!("gpu/math.toml"),
            include_str!("gpu/nvptx.toml"),
            include_str!("gpu/ptx.toml"),
        ],
        signatures: include_str!("cuda/signatures.txt"),
    };
    Dialect::define(source).unwrap_or_else(|mistake| panic!("error in the built-in tables: {mistake}"))
});

static HIP: LazyLock<Dialect> = LazyLock::new(|| {
    let source = Source {
        language: include_str!("hip/language.toml"),
        predefined: concat!(include_str!("gpu/predefined.h"), include_str!("hip/predefined.h")),
        builtins: &[
            include_str!("hip/builtins.toml"),
            include_str!("hip/libraries.toml"),
            include_str!("gpu/builtins.toml"),
            include_str!("gpu/cooperative_groups.toml"),
            include_str!("gpu/cub.toml"),
            include_str!("gpu/math.toml"),
            include_str!("gpu/amdgcn.toml"),
            include_str!("gpu/gcn.toml"),
            include_str!("gpu/ptx.toml"),
        ],
        signatures: include_str!("hip/signatures.txt"),
    };
    Dialect::define(source).unwrap_or_else(|mistake| panic!("error in the built-in tables: {mistake}"))
});

/// OpenCL C 3.0 and its extensions.
pub fn opencl() -> Dialect {
    *OPENCL
}

/// CUDA C++ of CUDA 12, with the libraries that come with it.
pub fn cuda() -> Dialect {
    *CUDA
}

/// HIP C++ of ROCm 6 and 7 for AMD's devices, with the libraries that come with it.
pub fn hip() -> Dialect {
    *HIP
}

impl<'a> Source<'a> {
    /// All texts. The second is that of the macros.
    fn texts(self) -> impl Iterator<Item = &'a str> {
        [self.language, self.predefined, self.signatures].into_iter().chain(self.builtins.iter().copied())
    }
}

impl Dialect {
    /// The language that some texts define.
    ///
    /// # Errors
    /// What is wrong with a text, and where, if it is not well-formed.
    pub fn define(source: Source) -> Result<Dialect, Mistake> {
        let known = |all: &[Dialect]| {
            all.iter().copied().find(|it| it.0.texts.iter().map(|text| &**text).eq(source.texts()))
        };
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

    /// Whether what a header declares is known, so that nothing is missing where it is not there. The name is as an `#include` gives it.
    pub fn knows_header(self, name: &str) -> bool {
        self.0.headers.is_match(name)
    }

    /// Whether a function of the host launches a kernel: its arguments are the kernel, the grid and the block.
    pub fn is_launcher(self, name: Symbol) -> bool {
        self.0.launchers.contains(&name)
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

    /// How many threads the largest sub-group has: a class for parts of sub-groups that is given this number is for whole ones.
    pub fn largest_sub_group(self) -> u32 {
        /// Of AMD's hardware, whose wavefronts have 32 or 64 threads.
        const LARGEST: u32 = 64;
        self.launch().sub_group_size.unwrap_or(LARGEST)
    }

    /// What its builtin functions do.
    pub fn builtins(self) -> &'static Builtins {
        &self.0.builtins
    }

    /// What the literals of a text of inline assembly execute that the tables have rows for, in order; and whether that is all that it does.
    pub fn assembly(self, literals: &[&str]) -> (Vec<Operation>, bool) {
        assembly::operations(literals, &self.0.builtins)
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

    /// The number of a thread or of its launch that a variable of the language holds, or a field of it: `threadIdx` and `x`.
    pub fn index(self, variable: Symbol, field: Option<Symbol>) -> Option<Index> {
        self.0.indices.get(&(variable, field)).copied()
    }

    /// What holds for launches of which nothing else is known.
    pub fn launch(self) -> Launch {
        self.0.launch
    }

    /// The architectures where the mask of an operation names the threads that take part. `None`: no architecture.
    pub fn masks(self) -> Option<&'static Masks> {
        self.0.masks.as_ref()
    }

    /// The words of the language for threads, groups and memory, from which messages are built.
    pub fn vocabulary(self) -> &'static Vocabulary {
        &self.0.vocabulary
    }

    /// Whether a variable of the language, or its fields, hold numbers of a thread or of its launch.
    pub fn is_index_variable(self, name: Symbol) -> bool {
        self.0.indices.keys().any(|&(variable, _)| variable == name)
    }

    /// Whether the language has, or keeps for itself, a name: nothing is missing where only such a name is used.
    pub fn is_own_name(self, name: Symbol) -> bool {
        let text = name.as_str();
        self.constant(name).is_some()
            || self.is_index_variable(name)
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

#[cfg(test)]
mod tests;
