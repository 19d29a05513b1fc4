//! The streams of the command, and their behaviour after the reader closes a pipe.

use std::io::{self, ErrorKind, Read, Write};

use thiserror::Error;

use crate::human::{Renderer, Terminal};
use tangle_project::{SettingsError, read};

/// The output of a command cannot be written, for example because the disk is full.
#[derive(Debug, Error)]
#[error("cannot write the output: {}", read::plain(.0))]
pub struct OutputError(#[source] pub io::Error);

/// The streams of the command. Tests use buffers instead of the streams of the process.
pub struct Streams<'a> {
    pub input: &'a mut (dyn Read + Send),
    pub out: Output<'a>,
    pub err: Output<'a>,
    /// The properties of standard output for findings. `--color` overrides the colours.
    pub terminal: Terminal,
    /// The same for standard error.
    pub err_terminal: Terminal,
    /// Whether standard error can show a progress bar.
    pub progress: bool,
    /// Whether the output goes to the log of a GitHub workflow.
    pub in_github_workflow: bool,
}

impl Streams<'_> {
    /// Prints an error of the command itself, or a remark, on standard error.
    pub fn trouble(&mut self, message: impl std::fmt::Display) {
        // If standard error fails, the failure cannot be reported.
        let _ = writeln!(self.err, "tangle: {message}");
    }

    /// Reports errors in settings files, each with its line.
    pub fn wrong_settings(&mut self, wrong: &[SettingsError], terminal: Terminal) {
        for trouble in wrong {
            match trouble.diagnostic() {
                Some((diagnostic, text)) => {
                    let _ = Renderer::new(&text, terminal).write(&mut self.err, &diagnostic);
                }
                None => self.trouble(trouble),
            }
        }
    }
}

/// A stream that discards further output after its reader closes the pipe, as in `tangle lint | head`. This does not
/// change the exit status. Any other failure, such as a full disk, is an error.
pub struct Output<'a> {
    inner: &'a mut (dyn Write + Send),
    gone: bool,
}

impl<'a> Output<'a> {
    pub fn new(inner: &'a mut (dyn Write + Send)) -> Output<'a> {
        Output { inner, gone: false }
    }

    fn settle<T>(&mut self, result: io::Result<T>, if_gone: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.gone = true;
                Ok(if_gone)
            }
            result => result,
        }
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.gone {
            return Ok(bytes.len());
        }
        let result = self.inner.write(bytes);
        self.settle(result, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.gone {
            return Ok(());
        }
        let result = self.inner.flush();
        self.settle(result, ())
    }
}
