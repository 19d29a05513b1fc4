//! `@FILE` among the paths: a file with one path on each line.

use std::io::Read;
use std::path::{Path, PathBuf};

use tangle_project::read;

/// The paths of a command line. Each list is replaced by its paths.
///
/// # Errors
///
/// A sentence: a list cannot be read.
pub fn expanded(paths: &[PathBuf], input: &mut dyn Read) -> Result<Vec<PathBuf>, String> {
    let stdin = paths.iter().filter(|path| matches!(path.to_str(), Some("-" | "@-"))).count();
    if stdin > 1 && paths.iter().any(|path| path == Path::new("@-")) {
        return Err("standard input can be read once: as one list `@-`, or as one source `-`".to_owned());
    }
    let mut all = Vec::new();
    for path in paths {
        let Some(list) = path.to_str().and_then(|path| path.strip_prefix('@')) else {
            all.push(path.clone());
            continue;
        };
        let text = match list {
            "-" => read::text(&mut *input).map_err(|why| format!("@-: {why}"))?.text().to_owned(),
            list => read::strict(Path::new(list)).map_err(|why| format!("@{why}"))?,
        };
        let lines =
            text.lines().map(|line| line.trim_end_matches('\r')).filter(|line| !line.trim().is_empty());
        all.extend(lines.map(PathBuf::from));
    }
    Ok(all)
}
