//! `--changed-since`: the files of a git revision, to compare its findings with the findings of the working tree.
//!
//! Only files that differ are read from the revision. All other files come from the working tree, including ignored
//! files: generated headers, `compile_commands.json`, `tangle.toml`. So both checks use the same settings and the same
//! file names.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;

use thiserror::Error;

use crate::analysis::OtherTexts;
use tangle_project::paths::absolute;
use tangle_project::read;

/// Why the files of a revision cannot be read. `root` is the root of the repository.
#[derive(Debug, Error)]
pub enum RevisionError {
    #[error("{}: `--changed-since` needs a git repository: {source}", .folder.display())]
    NoRepository { folder: PathBuf, source: GitError },
    #[error("{}: unknown revision `{revision}`", .root.display())]
    Unknown { root: PathBuf, revision: String },
    #[error(
        "{}: unknown revision `{revision}`: the clone is shallow, so fetch the revision first",
        .root.display()
    )]
    UnknownInShallowClone { root: PathBuf, revision: String },
    /// git returned no content for an object of the revision.
    #[error("{}: git cannot read the object {object}", .root.display())]
    UnreadableObject { root: PathBuf, object: String },
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Why a command of git fails.
#[derive(Debug, Error)]
pub enum GitError {
    #[error("cannot find the program `git`")]
    NotFound,
    #[error("cannot run `git`: {}", read::plain(.0))]
    Io(#[source] io::Error),
    /// The first line that git printed on standard error, without `fatal: `.
    #[error("{}", .0.as_deref().unwrap_or("no reason given"))]
    Failed(Option<String>),
}

impl From<io::Error> for GitError {
    fn from(error: io::Error) -> GitError {
        match error.kind() {
            ErrorKind::NotFound => GitError::NotFound,
            _ => GitError::Io(error),
        }
    }
}

/// Returns the texts in the revision of all files that differ from the working tree.
///
/// # Errors
///
/// A path is in no repository, the revision is unknown, or git fails.
pub fn texts<'a>(revision: &str, paths: impl Iterator<Item = &'a Path>) -> Result<OtherTexts, RevisionError> {
    let mut repositories: BTreeSet<PathBuf> = BTreeSet::new();
    let mut known: BTreeSet<PathBuf> = BTreeSet::new();
    for path in paths {
        let path = absolute(path);
        let folder = if path.is_dir() { path } else { path.parent().unwrap_or(&path).to_owned() };
        // A path that does not exist is reported when it is read.
        if folder.is_dir() && known.insert(folder.clone()) {
            repositories.insert(root(&folder)?);
        }
    }
    let mut texts = HashMap::new();
    for root in repositories {
        let commit = commit(&root, revision)?;
        texts.extend(changed(&root, &commit)?.into_iter().map(|(path, text)| (root.join(path), text)));
    }
    Ok(texts)
}

/// Returns the root of the repository that contains a folder, as a path without links.
fn root(folder: &Path) -> Result<PathBuf, RevisionError> {
    let root = git(folder, &["rev-parse", "--show-toplevel"], &[])
        .map_err(|source| RevisionError::NoRepository { folder: folder.to_owned(), source })?;
    let root = root.strip_suffix(b"\n").unwrap_or(&root);
    Ok(std::fs::canonicalize(path(root)).unwrap_or_else(|_| path(root)))
}

/// Returns the object name of the commit of a revision.
fn commit(root: &Path, revision: &str) -> Result<String, RevisionError> {
    let unknown = || RevisionError::Unknown { root: root.to_owned(), revision: revision.to_owned() };
    if revision.is_empty() || revision.starts_with('-') {
        return Err(unknown());
    }
    let wanted = format!("{revision}^{{commit}}");
    match git(root, &["rev-parse", "--verify", "--quiet", &wanted], &[]) {
        Ok(commit) => Ok(String::from_utf8_lossy(&commit).trim().to_owned()),
        Err(_) => {
            let shallow = git(root, &["rev-parse", "--is-shallow-repository"], &[]);
            let (root, revision) = (root.to_owned(), revision.to_owned());
            Err(match shallow.is_ok_and(|answer| answer.starts_with(b"true")) {
                true => RevisionError::UnknownInShallowClone { root, revision },
                false => RevisionError::Unknown { root, revision },
            })
        }
    }
}

