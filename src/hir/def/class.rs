//! Classes whose members are known, as data.
//!
//! ```c
//! template <class T> struct pair { T a, b; static constexpr int count = 2; using type = T; };
//! pair<float> p;    // the instance `pair<float>`: its template is `pair`, its members are `count` and `type`
//! ```

use rustc_hash::FxHashMap;
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::InstanceArguments;
use tangle_ir::types::{RecordName, Ty};

use super::names::Meaning;

/// A class whose members are known: an instance of a template, or a class that is no template.
#[derive(Debug)]
pub(crate) struct ClassInstance {
    /// The class with its fields.
    pub ty: Ty,
    /// The declaration that it is an instance of. Its methods belong to it.
    pub template: RecordName,
    /// The arguments of the parameters of the declaration. Empty if it is no template.
    pub arguments: InstanceArguments,
    /// The meanings of its constants and types.
    pub members: FxHashMap<Symbol, Meaning>,
}
