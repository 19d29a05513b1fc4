//! Paths as keys: the same file has the same key, however it is named.

use std::path::{Component, Path, PathBuf};

/// A path without `.` and `..`. Symbolic links are not followed: editors do not follow them either.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => _ = normal.pop(),
            other => normal.push(other),
        }
    }
    normal
}

/// A path from the root, without `.` and `..`. Where there is no current folder, a path counts as it stands.
pub fn absolute(path: &Path) -> PathBuf {
    normal(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_normal_path_has_no_detours() {
        for (path, expected) in [
            ("/a/b/../c.h", "/a/c.h"),
            ("/a/./b.h", "/a/b.h"),
            ("/../a.h", "/../a.h"),
            ("untitled:one", "untitled:one"),
        ] {
            assert_eq!(normal(Path::new(path)), Path::new(expected));
        }
    }
}
