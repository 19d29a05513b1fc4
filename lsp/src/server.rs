//! The protocol side: every message becomes a job for the owner thread before anything is awaited, so that their order stays.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use serde_json::{Value, json};
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::lsp_types::*;
use tower_lsp::{LanguageServer, async_trait};

use crate::capabilities::capabilities;
use crate::client::Client;
use crate::diagnostics;
use crate::files;
use crate::options::Options;
use crate::owner::{Cancel, Failure, Job, Question, attempt};
use crate::snapshot::{Snapshot, View};

pub struct Server {
    jobs: Sender<Job>,
    client: tower_lsp::Client,
    facts: std::sync::OnceLock<Facts>,
}

/// What the server itself must remember of `initialize`.
struct Facts {
    configuration: bool,
    registers_watchers: bool,
}

/// Stops the work for a request that nobody waits for any more.
struct CancelOnDrop(Arc<Cancel>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Server {
    pub fn new(client: tower_lsp::Client, jobs: Sender<Job>) -> Server {
        Server { jobs, client, facts: std::sync::OnceLock::new() }
    }

    /// Hands a job to the owner. If that thread is gone, so is the process soon.
    fn hand_over(&self, job: Job) {
        let _ = self.jobs.send(job);
    }

    /// Asks something of the present state. The job is on its way before this waits for the answer.
    pub async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Snapshot) -> T + Send + 'static,
    ) -> Result<T> {
        let cancel: Arc<Cancel> = Arc::default();
        let (answer, arrival) = oneshot::channel();
        let work = Box::new(move |snapshot: Snapshot| {
            let result = attempt(|| question(&snapshot));
            // Before the answer: an edit that it provokes must not wait for us.
            drop(snapshot);
            // If nobody waits any more, nobody misses it.
            let _ = answer.send(result);
        });
        self.hand_over(Job::Ask(Question { cancel: cancel.clone(), work }));
        let _guard = CancelOnDrop(cancel);
        match arrival.await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(Failure::Panicked)) => Err(Error::internal_error()),
            // The owner drops a question that was cancelled before it began.
            Ok(Err(Failure::Changed)) | Err(_) => Err(Error {
                code: ErrorCode::ContentModified,
                message: "the text has changed since".into(),
                data: None,
            }),
        }
    }

    /// Asks something of an open document. Of any other there is nothing to say.
    pub async fn about<T: Send + 'static>(
        &self,
        uri: Url,
        question: impl FnOnce(&View) -> Option<T> + Send + 'static,
    ) -> Result<Option<T>> {
        self.ask(move |snapshot| question(&snapshot.view(&uri)?)).await
    }

    /// Asks the client for the section `tangle`, for everything and for each folder.
    async fn read_configuration(&self) {
        let folders = self.client.workspace_folders().await.ok().flatten().unwrap_or_default();
        let scopes: Vec<Option<Url>> =
            std::iter::once(None).chain(folders.into_iter().map(|folder| Some(folder.uri))).collect();
        let items = scopes
            .iter()
            .map(|scope| ConfigurationItem { scope_uri: scope.clone(), section: Some("tangle".into()) });
        let Ok(sections) = self.client.configuration(items.collect()).await else { return };
        let mut all = Vec::new();
        for (scope, section) in scopes.iter().zip(sections) {
            all.push((scope.as_ref().map(files::path), self.read_options(section).await));
        }
        self.hand_over(Job::Options(all));
    }

    async fn read_options(&self, section: Value) -> Options {
        match Options::read(section) {
            Ok(options) => options,
            Err(trouble) => {
                self.client.show_message(MessageType::WARNING, format!("tangle: {trouble}")).await;
                Options::default()
            }
        }
    }

    /// Asks the client to tell of changes on the disk.
    async fn register_watchers(&self) {
        let watch = |pattern: &str| json!({ "globPattern": pattern });
        let patterns =
            ["**/tangle.toml", "**/compile_commands.json", "**/*.{cl,clh,ocl,h,hpp,inc,cu,cuh,hip}"];
        let registration = Registration {
            id: "tangle-files".into(),
            method: "workspace/didChangeWatchedFiles".into(),
            register_options: Some(json!({ "watchers": patterns.map(watch) })),
        };
        // A client that declines goes without: what is open is seen all the same.
        let _ = self.client.register_capability(vec![registration]).await;
    }
}

