//! No kernel of `samples/` contradicts the analysis. Macros and declarations from headers and the command line are
//! unknown here; their uses are executed as unknown operations.

use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::program::{Effort, Language, claimed, contradict};

/// The pointer arguments of samples do not alias.
const EFFORT: Effort =
    Effort { runs: 4, fuel: 1500, aliases: false, whole_groups: false, language: Language::OpenCl };

fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    tangle_referees::kernels(&root).into_iter().map(|path| root.join(path)).collect()
}

#[test]
fn no_sample_contradicts_the_analysis() {
    let sources = tangle_referees::some_of(sources());
    let run = |path: &PathBuf| -> Result<usize, String> {
        let text = fs::read_to_string(path).unwrap();
        // The analysis relies on assertions of users and on declarations without a body, which executions do not obey.
        // Builtins of a single target have arbitrary results.
        let of_one_target = ["builtins/amd.cl", "builtins/nvidia.cl"].iter().any(|name| path.ends_with(name));
        // The build defines the size of a tile. `tests/simulate` executes these samples with the definition.
        let says_more =
            ["unknown/declared_pure.cl", "unknown/tiles.cl"].iter().any(|name| path.ends_with(name));
        if text.contains("tangle: uniform(") || says_more || of_one_target {
            return Ok(0);
        }
        let (module, claims, _) = claimed(&text);
        for seed in 0..3 {
            if let Some(found) = contradict(&module, &claims, EFFORT, seed) {
                let why = found.contradiction.explain(&module, &found.grid);
                return Err(format!("{}: {why}", path.display()));
            }
        }
        Ok(module.functions.iter().filter(|function| function.kernel).count())
    };
    let results: Vec<Result<usize, String>> = sources.par_iter().map(run).collect();
    let wrong: Vec<String> = results.iter().filter_map(|result| result.as_ref().err()).cloned().collect();
    assert!(wrong.is_empty(), "{} samples:\n{}", wrong.len(), wrong.join("\n"));
    let kernels: usize = results.into_iter().flatten().sum();
    assert!(kernels as u64 >= tangle_referees::of_all(250) / 2, "only {kernels} kernels were run");
}
