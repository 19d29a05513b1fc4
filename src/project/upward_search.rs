//! Settings files that are searched for upward from a source. The nearest one applies.
//!
//! Each file is read once and each folder is searched once, for any number of sources.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::settings_error::SettingsError;

/// The settings files of one kind.
#[derive(Debug)]
pub(super) struct UpwardSearch<T> {
    /// The paths at which a file is searched for, relative to a folder. The first match applies.
    places: &'static [&'static str],
    reader: fn(&Path) -> Result<T, SettingsError>,
    /// The parsed files, by path.
    read: HashMap<PathBuf, Result<Arc<T>, SettingsError>>,
    /// The nearest file for each folder, or `None` if there is no file.
    nearest: HashMap<PathBuf, Option<PathBuf>>,
}

impl<T> UpwardSearch<T> {
    pub fn new(
        places: &'static [&'static str],
        reader: fn(&Path) -> Result<T, SettingsError>,
    ) -> UpwardSearch<T> {
        UpwardSearch { places, reader, read: HashMap::new(), nearest: HashMap::new() }
    }

    /// Returns the content of the file at a path.
    pub fn at(&mut self, path: &Path) -> Result<Arc<T>, SettingsError> {
        if let Some(known) = self.read.get(path) {
            return known.clone();
        }
        let result = (self.reader)(path).map(Arc::new);
        self.read.insert(path.to_owned(), result.clone());
        result
    }

    /// Returns the content of the nearest file, in an absolute folder or above it.
    pub fn above(&mut self, folder: &Path) -> Result<Option<Arc<T>>, SettingsError> {
        let mut nearest = None;
        let mut passed = Vec::new();
        for folder in folder.ancestors() {
            if let Some(known) = self.nearest.get(folder) {
                nearest = known.clone();
                break;
            }
            passed.push(folder);
            nearest = self.places.iter().map(|place| folder.join(place)).find(|file| file.is_file());
            if nearest.is_some() {
                break;
            }
        }
        let passed = passed.into_iter().map(|folder| (folder.to_owned(), nearest.clone()));
        self.nearest.extend(passed);
        nearest.map(|file| self.at(&file)).transpose()
    }
}
