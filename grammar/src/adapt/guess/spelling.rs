//! Spellings of undeclared words that are evidence for their meaning.
//!
//! They are habits of programmers, not rules of a language. The meanings of macros are data of the dialect
//! ([`Lexicon::implies`](crate::lexicon::Lexicon::implies)). All other spellings are here: no other module of the adapter
//! compares the text of a name that a user chose.

use crate::symbol::Symbol;

/// Words, between `_`, in names of macros that make the head of a loop: `CUDA_KERNEL_LOOP(i, n) {`.
const LOOP: &[&str] = &["LOOP", "FOR", "FOREACH", "FORALL", "WHILE", "EACH"];

/// Suffixes of type names: `index_t`, `value_type`, `ValueType`.
const TYPE_ENDS: &[&str] = &["_t", "type", "Type"];

/// Suffixes of names of values that otherwise look like types: `is_same_v<T, U>`.
const VALUE_ENDS: &[&str] = &["_v"];

/// Names of values that otherwise look like types: `T::value`.
const VALUES: &[&str] = &["value"];

/// Suffixes of templates with type arguments: `enable_if_t`, `is_same_v`.
const TEMPLATE_ENDS: &[&str] = &["_t", "_v"];

/// Prefixes of templates with type arguments: `is_same`.
const TEMPLATE_STARTS: &[&str] = &["is_"];

/// Names of other templates with type arguments.
const TEMPLATES: &[&str] = &["enable_if", "conditional"];

fn has_word(name: Symbol, words: &[&str]) -> bool {
    name.as_str().split('_').any(|word| words.contains(&word))
}

fn has_end(name: Symbol, ends: &[&str]) -> bool {
    ends.iter().any(|end| name.as_str().ends_with(end))
}

/// Whether a word is spelled like a macro: in capitals, or with the prefix `__`.
pub(crate) fn looks_like_macro(name: Symbol) -> bool {
    name.as_str().starts_with("__") || name.as_str().len() > 1 && !has_lowercase(name)
}

/// Whether a word is spelled like a macro that is a statement: in capitals. `__syncthreads` is not: if a call of it
/// has no `;`, this is a syntax error.
pub(crate) fn is_in_capitals(name: Symbol) -> bool {
    looks_like_macro(name) && !has_lowercase(name)
}

fn has_lowercase(name: Symbol) -> bool {
    name.as_str().contains(|c: char| c.is_ascii_lowercase())
}

/// Whether the name of a macro says that it makes the head of a loop.
pub(crate) fn makes_loop(name: Symbol) -> bool {
    has_word(name, LOOP)
}

/// Whether a name is spelled like a type: with a suffix such as `_t`, or with an initial capital. `arguments`: it has
/// template arguments. `kBlock` is a constant.
pub(crate) fn looks_like_type(name: Symbol, arguments: bool) -> bool {
    let text = name.as_str();
    let bytes = text.as_bytes();
    let second = bytes.get(1).copied().unwrap_or(b'_');
    let is_constant = bytes[0] == b'k' && second.is_ascii_uppercase();
    if has_end(name, VALUE_ENDS) || VALUES.contains(&text) || is_constant {
        return false;
    }
    if has_end(name, TYPE_ENDS) || arguments {
        return true;
    }
    if looks_like_macro(name) {
        return text.starts_with("__") && has_lowercase(name);
    }
    bytes[0].is_ascii_uppercase()
}

/// Whether a name is spelled like a template with type arguments.
pub(crate) fn takes_types(name: Symbol) -> bool {
    let text = name.as_str();
    has_end(name, TEMPLATE_ENDS)
        || TEMPLATE_STARTS.iter().any(|start| text.starts_with(start))
        || TEMPLATES.contains(&text)
}
