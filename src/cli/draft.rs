//! A file that appears whole or not at all.
//!
//! What is written goes to a new file beside the one that is meant, which takes its name at the end. If anything fails before, the new
//! file is removed and the old one is as it was.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tangle_project::read;

/// What is written to a file, before it is there.
pub struct Draft(Kind);

enum Kind {
    Beside(Beside),
    /// What is no regular file, such as `/dev/null` or a pipe, cannot be replaced: it gets all at once what was kept until then.
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

/// Names that may be taken by other runs which were stopped midway.
const TRIES: u32 = 100;

impl Draft {
    /// Begins a draft of a file, or says why it cannot be written.
    pub fn new(target: &Path) -> Result<Draft, String> {
        // The file behind a link is meant, not the link.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let known = fs::metadata(&target).ok();
        match &known {
            Some(known) if known.is_dir() => return Err("the path is a folder".to_owned()),
            Some(known) if !known.is_file() => return Ok(Draft(Kind::Kept { target, bytes: Vec::new() })),
            _ => {}
        }
        let name = target.file_name().ok_or("the path has no file name")?.to_string_lossy();
        for number in 0..TRIES {
            let path = target.with_file_name(format!(".{name}.{}-{number}.tmp", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    let beside = Beside { target, path, file: BufWriter::new(file), published: false };
                    if let Some(known) = known {
                        // A file system that keeps no permissions has none to lose.
                        let _ = fs::set_permissions(&beside.path, known.permissions());
                    }
                    return Ok(Draft(Kind::Beside(beside)));
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(read::plain(&error)),
            }
        }
        Err("cannot create a temporary file in the same folder: all names are taken".to_owned())
    }

    /// Puts what was written in the place of the file.
    pub fn publish(self) -> Result<(), String> {
        let publish = || match self.0 {
            Kind::Kept { target, bytes } => OpenOptions::new().write(true).open(target)?.write_all(&bytes),
            Kind::Beside(mut beside) => {
                beside.file.flush()?;
                fs::rename(&beside.path, &beside.target)?;
                beside.published = true;
                Ok(())
            }
        };
        publish().map_err(|error: io::Error| read::plain(&error))
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
            // A file that cannot be removed is told by its name.
            let _ = fs::remove_file(&self.path);
        }
    }
}
