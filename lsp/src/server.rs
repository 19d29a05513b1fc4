//! The protocol side. Every message becomes a job for the owner thread before the first `await`, so that jobs keep the
//! order of the messages.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::lsp_types::*;
use tower_lsp::{LanguageServer, async_trait};

use crate::capabilities::capabilities;
use crate::client::Client;
use crate::diagnostics;
use crate::features::compare::{self, CompareRequest, Compared};
use crate::features::panels::{DocumentPosition, FlowGraph, LlvmIr, TangleTree};
use crate::features::threads::{ThreadTable, ThreadTableRequest};
use crate::features::witness::{self, FoundWitness, WitnessRequest};
use crate::features::{
    actions, calls, completion, definition, hints, hover, panels, rename, semantic, signature, structure,
    threads, workspace,
};
use crate::files;
use crate::options::Options;
use crate::owner::{Cancel, Failure, Job, SnapshotTask, attempt};
use crate::pages;
use crate::snapshot::{Snapshot, View};

pub struct Server {
    jobs: Sender<Job>,
    client: tower_lsp::Client,
    facts: std::sync::OnceLock<ClientFacts>,
}

/// The parameters of `initialize` that the server itself needs.
struct ClientFacts {
    configuration: bool,
    registers_watchers: bool,
    shows_documents: bool,
}

