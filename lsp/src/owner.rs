//! The thread that owns the state. It handles all messages of the client in order: changes on this thread, requests on
//! snapshots in a small thread pool.
//!
//! A change cancels all work on older states, because their answers would not match the text. When no message is
//! waiting, the findings of all open documents are computed and pushed, beginning with the document that changed last.
//!
//! After many changes, most memory of the database belongs to texts that no longer exist. Then another thread fills a new
//! database, the *successor*, and the owner replaces the old one between two jobs.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvError, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use salsa::{CancellationToken, Cancelled, Database as _};
use serde::Serialize;
use tangle_project::is_settings;
use tokio::runtime::Handle;
use tower_lsp::lsp_types::notification::{Notification, PublishDiagnostics};
use tower_lsp::lsp_types::{Diagnostic, MessageType, TextDocumentContentChangeEvent, Url};

use crate::client::Client;
use crate::diagnostics;
use crate::features::uniform::of_document;
use crate::options::Options;
use crate::output::Output;
use crate::prefetch;
use crate::server_state::{Folder, ServerState};
use crate::snapshot::Snapshot;

/// The number of threads that answer requests. Two long requests must not delay a hover.
const THREADS: usize = 4;
/// The stack size of threads. Deeply nested sources cause deep recursion, at least when a tree is dropped.
pub const STACK_BYTES: usize = 16 << 20;

