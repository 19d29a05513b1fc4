//! Reads the texts that define a language.
//!
//! ```toml
//! title = "OpenCL C"                     # what messages call it
//! grammar = "c"                          # or "cpp": like C++
//! headers = ["cuda_*.h", "cub/**"]       # that are known: nothing is missed where they are not there
//! launchers = ["hipLaunchKernelGGL"]     # functions of the host that take a kernel, its grid and its block
//! [keywords]
//! kernel = ["kernel", "__kernel"]        # how a keyword of the grammar is spelled; what is not listed, the language lacks
//! [types]
//! scalars = ["char", "uint"]             # numbers that go by the name that they have in descriptions (`types.rs`)
//! lanes = [2, 4]                         # of each there are vectors with so many lanes: `uint4`
//! [types.named]
//! size_t = "ulong"                       # other names, each with its description
//! [operators]
//! reinterpret = "as_"                    # `as_T(x)`: the bits of x as a T
//! lanes = "vec_step"                     # `vec_step(x)`: how many lanes x has
//! [constants.uint]
//! memory_order_relaxed = 0               # what stands for a value of a type although no macro defines it
//! [indices]
//! "threadIdx.x" = "get_local_id 0"       # a variable, or a field of one, that holds what an id function gives for a dimension
//! warpSize = "get_max_sub_group_size"    # for one that has no dimensions: the function alone
//! [launch]                               # what holds for launches of which nothing else is known
//! sub-group-size = 32
//! whole-rows = true                      # a work-group's size in the first dimension is a multiple of that
//! whole-strides = true                   # a loop from the local id on steps over all threads of a work-group
//! [masks]                                # where the mask of an operation, and not control flow, names the threads
//! architecture = "__CUDA_ARCH__"         # the macro whose value is the architecture
//! since = 700                            # the value of the first such architecture; without the table, there is none
//! name = "sm_70"                         # the name of that architecture in messages
//! [vocabulary]                           # the words of messages (`vocabulary.rs`); what is left out is as in OpenCL C
//! thread = "thread"
//! workgroup = "block"
//! [reserved]
//! beginnings = ["__"]                    # names that begin so belong to the implementation: none is missed where nothing declares it
//! [kernels]
//! version = "__OPENCL_C_VERSION__"       # the macro that tells which version of the language a text is in
//! pointers-since = 200                   # from which on a kernel may be given what leads to pointers
//! half-with = "cl_khr_fp16"              # the macro without which no kernel is given a `half`
//! [target]
//! version = [3, 0]                       # in the module's metadata, under the name `version-metadata`
//! debug-language = "DW_LANG_OpenCL"      # what debuggers are told
//! ```

use std::collections::BTreeMap;

use globset::{GlobBuilder, GlobSetBuilder};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;
use tangle_grammar::words::{Grammar, Words};
use toml::Spanned;

use super::builtins::{Builtins, Table};
use super::place::{Mistake, Place};
use super::row::Kind;
use super::signatures::Signatures;
use super::types::Types;
use super::vocabulary::Vocabulary;
use super::{Definition, Source};
use tangle_ir::types::Ty;
use tangle_ir::uniformity::Launch;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Language {
    title: String,
    #[serde(default)]
    grammar: GrammarName,
    #[serde(default)]
    headers: Vec<Spanned<String>>,
    #[serde(default)]
    launchers: Vec<String>,
    keywords: BTreeMap<Spanned<String>, Vec<String>>,
    types: TypeTable,
    #[serde(default)]
    operators: Operators,
    #[serde(default)]
    constants: BTreeMap<Spanned<String>, BTreeMap<String, i64>>,
    #[serde(default)]
    indices: BTreeMap<String, Spanned<String>>,
    #[serde(default)]
    launch: LaunchTable,
    masks: Option<Masks>,
    #[serde(default)]
    vocabulary: Vocabulary,
    #[serde(default)]
    reserved: Reserved,
    #[serde(default)]
    kernels: Kernels,
    #[serde(default)]
    target: Target,
}

/// How a text of the language is read.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum GrammarName {
    #[default]
    C,
    Cpp,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypeTable {
    scalars: Vec<Spanned<String>>,
    #[serde(default)]
    lanes: Vec<u8>,
    #[serde(default)]
    named: BTreeMap<String, Spanned<String>>,
}

/// Operators that are spelled as functions.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Operators {
    /// What the name of the operator that reads bits as a type begins with; the type's name follows.
    pub reinterpret: Option<String>,
    /// The operator that gives the number of lanes of a type or value.
    pub lanes: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct LaunchTable {
    sub_group_size: Option<u32>,
    whole_rows: bool,
    whole_strides: bool,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reserved {
    beginnings: Vec<String>,
}

/// What a variable holds: the value of `function(dimension)`, a builtin function of kind `id` or `size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Index {
    pub function: Symbol,
    /// None: the function has no parameter.
    pub dimension: Option<u8>,
}

/// What kernels are given only sometimes.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Kernels {
    /// The macro whose value is the version of the language; None: no text says its version.
    pub version: Option<String>,
    /// From which version on a kernel may be given a pointer to a pointer, and a record with a pointer; 0: always.
    pub pointers_since: u32,
    /// The macro that is defined where a kernel may be given a `half`; None: everywhere.
    pub half_with: Option<String>,
}

