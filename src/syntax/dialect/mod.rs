//! Languages as data.
//!
//! **Dialect**: a language of the C family. It contains everything that distinguishes one language from another:
//! keywords, predefined macros, named types and constants, builtin functions with their types, and the properties of
//! its targets. No stage depends on a particular language; each queries the dialect of its input.
//!
//! ```text
//! language.toml  predefined.h  builtins.toml…  signatures.txt   →   Dialect   →   Settings   →   Unit, Chunk   →   Item
//! ```
//!
//! A dialect is a small key that is copied and compared by its number. Its definition lives as long as the process,
//! and equal texts give the same dialect. It comes from the settings. The preprocessor uses it to distinguish
//! keywords and types from other names, and stores it in its chunks. Every [`Item`](crate::items::Item) is interned
//! with its dialect. So all units of one dialect share the facts about an item, chunk or unit, and units of another
//! dialect do not, even if their tokens are equal.
//!
//! To add a language, write the texts and call [`Dialect::define`]. No stage changes. `gpu/` has the tables of
//! builtins that languages share.

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
mod simulation;
mod types;
mod vocabulary;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, RwLock};

use globset::GlobSet;
use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::lexicon::Lexicon;
use tangle_grammar::symbol::Symbol;

pub use assembly::{AssemblyOutput, Operand, Operation};
pub use builtins::{Builtins, GroupClass};
pub use conventions::{Changes as ConventionChanges, Convention, Conventions};
pub use effects::thread_index;
use language::Operators;
pub use language::{Index, Kernels, Masks, Target};
pub use place::{TableError, TextPosition};
pub use row::{
    Argument, Builtin, BuiltinKind, ExitedThreads, Group, GroupProperty, MeetingPoint, Name,
    PartialExecution, ResultUniformity, RowError, Scope,
};
pub use signatures::Signatures;
pub use types::Types;
pub use vocabulary::Vocabulary;

use tangle_ir::types::Ty;
use tangle_ir::uniformity::Launch;

/// The texts that define a language.
#[derive(Clone, Copy, Debug)]
pub struct DialectTexts<'a> {
    /// Keywords, types, constants and properties of targets, in TOML. `opencl/language.toml` is an example.
    pub language: &'a str,
    /// The macros that are defined before the first line, as `#define` lines.
    pub predefined: &'a str,
    /// The effects of the builtin functions, in TOML, or the same data in JSON. The head of `opencl/builtins.toml`
    /// describes the rows. Rows of earlier tables win over rows of later ones.
    pub builtins: &'a [&'a str],
    /// The types of the builtin functions. The head of `opencl/signatures.txt` describes the notation.
    pub signatures: &'a str,
}

/// A language. Two dialects are equal if and only if their texts are.
#[derive(Clone, Copy)]
pub struct Dialect(&'static Definition);

/// The definition of a language.
#[derive(Debug)]
struct Definition {
    number: u32,
    texts: Vec<Box<str>>,
    words: Lexicon,
    severity_by_confidence: bool,
    headers: GlobSet,
    launchers: FxHashSet<Symbol>,
    types: Types,
    operators: Operators,
    builtins: Builtins,
    signatures: Signatures,
    kernels: Kernels,
    target: Target,
    constants: FxHashMap<Symbol, (i128, Ty)>,
    arguments: FxHashMap<Symbol, Vec<Symbol>>,
    indices: FxHashMap<(Symbol, Option<Symbol>), Index>,
    launch: Launch,
    masks: Option<Masks>,
    vocabulary: Vocabulary,
    reserved: Vec<String>,
}

/// All languages that have been defined.
static KNOWN: RwLock<Vec<Dialect>> = RwLock::new(Vec::new());

/// The text of a table of builtins, which the build script converts to JSON.
macro_rules! builtin_table {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $name, ".json"))
    };
}

static OPENCL: LazyLock<Dialect> = LazyLock::new(|| {
    let source = DialectTexts {
        language: include_str!("opencl/language.toml"),
        predefined: include_str!("opencl/predefined.h"),
        builtins: &[
            builtin_table!("opencl/builtins"),
            builtin_table!("gpu/amdgcn"),
            builtin_table!("gpu/nvptx"),
            builtin_table!("gpu/gcn"),
            builtin_table!("gpu/ptx"),
        ],
        signatures: include_str!("opencl/signatures.txt"),
    };
    Dialect::define(source).unwrap_or_else(|mistake| panic!("error in the built-in tables: {mistake}"))
});

