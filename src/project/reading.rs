//! The combined settings of a source: how it is read, and the levels of its findings.
//!
//! Settings have three origins. From the weakest to the strongest:
//!
//! 1. the **build**: the entry for the source in a `compile_commands.json`;
//! 2. the **configuration**: a `tangle.toml`;
//! 3. the **user**: the options of a command line, or the settings of an editor ([`UserSettings`]).
//!
//! The include folders of a stronger origin are searched first. Its macros are defined later, so they override earlier
//! ones, and its `--include` files are read later. A `[[builds]]` table is stronger than the rest of the configuration;
//! a source is read once for each table that matches it. For any other setting, the strongest origin that has a value
//! wins. `-x` in the build applies unless the user or the configuration names a dialect.
//!
//! For a source in `/p/src`, the configuration is the nearest `tangle.toml` in `/p/src`, `/p` and `/`. The build is the
//! nearest `compile_commands.json` in `/p/src`, `/p/src/build`, `/p`, `/p/build`, `/` and `/build`. A stronger origin
//! can name another file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::build::{Build, MacroOption, Named};
use super::compile_commands::{self, CompileCommands};
use super::flags::Flags;
use super::language::{Dialect, Language};
use super::levels::{FailOn, Levels};
use super::paths::absolute;
use super::settings_error::SettingsError;
use super::tangle_toml::{self, BuildRow, Config};
use super::target::DeviceTarget;
use super::upward_search::UpwardSearch;
use tangle_analysis::tangle::Model;

/// The settings of the user, for all sources. Paths are relative to the current folder.
#[derive(Clone, Debug, Default)]
pub struct UserSettings {
    pub include_dirs: Vec<PathBuf>,
    pub macros: Vec<MacroOption>,
    pub include_files: Vec<PathBuf>,
    pub dialect: Option<Dialect>,
    pub model: Option<Model>,
    pub rules: Levels,
    pub fail_on: Option<FailOn>,
    /// The inactive branches to check. `None`: the default, which depends on whether the build is known.
    pub branches: Option<Branches>,
    /// The configuration file to use instead of the nearest `tangle.toml`.
    pub config: Option<PathBuf>,
    /// The folder of the `compile_commands.json` to use instead of the nearest.
    pub compile_commands: Option<PathBuf>,
    /// The path that standard input is treated as having.
    pub stdin_filename: Option<PathBuf>,
    /// The language of a source without a path, derived from its content.
    pub unnamed: Language,
}

/// The combined settings of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceSettings {
    /// The source is read once for each build. Features that use one build use the first. Never empty.
    pub builds: Vec<Named<Build>>,
    pub levels: Levels,
    pub branches: Branches,
    /// `exclude` in the configuration matches the source: skip it unless an argument names it.
    pub is_excluded: bool,
}

/// The settings of a source: combined, and of each origin alone.
#[derive(Debug)]
pub struct Layers {
    /// The combined settings.
    pub all: SourceSettings,
    pub user: SourceSettings,
    /// The settings of the configuration, with its path.
    pub config: Option<(PathBuf, SourceSettings)>,
    /// The settings of the build, with the path of its file.
    pub build: Option<(PathBuf, SourceSettings)>,
    /// The defaults: settings without any origin.
    pub plain: SourceSettings,
    /// `fail-on` in the configuration.
    pub fail_on: Option<FailOn>,
}

/// The inactive branches of a source that are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Branches {
    /// No inactive branches.
    Active,
    /// Branches of the source itself that contain convergent operations, or early exits before such operations. Checked
    /// in at most three further readings.
    #[default]
    Convergent,
    /// The same branches as `Convergent`. Their findings are notes, because the build is known and does not include
    /// them.
    AsNotes,
    /// All inactive branches, each in its own further reading if necessary.
    All,
}

impl Branches {
    /// Combines the switches `--all-branches` and `--only-active-branches`; the first wins. `None` if neither is set.
    pub fn chosen(all: bool, only_active: bool) -> Option<Branches> {
        match (all, only_active) {
            (true, _) => Some(Branches::All),
            (false, true) => Some(Branches::Active),
            (false, false) => None,
        }
    }
}

impl Default for SourceSettings {
    fn default() -> SourceSettings {
        SourceSettings {
            builds: vec![Named::default()],
            levels: Levels::default(),
            branches: Branches::default(),
            is_excluded: false,
        }
    }
}

