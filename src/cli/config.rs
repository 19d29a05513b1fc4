//! `tangle.toml`: the options of a project.
//!
//! ```toml
//! include = ["OpenCL"]                 # folders for headers, from the folder of this file
//! include-files = ["prelude.h"]        # read before each source
//! define = ["VECT_SIZE=4", "S(x)=#x"]
//! undefine = ["DEBUG"]
//! dialect = "opencl"
//! model = "tangles"
//! fail-on = "error"
//!
//! [rules]
//! missing-include = "off"
//!
//! [[builtins]]
//! name = "my_barrier"
//! scope = "workgroup"
//! kind = "barrier"
//!
//! [[uniform]]                          # what the analysis cannot see
//! function = "tile"
//! parameter = "width"                  # or `variable = "…"`, or `result = true`
//! scope = "workgroup"
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::options::{Dialect, Model};
use super::rules::{self, FailOn, Level};
use crate::hir::assertions::Row;
use crate::hir::builtins::Builtin;

/// The name of the file.
const NAME: &str = "tangle.toml";

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Config {
    pub include: Vec<PathBuf>,
    pub include_files: Vec<PathBuf>,
    pub define: Vec<String>,
    pub undefine: Vec<String>,
    pub dialect: Option<Dialect>,
    pub model: Option<Model>,
    pub fail_on: Option<FailOn>,
    pub rules: BTreeMap<String, Level>,
    pub builtins: Vec<Builtin>,
    pub uniform: Vec<Row>,
}

impl Config {
    /// The file in the folder of a path, or in the nearest folder above that has one; none is an empty one.
    pub fn nearest(path: &Path) -> Result<Config, String> {
        // A path that is not there is told of when it is read.
        let Ok(path) = std::path::absolute(path) else { return Ok(Config::default()) };
        match path.ancestors().map(|folder| folder.join(NAME)).find(|file| file.is_file()) {
            Some(file) => Config::read(&file),
            None => Ok(Config::default()),
        }
    }

    pub fn read(path: &Path) -> Result<Config, String> {
        let bytes = std::fs::read(path)
            .map_err(|error| format!("{}: {}", path.display(), super::read::plain(&error)))?;
        let text = String::from_utf8(bytes).map_err(|_| format!("{}: not UTF-8", path.display()))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Config::parse(&text, folder).map_err(|message| format!("{}: {message}", path.display()))
    }

    /// Reads a configuration whose relative paths begin at a folder.
    fn parse(text: &str, folder: &Path) -> Result<Config, String> {
        let mut config: Config =
            toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
        for rule in config.rules.keys() {
            rules::known(rule).map_err(|message| format!("[rules]: {message}"))?;
        }
        for path in config.include.iter_mut().chain(&mut config.include_files) {
            *path = folder.join(&*path);
        }
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::diagnostic::Severity;

    fn error(text: &str) -> String {
        Config::parse(text, Path::new("p")).unwrap_err()
    }

    #[test]
    fn the_example_above_is_read() {
        let example = include_str!("config.rs");
        let example: String = example
            .lines()
            .skip_while(|line| *line != "//! ```toml")
            .skip(1)
            .take_while(|line| *line != "//! ```")
            .map(|line| line.trim_start_matches("//!").trim_start().to_owned() + "\n")
            .collect();
        let config = Config::parse(&example, Path::new("p")).unwrap();
        assert_eq!(config.include, [Path::new("p/OpenCL")]);
        assert_eq!(config.define, ["VECT_SIZE=4", "S(x)=#x"]);
        assert_eq!(config.rules["missing-include"], Level::Off);
        assert_eq!(config.fail_on, Some(FailOn(Some(Severity::Error))));
        assert_eq!(config.builtins[0].name.as_deref(), Some("my_barrier"));
        assert_eq!(config.uniform[0].variable.as_deref(), Some("width"));
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        expect![[r#"
            TOML parse error at line 2, column 1
              |
            2 | includes = ['x']
              | ^^^^^^^^
            unknown field `includes`, expected one of `include`, `include-files`, `define`, `undefine`, `dialect`, `model`, `fail-on`, `rules`, `builtins`, `uniform`"#]].assert_eq(&error("define = []\nincludes = ['x']\n"));
        expect![[r#"
            TOML parse error at line 2, column 19
              |
            2 | missing-include = 'loud'
              |                   ^^^^^^
            `loud` is none of `error`, `warning`, `note`, `off`"#]]
        .assert_eq(&error("[rules]\nmissing-include = 'loud'\n"));
        expect![[r#"
            TOML parse error at line 1, column 1
              |
            1 | [[uniform]]
              | ^^^^^^^^^^^
            `[[uniform]]` needs one of `parameter`, `variable` and `result = true`"#]]
        .assert_eq(&error("[[uniform]]\nfunction = 'f'\nscope = 'workgroup'\n"));
        expect![[r#"
            TOML parse error at line 1, column 1
              |
            1 | [[uniform]]
              | ^^^^^^^^^^^
            `scope` is `subgroup`, `workgroup` or `grid`"#]]
        .assert_eq(&error("[[uniform]]\nfunction = 'f'\nresult = true\nscope = 'none'\n"));
        expect!["[rules]: there is no rule `mising-include`; did you mean `missing-include`?"]
            .assert_eq(&error("[rules]\nmising-include = 'off'\n"));
    }
}
