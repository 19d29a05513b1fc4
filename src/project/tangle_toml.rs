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
//! all-branches = true                  # also text that conditions leave out
//! prelude = ["common.cl"]              # glued before each source at run time, itself apart
//!
//! [rules]
//! missing-include = "off"
//!
//! [[builds]]                           # the files are read once for each build that names them
//! name = "doubles"
//! files = ["kernels/**/*.cl"]          # all, if this is missing
//! define = ["REAL=double"]
//! undefine = ["HALF"]
//! prelude = ["doubles.cl"]             # behind that of all
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
//!
//! [cuda]
//! arch = 80                            # `__CUDA_ARCH__` is 800
//!
//! [hip]
//! wave = "both"                        # or 32, or 64: the files are read once for each
//!
//! [launch]                             # of all kernels, where their attributes say nothing else
//! local-size = 64                      # or `[16, 16]`
//! sub-group-size = 32
//! global-multiple-of = 64
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;

use globset::{Glob, GlobBuilder, GlobMatcher};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::language::Dialect;
use super::levels::{FailOn, Levels};
use super::paths::absolute;
use super::read;
use super::target::{CudaTable, HipTable};
use super::trouble::Trouble;
use crate::dialect::Builtin;
use crate::source::{LaunchRow, UniformRow};
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
    pub all_branches: bool,
    pub prelude: Vec<PathBuf>,
    #[serde(deserialize_with = "distinct")]
    pub builds: Vec<BuildRow>,
    pub rules: Levels,
    #[serde(deserialize_with = "shared")]
    pub builtins: Arc<[Builtin]>,
    #[serde(deserialize_with = "shared")]
    pub uniform: Arc<[UniformRow]>,
    pub launch: LaunchRow,
    pub cuda: CudaTable,
    pub hip: HipTable,
}

/// One `[[builds]]` table.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BuildRow {
    pub name: String,
    /// None: all files.
    files: Option<Vec<Pattern>>,
    #[serde(default, alias = "defines")]
    pub define: Vec<String>,
    #[serde(default)]
    pub undefine: Vec<String>,
    #[serde(default)]
    pub prelude: Vec<PathBuf>,
    /// That of the `tangle.toml`, from the root.
    #[serde(skip)]
    folder: PathBuf,
}

impl BuildRow {
    /// Whether a source, given from the root, is read in this build.
    pub fn is_about(&self, source: &Path) -> bool {
        let Some(files) = &self.files else { return true };
        let inside = source.strip_prefix(&self.folder);
        inside.is_ok_and(|path| files.iter().any(|pattern| pattern.matcher.is_match(path)))
    }
}

/// A pattern of paths: `*` and `?` stay within a folder, `**` goes through folders.
#[derive(Clone, Debug)]
struct Pattern {
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
        let text = String::deserialize(pattern)?;
        let text = text.strip_prefix("./").unwrap_or(&text);
        let glob = GlobBuilder::new(text).literal_separator(true).build().map_err(D::Error::custom)?;
        Ok(Pattern { matcher: glob.compile_matcher(), glob })
    }
}

