//! `tangle init`: a `tangle.toml` for a project, derived from the files in its folder.
//!
//! The file sets the header folders: folders with a header that a kernel includes, unless the header is in the folder
//! of the kernel. All other settings are comments, for the user to activate.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use thiserror::Error;

use super::draft::{self, WriteError};
use super::outcome::Status;
use super::output::{OutputError, Streams};
use tangle_diagnostic::counted;
use tangle_project::walk::{files, walk};
use tangle_project::{Language, compile_commands, embedded, read, tangle_toml};

/// Write a commented `tangle.toml` for the kernels of a folder
#[derive(Debug, Args)]
pub struct InitArgs {
    /// The folder of the project
    #[arg(value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    folder: PathBuf,

    /// Replace a `tangle.toml` that exists
    #[arg(long)]
    force: bool,
}

/// The contents of a folder that determine the settings.
#[derive(Debug, Default)]
struct Found {
    /// The number of files of each language.
    languages: BTreeMap<&'static str, usize>,
    /// Header folders relative to the project folder. The value is the name of a header there, as in an `#include`.
    include: BTreeMap<String, String>,
    compile_commands: Option<PathBuf>,
}

/// Why no `tangle.toml` is written.
#[derive(Debug, Error)]
pub enum InitError {
    #[error("{}: the file exists: replace it with `--force`", .0.display())]
    Exists(PathBuf),
    /// The folder, or a folder in it, cannot be read. The text is from [`Walk::troubles`].
    ///
    /// [`Walk::troubles`]: tangle_project::walk::Walk::troubles
    #[error("{0}")]
    Folder(String),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// Writes the file.
///
/// # Errors
///
/// The file exists, the folder cannot be read, or the file or the output cannot be written.
pub(super) fn run(args: &InitArgs, streams: &mut Streams) -> Result<Status, InitError> {
    let target = args.folder.join(tangle_toml::NAME);
    if target.exists() && !args.force {
        return Err(InitError::Exists(target));
    }
    let found = find(&args.folder)?;
    draft::write(&target, |draft| draft.write_all(text(&found).as_bytes()))?;
    let kernels: Vec<String> = found
        .languages
        .iter()
        .map(|(language, count)| format!("{} of {language}", counted(*count, "file")))
        .collect();
    let kernels = if kernels.is_empty() { "no kernels".to_owned() } else { kernels.join(", ") };
    writeln!(streams.out, "{}: {kernels}", target.display()).map_err(OutputError)?;
    Ok(Status::Clean)
}

fn find(folder: &Path) -> Result<Found, InitError> {
    let mut found = Found::default();
    let walked = walk(&[folder.to_owned()]);
    if let Some(trouble) = walked.troubles.first() {
        return Err(InitError::Folder(trouble.clone()));
    }
    found.compile_commands =
        compile_commands::RELATIVE_PATHS.iter().map(PathBuf::from).find(|place| folder.join(place).is_file());
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    for path in walked.files.iter().filter_map(|file| file.path.as_deref()) {
        let Ok(text) = read::file(path) else { continue };
        let language = match Language::of_source(path) {
            Language::Opencl => "OpenCL",
            Language::Cuda => "CUDA",
            Language::Hip => "HIP",
        };
        *found.languages.entry(language).or_default() += 1;
        if embedded::is_host(path) {
            // tangle does not need the headers of host code.
            continue;
        }
        let beside = path.parent().unwrap_or(Path::new(""));
        wanted.extend(includes(text.text()).filter(|name| !beside.join(name).exists()).map(str::to_owned));
    }
    for path in files(folder) {
        let inside = path.to_string_lossy().replace('\\', "/");
        // `include/app/grid.h` is the header `app/grid.h` in the folder `include`.
        let names =
            std::iter::once(&*inside).chain(inside.match_indices('/').map(|(slash, _)| &inside[slash + 1..]));
        if let Some(name) = names.into_iter().find(|name| wanted.contains(*name)) {
            let around = inside[..inside.len() - name.len()].trim_end_matches('/');
            let around = if around.is_empty() { "." } else { around };
            let name = name.to_owned();
            found.include.entry(around.to_owned()).or_insert_with(|| name.clone());
            // If several folders contain the header, use only the first.
            wanted.remove(&name);
        }
    }
    Ok(found)
}

/// Returns the names of the headers that a text includes.
fn includes(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
        let (open, rest) = (rest.chars().next()?, rest.get(1..)?);
        let close = match open {
            '"' => '"',
            '<' => '>',
            _ => return None,
        };
        rest.split_once(close).map(|(name, _)| name)
    })
}

