//! `compile_commands.json`: the options that a build passes to its compiler, as far as they say how a kernel is read.
//!
//! See <https://clang.llvm.org/docs/JSONCompilationDatabase.html>.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use tangle::cli::options::MacroOption;

use crate::files::normal;

/// The name of the file, in a folder above the sources or in `build` there.
pub const NAME: &str = "compile_commands.json";

#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    command: String,
}

/// How the build reads one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    pub include_dirs: Vec<PathBuf>,
    pub macros: Vec<MacroOption>,
    pub include_files: Vec<PathBuf>,
}

/// The flags for a file from the nearest database above it; none if there is none, or it does not speak of the file.
pub fn flags(file: &Path) -> Result<Option<Flags>, String> {
    let places =
        file.ancestors().skip(1).flat_map(|folder| [folder.join(NAME), folder.join("build").join(NAME)]);
    let Some(database) = places.into_iter().find(|place| place.is_file()) else { return Ok(None) };
    let text =
        std::fs::read_to_string(&database).map_err(|error| format!("{}: {error}", database.display()))?;
    find(&text, file).map_err(|error| format!("{}: {error}", database.display()))
}

fn find(text: &str, file: &Path) -> Result<Option<Flags>, serde_json::Error> {
    let entries: Vec<Entry> = serde_json::from_str(text)?;
    let entry = entries.into_iter().find(|entry| normal(&entry.directory.join(&entry.file)) == file);
    Ok(entry.map(|entry| {
        let arguments = if entry.arguments.is_empty() { words(&entry.command) } else { entry.arguments };
        Flags::of(&arguments, &entry.directory)
    }))
}

impl Flags {
    fn of(arguments: &[String], directory: &Path) -> Flags {
        let mut flags = Flags::default();
        let mut rest = arguments.iter().skip(1).map(String::as_str);
        while let Some(argument) = rest.next() {
            // An option's value stands behind it, or in the next word.
            let mut value = |name: &str| match argument.strip_prefix(name) {
                Some("") => rest.next(),
                value => value,
            };
            if let Some(file) = value("-include") {
                flags.include_files.push(normal(&directory.join(file)));
            } else if let Some(folder) = value("-isystem").or_else(|| value("-I")) {
                flags.include_dirs.push(normal(&directory.join(folder)));
            } else if let Some(definition) = value("-D") {
                flags.macros.push(MacroOption::Define(definition.into()));
            } else if let Some(name) = value("-U") {
                flags.macros.push(MacroOption::Undefine(name.into()));
            }
        }
        flags
    }
}

/// The words of a shell command: quotes keep spaces, a backslash keeps the next character.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = command.chars();
    while let Some(c) = characters.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(characters.next()),
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, Some(open)) if c == open => quote = None,
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_from_arguments_and_from_a_command() {
        let arguments = r#"[{ "directory": "/p/build", "file": "../k.cl",
            "arguments": ["clang", "-I..", "-I", "inc", "-isystem", "/sys", "-DN=4", "-U", "M", "-include", "pre.h", "-O2"] }]"#;
        let expected = Flags {
            include_dirs: ["/p", "/p/build/inc", "/sys"].map(PathBuf::from).into(),
            macros: vec![MacroOption::Define("N=4".into()), MacroOption::Undefine("M".into())],
            include_files: vec!["/p/build/pre.h".into()],
        };
        assert_eq!(find(arguments, Path::new("/p/k.cl")).unwrap(), Some(expected.clone()));
        let command = r#"[{ "directory": "/p/build", "file": "/p/k.cl",
            "command": "clang -I.. -Iinc -isystem /sys '-DN=4' -UM -include \"pre.h\" -c k.cl" }]"#;
        assert_eq!(find(command, Path::new("/p/k.cl")).unwrap(), Some(expected));
        assert_eq!(find(command, Path::new("/p/other.cl")).unwrap(), None);
        assert!(find("[{", Path::new("/p/k.cl")).is_err());
    }

    #[test]
    fn words_keep_what_is_quoted() {
        assert_eq!(words(r#"a "b c" d\ e '\f' "" g"h""#), ["a", "b c", "d e", "\\f", "", "gh"]);
    }
}
