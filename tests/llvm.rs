//! LLVM 19 accepts every module that we emit, before and after its optimiser, and compiles it for two GPUs.
//!
//! Needs `opt-19` and `llc-19`; without them the tests say so and pass. All samples and the kernels of darktable and pyopencl go
//! through everything. Of hashcat's, which are many and large, each is lowered and verified; the optimiser and the code generators
//! see every 40th. `TANGLE_EVERY=1` has them see each.

mod tools;

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use tools::{lower, pipe, run, skipped, tool};

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
    Verify,
    Compile,
}

struct Llvm {
    opt: String,
    llc: String,
}

impl Llvm {
    fn find() -> Option<Llvm> {
        Some(Llvm { opt: tool("opt")?, llc: tool("llc")? })
    }

    /// Lowers a file in all ways; what LLVM does not accept is the error.
    fn accepts(&self, folder: &Path, file: &str, language: &[String], depth: Depth) -> Result<(), String> {
        for way in WAYS {
            for (target, march) in [("amdgcn", ["-mcpu=gfx1030", "-O1"]), ("nvptx64", ["-mcpu=sm_70", "-O1"])]
            {
                let nvptx_adds_nothing = target == "nvptx64" && (depth == Depth::Verify || way != &WAYS[0]);
                if nvptx_adds_nothing {
                    continue;
                }
                let mut ours = lower(folder, way);
                let module = run(ours.args(["--target", target]).args(language).arg(file))?;
                let about = |error: String| format!("{file} {way:?} {target}: {error}");
                self.opt("verify", &module).map_err(about)?;
                if depth == Depth::Compile {
                    let optimised = self.opt("default<O2>", &module).map_err(about)?;
                    self.opt("verify", &optimised).map_err(about)?;
                    let mut llc = std::process::Command::new(&self.llc);
                    pipe(llc.args(march).args(["-filetype=asm", "-o", "-"]), &module).map_err(about)?;
                }
            }
        }
        Ok(())
    }

    fn opt(&self, passes: &str, module: &[u8]) -> Result<Vec<u8>, String> {
        let mut opt = std::process::Command::new(&self.opt);
        pipe(opt.arg(format!("-passes={passes}")).args(["-S", "-o", "-"]), module)
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

/// The files of a folder with an ending, sorted.
fn files(folder: &Path, keep: impl Fn(&str) -> bool) -> Vec<String> {
    let names =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".cl") && keep(name)).collect();
    names.sort();
    names
}

fn corpus(variable: &str, usual: &str, probe: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map_or_else(|| PathBuf::from(usual), PathBuf::from);
    if folder.join(probe).exists() {
        return Some(folder);
    }
    skipped(&format!("no {probe} in `{}`; set {variable}", folder.display()));
    None
}

/// Samples that cannot be lowered, and why: `tangle lower` says so, with exit status 1.
const NOT_LOWERED: &[(&str, &str)] = &[];

#[test]
fn samples_are_accepted_or_in_error() {
    let Some(llvm) = Llvm::find() else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    let all: Vec<(PathBuf, String)> = folders
        .iter()
        .flat_map(|folder| files(folder, |_| true).into_iter().map(|name| (folder.clone(), name)))
        .collect();
    let wrong: Vec<String> = all
        .par_iter()
        .filter_map(|(folder, name)| {
            let text = std::fs::read_to_string(folder.join(name)).unwrap();
            let options =
                text.lines().next().and_then(|line| line.strip_prefix("// args:")).unwrap_or_default();
            let mut options: Vec<String> = options.split_whitespace().map(str::to_owned).collect();
            // Of the options of `lint`, those of the language hold here.
            if let Some(at) = options.iter().position(|option| option == "--rule") {
                options.drain(at..at + 2);
            }
            let in_error = text.contains("//~ error") || text.contains("//~^ error");
            let key = format!("{}/{name}", folder.file_name().unwrap().to_str().unwrap());
            let listed = NOT_LOWERED.iter().any(|(sample, _)| *sample == key);
            let accepted = llvm.accepts(folder, name, &options, Depth::Compile);
            match accepted {
                Ok(()) if listed => Some(format!("{key} is accepted, though listed")),
                Err(error) if !in_error && !listed => Some(error),
                _ => None,
            }
        })
        .collect();
    let shown: Vec<&String> = wrong.iter().take(10).collect();
    assert!(wrong.is_empty(), "{} of {} samples: {shown:#?}", wrong.len(), all.len());
}

#[test]
fn hashcat_is_accepted() {
    let Some(llvm) = Llvm::find() else { return };
    let Some(folder) = corpus("TANGLE_HASHCAT", "/usr/share/hashcat", "OpenCL/m00000_a0-pure.cl") else {
        return;
    };
    let names = files(&folder.join("OpenCL"), |name| name.starts_with('m'));
    let names: Vec<String> = names.into_iter().map(|name| format!("OpenCL/{name}")).collect();
    let mut language: Vec<String> = ["-I", "OpenCL", "-D", "VECT_SIZE=1"].map(str::to_owned).into();
    let defines = include_str!("hashcat.defines").lines();
    language.extend(defines.flat_map(|define| ["-D".to_owned(), define.to_owned()]));
    let every: usize = std::env::var("TANGLE_EVERY").map_or(40, |every| every.parse().expect("a number"));
    llvm.all(&folder, &names, &language, |n| if n % every == 0 { Depth::Compile } else { Depth::Verify });
}

#[test]
fn darktable_is_accepted() {
    let Some(llvm) = Llvm::find() else { return };
    let usual = "/usr/share/darktable/kernels";
    let Some(folder) = corpus("TANGLE_DARKTABLE", usual, "basic.cl") else { return };
    llvm.all(&folder, &files(&folder, |_| true), &["-I".into(), ".".into()], |_| Depth::Compile);
}

#[test]
fn pyopencl_is_accepted() {
    let Some(llvm) = Llvm::find() else { return };
    let Some(folder) = corpus("TANGLE_PYOPENCL", "pyopencl/cl", "pyopencl-bessel-j.cl") else { return };
    llvm.all(&folder, &files(&folder, |_| true), &["-I".into(), ".".into()], |_| Depth::Compile);
}
