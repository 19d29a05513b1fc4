//! The printed text of lowered samples reads back as the same graph, with every type, constant and callee.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use tangle_analysis::flow::Function;
use tangle_analysis::flow::module::{Irreducible, Options, lower};
use tangle_analysis::flow::tokens::TokenMethod;
use tangle_analysis::flow::verify::verify;
use tangle_ir::text::{normal, print, print_module, read, read_module};
use tangle_syntax::db::Database;
use tangle_syntax::source::NoHeaders;

fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let of = |folder: &str| {
        let folder = root.join(folder);
        tangle_referees::kernels(&folder).into_iter().map(move |path| folder.join(path))
    };
    of("samples").chain(of("tests/graphs/lowering/kernels")).collect()
}

fn reads_back(function: &Function) -> Result<(), String> {
    let text = print(function);
    let again = read(&text).map_err(|error| format!("{error}\n{text}"))?;
    match again == normal(function) && print(&again) == text && verify(&again).is_empty() {
        true => Ok(()),
        false => Err(format!("{text}\nis read as\n{}", print(&again))),
    }
}

#[test]
fn printed_ir_of_samples_is_parsed_back() {
    let forms = [
        Options::default(),
        Options { tokens: TokenMethod::Infer, irreducible: Irreducible::Dispatch },
        Options { tokens: TokenMethod::Off, irreducible: Irreducible::Anchor },
    ];
    let run = |path: &PathBuf| -> Result<usize, String> {
        let text = fs::read_to_string(path).unwrap();
        let mut db = Database::new(Arc::new(NoHeaders));
        let settings = db.settings(&[], &[], &[], Vec::new());
        let file = db.set_text("k.cl", &text);
        let mut count = 0;
        for options in &forms {
            let lowered = lower(&db, file, settings, options);
            if let Some(broken) =
                lowered.errors.iter().find(|it| it.reason.contains("an error of this program"))
            {
                return Err(format!("{}: {}", path.display(), broken.reason));
            }
            let module = lowered.module;
            module.functions.iter().try_for_each(reads_back)?;
            let printed = print_module(&module);
            let again = read_module(&module.file, &printed).map_err(|error| format!("{error}\n{printed}"))?;
            let functions: Vec<Function> = module.functions.iter().map(normal).collect();
            if again.globals != module.globals || again.functions != functions {
                return Err(format!("{printed}\nis read as\n{}", print_module(&again)));
            }
            count += functions.len();
        }
        Ok(count)
    };
    let results: Vec<Result<usize, String>> = sources().par_iter().map(run).collect();
    let wrong: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{} files; one is\n{}", wrong.len(), wrong[0]);
    let functions: usize = results.into_iter().flatten().sum();
    assert!(functions > 1500, "only {functions} functions were read");
}
