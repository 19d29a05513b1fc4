//! The inputs of the database: files, and the settings from the command line or an editor.
//!
//! A file becomes an input at the first request for its path, even if the path does not exist. If a header is created
//! later, its input changes, and the queries that looked for it run again. The embedding program reads the files
//! ([`Loader`]).

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use tangle_ir::scope::Scope;
use tangle_ir::uniformity::Launch;

use crate::db::Db;
use crate::dialect::{Builtins, Dialect};
use crate::preprocess::FileId;

/// The content at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    Missing,
    /// The reason why the file cannot be read.
    Unreadable(Arc<str>),
    /// Not text; the kind of the file.
    Binary(Arc<str>),
    Text(Arc<str>),
}

/// Reads files for the database. It is called once for each path.
pub trait Loader: Send + Sync {
    fn load(&self, path: &str) -> Content;
}

/// A loader for sources without headers: every header is missing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHeaders;

impl Loader for NoHeaders {
    fn load(&self, _: &str) -> Content {
        Content::Missing
    }
}

#[salsa::input(debug)]
pub struct SourceFile {
    /// The number of this file in the origins of tokens.
    #[returns(copy)]
    pub id: FileId,
    /// The path in messages.
    pub path: Arc<str>,
    pub content: Content,
}

impl SourceFile {
    /// The text of the file; empty if it has no text.
    pub fn text(self, db: &dyn Db) -> Arc<str> {
        match self.content(db) {
            Content::Text(text) => text.clone(),
            _ => Arc::default(),
        }
    }
}

/// The settings for the files of one run. Each value of settings has its own units.
#[salsa::input(debug)]
pub struct Settings {
    /// The language of the files.
    #[returns(copy)]
    pub dialect: Dialect,
    /// Folders for headers in quotes, in order, searched before the folders in `include` (`-iquote` of a compiler).
    pub quote: Vec<Arc<str>>,
    /// Folders for `#include`, in order (`-I`).
    pub include: Vec<Arc<str>>,
    /// A pseudo file with the `-D`, `-U` and `--include` of the command line.
    #[returns(copy)]
    pub command_line: SourceFile,
    /// A pseudo file with the macros that the language predefines.
    #[returns(copy)]
    pub predefined: SourceFile,
    /// The builtins of the language, with additions by the user.
    pub builtins: Arc<Builtins>,
    /// The values that the user declares uniform.
    pub uniform: Arc<[UniformRow]>,
    /// The launch sizes that the user declares for all launches.
    #[returns(copy)]
    pub launch: Launch,
    /// Whether the analysis leaves out the functions of headers that a unit does not reach.
    #[returns(copy)]
    pub reached_only: bool,
}

impl Settings {
    /// The replacement text of a macro at the start of a file; `None` if it is not defined there.
    pub fn macro_text(self, db: &dyn Db, name: &str) -> Option<String> {
        let texts = [self.predefined(db), self.command_line(db)].map(|file| file.text(db));
        let mut found = None;
        for line in texts.iter().flat_map(|text| text.lines()) {
            let (directive, rest) = line.split_once(' ').unwrap_or((line, ""));
            let (defined, value) = rest.split_once(' ').unwrap_or((rest, ""));
            match directive {
                "#define" if defined == name => found = Some(value.trim().to_owned()),
                "#undef" if defined == name => found = None,
                _ => {}
            }
        }
        found
    }

    /// Whether the mask argument of an operation, and not control flow, selects the participating threads. An
    /// architecture that is not a number counts as a recent one.
    pub fn masks_name_threads(self, db: &dyn Db) -> bool {
        let Some(masks) = self.dialect(db).masks() else { return false };
        let value = self.macro_text(db, &masks.architecture);
        let architecture = value.and_then(|value| value.parse::<u32>().ok());
        architecture.is_none_or(|architecture| architecture >= masks.since)
    }
}

/// What the user says is uniform: one `[[uniform]]` table of the settings.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(try_from = "UniformTable")]
#[schemars(with = "UniformTable", rename = "Uniform")]
pub struct UniformRow {
    pub function: String,
    /// The variable or parameter; `None` for the result.
    pub variable: Option<String>,
    pub scope: Scope,
}

