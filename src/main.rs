//! The `tangle` command.

use std::process::ExitCode;

use tangle::cli::session::Session;

fn main() -> ExitCode {
    tangle::cli::main(Session::start)
}
