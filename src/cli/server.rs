//! `tangle server`: the language server. Its crate depends on this crate, so the caller of the command starts the
//! server.

use clap::Args;

/// Run the language server for an editor
///
/// The server implements the Language Server Protocol on standard input and output. Editors start it as `tangle server`,
/// or by its other name, `tangle-lsp`.
#[derive(Debug, Args)]
pub struct ServerArgs {
    /// Use standard input and output: the default, and the only transport
    #[arg(long)]
    stdio: bool,
}
