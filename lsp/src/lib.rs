//! The language server of `tangle`: tangles, findings and pictures while typing, over the language server protocol on standard input and
//! output.
//!
//! ```text
//! standard input -> input -> server -> owner -> world           changes, in order
//!                                        |-> snapshot -> features  questions, cancelled when the state changes
//!                                        `-> diagnostics           findings, pushed
//! ```
//!
//! The only crate that knows the protocol. Analyses are in `tangle`; a feature here puts their facts into the client's
//! words.

mod ahead;
mod capabilities;
mod client;
mod diagnostics;
mod exit;
mod features;
mod files;
mod input;
mod options;
mod owner;
mod pages;
mod server;
mod snapshot;
mod text;
mod world;

use std::process::ExitCode;
use std::sync::mpsc::channel;

use tower_lsp::LspService;

use server::Server;

/// Bytes of messages that are read ahead.
const PIPE: usize = 64 * 1024;
/// Requests that are open at a time. tower-lsp reads nothing beyond them, not even a cancellation.
const REQUESTS: usize = 4096;

/// Has the system give memory in small pages only: in huge ones half as much again lies idle, and a virtual machine
/// that gets its memory when it is touched waits for three times as much.
fn small_pages() {
    // Where it is refused, all is as usual.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

/// The program `tangle-lsp`. The first argument is its name.
pub fn main(arguments: impl IntoIterator<Item = String>) -> ExitCode {
    match arguments.into_iter().nth(1).as_deref() {
        // Some clients say so.
        None | Some("--stdio") => serve(),
        Some("--version" | "-V") => {
            println!("tangle-lsp {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        Some("--help" | "-h") => {
            println!(
                "Usage: tangle-lsp [--stdio]\n\nThe language server of tangle, the same as `tangle server`. It uses standard input and output."
            );
            ExitCode::SUCCESS
        }
        Some(other) => {
            eprintln!(
                "tangle-lsp: unexpected argument `{other}`; the only options are --stdio, --version and --help"
            );
            ExitCode::from(2)
        }
    }
}

/// Serves one client on standard input and output, until the client exits or closes the input.
pub fn serve() -> ExitCode {
    small_pages();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("tangle: cannot start threads: {error}");
            return ExitCode::from(2);
        }
    };
    runtime.block_on(async {
        let (jobs, inbox) = channel();
        let handle = tokio::runtime::Handle::current();
        let (service, socket) = LspService::build(move |client| {
            owner::spawn(client.clone(), handle, inbox);
            Server::new(client, jobs)
        })
        .custom_method("tangle/flowGraph", Server::flow_graph)
        .custom_method("tangle/tangleTree", Server::tangle_tree)
        .custom_method("tangle/llvmIr", Server::llvm_ir)
        .custom_method("tangle/threadTable", Server::thread_table)
        .finish();
        let service = input::AnswerMalformed(exit::OnExit::new(service));
        let (messages, checked) = tokio::io::duplex(PIPE);
        tokio::spawn(input::forward(tokio::io::stdin(), checked));
        let output = exit::ToClient(tokio::io::stdout());
        tower_lsp::Server::new(messages, output, socket).concurrency_level(REQUESTS).serve(service).await;
    });
    // Standard input is closed. A read of it may still wait on a thread of the runtime.
    runtime.shutdown_background();
    ExitCode::SUCCESS
}
