//! `tangle.toml`: the settings of a project.
//!
//! ```toml
//! include = ["OpenCL"]                 # folders for headers, relative to the folder of this file
//! include-files = ["prelude.h"]        # read before each source
//! define = ["VECT_SIZE=4", "S(x)=#x"]
//! undefine = ["DEBUG"]
//! compile-commands = "build-release"   # the folder of `compile_commands.json`
//! dialect = "opencl"
//! model = "tangles"
//! fail-on = "error"
//! all-branches = true                  # check all inactive `#if` branches
//! only-active-branches = true          # skip all inactive `#if` branches
//! prelude = ["common.cl"]              # sources that the program puts before each source at run time
//! exclude = ["third_party/**"]         # files to skip when a folder is linted
//!
//! [rules]
//! missing-include = "off"
//!
//! [[overrides]]                        # levels for some files, over `[rules]`; the last table that matches wins
//! files = ["tests/**"]
//! rules = { unknown-type = "off" }
//!
//! [[builds]]                           # a file is read once for each build that matches it
//! name = "doubles"
//! files = ["kernels/**/*.cl"]          # default: all files
//! define = ["REAL=double"]
//! undefine = ["HALF"]
//! prelude = ["doubles.cl"]             # after the top-level `prelude`
//!
//! [[builtins]]
//! name = "my_barrier"
//! scope = "workgroup"
//! kind = "barrier"
//!
//! [[uniform]]                          # uniform values that the analysis cannot see
//! function = "tile"
//! parameter = "width"                  # or `variable = "…"`, or `result = true`
//! scope = "workgroup"
//!
//! [conventions]                        # meanings of the names of undefined entities
//! remove = ["sub-group-size"]
//! add = [{ names = ["pad to"], implies = "multiple" }]
//!
//! [opencl]
//! std = "CL3.1"                        # `__OPENCL_C_VERSION__` is 310
//!
//! [cuda]
//! arch = 80                            # `__CUDA_ARCH__` is 800
//!
//! [hip]
//! wave = "both"                        # or 32, or 64; with "both", the files are read twice
//!
//! [launch]                             # sizes for kernels without such attributes
//! local-size = 64                      # or `[16, 16]`
//! sub-group-size = 32
//! global-multiple-of = 64
//! ```

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use globset::{Glob, GlobBuilder, GlobMatcher};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer};
use thiserror::Error;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::build::{definition, macro_name};
use super::compile_commands;
use super::language::Dialect;
use super::levels::{FailOn, Levels};
use super::paths::absolute;
use super::read;
use super::reading::Branches;
use super::settings_error::SettingsError;
use super::target::{CudaTable, HipTable, OpenclTable};
use super::value_errors::rewrite_serde_error;
use tangle_analysis::tangle::Model;
use tangle_syntax::dialect::{Builtin, ConventionChanges};
use tangle_syntax::source::{LaunchRow, UniformRow};

/// The name of the file.
pub const NAME: &str = "tangle.toml";

