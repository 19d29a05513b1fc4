//! The program `tangle`: the command, with the language server inside.

use std::path::Path;
use std::process::ExitCode;

use tangle_cli::session::Session;

/// One thread often frees memory that another thread allocated. With the allocator of the system, the memory of each
/// thread then grows and grows.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The other name of `tangle server`: packages link it to this program.
const SERVER: &str = "tangle-lsp";

fn main() -> ExitCode {
    let name = std::env::args_os().next();
    let name = name.as_deref().and_then(|name| Path::new(name).file_stem());
    if name.is_some_and(|name| name == SERVER) {
        return tangle_lsp::main(std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()));
    }
    tangle_cli::main(Session::start, tangle_lsp::serve)
}
