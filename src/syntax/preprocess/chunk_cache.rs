//! A cache of chunks that translation units share.
//!
//! While a header is preprocessed, its *frame* records everything outside that it depends on: the meaning of each
//! name when the header first used it, the files that were read, and the result of each `#include`. The cache stores
//! the chunk with these *reads*, and with its *writes*: the meanings that it changes. At another `#include` of the
//! file, in any translation unit, the chunk is reused if all its reads are still valid. Then the writes are applied.
//!
//! A name that was only tested (`#ifdef`), or only found not to be a macro, must have the same meaning. For an
//! expanded macro, the location of its definition must also be the same, because the chunk's expansions refer to it.
//! The state of `#pragma pack` must be the same for every header. It nearly always is: most files have no
//! `#pragma pack`.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use rustc_hash::FxHashMap;

use super::log::Entry;
use super::origin::FileId;
use super::scratch::Scratch;
use crate::dialect::Dialect;

/// The maximum number of cached meanings of one file.
const VARIANTS: usize = 16;

/// The key of the cache. A header has another meaning in another language.
type Key = (Dialect, FileId);

/// The cached meanings of one file.
type Meanings = Arc<[Arc<Entry>]>;

/// The state that translation units and threads share.
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

    /// The number of cached chunks.
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