/// The architectures where the mask of an operation, and not control flow, names the threads that take part.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Masks {
    /// The macro whose value is the architecture.
    pub architecture: String,
    /// The value of the first of these architectures.
    pub since: u32,
    /// The name of the first of these architectures.
    pub name: String,
}

/// What a module for a target says of the language that it comes from.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Target {
    /// Of the language: major and minor.
    pub version: [u32; 2],
    /// The name of the metadata that holds the version; None: there is none.
    pub version_metadata: Option<String>,
    /// The `language` of a compile unit, as LLVM spells it; None: C.
    pub debug_language: Option<String>,
}

/// The language that the texts define; it has no number yet.
pub(super) fn read(source: Source) -> Result<Definition, Mistake> {
    let text = source.language;
    let language: Language =
        toml::from_str(text).map_err(|error| Mistake::in_toml("language", text, &error))?;
    let wrong = |at: &Spanned<String>, message: String| Mistake {
        text: "language",
        place: Place::of(text, at.span().start),
        message,
    };

    let mut keywords = Vec::new();
    for (name, spellings) in &language.keywords {
        let kind = TokenKind::keyword(name.get_ref());
        let kind = kind.ok_or_else(|| wrong(name, format!("unknown keyword `{}`", name.get_ref())))?;
        keywords.extend(spellings.iter().map(|spelling| (Symbol::intern(spelling), kind)));
    }
    let mut types = Types::default();
    for scalar in &language.types.scalars {
        if !types.add_scalar(scalar.get_ref(), &language.types.lanes) {
            return Err(wrong(scalar, format!("unknown scalar type `{}`", scalar.get_ref())));
        }
    }
    for (name, description) in &language.types.named {
        if !types.add_described(name, description.get_ref()) {
            return Err(wrong(description, format!("unknown type description `{}`", description.get_ref())));
        }
    }
    let mut constants = FxHashMap::default();
    for (ty, values) in &language.constants {
        let of = match ty.get_ref().as_str() {
            "bool" => Some(Ty::BOOL),
            name => types.get(Symbol::intern(name)),
        };
        let of = of.ok_or_else(|| wrong(ty, format!("unknown type `{}`", ty.get_ref())))?;
        constants.extend(values.iter().map(|(name, &value)| (Symbol::intern(name), (i128::from(value), of))));
    }

    let mut builtins = Builtins::default();
    for text in source.builtins {
        let table: Table =
            toml::from_str(text).map_err(|error| Mistake::in_toml("builtins", text, &error))?;
        builtins = builtins.followed_by(Builtins::of(table.builtin));
    }
    let mut indices = FxHashMap::default();
    for (variable, described) in &language.indices {
        let index = index(described.get_ref(), &builtins);
        let index = index.ok_or_else(|| {
            let message =
                format!("expected an id function and its dimension, found `{}`", described.get_ref());
            wrong(described, message)
        })?;
        let (variable, field) = match variable.split_once('.') {
            Some((variable, field)) => (variable, Some(Symbol::intern(field))),
            None => (variable.as_str(), None),
        };
        indices.insert((Symbol::intern(variable), field), index);
    }
    let mut headers = GlobSetBuilder::new();
    for pattern in &language.headers {
        let glob = GlobBuilder::new(pattern.get_ref()).literal_separator(true).build();
        headers.add(glob.map_err(|error| wrong(pattern, error.to_string()))?);
    }
    let headers = headers.build().map_err(|error| Mistake {
        text: "language",
        place: Place::of(text, 0),
        message: error.to_string(),
    })?;
    let grammar = match language.grammar {
        GrammarName::C => Grammar::C,
        GrammarName::Cpp => Grammar::Cpp,
    };

    let signatures = Signatures::read(source.signatures, &types)?;
    let vectors: Vec<Symbol> =
        types.names().filter(|&name| types.get(name).is_some_and(|ty| ty.as_vector().is_some())).collect();
    Ok(Definition {
        number: 0,
        texts: source.texts().map(Box::from).collect(),
        words: Words::new(language.title, keywords, vectors)
            .with_grammar(grammar)
            .with_macros(super::Conventions::macros()),
        headers,
        launchers: language.launchers.iter().map(|name| Symbol::intern(name)).collect(),
        types,
        operators: language.operators,
        builtins,
        signatures,
        kernels: language.kernels,
        target: language.target,
        constants,
        indices,
        launch: Launch {
            sub_group_size: language.launch.sub_group_size.filter(|&size| size > 0),
            whole_rows: language.launch.whole_rows,
            whole_strides: language.launch.whole_strides,
            ..Launch::default()
        },
        masks: language.masks,
        vocabulary: language.vocabulary,
        reserved: language.reserved.beginnings,
    })
}

/// What `get_local_id 0` describes. None: nothing.
fn index(described: &str, builtins: &Builtins) -> Option<Index> {
    let (function, dimension) = match described.split_once(' ') {
        Some((function, dimension)) => (function, Some(dimension.parse().ok().filter(|number| *number < 3)?)),
        None => (described, None),
    };
    let function = Symbol::intern(function);
    let is_known = matches!(builtins.get(function)?.kind, Some(Kind::Id | Kind::Size));
    is_known.then_some(Index { function, dimension })
}
