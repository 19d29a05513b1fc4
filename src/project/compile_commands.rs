//! `compile_commands.json`: the compiler command for each source of a build.
//!
//! An entry has three parts. `directory` is the working folder of the compiler; a relative path starts at the folder
//! of the JSON file. `file` is the source, relative to `directory`. The command is a list of arguments (`arguments`) or
//! a line for a POSIX shell (`command`). If a source has several entries, the first applies, as in clang's tools.
//!
//! See <https://clang.llvm.org/docs/JSONCompilationDatabase.html>.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use indexmap::IndexMap;
use serde::Deserialize;
use thiserror::Error;

use super::flags::Flags;
use super::paths::{absolute, normal};
use super::read;
use super::settings_error::SettingsError;
use super::value_errors::rewrite_serde_error;

/// The name of the file.
pub const NAME: &str = "compile_commands.json";
/// Paths of the file relative to a folder. Many projects keep it in a build folder.
pub const RELATIVE_PATHS: &[&str] = &[NAME, "build/compile_commands.json"];

/// The reason why the command of an entry cannot be used. Option files are named as in the command.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum CommandError {
    /// The entry has no command.
    #[error("this entry needs `arguments` or `command`")]
    Missing,
    #[error("the option files are nested too deeply at `{file}`")]
    TooDeep { file: String },
    #[error("cannot read the option file `{file}`: {}", .trouble.message)]
    UnreadableFile { file: String, trouble: Box<SettingsError> },
    #[error("unterminated quote or escape in the option file `{file}`")]
    UnterminatedInFile { file: String },
}

/// The commands of a build.
#[derive(Debug)]
pub struct CompileCommands {
    path: PathBuf,
    /// By the file name of the source.
    sources: HashMap<OsString, SameNameSources>,
}

/// Sources with the same file name in different folders.
#[derive(Debug, Default)]
struct SameNameSources {
    /// By normal path, in the order of the entries.
    entries: IndexMap<PathBuf, Entry>,
    /// The index of the entry for a path without symbolic links, computed on first use.
    real: OnceLock<HashMap<PathBuf, usize>>,
}

#[derive(Debug)]
struct Entry {
    /// The position of the entry in the file, from 1.
    number: usize,
    directory: PathBuf,
    command: Command,
}

#[derive(Debug)]
enum Command {
    Words(Vec<String>),
    Line(String),
}

/// An entry, as written in the JSON.
#[derive(Deserialize)]
#[serde(expecting = "an object with `directory`, `file`, and `arguments` or `command`")]
struct RawFields {
    directory: PathBuf,
    file: PathBuf,
    arguments: Option<Vec<String>>,
    command: Option<String>,
}

#[derive(Deserialize)]
#[serde(try_from = "RawFields")]
struct RawEntry {
    directory: PathBuf,
    file: PathBuf,
    command: Command,
}

impl TryFrom<RawFields> for RawEntry {
    type Error = CommandError;

    fn try_from(fields: RawFields) -> Result<RawEntry, CommandError> {
        let RawFields { directory, file, arguments, command } = fields;
        let command = match (arguments, command) {
            (Some(words), _) => Command::Words(words),
            (None, Some(line)) => Command::Line(line),
            (None, None) => return Err(CommandError::Missing),
        };
        Ok(RawEntry { directory, file, command })
    }
}

impl CompileCommands {
    /// Reads a `compile_commands.json`.
    pub fn read(path: &Path) -> Result<CompileCommands, SettingsError> {
        let text = read::strict(path)?;
        CompileCommands::parse(&text, path)
    }

