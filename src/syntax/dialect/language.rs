//! Parses the texts that define a language.
//!
//! ```toml
//! title = "OpenCL C"                     # its name in messages
//! grammar = "c"                          # or "cpp": like C++
//! severity-by-confidence = true          # a finding about divergence is an error only if nothing is assumed
//! headers = ["cuda_*.h", "cub/**"]       # headers whose declarations are known, so their files may be missing
//! launchers = ["hipLaunchKernelGGL"]     # host functions whose arguments are a kernel, its grid and its block
//! [keywords]
//! kernel = ["kernel", "__kernel"]        # the spellings of a keyword of the grammar; missing keywords do not exist
//! [types]
//! scalars = ["char", "uint"]             # numbers whose name is the same as in descriptions (`types.rs`)
//! lanes = [2, 4]                         # the lane counts of the vectors of each scalar: `uint4`
//! [types.named]
//! size_t = "ulong"                       # other names, each with its description
//! [operators]
//! reinterpret = "as_"                    # `as_T(x)`: the bits of x as a T
//! lanes = "vec_step"                     # `vec_step(x)`: the number of lanes of x
//! [constants.uint]
//! memory_order_relaxed = 0               # a constant of this type that no macro defines
//! [arguments]
//! order = ["memory_order_relaxed"]       # the named values for the parameters of builtins with this name
//! [indices]
//! "threadIdx.x" = "get_local_id 0"       # a variable or field with the value of an id function for a dimension
//! warpSize = "get_max_sub_group_size"    # for a function without dimensions: its name alone
//! [launch]                               # the default properties of launches
//! sub-group-size = 32
//! whole-rows = true                      # the sub-group size divides the size of a work-group in the first dimension
//! whole-strides = true                   # a work-group has no more threads than the step of a loop from the local id
//! [masks]                                # where the mask of an operation, and not control flow, selects the threads
//! architecture = "__CUDA_ARCH__"         # the macro whose value is the architecture
//! since = 700                            # the value of the first such architecture; without the table, there is none
//! name = "sm_70"                         # the name of that architecture in messages
//! [vocabulary]                           # the words of messages (`vocabulary.rs`); missing ones are as in OpenCL C
//! thread = "thread"
//! workgroup = "block"
//! [reserved]
//! beginnings = ["__"]                    # prefixes of names of the implementation: these need no declaration
//! [kernels]
//! version = "__OPENCL_C_VERSION__"       # the macro with the language version of a text
//! pointers-since = 200                   # the first version whose kernel parameters may contain pointers to pointers
//! half-with = "cl_khr_fp16"              # the macro that must be defined for a kernel parameter of type `half`
//! [target]
//! version = [3, 0]                       # in the module's metadata, under the name `version-metadata`
//! debug-language = "DW_LANG_OpenCL"      # the language in debug information
//! ```

use std::collections::BTreeMap;

use globset::{GlobBuilder, GlobSetBuilder};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use tangle_grammar::lexicon::{Grammar, Lexicon};
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;
use toml::Spanned;

use super::builtins::{Builtins, Table};
use super::place::{TableError, TextPosition};
use super::row::BuiltinKind;
use super::signatures::Signatures;
use super::types::Types;
use super::vocabulary::Vocabulary;
use super::{Definition, DialectTexts};
use tangle_ir::types::{Ty, VectorAbi};
use tangle_ir::uniformity::Launch;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Language {
    title: String,
    #[serde(default)]
    grammar: GrammarName,
    /// Whether the confidence of a cause decides the severity of a finding about divergence.
    #[serde(default, rename = "severity-by-confidence")]
    severity_by_confidence: bool,
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
    arguments: BTreeMap<String, Vec<String>>,
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

/// The grammar of the language.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum GrammarName {
    #[default]
    C,
    Cpp,
}

/// The language whose rules for vectors apply.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum VectorRules {
    #[default]
    OpenCl,
    Cuda,
    Hip,
}

