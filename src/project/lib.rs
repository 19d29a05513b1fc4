//! The files and settings of a project. The command and the language server get both from here, so a file has the same
//! findings in both.
//!
//! | file | contents |
//! |---|---|
//! | [`walk`] | from PATH arguments to files; searches folders for kernels |
//! | [`read`] | from the bytes of a file to text |
//! | [`embedded`] | OpenCL in string literals of other languages |
//! | [`tangle_toml`] | `tangle.toml` |
//! | `wrong_value` | messages for invalid values in settings files |
//! | [`compile_commands`], [`flags`] | `compile_commands.json`, and the compiler's options in it |
//! | [`levels`] | the level of each rule |
//! | [`reading`] | the combined settings of a source |
//! | [`build`] | how a source is preprocessed and analysed, as settings of a database |
//! | [`several`] | merges the findings of several builds of a source |
//! | `branches` | macro definitions that activate inactive `#if` branches |
//!
//! Nothing in this crate prints. The settings of a source are computed before it is read. Its content matters only if
//! its file name does not determine the language.

mod branches;
pub mod build;
pub mod compile_commands;
mod decode;
pub mod embedded;
pub mod flags;
pub mod language;
pub mod levels;
mod nearest;
pub mod paths;
pub mod read;
pub mod reading;
pub mod several;
pub mod tangle_toml;
mod target;
mod trouble;
pub mod walk;
pub mod wrong_value;

use std::path::Path;

pub use build::{Build, BuildId, Builds, MacroOption, Named};
pub use language::{Dialect, Language};
pub use paths::normal;
pub use reading::{Branches, Given, Project, Reading};
pub use trouble::Trouble;

/// Returns whether a file with this name contains settings: a `tangle.toml` or a `compile_commands.json`.
pub fn is_settings(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == tangle_toml::NAME || name == compile_commands::NAME)
}