    fn parse(text: &str, path: &Path) -> Result<CompileCommands, SettingsError> {
        let written: Vec<RawEntry> =
            serde_json::from_str(text).map_err(|error| misread(path, text, &error))?;
        let folder = absolute(path);
        let folder = folder.parent().unwrap_or(Path::new("/"));
        let mut sources: HashMap<OsString, SameNameSources> = HashMap::new();
        for (index, RawEntry { directory, file, command }) in written.into_iter().enumerate() {
            let directory = normal(&folder.join(directory));
            let file = normal(&directory.join(file));
            // A path without a file name, such as `/`, is not a source.
            let Some(name) = file.file_name().map(ToOwned::to_owned) else { continue };
            let entry = Entry { number: index + 1, directory, command };
            sources.entry(name).or_default().entries.entry(file).or_insert(entry);
        }
        Ok(CompileCommands { path: path.to_owned(), sources })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the options with which the build compiles the file at a normal path, or `None` without an entry for it.
    pub fn flags(&self, file: &Path) -> Result<Option<Flags>, SettingsError> {
        let Some(entry) = self.entry(file) else { return Ok(None) };
        let (number, name) = (entry.number, file.display());
        let words = match &entry.command {
            Command::Words(words) => words.clone(),
            Command::Line(line) => shlex::split(line).ok_or_else(|| {
                let message =
                    format!("unterminated quote or escape in the `command` of entry {number} ({name})");
                SettingsError::whole(&self.path, message)
            })?,
        };
        let mut all = Vec::with_capacity(words.len());
        let wrong =
            |why: CommandError| SettingsError::whole(&self.path, format!("entry {number} ({name}): {why}"));
        with_option_files(words, &entry.directory, 0, &mut all).map_err(wrong)?;
        Ok(Some(Flags::of(&all, &entry.directory)))
    }

    fn entry(&self, file: &Path) -> Option<&Entry> {
        let namesakes = self.sources.get(file.file_name()?)?;
        // The build may use another symbolic link to the file.
        namesakes.entries.get(file).or_else(|| namesakes.real(&file.canonicalize().ok()?))
    }
}

/// The maximum nesting depth of option files.
const MAX_OPTION_FILES: u32 = 8;

/// Replaces each option file with its words: `@FILE`, and for nvcc `--options-file FILE` and `-optf FILE`. CMake passes
/// include folders in such files.
fn with_option_files(
    words: Vec<String>,
    directory: &Path,
    depth: u32,
    all: &mut Vec<String>,
) -> Result<(), CommandError> {
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let joined = || word.strip_prefix("--options-file=").or_else(|| word.strip_prefix("-optf="));
        // nvcc accepts a comma-separated list.
        let list = |files: &str| files.split(',').map(str::to_owned).collect();
        let files: Vec<String> = match (&*word, word.strip_prefix('@'), joined()) {
            ("--options-file" | "-optf", ..) => words.next().as_deref().map(list).unwrap_or_default(),
            (_, Some(file), _) if !file.is_empty() => vec![file.to_owned()],
            (_, _, Some(files)) => list(files),
            _ => {
                all.push(word);
                continue;
            }
        };
        for file in files {
            if depth == MAX_OPTION_FILES {
                return Err(CommandError::TooDeep { file });
            }
            let text = match read::strict(&directory.join(&file)) {
                Ok(text) => text,
                Err(trouble) => return Err(CommandError::UnreadableFile { file, trouble: trouble.into() }),
            };
            let Some(inner) = shlex::split(&text) else {
                return Err(CommandError::UnterminatedInFile { file });
            };
            with_option_files(inner, directory, depth + 1, all)?;
        }
    }
    Ok(())
}

impl SameNameSources {
    fn real(&self, path: &Path) -> Option<&Entry> {
        let real = self.real.get_or_init(|| {
            let mut real = HashMap::new();
            for (index, file) in self.entries.keys().enumerate() {
                if let Ok(path) = file.canonicalize() {
                    real.entry(path).or_insert(index);
                }
            }
            real
        });
        Some(&self.entries[*real.get(path)?])
    }
}

