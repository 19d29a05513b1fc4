//! `tangle config`: the settings of a file, and the origin of each.
//!
//! Each line shows a setting of `tangle.toml` and its origin: the command line, a file, or the default. A list has one
//! line per element: folders in search order, macros in the order of their definition.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use super::error::CommandError;
use super::module::pretty;
use super::options::LanguageArgs;
use super::outcome::Status;
use super::output::{OutputError, Streams};
use super::plan::InvalidSettings;
use tangle_analysis::tangle::Model;
use tangle_project::flags::{C_VERSION, FEATURE};
use tangle_project::levels::Level;
use tangle_project::reading::{Layers, SourceSettings};
use tangle_project::{Branches, Build, Language, MacroOption, Project};
use tangle_rules as lint;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ConfigFormat {
    /// A line for each setting, with its origin
    #[default]
    Human,
    /// One JSON object
    Json,
}

/// Print the settings that hold for a file, and where each comes from
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// The source file; it need not exist
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: ConfigFormat,

    #[command(flatten)]
    language: LanguageArgs,
}

/// The settings of a file.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "tangle config --format json")]
struct Document {
    /// The version of this format: 1.
    version: u32,
    file: String,
    settings: Vec<Setting>,
}

/// A setting that holds. A list has one entry for each element.
#[derive(Serialize, JsonSchema)]
struct Setting {
    /// The key in `tangle.toml`, with the table before a dot.
    key: String,
    value: String,
    /// The command line, a file, or `default`.
    origin: String,
}

/// The schema of the JSON output.
pub(super) fn schema(generator: SchemaGenerator) -> Schema {
    generator.into_root_schema_for::<Document>()
}

/// Prints the settings.
///
/// # Errors
///
/// The settings of the file are wrong, or the output cannot be written.
pub(super) fn run(args: ConfigArgs, streams: &mut Streams) -> Result<Status, CommandError> {
    let given = args.language.given();
    let mut wrong = Vec::new();
    let layers = Project::default().layers(&args.file, &given, &mut wrong);
    if !wrong.is_empty() {
        return Err(InvalidSettings(wrong).into());
    }
    let settings = settings(&layers);
    let out = &mut streams.out;
    let written = match args.format {
        ConfigFormat::Human => {
            let left = |setting: &Setting| format!("{} = {}", setting.key, setting.value);
            let width = settings.iter().map(|setting| left(setting).chars().count()).max().unwrap_or(0);
            settings
                .iter()
                .try_for_each(|setting| writeln!(out, "{:width$}  # {}", left(setting), setting.origin))
        }
        ConfigFormat::Json => {
            let plain = |Setting { key, value, origin }| {
                let value: String = value;
                Setting { key, value: value.trim_matches('"').to_owned(), origin }
            };
            let settings = settings.into_iter().map(plain).collect();
            let file = args.file.to_string_lossy().into_owned();
            pretty(out, &Document { version: 1, file, settings })
        }
    };
    written.map_err(OutputError)?;
    Ok(Status::Clean)
}

/// The origin of a setting that neither a file nor the command line sets.
const DEFAULT: &str = "default";

