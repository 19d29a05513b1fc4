//! LLVM 19 accepts every emitted module, before and after its optimizer, and compiles it for two GPUs.
//!
//! All samples and the kernels of darktable and pyopencl are tested with all options, the optimizer and the code
//! generators. Hashcat's kernels are many and large. Every 20th is lowered and verified, every 100th with all options,
//! and every 400th is also optimized and compiled. `TANGLE_EVERY=1` does all of this for each kernel, and takes hours.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use tangle_referees::{Corpus, few_of, is_thorough, kernels, some_of};

use super::tools::{Llvm, lower, run};

/// The options of `tangle lower` with which LLVM must accept a module.
const WAYS: &[&[&str]] = &[
    &["--irreducible", "anchor"],
    &["--irreducible", "dispatch"],
    &["--tokens", "off"],
    &["--tokens", "infer"],
];

/// The steps that a module is tested with.
#[derive(Clone, Copy, PartialEq)]
enum Depth {
    /// Verify with the first options only.
    Once,
    Verify,
    Compile,
}

/// The files that the code generators of LLVM 19 cannot compile: file, target, and a part of the error.
const NOT_COMPILED: &[(&str, &str, &str)] = &[
    // A call passes a `char2`. The module that clang makes of this file at -O0 fails with the same error.
    ("demosaic_markesteijn.cl", "nvptx64", "Copy one register into another with a different width"),
];

impl Llvm {
    /// Lowers a file with all options. The error is that of LLVM.
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
                // Most files have the same module with most options; it is tested once.
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
                        // With other tokens, or without tokens, the code generator succeeds.
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

/// Returns the kernels in a folder and its subfolders, as paths relative to the folder.
pub fn files(folder: &Path) -> Vec<String> {
    kernels(folder).into_iter().map(|path| path.into_os_string().into_string().unwrap()).collect()
}

/// The samples that cannot be lowered, and why. `tangle lower` reports the reason, with exit status 1.
const NOT_LOWERED: &[(&str, &str)] = &[
    ("suppression/several_rules.cl", "it has a type error, which is suppressed"),
    ("functions/block.cl", "block literals are not lowered"),
    ("functions/block_with_barrier.cl", "block literals are not lowered"),
    ("quiet/enqueued_blocks.cl", "block literals are not lowered"),
    ("syntax/error_directive_needs_one.cl", "a constant is not known"),
    ("syntax/header_is_missing_and_a_constant_needed.cl", "it uses declarations of a missing header"),
    ("syntax/header_is_missing_and_needed.cl", "it uses declarations of a missing header"),
    ("syntax/missing_header_needed.cl", "it uses declarations of a missing header"),
    ("syntax/unknown_type.cl", "a type is unknown"),
    ("suppression/all_rules.cl", "a type is unknown, which is suppressed"),
    ("unknown/undeclared_function.cl", "functions are not known"),
    ("syntax/unknown_has_no_consequences.cl", "a type and constants are not known"),
];

/// Returns all samples: folder, file name, and the options in the first line.
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

/// Returns the options except `--rule`, which `tangle lower` does not have.
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
fn llvm_accepts_samples_without_errors() {
    let Some(llvm) = Llvm::find() else { return };
    let samples = some_of(samples());
    let wrong: Vec<String> = samples
        .par_iter()
        .filter_map(|(folder, name, options)| {
            let text = std::fs::read_to_string(folder.join(name)).unwrap();
            let in_error = text.contains(" error[");
            let inside = folder.strip_prefix(samples_folder()).unwrap();
            let key = inside.join(name).into_os_string().into_string().unwrap();
            // The definitions of these samples' builds are unknown.
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

/// Returns hashcat's kernels, as paths relative to its folder.
pub fn hashcat_names(folder: &Path) -> Vec<String> {
    files(folder).into_iter().filter(|name| name.starts_with("OpenCL/m")).collect()
}

/// Returns the options with which the host program compiles hashcat's kernels.
pub fn hashcat_language() -> Vec<String> {
    let mut language: Vec<String> = ["-I", "OpenCL", "-D", "VECT_SIZE=1"].map(str::to_owned).into();
    let defines = include_str!("../../hashcat.defines").lines();
    language.extend(defines.flat_map(|define| ["-D".to_owned(), define.to_owned()]));
    // Definitions that the host program uses only for some kernels.
    for define in ["SCRYPT_N=1024", "SCRYPT_R=1", "SCRYPT_P=1", "SCRYPT_TMTO=1", "FIXED_LOCAL_SIZE_COMP=64"] {
        language.extend(["-D".to_owned(), define.to_owned()]);
    }
    language
}

/// Options for the header that pyopencl includes before kernels of complex numbers.
pub const PYOPENCL: [&str; 6] =
    ["-I", ".", "--include", "pyopencl-complex.h", "-D", "PYOPENCL_DEFINE_CDOUBLE"];

#[test]
fn llvm_accepts_hashcat() {
    let Some(llvm) = Llvm::find() else { return };
    let Some(folder) = Corpus::Hashcat.folder() else { return };
    let (names, language) = (hashcat_names(&folder), hashcat_language());
    let every: usize = std::env::var("TANGLE_EVERY").map_or(400, |every| every.parse().expect("a number"));
    let step = every.min(20) * if is_thorough() { 1 } else { 50 };
    let names: Vec<String> = few_of(names.into_iter().step_by(every.min(20)));
    llvm.all(&folder, &names, &language, |n| match n * step {
        n if n % every == 0 => Depth::Compile,
        n if n % 100 == 0 => Depth::Verify,
        _ => Depth::Once,
    });
}

#[test]
fn llvm_accepts_darktable() {
    let Some(llvm) = Llvm::find() else { return };
    let Some(folder) = Corpus::Darktable.folder() else { return };
    llvm.all(&folder, &few_of(files(&folder)), &["-I".into(), ".".into()], |_| Depth::Compile);
}

#[test]
fn llvm_accepts_pyopencl() {
    let Some(llvm) = Llvm::find() else { return };
    let Some(folder) = Corpus::Pyopencl.folder() else { return };
    llvm.all(&folder, &some_of(files(&folder)), &PYOPENCL.map(str::to_owned), |_| Depth::Compile);
}