impl VectorRules {
    fn abi(self) -> VectorAbi {
        match self {
            VectorRules::OpenCl => VectorAbi::OpenCl,
            VectorRules::Cuda => VectorAbi::Cuda,
            VectorRules::Hip => VectorAbi::Hip,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypeTable {
    scalars: Vec<Spanned<String>>,
    #[serde(default)]
    lanes: Vec<u8>,
    #[serde(default)]
    vectors: VectorRules,
    #[serde(default)]
    named: BTreeMap<String, Spanned<String>>,
}

/// Operators that are written like functions.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Operators {
    /// The prefix of the operator that reinterprets bits. The name of the type follows it.
    pub reinterpret: Option<String>,
    /// The operator that returns the number of lanes of a type or value.
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

/// The value of a variable: the result of `function(dimension)`, a builtin function of kind `id` or `size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Index {
    pub function: Symbol,
    /// `None` if the function has no parameter.
    pub dimension: Option<u8>,
}

/// The version-dependent rules for kernel parameters.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Kernels {
    /// The macro whose value is the version of the language; `None` if no text declares its version.
    pub version: Option<String>,
    /// The first version that allows kernel parameters of type pointer to pointer, or record with a pointer; 0: all
    /// versions.
    pub pointers_since: u32,
    /// The macro that must be defined for a kernel parameter of type `half`; `None`: always allowed.
    pub half_with: Option<String>,
}

/// The architectures where the mask of an operation, and not control flow, selects the participating threads.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Masks {
    /// The macro whose value is the architecture.
    pub architecture: String,
    /// The value of the architecture macro, such as `__CUDA_ARCH__`, for the first architecture of the range.
    pub since: u32,
    /// The name of the first architecture of the range.
    pub name: String,
}

/// The description of the source language in a module for a target.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Target {
    /// The version of the language: major and minor.
    pub version: [u32; 2],
    /// The name of the metadata with the version; `None` if there is no such metadata.
    pub version_metadata: Option<String>,
    /// The `language` of a compile unit in LLVM's spelling; `None`: C.
    pub debug_language: Option<String>,
}

/// Parses the texts of a language. The result has no number yet.
pub(super) fn read(source: DialectTexts) -> Result<Definition, TableError> {
    let text = source.language;
    let language: Language =
        toml::from_str(text).map_err(|error| TableError::in_toml("language", text, &error))?;
    let wrong = |at: &Spanned<String>, message: String| TableError {
        text: "language",
        place: TextPosition::of(text, at.span().start),
        message,
    };

    let mut keywords = Vec::new();
    for (name, spellings) in &language.keywords {
        let kind = TokenKind::keyword(name.get_ref());
        let kind = kind.ok_or_else(|| wrong(name, format!("unknown keyword `{}`", name.get_ref())))?;
        keywords.extend(spellings.iter().map(|spelling| (Symbol::intern(spelling), kind)));
    }
    let mut types = Types::new(language.types.vectors.abi());
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
        let table: Table = match text.starts_with('{') {
            true => serde_json::from_str(text).map_err(|error| TableError::in_json("builtins", &error))?,
            false => toml::from_str(text).map_err(|error| TableError::in_toml("builtins", text, &error))?,
        };
        builtins = builtins.extended_with(Builtins::of(table.builtin).with_groups(table.group));
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
    let headers = headers.build().map_err(|error| TableError {
        text: "language",
        place: TextPosition::of(text, 0),
        message: error.to_string(),
    })?;
    let grammar = match language.grammar {
        GrammarName::C => Grammar::C,
        GrammarName::Cpp => Grammar::Cpp,
    };

    let interned =
        |names: &[String]| -> Vec<Symbol> { names.iter().map(|name| Symbol::intern(name)).collect() };
    let arguments = language.arguments.iter();
    let signatures = Signatures::read(source.signatures, &types)?;
    let vectors: Vec<Symbol> =
        types.names().filter(|&name| types.get(name).is_some_and(|ty| ty.as_vector().is_some())).collect();
    Ok(Definition {
        number: 0,
        texts: source.texts().map(Box::from).collect(),
        words: Lexicon::new(language.title, keywords, vectors)
            .with_grammar(grammar)
            .with_macros(super::Conventions::macros()),
        severity_by_confidence: language.severity_by_confidence,
        headers,
        launchers: language.launchers.iter().map(|name| Symbol::intern(name)).collect(),
        types,
        operators: language.operators,
        builtins,
        signatures,
        kernels: language.kernels,
        target: language.target,
        constants,
        arguments: arguments.map(|(name, values)| (Symbol::intern(name), interned(values))).collect(),
        indices,
        launch: Launch {
            sub_group_size: language.launch.sub_group_size.filter(|&size| size > 0),
            rows_are_whole_sub_groups: language.launch.whole_rows,
            strides_cover_work_group: language.launch.whole_strides,
            ..Launch::default()
        },
        masks: language.masks,
        vocabulary: language.vocabulary,
        reserved: language.reserved.beginnings,
    })
}

/// Parses a description such as `get_local_id 0`. `None` if it is invalid.
fn index(described: &str, builtins: &Builtins) -> Option<Index> {
    let (function, dimension) = match described.split_once(' ') {
        Some((function, dimension)) => (function, Some(dimension.parse().ok().filter(|number| *number < 3)?)),
        None => (described, None),
    };
    let function = Symbol::intern(function);
    let is_known = matches!(builtins.get(function)?.kind, Some(BuiltinKind::Id | BuiltinKind::Size));
    is_known.then_some(Index { function, dimension })
}