fn text(found: &Found) -> String {
    let mut text = String::from(
        "# Settings of tangle for this project. All are described in docs/settings.md of tangle.\n\n",
    );
    if found.include.is_empty() {
        text += "# Folders with headers, relative to this file.\n# include = [\"include\"]\n";
    } else {
        text += "# Folders with headers, relative to this file.\ninclude = [\n";
        for (folder, header) in &found.include {
            let _ = writeln!(text, "  {folder:?}, # {header}");
        }
        text += "]\n";
    }
    text += "\n# Macros that the build defines.\n# define = [\"TILE=16\"]\n\n";
    match &found.compile_commands {
        Some(path) => {
            let _ = writeln!(text, "# Macros and folders of the build are read from {}.", path.display());
        }
        None => {
            text += "# No compile_commands.json was found in this folder or in `build`. If there is one elsewhere:\n"
        }
    }
    text += "# compile-commands = \"build\"\n\n\
             # Lowest severity that makes the exit status 1.\n# fail-on = \"warning\"\n\n\
             # Files to skip.\n# exclude = [\"third_party/**\"]\n";
    if found.languages.contains_key("CUDA") {
        text += "\n# The architectures for which the code is compiled.\n# [cuda]\n# arch = [80, 90]\n";
    }
    if found.languages.contains_key("HIP") {
        text += "\n# Threads of a wavefront: 32, 64 or \"both\".\n# [hip]\n# wave = \"both\"\n";
    }
    if found.languages.contains_key("OpenCL") {
        text += "\n# The version of OpenCL C.\n# [opencl]\n# std = \"CL3.0\"\n";
    }
    text + "\n# Levels of rules: error, warning, note or off. `tangle rules` lists them.\n# [rules]\n# missing-include = \"off\"\n"
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::Status;
    use super::super::lint::tests::{Folder, tangle};
    use tangle_project::tangle_toml::Config;

    #[test]
    fn init_finds_include_folders_and_writes_settings() {
        let folder = Folder::new(
            "init",
            &[
                ("src/a.cl", "#include \"beside.h\"\n# include <app/grid.h>\n#include <none.h>\n"),
                ("src/beside.h", ""),
                ("include/app/grid.h", ""),
                ("src/b.cu", "__global__ void k() {}\n"),
                ("build/compile_commands.json", "[]"),
            ],
        );
        let (status, out, _) = tangle(&folder, "", &["init", &folder.path("")]);
        assert_eq!((status, &*out), (Status::Clean, "DIR/tangle.toml: 1 file of CUDA, 1 file of OpenCL\n"));
        let path = folder.path("tangle.toml");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("include = [\n  \"include\", # app/grid.h\n]\n"), "{text}");
        assert!(text.contains("are read from build/compile_commands.json"), "{text}");
        let config = Config::read(path.as_ref()).unwrap();
        assert_eq!(config.include.len(), 1);
        // The settings in comments are valid, too.
        let taken: String = text
            .lines()
            .map(|line| {
                line.strip_prefix("# ")
                    .filter(|it| it.contains(" = ") || it.starts_with('['))
                    .unwrap_or(line)
                    .to_owned()
                    + "\n"
            })
            .collect();
        fs::write(&path, &taken).unwrap();
        Config::read(path.as_ref()).unwrap_or_else(|why| panic!("{why}: {taken}"));
        let (status, _, err) = tangle(&folder, "", &["init", &folder.path("")]);
        assert_eq!(
            (status, &*err),
            (Status::Trouble, "tangle: DIR/tangle.toml: the file exists: replace it with `--force`\n")
        );
    }
}
