//! The files as the editor sees them: open buffers take precedence over files on disk.
//!
//! The database identifies a header by the path of its `#include`, such as `src/../inc/a.h`, and the editor by its URI.
//! Both refer to the file at one *normal* path. [`Files`] maps normal paths to names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dashmap::DashMap;
use tangle_project::{embedded, normal, read};
use tangle_syntax::source::{Content, Loader};
use tower_lsp::lsp_types::Url;

#[derive(Default)]
pub struct Files {
    /// The texts that are open in the editor, by normal path.
    buffers: DashMap<PathBuf, Arc<str>>,
    /// The names of files in the database, by normal path.
    names: DashMap<PathBuf, Vec<Arc<str>>>,
}

impl Files {
    /// Sets the buffer of the file at a normal path, or removes it.
    pub fn set_buffer(&self, path: &Path, text: Option<Arc<str>>) {
        match text {
            Some(text) => _ = self.buffers.insert(path.to_owned(), text),
            None => _ = self.buffers.remove(path),
        }
    }

    /// Returns the content of the file at a normal path.
    pub fn content(&self, path: &Path) -> Content {
        if let Some(buffer) = self.buffers.get(path) {
            return Content::Text(buffer.clone());
        }
        // A file that is not text counts as missing, and `missing-include` reports it.
        match read::file(path) {
            Ok(text) => Content::Text((*embedded::opencl(text.text())).into()),
            Err(_) => Content::Missing,
        }
    }

    /// Returns the names of the file at a normal path in the database.
    pub fn names(&self, path: &Path) -> Vec<Arc<str>> {
        self.names.get(path).map(|names| names.clone()).unwrap_or_default()
    }

    /// Records a name of the file at a normal path.
    pub fn name(&self, path: &Path, name: &str) {
        let mut names = self.names.entry(path.to_owned()).or_default();
        if !names.iter().any(|known| **known == *name) {
            names.push(name.into());
        }
    }
}

impl Loader for Files {
    fn load(&self, name: &str) -> Content {
        let path = normal(Path::new(name));
        self.name(&path, name);
        self.content(&path)
    }
}

/// Returns the normal path of a document, or its URI if it is not on disk.
pub fn path(uri: &Url) -> PathBuf {
    uri.to_file_path().map_or_else(|()| PathBuf::from(uri.as_str()), |path| normal(&path))
}

/// The extensions of headers.
pub const HEADERS: [&str; 8] = ["h", "clh", "cuh", "hh", "hpp", "hxx", "inc", "inl"];

/// The maximum number of entries of a folder that are read.
const MAX_ENTRIES: usize = 4096;

/// A file or folder in a folder.
pub struct Entry {
    pub name: String,
    pub is_folder: bool,
}

/// Returns the headers and the folders in a folder, without hidden ones. Empty if it cannot be read.
pub fn headers_in(folder: &Path) -> Vec<Entry> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let entry = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.ok()?.path();
        let name = path.file_name()?.to_str()?.to_owned();
        let is_folder = path.is_dir();
        let extension = path.extension().and_then(|extension| extension.to_str());
        let is_header = is_folder || extension.is_some_and(|extension| HEADERS.contains(&extension));
        (is_header && !name.starts_with('.')).then_some(Entry { name, is_folder })
    };
    entries.take(MAX_ENTRIES).filter_map(entry).collect()
}

/// Returns the URI of a file with this name in the database.
pub fn uri(name: &str) -> Option<Url> {
    match Path::new(name).is_absolute() {
        true => Url::from_file_path(normal(Path::new(name))).ok(),
        // The name of a buffer without a file is its URI. A pseudo file such as `<command line>` has none.
        false => Url::parse(name).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_buffer_replaces_the_file_under_every_path() {
        let files = Files::default();
        files.set_buffer(Path::new("/nowhere/a.h"), Some("int a;".into()));
        assert_eq!(files.load("/nowhere/b/../a.h"), Content::Text("int a;".into()));
        assert_eq!(files.names(Path::new("/nowhere/a.h")), ["/nowhere/b/../a.h".into()]);
        files.set_buffer(Path::new("/nowhere/a.h"), None);
        assert_eq!(files.load("/nowhere/a.h"), Content::Missing);
        assert_eq!(uri("/nowhere/b/../a.h").unwrap().as_str(), "file:///nowhere/a.h");
        assert_eq!(uri("<command line>"), None);
    }
}
