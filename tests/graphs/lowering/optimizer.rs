//! Tokens survive LLVM 19's optimizer and code generators. For the exceptions, `docs/lowering.md` shows the smallest IR
//! that breaks, and this test checks that it breaks.
//!
//! All samples are tested with `-O1`, `-O2` and `-O3` and both code generators. So are pyopencl's kernels and every 6th
//! file of darktable; `TANGLE_EVERY=n` takes every n-th file. Hashcat's files include the same large headers, so only
//! every 200th is tested as a whole, or every n-th with `TANGLE_WHOLE=n`; all would take a week.
//! [`functions`](super::functions) tests the functions of all of them. The numbers of survivors are printed
//! (`--nocapture`).

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use tangle_referees::{Corpus, is_thorough, of_all, some_of};

use super::llvm::{PYOPENCL, files, hashcat_language, hashcat_names, samples};
use super::parts::{Module, has_tokens};
use super::tools::{Llvm, lower, run, scratch};

const LEVELS: [&str; 3] = ["-O1", "-O2", "-O3"];

pub const MODES: [&str; 2] = ["anchor", "dispatch"];

/// A target of `tangle lower`, and the options of LLVM's code generator for it.
pub type Target = (&'static str, &'static [&'static str]);

pub const TARGETS: [Target; 2] = [
    ("amdgcn", &["-mtriple=amdgcn-amd-amdhsa", "-mcpu=gfx1030"]),
    ("nvptx64", &["-mtriple=nvptx64-nvidia-cuda", "-mcpu=sm_70"]),
];

/// Larger modules, in bytes, are reduced first, so that functions of headers are not optimized again for each file.
const LARGE: usize = 1 << 20;

impl Llvm {
    /// Removes the functions that no kernel calls. Otherwise hashcat's modules are 40 times as large.
    fn linked(&self, module: &[u8]) -> Result<Vec<u8>, String> {
        let text = String::from_utf8_lossy(module);
        let kernels = text.lines().filter(|line| line.starts_with("define ") && line.contains("_kernel "));
        let names = kernels.filter_map(|line| Some(line.split_once('@')?.1.split_once('(')?.0));
        let names: Vec<&str> = names.collect();
        if names.is_empty() {
            return Ok(module.to_vec());
        }
        let kept = format!("-internalize-public-api-list={}", names.join(","));
        self.opt(&["-passes=internalize,globaldce", &kept], module)
    }
}

/// The smallest IR that breaks, with the name of its function on the page.
struct Breaks {
    name: &'static str,
    /// Passes that break it without others.
    passes: &'static str,
    /// A part of the verifier's error after these passes.
    says: &'static str,
    /// Whether it survives after its comments become code. `lower` writes this code.
    mended: bool,
    /// The option of LLVM with which it survives.
    option: Option<&'static str>,
}

const PRECEDED: &str = "Loop intrinsic cannot be preceded by a convergent operation in the same basic block.";

const BREAKS: [Breaks; 5] = [
    Breaks {
        name: "sinks",
        passes: "indvars",
        says: "Entry intrinsic can occur only in the entry block.",
        mended: true,
        option: None,
    },
    Breaks {
        name: "header",
        passes: "simplifycfg<sink-common-insts>",
        says: "Cycle heart must dominate all blocks in the cycle.",
        mended: true,
        option: Some("-simplifycfg-sink-common=false"),
    },
    Breaks {
        name: "copied",
        passes: "loop-unroll,simplifycfg",
        says: PRECEDED,
        mended: true,
        option: Some("-disable-loop-unrolling"),
    },
    Breaks {
        name: "by_value",
        passes: "inline",
        says: "Entry intrinsic can occur only in the entry block.",
        mended: false,
        option: None,
    },
    Breaks { name: "once", passes: "simplifycfg", says: PRECEDED, mended: false, option: None },
];

/// A function that only a code generator breaks.
const LEAVES: &str = "leaves";

/// A function that the code generator breaks only after optimization without the code that `lower` writes.
const UNIFIED: &str = "unified";

/// Returns the functions of the page, each as a module with declarations.
fn page() -> BTreeMap<String, String> {
    let page = include_str!("../../../docs/lowering.md");
    let mut fences =
        page.split("\n```llvm\n").skip(1).map(|rest| rest.split_once("\n```").expect("a fence ends").0);
    let declarations = fences.next().expect("declarations come first");
    let function = |text: &str| {
        let name = text.split_once('@').expect("a function").1.split_once('(').expect("parameters").0;
        (name.to_owned(), format!("{declarations}\n{text}\n"))
    };
    fences.map(function).collect()
}

#[test]
fn documented_ir_breaks_in_llvm_optimizer() {
    let Some(llvm) = Llvm::find() else { return };
    let page = page();
    let named: BTreeSet<&str> = BREAKS.iter().map(|breaks| breaks.name).chain([LEAVES, UNIFIED]).collect();
    assert_eq!(page.keys().map(String::as_str).collect::<BTreeSet<_>>(), named);
    for Breaks { name, passes, says, mended, option } in BREAKS {
        let broken = page[name].as_bytes();
        llvm.opt(&["-passes=verify"], broken).unwrap();
        let error = llvm.opt(&[&format!("-passes={passes}")], broken).expect_err(name);
        assert!(error.contains(says), "{name}: {error}");
        let with_comments = page[name].replace("; ", "");
        assert_eq!(mended, with_comments != page[name], "{name}");
        for level in LEVELS {
            let error = llvm.opt(&[level], broken).expect_err(name);
            assert!(error.contains(says), "{name} {level}: {error}");
            if let Some(option) = option {
                llvm.opt(&[level, option], broken).unwrap();
            }
            if mended {
                let optimized = llvm.opt(&[level], with_comments.as_bytes()).unwrap();
                assert_kept(name, with_comments.as_bytes(), &optimized).unwrap();
                for (_, target) in TARGETS {
                    llvm.llc(target, &optimized).unwrap();
                }
            }
        }
    }
}

#[test]
fn documented_ir_breaks_in_amdgcn_code_generator() {
    let Some(llvm) = Llvm::find() else { return };
    let page = page();
    let [(_, amdgcn), (_, nvptx64)] = TARGETS;
    let breaks = |module: &[u8]| {
        let error = llvm.llc(amdgcn, module).expect_err("a phi of a token");
        assert!(phi_of_a_token(&error), "{error}");
        llvm.llc(nvptx64, module).unwrap();
    };
    llvm.opt(&["-passes=verify"], page[LEAVES].as_bytes()).unwrap();
    breaks(page[LEAVES].as_bytes());
    let held = page[UNIFIED].replace("; ", "");
    assert_ne!(held, page[UNIFIED]);
    for module in [&held, &page[UNIFIED]] {
        llvm.llc(amdgcn, module.as_bytes()).unwrap();
    }
    for level in LEVELS {
        breaks(&llvm.opt(&[level], page[UNIFIED].as_bytes()).unwrap());
        let optimized = llvm.opt(&[level], held.as_bytes()).unwrap();
        assert_kept(UNIFIED, held.as_bytes(), &optimized).unwrap();
        llvm.llc(amdgcn, &optimized).unwrap();
    }
}

/// Returns whether the code generator of amdgcn made a phi of a token.
fn phi_of_a_token(error: &str) -> bool {
    error.contains("PHI nodes cannot have token type!")
        || error.contains("Convergence control tokens can only be produced by calls")
}

/// Kernels that break without the calls of `llvm.sideeffect` that `lower` writes.
const KERNELS: &[(&str, &str)] = &[
    (
        "reduction",
        "kernel void k(local uint *p, uint n, uint s) {
           uint d = get_local_id(0);
           p[d] = s;
           for (uint o = n / 2; o > 0; o /= 2) { barrier(1); if (d < o) p[d] += p[d + o]; }
         }",
    ),
    (
        "reduction_in_a_loop",
        "kernel void k(local uint *p, uint n, uint s) {
           uint d = get_local_id(0);
           for (uint tile = 0; tile < n; tile++) {
             p[d] = s;
             for (uint o = n / 2; o > 0; o /= 2) { barrier(1); if (d < o) p[d] += p[d + o]; }
           }
         }",
    ),
    (
        "loop_of_a_helper",
        "void fill(global int *p, int n) { int i = 0; do p[i * i] = i; while (++i < n); }
         kernel void k(global int *p, int n) { fill(p, n); barrier(2); p[0] = 1; }",
    ),
    (
        "loop_of_a_helper_of_a_helper",
        "void fill(global int *p, int n) { int i = 0; do p[i * i] = i; while (++i < n); }
         void maybe(global int *p, int n) { fill(p, n); p[n] = 1; }
         kernel void k(global int *p, int n) { maybe(p, n); barrier(2); p[0] = 1; }",
    ),
    (
        "loop_before_a_barrier",
        "kernel void k(global int *p, int n) { int i = 0; do p[i * i] = i; while (++i < n); barrier(2); p[0] = 1; }",
    ),
];