static CUDA: LazyLock<Dialect> = LazyLock::new(|| {
    let source = DialectTexts {
        language: include_str!("cuda/language.toml"),
        predefined: concat!(include_str!("gpu/predefined.h"), include_str!("cuda/predefined.h")),
        builtins: &[
            builtin_table!("cuda/builtins"),
            builtin_table!("cuda/libraries"),
            builtin_table!("gpu/builtins"),
            builtin_table!("gpu/cooperative_groups"),
            builtin_table!("gpu/cub"),
            builtin_table!("gpu/math"),
            builtin_table!("gpu/nvptx"),
            builtin_table!("gpu/ptx"),
        ],
        signatures: concat!(include_str!("gpu/signatures.txt"), include_str!("cuda/signatures.txt")),
    };
    Dialect::define(source).unwrap_or_else(|mistake| panic!("error in the built-in tables: {mistake}"))
});

static HIP: LazyLock<Dialect> = LazyLock::new(|| {
    let source = DialectTexts {
        language: include_str!("hip/language.toml"),
        predefined: concat!(include_str!("gpu/predefined.h"), include_str!("hip/predefined.h")),
        builtins: &[
            builtin_table!("hip/builtins"),
            builtin_table!("hip/libraries"),
            builtin_table!("gpu/builtins"),
            builtin_table!("gpu/cooperative_groups"),
            builtin_table!("gpu/cub"),
            builtin_table!("gpu/math"),
            builtin_table!("gpu/amdgcn"),
            builtin_table!("gpu/gcn"),
            builtin_table!("gpu/ptx"),
        ],
        signatures: concat!(include_str!("gpu/signatures.txt"), include_str!("hip/signatures.txt")),
    };
    Dialect::define(source).unwrap_or_else(|mistake| panic!("error in the built-in tables: {mistake}"))
});

/// OpenCL C 3.0 and its extensions.
pub fn opencl() -> Dialect {
    *OPENCL
}

/// CUDA C++ of CUDA 12, with its libraries.
pub fn cuda() -> Dialect {
    *CUDA
}

/// HIP C++ of ROCm 6 and 7 for AMD devices, with its libraries.
pub fn hip() -> Dialect {
    *HIP
}

impl<'a> DialectTexts<'a> {
    /// All texts. The second text is `predefined`.
    fn texts(self) -> impl Iterator<Item = &'a str> {
        [self.language, self.predefined, self.signatures].into_iter().chain(self.builtins.iter().copied())
    }
}

impl Dialect {
    /// Returns the language that the texts define.
    ///
    /// # Errors
    /// Returns the first error in a text, with its location.
    pub fn define(source: DialectTexts) -> Result<Dialect, TableError> {
        let known = |all: &[Dialect]| {
            all.iter().copied().find(|it| it.0.texts.iter().map(|text| &**text).eq(source.texts()))
        };
        if let Some(dialect) = known(&KNOWN.read().expect("no panic under this lock")) {
            return Ok(dialect);
        }
        let mut definition = language::read(source)?;
        let mut all = KNOWN.write().expect("no panic under this lock");
        // Another thread may have defined it in the meantime.
        if let Some(dialect) = known(&all) {
            return Ok(dialect);
        }
        definition.number = u32::try_from(all.len()).expect("fewer than 2^32 languages");
        let dialect = Dialect(Box::leak(Box::new(definition)));
        all.push(dialect);
        Ok(dialect)
    }

    /// Whether the dialect knows the declarations of a header, so that a missing file is no problem. `name` is the
    /// name in the `#include`.
    pub fn knows_header(self, name: &str) -> bool {
        self.0.headers.is_match(name)
    }

    /// Whether a finding about divergence is an error only if its cause rests on no assumption (`docs/cuda.md`).
    pub fn confidence_decides_severity(self) -> bool {
        self.0.severity_by_confidence
    }

    /// Whether a host function launches a kernel. Its arguments are the kernel, the grid and the block.
    pub fn is_launcher(self, name: Symbol) -> bool {
        self.0.launchers.contains(&name)
    }

