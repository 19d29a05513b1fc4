//! What the user sets in the editor: section `tangle`, the options of the command line.
//!
//! They come with `initialize`, by `workspace/configuration`, or by `workspace/didChangeConfiguration`. They stand over those of
//! `tangle.toml`, as a command line would.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use tangle::cli::config::Config;
use tangle::cli::options::{Dialect, Language, LanguageArgs, MacroOption, MacroOptions, Model};
use tangle::cli::rules::{self, Level};

use crate::compile_commands;

/// The section, for one workspace folder or for all.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Options {
    /// Folders for headers (`-I`), from the workspace folder.
    pub include_paths: Vec<PathBuf>,
    /// Files that are read before each source (`--include`).
    pub include_files: Vec<PathBuf>,
    /// `NAME`, `NAME=VALUE` or `NAME(X)=VALUE` (`-D`).
    pub defines: Vec<String>,
    /// Macros that are not defined (`-U`).
    pub undefines: Vec<String>,
    pub dialect: Option<Dialect>,
    pub model: Option<Model>,
    /// How much each rule matters.
    pub rules: BTreeMap<String, Level>,
    /// The configuration file; without it, the nearest `tangle.toml` above a source.
    pub config_file: Option<PathBuf>,
    pub inlay_hints: Switch,
    pub code_lens: Switch,
}

/// Something that can be turned off.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default)]
pub struct Switch {
    pub enable: bool,
}

impl Default for Switch {
    fn default() -> Switch {
        Switch { enable: true }
    }
}

impl Options {
    /// Reads the section. What cannot be read leaves everything at its default, and is told.
    pub fn read(mut value: Value) -> Result<Options, String> {
        // With `initialize` some clients send the section, and some an object that holds it.
        if let Some(section) = value.get_mut("tangle") {
            value = section.take();
        }
        remove_unset(&mut value);
        if value.is_null() {
            return Ok(Options::default());
        }
        let options: Options =
            serde_json::from_value(value).map_err(|error| format!("the settings of `tangle`: {error}"))?;
        for rule in options.rules.keys() {
            rules::known(rule).map_err(|message| format!("`tangle.rules`: {message}"))?;
        }
        Ok(options)
    }
}

/// Editors send what is not set as null, or as an empty text.
fn remove_unset(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.retain(|_, field| !field.is_null() && field.as_str() != Some(""));
        fields.values_mut().for_each(remove_unset);
    }
}

/// How a document is read, before it is an input of the database.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    pub language: Language,
    pub rules: BTreeMap<String, Level>,
}

impl Reading {
    /// What holds for a file: the editor's options, the build's flags, the configuration. What cannot be read is told, and left out.
    pub fn of(file: &Path, options: &Options, folder: Option<&Path>, troubles: &mut Vec<String>) -> Reading {
        let here = |path: &PathBuf| folder.map_or_else(|| path.clone(), |folder| folder.join(path));
        let config = match &options.config_file {
            Some(path) => Config::read(&here(path)),
            None => Config::nearest(file),
        };
        let config = config.unwrap_or_else(|trouble| {
            troubles.push(trouble);
            Config::default()
        });
        let flags = compile_commands::flags(file).unwrap_or_else(|trouble| {
            troubles.push(trouble);
            None
        });
        let defines = options.defines.iter().cloned().map(MacroOption::Define);
        let undefines = options.undefines.iter().cloned().map(MacroOption::Undefine);
        let args = LanguageArgs {
            include_dirs: options.include_paths.iter().map(here).collect(),
            macros: MacroOptions(defines.chain(undefines).collect()),
            include_files: options.include_files.iter().map(here).collect(),
            dialect: options.dialect,
            model: options.model,
            config: None,
        };
        let mut language = args.resolve(&config);
        if let Some(flags) = flags {
            language.include_dirs.extend(flags.include_dirs);
            language.macros.splice(0..0, flags.macros);
            language.include_files.splice(0..0, flags.include_files);
        }
        let mut rules = config.rules;
        rules.extend(options.rules.iter().map(|(rule, level)| (rule.clone(), *level)));
        Reading { language, rules }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_section_is_read_with_what_is_not_set() {
        let section = json!({ "includePaths": ["inc"], "defines": ["N=4"], "model": null, "configFile": "",
            "rules": { "missing-include": "off" }, "inlayHints": { "enable": false }, "trace": { "server": "off" } });
        for value in [section.clone(), json!({ "tangle": section })] {
            let options = Options::read(value).unwrap();
            assert_eq!(options.include_paths, [PathBuf::from("inc")]);
            assert_eq!((options.model, &options.config_file), (None, &None));
            assert_eq!(options.rules["missing-include"], Level::Off);
            assert!(!options.inlay_hints.enable && options.code_lens.enable);
        }
        assert!(Options::read(Value::Null).is_ok());
    }

    #[test]
    fn mistakes_are_told() {
        let error = Options::read(json!({ "rules": { "mising-include": "off" } })).unwrap_err();
        assert_eq!(
            error,
            "`tangle.rules`: there is no rule `mising-include`; did you mean `missing-include`?"
        );
        assert!(Options::read(json!({ "model": "quantum" })).unwrap_err().contains("quantum"));
    }
}
