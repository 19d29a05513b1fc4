//! Paths as keys: a file has the same key for all spellings of its path.

use std::path::{Component, Path, PathBuf};

/// Returns a path without `.` and `..`. Does not follow symbolic links, because editors do not follow them either.
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

/// Returns an absolute path without `.` and `..`. If there is no current folder, a relative path stays relative.
pub fn absolute(path: &Path) -> PathBuf {
    normal(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

/// Returns the path of a file relative to a folder, with `/` between its parts, or the absolute path if the file is not
/// below the folder.
pub fn below(folder: &Path, file: &Path) -> String {
    let path = absolute(file);
    match path.strip_prefix(folder) {
        Ok(inside) => {
            let parts: Vec<_> = inside.components().map(|part| part.as_os_str().to_string_lossy()).collect();
            parts.join("/")
        }
        Err(_) => path.to_string_lossy().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_components_are_resolved() {
        for (path, expected) in [
            ("/a/b/../c.h", "/a/c.h"),
            ("/a/./b.h", "/a/b.h"),
            ("/../a.h", "/../a.h"),
            ("untitled:one", "untitled:one"),
        ] {
            assert_eq!(normal(Path::new(path)), Path::new(expected));
        }
    }

    #[test]
    fn path_is_relative_only_below_the_folder() {
        let from = |file: &str| below(Path::new("/p/src"), Path::new(file));
        assert_eq!(from("/p/src/./a/b.cl"), "a/b.cl");
        assert_eq!(from("/p/src/../b.cl"), "/p/b.cl");
    }
}
