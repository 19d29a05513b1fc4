//! Names, and what they mean: resolved here once. All that comes behind receives the meanings.
//!
//! | file | what it knows |
//! |---|---|
//! | `names` | meanings as data: types, functions, variables, by namespace |
//! | `paths` | which of them is meant where a name is written: namespaces, `using`, qualified names |
//! | `functions` | the functions that an item defines |
//! | `overload` | which of several functions the types of arguments choose |

pub mod functions;
pub mod names;
pub mod overload;
mod paths;