impl SourceSettings {
    /// Returns the first build.
    pub fn build(&self) -> &Build {
        &self.builds[0].build
    }
}

/// A cache of the settings files. Each file and folder is read once, so a new `Project` is needed to see changes.
#[derive(Debug)]
pub struct Project {
    configs: UpwardSearch<Config>,
    builds: UpwardSearch<CompileCommands>,
}

impl Default for Project {
    fn default() -> Project {
        Project {
            configs: UpwardSearch::new(&[tangle_toml::NAME], Config::read),
            builds: UpwardSearch::new(compile_commands::RELATIVE_PATHS, CompileCommands::read),
        }
    }
}

impl Project {
    /// Returns the settings of a source. A source without a path has the settings of the current folder, and no build.
    ///
    /// Files that cannot be read are reported in `troubles` and ignored.
    pub fn reading(
        &mut self,
        source: Option<&Path>,
        given: &UserSettings,
        troubles: &mut Vec<SettingsError>,
    ) -> SourceSettings {
        let source = source.map(absolute);
        let config = match source.as_deref() {
            Some(source) => self.config(source.parent().unwrap_or(source), given),
            None => self.config(&absolute(Path::new(".")), given),
        };
        let config = ok_or_report(config, troubles).unwrap_or_default();
        let flags = source.as_deref().map_or(Ok(None), |source| self.flags(source, &config, given));
        let flags = ok_or_report(flags, troubles);
        combine(source.as_deref(), flags, &config, given)
    }

    /// Returns the settings of a source, combined and of each origin alone. Files that cannot be read are reported in
    /// `troubles` and ignored.
    pub fn layers(
        &mut self,
        source: &Path,
        given: &UserSettings,
        troubles: &mut Vec<SettingsError>,
    ) -> Layers {
        let source = absolute(source);
        let config = ok_or_report(self.config(source.parent().unwrap_or(&source), given), troubles);
        let (none, nobody) = (Config::default(), UserSettings::default());
        let settings = config.as_deref().unwrap_or(&none);
        let commands = ok_or_report(self.commands(&source, settings, given), troubles);
        let flags = commands.as_ref().map_or(Ok(None), |commands| commands.flags(&source));
        let flags = ok_or_report(flags, troubles);
        let combined = |flags: Option<Flags>, config: &Config, given: &UserSettings| {
            combine(Some(&source), flags, config, given)
        };
        let build = commands.filter(|_| flags.is_some());
        Layers {
            all: combined(flags.clone(), settings, given),
            user: combined(None, &none, given),
            config: config.as_deref().map(|config| (config.path.clone(), combined(None, config, &nobody))),
            build: build.map(|build| (build.path().to_owned(), combined(flags, &none, &nobody))),
            plain: combined(None, &none, &nobody),
            fail_on: config.as_deref().and_then(|config| config.fail_on),
        }
    }

    /// Returns the lowest severity that makes a run fail. It is set by the user, or by the configuration of the run's
    /// first path.
    pub fn fail_on(
        &mut self,
        first: &Path,
        given: &UserSettings,
        troubles: &mut Vec<SettingsError>,
    ) -> FailOn {
        let config = ok_or_report(self.config(&absolute(first), given), troubles);
        given.fail_on.or(config.and_then(|config| config.fail_on)).unwrap_or_default()
    }

    fn config(&mut self, folder: &Path, given: &UserSettings) -> Result<Option<Arc<Config>>, SettingsError> {
        match &given.config {
            Some(path) => self.configs.at(path).map(Some),
            None => self.configs.above(folder),
        }
    }

    fn flags(
        &mut self,
        source: &Path,
        config: &Config,
        given: &UserSettings,
    ) -> Result<Option<Flags>, SettingsError> {
        let commands = self.commands(source, config, given)?;
        commands.map_or(Ok(None), |commands| commands.flags(source))
    }

    /// Returns the compile commands of the project that contains a source.
    fn commands(
        &mut self,
        source: &Path,
        config: &Config,
        given: &UserSettings,
    ) -> Result<Option<Arc<CompileCommands>>, SettingsError> {
        match given.compile_commands.as_ref().or(config.compile_commands.as_ref()) {
            Some(folder) => self.builds.at(&folder.join(compile_commands::NAME)).map(Some),
            None => self.builds.above(source.parent().unwrap_or(source)),
        }
    }
}

