//! The thread that owns the state. It handles all messages of the client in order: changes on this thread, requests on
//! snapshots in a small thread pool.
//!
//! A change cancels all work on older states, because their answers would not match the text. When no message is
//! waiting, the findings of all open documents are computed and pushed, beginning with the document that changed last.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvError, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use salsa::{CancellationToken, Cancelled, Database as _};
use tangle_project::is_settings;
use tokio::runtime::Handle;
use tower_lsp::lsp_types::{Diagnostic, MessageType, TextDocumentContentChangeEvent, Url};

use crate::client::Client;
use crate::diagnostics;
use crate::options::Options;
use crate::prefetch;
use crate::server_state::{Folder, ServerState};
use crate::snapshot::Snapshot;

/// The number of threads that answer requests. Two long requests must not delay a hover.
const THREADS: usize = 4;
/// The stack size of threads. Deeply nested sources cause deep recursion, at least when a tree is dropped.
pub const STACK_BYTES: usize = 16 << 20;

/// The number of changes after which the database is replaced: `RENEW_WHEN_IDLE` in the next pause, `RENEW_AT_ONCE` immediately. A
/// replacement takes as long as opening the file.
const RENEW_WHEN_IDLE: usize = 256;
const RENEW_AT_ONCE: usize = 768;
/// The time without a change or request that counts as a pause.
const PAUSE: Duration = Duration::from_secs(1);

/// A message of the client.
pub enum Job {
    Start {
        client: Client,
        options: Options,
        folders: Vec<PathBuf>,
    },
    Open {
        uri: Url,
        /// The editor's identifier of the language.
        language: String,
        version: i32,
        text: String,
    },
    Change {
        uri: Url,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
    },
    Close {
        uri: Url,
    },
    /// Files that changed on disk.
    Disk(Vec<PathBuf>),
    Folders {
        added: Vec<PathBuf>,
        removed: Vec<PathBuf>,
    },
    /// The settings for all files (no path) or for a folder.
    Options(Vec<(Option<PathBuf>, Options)>),
    Ask(SnapshotTask),
}

/// A computation on the current state.
pub struct SnapshotTask {
    pub cancel: Arc<Cancel>,
    pub work: Box<dyn FnOnce(Snapshot) + Send>,
}

/// Cancels a question, before or during its work.
#[derive(Default)]
pub struct Cancel(Mutex<Progress>);

#[derive(Default)]
enum Progress {
    #[default]
    Waiting,
    Working(CancellationToken),
    Cancelled,
}

impl Cancel {
    pub fn cancel(&self) {
        let mut progress = self.0.lock().expect("no thread panics while it holds this lock");
        if let Progress::Working(token) = &*progress {
            token.cancel();
        }
        *progress = Progress::Cancelled;
    }

    /// Marks the start of the work. Returns false if the question was cancelled before.
    fn begin(&self, token: CancellationToken) -> bool {
        let mut progress = self.0.lock().expect("no thread panics while it holds this lock");
        match *progress {
            Progress::Cancelled => false,
            _ => {
                *progress = Progress::Working(token);
                true
            }
        }
    }
}

/// Why a question has no answer.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// The state changed during the work.
    Changed,
    /// The computation panicked.
    Panicked,
}

/// Computes something from a snapshot, unless the state changes or the computation fails.
pub fn attempt<T>(work: impl FnOnce() -> T) -> Result<T, Failure> {
    match catch_unwind(AssertUnwindSafe(|| Cancelled::catch(AssertUnwindSafe(work)))) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(_)) => Err(Failure::Changed),
        // The panic message is on standard error, which clients log.
        Err(_) => Err(Failure::Panicked),
    }
}

