//! Prints the flow graphs of a file of LLVM IR, with the rules that they break: `cargo run --example flow FILE`.

use std::process::ExitCode;
use std::{env, fs};

use tangle_ir::flow::verify::verify;
use tangle_ir::text;

fn main() -> ExitCode {
    let Some(path) = env::args().nth(1) else {
        eprintln!("usage: flow FILE");
        return ExitCode::from(2);
    };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    // Every function without a body is a builtin, whatever the language has.
    let module = match tangle_llvm::read(&path, &text, &|_| true) {
        Ok(module) => module,
        Err(error) => {
            eprintln!("{path}:{error}");
            return ExitCode::from(2);
        }
    };
    print!("{}", text::print_module(&module));
    let mut status = ExitCode::SUCCESS;
    for function in &module.functions {
        for violation in verify(function) {
            println!("; `{}` breaks the rule `{}`", function.key, violation.rule.row().name);
            status = ExitCode::FAILURE;
        }
    }
    status
}
