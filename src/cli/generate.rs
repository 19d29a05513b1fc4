//! Files that a package installs with the command: shell completions and manual pages. Both are generated from the
//! options.

use std::fs;
use std::path::PathBuf;

use clap::{Args, Command, ValueHint};
use clap_complete::Shell;

use super::draft::WriteError;
use super::outcome::Status;
use super::output::{OutputError, Streams};

/// Print completions for a shell
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Write the manual pages, one for each command, to a folder
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The folder; it is created if it does not exist
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
}

/// Prints the completions.
///
/// # Errors
///
/// The output cannot be written.
pub(super) fn completions(
    args: &CompletionsArgs,
    mut command: Command,
    streams: &mut Streams,
) -> Result<Status, OutputError> {
    let name = command.get_name().to_owned();
    // The generator panics if it cannot write.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, name, &mut text);
    std::io::Write::write_all(&mut streams.out, &text).map_err(OutputError)?;
    Ok(Status::Clean)
}

/// Writes the manual pages.
///
/// # Errors
///
/// The folder or a file in it cannot be written.
pub(super) fn man(args: &ManArgs, command: Command) -> Result<Status, WriteError> {
    let at = |error: std::io::Error| WriteError::new(&args.folder, error);
    fs::create_dir_all(&args.folder).map_err(at)?;
    clap_mangen::generate_to(command, &args.folder).map_err(at)?;
    Ok(Status::Clean)
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::super::lint::tests::{Folder, tangle};

    #[test]
    fn completions_and_man_pages_are_generated() {
        let folder = Folder::new("generate", &[]);
        for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
            let (status, out, _) = tangle(&folder, "", &["completions", shell]);
            assert_eq!(status, Status::Clean);
            for word in ["simulate", "write-baseline"] {
                assert!(out.contains(word), "{shell}: {word}");
            }
        }
        let (status, ..) = tangle(&folder, "", &["man", &folder.path("man")]);
        assert_eq!(status, Status::Clean);
        for page in ["tangle.1", "tangle-lint.1", "tangle-config.1"] {
            let text = std::fs::read_to_string(folder.path("man") + "/" + page).unwrap();
            assert!(text.contains(".SH OPTIONS"), "{page}");
        }
        let (status, _, err) = tangle(&folder, "", &["man", "/dev/null/man"]);
        assert_eq!((status, &*err), (Status::Trouble, "tangle: /dev/null/man: Not a directory\n"));
    }
}
