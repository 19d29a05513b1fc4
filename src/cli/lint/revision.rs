//! `--changed-since`: the files of a git revision, to compare its findings with the findings of the working tree.
//!
//! Only files that differ are read from the revision. All others are the files of the working tree, also ignored files:
//! headers that the build generates, `compile_commands.json`, `tangle.toml`. So both sides are read in the same way,
//! under the same names.

use std::collections::{BTreeSet, HashMap};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;

use crate::analysis::OtherTexts;
use tangle_project::paths::absolute;
use tangle_project::read;

/// The texts of the revision, of all files that are different there.
///
/// # Errors
///
/// A sentence: a path is in no repository, the revision is unknown, or git cannot be started.
pub fn texts<'a>(revision: &str, paths: impl Iterator<Item = &'a Path>) -> Result<OtherTexts, String> {
    let mut repositories: BTreeSet<PathBuf> = BTreeSet::new();
    let mut known: BTreeSet<PathBuf> = BTreeSet::new();
    for path in paths {
        let path = absolute(path);
        let folder = if path.is_dir() { path } else { path.parent().unwrap_or(&path).to_owned() };
        // A path that does not exist is reported where it is read.
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

/// The root of the repository around a folder, without links in its path.
fn root(folder: &Path) -> Result<PathBuf, String> {
    let root = git(folder, &["rev-parse", "--show-toplevel"], &[])
        .map_err(|why| format!("{}: `--changed-since` needs a git repository: {why}", folder.display()))?;
    let root = root.strip_suffix(b"\n").unwrap_or(&root);
    Ok(std::fs::canonicalize(path(root)).unwrap_or_else(|_| path(root)))
}

/// The name of the commit that is meant.
fn commit(root: &Path, revision: &str) -> Result<String, String> {
    let unknown = |why: &str| format!("{}: unknown revision `{revision}`{why}", root.display());
    if revision.is_empty() || revision.starts_with('-') {
        return Err(unknown(""));
    }
    let wanted = format!("{revision}^{{commit}}");
    match git(root, &["rev-parse", "--verify", "--quiet", &wanted], &[]) {
        Ok(commit) => Ok(String::from_utf8_lossy(&commit).trim().to_owned()),
        Err(_) => {
            let shallow = git(root, &["rev-parse", "--is-shallow-repository"], &[]);
            let is_shallow = shallow.is_ok_and(|answer| answer.starts_with(b"true"));
            Err(unknown(if is_shallow { ": the clone is shallow, so fetch the revision first" } else { "" }))
        }
    }
}

/// A path in the repository, and the text of the revision; None: it has no such file, or no text.
type Changed = (PathBuf, Option<Arc<str>>);

/// The files that differ between a commit and the working tree.
fn changed(root: &Path, commit: &str) -> Result<Vec<Changed>, String> {
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
        // A file with another name counts as the file of the new name.
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

/// The texts of objects, by their names.
fn blobs<'a>(
    root: &Path,
    names: impl Iterator<Item = &'a str>,
) -> Result<HashMap<String, Option<Arc<str>>>, String> {
    let names: BTreeSet<&str> = names.collect();
    let asked: String = names.iter().map(|name| format!("{name}\n")).collect();
    let answer = git(root, &["cat-file", "--batch"], asked.as_bytes())?;
    let mut rest = &answer[..];
    let mut texts = HashMap::new();
    for name in names {
        let broken = || format!("{}: git cannot read the object {name}", root.display());
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

/// What git prints, or why it fails.
fn git(folder: &Path, args: &[&str], input: &[u8]) -> Result<Vec<u8>, String> {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(args).env("LC_ALL", "C").env("GIT_OPTIONAL_LOCKS", "0");
    // In a hook, these mean the paths of another folder.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        command.env_remove(name);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let cannot = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => "cannot find the program `git`".to_owned(),
        _ => format!("cannot run `git`: {}", read::plain(&error)),
    };
    let mut child = command.spawn().map_err(cannot)?;
    let stdin = child.stdin.take();
    // git may print before it has read everything.
    let output = thread::scope(|scope| {
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
        child.wait_with_output()
    });
    let output = output.map_err(cannot)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let told = String::from_utf8_lossy(&output.stderr);
    let first = told.lines().next().unwrap_or("no reason given");
    Err(first.trim_start_matches("fatal: ").to_owned())
}
