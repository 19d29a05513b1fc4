//! The files and settings of a project. The command and the language server get both from here, so a file has the same
//! findings in both.
//!
//! | file | contents |
//! |---|---|
//! | [`walk`] | from PATH arguments to files; searches folders for kernels |
//! | [`read`] | from the bytes of a file to text |
//! | [`embedded`] | OpenCL in string literals of other languages |
//! | [`tangle_toml`] | `tangle.toml` |
//! | `value_errors` | messages for invalid values in settings files |
//! | [`compile_commands`], [`flags`] | `compile_commands.json`, and the compiler's options in it |
//! | [`levels`] | the level of each rule |
//! | [`reading`] | the combined settings of a source |
//! | [`build`] | how a source is preprocessed and analysed, as settings of a database |
//! | [`build_findings`] | merges the findings of several builds of a source |
//! | `branches` | macro definitions that activate inactive `#if` branches |
//!
//! Nothing in this crate prints. The settings of a source are computed before it is read. Its content matters only if
//! its file name does not determine the language.
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//!
//! use tangle_project::{Build, Language};
//! use tangle_syntax::db::Database;
//! use tangle_syntax::source::NoHeaders;
//!
//! assert_ne!(Language::of_source(Path::new("k.cu")), Language::of_source(Path::new("k.cl")));
//!
//! let mut db = Database::new(Arc::new(NoHeaders));
//! let (settings, model) = Build::default().settings(&mut db);
//! let file = db.set_text("k.cl", "kernel void k(int n) { if (get_local_id(0) < n) barrier(1); }");
//! let findings = tangle_rules::check(&db, file, settings, model);
//! assert_eq!(findings[0].rule, "divergent-barrier");
//! ```

mod branches;
pub mod build;
pub mod build_findings;
pub mod compile_commands;
mod decode;
pub mod embedded;
pub mod flags;
pub mod language;
pub mod levels;
pub mod paths;
pub mod read;
pub mod reading;
mod settings_error;
pub mod tangle_toml;
mod target;
mod upward_search;
pub mod value_errors;
pub mod walk;

use std::path::Path;

pub use build::{Build, BuildId, Builds, MacroOption, Named};
pub use language::{Dialect, Language};
pub use paths::normal;
pub use reading::{Branches, Project, SourceSettings, UserSettings};
pub use settings_error::SettingsError;

/// Returns whether a file with this name contains settings: a `tangle.toml` or a `compile_commands.json`.
pub fn is_settings(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == tangle_toml::NAME || name == compile_commands::NAME)
}
