//! Analyses a newly opened document on further processors.
//!
//! One thread computes the findings, from the first item of a unit to the last. The threads of this module begin with
//! the last item and proceed towards the first. All of them share their results in the database.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tangle_analysis::tangle::patterns::patterns_of;
use tangle_analysis::tangle::tangles_of;
use tangle_hir::scope::{scoped_items, typed};
use tangle_syntax::items::{ChunkKey, SharedChunk, chunks, items, unit};

use crate::features::uniform::of_document;
use crate::owner::{STACK_BYTES, attempt};
use crate::server_state::ServerState;
use crate::snapshot::View;

/// The maximum number of threads. With more, memory would be the bottleneck.
const MAX_THREADS: usize = 4;

/// Starts the analysis of the unit of a document.
pub fn start(world: &mut ServerState, uri: &tower_lsp::lsp_types::Url) {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let done: Arc<[AtomicUsize; 2]> = Arc::default();
    for _ in 1..processors.min(MAX_THREADS + 1) {
        let (snapshot, uri, done) = (world.snapshot(), uri.clone(), done.clone());
        let work = move || {
            // An error means that the text has changed, so the work is no longer needed.
            let _ = attempt(|| snapshot.view(&uri).map(|view| work_on(&view, &done)));
        };
        // Without the thread, a later query does the work.
        let _ = std::thread::Builder::new().name("ahead".into()).stack_size(STACK_BYTES).spawn(work);
    }
}

fn work_on(view: &View, done: &[AtomicUsize; 2]) {
    let (db, settings) = (view.db, view.analysis.settings);
    let chunks = chunks(unit(db, view.root, settings)).into_iter();
    let all: Vec<_> =
        chunks.flat_map(|chunk| items(db, ChunkKey::new(db, SharedChunk(chunk))).iter()).collect();
    backwards(&all, &done[0], |(item, _)| {
        tangles_of(db, *item, view.analysis.model);
        patterns_of(db, *item);
    });
    backwards(&scoped_items(db, view.root, settings), &done[1], |item| _ = typed(db, item.scoped));
    // Hovers and hints need the facts of every function; findings need the facts of few.
    of_document(*view);
}

/// Calls `each` with every element that no other thread has taken, from the last to the first.
fn backwards<T>(all: &[T], done: &AtomicUsize, each: impl Fn(&T)) {
    while let Some(element) = all.iter().rev().nth(done.fetch_add(1, Ordering::Relaxed)) {
        each(element);
    }
}
