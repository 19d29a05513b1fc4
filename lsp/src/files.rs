//! The files as the editor sees them: its buffers, and below them the disk.
//!
//! A header is known to the database by the path that an `#include` led to, such as `src/../inc/a.h`, and to the editor
//! by its address. Both mean the file at one *normal* path; [`Files`] keeps book of the names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dashmap::DashMap;
use tangle_project::{embedded, normal, read};
use tangle_syntax::source::{Content, Loader};
use tower_lsp::lsp_types::Url;

#[derive(Default)]
pub struct Files {
    /// The texts that are open in the editor.
    buffers: DashMap<PathBuf, Arc<str>>,
    /// The names under which the database has asked for a file.
    names: DashMap<PathBuf, Vec<Arc<str>>>,
}

impl Files {
    /// Puts a buffer over the file at a normal path, or takes it away.
    pub fn set_buffer(&self, path: &Path, text: Option<Arc<str>>) {
        match text {
            Some(text) => _ = self.buffers.insert(path.to_owned(), text),
            None => _ = self.buffers.remove(path),
        }
    }

    /// The content of the file at a normal path.
    pub fn content(&self, path: &Path) -> Content {
        if let Some(buffer) = self.buffers.get(path) {
            return Content::Text(buffer.clone());
        }
        // Only a text can be included: everything else is as good as missing, and `missing-include` says so.
        match read::file(path) {
            Ok(text) => Content::Text((*embedded::opencl(text.text())).into()),
            Err(_) => Content::Missing,
        }
    }

    /// The names under which the database knows the file at a normal path.
    pub fn names(&self, path: &Path) -> Vec<Arc<str>> {
        self.names.get(path).map(|names| names.clone()).unwrap_or_default()
    }

    /// Takes note of a name.
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

/// The normal path of a document; for one that is on no disk, its address.
pub fn path(uri: &Url) -> PathBuf {
    uri.to_file_path().map_or_else(|()| PathBuf::from(uri.as_str()), |path| normal(&path))
}

/// The address of a file that the database knows by this name.
pub fn uri(name: &str) -> Option<Url> {
    match Path::new(name).is_absolute() {
        true => Url::from_file_path(normal(Path::new(name))).ok(),
        // A buffer without a file; a pseudo file such as `<command line>` has no address.
        false => Url::parse(name).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_hides_the_file_under_every_name() {
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
