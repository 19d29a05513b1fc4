//! The instructions that operations of CUDA and HIP become, counted in the assembly of LLVM 19.
//!
//! `kernels/instructions.cu` has the expected counts of each kernel. It is read as CUDA and as HIP, and compiled for both
//! targets, so both languages have the same instructions.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::tools::{Llvm, lower, run};

/// The expected number of some instructions. `None`: the target has no instructions for the kernel.
type Counts = Option<Vec<(String, usize)>>;

/// A kernel with its expectations.
struct Expected {
    kernel: String,
    ptx: Counts,
    gcn: Counts,
}

/// The instructions that are counted in PTX, by the start of their name.
const PTX: [&str; 21] = [
    "bar.sync",
    "bar.warp.sync",
    "bar.red.popc",
    "bar.red.and",
    "bar.red.or",
    "shfl.sync.idx",
    "shfl.sync.up",
    "shfl.sync.down",
    "shfl.sync.bfly",
    "vote.sync.any",
    "vote.sync.all",
    "vote.sync.ballot",
    "match.any.sync",
    "match.all.sync",
    "redux.sync.add",
    "redux.sync.max",
    "activemask",
    "atom",
    "membar.gl",
    "membar.cta",
    "vprintf",
];

/// The instructions that are counted in GCN.
const GCN: [&str; 7] = [
    "s_barrier",
    "ds_bpermute",
    "global_atomic_add",
    "global_atomic_cmpswap",
    "global_atomic_inc",
    "ds_add",
    "v_cmp_ne_u32",
];

/// LLVM 19's optimizer of atomics adds operations without tokens to functions with tokens, which its verifier rejects.
const GFX90A: [&str; 3] = ["-mcpu=gfx90a", "-O1", "-amdgpu-atomic-optimizer-strategy=None"];
const SM_80: [&str; 3] = ["-mcpu=sm_80", "-mattr=+ptx74", "-O1"];

/// The samples that LLVM 19 rejects: file, and a part of the error.
const NOT_COMPILED: &[(&str, &str)] = &[
    // A function whose result is constant becomes part of the loop, whose condition is then constant. LLVM removes the
    // loop and keeps its heart.
    ("nv_target.cu", "Loop intrinsic cannot be preceded"),
    // The number of iterations is an argument of a class template: the condition of the loop is constant.
    ("templates.cu", "Loop intrinsic cannot be preceded"),
    // An operation before a `return` belongs to the loop around it, so its token is used after the loop. The
    // structurizer of amdgcn makes a phi of it.
    ("groups.cu", "PHI nodes cannot have token type"),
    // For an argument with `byval`, LLVM's inliner puts a copy before the entry token, and then does not replace the token.
    ("coalesced_groups.cu", "Entry intrinsic can occur only in the entry block"),
    ("masks_in_objects.cu", "Entry intrinsic can occur only in the entry block"),
    ("templates_of_groups.cu", "Entry intrinsic can occur only in the entry block"),
];

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/graphs/lowering/kernels"))
}

fn expectations() -> Vec<Expected> {
    let text = std::fs::read_to_string(folder().join("instructions.cu")).unwrap();
    let mut comment = None;
    let mut all = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("// ptx: ") {
            comment = Some(rest.to_owned());
        } else if let Some(rest) = line.strip_prefix("__global__ void ") {
            let kernel = rest.split('(').next().unwrap().to_owned();
            let comment = comment.take().unwrap_or_else(|| panic!("{kernel} has no expectation"));
            let (ptx, gcn) = comment.split_once("; gcn: ").unwrap_or((&comment, ""));
            all.push(Expected { kernel, ptx: counts(ptx, &PTX), gcn: counts(gcn, &GCN) });
        }
    }
    all
}

/// Parses `bar.sync 1, shfl.sync.bfly 5`.
fn counts(text: &str, known: &[&str]) -> Counts {
    if text == "none" {
        return None;
    }
    let count = |part: &str| {
        let (name, number) = part.rsplit_once(' ').unwrap();
        assert!(known.contains(&name), "{name} is not counted");
        (name.to_owned(), number.parse().unwrap())
    };
    Some(text.split(", ").filter(|part| !part.is_empty()).map(count).collect())
}