/// Settings of a project. Relative paths start at the folder of this file.
// Each key or table is a field. The doc comments are descriptions in the schema, which editors show.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[schemars(title = "tangle.toml")]
pub struct Config {
    /// Header folders, as `-I`.
    pub include: Vec<PathBuf>,
    /// Files that are included before each source, as `--include`.
    pub include_files: Vec<PathBuf>,
    /// Macros, as `-D`: `NAME`, `NAME=VALUE` or `NAME(X)=VALUE`.
    #[serde(deserialize_with = "definitions")]
    pub define: Vec<String>,
    /// Macros to undefine, as `-U`.
    #[serde(deserialize_with = "macro_names")]
    pub undefine: Vec<String>,
    /// The folder of `compile_commands.json`, as `-p`.
    pub compile_commands: Option<PathBuf>,
    /// The language of the sources, as `--dialect`.
    pub dialect: Option<Dialect>,
    /// The rules for which threads are converged, as `--model`.
    pub model: Option<Model>,
    /// Lowest severity that makes the exit status 1, as `--fail-on`.
    pub fail_on: Option<FailOn>,
    /// Check all inactive `#if` branches, as `--all-branches`.
    pub all_branches: bool,
    /// Do not check inactive `#if` branches, as `--only-active-branches`.
    pub only_active_branches: bool,
    /// Sources that the program puts before each source at run time.
    pub prelude: Vec<PathBuf>,
    /// Files to skip in folders. `*` and `?` match within one folder, `**` across folders.
    pub exclude: Vec<Pattern>,
    /// Variants of the build, one table per variant.
    pub builds: Vec<BuildRow>,
    /// Levels of rules, as `--rule`.
    pub rules: Levels,
    /// Levels of rules for some files. Of several tables for a file, the last holds.
    pub overrides: Vec<Override>,
    /// Functions that are convergent operations, whatever their definitions look like.
    #[serde(deserialize_with = "shared")]
    pub builtins: Arc<[Builtin]>,
    /// Uniform values that the analysis cannot see.
    #[serde(deserialize_with = "shared")]
    pub uniform: Arc<[UniformRow]>,
    /// Changes to the conventions for names: what the name of something undefined implies.
    #[serde(deserialize_with = "shared_table")]
    #[schemars(with = "ConventionChanges")]
    pub conventions: Arc<ConventionChanges>,
    /// Sizes of launches, for kernels without such attributes or comments.
    pub launch: LaunchRow,
    /// Settings for OpenCL C.
    pub opencl: OpenclTable,
    /// Settings for CUDA.
    pub cuda: CudaTable,
    /// Settings for HIP.
    pub hip: HipTable,
    /// The folder of the file, from the root.
    #[serde(skip)]
    folder: PathBuf,
    /// The path of the file, as given.
    #[serde(skip)]
    pub path: PathBuf,
}

/// The JSON schema of the file, in the draft that TOML editors support.
pub const SCHEMA: &str = include_str!("../../docs/schemas/settings.json");

/// Returns the same schema as derived from [`Config`].
pub fn schema() -> Schema {
    SchemaSettings::draft07().for_deserialize().into_generator().into_root_schema_for::<Config>()
}

/// Levels of rules for some files, over `[rules]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Override {
    /// Path patterns, relative to the folder of this file.
    files: Vec<Pattern>,
    /// Levels of rules.
    rules: Levels,
}

/// A variant of the build. Its settings are added to those at the top of the file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(rename = "Build")]
pub struct BuildRow {
    /// Findings show this name.
    #[schemars(with = "String")]
    pub name: Spanned<String>,
    /// Path patterns, relative to the folder of this file. Default: all files.
    files: Option<Vec<Pattern>>,
    /// Macros, as `-D`.
    #[serde(default, alias = "defines", deserialize_with = "definitions")]
    pub define: Vec<String>,
    /// Macros to undefine, as `-U`.
    #[serde(default, deserialize_with = "macro_names")]
    pub undefine: Vec<String>,
    /// Sources that come before each source, after the `prelude` of all builds.
    #[serde(default)]
    pub prelude: Vec<PathBuf>,
    /// The folder of the `tangle.toml`, from the root.
    #[serde(skip)]
    folder: PathBuf,
}

impl BuildRow {
    /// Returns whether this build includes a source, given by its absolute path.
    pub fn matches(&self, source: &Path) -> bool {
        self.files.as_ref().is_none_or(|files| matches(files, &self.folder, source))
    }
}

/// Returns whether a pattern matches a path. Patterns are relative to `folder`; both paths are absolute.
fn matches(patterns: &[Pattern], folder: &Path, path: &Path) -> bool {
    let inside = path.strip_prefix(folder);
    inside.is_ok_and(|path| patterns.iter().any(|pattern| pattern.matcher.is_match(path)))
}

/// A string that is not a valid path pattern, with the error.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("invalid path pattern `{text}`: {}", .source.kind())]
struct InvalidPattern {
    text: String,
    source: globset::Error,
}