fn settings(layers: &Layers) -> Vec<Setting> {
    let Layers { all, user, config, build, plain, .. } = layers;
    let config = config.as_ref().map(|(path, reading)| (path.display().to_string(), reading));
    let build = build.as_ref().map(|(path, reading)| (path.display().to_string(), reading));
    // From the highest precedence to the lowest.
    let says: Vec<(String, &SourceSettings)> =
        [Some(("command line".to_owned(), user)), config.clone(), build].into_iter().flatten().collect();
    // `has`: the origin of a list element is the first reading that contains it. `one`: the origin of a single value
    // is the first reading with this value, unless the value is the default.
    let has = |has: &dyn Fn(&Build) -> bool| {
        let by = says.iter().find(|(_, reading)| reading.builds.iter().any(|it| has(&it.build)));
        by.map_or(DEFAULT.to_owned(), |(name, _)| name.clone())
    };
    let one = |is: &dyn Fn(&SourceSettings) -> bool| {
        let by = says.iter().find(|(_, reading)| is(reading) && !is(plain));
        by.map_or(DEFAULT.to_owned(), |(name, _)| name.clone())
    };
    let mut settings = Vec::new();
    let mut add = |key: &str, value: String, origin: String| {
        settings.push(Setting { key: key.to_owned(), value, origin });
    };
    let quoted = |value: &dyn std::fmt::Display| format!("{:?}", value.to_string());
    let first = all.build();
    let language = quoted(&match first.language {
        Language::Opencl => "opencl",
        Language::Cuda => "cuda",
        Language::Hip => "hip",
    });
    let origin = match one(&|reading: &SourceSettings| reading.build().language == first.language) {
        origin if origin == DEFAULT => "extension and content of the file".to_owned(),
        origin => origin,
    };
    add("dialect", language, origin);
    let model = match first.model {
        Model::Tangles => "tangles",
        Model::Revised => "revised",
    };
    add("model", quoted(&model), one(&|reading| reading.build().model == first.model));
    let (key, value) = match all.branches {
        Branches::Active => ("only-active-branches", true),
        Branches::All => ("all-branches", true),
        Branches::Convergent | Branches::AsNotes => ("all-branches", false),
    };
    let origin = match all.branches {
        // No setting selects one of these two: the choice depends on whether the build is known.
        Branches::Convergent | Branches::AsNotes => DEFAULT.to_owned(),
        chosen => one(&|reading| reading.branches == chosen),
    };
    add(key, value.to_string(), origin);
    let fail_on = layers.fail_on.unwrap_or_default().name();
    let of_file = || config.as_ref().map_or(DEFAULT.to_owned(), |(path, _)| path.clone());
    add("fail-on", quoted(&fail_on), layers.fail_on.map_or(DEFAULT.to_owned(), |_| of_file()));
    for named in &all.builds {
        if let Some(name) = &named.name {
            add("builds.name", quoted(name), of_file());
        }
        let build = &named.build;
        for folder in &build.quote_dirs {
            add("include (quotes)", quoted(&folder.display()), has(&|it| it.quote_dirs.contains(folder)));
        }
        for folder in &build.include_dirs {
            add("include", quoted(&folder.display()), has(&|it| it.include_dirs.contains(folder)));
        }
        if let Some(version) = build.macros.iter().rev().find_map(version) {
            let std = format!("CL{}.{}", version / 100, version % 100 / 10);
            let says = |it: &Build| it.macros.iter().rev().find_map(self::version) == Some(version);
            add("opencl.std", quoted(&std), has(&says));
        }
        for option in build.macros.iter().filter(|option| !is_of_version(option)) {
            let (key, text) = match option {
                MacroOption::Define(text) => ("define", text),
                MacroOption::Undefine(text) => ("undefine", text),
            };
            add(key, quoted(text), has(&|it| it.macros.contains(option)));
        }
        for file in &build.include_files {
            add("include-files", quoted(&file.display()), has(&|it| it.include_files.contains(file)));
        }
    }
    for rule in lint::RULES {
        let Some(level) = all.levels.get(rule.id) else { continue };
        let value = match level {
            Level::As(severity) => severity.name(),
            Level::Off => "off",
        };
        let origin = one(&|reading| reading.levels.get(rule.id) == Some(level));
        add(&format!("rules.{}", rule.id), quoted(&value), origin);
    }
    if all.is_excluded {
        add("exclude", "true".to_owned(), one(&|reading| reading.is_excluded));
    }
    settings
}

/// Returns the version of OpenCL C that an option defines, for example 200 for 2.0.
fn version(option: &MacroOption) -> Option<u32> {
    match option {
        MacroOption::Define(text) => text.strip_prefix(C_VERSION)?.strip_prefix('=')?.parse().ok(),
        MacroOption::Undefine(_) => None,
    }
}

/// Returns whether an option only sets the version of OpenCL C: it concerns the version macro or a feature macro.
fn is_of_version(option: &MacroOption) -> bool {
    match option {
        MacroOption::Define(_) => version(option).is_some(),
        MacroOption::Undefine(name) => name == C_VERSION || name.starts_with(FEATURE),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::super::lint::tests::{Folder, tangle};

    #[test]
    fn config_prints_the_origin_of_each_setting() {
        let commands = r#"[{"directory": "..", "file": "src/a.cl",
            "arguments": ["clang", "-DBUILD=1", "-Iother", "-cl-std=CL2.0"]}]"#;
        let config =
            "include = ['include']\ndefine = ['CONFIG']\nfail-on = 'error'\n[rules]\nunknown-type = 'off'\n";
        let folder = Folder::new(
            "config",
            &[("tangle.toml", config), ("build/compile_commands.json", commands), ("src/a.cl", "")],
        );
        let args = ["config", &*folder.path("src/a.cl"), "-D", "USER", "--model", "revised"];
        let (status, out, err) = tangle(&folder, "", &args);
        assert_eq!((status, &*err), (Status::Clean, ""));
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(
            out.lines().map(words).collect::<Vec<_>>(),
            [
                "dialect = \"opencl\" # extension and content of the file",
                "model = \"revised\" # command line",
                "all-branches = false # default",
                "fail-on = \"error\" # DIR/tangle.toml",
                "include = \"DIR/include\" # DIR/tangle.toml",
                "include = \"DIR/other\" # DIR/build/compile_commands.json",
                "opencl.std = \"CL2.0\" # DIR/build/compile_commands.json",
                "define = \"BUILD=1\" # DIR/build/compile_commands.json",
                "define = \"CONFIG\" # DIR/tangle.toml",
                "define = \"USER\" # command line",
                "rules.unknown-type = \"off\" # DIR/tangle.toml",
            ]
        );
        let missing = ["config", "a.cu", "--config", &*folder.path("none.toml")];
        let (status, _, err) = tangle(&folder, "", &missing);
        assert_eq!((status, &*err), (Status::Trouble, "tangle: DIR/none.toml: No such file or directory\n"));
    }
}
