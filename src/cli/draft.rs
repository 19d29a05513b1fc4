//! Atomic replacement of files.
//!
//! The new content goes to a temporary file in the same folder, which is renamed to the target at the end. If an error
//! occurs before that, the temporary file is removed, and the target stays unchanged.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use tangle_project::read;

/// Why a file cannot be written. The text does not name the file.
#[derive(Debug, Error)]
pub enum DraftError {
    #[error("the path is a folder")]
    IsFolder,
    #[error("the path has no file name")]
    NoFileName,
    /// Temporary files of earlier runs already have all the names that a draft tries.
    #[error("cannot create a temporary file in the same folder: all names are taken")]
    NamesTaken,
    #[error("{}", read::plain(.0))]
    Io(#[from] io::Error),
}

/// A file or folder cannot be written.
#[derive(Debug, Error)]
#[error("{}: {source}", .path.display())]
pub struct WriteError {
    path: PathBuf,
    source: DraftError,
}

impl WriteError {
    pub fn new(path: &Path, source: impl Into<DraftError>) -> WriteError {
        WriteError { path: path.to_owned(), source: source.into() }
    }
}

/// Replaces a file by the bytes that `content` writes, or leaves it unchanged.
///
/// # Errors
///
/// The file cannot be written, or `content` fails.
pub fn write(path: &Path, content: impl FnOnce(&mut Draft) -> io::Result<()>) -> Result<(), WriteError> {
    let publish = || {
        let mut draft = Draft::new(path)?;
        content(&mut draft)?;
        draft.publish()
    };
    publish().map_err(|error| WriteError::new(path, error))
}

/// The new content of a file, before it replaces the old content.
pub struct Draft(Kind);

enum Kind {
    Beside(Beside),
    /// A target that is not a regular file, such as `/dev/null` or a pipe, cannot be replaced. All bytes are written
    /// to it at once at the end.
    Kept {
        target: PathBuf,
        bytes: Vec<u8>,
    },
}

struct Beside {
    target: PathBuf,
    path: PathBuf,
    file: BufWriter<File>,
    published: bool,
}

/// The number of temporary names to try. Files of interrupted runs can have some of these names.
const TRIES: u32 = 100;

impl Draft {
    /// Creates a draft of a file.
    ///
    /// # Errors
    ///
    /// The path cannot be a file, or no temporary file can be created beside it.
    pub fn new(target: &Path) -> Result<Draft, DraftError> {
        // If the target is a link, replace the file that it points to.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let known = fs::metadata(&target).ok();
        match &known {
            Some(known) if known.is_dir() => return Err(DraftError::IsFolder),
            Some(known) if !known.is_file() => return Ok(Draft(Kind::Kept { target, bytes: Vec::new() })),
            _ => {}
        }
        let name = target.file_name().ok_or(DraftError::NoFileName)?.to_string_lossy();
        for number in 0..TRIES {
            let path = target.with_file_name(format!(".{name}.{}-{number}.tmp", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    let beside = Beside { target, path, file: BufWriter::new(file), published: false };
                    if let Some(known) = known {
                        // Ignore errors: a file system without permissions cannot store any.
                        let _ = fs::set_permissions(&beside.path, known.permissions());
                    }
                    return Ok(Draft(Kind::Beside(beside)));
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(DraftError::NamesTaken)
    }

    /// Replaces the target by the written content.
    ///
    /// # Errors
    ///
    /// The written bytes cannot be stored, or the temporary file cannot be renamed.
    pub fn publish(self) -> Result<(), DraftError> {
        match self.0 {
            Kind::Kept { target, bytes } => OpenOptions::new().write(true).open(target)?.write_all(&bytes)?,
            Kind::Beside(mut beside) => {
                beside.file.flush()?;
                fs::rename(&beside.path, &beside.target)?;
                beside.published = true;
            }
        }
        Ok(())
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Kind::Beside(beside) => beside.file.write(bytes),
            Kind::Kept { bytes: kept, .. } => kept.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Kind::Beside(beside) => beside.file.flush(),
            Kind::Kept { .. } => Ok(()),
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if !self.published {
            // If the file cannot be removed, its name still identifies it as temporary.
            let _ = fs::remove_file(&self.path);
        }
    }
}
