//! Files of settings that are looked for upward: the nearest one above a source holds.
//!
//! Each file is read once, and each folder is looked at once, however many sources it has.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::trouble::Trouble;

/// The files of one kind.
#[derive(Debug)]
pub(super) struct Nearest<T> {
    /// Where such a file is, seen from a folder; of several the first.
    places: &'static [&'static str],
    reader: fn(&Path) -> Result<T, Trouble>,
    /// By the path of the file.
    read: HashMap<PathBuf, Result<Arc<T>, Trouble>>,
    /// The nearest file for a folder, if there is one.
    nearest: HashMap<PathBuf, Option<PathBuf>>,
}

impl<T> Nearest<T> {
    pub fn new(places: &'static [&'static str], reader: fn(&Path) -> Result<T, Trouble>) -> Nearest<T> {
        Nearest { places, reader, read: HashMap::new(), nearest: HashMap::new() }
    }

    /// What the file at a path says.
    pub fn at(&mut self, path: &Path) -> Result<Arc<T>, Trouble> {
        if let Some(known) = self.read.get(path) {
            return known.clone();
        }
        let result = (self.reader)(path).map(Arc::new);
        self.read.insert(path.to_owned(), result.clone());
        result
    }

    /// What the file says that is nearest to an absolute folder, in it or above.
    pub fn above(&mut self, folder: &Path) -> Result<Option<Arc<T>>, Trouble> {
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