#[test]
fn emitted_sideeffect_calls_keep_tokens_valid() {
    let Some(llvm) = Llvm::find() else { return };
    let folder = scratch("optimizer");
    for (name, kernel) in KERNELS {
        std::fs::write(folder.join("k.cl"), kernel).unwrap();
        let module = run(lower(&folder, &[]).arg("k.cl")).unwrap();
        let text = String::from_utf8(module.clone()).unwrap();
        let without: String = text
            .lines()
            .filter(|line| !line.contains("call void @llvm.sideeffect()"))
            .flat_map(|line| [line, "\n"])
            .collect();
        assert_ne!(text, without, "{name}");
        llvm.opt(&["-passes=verify"], without.as_bytes()).unwrap();
        assert!(llvm.opt(&["-O2"], without.as_bytes()).is_err(), "{name} needs nothing");
        let parts = Module::read(&without).parts();
        let breaks = |(_, part): &(&str, String)| llvm.opt(&["-O2"], part.as_bytes()).is_err();
        assert!(parts.iter().any(breaks), "no part of {name} breaks");
        survives(&llvm, &folder, "k.cl", &[], &mut Counts::default()).unwrap();
    }
}

/// Kernels whose tokens stay in place without such calls.
const NOTHING_WRITTEN: &[(&str, &str)] = &[
    (
        "an operation keeps the entry",
        "kernel void k(global int *p, int n) { barrier(1); for (int i = 0; i < n; i++) p[i] = i; barrier(2); }",
    ),
    ("no loop", "kernel void k(global int *p, int n) { if (n) p[n] = 1; barrier(2); }"),
    (
        "no operation after the loop",
        "kernel void k(global int *p, int n) { if (n) barrier(1); for (int i = 0; i < n; i++) p[i] = i; }",
    ),
    (
        "the heart names the entry",
        "kernel void k(int n) { for (int i = 0; i < n; i++) barrier(1); barrier(2); }",
    ),
    (
        "the helper has no loop",
        "void one(global int *p) { if (*p) *p = 1; } kernel void k(global int *p) { one(p); barrier(2); }",
    ),
    ("no token", "kernel void k(global int *p, int n) { for (int i = 0; i < n; i++) if (p[i]) p[i] = n; }"),
];

