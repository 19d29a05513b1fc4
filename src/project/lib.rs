//! The project around a source: its files, and what its settings say of each. The command and the language server read all of it here, and so a
//! file has the same findings in both.
//!
//! | file | what |
//! |---|---|
//! | [`walk`] | from arguments to files; folders are searched for kernels |
//! | [`read`] | from the bytes of a file to text |
//! | [`embedded`] | OpenCL in string literals of other languages |
//! | [`tangle_toml`] | `tangle.toml` |
//! | `wrong_value` | errors in settings, in the words of their authors |
//! | [`compile_commands`], [`flags`] | `compile_commands.json`, and the compiler's options in it |
//! | [`levels`] | how much the findings of a rule matter |
//! | [`reading`] | what of all this holds for a source |
//! | [`build`] | how a source is read, as the settings of a database |
//! | [`several`] | findings of a source that is read in several ways, each told once |
//! | `branches` | further ways: so that text comes in that conditions leave out |
//!
//! Nothing here prints. What holds for a source is known before it is read; only where its name does not tell the language, a look into it does.

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

/// Whether a file of this name says how sources are read.
pub fn is_settings(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == tangle_toml::NAME || name == compile_commands::NAME)
}
