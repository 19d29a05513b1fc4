//! Functions that run the command and the tools that the lowering is compared with.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Runs a command and returns its output. The error has the command and its error output.
pub fn run(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    checked(command, output)
}

/// Runs a command with `input` as its standard input.
pub fn pipe(command: &mut Command, input: &[u8]) -> Result<Vec<u8>, String> {
    let output = piped(command, input)?;
    checked(command, output)
}

/// Returns the error output of a command with `input` as its standard input.
pub fn answer(command: &mut Command, input: &[u8]) -> String {
    let output = piped(command, input).unwrap();
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn piped(command: &mut Command, input: &[u8]) -> Result<Output, String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    // A separate thread writes, since the command may block on its output. A failed write is not an error here.
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

/// Returns the command `tangle lower` in a folder, with arguments.
pub fn lower(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
    command.current_dir(folder).args(["lower", "--color", "never"]).args(arguments);
    command
}

/// Creates an empty folder for the files of one test.
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
    /// Returns `None` if LLVM is not installed.
    pub fn find() -> Option<Llvm> {
        Some(Llvm { opt: tangle_referees::llvm("opt")?, llc: tangle_referees::llvm("llc")? })
    }

    /// Runs passes on a module, which LLVM verifies before and after.
    pub fn opt(&self, options: &[&str], module: &[u8]) -> Result<Vec<u8>, String> {
        pipe(Command::new(&self.opt).args(options).args(["-S", "-o", "-"]), module)
    }

    /// Returns the assembly of a module.
    pub fn llc(&self, target: &[&str], module: &[u8]) -> Result<Vec<u8>, String> {
        pipe(Command::new(&self.llc).args(target).args(["-filetype=asm", "-o", "-"]), module)
    }
}