#[test]
fn unneeded_sideeffect_calls_are_omitted() {
    let folder = scratch("optimizer_nothing");
    let llvm = Llvm::find();
    for (name, kernel) in NOTHING_WRITTEN {
        std::fs::write(folder.join("k.cl"), kernel).unwrap();
        let module = String::from_utf8(run(lower(&folder, &[]).arg("k.cl")).unwrap()).unwrap();
        assert!(!module.contains("llvm.sideeffect"), "{name}: {module}");
        if let Some(llvm) = &llvm {
            survives(llvm, &folder, "k.cl", &[], &mut Counts::default()).unwrap();
        }
    }
}

#[test]
fn tokens_of_samples_survive_llvm() {
    // `llvm_accepts_samples_without_errors` tests the samples that cannot be lowered.
    let lowered = |(folder, file, language): &(PathBuf, String, Vec<String>)| {
        run(lower(folder, &[]).args(language).arg(file)).is_ok()
    };
    let samples: Vec<_> = some_of(samples()).into_par_iter().filter(lowered).collect();
    let Some(counts) = all_survive("samples", &samples) else { return };
    for target in ["amdgcn", "nvptx64"] {
        assert!(counts.of[&format!("{target} anchor -O2 compiled")] as u64 > of_all(250));
    }
}

/// A file to lower: folder, file name, and options.
type File = (PathBuf, String, Vec<String>);

/// Returns every n-th file of a corpus; an environment variable may set n.
fn some(
    folder: &Path,
    names: Vec<String>,
    language: &[String],
    (variable, usual): (&str, usize),
) -> Vec<File> {
    let usual = if is_thorough() { usual } else { 10 * usual };
    let every = std::env::var(variable).map_or(usual, |every| every.parse().expect("a number"));
    names.into_iter().step_by(every).map(|name| (folder.to_owned(), name, language.to_vec())).collect()
}

#[test]
fn tokens_of_hashcat_survive_llvm() {
    let Some(folder) = Corpus::Hashcat.folder() else { return };
    let every = ("TANGLE_WHOLE", 200);
    all_survive("hashcat", &some(&folder, hashcat_names(&folder), &hashcat_language(), every));
}

#[test]
fn tokens_of_darktable_survive_llvm() {
    let Some(folder) = Corpus::Darktable.folder() else { return };
    all_survive("darktable", &some(&folder, files(&folder), &["-I".into(), ".".into()], ("TANGLE_EVERY", 6)));
}