/// The interval between checks whether the successor of the state is complete.
const LOOK: Duration = Duration::from_millis(20);

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

    /// Whether the question was cancelled.
    pub fn is_cancelled(&self) -> bool {
        let progress = self.0.lock().expect("no thread panics while it holds this lock");
        matches!(*progress, Progress::Cancelled)
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
pub fn spawn(client: tower_lsp::Client, handle: Handle, output: Output, inbox: Receiver<Job>) {
    let mut owner = Owner {
        world: ServerState::new(),
        link: ClientLink { client, handle, output, shown: Arc::default() },
        pool: pool(),
        successor: None,
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
    output: Output,
    shown: Arc<Mutex<HashMap<Url, ShownDiagnostics>>>,
}

/// The diagnostics that the client shows for a document.
struct ShownDiagnostics {
    /// The version of the text that they are about.
    version: i32,
    diagnostics: Vec<Diagnostic>,
}

struct Owner {
    world: ServerState,
    link: ClientLink,
    pool: rayon::ThreadPool,
    /// The thread that fills a new database, which will replace the worn one.
    successor: Option<JoinHandle<ServerState>>,
    /// The document that changed last.
    last: Option<Url>,
}

impl Owner {
    /// Waits for the next job. Meanwhile, replaces the state when its successor is complete.
    fn next(&mut self, inbox: &Receiver<Job>) -> Result<Job, RecvError> {
        while self.successor.is_some() {
            self.adopt_successor();
            match inbox.recv_timeout(LOOK) {
                Ok(job) => return Ok(job),
                Err(RecvTimeoutError::Disconnected) => return Err(RecvError),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        inbox.recv()
    }

    /// Starts a thread that fills a new database with the documents, and computes their facts.
    fn start_successor(&mut self) {
        let mut successor = self.world.successor();
        let work = move || {
            successor.fill();
            let snapshot = successor.snapshot();
            for uri in snapshot.documents.keys() {
                // After a panic, the facts are computed again on demand.
                let _ = attempt(|| {
                    let Some(view) = snapshot.view(uri) else { return };
                    diagnostics::of(&view);
                    of_document(view);
                });
            }
            drop(snapshot);
            successor
        };
        let builder = std::thread::Builder::new().name("successor".into()).stack_size(STACK_BYTES);
        // Without the thread, the state stays unchanged until the next change of a document.
        self.successor = builder.spawn(work).ok();
    }

    /// Replaces the database if its successor is complete. Threads are replaced as well: memory that one thread
    /// allocated and another one freed belongs to the first until it ends.
    fn adopt_successor(&mut self) {
        let Some(thread) = self.successor.take_if(|thread| thread.is_finished()) else { return };
        let Ok(successor) = thread.join() else { return };
        let old = (self.world.adopt(successor), std::mem::replace(&mut self.pool, pool()));
        // If the system refuses the thread, its closure is dropped here.
        let _ = std::thread::Builder::new().name("old state".into()).spawn(move || drop(old));
    }

    /// Applies a job. Returns whether the findings may have changed.
    fn apply(&mut self, job: Job) -> bool {
        // A successor has the documents and settings of its start.
        if !matches!(job, Job::Ask(_) | Job::Change { .. }) {
            self.successor = None;
        }
        self.adopt_successor();
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
                self.world.change(&uri, version, changes);
                self.last = Some(uri);
                if self.world.is_worn() && self.successor.is_none() {
                    self.start_successor();
                }
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

    fn folder(&self, path: PathBuf) -> Folder {
        Folder { path, options: self.world.options.clone() }
    }

    fn answer(&mut self, question: SnapshotTask) {
        let snapshot = self.world.snapshot();
        if question.cancel.begin(snapshot.db.cancellation_token()) {
            self.pool.spawn(move || (question.work)(snapshot));
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
        let is_empty = self.world.documents().is_empty() && self.world.settings_files().is_empty();
        if self.world.client.pulls_diagnostics || is_empty {
            return;
        }
        let snapshot = self.world.snapshot();
        let link = self.link.clone();
        let last = self.last.clone();
        self.pool.spawn(move || {
            let documents = snapshot.documents.iter().map(|(uri, document)| (uri, document.version));
            let files = snapshot.settings_files.iter().map(|(uri, file)| (uri, file.version));
            let mut open: Vec<(&Url, i32)> = documents.chain(files).collect();
            open.sort_by_key(|&(uri, _)| last.as_ref() != Some(uri));
            for (uri, version) in open {
                match attempt(|| diagnostics::of_uri(&snapshot, uri)) {
                    Ok(Some(findings)) => link.show(uri, version, findings),
                    Ok(None) | Err(Failure::Panicked) => {}
                    Err(Failure::Changed) => return,
                }
            }
        });
    }
}

impl ClientLink {
    /// Sends the findings of a document to the client, unless it already shows them, or the findings of a later version. A
    /// state that was replaced may compute findings after its successor.
    fn show(&self, uri: &Url, version: i32, findings: Vec<Diagnostic>) {
        // The lock is held until they are sent, so that they arrive in this order.
        let mut shown = self.shown.lock().expect("no thread panics while it holds this lock");
        let is_known =
            shown.get(uri).is_some_and(|known| known.version > version || known.diagnostics == findings);
        if !is_known {
            self.publish(uri, Some(version), &findings);
            shown.insert(uri.clone(), ShownDiagnostics { version, diagnostics: findings });
        }
    }

    /// Forgets the diagnostics of a document. Returns whether the client showed any.
    fn forget(&self, uri: &Url) -> bool {
        self.shown.lock().expect("no thread panics while it holds this lock").remove(uri).is_some()
    }

    fn clear(&self, uri: Url) {
        if self.forget(&uri) {
            self.publish(&uri, None, &[]);
        }
    }

    fn publish(&self, uri: &Url, version: Option<i32>, diagnostics: &[Diagnostic]) {
        /// The parameters of the notification `textDocument/publishDiagnostics`.
        #[derive(Serialize)]
        struct Params<'a> {
            uri: &'a Url,
            #[serde(skip_serializing_if = "Option::is_none")]
            version: Option<i32>,
            diagnostics: &'a [Diagnostic],
        }
        self.output.notify(PublishDiagnostics::METHOD, &Params { uri, version, diagnostics });
    }

    fn warn(&self, trouble: String) {
        self.handle.block_on(self.client.show_message(MessageType::WARNING, format!("tangle: {trouble}")));
    }
}
