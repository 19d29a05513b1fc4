//! The options that several subcommands share, as they are given and as they hold once `tangle.toml` is read.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, FromArgMatches, ValueEnum, ValueHint};
use serde::Deserialize;

use super::config::Config;
use crate::db::Database;
use crate::hir::assertions::Row;
use crate::hir::builtins::Builtin;
use crate::source::{Macro, Settings};
use crate::tangle;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// By the extension of the file
    #[default]
    Auto,
    Opencl,
    /// Not analysed in this version
    Cuda,
    /// Not analysed in this version
    Hip,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Thread tangles, as the convergence document first described them
    #[default]
    Tangles,
    /// The converged-with relation of the revised document
    Revised,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// If standard output is a terminal and NO_COLOR is not set
    #[default]
    Auto,
    Always,
    Never,
}

/// One `-D` or `-U`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MacroOption {
    /// `NAME`, `NAME=VALUE` or `NAME(PARAMETERS)=VALUE`, as given.
    Define(String),
    Undefine(String),
}

/// The `-D` and `-U` of a command line in their order, since a later one undoes an earlier one.
#[derive(Clone, Debug, Default)]
pub struct MacroOptions(pub Vec<MacroOption>);

/// How clap sees the two options.
#[derive(Args)]
struct RawMacros {
    /// Define a macro, as `NAME`, `NAME=VALUE` or `NAME(X)=VALUE`
    #[arg(short = 'D', value_name = "NAME[=VALUE]", help_heading = "Language options", value_parser = definition)]
    define: Vec<String>,
    /// Undefine a macro
    #[arg(short = 'U', value_name = "NAME", help_heading = "Language options", value_parser = macro_name)]
    undefine: Vec<String>,
}

/// Takes `NAME`, `NAME=VALUE` and `NAME(PARAMETERS)=VALUE`; the parameters are checked where every definition is.
fn definition(text: &str) -> Result<String, String> {
    let name = text.split(['=', '(']).next().unwrap_or_default();
    macro_name(name).map(|_| text.to_owned())
}

fn macro_name(text: &str) -> Result<String, String> {
    let begins = text.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$');
    if begins && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$') {
        return Ok(text.to_owned());
    }
    Err(format!("`{text}` cannot be the name of a macro"))
}

impl Args for MacroOptions {
    fn augment_args(command: clap::Command) -> clap::Command {
        RawMacros::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        RawMacros::augment_args_for_update(command)
    }
}

impl FromArgMatches for MacroOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<MacroOptions, clap::Error> {
        let positions = |name| matches.indices_of(name).into_iter().flatten();
        let raw = RawMacros::from_arg_matches(matches)?;
        let define = positions("define").zip(raw.define.into_iter().map(MacroOption::Define));
        let undefine = positions("undefine").zip(raw.undefine.into_iter().map(MacroOption::Undefine));
        let mut all: Vec<_> = define.chain(undefine).collect();
        all.sort_by_key(|(position, _)| *position);
        Ok(MacroOptions(all.into_iter().map(|(_, option)| option).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = MacroOptions::from_arg_matches(matches)?;
        Ok(())
    }
}

/// How a kernel is to be read: the options of `lint` and `show`.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Language options")]
pub struct LanguageArgs {
    /// Look for headers in this folder
    #[arg(short = 'I', value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub include_dirs: Vec<PathBuf>,

    #[command(flatten)]
    pub macros: MacroOptions,

    /// Read this file before each source
    #[arg(long = "include", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub include_files: Vec<PathBuf>,

    /// The language that the sources are written in
    #[arg(long, value_enum)]
    pub dialect: Option<Dialect>,

    /// The rules by which threads come together
    #[arg(long, value_enum)]
    pub model: Option<Model>,

    /// The configuration file (default: the nearest `tangle.toml` upward)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
}

/// How a kernel is read, with all that holds for it: what the analysis needs to know.
#[derive(Clone, Debug, Default)]
pub struct Language {
    pub include_dirs: Vec<PathBuf>,
    pub macros: Vec<MacroOption>,
    pub include_files: Vec<PathBuf>,
    pub dialect: Dialect,
    pub model: Model,
    /// The `[[builtins]]` tables of the configuration.
    pub builtins: Vec<Builtin>,
    /// The `[[uniform]]` tables of the configuration.
    pub uniform: Vec<Row>,
}

impl Language {
    /// What a database is told of it.
    pub fn settings(self, db: &mut Database) -> (Settings, tangle::Model) {
        let paths = |paths: &[PathBuf]| -> Vec<String> {
            paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
        };
        let macros = self.macros.iter().map(|option| match option {
            MacroOption::Define(text) => Macro::Define(text),
            MacroOption::Undefine(name) => Macro::Undefine(name),
        });
        let macros: Vec<Macro> = macros.collect();
        let (include, files) = (paths(&self.include_dirs), paths(&self.include_files));
        let settings = db.settings(&include, &macros, &files, self.builtins);
        db.set_uniform(settings, self.uniform);
        let model = match self.model {
            Model::Tangles => tangle::Model::Tangles,
            Model::Revised => tangle::Model::Revised,
        };
        (settings, model)
    }
}

impl LanguageArgs {
    /// The options of the command line over those of the configuration. Folders named on the command line are searched
    /// first, and its macros are defined last.
    pub fn resolve(self, config: &Config) -> Language {
        let defined = config.define.iter().cloned().map(MacroOption::Define);
        let undefined = config.undefine.iter().cloned().map(MacroOption::Undefine);
        let include_dirs = self.include_dirs.into_iter().chain(config.include.iter().cloned());
        let include_files = config.include_files.iter().cloned().chain(self.include_files);
        Language {
            include_dirs: include_dirs.collect(),
            macros: defined.chain(undefined).chain(self.macros.0).collect(),
            include_files: include_files.collect(),
            dialect: self.dialect.or(config.dialect).unwrap_or_default(),
            model: self.model.or(config.model).unwrap_or_default(),
            builtins: config.builtins.clone(),
            uniform: config.uniform.clone(),
        }
    }

    /// The configuration that holds for an input: the named file, or the nearest one above it.
    pub fn config(&self, first: Option<&Path>) -> Result<Config, String> {
        match &self.config {
            Some(path) => Config::read(path),
            None => Config::nearest(first.filter(|path| *path != Path::new("-")).unwrap_or(Path::new("."))),
        }
    }
}

/// How many threads work.
#[derive(Debug, Args)]
pub struct Jobs {
    /// How many threads to use (default: one for each core)
    #[arg(short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
}

impl Jobs {
    /// Deeply nested sources take deep recursion somewhere, be it only in dropping a tree.
    const STACK_BYTES: usize = 16 << 20;

    pub fn pool(&self) -> Result<rayon::ThreadPool, String> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.jobs.unwrap_or(0).into())
            .stack_size(Self::STACK_BYTES)
            .build()
            .map_err(|error| format!("cannot start threads: {error}"))
    }
}