/// A pattern of paths: `*` and `?` stay within a folder, `**` matches across folders.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(with = "String")]
pub struct Pattern {
    glob: Glob,
    matcher: GlobMatcher,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.glob == other.glob
    }
}

impl Eq for Pattern {}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(pattern: D) -> Result<Pattern, D::Error> {
        pattern.deserialize_str(ParsedString(|text: &str| {
            let text = text.strip_prefix("./").unwrap_or(text);
            let glob = GlobBuilder::new(text).literal_separator(true).build();
            let glob = glob.map_err(|source| InvalidPattern { text: text.to_owned(), source })?;
            Ok::<_, InvalidPattern>(Pattern { matcher: glob.compile_matcher(), glob })
        }))
    }
}

/// Parses a string with a function. Implemented as a visitor, so that `toml` locates an error at the string and not at
/// the list that contains it.
struct ParsedString<F>(F);

impl<T, W: fmt::Display, F: Fn(&str) -> Result<T, W>> Visitor<'_> for ParsedString<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.0)(text).map_err(E::custom)
    }
}

/// Deserializes macro definitions in the syntax of `-D`.
fn definitions<'de, D: Deserializer<'de>>(list: D) -> Result<Vec<String>, D::Error> {
    struct Definition(String);

    impl<'de> Deserialize<'de> for Definition {
        fn deserialize<D: Deserializer<'de>>(text: D) -> Result<Definition, D::Error> {
            text.deserialize_str(ParsedString(|text: &str| definition(text).map(Definition)))
        }
    }

    let list: Vec<Definition> = Vec::deserialize(list)?;
    Ok(list.into_iter().map(|Definition(text)| text).collect())
}

/// Deserializes macro names in the syntax of `-U`.
fn macro_names<'de, D: Deserializer<'de>>(list: D) -> Result<Vec<String>, D::Error> {
    struct Name(String);

    impl<'de> Deserialize<'de> for Name {
        fn deserialize<D: Deserializer<'de>>(text: D) -> Result<Name, D::Error> {
            text.deserialize_str(ParsedString(|text: &str| macro_name(text).map(Name)))
        }
    }

    let list: Vec<Name> = Vec::deserialize(list)?;
    Ok(list.into_iter().map(|Name(text)| text).collect())
}

/// Deserializes rows into a slice that all sources of a project share.
fn shared<'de, D: Deserializer<'de>, T: Deserialize<'de>>(rows: D) -> Result<Arc<[T]>, D::Error> {
    /// A newtype, so that `toml` locates an error of a row at this row, and not at the first one.
    #[derive(Deserialize)]
    struct Row<T>(T);

    let rows: Vec<Row<T>> = Vec::deserialize(rows)?;
    Ok(rows.into_iter().map(|Row(row)| row).collect())
}

/// Deserializes a table that all sources of a project share.
fn shared_table<'de, D: Deserializer<'de>, T: Deserialize<'de>>(table: D) -> Result<Arc<T>, D::Error> {
    T::deserialize(table).map(Arc::new)
}

impl Config {
    /// Returns whether `exclude` matches a source, given by its absolute path, or a folder that contains it.
    pub fn excludes(&self, source: &Path) -> bool {
        !self.exclude.is_empty() && source.ancestors().any(|path| matches(&self.exclude, &self.folder, path))
    }

    /// Returns the levels of the rules for a source, given by its absolute path.
    pub fn levels(&self, source: Option<&Path>) -> Levels {
        let mut levels = self.rules.clone();
        let is_about =
            |row: &&Override| source.is_some_and(|source| matches(&row.files, &self.folder, source));
        self.overrides.iter().filter(is_about).for_each(|row| levels.override_with(&row.rules));
        levels
    }

    /// Returns the inactive branches to check. `None` if the file does not set them.
    pub fn branches(&self) -> Option<Branches> {
        Branches::chosen(self.all_branches, self.only_active_branches)
    }