/// Returns the value, or `None` and adds the error to `troubles`, once.
fn ok_or_report<T>(result: Result<Option<T>, SettingsError>, troubles: &mut Vec<SettingsError>) -> Option<T> {
    result.unwrap_or_else(|trouble| {
        if !troubles.contains(&trouble) {
            troubles.push(trouble);
        }
        None
    })
}

fn combine(
    source: Option<&Path>,
    flags: Option<Flags>,
    config: &Config,
    given: &UserSettings,
) -> SourceSettings {
    let is_listed = flags.is_some();
    let flags = flags.unwrap_or_default();
    let dialect = given.dialect.or(config.dialect).unwrap_or_default();
    let stdin = given.stdin_filename.as_deref().map(absolute);
    let on_disk = source.filter(|source| stdin.as_deref() != Some(*source));
    let by_source = || on_disk.map_or(given.unnamed, Language::of_source);
    let language = dialect.language().or(flags.language).unwrap_or_else(by_source);
    let rows = config.builds.iter().filter(|row| source.is_some_and(|source| row.matches(source)));
    let rows: Vec<Option<&BuildRow>> = rows.map(Some).collect();
    let rows = if rows.is_empty() { vec![None] } else { rows };
    let is_known = is_listed
        || !given.macros.is_empty()
        || !config.define.is_empty()
        || !config.undefine.is_empty()
        || rows.iter().any(Option::is_some);
    let by_build = if is_known { Branches::AsNotes } else { Branches::Convergent };
    let branches = given.branches.or(config.branches()).unwrap_or(by_build);
    let mut builds = Vec::new();
    for row in rows {
        for target in DeviceTarget::of(language, &flags, config) {
            let names = [row.map(|row| row.name.get_ref().clone()), target.name()];
            let names: Vec<String> = names.into_iter().flatten().collect();
            let build = build(source, flags.clone(), config, row, given, target);
            builds.push(Named { name: (!names.is_empty()).then(|| names.join(", ")), build });
        }
    }
    let mut levels = config.levels(source);
    levels.override_with(&given.rules);
    let is_excluded = source.is_some_and(|source| config.excludes(source));
    SourceSettings { builds, levels, branches, is_excluded }
}

/// The files that are included before a source: the whole list, or, for a source in the list, the entries before it.
fn prelude<'a>(
    source: Option<&Path>,
    list: impl Iterator<Item = &'a PathBuf>,
) -> impl Iterator<Item = PathBuf> {
    list.take_while(move |path| source != Some(&absolute(path))).cloned()
}

fn build(
    source: Option<&Path>,
    flags: Flags,
    config: &Config,
    row: Option<&BuildRow>,
    given: &UserSettings,
    target: DeviceTarget,
) -> Build {
    let (define, undefine) = row.map_or((&[][..], &[][..]), |row| (&row.define[..], &row.undefine[..]));
    let defined = |names: &[String]| names.iter().cloned().map(MacroOption::Define).collect::<Vec<_>>();
    let undefined = |names: &[String]| names.iter().cloned().map(MacroOption::Undefine).collect::<Vec<_>>();
    let macros = target
        .macros()
        .into_iter()
        .chain(flags.macros)
        .chain(target.standard())
        .chain(defined(&config.define))
        .chain(undefined(&config.undefine))
        .chain(defined(define))
        .chain(undefined(undefine))
        .chain(given.macros.iter().cloned());
    let include_dirs = given.include_dirs.iter().chain(&config.include).cloned().chain(flags.include_dirs);
    let glued = config.prelude.iter().chain(row.into_iter().flat_map(|row| &row.prelude));
    let include_files = flags
        .include_files
        .into_iter()
        .chain(config.include_files.iter().cloned())
        .chain(prelude(source, glued));
    let mut launch = config.launch.0;
    launch.sub_group_size = launch.sub_group_size.or(target.wave);
    Build {
        language: target.language,
        quote_dirs: flags.quote_dirs,
        include_dirs: include_dirs.collect(),
        macros: macros.collect(),
        include_files: include_files.chain(given.include_files.iter().cloned()).collect(),
        model: given.model.or(config.model).unwrap_or_default(),
        builtins: config.builtins.clone(),
        conventions: config.conventions.clone(),
        uniform: config.uniform.clone(),
        launch,
        reached_only: false,
    }
}

#[cfg(test)]
mod tests;