/// Returns the number of each instruction in assembly, and of each function that is called. In PTX, an instruction can
/// follow a brace or a predicate.
fn counted(assembly: &str, known: &[&str]) -> Vec<(String, usize)> {
    let is_this = |word: &str, name: &str| {
        word.strip_prefix(name).is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
    };
    let is_declaration = |line: &str| line.starts_with(".extern") || line.trim_start().starts_with(".param");
    let count = |name: &&str| {
        let lines = assembly.lines().filter(|line| !is_declaration(line));
        let lines = lines.map(|line| line.split(';').next().unwrap_or_default());
        let found = lines.filter(|line| line.split_whitespace().any(|word| is_this(word, name))).count();
        ((*name).to_owned(), found)
    };
    known.iter().map(count).filter(|(_, found)| *found > 0).collect()
}

#[test]
fn operations_become_the_expected_instructions() {
    let Some(llvm) = Llvm::find() else { return };
    let expectations = expectations();
    assert!(expectations.len() >= 40, "{}", expectations.len());
    let languages = ["cuda", "hip"];
    let tokens = ["placed", "off"];
    let wrong: Vec<String> = expectations
        .par_iter()
        .flat_map(|expected| {
            let mut wrong = Vec::new();
            for (language, tokens) in languages.iter().flat_map(|language| tokens.map(|way| (language, way)))
            {
                for (target, options, counts, known) in [
                    ("nvptx64", &SM_80, &expected.ptx, &PTX[..]),
                    ("amdgcn", &GFX90A, &expected.gcn, &GCN[..]),
                ] {
                    let kernel = &expected.kernel;
                    let about = format!("{kernel} as {language} for {target}, tokens {tokens}");
                    let arguments = ["--function", kernel, "--target", target, "--tokens", tokens];
                    let module =
                        run(lower(folder(), &arguments).args(["--dialect", language, "instructions.cu"]));
                    let compiled = module.and_then(|module| {
                        llvm.opt(&["-passes=verify"], &module)?;
                        llvm.llc(options, &module)
                    });
                    match (compiled, counts) {
                        (Err(error), None) if error.contains("has no instructions for this target") => {}
                        (Ok(assembly), Some(counts)) => {
                            let mut counts = counts.clone();
                            let mut found = counted(&String::from_utf8_lossy(&assembly), known);
                            counts.sort();
                            found.sort();
                            if found != counts {
                                wrong.push(format!("{about}: {found:?}, expected {counts:?}"));
                            }
                        }
                        (Err(error), _) => wrong.push(format!("{about}: {error}")),
                        (Ok(_), None) => wrong.push(format!("{about}: compiled, expected no instructions")),
                    }
                }
            }
            wrong
        })
        .collect();
    assert!(wrong.is_empty(), "{} differ: {:#?}", wrong.len(), &wrong[..wrong.len().min(10)]);
}

/// LLVM accepts the lowered functions of each sample, for both targets. The others are left out, with a reason.
#[test]
fn llvm_accepts_samples_of_cuda_and_hip() {
    let Some(llvm) = Llvm::find() else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let files: Vec<PathBuf> = ["cuda", "hip"]
        .iter()
        .flat_map(|name| std::fs::read_dir(root.join(name)).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    let wrong: Vec<String> = files
        .par_iter()
        .filter_map(|path| {
            let file = path.to_str().unwrap();
            for (target, options) in [("nvptx64", &SM_80), ("amdgcn", &GFX90A)] {
                for tokens in ["placed", "off"] {
                    let arguments = ["--target", target, "--tokens", tokens];
                    // Nothing of the file is lowered: the command says why.
                    let Ok(module) = run(lower(&root, &arguments).arg(file)) else { continue };
                    let compiled = llvm
                        .opt(&["-passes=verify"], &module)
                        .and_then(|module| llvm.opt(&["-passes=default<O2>"], &module))
                        .and_then(|_| llvm.llc(options, &module));
                    let name = path.file_name().unwrap().to_str().unwrap();
                    let listed = NOT_COMPILED.iter().find(|(file, _)| *file == name);
                    if let Err(error) = compiled
                        && listed.is_none_or(|(_, says)| !error.contains(says))
                    {
                        return Some(format!("{file} {target} tokens {tokens}: {error}"));
                    }
                }
            }
            None
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}: {:#?}", wrong.len(), files.len(), &wrong[..wrong.len().min(10)]);
}