/// Describes an error in the JSON, with its location.
fn misread(path: &Path, text: &str, error: &serde_json::Error) -> SettingsError {
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let message = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message);
    let message = match error.is_data() {
        true => rewrite_serde_error(message, "an object", ""),
        false => format!("invalid JSON: {message}"),
    };
    // Columns of `serde_json` count bytes.
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let at = start + column.saturating_sub(1);
    SettingsError::at(path, text, at..at, message)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::json;

    use super::*;
    use crate::build::MacroOption;

    fn commands(text: &str) -> CompileCommands {
        CompileCommands::parse(text, Path::new("/p/out/compile_commands.json")).unwrap()
    }

    fn macros(commands: &CompileCommands, file: &str) -> Option<Vec<MacroOption>> {
        Some(commands.flags(Path::new(file)).unwrap()?.macros)
    }

    fn define(text: &str) -> Option<Vec<MacroOption>> {
        Some(vec![MacroOption::Define(text.into())])
    }

    fn error(text: &str) -> String {
        CompileCommands::parse(text, Path::new("c.json")).unwrap_err().to_string()
    }

    #[test]
    fn arguments_and_command_give_the_same_flags() {
        let words = commands(
            r#"[{ "directory": "/p/build", "file": "../k.cl", "output": "k.o",
                  "arguments": ["clang", "-I..", "-I", "a b", "-DN=4", "-DS=\"x y\"", "-include", "pre.h"] }]"#,
        );
        let line = commands(
            r#"[{ "directory": "/p/build", "file": "/p/k.cl",
                  "command": "clang -I.. -I a\\ b '-DN=4' -DS='\"x y\"' -include \"pre.h\" -c k.cl" }]"#,
        );
        let flags = words.flags(Path::new("/p/k.cl")).unwrap().unwrap();
        assert_eq!(flags.include_dirs, [Path::new("/p"), Path::new("/p/build/a b")]);
        assert_eq!(flags.macros[1], MacroOption::Define("S=\"x y\"".into()));
        assert_eq!(line.flags(Path::new("/p/k.cl")).unwrap(), Some(flags));
        assert_eq!(line.flags(Path::new("/p/other.cl")).unwrap(), None);
        assert_eq!(line.flags(Path::new("/q/k.cl")).unwrap(), None);
        assert_eq!(line.flags(Path::new("/")).unwrap(), None);
    }

    #[test]
    fn relative_directory_is_relative_to_the_commands_file() {
        let relative =
            commands(r#"[{ "directory": "../src", "file": "./k.cl", "arguments": ["cc", "-Iinc"] }]"#);
        let flags = relative.flags(Path::new("/p/src/k.cl")).unwrap().unwrap();
        assert_eq!(flags.include_dirs, [Path::new("/p/src/inc")]);
    }

    #[test]
    fn first_entry_of_a_file_takes_precedence() {
        let several = commands(
            r#"[{ "directory": "/p", "file": "a.cl", "arguments": ["cc", "-DOTHER"] },
                { "directory": "/p", "file": "k.cl", "arguments": ["cc", "-DFIRST"] },
                { "directory": "/p", "file": "./k.cl", "command": "cc -DSECOND" }]"#,
        );
        assert_eq!(macros(&several, "/p/k.cl"), define("FIRST"));
        assert_eq!(macros(&several, "/p/a.cl"), define("OTHER"));
    }

    #[test]
    fn errors_are_reported_with_their_position() {
        expect!["c.json:1:2: invalid JSON: EOF while parsing an object"].assert_eq(&error("[{"));
        expect!["c.json:1:1: invalid JSON: EOF while parsing a value"].assert_eq(&error(""));
        expect!["c.json:1:1: expected a list, found an object"].assert_eq(&error("{}"));
        expect!["c.json:1:30: expected a path, found `3`"]
            .assert_eq(&error("[{ \"file\": \"µ\", \"directory\": 3 }]"));
        expect!["c.json:1:36: missing key `directory`"]
            .assert_eq(&error("[{ \"file\": \"a.cl\", \"arguments\": [] }]"));
        expect![[r#"c.json:1:54: expected a list, found the string "cc""#]]
            .assert_eq(&error("[{ \"directory\": \"/\", \"file\": \"a.cl\", \"arguments\": \"cc\" }]"));
        expect!["c.json:2:37: this entry needs `arguments` or `command`"]
            .assert_eq(&error("[\n{ \"directory\": \"/\", \"file\": \"a.cl\" }]"));
        expect![[r#"c.json:1:2: expected an object with `directory`, `file`, and `arguments` or `command`, found `3`"#]]
        .assert_eq(&error("[3]"));
    }

    #[test]
    fn invalid_command_affects_only_its_file() {
        let text = r#"[{ "directory": "/p", "file": "k.cl", "command": "cc '-DX" },
                       { "directory": "/p", "file": "a.cl", "command": "cc -DY" }]"#;
        let commands = commands(text);
        let trouble = commands.flags(Path::new("/p/k.cl")).unwrap_err();
        expect![
            "/p/out/compile_commands.json: unterminated quote or escape in the `command` of entry 1 (/p/k.cl)"
        ]
        .assert_eq(&trouble.to_string());
        assert_eq!(macros(&commands, "/p/a.cl"), define("Y"));
    }

    #[test]
    fn option_files_are_expanded_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("inc.rsp", "-Iinc \"-DA=1 2\"\n-DB\n@more,1.rsp");
        write("more,1.rsp", "-DC");
        let command = |words: &str| {
            let arguments: Vec<&str> = words.split(' ').collect();
            let entry = json!([{ "directory": folder.path(), "file": "k.cu", "arguments": arguments }]);
            commands(&entry.to_string()).flags(&folder.path().join("k.cu"))
        };
        let expected = ["A=1 2", "B", "C", "D"].map(|name| MacroOption::Define(name.into()));
        for words in [
            "nvcc --options-file inc.rsp -DD",
            "nvcc -optf inc.rsp -DD",
            "nvcc --options-file=inc.rsp -DD",
            "clang @inc.rsp -DD",
        ] {
            let flags = command(words).unwrap().unwrap();
            assert_eq!(flags.macros, expected, "{words}");
            assert_eq!(flags.include_dirs, [folder.path().join("inc")], "{words}");
        }
        let trouble = command("nvcc --options-file none.rsp").unwrap_err();
        assert!(
            trouble.message.contains("cannot read the option file `none.rsp`: No such file"),
            "{trouble}"
        );
        write("round.rsp", "@round.rsp");
        assert!(command("clang @round.rsp").unwrap_err().message.contains("nested too deeply"));
    }

    #[test]
    fn entries_of_a_large_build_are_found() {
        let entry = |n: usize| json!({ "directory": "/p", "file": format!("{}/kernel.cl", n), "arguments": ["cc", format!("-DN={n}")] });
        let many = commands(&json!((0..50_000).map(entry).collect::<Vec<_>>()).to_string());
        for n in [0, 49_999] {
            assert_eq!(macros(&many, &format!("/p/{n}/kernel.cl")), define(&format!("N={n}")));
        }
        assert_eq!(macros(&many, "/p/50000/kernel.cl"), None);
    }

    #[cfg(unix)]
    #[test]
    fn source_is_found_through_symbolic_links() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::create_dir_all(folder.join("real")).unwrap();
        std::fs::write(folder.join("real/k.cl"), "").unwrap();
        std::os::unix::fs::symlink("real", folder.join("link")).unwrap();
        for (built, asked) in [("real", "link"), ("link", "real")] {
            let entry =
                json!([{ "directory": folder.join(built), "file": "k.cl", "arguments": ["cc", "-DX"] }]);
            let commands = commands(&entry.to_string());
            assert_eq!(macros(&commands, folder.join(asked).join("k.cl").to_str().unwrap()), define("X"));
        }
    }
}
