//! The inputs: files, and what the command line or an editor says about how to read them.
//!
//! A file is an input from the moment its path is first asked for, also when nothing is there: a header that turns up later
//! changes the input, and what looked for it is computed again. Reading is the embedding's business ([`Loader`]).

use std::sync::Arc;

use serde::Deserialize;
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
}

/// What the user says is uniform: one `[[uniform]]` table of the settings.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "UniformTable")]
pub struct UniformRow {
    pub function: String,
    /// None: the result.
    pub variable: Option<String>,
    pub scope: Scope,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UniformTable {
    function: String,
    parameter: Option<String>,
    variable: Option<String>,
    #[serde(default)]
    result: bool,
    scope: Scope,
}

impl TryFrom<UniformTable> for UniformRow {
    type Error = &'static str;

    fn try_from(table: UniformTable) -> Result<UniformRow, &'static str> {
        let UniformTable { function, parameter, variable, result, scope } = table;
        if scope == Scope::None {
            return Err("`scope` is `subgroup`, `workgroup` or `grid`");
        }
        match (parameter, variable, result) {
            (Some(variable), None, false) | (None, Some(variable), false) => {
                Ok(UniformRow { function, variable: Some(variable), scope })
            }
            (None, None, true) => Ok(UniformRow { function, variable: None, scope }),
            _ => Err("`[[uniform]]` needs one of `parameter`, `variable` and `result = true`"),
        }
    }
}

/// What the user says of all launches: the table `[launch]` of the settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "LaunchTable")]
pub struct LaunchRow(pub Launch);

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct LaunchTable {
    #[serde(alias = "local_size")]
    local_size: Option<Sizes>,
    #[serde(alias = "sub_group_size")]
    sub_group_size: Option<u32>,
    #[serde(alias = "global_multiple_of")]
    global_multiple_of: Option<u32>,
}

/// One number for the first dimension, or one for each; the others are 1.
#[derive(Deserialize)]
#[serde(untagged)]
enum Sizes {
    One(u32),
    Many(Vec<u32>),
}

impl TryFrom<LaunchTable> for LaunchRow {
    type Error = &'static str;

    fn try_from(table: LaunchTable) -> Result<LaunchRow, &'static str> {
        let mut launch = Launch {
            sub_group_size: table.sub_group_size,
            global_multiple_of: table.global_multiple_of,
            ..Launch::default()
        };
        let sizes = table.local_size.map(|sizes| match sizes {
            Sizes::One(size) => vec![size],
            Sizes::Many(sizes) => sizes,
        });
        if let Some(sizes) = sizes {
            launch.local_size = match Launch::sizes(&sizes) {
                Some(sizes) => sizes,
                None if sizes.contains(&0) => return Err("sizes in `[launch]` are 1 or more"),
                None => return Err("`local-size` is a number, or one to three of them in brackets"),
            };
        }
        match [launch.sub_group_size, launch.global_multiple_of].contains(&Some(0)) {
            true => Err("sizes in `[launch]` are 1 or more"),
            false => Ok(LaunchRow(launch)),
        }
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
/// # use tangle::source::{Macro, command_line_text};
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
