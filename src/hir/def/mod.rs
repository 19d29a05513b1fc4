//! Name resolution. Each name is resolved here once; later stages receive meanings and keys.
//!
//! | file | contents |
//! |---|---|
//! | `names` | the meanings as data: types, functions and variables, by namespace |
//! | `paths` | lookup of plain and qualified names: namespaces, `using`, aliases |
//! | `class` | the members of classes and instances, as data |
//! | `functions` | the functions that an item defines |
//! | `overload` | overload resolution |
//! | `template` | function templates, and the arguments of their instances |

pub(crate) mod class;
pub mod functions;
pub mod names;
pub mod overload;
mod paths;
pub mod template;