/// Stops the work for a request when the client no longer waits for it.
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

    /// Sends a job to the owner thread. If that thread has ended, the process ends soon.
    fn send_job(&self, job: Job) {
        let _ = self.jobs.send(job);
    }

    /// Asks a question about the current state. The job is sent before this waits for the answer.
    pub async fn query<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Snapshot) -> T + Send + 'static,
    ) -> Result<T> {
        self.query_in_steps(question, |answer, _| answer).await
    }

    /// Asks a question whose second step has no snapshot, so that no edit waits for it. The second step can look whether its
    /// result is still wanted.
    async fn query_in_steps<P, T: Send + 'static>(
        &self,
        first: impl FnOnce(&Snapshot) -> P + Send + 'static,
        second: impl FnOnce(P, &dyn Fn() -> bool) -> T + Send + 'static,
    ) -> Result<T> {
        let cancel: Arc<Cancel> = Arc::default();
        let (answer, arrival) = oneshot::channel();
        let client = cancel.clone();
        let work = Box::new(move |snapshot: Snapshot| {
            let prepared = attempt(|| first(&snapshot));
            let changes = snapshot.changes.clone();
            // Drop the snapshot before the answer is sent: an edit in response must not wait for it.
            drop(snapshot);
            let is_wanted = move || !changes.any() && !client.is_cancelled();
            let result = prepared.and_then(|prepared| attempt(|| second(prepared, &is_wanted)));
            // The client may no longer wait for the answer.
            let _ = answer.send(result);
        });
        self.send_job(Job::Ask(SnapshotTask { cancel: cancel.clone(), work }));
        let _guard = CancelOnDrop(cancel);
        match arrival.await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(Failure::Panicked)) => Err(Error::internal_error()),
            // The owner drops a question that was cancelled before its work began.
            Ok(Err(Failure::Changed)) | Err(_) => Err(Error {
                code: ErrorCode::ContentModified,
                message: "the document has changed since this request".into(),
                data: None,
            }),
        }
    }

    /// Asks a question about an open document. Returns `None` for any other document.
    pub async fn query_document<T: Send + 'static>(
        &self,
        uri: Url,
        question: impl FnOnce(&View) -> Option<T> + Send + 'static,
    ) -> Result<Option<T>> {
        self.query(move |snapshot| question(&snapshot.view(&uri)?)).await
    }

    pub async fn flow_graph(&self, place: DocumentPosition) -> Result<Option<FlowGraph>> {
        let DocumentPosition { text_document, position } = place;
        self.query_document(text_document.uri, move |view| panels::flow_graph(view, position))
            .await?
            .transpose()
    }

    pub async fn tangle_tree(&self, place: DocumentPosition) -> Result<Option<TangleTree>> {
        let DocumentPosition { text_document, position } = place;
        self.query_document(text_document.uri, move |view| panels::tangle_tree(view, position)).await
    }

    pub async fn llvm_ir(&self, place: DocumentPosition) -> Result<Option<LlvmIr>> {
        let DocumentPosition { text_document, position } = place;
        self.query_document(text_document.uri, move |view| panels::llvm_ir(view, position)).await?.transpose()
    }

    pub async fn thread_table(&self, ask: ThreadTableRequest) -> Result<Option<ThreadTable>> {
        let ThreadTableRequest { text_document, position, launch, svg } = ask;
        let launch = launch.unwrap_or_default();
        let table = move |view: &View| threads::thread_table(view, position, &launch, svg);
        self.query_document(text_document.uri, table).await?.transpose()
    }

    pub async fn witness(&self, ask: WitnessRequest) -> Result<Option<FoundWitness>> {
        let WitnessRequest { text_document, position, rule } = ask;
        let find = move |view: &View| Some(witness::witness(view, position, rule.as_deref()));
        self.query_document(text_document.uri, find).await?.transpose()
    }

    pub async fn compare(&self, ask: CompareRequest) -> Result<Option<Compared>> {
        let CompareRequest { text_document, position } = ask;
        let versions =
            move |snapshot: &Snapshot| Some(compare::versions(&snapshot.view(&text_document.uri)?, position));
        let compared = self.query_in_steps(versions, |versions, is_wanted| {
            versions.map(|versions| compare::compare_versions(versions, is_wanted))
        });
        compared.await?.transpose()
    }

    /// Shows the page of a rule. Returns its text.
    async fn explain(&self, rule: &'static tangle_rules::Rule) -> String {
        let page =
            pages::address(rule.id).filter(|_| self.facts.get().is_some_and(|facts| facts.shows_documents));
        let shown = match page {
            Some(uri) => {
                let params =
                    ShowDocumentParams { uri, external: None, take_focus: Some(true), selection: None };
                self.client.show_document(params).await.unwrap_or(false)
            }
            None => false,
        };
        if !shown {
            self.client.show_message(MessageType::INFO, format!("{}: {}", rule.id, rule.summary)).await;
        }
        rule.page.to_owned()
    }

    /// Requests the section `tangle` from the client, for all files and for each folder.
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
        self.send_job(Job::Options(all));
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

    /// Asks the client to report changes on disk.
    async fn register_watchers(&self) {
        let watch = |pattern: &str| json!({ "globPattern": pattern });
        let patterns = [
            "**/tangle.toml",
            "**/compile_commands.json",
            "**/*.{cl,clh,ocl,h,hh,hpp,hxx,inc,inl,cu,cuh,hip}",
        ];
        let registration = Registration {
            id: "tangle-files".into(),
            method: "workspace/didChangeWatchedFiles".into(),
            register_options: Some(json!({ "watchers": patterns.map(watch) })),
        };
        // If the client refuses, the server still sees changes of open documents.
        let _ = self.client.register_capability(vec![registration]).await;
    }
}

/// The argument of a command about a place.
#[derive(Deserialize)]
struct CommandArgument {
    uri: Url,
    position: Option<Position>,
    rule: Option<String>,
}

fn at(params: TextDocumentPositionParams) -> (Url, Position) {
    (params.text_document.uri, params.position)
}