/// A path in the repository, and its text in the revision. `None`: the revision has no such file, or it is not text.
type Changed = (PathBuf, Option<Arc<str>>);

/// Returns the files that differ between a commit and the working tree, including untracked files.
fn changed(root: &Path, commit: &str) -> Result<Vec<Changed>, RevisionError> {
    let asked =
        ["diff", "--raw", "-z", "--no-abbrev", "-M", "--no-relative", "--no-ext-diff", "--ignore-submodules"];
    let diff = git(root, &[&asked[..], &[commit, "--"]].concat(), &[])?;
    let mut absent: Vec<PathBuf> = Vec::new();
    let mut wanted: Vec<(PathBuf, String)> = Vec::new();
    let mut fields = diff.split(|byte| *byte == 0);
    while let Some(line) = fields.next().filter(|line| !line.is_empty()) {
        let line = String::from_utf8_lossy(line).into_owned();
        let parts: Vec<&str> = line.trim_start_matches(':').split(' ').collect();
        let ([old_mode, _, old, _, status], Some(path)) = (&parts[..], fields.next().map(path)) else {
            break;
        };
        // The old content of a renamed or copied file also counts as the old content of its new path.
        let new = if status.starts_with(['R', 'C']) { fields.next().map(self::path) } else { None };
        match *old_mode {
            _ if status.starts_with('A') => absent.push(path),
            "100644" | "100755" => {
                wanted.extend(new.map(|new| (new, (*old).to_owned())));
                wanted.push((path, (*old).to_owned()));
            }
            // A link or a submodule counts as unchanged.
            _ => {}
        }
    }
    let untracked = git(root, &["ls-files", "--others", "--exclude-standard", "-z"], &[])?;
    absent.extend(untracked.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(path));
    let texts = blobs(root, wanted.iter().map(|(_, name)| &**name))?;
    let present = wanted.into_iter().map(|(path, name)| (path, texts.get(&name).cloned().flatten()));
    Ok(absent.into_iter().map(|path| (path, None)).chain(present).collect())
}

/// Returns the texts of objects, by object name. `None`: the object is not text.
fn blobs<'a>(
    root: &Path,
    names: impl Iterator<Item = &'a str>,
) -> Result<HashMap<String, Option<Arc<str>>>, RevisionError> {
    let names: BTreeSet<&str> = names.collect();
    let asked: String = names.iter().map(|name| format!("{name}\n")).collect();
    let answer = git(root, &["cat-file", "--batch"], asked.as_bytes())?;
    let mut rest = &answer[..];
    let mut texts = HashMap::new();
    for name in names {
        let broken = || RevisionError::UnreadableObject { root: root.to_owned(), object: name.to_owned() };
        let end = rest.iter().position(|byte| *byte == b'\n').ok_or_else(broken)?;
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        let size = head.rsplit(' ').next().and_then(|size| size.parse::<usize>().ok()).ok_or_else(broken)?;
        let content = rest.get(end + 1..end + 1 + size).ok_or_else(broken)?;
        let text = read::text(content).ok().map(|text| text.text().into());
        texts.insert(name.to_owned(), text);
        rest = rest.get(end + 2 + size..).unwrap_or_default();
    }
    Ok(texts)
}

#[cfg(unix)]
fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    std::ffi::OsStr::from_bytes(bytes).into()
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// Runs git, and returns its standard output.
///
/// # Errors
///
/// git cannot be run, or its exit status is not 0.
fn git(folder: &Path, args: &[&str], input: &[u8]) -> Result<Vec<u8>, GitError> {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(args).env("LC_ALL", "C").env("GIT_OPTIONAL_LOCKS", "0");
    // In a git hook, these variables refer to the repository of the hook.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        command.env_remove(name);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let stdin = child.stdin.take();
    // git can print before it has read all input, so another thread writes the input.
    let output = thread::scope(|scope| {
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
        child.wait_with_output()
    });
    let output = output?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let reported = String::from_utf8_lossy(&output.stderr);
    let first = reported.lines().next();
    Err(GitError::Failed(first.map(|line| line.trim_start_matches("fatal: ").to_owned())))
}
