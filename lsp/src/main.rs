//! `tangle-lsp`: the findings of `tangle lint` while typing, over the language server protocol on standard input and
//! output.
//!
//! The protocol side ([`Server`]) hands every change over before it awaits anything, so that changes keep their order; one
//! thread ([`owner`]) owns the databases and applies them. The only crate that knows the protocol.

mod exit;
mod input;
mod owner;
mod protocol;

use std::process::ExitCode;
use std::sync::mpsc::{Sender, channel};

use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, InitializeParams, InitializeResult, ServerCapabilities, ServerInfo,
    TextDocumentSyncCapability, TextDocumentSyncKind,
};
use tower_lsp::{LanguageServer, LspService};

use owner::Job;

/// Bytes of messages that are read ahead.
const PIPE: usize = 64 * 1024;

struct Server {
    jobs: Sender<Job>,
}

impl Server {
    /// Hands a job to the owner. If that thread is gone, so is the process soon.
    fn hand_over(&self, job: Job) {
        let _ = self.jobs.send(job);
    }
}

#[tower_lsp::async_trait]
impl LanguageServer for Server {
    async fn initialize(&self, _: InitializeParams) -> Result<InitializeResult> {
        Ok(InitializeResult {
            capabilities: ServerCapabilities {
                text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::FULL)),
                ..ServerCapabilities::default()
            },
            server_info: Some(ServerInfo {
                name: "tangle-lsp".into(),
                version: Some(env!("CARGO_PKG_VERSION").into()),
            }),
        })
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        self.hand_over(Job::Text { uri: document.uri, text: document.text, version: document.version });
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        // The whole text each time: the last of several changes is the one that holds.
        if let Some(change) = params.content_changes.into_iter().next_back() {
            let document = params.text_document;
            self.hand_over(Job::Text { uri: document.uri, text: change.text, version: document.version });
        }
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        self.hand_over(Job::Saved { uri: params.text_document.uri });
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.hand_over(Job::Close { uri: params.text_document.uri });
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }
}

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        None => {}
        Some("--version" | "-V") => {
            println!("tangle-lsp {}", env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        Some("--help" | "-h") => {
            println!("Usage: tangle-lsp\n\nThe language server of tangle, on standard input and output.");
            return ExitCode::SUCCESS;
        }
        Some(other) => {
            eprintln!("tangle-lsp: unknown argument `{other}`; it takes none but --version and --help");
            return ExitCode::from(2);
        }
    }
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("tangle-lsp: cannot start threads: {error}");
            return ExitCode::from(2);
        }
    };
    runtime.block_on(async {
        let (jobs, inbox) = channel();
        let handle = tokio::runtime::Handle::current();
        let (service, socket) = LspService::new(move |client| {
            owner::spawn(client, handle, inbox);
            Server { jobs }
        });
        let service = input::AnswerMalformed(exit::OnExit::new(service));
        let (messages, checked) = tokio::io::duplex(PIPE);
        tokio::spawn(input::forward(tokio::io::stdin(), checked));
        tower_lsp::Server::new(messages, tokio::io::stdout(), socket).serve(service).await;
    });
    // Standard input is closed. A read of it may still wait on a thread of the runtime.
    runtime.shutdown_background();
    ExitCode::SUCCESS
}