/// Starts the owner thread. It ends when all senders of jobs are dropped.
pub fn spawn(client: tower_lsp::Client, handle: Handle, inbox: Receiver<Job>) {
    let mut owner = Owner {
        world: ServerState::new(),
        link: ClientLink { client, handle, shown: Arc::default() },
        pool: pool(),
        working: Arc::default(),
        last: None,
    };
    let work = move || {
        while let Ok(first) = owner.next(&inbox) {
            let mut reported = owner.apply(first);
            // Apply all waiting jobs first: findings of an old text are useless.
            while let Ok(job) = inbox.try_recv() {
                reported |= owner.apply(job);
            }
            if reported {
                owner.publish();
            }
        }
    };
    let builder = std::thread::Builder::new().name("owner".into()).stack_size(STACK_BYTES);
    builder.spawn(work).expect("the system can start one more thread");
}

/// Makes the pool of threads that answer requests.
fn pool() -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(THREADS)
        .stack_size(STACK_BYTES)
        .thread_name(|number| format!("analysis {number}"))
        .build()
        .expect("the system can start a few more threads")
}

/// The connection to the client.
#[derive(Clone)]
struct ClientLink {
    client: tower_lsp::Client,
    handle: Handle,
    /// The diagnostics that the client shows for each document.
    shown: Arc<Mutex<HashMap<Url, Vec<Diagnostic>>>>,
}

struct Owner {
    world: ServerState,
    link: ClientLink,
    pool: rayon::ThreadPool,
    /// Every task in the pool holds a clone, so that the owner can see whether tasks are running.
    working: Arc<()>,
    /// The document that changed last.
    last: Option<Url>,
}

impl Owner {
    /// Waits for the next job. Uses a pause to replace a worn database.
    fn next(&mut self, inbox: &Receiver<Job>) -> Result<Job, RecvError> {
        while self.world.should_renew(RENEW_WHEN_IDLE) {
            match inbox.recv_timeout(PAUSE) {
                Ok(job) => return Ok(job),
                Err(RecvTimeoutError::Disconnected) => return Err(RecvError),
                // The client waits for an answer, because a task is still running.
                Err(RecvTimeoutError::Timeout) if Arc::strong_count(&self.working) > 1 => {}
                Err(RecvTimeoutError::Timeout) => {
                    self.renew();
                    self.last.iter().for_each(|uri| prefetch::start(&mut self.world, uri));
                    self.publish();
                }
            }
        }
        inbox.recv()
    }

    /// Applies a job. Returns whether the findings may have changed.
    fn apply(&mut self, job: Job) -> bool {
        match job {
            Job::Ask(question) => {
                self.answer(question);
                return false;
            }
            Job::Start { client, options, folders } => {
                self.world.client = Arc::new(client);
                self.world.options = Arc::new(options);
                self.world.folders = folders.into_iter().map(|path| self.folder(path)).collect();
            }
            Job::Open { uri, language, version, text } => {
                // Send the findings of an opened document even if the client showed the same before.
                self.link.forget(&uri);
                self.world.open(uri.clone(), &language, version, text);
                prefetch::start(&mut self.world, &uri);
                self.last = Some(uri);
            }
            Job::Change { uri, version, changes } => {
                if self.world.should_renew(RENEW_AT_ONCE) {
                    self.renew();
                }
                self.world.change(&uri, version, changes);
                self.last = Some(uri);
            }
            Job::Close { uri } => {
                self.world.close(&uri);
                if !self.world.client.pulls_diagnostics {
                    self.link.clear(uri);
                }
            }
            Job::Disk(paths) => {
                let again = paths.iter().any(|path| is_settings(path));
                paths.iter().for_each(|path| self.world.changed_on_disk(path));
                if again {
                    self.world.reconfigure();
                }
                self.refresh();
            }
            Job::Folders { added, removed } => {
                self.world.folders.retain(|folder| !removed.contains(&folder.path));
                let added: Vec<Folder> = added.into_iter().map(|path| self.folder(path)).collect();
                self.world.folders.extend(added);
                self.world.reconfigure();
                self.refresh();
            }
            Job::Options(all) => {
                for (path, options) in all {
                    match path {
                        None => self.world.options = Arc::new(options),
                        Some(path) => {
                            let options = Arc::new(options);
                            let folders = self.world.folders.iter_mut();
                            folders
                                .filter(|folder| folder.path == path)
                                .for_each(|folder| folder.options = options.clone());
                        }
                    }
                }
                self.world.reconfigure();
                self.refresh();
            }
        }
        for trouble in self.world.take_troubles() {
            self.link.warn(trouble);
        }
        true
    }

