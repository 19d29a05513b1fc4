//! Reads the texts that define a language.
//!
//! ```toml
//! title = "OpenCL C"                     # what messages call it
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

use rustc_hash::FxHashMap;
use serde::Deserialize;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;
use tangle_grammar::words::Words;
use toml::Spanned;

use super::builtins::{Builtins, Table};
use super::place::{Mistake, Place};
use super::signatures::Signatures;
use super::types::Types;
use super::{Definition, Source};
use tangle_ir::types::Ty;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Language {
    title: String,
    keywords: BTreeMap<Spanned<String>, Vec<String>>,
    types: TypeTable,
    #[serde(default)]
    operators: Operators,
    #[serde(default)]
    constants: BTreeMap<Spanned<String>, BTreeMap<String, i64>>,
    #[serde(default)]
    reserved: Reserved,
    #[serde(default)]
    kernels: Kernels,
    #[serde(default)]
    target: Target,
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
#[serde(deny_unknown_fields)]
struct Reserved {
    beginnings: Vec<String>,
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
        let kind =
            kind.ok_or_else(|| wrong(name, format!("the grammar has no keyword `{}`", name.get_ref())))?;
        keywords.extend(spellings.iter().map(|spelling| (Symbol::intern(spelling), kind)));
    }
    let mut types = Types::default();
    for scalar in &language.types.scalars {
        if !types.add_scalar(scalar.get_ref(), &language.types.lanes) {
            return Err(wrong(scalar, format!("`{}` is no scalar", scalar.get_ref())));
        }
    }
    for (name, description) in &language.types.named {
        if !types.add_described(name, description.get_ref()) {
            return Err(wrong(description, format!("`{}` describes no type", description.get_ref())));
        }
    }
    let mut constants = FxHashMap::default();
    for (ty, values) in &language.constants {
        let of = match ty.get_ref().as_str() {
            "bool" => Some(Ty::BOOL),
            name => types.get(Symbol::intern(name)),
        };
        let of = of.ok_or_else(|| wrong(ty, format!("there is no type `{}`", ty.get_ref())))?;
        constants.extend(values.iter().map(|(name, &value)| (Symbol::intern(name), (i128::from(value), of))));
    }

    let table: Table = toml::from_str(source.builtins)
        .map_err(|error| Mistake::in_toml("builtins", source.builtins, &error))?;
    let signatures = Signatures::read(source.signatures, &types)?;
    let vectors: Vec<Symbol> =
        types.names().filter(|&name| types.get(name).is_some_and(|ty| ty.as_vector().is_some())).collect();
    Ok(Definition {
        number: 0,
        texts: [source.language, source.predefined, source.builtins, source.signatures].map(Box::from),
        words: Words::new(language.title, keywords, vectors),
        types,
        operators: language.operators,
        builtins: Builtins::of(table.builtin),
        signatures,
        kernels: language.kernels,
        target: language.target,
        constants,
        reserved: language.reserved.beginnings,
    })
}
