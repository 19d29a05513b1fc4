//! A build: all settings that determine how a source is read, and their counterpart in a database.

use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexSet;
use salsa::Setter;
use tangle_ir::uniformity::Launch;
use thiserror::Error;

use super::language::Language;
use tangle_analysis::tangle::Model;
use tangle_syntax::db::Database;
use tangle_syntax::dialect::{Builtin, ConventionChanges, Conventions};
use tangle_syntax::source::{Macro, Settings, UniformRow};

/// A `-D` or `-U` option.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MacroOption {
    /// `NAME`, `NAME=VALUE` or `NAME(PARAMETERS)=VALUE`, unchanged from the option.
    Define(String),
    Undefine(String),
}

/// The settings with which a source is read. Sources with equal builds share the settings of a database, and so the
/// analysis of their headers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Build {
    pub language: Language,
    /// Folders for headers that are included with quotes. They are searched before `include_dirs`.
    pub quote_dirs: Vec<PathBuf>,
    /// Folders for all headers, in search order.
    pub include_dirs: Vec<PathBuf>,
    /// In order: a later option overrides an earlier one.
    pub macros: Vec<MacroOption>,
    /// Files that are included before the source.
    pub include_files: Vec<PathBuf>,
    pub model: Model,
    /// Functions that the user adds to the builtins of the dialect.
    pub builtins: Arc<[Builtin]>,
    /// Changes of the user to the conventions for names.
    pub conventions: Arc<ConventionChanges>,
    /// Values that the user declares uniform.
    pub uniform: Arc<[UniformRow]>,
    /// Properties of all launches, set by the user.
    pub launch: Launch,
    /// Whether the analysis leaves out the functions of headers that a source does not reach.
    pub reached_only: bool,
}

impl Build {
    /// Creates the settings in a database.
    pub fn settings(&self, db: &mut Database) -> (Settings, Model) {
        let paths = |paths: &[PathBuf]| -> Vec<String> {
            paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
        };
        let macros = self.macros.iter().map(|option| match option {
            MacroOption::Define(text) => Macro::Define(text),
            MacroOption::Undefine(name) => Macro::Undefine(name),
        });
        let macros: Vec<Macro> = macros.collect();
        let (include, files) = (paths(&self.include_dirs), paths(&self.include_files));
        let dialect = self.language.dialect();
        let builtins = dialect.builtins().with(self.builtins.to_vec());
        let builtins = builtins.with_conventions(Conventions::with(&self.conventions));
        let settings = db.settings_in(dialect, &include, &macros, &files, builtins);
        db.set_uniform(settings, self.uniform.to_vec());
        db.set_launch(settings, self.launch);
        // A setter does not compare values, and invalidates all queries that depend on the field.
        if !self.quote_dirs.is_empty() {
            settings.set_quote(db).to(paths(&self.quote_dirs).into_iter().map(Arc::from).collect());
        }
        if self.reached_only {
            settings.set_reached_only(db).to(true);
        }
        (settings, self.model)
    }
}

/// A build, or a value for a build, with the name that findings show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named<B> {
    /// The name of a `[[builds]]` table, of one of several targets, or of both. `None` for the only build of a source
    /// without such a table.
    pub name: Option<String>,
    pub build: B,
}

index_vec::define_index_type! {
    /// The index of a build in a run.
    pub struct BuildId = u32;
}

/// The distinct builds of a run.
#[derive(Clone, Debug, Default)]
pub struct Builds(IndexSet<Build>);

impl Builds {
    pub fn add(&mut self, build: Build) -> BuildId {
        BuildId::from_usize(self.0.insert_full(build).0)
    }

    /// Returns the builds with the same ids, but without the functions of headers that a source does not reach.
    pub fn reached_only(self) -> Builds {
        Builds(self.0.into_iter().map(|build| Build { reached_only: true, ..build }).collect())
    }

    /// Iterates over the builds in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &Build> {
        self.0.iter()
    }
}

/// An invalid macro name, with the text as the user wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a valid macro name")]
pub struct InvalidMacroName(pub String);

/// Accepts `NAME`, `NAME=VALUE` and `NAME(PARAMETERS)=VALUE`. The preprocessor checks the parameters later, as for
/// every definition.
pub fn definition(text: &str) -> Result<String, InvalidMacroName> {
    let name = text.split(['=', '(']).next().unwrap_or_default();
    macro_name(name).map(|_| text.to_owned())
}

/// Accepts the name of a macro.
pub fn macro_name(text: &str) -> Result<String, InvalidMacroName> {
    let begins = text.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$');
    if begins && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$') {
        return Ok(text.to_owned());
    }
    Err(InvalidMacroName(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_builds_share_an_id() {
        let with = |name: &str| Build { macros: vec![MacroOption::Define(name.into())], ..Build::default() };
        let mut builds = Builds::default();
        let ids = ["A", "B", "A"].map(|name| builds.add(with(name)));
        assert_eq!((ids[0], builds.iter().count()), (ids[2], 2));
        assert_ne!(ids[0], ids[1]);
    }
}