#[test]
fn tokens_of_pyopencl_survive_llvm() {
    let Some(folder) = Corpus::Pyopencl.folder() else { return };
    all_survive(
        "pyopencl",
        &some(&folder, files(&folder), &PYOPENCL.map(str::to_owned), ("TANGLE_EVERY", 1)),
    );
}

/// Modules by what became of them.
#[derive(Default)]
pub struct Counts {
    of: BTreeMap<String, usize>,
}

impl Counts {
    pub fn add(&mut self, what: String) {
        *self.of.entry(what).or_default() += 1;
    }

    pub fn join(mut self, other: Counts) -> Counts {
        for (what, count) in other.of {
            *self.of.entry(what).or_default() += count;
        }
        self
    }
}

/// Checks that every call with a token in `before` still has one in `after`.
fn assert_kept(name: &str, before: &[u8], after: &[u8]) -> Result<(), String> {
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let controlled = |line: &str| line.contains("\"convergencectrl\"(token ");
    let callee = |line: &str| {
        let call = line.split_once(" call ")?.1;
        Some(call.split_once('@')?.1.split_once('(')?.0.to_owned())
    };
    let with_token: HashSet<String> =
        before.lines().filter(|line| controlled(line)).filter_map(callee).collect();
    match after
        .lines()
        .find(|line| !controlled(line) && callee(line).is_some_and(|name| with_token.contains(&name)))
    {
        Some(lost) => Err(format!("{name}: no token any more: {lost}")),
        None => Ok(()),
    }
}

/// Tests a file with all levels and both code generators, in both modes. A file without tokens is skipped.
fn survives(
    llvm: &Llvm,
    folder: &Path,
    file: &str,
    language: &[String],
    counts: &mut Counts,
) -> Result<(), String> {
    for target in TARGETS {
        let mut modules = HashSet::new();
        for mode in MODES {
            let about = format!("{} {mode}", target.0);
            let mut ours = lower(folder, &["--irreducible", mode, "--target", target.0]);
            let module = run(ours.args(language).arg(file))?;
            if !has_tokens(&String::from_utf8_lossy(&module)) {
                counts.add(format!("{about} without tokens"));
                continue;
            }
            if !modules.insert(module.clone()) {
                counts.add(format!("{about} like anchor"));
                continue;
            }
            let module = if module.len() > LARGE { llvm.linked(&module)? } else { module };
            through(llvm, target, file, &about, &module, counts)?;
        }
    }
    Ok(())
}

/// Tests a module with all levels and the code generator of its target. The error lists all levels that fail.
pub fn through(
    llvm: &Llvm,
    (_, march): Target,
    name: &str,
    counted: &str,
    module: &[u8],
    counts: &mut Counts,
) -> Result<(), String> {
    let mut compiled: HashSet<Vec<u8>> = HashSet::new();
    let mut one = |level: &str| {
        let optimized = llvm.opt(&[level], module)?;
        assert_kept(name, module, &optimized)?;
        counts.add(format!("{counted} {level} optimized"));
        // Equal results of two levels are compiled once.
        if !compiled.contains(&optimized) {
            llvm.llc(march, &optimized)?;
            compiled.insert(optimized);
        }
        counts.add(format!("{counted} {level} compiled"));
        Ok(())
    };
    let broken =
        |level: &str| one(level).err().map(|error: String| format!("{name} {counted} {level}: {error}"));
    let errors: Vec<String> = LEVELS.into_iter().filter_map(broken).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors.join("\n")) }
}

/// Tests files, and prints the numbers of results.
fn all_survive(what: &str, files: &[File]) -> Option<Counts> {
    let llvm = Llvm::find()?;
    let one = |(folder, file, language): &File| {
        let mut counts = Counts::default();
        (survives(&llvm, folder, file, language, &mut counts).err(), counts)
    };
    let results: Vec<(Option<String>, Counts)> = files.par_iter().map(one).collect();
    let (errors, counts): (Vec<Option<String>>, Vec<Counts>) = results.into_iter().unzip();
    let counts = counts.into_iter().fold(Counts::default(), Counts::join);
    println!("{what}: {} files", files.len());
    report(what, errors.into_iter().flatten().collect(), &counts);
    Some(counts)
}

/// Prints the numbers of results. Panics if there are errors.
pub fn report(what: &str, errors: Vec<String>, counts: &Counts) {
    for (case, count) in &counts.of {
        println!("{what}: {count} {case}");
    }
    let shown: Vec<&String> = errors.iter().take(10).collect();
    assert!(errors.is_empty(), "{} of {what}: {shown:#?}", errors.len());
}
