//! `tangle-lsp`: the same as `tangle server`, for clients that start the server by this name.

use std::process::ExitCode;

/// mimalloc, because one thread often frees memory that another one allocated. The system's allocator then keeps more
/// and more memory for each thread.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    tangle_lsp::main(std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()))
}