    /// Reads a file. Relative paths in it start at its folder.
    pub fn read(path: &Path) -> Result<Config, SettingsError> {
        Config::of_text(&read::strict(path)?, path)
    }

    /// Reads the text of a file. The files that it names must exist.
    pub fn of_text(text: &str, path: &Path) -> Result<Config, SettingsError> {
        let config = Config::parse(text, path)?;
        match missing_file(text, path) {
            Some(trouble) => Err(trouble),
            None => Ok(config),
        }
    }

    fn parse(text: &str, path: &Path) -> Result<Config, SettingsError> {
        let mut config: Config = toml::from_str(text).map_err(|error| describe_error(path, text, &error))?;
        // Names of builds must be unique, because findings show them.
        let is_again = |index: &usize| {
            let (before, name) = (&config.builds[..*index], &config.builds[*index].name);
            before.iter().any(|other| other.name == *name)
        };
        if let Some(again) = (0..config.builds.len()).find(is_again) {
            let name = &config.builds[again].name;
            let message =
                format!("duplicate build `{name}`: give each `[[builds]]` table a `name` of its own");
            return Err(SettingsError::at(path, text, name.span(), message));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        config.folder = absolute(folder);
        config.path = path.to_owned();
        for build in &mut config.builds {
            build.folder = absolute(folder);
            build.prelude.iter_mut().for_each(|path| *path = folder.join(&*path));
        }
        let paths = config.include.iter_mut().chain(&mut config.include_files).chain(&mut config.prelude);
        paths.chain(&mut config.compile_commands).for_each(|path| *path = folder.join(&*path));
        Ok(config)
    }
}

/// Returns the first file that a key names and that does not exist. A header folder can be missing, because the build
/// may create it.
fn missing_file(text: &str, path: &Path) -> Option<SettingsError> {
    let root = DeTable::parse(text).ok()?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let missing = |within: &str, key: &str, value: &Spanned<DeValue<'_>>, inside: &str| {
        let DeValue::String(name) = value.get_ref() else { return None };
        let file = folder.join(&**name);
        let file = if inside.is_empty() { file } else { file.join(inside) };
        let shown =
            if inside.is_empty() { format!("file `{name}`") } else { format!("`{inside}` in `{name}`") };
        let message = format!("`{key}`{within}: there is no {shown}");
        (!file.is_file()).then(|| SettingsError::at(path, text, value.span(), message))
    };
    let in_table = |table: &DeTable<'_>, within: &str| {
        let list = |key: &str| {
            let value = table.get(key)?;
            let DeValue::Array(names) = value.get_ref() else { return None };
            names.iter().find_map(|name| missing(within, key, name, ""))
        };
        list("include-files").or_else(|| list("prelude"))
    };
    let root = root.get_ref();
    let commands = || {
        let key = "compile-commands";
        root.get(key).and_then(|value| missing("", key, value, compile_commands::NAME))
    };
    let builds = || match root.get("builds")?.get_ref() {
        DeValue::Array(rows) => rows.iter().find_map(|row| match row.get_ref() {
            DeValue::Table(table) => in_table(table, " in `[[builds]]`"),
            _ => None,
        }),
        _ => None,
    };
    in_table(root, "").or_else(commands).or_else(builds)
}

/// Rewrites a parse error in the terms of the file format: the key, the expected value and the found value.
fn describe_error(path: &Path, text: &str, error: &toml::de::Error) -> SettingsError {
    // The parser writes the expected value on a separate line.
    let message = error.message().replace('\n', ", ");
    let span = error.span();
    let message = match DeTable::parse(text) {
        Err(_) => format!("invalid TOML: {message}"),
        Ok(root) => match span.as_ref().and_then(|span| locate_key(root.get_ref(), "", span)) {
            // The value of a key with a fixed set of words.
            Some(KeyLocation::Value(key)) if message == "wanted string or table" => {
                let found = span.clone().and_then(|span| text.get(span)).unwrap_or_default();
                format!("{key}: expected a string, found `{}`", found.lines().next().unwrap_or_default())
            }
            Some(KeyLocation::Value(key)) => {
                format!("{key}: {}", rewrite_serde_error(&message, "a table", ""))
            }
            Some(KeyLocation::Table(within)) => rewrite_serde_error(&message, "a table", &within),
            None => rewrite_serde_error(&message, "a table", ""),
        },
    };
    match span {
        Some(span) => SettingsError::at(path, text, span, message),
        None => SettingsError::whole(path, message),
    }
}

