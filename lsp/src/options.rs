//! The settings of the editor: section `tangle`, with the options of the command line.
//!
//! They come with `initialize`, by `workspace/configuration`, or by `workspace/didChangeConfiguration`. Like the
//! options of the command line, they override `tangle.toml` and the build.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use tangle_analysis::tangle::Model;
use tangle_execution::witness::shell;
use tangle_project::levels::Levels;
use tangle_project::value_errors::rewrite_serde_error;
use tangle_project::{Branches, Dialect, MacroOption, UserSettings};
use thiserror::Error;

/// An error in the section, as a message for the user.
#[derive(Debug, Error)]
#[error("invalid settings in section `tangle`: {}", rewrite_serde_error(&.0.to_string(), "an object", ""))]
pub struct OptionsError(#[from] serde_json::Error);

/// The section, for one workspace folder or for all folders.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Options {
    /// Folders for headers (`-I`), relative to the workspace folder.
    pub include_paths: Vec<PathBuf>,
    /// Files that are included before each source (`--include`).
    pub include_files: Vec<PathBuf>,
    /// `NAME`, `NAME=VALUE` or `NAME(X)=VALUE` (`-D`).
    pub defines: Vec<String>,
    /// Macros to undefine (`-U`).
    pub undefines: Vec<String>,
    /// Whether to check all inactive `#if` branches (`--all-branches`).
    pub all_branches: bool,
    /// Whether to skip inactive `#if` branches (`--only-active-branches`).
    pub only_active_branches: bool,
    pub dialect: Option<Dialect>,
    pub model: Option<Model>,
    /// The levels of rules (`--rule`).
    pub rules: Levels,
    /// The configuration file. Without it, the nearest `tangle.toml` above a source applies.
    pub config_file: Option<PathBuf>,
    /// The folder of the `compile_commands.json` (`-p`). Without it, the folder in `tangle.toml` or the nearest file
    /// above a source applies.
    pub compile_commands: Option<PathBuf>,
    pub inlay_hints: InlayHintOptions,
    /// Whether the editor fades text that `#if` leaves out.
    pub inactive_code: Toggle,
    pub code_lens: Toggle,
}

/// A feature that can be turned off.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default)]
pub struct Toggle {
    pub enable: bool,
}

impl Default for Toggle {
    fn default() -> Toggle {
        Toggle { enable: true }
    }
}

/// The options of inlay hints.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default)]
pub struct InlayHintOptions {
    pub enable: bool,
    /// Whether hints name the tangles of branches, loops and labels.
    pub tangles: bool,
}

impl Default for InlayHintOptions {
    fn default() -> InlayHintOptions {
        InlayHintOptions { enable: true, tangles: false }
    }
}

impl Options {
    /// Reads the section. After an error, the caller uses the defaults.
    pub fn read(mut value: Value) -> Result<Options, OptionsError> {
        // Some clients send the section itself, others an object that contains it.
        if let Some(section) = value.get_mut("tangle") {
            value = section.take();
        }
        remove_unset(&mut value);
        if value.is_null() {
            return Ok(Options::default());
        }
        Ok(serde_json::from_value(value)?)
    }

    /// Converts the options to settings for every source. Relative paths start at the workspace folder.
    pub fn given(&self, folder: Option<&Path>) -> UserSettings {
        let here = |path: &PathBuf| folder.map_or_else(|| path.clone(), |folder| folder.join(path));
        let defines = self.defines.iter().cloned().map(MacroOption::Define);
        let undefines = self.undefines.iter().cloned().map(MacroOption::Undefine);
        UserSettings {
            include_dirs: self.include_paths.iter().map(here).collect(),
            macros: defines.chain(undefines).collect(),
            include_files: self.include_files.iter().map(here).collect(),
            // Editors also send default values.
            dialect: self.dialect.filter(|&dialect| dialect != Dialect::Auto),
            model: self.model,
            rules: self.rules.clone(),
            fail_on: None,
            branches: Branches::chosen(self.all_branches, self.only_active_branches),
            config: self.config_file.as_ref().map(here),
            compile_commands: self.compile_commands.as_ref().map(here),
            ..UserSettings::default()
        }
    }
}

/// Returns settings as options of the command line, each with a space before it.
pub fn written(given: &UserSettings) -> String {
    let mut text = String::new();
    let mut add = |option: &str, value: &str| text += &format!(" {option}{}", shell(value));
    let name = |path: &PathBuf| path.display().to_string();
    given.include_dirs.iter().for_each(|folder| add("-I", &name(folder)));
    for option in &given.macros {
        match option {
            MacroOption::Define(text) => add("-D", text),
            MacroOption::Undefine(text) => add("-U", text),
        }
    }
    given.include_files.iter().for_each(|file| add("--include ", &name(file)));
    let dialect = given.dialect.and_then(|dialect| match dialect {
        Dialect::Auto => None,
        Dialect::Opencl => Some("opencl"),
        Dialect::Cuda => Some("cuda"),
        Dialect::Hip => Some("hip"),
    });
    dialect.iter().for_each(|name| add("--dialect ", name));
    let model = given.model.map(|model| match model {
        Model::Tangles => "tangles",
        Model::Revised => "revised",
    });
    model.iter().for_each(|name| add("--model ", name));
    given.config.iter().for_each(|file| add("--config ", &name(file)));
    given.compile_commands.iter().for_each(|folder| add("-p", &name(folder)));
    text
}

/// Removes unset values, which editors send as null or as an empty string.
fn remove_unset(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.retain(|_, field| !field.is_null() && field.as_str() != Some(""));
        fields.values_mut().for_each(remove_unset);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tangle_project::levels::Level;

    use super::*;

    #[test]
    fn settings_are_read_with_null_and_missing_values() {
        let section = json!({ "includePaths": ["inc"], "defines": ["N=4"], "model": null, "dialect": "auto", "configFile": "",
            "rules": { "missing-include": "off" }, "inlayHints": { "enable": false, "tangles": true }, "trace": { "server": "off" } });
        for value in [section.clone(), json!({ "tangle": section })] {
            let options = Options::read(value).unwrap();
            assert_eq!(options.include_paths, [PathBuf::from("inc")]);
            assert_eq!((options.model, &options.config_file), (None, &None));
            assert_eq!(options.rules.get("missing-include"), Some(Level::Off));
            assert_eq!(options.given(Some(Path::new("/w"))).include_dirs, [PathBuf::from("/w/inc")]);
            assert!(!options.inlay_hints.enable && options.inlay_hints.tangles && options.code_lens.enable);
            assert_eq!(options.given(None).dialect, None);
            assert_eq!(written(&options.given(Some(Path::new("/w d")))), " -I'/w d/inc' -DN=4");
        }
        assert!(Options::read(Value::Null).is_ok());
    }

    #[test]
    fn invalid_settings_are_reported() {
        let error = Options::read(json!({ "rules": { "mising-include": "off" } })).unwrap_err();
        assert_eq!(
            error.to_string(),
            "invalid settings in section `tangle`: there is no rule `mising-include`; did you mean `missing-include`?"
        );
        let error = Options::read(json!({ "model": "quantum" })).unwrap_err();
        assert_eq!(
            error.to_string(),
            "invalid settings in section `tangle`: expected `tangles` or `revised`, found `quantum`"
        );
    }
}
