//! Spellings of undeclared words that are evidence for their meaning.
//!
//! They are habits of programs, not rules of a language. The meanings of macros are data of the dialect
//! ([`Words::implies`](crate::words::Words::implies)). All other spellings are here: no other module of the adapter compares the
//! text of a name that a user chose.

use crate::symbol::Symbol;

/// Words, between `_`, of macros that are the head of a loop: `CUDA_KERNEL_LOOP(i, n) {`.
const LOOP: &[&str] = &["LOOP", "FOR", "FOREACH", "FORALL", "WHILE", "EACH"];

/// Ends of names of types: `index_t`, `value_type`, `ValueType`.
const TYPE_ENDS: &[&str] = &["_t", "type", "Type"];

/// Ends of names of values that have the shape of a type otherwise: `is_same_v<T, U>`.
const VALUE_ENDS: &[&str] = &["_v"];

/// Names of values that have the shape of a type otherwise: `T::value`.
const VALUES: &[&str] = &["value"];

/// Ends of names of templates that have types for arguments: `enable_if_t`, `is_same_v`.
const TEMPLATE_ENDS: &[&str] = &["_t", "_v"];

/// Starts of such names: `is_same`.
const TEMPLATE_STARTS: &[&str] = &["is_"];

/// Such names.
const TEMPLATES: &[&str] = &["enable_if", "conditional"];

fn has_word(name: Symbol, words: &[&str]) -> bool {
    name.as_str().split('_').any(|word| words.contains(&word))
}

fn has_end(name: Symbol, ends: &[&str]) -> bool {
    ends.iter().any(|end| name.as_str().ends_with(end))
}

/// Whether a word is spelled as macros are: in capitals, or with `__` in front.
pub(crate) fn looks_like_macro(name: Symbol) -> bool {
    name.as_str().starts_with("__") || name.as_str().len() > 1 && !has_lowercase(name)
}

/// Whether a word is spelled like a macro that is a statement: in capitals. A call of `__syncthreads` is none, so a
/// `;` is missing after it.
pub(crate) fn is_in_capitals(name: Symbol) -> bool {
    looks_like_macro(name) && !has_lowercase(name)
}

fn has_lowercase(name: Symbol) -> bool {
    name.as_str().contains(|c: char| c.is_ascii_lowercase())
}

/// Whether a macro is the head of a loop.
pub(crate) fn makes_loop(name: Symbol) -> bool {
    has_word(name, LOOP)
}

/// Whether a name is spelled like a type: with an end such as `_t`, or with a capital in front. `arguments`: it has
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

/// Whether a name is spelled like a template that has types for arguments.
pub(crate) fn takes_types(name: Symbol) -> bool {
    let text = name.as_str();
    has_end(name, TEMPLATE_ENDS)
        || TEMPLATE_STARTS.iter().any(|start| text.starts_with(start))
        || TEMPLATES.contains(&text)
}