/// A location in a file, as named in messages.
enum KeyLocation {
    /// The value of a key: `` `files` in `[[builds]]` ``.
    Value(String),
    /// A table, or a key of it: `` in `[[builds]]` `` with a space before it; empty at the top of the file.
    Table(String),
}

/// Finds the key or table at a byte range. `within` names the table, as in [`KeyLocation::Table`].
fn locate_key(table: &DeTable<'_>, within: &str, at: &Range<usize>) -> Option<KeyLocation> {
    for (key, value) in table.iter() {
        let (name, span) = (key.get_ref(), value.span());
        if key.span() == *at {
            return Some(KeyLocation::Table(within.to_owned()));
        }
        let inside = match value.get_ref() {
            DeValue::Table(table) => spot_in_row(table, &span, format!(" in `[{name}]`"), at),
            DeValue::Array(rows) => rows.iter().find_map(|row| match row.get_ref() {
                DeValue::Table(table) => spot_in_row(table, &row.span(), format!(" in `[[{name}]]`"), at),
                _ => None,
            }),
            _ => None,
        };
        let is_here = span.start <= at.start && at.end <= span.end;
        let here = is_here.then(|| KeyLocation::Value(format!("`{name}`{within}")));
        if let Some(found) = inside.or(here) {
            return Some(found);
        }
    }
    None
}