/// Returns the document for which the call hierarchy was requested.
fn asked_from(item: &CallHierarchyItem) -> Url {
    let from = item.data.as_ref().and_then(|data| Url::parse(data.as_str()?).ok());
    from.unwrap_or_else(|| item.uri.clone())
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
        let facts = ClientFacts {
            configuration: client.configuration,
            registers_watchers: client.registers_watchers,
            shows_documents: client.shows_documents,
        };
        // tower-lsp itself answers a second `initialize`.
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
        self.send_job(Job::Start { client, options, folders: paths(folders) });
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
        let TextDocumentItem { uri, language_id: language, version, text } = params.text_document;
        self.send_job(Job::Open { uri, language, version, text });
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        let VersionedTextDocumentIdentifier { uri, version } = params.text_document;
        self.send_job(Job::Change { uri, version, changes: params.content_changes });
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        self.send_job(Job::Disk(paths([params.text_document.uri])));
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.send_job(Job::Close { uri: params.text_document.uri });
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        self.send_job(Job::Disk(paths(params.changes.into_iter().map(|change| change.uri))));
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        let uris = |folders: Vec<WorkspaceFolder>| paths(folders.into_iter().map(|folder| folder.uri));
        let WorkspaceFoldersChangeEvent { added, removed } = params.event;
        self.send_job(Job::Folders { added: uris(added), removed: uris(removed) });
        if self.facts.get().is_some_and(|facts| facts.configuration) {
            self.read_configuration().await;
        }
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        if self.facts.get().is_some_and(|facts| facts.configuration) {
            return self.read_configuration().await;
        }
        let options = self.read_options(params.settings).await;
        self.send_job(Job::Options(vec![(None, options)]));
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let (uri, position) = at(params.text_document_position_params);
        let hover = move |snapshot: &Snapshot| match snapshot.settings_files.get(&uri) {
            Some(file) => file.hover(&snapshot.client, position),
            None => hover::hover(&snapshot.view(&uri)?, position),
        };
        self.query(hover).await
    }

    async fn goto_definition(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        let (uri, position) = at(params.text_document_position_params);
        let found = self.query_document(uri, move |view| definition::definition(view, position)).await?;
        Ok(found.map(GotoDefinitionResponse::Array))
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        let (uri, position) = at(params.text_document_position);
        let declarations = params.context.include_declaration;
        self.query_document(uri, move |view| definition::references_to(view, position, declarations)).await
    }

    async fn document_highlight(
        &self,
        params: DocumentHighlightParams,
    ) -> Result<Option<Vec<DocumentHighlight>>> {
        let (uri, position) = at(params.text_document_position_params);
        self.query_document(uri, move |view| definition::highlight(view, position)).await
    }

    async fn prepare_rename(
        &self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<PrepareRenameResponse>> {
        let (uri, position) = at(params);
        self.query_document(uri, move |view| rename::prepare_rename(view, position)).await
    }

    async fn rename(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        let (uri, position) = at(params.text_document_position);
        let name = params.new_name;
        self.query_document(uri, move |view| rename::rename(view, position, &name)).await?.transpose()
    }

    async fn document_symbol(&self, params: DocumentSymbolParams) -> Result<Option<DocumentSymbolResponse>> {
        self.query_document(params.text_document.uri, structure::symbols).await
    }

    async fn folding_range(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        self.query_document(params.text_document.uri, structure::folding).await
    }

    async fn selection_range(&self, params: SelectionRangeParams) -> Result<Option<Vec<SelectionRange>>> {
        let positions = params.positions;
        self.query_document(params.text_document.uri, move |view| structure::selection(view, &positions))
            .await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        let range = params.range;
        self.query_document(params.text_document.uri, move |view| hints::inlay_hints(view, range)).await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        self.query_document(params.text_document.uri, hints::code_lenses).await
    }

    async fn semantic_tokens_full(
        &self,
        params: SemanticTokensParams,
    ) -> Result<Option<SemanticTokensResult>> {
        let tokens = self
            .query_document(params.text_document.uri, |view| semantic::semantic_tokens(view, None))
            .await?;
        Ok(tokens.map(SemanticTokensResult::Tokens))
    }

    async fn semantic_tokens_range(
        &self,
        params: SemanticTokensRangeParams,
    ) -> Result<Option<SemanticTokensRangeResult>> {
        let part = Some(params.range);
        let tokens = self
            .query_document(params.text_document.uri, move |view| semantic::semantic_tokens(view, part))
            .await?;
        Ok(tokens.map(SemanticTokensRangeResult::Tokens))
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        let (uri, position) = at(params.text_document_position);
        let trigger = params.context.and_then(|context| context.trigger_character);
        let complete = move |snapshot: &Snapshot| match snapshot.settings_files.get(&uri) {
            Some(file) => file.completion(&snapshot.client, position),
            None => completion::completion(&snapshot.view(&uri)?, position, trigger.as_deref()),
        };
        self.query(complete).await
    }

    async fn completion_resolve(&self, item: CompletionItem) -> Result<CompletionItem> {
        let uri =
            item.data.as_ref().and_then(|data| data["uri"].as_str()).and_then(|uri| Url::parse(uri).ok());
        let Some(uri) = uri else { return Ok(item) };
        let unchanged = item.clone();
        let resolved = self.query_document(uri, move |view| {
            let mut item = item;
            completion::resolve(view, &mut item);
            Some(item)
        });
        Ok(resolved.await?.unwrap_or(unchanged))
    }

    async fn signature_help(&self, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
        let (uri, position) = at(params.text_document_position_params);
        self.query_document(uri, move |view| signature::signature_help(view, position)).await
    }

    async fn prepare_call_hierarchy(
        &self,
        params: CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<CallHierarchyItem>>> {
        let (uri, position) = at(params.text_document_position_params);
        let mut found = self.query_document(uri.clone(), move |view| calls::prepare(view, position)).await?;
        // Store the document of the request: a function of a header has a meaning only in a unit.
        found.iter_mut().flatten().for_each(|item| item.data = Some(json!(uri)));
        Ok(found)
    }

    async fn incoming_calls(
        &self,
        params: CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
        let (uri, name) = (asked_from(&params.item), params.item.name);
        let mut found = self.query_document(uri.clone(), move |view| calls::incoming(view, &name)).await?;
        found.iter_mut().flatten().for_each(|call| call.from.data = Some(json!(uri)));
        Ok(found)
    }

    async fn outgoing_calls(
        &self,
        params: CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
        let (uri, name) = (asked_from(&params.item), params.item.name);
        let mut found = self.query_document(uri.clone(), move |view| calls::outgoing(view, &name)).await?;
        found.iter_mut().flatten().for_each(|call| call.to.data = Some(json!(uri)));
        Ok(found)
    }

    async fn symbol(&self, params: WorkspaceSymbolParams) -> Result<Option<Vec<SymbolInformation>>> {
        self.query(move |snapshot| Some(workspace::symbols(snapshot, &params.query))).await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let CodeActionParams { text_document, range, context, .. } = params;
        self.query_document(text_document.uri, move |view| actions::code_actions(view, range, &context)).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        let argument = params.arguments.into_iter().next().unwrap_or_default();
        let rule = argument.as_str().and_then(tangle_rules::rule);
        let place: Option<CommandArgument> = serde_json::from_value(argument).ok();
        let text = match (params.command.as_str(), rule, place) {
            (actions::EXPLAIN, Some(rule), _) => Some(self.explain(rule).await),
            (witness::COMMAND, _, Some(CommandArgument { uri, position: Some(position), rule })) => {
                let text_document = TextDocumentIdentifier { uri };
                let found = self.witness(WitnessRequest { text_document, position, rule }).await?;
                if let Some(FoundWitness { text, .. }) = &found {
                    self.client.show_message(MessageType::INFO, text).await;
                }
                found.map(|found| found.text)
            }
            (compare::COMMAND, _, Some(CommandArgument { uri, position, .. })) => {
                let text_document = TextDocumentIdentifier { uri };
                let compared = self.compare(CompareRequest { text_document, position }).await?;
                if let Some(Compared { summary, .. }) = &compared {
                    self.client.show_message(MessageType::INFO, summary).await;
                }
                compared.map(|compared| compared.text)
            }
            (command, ..) => {
                return Err(Error::invalid_params(format!(
                    "unknown command `{command}`, or invalid arguments"
                )));
            }
        };
        Ok(text.map(Value::String))
    }

    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        let uri = params.text_document.uri;
        let items = self.query(move |snapshot| diagnostics::of_uri(snapshot, &uri)).await;
        let items = match items {
            Ok(items) => items.unwrap_or_default(),
            // Tell the client to repeat the request, because it will not do so by itself.
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