    /// The name of the language.
    pub fn title(self) -> &'static str {
        self.0.words.title()
    }

    /// Its keywords.
    pub fn lexicon(self) -> &'static Lexicon {
        &self.0.words
    }

    /// The macros that are defined before the first line, as `#define` lines.
    pub fn predefined(self) -> &'static str {
        &self.0.texts[1]
    }

    /// The named types of the language.
    pub fn types(self) -> &'static Types {
        &self.0.types
    }

    /// The number of threads of the largest sub-group. A class for logical sub-groups of this size has whole
    /// sub-groups.
    pub fn largest_sub_group(self) -> u32 {
        /// The largest wavefront of AMD hardware: wavefronts have 32 or 64 threads.
        const LARGEST: u32 = 64;
        self.launch().sub_group_size.unwrap_or(LARGEST)
    }

    /// The effects of its builtin functions.
    pub fn builtins(self) -> &'static Builtins {
        &self.0.builtins
    }

    /// Returns the operations of inline assembly that the tables have rows for, in order, and the source of its output.
    /// `literals` are the string literals of its text.
    pub fn assembly(self, literals: &[&str]) -> (Vec<Operation>, AssemblyOutput) {
        assembly::operations(literals, &self.0.builtins)
    }

    /// The types of its builtin functions.
    pub fn signatures(self) -> &'static Signatures {
        &self.0.signatures
    }

    /// The version-dependent rules for kernel parameters.
    pub fn kernels(self) -> &'static Kernels {
        &self.0.kernels
    }

    /// The description of the language in a module for a target.
    pub fn target(self) -> &'static Target {
        &self.0.target
    }

    /// Returns the value and type of a constant that the language defines without a macro.
    pub fn constant(self, name: Symbol) -> Option<(i128, Ty)> {
        self.0.constants.get(&name).copied()
    }

    /// The named constants of the language, in no particular order.
    pub fn constants(self) -> impl Iterator<Item = Symbol> {
        self.0.constants.keys().copied()
    }

    /// Returns the named values for a parameter of a builtin with this name: `flags` of `barrier`. Empty if it has none.
    pub fn values_of_parameter(self, name: Symbol) -> &'static [Symbol] {
        self.0.arguments.get(&name).map_or(&[], |values| values)
    }

    /// Returns the value of a named truth value.
    pub fn truth(self, name: Symbol) -> Option<bool> {
        self.constant(name).filter(|&(_, ty)| ty == Ty::BOOL).map(|(value, _)| value != 0)
    }

    /// Returns the index or size that a variable of the language, or a field of it, contains: `threadIdx` and `x`.
    pub fn index(self, variable: Symbol, field: Option<Symbol>) -> Option<Index> {
        self.0.indices.get(&(variable, field)).copied()
    }

    /// The default properties of launches.
    pub fn launch(self) -> Launch {
        self.0.launch
    }

    /// The architectures where the mask of an operation selects the participating threads. `None` if there are no
    /// such architectures.
    pub fn masks(self) -> Option<&'static Masks> {
        self.0.masks.as_ref()
    }

    /// The words of the language for threads, groups and memory, for messages.
    pub fn vocabulary(self) -> &'static Vocabulary {
        &self.0.vocabulary
    }

    /// Whether a variable of the language, or its fields, contain an index or size of a thread or launch.
    pub fn is_index_variable(self, name: Symbol) -> bool {
        self.0.indices.keys().any(|&(variable, _)| variable == name)
    }

    /// Whether a name belongs to the language or is reserved for it. The use of such a name does not mean that a
    /// header is missing.
    pub fn is_own_name(self, name: Symbol) -> bool {
        let text = name.as_str();
        self.constant(name).is_some()
            || self.is_index_variable(name)
            || self.builtins().get(name).is_some()
            || self.0.reserved.iter().any(|beginning| text.starts_with(beginning))
    }

    /// Returns the type `T` if the name is the operator `as_T`, which reinterprets bits.
    pub fn reinterpreted(self, name: Symbol) -> Option<Ty> {
        let beginning = self.0.operators.reinterpret.as_deref()?;
        let ty = self.0.types.get(Symbol::intern(name.as_str().strip_prefix(beginning)?))?;
        ty.lanes().map(|_| ty)
    }

    /// Whether a name is the operator that returns the number of lanes of a type.
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