fn spot_in_row(
    table: &DeTable<'_>,
    span: &Range<usize>,
    header: String,
    at: &Range<usize>,
) -> Option<KeyLocation> {
    if span == at { Some(KeyLocation::Table(header)) } else { locate_key(table, &header, at) }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::levels::Level;
    use tangle_diagnostic::Severity;
    use tangle_syntax::dialect::Name;

    fn error(text: &str) -> String {
        Config::parse(text, Path::new("p/tangle.toml")).unwrap_err().to_string()
    }

    #[test]
    fn documented_example_is_parsed() {
        let example = include_str!("tangle_toml.rs");
        let example: String = example
            .lines()
            .skip_while(|line| *line != "//! ```toml")
            .skip(1)
            .take_while(|line| *line != "//! ```")
            .map(|line| line.trim_start_matches("//!").trim_start().to_owned() + "\n")
            .collect();
        let config = Config::parse(&example, Path::new("p/tangle.toml")).unwrap();
        assert_eq!(config.include, [Path::new("p/OpenCL")]);
        assert_eq!(config.include_files, [Path::new("p/prelude.h")]);
        assert_eq!(config.define, ["VECT_SIZE=4", "S(x)=#x"]);
        assert_eq!(config.compile_commands.as_deref(), Some(Path::new("p/build-release")));
        assert_eq!(config.dialect, Some(Dialect::Opencl));
        assert_eq!(config.model, Some(Model::Tangles));
        assert_eq!(config.rules.get("missing-include"), Some(Level::Off));
        assert_eq!(config.fail_on, Some(FailOn::Least(Severity::Error)));
        assert_eq!(config.prelude, [Path::new("p/common.cl")]);
        let path = |path: &str| absolute(Path::new(path));
        assert!(config.excludes(&path("p/third_party/a/b.cl")) && !config.excludes(&path("p/a.cl")));
        let level = |file: &str| config.levels(Some(&path(file))).get("unknown-type");
        assert_eq!((level("p/tests/a.cl"), level("p/a.cl")), (Some(Level::Off), None));
        assert!(config.all_branches);
        let [build] = &config.builds[..] else { panic!("one build") };
        assert_eq!(
            (&**build.name.get_ref(), &build.define[..]),
            ("doubles", &["REAL=double".to_owned()][..])
        );
        assert_eq!(
            (&build.undefine[..], &build.prelude[..]),
            (&["HALF".to_owned()][..], &[PathBuf::from("p/doubles.cl")][..])
        );
        let about = |path: &str| build.matches(&absolute(Path::new(path)));
        assert!(about("p/kernels/a.cl") && about("p/kernels/b/c/a.cl"));
        assert!(!about("p/a.cl") && !about("p/kernels/a.h") && !about("kernels/a.cl"));
        assert_eq!(config.builtins[0].name, Name::Exact("my_barrier".to_owned()));
        assert_eq!(config.uniform[0].variable.as_deref(), Some("width"));
        assert_eq!(config.launch.0.local_size, [Some(64), Some(1), Some(1)]);
        assert_eq!(config.launch.0.sub_group_size, Some(32));
        assert_eq!(config.launch.0.global_multiple_of, Some(64));
        assert_eq!(config.cuda.arch.0, [80]);
        assert_eq!(config.hip.wave.0, [32, 64]);
    }

    #[test]
    fn errors_name_the_key_and_its_position() {
        expect!["p/tangle.toml:2:1: unknown key `includes`; did you mean `include`?"]
            .assert_eq(&error("define = []\nincludes = ['x']\n"));
        expect!["p/tangle.toml:2:1: unknown key `archh` in `[cuda]`; did you mean `arch`?"]
            .assert_eq(&error("[cuda]\narchh = 80\n"));
        expect!["p/tangle.toml:1:12: invalid TOML: unclosed array, expected `]`"]
            .assert_eq(&error("include = [\n"));
        expect!["p/tangle.toml:2:21: `define`: expected a string, found `3`"]
            .assert_eq(&error("# µ\ndefine = ['a', 'µ', 3]\n"));
        expect!["p/tangle.toml:1:16: `all-branches`: expected `true` or `false`, found `1`"]
            .assert_eq(&error("all-branches = 1\n"));
        expect!["p/tangle.toml:1:11: `dialect`: expected `auto`, `opencl`, `cuda` or `hip`, found `glsl`"]
            .assert_eq(&error("dialect = 'glsl'\n"));
        expect!["p/tangle.toml:1:9: `model`: expected a string, found `3`"].assert_eq(&error("model = 3\n"));
        expect![[
            r#"p/tangle.toml:1:11: `fail-on`: expected `error`, `warning`, `note`, `confirmed` or `never`, found the string "µ""#
        ]]
        .assert_eq(&error("fail-on = 'µ'\n"));
    }

    #[test]
    fn errors_suggest_the_intended_value() {
        for (text, expected) in [
            (
                "dialect = 'opncl'",
                "1:11: `dialect`: expected `auto`, `opencl`, `cuda` or `hip`, found `opncl`; did you mean `opencl`?",
            ),
            (
                "model = 'tangle'",
                "1:9: `model`: expected `tangles` or `revised`, found `tangle`; did you mean `tangles`?",
            ),
            (
                "fail-on = 'warnin'",
                "1:11: `fail-on`: expected `error`, `warning`, `note`, `confirmed` or `never`, found the string \"warnin\"; did you mean `warning`?",
            ),
            (
                "[cuda]\narch = 800",
                "2:8: `arch` in `[cuda]`: expected a compute capability such as 80, found `800`; did you mean `80`?",
            ),
            (
                "[cuda]\narch = [80, 'sm_90a']",
                "2:13: `arch` in `[cuda]`: expected a compute capability such as 80, found the string \"sm_90a\"; did you mean `90`?",
            ),
            (
                "[cuda]\narch = '8.6'",
                "2:8: `arch` in `[cuda]`: expected a compute capability such as 80, found the string \"8.6\"; did you mean `86`?",
            ),
            (
                "[cuda]\narch = 7",
                "2:8: `arch` in `[cuda]`: expected a compute capability such as 80, found `7`",
            ),
        ] {
            assert_eq!(error(text), format!("p/tangle.toml:{expected}"), "{text}");
        }
    }

    #[test]
    fn errors_in_lists_point_to_the_element() {
        for (text, expected) in [
            ("define = ['A', '1x']", "1:16: `define`: `1x` is not a valid macro name"),
            ("define = ['N 4']", "1:11: `define`: `N 4` is not a valid macro name"),
            ("undefine = ['A', 'B=1']", "1:18: `undefine`: `B=1` is not a valid macro name"),
            (
                "[[builds]]\nname = 'a'\ndefine = ['-DA']",
                "3:11: `define` in `[[builds]]`: `-DA` is not a valid macro name",
            ),
            (
                "exclude = ['a', 'b[']",
                "1:17: `exclude`: invalid path pattern `b[`: unclosed character class; missing ']'",
            ),
            (
                "[[overrides]]\nfiles = ['a', 3]\nrules = {}",
                "2:15: `files` in `[[overrides]]`: expected a string, found `3`",
            ),
        ] {
            assert_eq!(error(text), format!("p/tangle.toml:{expected}"), "{text}");
        }
    }

    #[test]
    fn missing_files_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tangle.toml");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let error = Config::read(&path).map(|_| ()).map_err(|trouble| trouble.to_string());
            error.map_err(|error| error.replace(folder.path().to_str().unwrap(), "p"))
        };
        std::fs::write(folder.path().join("a.h"), "").unwrap();
        for (text, expected) in [
            ("include-files = ['a.h', 'b.h']", "1:25: `include-files`: there is no file `b.h`"),
            ("prelude = ['c.cl']", "1:12: `prelude`: there is no file `c.cl`"),
            (
                "[[builds]]\nname = 'a'\nprelude = ['.']",
                "3:12: `prelude` in `[[builds]]`: there is no file `.`",
            ),
            (
                "compile-commands = 'b'",
                "1:20: `compile-commands`: there is no `compile_commands.json` in `b`",
            ),
        ] {
            assert_eq!(read(text), Err(format!("p/tangle.toml:{expected}")), "{text}");
        }
        assert_eq!(read("include = ['made-by-the-build']\ninclude-files = ['./a.h']"), Ok(()));
    }

    #[test]
    fn error_diagnostic_marks_the_wrong_key() {
        let text = "# first\n[rules]\nmising-include = 'off'\n";
        let trouble = Config::parse(text, Path::new("tangle.toml")).unwrap_err();
        let (diagnostic, _) = trouble.diagnostic().unwrap();
        assert_eq!(&text[diagnostic.place.range.clone()], "mising-include");
        assert_eq!(diagnostic.message, "there is no rule `mising-include`");
        assert_eq!(diagnostic.label, "did you mean `missing-include`?");
    }

    #[test]
    fn errors_in_rules_name_the_rule() {
        expect!["p/tangle.toml:3:1: there is no rule `mising-include`; did you mean `missing-include`?"]
            .assert_eq(&error("[rules]\nmissing-include = 'off'\nmising-include = 'off'\n"));
        let expected = "`missing-include` in `[rules]`: expected `error`, `warning`, `note` or `off`, found";
        assert_eq!(
            error("[rules]\nmissing-include = 'loud'\n"),
            format!("p/tangle.toml:2:19: {expected} the string \"loud\"")
        );
        assert_eq!(error("[rules]\nmissing-include = 3\n"), format!("p/tangle.toml:2:19: {expected} `3`"));
    }

    #[test]
    fn errors_in_sizes_name_the_expected_value() {
        let sizes = "expected an integer of at least 1, or a list of one to three such integers, found";
        for (written, expected) in [
            ("local-size = 'x'", format!("3:14: `local-size` in `[launch]`: {sizes} the string \"x\"")),
            ("local-size = []", format!("3:14: `local-size` in `[launch]`: {sizes} a list of length 0")),
            ("local-size = 0", format!("3:14: `local-size` in `[launch]`: {sizes} `0`")),
            (
                "local-size = [16, 0]",
                "3:14: `local-size` in `[launch]`: expected an integer of at least 1, found `0`".to_owned(),
            ),
            (
                "sub-group-size = -1",
                "3:18: `sub-group-size` in `[launch]`: expected an integer of at least 1, found `-1`"
                    .to_owned(),
            ),
        ] {
            let found = error(&format!("\n[launch]\n{written}\n"));
            assert_eq!(found, format!("p/tangle.toml:{expected}"), "{written}");
        }
        expect!["p/tangle.toml:1:10: `launch`: expected a table, found `3`"]
            .assert_eq(&error("launch = 3\n"));
        expect![[r#"p/tangle.toml:2:8: `wave` in `[hip]`: expected 32, 64 or "both", found `16`"#]]
            .assert_eq(&error("[hip]\nwave = 16\n"));
    }

    #[test]
    fn errors_in_table_arrays_point_to_the_row() {
        expect![[
            r#"p/tangle.toml:5:9: `scope` in `[[uniform]]`: expected `subgroup`, `workgroup` or `grid`, found the string "none""#
        ]]
        .assert_eq(&error("\n[[uniform]]\nfunction = 'f'\nresult = true\nscope = 'none'\n"));
        let right = "[[uniform]]\nfunction = 'f'\nresult = true\nscope = 'grid'\n";
        expect![
            "p/tangle.toml:5:1: this `[[uniform]]` needs exactly one of `parameter`, `variable` and `result = true`"
        ]
        .assert_eq(&error(&format!("{right}[[uniform]]\nfunction = 'f'\nscope = 'workgroup'\n")));
        let builtin = |rows: &str| error(&format!("[[builtins]]\n{rows}\n"));
        expect!["p/tangle.toml:2:9: `scope` in `[[builtins]]`: unknown scope `warp`: expected one of `none`, `tile`, `subgroup`, `workgroup`, `cluster`, `grid`"]
            .assert_eq(&builtin("scope = 'warp'"));
        expect![
            "p/tangle.toml:4:8: `kind` in `[[builtins]]`: unknown kind `barier`; did you mean `barrier`?"
        ]
        .assert_eq(&builtin("name = 'sync'\nscope = 'workgroup'\nkind = 'barier'"));
        expect!["p/tangle.toml:4:10: `result` in `[[builtins]]`: unknown result `operand`; did you mean `operands`?"]
            .assert_eq(&builtin("name = 'sync'\nscope = 'workgroup'\nresult = 'operand'"));
        expect!["p/tangle.toml:3:1: unknown key `scop`; did you mean `scope`?"]
            .assert_eq(&builtin("name = 'sync'\nscop = 'workgroup'"));
        expect!["p/tangle.toml:1:1: this builtin needs `name` or `pattern`"]
            .assert_eq(&builtin("scope = 'workgroup'"));
        expect![
            "p/tangle.toml:1:1: this builtin needs a `scope`: one of `none`, `tile`, `subgroup`, `workgroup`, `cluster`, `grid`"
        ]
        .assert_eq(&builtin("name = 'sync'"));
        expect!["p/tangle.toml:1:1: missing key `name` in `[[builds]]`"]
            .assert_eq(&error("[[builds]]\nfiles = []\n"));
        expect!["p/tangle.toml:4:8: duplicate build `a`: give each `[[builds]]` table a `name` of its own"]
            .assert_eq(&error("[[builds]]\nname = 'a'\n[[builds]]\nname = 'a'\n"));
        expect!["p/tangle.toml:3:10: `files` in `[[builds]]`: invalid path pattern `a[`: unclosed character class; missing ']'"]
            .assert_eq(&error("[[builds]]\nname = 'a'\nfiles = ['a[']\n"));
    }
}
