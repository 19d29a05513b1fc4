//! The thread that owns the databases: applies changes in their order, lints, publishes.
//!
//! Changes that wait are all applied before anything is linted, so that a fast typist is answered for the newest text.

use std::collections::HashMap;
use std::sync::mpsc::Receiver;

use tangle::cli::config::Config;
use tangle::cli::options::{Language, LanguageArgs};
use tangle::cli::rules::weigh;
use tangle::cli::session::Session;
use tangle::cli::walk::foreign_dialect;
use tangle::diagnostic::Sources;
use tokio::runtime::Handle;
use tower_lsp::Client;
use tower_lsp::lsp_types::{Diagnostic, MessageType, Url};

use crate::protocol;

/// What the editor tells.
pub enum Job {
    /// The text of a file that is open.
    Text {
        uri: Url,
        text: String,
        version: i32,
    },
    Saved {
        uri: Url,
    },
    Close {
        uri: Url,
    },
}

/// Starts the thread. It ends when the server does.
pub fn spawn(client: Client, handle: Handle, inbox: Receiver<Job>) {
    let mut owner = Owner { client, handle, open: HashMap::new(), sessions: HashMap::new() };
    let work = move || {
        while let Ok(first) = inbox.recv() {
            for job in std::iter::once(first).chain(inbox.try_iter()) {
                owner.apply(job);
            }
            owner.publish();
        }
    };
    // Deeply nested sources take deep recursion somewhere, be it only in dropping a tree.
    let builder = std::thread::Builder::new().name("analysis".into()).stack_size(16 << 20);
    builder.spawn(work).expect("the system has room for one more thread");
}

/// A file that is open in the editor.
struct Document {
    path: String,
    version: i32,
    /// The settings by which it is read, as a key of `sessions`.
    settings: String,
    /// What the editor shows for it.
    published: Option<Vec<Diagnostic>>,
}

struct Owner {
    client: Client,
    handle: Handle,
    open: HashMap<Url, Document>,
    /// A database for each `tangle.toml` that differs, with what it says.
    sessions: HashMap<String, (Session, Config)>,
}

impl Owner {
    fn apply(&mut self, job: Job) {
        match job {
            Job::Text { uri, text, version } => {
                let path = path(&uri);
                let settings = match self.open.get(&uri) {
                    Some(document) => document.settings.clone(),
                    None => self.settings(&path),
                };
                let (session, _) = self.sessions.get_mut(&settings).expect("made when the file was opened");
                session.set_text(&path, &text);
                let published = self.open.remove(&uri).and_then(|document| document.published);
                self.open.insert(uri, Document { path, version, settings, published });
            }
            Job::Saved { uri } => {
                // The text is known already; a file that others read without having it open is read again.
                let path = path(&uri);
                for (session, _) in self.sessions.values_mut() {
                    session.reload(&path);
                }
            }
            Job::Close { uri } => {
                if let Some(document) = self.open.remove(&uri) {
                    if let Some((session, _)) = self.sessions.get_mut(&document.settings) {
                        session.reload(&document.path);
                    }
                    self.handle.block_on(self.client.publish_diagnostics(uri, Vec::new(), None));
                }
            }
        }
    }

    /// The settings that hold for a file, as a key.
    fn settings(&mut self, path: &str) -> String {
        let config = Config::nearest(path.as_ref()).unwrap_or_else(|trouble| {
            self.handle
                .block_on(self.client.show_message(MessageType::WARNING, format!("tangle: {trouble}")));
            Config::default()
        });
        let key = format!("{config:?}");
        self.sessions.entry(key.clone()).or_insert_with(|| {
            let language: Language = LanguageArgs::default().resolve(&config);
            (Session::start(language), config)
        });
        key
    }

    /// Lints what is open and tells the editor what changed.
    fn publish(&mut self) {
        for (uri, document) in &mut self.open {
            let Some((session, config)) = self.sessions.get_mut(&document.settings) else { continue };
            // What this version does not analyse has no findings, rather than wrong ones.
            let mut findings = match foreign_dialect(document.path.as_ref()) {
                Some(_) => Vec::new(),
                None => session.lint_known(&document.path),
            };
            weigh(&mut findings, |rule| config.rules.get(rule).copied());
            let sources: &dyn Sources = session;
            let own = findings.iter().filter(|finding| *finding.place.file == *document.path);
            let shown: Vec<Diagnostic> =
                own.map(|finding| protocol::diagnostic(sources, uri, finding)).collect();
            if document.published.as_ref() != Some(&shown) {
                document.published = Some(shown.clone());
                let version = Some(document.version);
                self.handle.block_on(self.client.publish_diagnostics(uri.clone(), shown, version));
            }
        }
    }
}

/// The path under which the database knows a file; for one that is on no disk, its address.
fn path(uri: &Url) -> String {
    uri.to_file_path().map_or_else(|()| uri.to_string(), |path| path.to_string_lossy().into_owned())
}
