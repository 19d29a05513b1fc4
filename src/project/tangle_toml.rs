//! `tangle.toml`: what holds for a project.
//!
//! ```toml
//! include = ["OpenCL"]                 # folders for headers, from the folder of this file
//! include-files = ["prelude.h"]        # read before each source
//! define = ["VECT_SIZE=4", "S(x)=#x"]
//! undefine = ["DEBUG"]
//! compile-commands = "build-release"   # the folder of `compile_commands.json`
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

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Deserializer};

use super::language::Dialect;
use super::levels::{FailOn, Levels};
use super::read;
use super::trouble::Trouble;
use crate::dialect::Builtin;
use crate::source::UniformRow;
use crate::tangle::Model;

/// The name of the file.
pub const NAME: &str = "tangle.toml";

/// What a `tangle.toml` says. A table or key more is a field more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Config {
    pub include: Vec<PathBuf>,
    pub include_files: Vec<PathBuf>,
    pub define: Vec<String>,
    pub undefine: Vec<String>,
    pub compile_commands: Option<PathBuf>,
    pub dialect: Option<Dialect>,
    pub model: Option<Model>,
    pub fail_on: Option<FailOn>,
    pub rules: Levels,
    #[serde(deserialize_with = "shared")]
    pub builtins: Arc<[Builtin]>,
    #[serde(deserialize_with = "shared")]
    pub uniform: Arc<[UniformRow]>,
}

/// Rows that every source of a project refers to.
fn shared<'de, D: Deserializer<'de>, T: Deserialize<'de>>(rows: D) -> Result<Arc<[T]>, D::Error> {
    Vec::deserialize(rows).map(Arc::from)
}

impl Config {
    /// Reads a file; relative paths in it begin at its folder.
    pub fn read(path: &Path) -> Result<Config, Trouble> {
        let text = read::strict(path)?;
        Config::parse(&text, path)
    }

    fn parse(text: &str, path: &Path) -> Result<Config, Trouble> {
        let mut config: Config = toml::from_str(text).map_err(|error| {
            // The parser puts what it expected on a line of its own.
            let message = error.message().replace('\n', ", ");
            match error.span() {
                Some(span) => Trouble::at(path, text, span.start, message),
                None => Trouble::whole(path, message),
            }
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let paths = config.include.iter_mut().chain(&mut config.include_files);
        paths.chain(&mut config.compile_commands).for_each(|path| *path = folder.join(&*path));
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::diagnostic::Severity;
    use crate::dialect::Name;
    use crate::project::levels::Level;

    fn error(text: &str) -> String {
        Config::parse(text, Path::new("p/tangle.toml")).unwrap_err().to_string()
    }

    #[test]
    fn the_example_above_is_read() {
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
        assert_eq!(config.fail_on, Some(FailOn(Some(Severity::Error))));
        assert_eq!(config.builtins[0].name, Name::Exact("my_barrier".to_owned()));
        assert_eq!(config.uniform[0].variable.as_deref(), Some("width"));
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        expect!["p/tangle.toml:2:1: unknown field `includes`, expected one of `include`, `include-files`, `define`, `undefine`, `compile-commands`, `dialect`, `model`, `fail-on`, `rules`, `builtins`, `uniform`"].assert_eq(&error("define = []\nincludes = ['x']\n"));
        expect!["p/tangle.toml:2:19: `loud` is none of `error`, `warning`, `note`, `off`"]
            .assert_eq(&error("[rules]\nmissing-include = 'loud'\n"));
        expect!["p/tangle.toml:1:1: `[[uniform]]` needs one of `parameter`, `variable` and `result = true`"]
            .assert_eq(&error("[[uniform]]\nfunction = 'f'\nscope = 'workgroup'\n"));
        expect!["p/tangle.toml:2:1: `scope` is `subgroup`, `workgroup` or `grid`"]
            .assert_eq(&error("\n[[uniform]]\nfunction = 'f'\nresult = true\nscope = 'none'\n"));
        expect!["p/tangle.toml:3:1: there is no rule `mising-include`; did you mean `missing-include`?"]
            .assert_eq(&error("[rules]\nmissing-include = 'off'\nmising-include = 'off'\n"));
        expect![
            "p/tangle.toml:1:11: unknown variant `glsl`, expected one of `auto`, `opencl`, `cuda`, `hip`"
        ]
        .assert_eq(&error("dialect = 'glsl'\n"));
        expect!["p/tangle.toml:1:9: wanted string or table"].assert_eq(&error("model = 3\n"));
        expect!["p/tangle.toml:1:11: `µ` is none of `error`, `warning`, `note`, `never`"]
            .assert_eq(&error("fail-on = 'µ'\n"));
        let builtin = |rows: &str| error(&format!("[[builtins]]\n{rows}\n"));
        expect!["p/tangle.toml:2:9: there is no scope `warp`: it is one of `none`, `subgroup`, `workgroup`, `grid`"]
            .assert_eq(&builtin("scope = 'warp'"));
        expect!["p/tangle.toml:4:8: there is no kind `barier`; did you mean `barrier`?"]
            .assert_eq(&builtin("name = 'sync'\nscope = 'workgroup'\nkind = 'barier'"));
        expect!["p/tangle.toml:4:10: there is no result `operand`; did you mean `operands`?"]
            .assert_eq(&builtin("name = 'sync'\nscope = 'workgroup'\nresult = 'operand'"));
        expect!["p/tangle.toml:3:1: there is no key `scop`; did you mean `scope`?"]
            .assert_eq(&builtin("name = 'sync'\nscop = 'workgroup'"));
        expect!["p/tangle.toml:1:1: a builtin needs a `name` or a `pattern`"]
            .assert_eq(&builtin("scope = 'workgroup'"));
        expect![
            "p/tangle.toml:1:1: a builtin needs a `scope`: one of `none`, `subgroup`, `workgroup`, `grid`"
        ]
        .assert_eq(&builtin("name = 'sync'"));
        expect!["p/tangle.toml:2:21: invalid type: integer `3`, expected a string"]
            .assert_eq(&error("# µ\ndefine = ['a', 'µ', 3]\n"));
        expect!["p/tangle.toml:1:12: unclosed array, expected `]`"].assert_eq(&error("include = [\n"));
    }
}