    /// Makes a new database and new threads. Memory that one thread allocated and another one freed belongs to the
    /// first until it ends.
    fn renew(&mut self) {
        self.world.renew();
        self.pool = pool();
    }

    fn folder(&self, path: PathBuf) -> Folder {
        Folder { path, options: self.world.options.clone() }
    }

    fn answer(&mut self, question: SnapshotTask) {
        let snapshot = self.world.snapshot();
        if question.cancel.begin(snapshot.db.cancellation_token()) {
            let working = self.working.clone();
            self.pool.spawn(move || {
                (question.work)(snapshot);
                drop(working);
            });
        }
    }

    /// Asks the client to repeat requests whose answers may have changed without a change of text.
    fn refresh(&self) {
        let (client, facts) = (self.link.client.clone(), self.world.client.clone());
        self.link.handle.spawn(async move {
            // If the client refuses, no further action is needed.
            if facts.pulls_diagnostics && facts.refreshes_diagnostics {
                let _ = client.workspace_diagnostic_refresh().await;
            }
            if facts.refreshes_inlay_hints {
                let _ = client.inlay_hint_refresh().await;
            }
            if facts.refreshes_semantic_tokens {
                let _ = client.semantic_tokens_refresh().await;
            }
            if facts.refreshes_code_lenses {
                let _ = client.code_lens_refresh().await;
            }
        });
    }

    /// Pushes the findings of all open documents. Nothing is pushed after a change of the state: the change waits until
    /// the snapshot is dropped.
    fn publish(&mut self) {
        if self.world.client.pulls_diagnostics || self.world.documents().is_empty() {
            return;
        }
        let snapshot = self.world.snapshot();
        let link = self.link.clone();
        let last = self.last.clone();
        let working = self.working.clone();
        self.pool.spawn(move || {
            let _working = working;
            let mut uris: Vec<&Url> = snapshot.documents.keys().collect();
            uris.sort_by_key(|uri| last.as_ref() != Some(uri));
            for uri in uris {
                let Some(document) = snapshot.documents.get(uri) else { continue };
                match attempt(|| snapshot.view(uri).map(|view| diagnostics::of(&view))) {
                    Ok(Some(findings)) => link.show(uri, document.version, findings),
                    Ok(None) | Err(Failure::Panicked) => {}
                    Err(Failure::Changed) => return,
                }
            }
        });
    }
}

impl ClientLink {
    /// Sends the findings of a document to the client, unless it already shows them.
    fn show(&self, uri: &Url, version: i32, findings: Vec<Diagnostic>) {
        let mut shown = self.shown.lock().expect("no thread panics while it holds this lock");
        if shown.get(uri) != Some(&findings) {
            shown.insert(uri.clone(), findings.clone());
            drop(shown);
            self.handle.block_on(self.client.publish_diagnostics(uri.clone(), findings, Some(version)));
        }
    }

    /// Forgets the diagnostics of a document. Returns whether the client showed any.
    fn forget(&self, uri: &Url) -> bool {
        self.shown.lock().expect("no thread panics while it holds this lock").remove(uri).is_some()
    }

    fn clear(&self, uri: Url) {
        if self.forget(&uri) {
            self.handle.block_on(self.client.publish_diagnostics(uri, Vec::new(), None));
        }
    }

    fn warn(&self, trouble: String) {
        self.handle.block_on(self.client.show_message(MessageType::WARNING, format!("tangle: {trouble}")));
    }
}
