//! The language server of `tangle`: tangles, findings and pictures while the user types. It uses the language server
//! protocol on standard input and output.
//!
//! ```text
//! standard input -> input -> server -> owner -> server_state    changes, in order
//!                                        |-> snapshot -> features  requests, cancelled when the state changes
//!                                        `-> diagnostics           findings, pushed
//! ```
//!
//! This is the only crate that uses the protocol. The analyses are in other crates; a feature converts their facts to
//! messages of the protocol.
//!
//! [`main`] runs the server as a program with options, [`serve`] without.
//!
//! ```
//! use std::process::ExitCode;
//!
//! let arguments = ["tangle-lsp", "--version"].map(str::to_owned);
//! assert_eq!(tangle_lsp::main(arguments), ExitCode::SUCCESS);
//! ```

mod capabilities;
mod client;
mod diagnostics;
mod exit;
mod features;
mod files;
mod inactive;
mod includes;
mod input;
mod options;
mod output;
mod owner;
mod pages;
mod prefetch;
mod server;
mod server_state;
mod settings_file;
mod snapshot;
mod text;
mod witnesses;

use std::process::ExitCode;
use std::sync::mpsc::channel;

use tower_lsp::LspService;

use output::Output;
use server::Server;

/// The number of message bytes that are read ahead.
const PIPE: usize = 64 * 1024;
/// The maximum number of open requests. tower-lsp reads no further messages, not even a cancellation.
const REQUESTS: usize = 4096;

/// Disables transparent huge pages. With them, half as much memory again is unused, and a virtual machine that
/// allocates memory on first access waits three times as long.
fn small_pages() {
    // If the system refuses, the server works without this.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

/// The program `tangle-lsp`. The first of the arguments is the name of the program.
pub fn main(arguments: impl IntoIterator<Item = String>) -> ExitCode {
    match arguments.into_iter().nth(1).as_deref() {
        // Some clients pass this option.
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
    let (output, writer) = match Output::start() {
        Ok(started) => started,
        Err(error) => {
            eprintln!("tangle: cannot start threads: {error}");
            return ExitCode::from(2);
        }
    };
    runtime.block_on(async {
        let (jobs, inbox) = channel();
        let handle = tokio::runtime::Handle::current();
        let to_client = output.clone();
        let (service, socket) = LspService::build(move |client| {
            owner::spawn(client.clone(), handle, to_client, inbox);
            Server::new(client, jobs)
        })
        .custom_method("tangle/flowGraph", Server::flow_graph)
        .custom_method("tangle/tangleTree", Server::tangle_tree)
        .custom_method("tangle/llvmIr", Server::llvm_ir)
        .custom_method("tangle/threadTable", Server::thread_table)
        .custom_method("tangle/witness", Server::witness)
        .custom_method("tangle/compare", Server::compare)
        .finish();
        let service = input::AnswerMalformed(exit::OnExit::new(service));
        let (messages, checked) = tokio::io::duplex(PIPE);
        tokio::spawn(input::forward(tokio::io::stdin(), checked));
        let server = tower_lsp::Server::new(messages, output.stream(), socket);
        server.concurrency_level(REQUESTS).serve(service).await;
        output.end().await;
    });
    // A panic of the thread is on standard error.
    let _ = writer.join();
    // Standard input is closed. A thread of the runtime may still be blocked on a read of it.
    runtime.shutdown_background();
    ExitCode::SUCCESS
}
