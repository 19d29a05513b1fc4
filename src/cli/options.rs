//! The options that several subcommands share.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgMatches, Args, FromArgMatches, ValueEnum, ValueHint};
use thiserror::Error;

use crate::human::Terminal;
use tangle_analysis::tangle::Model;
use tangle_execution::witness::shell;
use tangle_project::build::{definition, macro_name};
use tangle_project::{Dialect, MacroOption, UserSettings};

/// The values of an option whose type is in another crate: name, help text, value.
type Values<T> = [(&'static str, &'static str, T)];

const DIALECTS: &Values<Dialect> = &[
    (
        "auto",
        "The dialect of the build; otherwise from the extension and the content of the file",
        Dialect::Auto,
    ),
    ("opencl", "OpenCL C", Dialect::Opencl),
    ("cuda", "CUDA", Dialect::Cuda),
    ("hip", "HIP", Dialect::Hip),
];

const MODELS: &Values<Model> = &[
    ("tangles", "Tangles, as in the first version of Thread Convergence", Model::Tangles),
    (
        "revised",
        "The converged-with relation, as in the revised version of Thread Convergence",
        Model::Revised,
    ),
];

fn one_of<T: Copy + Send + Sync + 'static>(values: &'static Values<T>) -> impl TypedValueParser<Value = T> {
    let possible = values.iter().map(|(name, help, _)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(possible).map(|chosen| {
        let known = values.iter().find(|(name, ..)| *name == chosen);
        known.expect("the parser accepts no other value").2
    })
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// Use colours if standard output is a terminal or `FORCE_COLOR` is set, and `NO_COLOR` is not set
    #[default]
    Auto,
    /// Use colours
    Always,
    /// Do not use colours
    Never,
}

/// The options `-D` and `-U` in the order of the command line: a later option overrides an earlier one.
#[derive(Clone, Debug, Default)]
pub struct MacroOptions(pub Vec<MacroOption>);

/// How clap sees the two options.
#[derive(Args)]
struct RawMacros {
    /// Define a macro, overriding `tangle.toml` and the build: `NAME`, `NAME=VALUE` or `NAME(X)=VALUE`
    #[arg(short = 'D', value_name = "NAME[=VALUE]", help_heading = "Language options", value_parser = definition)]
    define: Vec<String>,
    /// Undefine a macro, overriding `tangle.toml` and the build
    #[arg(short = 'U', value_name = "NAME", help_heading = "Language options", value_parser = macro_name)]
    undefine: Vec<String>,
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

/// How a kernel is to be read: the options of `lint`, `show`, `lower` and `simulate`.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Language options")]
pub struct LanguageArgs {
    /// Add a folder to search for headers, before those of `tangle.toml` and of the build
    #[arg(short = 'I', value_name = "DIR", value_hint = ValueHint::DirPath)]
    include_dirs: Vec<PathBuf>,

    #[command(flatten)]
    macros: MacroOptions,

    /// Include a file before each source, after those of the build and of `tangle.toml`
    #[arg(long = "include", value_name = "FILE", value_hint = ValueHint::FilePath)]
    include_files: Vec<PathBuf>,

    /// Language of the sources
    #[arg(long, value_parser = one_of(DIALECTS))]
    dialect: Option<Dialect>,

    /// Model of convergence: the rules for which threads are converged
    #[arg(long, value_parser = one_of(MODELS))]
    model: Option<Model>,

    /// Path to the configuration file
    ///
    /// The default is, for each source, the nearest `tangle.toml` in its folder or in a parent folder.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,

    /// Folder of the `compile_commands.json`
    ///
    /// The default is the folder in `tangle.toml`. Without it, tangle uses the nearest `compile_commands.json` for each
    /// source: in its folder or in a parent folder, or in the `build` folder of one of these.
    #[arg(short = 'p', value_name = "DIR", value_hint = ValueHint::DirPath)]
    compile_commands: Option<PathBuf>,

    /// Treat standard input as a file at this path
    ///
    /// The path determines the language and the settings, and findings name it. Without it, the language of standard input
    /// depends on its content.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    stdin_filename: Option<PathBuf>,
}

impl LanguageArgs {
    /// Returns the options as written on a command line, each with a space before it.
    pub fn written(&self) -> String {
        let mut text = String::new();
        let mut add = |option: &str, value: &str| {
            text += &match option.strip_prefix("--") {
                Some(_) => format!(" {option} {}", shell(value)),
                None => format!(" {option}{}", shell(value)),
            };
        };
        let name = |path: &PathBuf| path.display().to_string();
        self.include_dirs.iter().for_each(|folder| add("-I", &name(folder)));
        for option in &self.macros.0 {
            match option {
                MacroOption::Define(text) => add("-D", text),
                MacroOption::Undefine(text) => add("-U", text),
            }
        }
        self.include_files.iter().for_each(|file| add("--include", &name(file)));
        if let Some(dialect) = self.dialect {
            let known = DIALECTS.iter().find(|(.., value)| *value == dialect);
            known.iter().for_each(|(name, ..)| add("--dialect", name));
        }
        if let Some(model) = self.model {
            let known = MODELS.iter().find(|(.., value)| *value == model);
            known.iter().for_each(|(name, ..)| add("--model", name));
        }
        self.config.iter().for_each(|file| add("--config", &name(file)));
        self.compile_commands.iter().for_each(|folder| add("-p", &name(folder)));
        self.stdin_filename.iter().for_each(|path| add("--stdin-filename", &name(path)));
        text
    }

    /// Returns the settings that the command line gives for every source.
    pub fn given(self) -> UserSettings {
        UserSettings {
            include_dirs: self.include_dirs,
            macros: self.macros.0,
            include_files: self.include_files,
            dialect: self.dialect,
            model: self.model,
            config: self.config,
            compile_commands: self.compile_commands,
            stdin_filename: self.stdin_filename,
            ..UserSettings::default()
        }
    }
}

/// The system cannot start the threads of a run.
#[derive(Debug, Error)]
#[error("cannot start the worker threads: {0}")]
pub struct PoolError(#[from] rayon::ThreadPoolBuildError);

/// How many threads work.
#[derive(Debug, Args)]
pub struct Jobs {
    /// Number of threads [default: number of cores]
    #[arg(short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
}

impl Jobs {
    /// The stack size of each thread. Deeply nested sources cause deep recursion, for example when a tree is dropped.
    const STACK_BYTES: usize = 16 << 20;

    /// Starts the threads.
    ///
    /// # Errors
    ///
    /// The system cannot start them.
    pub fn pool(&self) -> Result<rayon::ThreadPool, PoolError> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.jobs.unwrap_or(0).into())
            .stack_size(Self::STACK_BYTES)
            .build()?;
        Ok(pool)
    }
}

/// The options of every subcommand.
#[derive(Debug, Args)]
pub(super) struct Globals {
    /// When to use colours
    #[arg(long, value_enum, default_value_t, global = true, value_name = "WHEN")]
    pub color: ColorChoice,

    /// Print only findings and errors, without progress, remarks and summary
    #[arg(long, global = true)]
    pub quiet: bool,
}

impl Globals {
    pub fn terminal(&self, auto: Terminal) -> Terminal {
        match self.color {
            ColorChoice::Auto => auto,
            ColorChoice::Always => Terminal { color: true, ..auto },
            ColorChoice::Never => Terminal { color: false, ..auto },
        }
    }
}
