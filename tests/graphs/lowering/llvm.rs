//! LLVM 19 accepts every module that we emit, before and after its optimiser, and compiles it for two GPUs.
//!
//! All samples and the kernels of darktable and pyopencl go
//! through everything. Of hashcat's, which are many and large, every 20th is lowered and verified, every 100th in all ways, and the
//! optimiser and the code generators see every 400th. `TANGLE_EVERY=1` has them see each in all ways, for hours.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use tangle_referees::{Corpus, is_thorough, kernels, some_of};

use super::tools::{Llvm, lower, run};

/// The ways to lower that LLVM is to accept.
const WAYS: &[&[&str]] = &[
    &["--irreducible", "anchor"],
    &["--irreducible", "dispatch"],
    &["--tokens", "off"],
    &["--tokens", "infer"],
];

/// How far LLVM goes with a module.
#[derive(Clone, Copy, PartialEq)]
enum Depth {
    /// The first way only.
    Once,
    Verify,
    Compile,
}

/// What the code generators of LLVM 19 cannot compile, by file and target, with what they say of it.
const NOT_COMPILED: &[(&str, &str, &str)] = &[
    // A `char2` that a call passes. What clang makes of this file at -O0 fails so, too.
    ("demosaic_markesteijn.cl", "nvptx64", "Copy one register into another with a different width"),
];

impl Llvm {
    /// Lowers a file in all ways; what LLVM does not accept is the error.
    fn accepts(&self, folder: &Path, file: &str, language: &[String], depth: Depth) -> Result<(), String> {
        let mut seen = HashSet::new();
        for way in WAYS {
            for (target, march) in [("amdgcn", ["-mcpu=gfx1030", "-O1"]), ("nvptx64", ["-mcpu=sm_70", "-O1"])]
            {
                let first = way == &WAYS[0];
                if (depth == Depth::Once && !first)
                    || (target == "nvptx64" && (depth != Depth::Compile || !first))
                {
                    continue;
                }
                let mut ours = lower(folder, way);
                let module = run(ours.args(["--target", target]).args(language).arg(file))?;
                let about = |error: String| format!("{file} {way:?} {target}: {error}");
                // Most files are the same in most ways: what LLVM said of them holds.
                if !seen.insert(module.clone()) {
                    continue;
                }
                self.opt(&["-passes=verify"], &module).map_err(about)?;
                if depth == Depth::Compile {
                    let optimised = self.opt(&["-passes=default<O2>"], &module).map_err(about)?;
                    self.opt(&["-passes=verify"], &optimised).map_err(about)?;
                    let compiled = self.llc(&march, &module);
                    let listed = NOT_COMPILED
                        .iter()
                        .find(|(name, on, _)| folder.join(file).ends_with(name) && *on == target);
                    match (compiled, listed) {
                        (Err(error), Some((.., says))) if error.contains(says) => {}
                        // With other tokens, or none, there is nothing to stumble over.
                        (Ok(_), Some(_)) if !first => {}
                        (Ok(_), Some(_)) => return Err(about("compiled, though listed".to_owned())),
                        (compiled, _) => _ = compiled.map_err(about)?,
                    }
                }
            }
        }
        Ok(())
    }

    fn all(
        &self,
        folder: &Path,
        files: &[String],
        language: &[String],
        depth: impl Fn(usize) -> Depth + Sync,
    ) {
        let checked = files.par_iter().enumerate();
        let wrong: Vec<String> =
            checked.filter_map(|(n, file)| self.accepts(folder, file, language, depth(n)).err()).collect();
        let shown: Vec<&String> = wrong.iter().take(10).collect();
        assert!(wrong.is_empty(), "{} of {} files: {shown:#?}", wrong.len(), files.len());
    }
}

/// The kernels in a folder, at every depth, by their paths from it.
pub fn files(folder: &Path) -> Vec<String> {
    kernels(folder).into_iter().map(|path| path.into_os_string().into_string().unwrap()).collect()
}

/// Samples that cannot be lowered, and why: `tangle lower` says so, with exit status 1.
const NOT_LOWERED: &[(&str, &str)] = &[
    ("suppression/several_rules.cl", "it has a type error, which is suppressed"),
    ("functions/block.cl", "block literals are not lowered"),
    ("functions/block_with_barrier.cl", "block literals are not lowered"),
    ("quiet/enqueued_blocks.cl", "block literals are not lowered"),
    ("syntax/error_directive_needs_one.cl", "a constant is not known"),
    ("syntax/header_is_missing_and_a_constant_needed.cl", "a missing header declares what is used"),
    ("syntax/header_is_missing_and_needed.cl", "a missing header declares what is used"),
    ("syntax/missing_header_needed.cl", "a missing header declares what is used"),
    ("syntax/unknown_type.cl", "a type is unknown"),
    ("suppression/all_rules.cl", "a type is unknown, which is suppressed"),
    ("unknown/undeclared_function.cl", "functions are not known"),
    ("syntax/unknown_has_no_consequences.cl", "a type and constants are not known"),
];