/// A uniform value that the analysis cannot see.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    { "required": ["parameter"] },
    { "required": ["variable"] },
    { "required": ["result"], "properties": { "result": { "const": true } } },
]))]
struct UniformTable {
    /// The function with the value.
    function: String,
    /// The name of a uniform parameter.
    parameter: Option<String>,
    /// The name of a uniform variable.
    variable: Option<String>,
    /// The result of the function is uniform.
    #[serde(default)]
    result: bool,
    /// The group of threads for which the value is the same.
    #[serde(deserialize_with = "scope")]
    #[schemars(with = "String", extend("enum" = ["subgroup", "workgroup", "cluster", "grid"]))]
    scope: Scope,
}

/// Deserializes the scope of a uniform value.
fn scope<'de, D: Deserializer<'de>>(word: D) -> Result<Scope, D::Error> {
    let word = String::deserialize(word)?;
    let known = [Scope::Subgroup, Scope::Workgroup, Scope::Cluster, Scope::Grid];
    let wrong = || D::Error::invalid_value(Unexpected::Str(&word), &"`subgroup`, `workgroup` or `grid`");
    known.into_iter().find(|scope| scope.as_str() == word).ok_or_else(wrong)
}

impl TryFrom<UniformTable> for UniformRow {
    type Error = &'static str;

    fn try_from(table: UniformTable) -> Result<UniformRow, &'static str> {
        let UniformTable { function, parameter, variable, result, scope } = table;
        match (parameter, variable, result) {
            (Some(variable), None, false) | (None, Some(variable), false) => {
                Ok(UniformRow { function, variable: Some(variable), scope })
            }
            (None, None, true) => Ok(UniformRow { function, variable: None, scope }),
            _ => Err("this `[[uniform]]` needs exactly one of `parameter`, `variable` and `result = true`"),
        }
    }
}

/// What the user says of all launches: the table `[launch]` of the settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(from = "LaunchTable")]
#[schemars(with = "LaunchTable", rename = "Launch")]
pub struct LaunchRow(pub Launch);

/// Sizes of launches, for kernels without such attributes or comments.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct LaunchTable {
    /// The size of a work-group: a number, or up to three. Omitted dimensions have size 1.
    #[serde(default, alias = "local_size")]
    local_size: Sizes,
    /// The size of a sub-group.
    #[serde(alias = "sub_group_size")]
    sub_group_size: Option<Size>,
    /// A divisor of the number of work-items in the first dimension.
    #[serde(alias = "global_multiple_of")]
    global_multiple_of: Option<Size>,
}

impl From<LaunchTable> for LaunchRow {
    fn from(table: LaunchTable) -> LaunchRow {
        LaunchRow(Launch {
            local_size: table.local_size.0,
            sub_group_size: table.sub_group_size.map(|Size(size)| size),
            global_multiple_of: table.global_multiple_of.map(|Size(size)| size),
            ..Launch::default()
        })
    }
}

/// A number of threads.
#[derive(JsonSchema)]
struct Size(#[schemars(range(min = 1))] u32);

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(number: D) -> Result<Size, D::Error> {
        let number = i64::deserialize(number)?;
        let wrong = || D::Error::invalid_value(Unexpected::Signed(number), &"an integer of at least 1");
        u32::try_from(number).ok().filter(|&size| size > 0).map(Size).ok_or_else(wrong)
    }
}

/// The sizes of a work-group: one number for the first dimension, or one for each. Missing dimensions have size 1.
#[derive(Default)]
struct Sizes([Option<u32>; 3]);

impl<'de> Deserialize<'de> for Sizes {
    fn deserialize<D: Deserializer<'de>>(sizes: D) -> Result<Sizes, D::Error> {
        sizes.deserialize_any(SizesVisitor)
    }
}

