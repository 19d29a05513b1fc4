//! The inputs: files, and what the command line or an editor says about how to read them.
//!
//! A file is an input from the moment its path is first asked for, also when nothing is there: a header that turns up later
//! changes the input, and what looked for it is computed again. Reading is the embedding's business ([`Loader`]).

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

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    Missing,
    /// Why it cannot be read.
    Unreadable(Arc<str>),
    /// Not text; what it is taken for.
    Binary(Arc<str>),
    Text(Arc<str>),
}

/// Reads files for the database. Called once for each path.
pub trait Loader: Send + Sync {
    fn load(&self, path: &str) -> Content;
}

#[salsa::input(debug)]
pub struct SourceFile {
    /// The number under which tokens refer to this file.
    #[returns(copy)]
    pub id: FileId,
    /// The path as printed.
    pub path: Arc<str>,
    pub content: Content,
}

impl SourceFile {
    /// The text of the file; empty if there is none.
    pub fn text(self, db: &dyn Db) -> Arc<str> {
        match self.content(db) {
            Content::Text(text) => text.clone(),
            _ => Arc::default(),
        }
    }
}

/// How the files of one run are read. Files with other settings are another unit of work.
#[salsa::input(debug)]
pub struct Settings {
    /// The language of the files.
    #[returns(copy)]
    pub dialect: Dialect,
    /// Folders for headers that are named in quotes, in order, before those for all (`-iquote` of a compiler).
    pub quote: Vec<Arc<str>>,
    /// Folders for `#include`, in order (`-I`).
    pub include: Vec<Arc<str>>,
    /// A pseudo file with the `-D`, `-U` and `--include` of the command line.
    #[returns(copy)]
    pub command_line: SourceFile,
    /// A pseudo file with the macros that the language predefines.
    #[returns(copy)]
    pub predefined: SourceFile,
    /// The builtins of the language, with what the user adds to them.
    pub builtins: Arc<Builtins>,
    /// What the user says is uniform.
    pub uniform: Arc<[UniformRow]>,
    /// What the user says of all launches.
    #[returns(copy)]
    pub launch: Launch,
}

impl Settings {
    /// What a macro stands for at the start of a file; None if it is not defined there.
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

    /// Whether the mask of an operation, and not control flow, names the threads that take part. An architecture that is
    /// not a number counts as a recent one.
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
    /// None: the result.
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

/// The scope in which something is uniform.
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

/// The sizes of a work-group: one number for the first dimension, or one for each; the others are 1.
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

/// The name under which findings show the macros of the command line.
pub const COMMAND_LINE: &str = "<command line>";
/// The name under which findings show the dialect's own macros.
pub const PREDEFINED: &str = "<built-in>";

/// One `-D` or `-U`, without the letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Macro<'a> {
    /// `NAME`, `NAME=VALUE` or `NAME(PARAMETERS)=VALUE`.
    Define(&'a str),
    Undefine(&'a str),
}

/// What `-D`, `-U` and `--include` say, as the directives that they stand for.
///
/// ```
/// # use tangle_syntax::source::{Macro, command_line_text};
/// let macros = [Macro::Define("N=3"), Macro::Define("M(x)=#x"), Macro::Define("ON"), Macro::Undefine("OFF")];
/// assert_eq!(command_line_text(&macros, &[]), "#define N 3\n#define M(x) #x\n#define ON 1\n#undef OFF\n");
/// ```
pub fn command_line_text(macros: &[Macro], includes: &[String]) -> String {
    // A line break would begin a directive of its own.
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

/// The path of `name` seen from `folder`. One file has one path, however it is included: there are no steps `.`, and none `..` behind the name
/// of a folder. Symbolic links are not followed.
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

/// The folder of a path, empty for the current one.
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
    fn a_file_has_one_path_however_it_is_included() {
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
