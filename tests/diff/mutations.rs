//! Wrong transformations of kernels, and how many of them are found.
//!
//! The kernels are in `samples`, or random. A mutant that breaks a rule of well-formed programs counts as
//! found. A mutant that no execution can distinguish from its kernel does not count: see [`is_equivalent`].

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use tangle_analysis::flow::Module;
use tangle_analysis::flow::module::{Options, lower};
use tangle_diagnostic::SourceText;
use tangle_execution::Executable;
use tangle_execution::difference::{Comparison, DiffRequest, compare};
use tangle_execution::graph_text::GraphText;
use tangle_ir::text::print_module;
use tangle_referees::random::source::{self, Input, InputText, MULTIPLIER, THROWS};
use tangle_simulate::Random;
use tangle_syntax::db::Database;
use tangle_syntax::dialect::opencl;
use tangle_syntax::source::NoHeaders;

use super::equivalence::is_equivalent;
use super::mutants::{Mutated, Mutation};

/// The folders of the samples that are mutated.
const FOLDERS: [&str; 6] = ["defined", "idioms", "lowering", "quiet", "spec-examples", "thread-tables"];
const MUTANTS: u64 = 500;
const RANDOM_KERNELS: u64 = 400;

/// Returns the module of each kernel of a text, with the index of the kernel.
fn kernels(text: &str) -> Vec<(Module, usize)> {
    let mut db = Database::new(Arc::new(NoHeaders));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let file = db.set_text("k.cl", text);
    let lowered = lower(&db, file, settings, &Options::default());
    if !lowered.errors.is_empty() {
        return Vec::new();
    }
    let kernels = lowered.module.functions.iter().filter(|function| function.kernel).map(|it| it.key);
    kernels
        .map(|key| {
            let mut module = lowered.module.clone();
            let reached = module.reached_from([key]);
            module.functions.retain(|function| reached.contains(&function.key));
            let kernel = module.functions.iter().position(|function| function.key == key).unwrap();
            (module, kernel)
        })
        .collect()
}

fn compared(old: &Module, new: &Module, kernel: usize, launches: u32) -> Result<Comparison, String> {
    let read = |module: &Module| {
        let text = Arc::new(SourceText::new(print_module(module)));
        GraphText::read("k.flow".into(), text, opencl()).map_err(|error| error.to_string())
    };
    let ((old_text, old), (new_text, new)) = (read(old)?, read(new)?);
    let builtins = opencl().builtins();
    let old = Executable::of_graph(old, kernel, &old_text, "k.flow", builtins);
    let new = Executable::of_graph(new, kernel, &new_text, "k.flow", builtins);
    let request = DiffRequest { launches, ..DiffRequest::default() };
    compare(&old, &new, &request, None).map_err(|error| error.message)
}

/// A kernel and one mutant of it.
struct Mutant {
    name: String,
    mutation: Mutation,
    module: Module,
    kernel: usize,
    mutated: Mutated,
}

fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let entries = FOLDERS.iter().flat_map(|folder| fs::read_dir(root.join(folder)).unwrap());
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|it| it == "cl"));
    files.sort();
    let name = |file: &PathBuf| file.strip_prefix(&root).unwrap().display().to_string();
    let samples = files.iter().map(|file| (name(file), fs::read_to_string(file).unwrap()));
    let random = (0..RANDOM_KERNELS).map(|seed| {
        let body = source::body(&mut Random::new(seed));
        (format!("random {seed}"), random_kernel(&body))
    });
    samples.chain(random).collect()
}

/// Returns a random kernel whose control flow depends on an argument, and that stores the result of each operation.
fn random_kernel(body: &[source::Stmt]) -> String {
    let head = format!(
        "kernel void k(uint n, global uint *out) {{\n  uint i = get_global_id(0), h = i * {MULTIPLIER}u + n * 40503u, t = 0;\n"
    );
    let condition = |input: Input| match input {
        Input::Condition(chance) => {
            format!("(t++ < {THROWS}u) & (((h = h * 1664525u + 1013904223u) >> 24) % 4u < {}u)", chance.0)
        }
        Input::Switch(ways) => format!("(h >> 24) % {ways}u"),
    };
    let before_switch = "t++; h = h * 1664525u + 1013904223u;";
    let text = source::text_with(body, &head, &InputText { input: &condition, before_switch });
    text.replace("sub_group_reduce_add(", "out[i] = out[i] * 3u + sub_group_non_uniform_reduce_add(")
}

/// Returns the mutants: each kernel has at most one of each kind.
fn mutants() -> Vec<Mutant> {
    let sources = sources();
    let of_source = |(number, (name, text)): (usize, &(String, String))| {
        let mut all = Vec::new();
        for (module, kernel) in kernels(text) {
            for mutation in Mutation::ALL {
                let mut of_kind = mutation.mutants(&module.functions[kernel]);
                if of_kind.is_empty() {
                    continue;
                }
                let mutated = of_kind.swap_remove(Random::new(number as u64).below(of_kind.len()));
                let (name, module) = (name.clone(), module.clone());
                all.push(Mutant { name, mutation, module, kernel, mutated });
            }
        }
        all
    };
    let all: Vec<Mutant> = sources.par_iter().enumerate().flat_map_iter(of_source).collect();
    let step = (all.len() / tangle_referees::of_all(MUTANTS) as usize).max(1);
    all.into_iter().step_by(step).collect()
}

#[test]
fn wrong_transformations_are_found() {
    let mutants = mutants();
    let results: Vec<(&Mutant, Result<Comparison, String>)> = mutants
        .par_iter()
        .map(|mutant| {
            let mut new = mutant.module.clone();
            new.functions[mutant.kernel] = mutant.mutated.function.clone();
            (mutant, compared(&mutant.module, &new, mutant.kernel, 32))
        })
        .collect();
    let mut all: BTreeMap<Mutation, Counts> = BTreeMap::new();
    let mut missed = Vec::new();
    for (mutant, result) in &results {
        let counts = all.entry(mutant.mutation).or_default();
        match result {
            Err(_) => counts.rejected += 1,
            Ok(comparison) if comparison.difference.is_some() => counts.different += 1,
            Ok(comparison) if comparison.launches == 0 => counts.not_comparable += 1,
            Ok(_) if is_equivalent(&mutant.module, mutant.kernel, mutant.mutated.site) => {
                counts.equivalent += 1;
            }
            Ok(_) => {
                counts.missed += 1;
                missed.push(format!("{:?} of {}: {:?}", mutant.mutation, mutant.name, mutant.mutated.site));
            }
        }
    }
    let sum = |of: fn(&Counts) -> u32| all.values().map(of).sum::<u32>();
    let found = sum(|it| it.different + it.rejected);
    let tried = found + sum(|it| it.missed);
    println!("{found} of {tried} mutants found; {all:#?}\nmissed:\n{}", missed.join("\n"));
    assert!(found * 100 >= tried * 95);
}

/// The mutants of one kind, by result.
#[derive(Debug, Default)]
struct Counts {
    different: u32,
    /// They break a rule of well-formed programs.
    rejected: u32,
    /// The kernel is undefined in each launch.
    not_comparable: u32,
    equivalent: u32,
    missed: u32,
}