impl JsonSchema for Sizes {
    fn schema_name() -> Cow<'static, str> {
        "Sizes".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let size = generator.subschema_for::<Size>();
        json_schema!({ "anyOf": [size, { "type": "array", "items": size, "minItems": 1, "maxItems": 3 }] })
    }
}

struct SizesVisitor;

impl<'de> Visitor<'de> for SizesVisitor {
    type Value = Sizes;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an integer of at least 1, or a list of one to three such integers")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Sizes, E> {
        let sizes = u32::try_from(number).ok().and_then(|size| Launch::sizes(&[size]));
        sizes.map(Sizes).ok_or_else(|| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Sizes, A::Error> {
        let mut sizes = Vec::new();
        while let Some(Size(size)) = list.next_element()? {
            sizes.push(size);
        }
        Launch::sizes(&sizes).map(Sizes).ok_or_else(|| A::Error::invalid_length(sizes.len(), &self))
    }
}

/// The path of the file with the macros of the command line, in findings.
pub const COMMAND_LINE: &str = "<command line>";
/// The path of the file with the predefined macros of the dialect, in findings.
pub const PREDEFINED: &str = "<built-in>";

/// One `-D` or `-U` option, without its letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Macro<'a> {
    /// `NAME`, `NAME=VALUE` or `NAME(PARAMETERS)=VALUE`.
    Define(&'a str),
    Undefine(&'a str),
}

/// Returns the directives that are equivalent to `-D`, `-U` and `--include` options.
///
/// ```
/// # use tangle_syntax::source::{Macro, command_line_text};
/// let macros = [Macro::Define("N=3"), Macro::Define("M(x)=#x"), Macro::Define("ON"), Macro::Undefine("OFF")];
/// assert_eq!(command_line_text(&macros, &[]), "#define N 3\n#define M(x) #x\n#define ON 1\n#undef OFF\n");
/// ```
pub fn command_line_text(macros: &[Macro], includes: &[String]) -> String {
    // A line break in an option would begin a further directive.
    let one_line = |text: &str| text.replace(['\n', '\r'], " ");
    let mut text = String::new();
    for option in macros {
        text += &match option {
            Macro::Define(define) => {
                let (name, value) = define.split_once('=').unwrap_or((define, "1"));
                format!("#define {} {}\n", one_line(name), one_line(value))
            }
            Macro::Undefine(name) => format!("#undef {}\n", one_line(name)),
        };
    }
    for path in includes {
        text += &format!("#include \"{}\"\n", one_line(path));
    }
    text
}

/// The path of `name` relative to `folder`. A file has the same path in every include: there are no `.` steps, and no
/// `..` after the name of a folder. Symbolic links are not resolved.
pub fn join(folder: &str, name: &str) -> String {
    let joined = match name.starts_with('/') || folder.is_empty() || folder == "." {
        true => name.to_owned(),
        false => format!("{}/{name}", folder.trim_end_matches('/')),
    };
    if !joined.starts_with("./") && !joined.contains("/.") && !joined.contains("//") {
        return joined;
    }
    let mut steps: Vec<&str> = Vec::new();
    for step in joined.split('/') {
        match (step, steps.last()) {
            ("" | ".", Some(_)) | (".", None) => {}
            ("..", Some(&last)) if !matches!(last, "" | "..") => _ = steps.pop(),
            _ => steps.push(step),
        }
    }
    steps.join("/")
}

/// The folder of a path; empty for the current folder.
pub fn folder(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) => "/",
        Some(end) => &path[..end],
        None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn include_path_is_normalized() {
        for (folder, name, expected) in [
            ("", "a.h", "a.h"),
            (".", "./a.h", "a.h"),
            ("src", "../a.h", "a.h"),
            ("src/x/../y", ".//a.h", "src/y/a.h"),
            ("..", "../a.h", "../../a.h"),
            ("/", "../a.h", "/../a.h"),
            ("/src", "../../a.h", "/../a.h"),
            ("src", "/b/./a.h", "/b/a.h"),
            ("src", ".hidden/a.h", "src/.hidden/a.h"),
        ] {
            assert_eq!(join(folder, name), expected, "{name} in {folder}");
        }
    }
}