fn paths(uris: impl IntoIterator<Item = Url>) -> Vec<PathBuf> {
    uris.into_iter().map(|uri| files::path(&uri)).collect()
}

#[async_trait]
impl LanguageServer for Server {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let client = Client::of(&params.capabilities);
        let folders: Vec<Url> = match params.workspace_folders {
            Some(folders) => folders.into_iter().map(|folder| folder.uri).collect(),
            None => params.root_uri.into_iter().collect(),
        };
        let facts =
            Facts { configuration: client.configuration, registers_watchers: client.registers_watchers };
        // A second `initialize` is answered by tower-lsp.
        let _ = self.facts.set(facts);
        let result = InitializeResult {
            capabilities: capabilities(&client),
            server_info: Some(ServerInfo {
                name: "tangle-lsp".into(),
                version: Some(env!("CARGO_PKG_VERSION").into()),
            }),
        };
        let (options, trouble) = match Options::read(params.initialization_options.unwrap_or_default()) {
            Ok(options) => (options, None),
            Err(trouble) => (Options::default(), Some(trouble)),
        };
        self.hand_over(Job::Start { client, options, folders: paths(folders) });
        if let Some(trouble) = trouble {
            self.client.show_message(MessageType::WARNING, format!("tangle: {trouble}")).await;
        }
        if let Some(process) = params.process_id {
            crate::exit::with_parent(process);
        }
        Ok(result)
    }

    async fn initialized(&self, _: InitializedParams) {
        let Some(facts) = self.facts.get() else { return };
        if facts.registers_watchers {
            self.register_watchers().await;
        }
        if facts.configuration {
            self.read_configuration().await;
        }
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let TextDocumentItem { uri, version, text, .. } = params.text_document;
        self.hand_over(Job::Open { uri, version, text });
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        let VersionedTextDocumentIdentifier { uri, version } = params.text_document;
        self.hand_over(Job::Change { uri, version, changes: params.content_changes });
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        self.hand_over(Job::Disk(paths([params.text_document.uri])));
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.hand_over(Job::Close { uri: params.text_document.uri });
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        self.hand_over(Job::Disk(paths(params.changes.into_iter().map(|change| change.uri))));
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        let uris = |folders: Vec<WorkspaceFolder>| paths(folders.into_iter().map(|folder| folder.uri));
        let WorkspaceFoldersChangeEvent { added, removed } = params.event;
        self.hand_over(Job::Folders { added: uris(added), removed: uris(removed) });
        if self.facts.get().is_some_and(|facts| facts.configuration) {
            self.read_configuration().await;
        }
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        if self.facts.get().is_some_and(|facts| facts.configuration) {
            return self.read_configuration().await;
        }
        let options = self.read_options(params.settings).await;
        self.hand_over(Job::Options(vec![(None, options)]));
    }

    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        let items = self.about(params.text_document.uri, |view| Some(diagnostics::of(view))).await;
        let items = match items {
            Ok(items) => items.unwrap_or_default(),
            // The client is to ask again: it will not do so by itself.
            Err(error) if error.code == ErrorCode::ContentModified => {
                return Err(Error {
                    code: ErrorCode::ServerError(SERVER_CANCELLED),
                    data: Some(json!({ "retriggerRequest": true })),
                    ..error
                });
            }
            Err(error) => return Err(error),
        };
        let result_id = diagnostics::result_id(&items);
        let report = match params.previous_result_id.as_ref() == Some(&result_id) {
            true => DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
                related_documents: None,
                unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
            }),
            false => DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
                related_documents: None,
                full_document_diagnostic_report: FullDocumentDiagnosticReport {
                    result_id: Some(result_id),
                    items,
                },
            }),
        };
        Ok(DocumentDiagnosticReportResult::Report(report))
    }
}

/// LSP 3.17, `ServerCancelled`.
const SERVER_CANCELLED: i64 = -32802;