/// Every sample, at every depth: its folder, its name, and the options in its first line that say how it is read.
pub fn samples() -> Vec<(PathBuf, String, Vec<String>)> {
    let root = samples_folder();
    let sample = |path: PathBuf| {
        let path = root.join(path);
        let text = std::fs::read_to_string(&path).unwrap();
        let first = text.lines().next().unwrap_or_default();
        let options = first.strip_prefix("// args:").unwrap_or_default();
        let options = reading(options);
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (path.parent().unwrap().to_owned(), name, options)
    };
    kernels(&root).into_iter().map(sample).collect()
}

/// Options without those that choose rules, which lowering does not know.
fn reading(options: &str) -> Vec<String> {
    let mut words = options.split_whitespace();
    let mut reading = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "--rule" => _ = words.next(),
            _ => reading.push(word.to_owned()),
        }
    }
    reading
}

fn samples_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")
}

#[test]
fn samples_are_accepted_or_in_error() {
    let Some(llvm) = Llvm::find() else { return };
    let samples = some_of(samples());
    let wrong: Vec<String> = samples
        .par_iter()
        .filter_map(|(folder, name, options)| {
            let text = std::fs::read_to_string(folder.join(name)).unwrap();
            let in_error = text.contains(" error[");
            let inside = folder.strip_prefix(samples_folder()).unwrap();
            let key = inside.join(name).into_os_string().into_string().unwrap();
            // What the builds of these define is not known.
            let listed = NOT_LOWERED.iter().any(|(sample, _)| *sample == key) || key.ends_with("_after.cl");
            match llvm.accepts(folder, name, options, Depth::Compile) {
                Ok(()) if listed => Some(format!("{key} is accepted, though listed")),
                Err(error) if !in_error && !listed => Some(error),
                _ => None,
            }
        })
        .collect();
    let shown: Vec<&String> = wrong.iter().take(10).collect();
    assert!(wrong.is_empty(), "{} of {} samples: {shown:#?}", wrong.len(), samples.len());
}

/// Hashcat's kernels, by their paths from its folder.
pub fn hashcat_names(folder: &Path) -> Vec<String> {
    files(folder).into_iter().filter(|name| name.starts_with("OpenCL/m")).collect()
}

/// What the host program says to hashcat's kernels.
pub fn hashcat_language() -> Vec<String> {
    let mut language: Vec<String> = ["-I", "OpenCL", "-D", "VECT_SIZE=1"].map(str::to_owned).into();
    let defines = include_str!("../../hashcat.defines").lines();
    language.extend(defines.flat_map(|define| ["-D".to_owned(), define.to_owned()]));
    // What the host program gives to kernels of its own, one by one.
    for define in ["SCRYPT_N=1024", "SCRYPT_R=1", "SCRYPT_P=1", "SCRYPT_TMTO=1", "FIXED_LOCAL_SIZE_COMP=64"] {
        language.extend(["-D".to_owned(), define.to_owned()]);
    }
    language
}

/// The header that pyopencl itself puts before kernels of complex numbers.
pub const PYOPENCL: [&str; 6] =
    ["-I", ".", "--include", "pyopencl-complex.h", "-D", "PYOPENCL_DEFINE_CDOUBLE"];

#[test]
fn hashcat_is_accepted() {
    let Some(llvm) = Llvm::find() else { return };
    let Some(folder) = Corpus::Hashcat.folder() else { return };
    let (names, language) = (hashcat_names(&folder), hashcat_language());
    let every: usize = std::env::var("TANGLE_EVERY").map_or(400, |every| every.parse().expect("a number"));
    let step = every.min(20) * if is_thorough() { 1 } else { 10 };
    let names: Vec<String> = some_of(names.into_iter().step_by(every.min(20)));
    llvm.all(&folder, &names, &language, |n| match n * step {
        n if n % every == 0 => Depth::Compile,
        n if n % 100 == 0 => Depth::Verify,
        _ => Depth::Once,
    });
}

#[test]
fn darktable_is_accepted() {
    let Some(llvm) = Llvm::find() else { return };
    let Some(folder) = Corpus::Darktable.folder() else { return };
    llvm.all(&folder, &some_of(files(&folder)), &["-I".into(), ".".into()], |_| Depth::Compile);
}

#[test]
fn pyopencl_is_accepted() {
    let Some(llvm) = Llvm::find() else { return };
    let Some(folder) = Corpus::Pyopencl.folder() else { return };
    llvm.all(&folder, &some_of(files(&folder)), &PYOPENCL.map(str::to_owned), |_| Depth::Compile);
}