/// Builds, of which findings speak by their names.
fn distinct<'de, D: Deserializer<'de>>(rows: D) -> Result<Vec<BuildRow>, D::Error> {
    let rows: Vec<BuildRow> = Vec::deserialize(rows)?;
    for (index, row) in rows.iter().enumerate() {
        if rows[..index].iter().any(|other| other.name == row.name) {
            return Err(D::Error::custom(format!("there are two builds `{}`", row.name)));
        }
    }
    Ok(rows)
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
        for build in &mut config.builds {
            build.folder = absolute(folder);
            build.prelude.iter_mut().for_each(|path| *path = folder.join(&*path));
        }
        let paths = config.include.iter_mut().chain(&mut config.include_files).chain(&mut config.prelude);
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
        assert_eq!(config.prelude, [Path::new("p/common.cl")]);
        assert!(config.all_branches);
        let [build] = &config.builds[..] else { panic!("one build") };
        assert_eq!((&*build.name, &build.define[..]), ("doubles", &["REAL=double".to_owned()][..]));
        assert_eq!(
            (&build.undefine[..], &build.prelude[..]),
            (&["HALF".to_owned()][..], &[PathBuf::from("p/doubles.cl")][..])
        );
        let about = |path: &str| build.is_about(&absolute(Path::new(path)));
        assert!(about("p/kernels/a.cl") && about("p/kernels/b/c/a.cl"));
        assert!(!about("p/a.cl") && !about("p/kernels/a.h") && !about("kernels/a.cl"));
        assert_eq!(config.builtins[0].name, Name::Exact("my_barrier".to_owned()));
        assert_eq!(config.uniform[0].variable.as_deref(), Some("width"));
        assert_eq!(config.launch.0.local_size, [Some(64), Some(1), Some(1)]);
        assert_eq!(config.launch.0.sub_group_size, Some(32));
        assert_eq!(config.launch.0.global_multiple_of, Some(64));
        assert_eq!(config.cuda.arch, Some(80));
        assert_eq!(config.hip.wave.0, [32, 64]);
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        expect!["p/tangle.toml:2:1: unknown field `includes`, expected one of `include`, `include-files`, `define`, `undefine`, `compile-commands`, `dialect`, `model`, `fail-on`, `all-branches`, `prelude`, `builds`, `rules`, `builtins`, `uniform`, `launch`, `cuda`, `hip`"].assert_eq(&error("define = []\nincludes = ['x']\n"));
        expect!["p/tangle.toml:2:19: `loud` is none of `error`, `warning`, `note`, `off`"]
            .assert_eq(&error("[rules]\nmissing-include = 'loud'\n"));
        expect!["p/tangle.toml:1:1: `[[uniform]]` needs one of `parameter`, `variable` and `result = true`"]
            .assert_eq(&error("[[uniform]]\nfunction = 'f'\nscope = 'workgroup'\n"));
        expect!["p/tangle.toml:2:1: `scope` is `subgroup`, `workgroup` or `grid`"]
            .assert_eq(&error("\n[[uniform]]\nfunction = 'f'\nresult = true\nscope = 'none'\n"));
        expect!["p/tangle.toml:2:1: `local-size` is a number, or one to three of them in brackets"]
            .assert_eq(&error("\n[launch]\nlocal-size = []\n"));
        expect!["p/tangle.toml:2:1: sizes in `[launch]` are 1 or more"]
            .assert_eq(&error("\n[launch]\nlocal-size = [16, 0]\n"));
        expect!["p/tangle.toml:2:8: `wave` is 32, 64 or \"both\""].assert_eq(&error("[hip]\nwave = 16\n"));
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
        expect!["p/tangle.toml:2:9: there is no scope `warp`: it is one of `none`, `tile`, `subgroup`, `workgroup`, `cluster`, `grid`"]
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
            "p/tangle.toml:1:1: a builtin needs a `scope`: one of `none`, `tile`, `subgroup`, `workgroup`, `cluster`, `grid`"
        ]
        .assert_eq(&builtin("name = 'sync'"));
        expect!["p/tangle.toml:2:21: invalid type: integer `3`, expected a string"]
            .assert_eq(&error("# µ\ndefine = ['a', 'µ', 3]\n"));
        expect!["p/tangle.toml:1:1: there are two builds `a`"]
            .assert_eq(&error("[[builds]]\nname = 'a'\n[[builds]]\nname = 'a'\n"));
        expect!["p/tangle.toml:3:9: error parsing glob 'a[': unclosed character class; missing ']'"]
            .assert_eq(&error("[[builds]]\nname = 'a'\nfiles = ['a[']\n"));
        expect!["p/tangle.toml:1:12: unclosed array, expected `]`"].assert_eq(&error("include = [\n"));
    }
}
