//! A build: all that says how a source is read, and the settings of a database that it stands for.

use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexSet;
use salsa::Setter;
use tangle_ir::uniformity::Launch;

use super::language::Language;
use tangle_analysis::tangle::Model;
use tangle_syntax::db::Database;
use tangle_syntax::dialect::{Builtin, ConventionChanges, Conventions};
use tangle_syntax::source::{Macro, Settings, UniformRow};

/// One `-D` or `-U`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MacroOption {
    /// `NAME`, `NAME=VALUE` or `NAME(PARAMETERS)=VALUE`, as given.
    Define(String),
    Undefine(String),
}

/// How a source is read. Sources with equal builds share the settings of a database, and so all that is known of their headers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Build {
    pub language: Language,
    /// Folders for headers that are named in quotes, searched before those for all.
    pub quote_dirs: Vec<PathBuf>,
    /// Folders for headers, in the order in which they are searched.
    pub include_dirs: Vec<PathBuf>,
    /// In their order, since a later one undoes an earlier one.
    pub macros: Vec<MacroOption>,
    /// What is read before the source.
    pub include_files: Vec<PathBuf>,
    pub model: Model,
    /// Functions that the user adds to the dialect's builtins.
    pub builtins: Arc<[Builtin]>,
    /// What the user changes in the conventions for names.
    pub conventions: Arc<ConventionChanges>,
    /// What the user says is uniform.
    pub uniform: Arc<[UniformRow]>,
    /// What the user says of all launches.
    pub launch: Launch,
}

impl Build {
    /// Tells a database of it.
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
        // A setter does not compare, and has everything looked at again.
        if !self.quote_dirs.is_empty() {
            settings.set_quote(db).to(paths(&self.quote_dirs).into_iter().map(Arc::from).collect());
        }
        (settings, self.model)
    }
}

/// A build, or what stands for it, with the name that findings give.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named<B> {
    /// That of `[[builds]]`; none for the one build of a source of which no such table speaks.
    pub name: Option<String>,
    pub build: B,
}

index_vec::define_index_type! {
    /// A build of a run.
    pub struct BuildId = u32;
}

/// The builds of a run, each once.
#[derive(Clone, Debug, Default)]
pub struct Builds(IndexSet<Build>);

impl Builds {
    pub fn add(&mut self, build: Build) -> BuildId {
        BuildId::from_usize(self.0.insert_full(build).0)
    }

    /// In the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &Build> {
        self.0.iter()
    }
}

/// Takes `NAME`, `NAME=VALUE` and `NAME(PARAMETERS)=VALUE`; the parameters are checked where every definition is.
///
/// # Errors
///
/// A sentence: the name is no name of a macro.
pub fn definition(text: &str) -> Result<String, String> {
    let name = text.split(['=', '(']).next().unwrap_or_default();
    macro_name(name).map(|_| text.to_owned())
}

/// Takes the name of a macro.
///
/// # Errors
///
/// A sentence: it is no name.
pub fn macro_name(text: &str) -> Result<String, String> {
    let begins = text.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$');
    if begins && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$') {
        return Ok(text.to_owned());
    }
    Err(format!("`{text}` is not a valid macro name"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_builds_are_one() {
        let with = |name: &str| Build { macros: vec![MacroOption::Define(name.into())], ..Build::default() };
        let mut builds = Builds::default();
        let ids = ["A", "B", "A"].map(|name| builds.add(with(name)));
        assert_eq!((ids[0], builds.iter().count()), (ids[2], 2));
        assert_ne!(ids[0], ids[1]);
    }
}
