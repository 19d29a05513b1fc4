//! Chunks remembered across translation units.
//!
//! While a header is preprocessed, its *frame* takes note of everything outside that it depends on: for each name,
//! what it meant when the header first came upon it; which files were read; what each `#include` found. The chunk
//! is remembered together with these *reads* and with its *writes*: the meanings it leaves behind. At
//! another `#include` of the file, in this translation unit or another, the chunk is taken as it is if all its reads
//! hold, and the writes are applied.
//!
//! A name that is only tested (`#ifdef`), or only found not to be a macro, must mean the same; for a macro that was
//! expanded the place of its definition counts too, since the chunk's expansions point at it. What `#pragma pack` has said so
//! far must be the same for any header: nearly always it has said nothing.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use rustc_hash::FxHashMap;

use super::log::Entry;
use super::origin::FileId;
use super::scratch::Scratch;
use crate::dialect::Dialect;

/// How many meanings of one file are remembered.
const VARIANTS: usize = 16;

/// A header means something else in another language: it is remembered for each.
type Key = (Dialect, FileId);

/// What one file was found to mean.
type Meanings = Arc<[Arc<Entry>]>;

/// What is shared between translation units and threads.
#[derive(Default)]
pub struct Cache {
    entries: RwLock<FxHashMap<Key, Meanings>>,
    clock: AtomicU64,
    scratch: Mutex<Vec<Scratch>>,
}

impl Cache {
    pub fn new() -> Cache {
        Cache::default()
    }

    /// How many chunks are remembered.
    pub fn len(&self) -> usize {
        self.entries.read().expect("no panic under this lock").values().map(|variants| variants.len()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn variants(&self, dialect: Dialect, file: FileId) -> Option<Arc<[Arc<Entry>]>> {
        self.entries.read().expect("no panic under this lock").get(&(dialect, file)).cloned()
    }

    pub(super) fn used(&self, entry: &Entry) {
        entry.used.store(self.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
    }

    pub(super) fn insert(&self, entry: Entry) {
        self.used(&entry);
        let mut entries = self.entries.write().expect("no panic under this lock");
        let variants = entries.entry((entry.chunk.dialect, entry.chunk.file)).or_default();
        let mut list: Vec<Arc<Entry>> = variants.to_vec();
        if list.len() >= VARIANTS {
            let age = |index: &usize| list[*index].used.load(Ordering::Relaxed);
            if let Some(oldest) = (0..list.len()).min_by_key(age) {
                list.swap_remove(oldest);
            }
        }
        list.push(Arc::new(entry));
        *variants = list.into();
    }

    pub(super) fn take_scratch(&self) -> Scratch {
        self.scratch.lock().expect("no panic under this lock").pop().unwrap_or_default()
    }

    pub(super) fn put_scratch(&self, scratch: Scratch) {
        self.scratch.lock().expect("no panic under this lock").push(scratch);
    }
}

impl std::fmt::Debug for Cache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cache").field("len", &self.len()).finish_non_exhaustive()
    }
}
