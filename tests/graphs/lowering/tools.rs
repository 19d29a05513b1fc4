//! Running the command, and the referees of the lowering.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Runs a command; the error is what it was and what it printed.
pub fn run(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    checked(command, output)
}

/// Runs a command on a text as its standard input.
pub fn pipe(command: &mut Command, input: &[u8]) -> Result<Vec<u8>, String> {
    let output = piped(command, input)?;
    checked(command, output)
}

/// What a command says of a text, on its standard error.
pub fn answer(command: &mut Command, input: &[u8]) -> String {
    let output = piped(command, input).unwrap();
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn piped(command: &mut Command, input: &[u8]) -> Result<Output, String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    // Apart, since both ends may wait for each other. A program that stops reading says why itself.
    let writer = std::thread::spawn(move || _ = stdin.write_all(&input));
    let output = child.wait_with_output().map_err(|error| format!("{command:?}: {error}"))?;
    writer.join().expect("writing does not panic");
    Ok(output)
}

fn checked(command: &Command, output: Output) -> Result<Vec<u8>, String> {
    if output.status.success() {
        return Ok(output.stdout);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let start: String = text.chars().take(2000).collect();
    Err(format!("{command:?}: {}\n{start}", output.status))
}

/// `tangle lower` in a folder, with arguments.
pub fn lower(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
    command.current_dir(folder).args(["lower", "--color", "never"]).args(arguments);
    command
}

/// An empty folder for the files of one test.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// LLVM 19's optimizer and code generators.
pub struct Llvm {
    opt: String,
    llc: String,
}

impl Llvm {
    /// None: it is not installed.
    pub fn find() -> Option<Llvm> {
        Some(Llvm { opt: tangle_referees::llvm("opt")?, llc: tangle_referees::llvm("llc")? })
    }

    /// What comes of a module, which LLVM verifies before and after.
    pub fn opt(&self, options: &[&str], module: &[u8]) -> Result<Vec<u8>, String> {
        pipe(Command::new(&self.opt).args(options).args(["-S", "-o", "-"]), module)
    }

    /// The assembly of a module.
    pub fn llc(&self, target: &[&str], module: &[u8]) -> Result<Vec<u8>, String> {
        pipe(Command::new(&self.llc).args(target).args(["-filetype=asm", "-o", "-"]), module)
    }
}
