//! A kernel computes the same bytes when compiled through our IR and by clang.
//!
//! The kernels of `tests/graphs/lowering/kernels/` are compiled to x86-64 by both compilers. A harness runs them on
//! random buffers, one work-item at a time, and the outputs are compared. Signed overflow wraps in our IR, so clang
//! gets `-fwrapv`. The hash functions are hashcat's.

use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;
use tangle_referees::Corpus;

use super::tools::{lower, run, scratch};

const TARGET: &[&str] = &["-target", "x86_64-unknown-linux-gnu", "-fPIC", "-w"];
const OPENCL: &[&str] = &["-x", "cl", "-cl-std=CL3.0", "-fwrapv"];

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/graphs/lowering/kernels")
}

/// The compiled harness and the builtins that kernels are linked with.
struct Bench {
    clang: String,
    folder: PathBuf,
}

impl Bench {
    fn new(name: &str) -> Option<Bench> {
        let clang = tangle_referees::clang()?;
        let bench = Bench { clang, folder: scratch(name) };
        let mut harness = Command::new(&bench.clang);
        harness
            .args(["-O1", "-w", "-rdynamic", "-o", "harness"])
            .arg(sources().join("harness.c"))
            .arg("-ldl");
        run(harness.current_dir(&bench.folder)).unwrap();
        let support = sources().join("support.cl");
        run(bench.clang().args(OPENCL).args(["-O1", "-c", "-o", "support.o"]).arg(support)).unwrap();
        Some(bench)
    }

    fn clang(&self) -> Command {
        let mut command = Command::new(&self.clang);
        command.current_dir(&self.folder).args(TARGET);
        command
    }

    /// Returns the names of the kernels in a source, after macro expansion.
    fn kernels(&self, source: &Path, language: &[String], from: &Path) -> Vec<String> {
        let mut preprocess = Command::new(&self.clang);
        preprocess.current_dir(from).args(TARGET).args(OPENCL).args(["-E", "-P"]).args(language).arg(source);
        let text = String::from_utf8(run(&mut preprocess).unwrap()).unwrap();
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let kernels = words.windows(3).filter(|words| words[0] == "kernel" && words[1] == "void");
        kernels.map(|words| words[2].to_owned()).collect()
    }

    /// Runs the kernels of an object file, and returns their output.
    fn results(&self, object: &str, kernels: &[String]) -> Result<Vec<u8>, String> {
        let library = format!("{object}.so");
        run(self.clang().args(["-shared", "-o", &library, object, "support.o"]))?;
        let mut harness = Command::new(self.folder.join("harness"));
        run(harness.current_dir(&self.folder).arg(self.folder.join(library)).args(kernels))
    }

    /// Compares the kernels of one source. Both compilers get the options `language`, relative to the folder `from`.
    fn compare(&self, name: &str, from: &Path, language: &[String]) -> Result<usize, String> {
        let source = sources().join(format!("{name}.cl"));
        let kernels = self.kernels(&source, language, from);
        let path = |file: &str| self.folder.join(file).to_str().expect("a plain path").to_owned();

        let theirs = path(&format!("{name}.clang.o"));
        let mut clang = Command::new(&self.clang);
        clang.current_dir(from).args(TARGET).args(OPENCL).args([
            "-Xclang",
            "-finclude-default-header",
            "-O0",
        ]);
        run(clang.args(language).args(["-c", "-o", &theirs]).arg(&source))?;
        let expected = self.results(&format!("{name}.clang.o"), &kernels)?;

        // LLVM 19 crashes when it compiles tokens for x86 without optimizations ("Fast Register Allocator").
        for (tokens, level) in [("off", "-O0"), ("placed", "-O1"), ("placed", "-O2")] {
            let module = path(&format!("{name}{level}.ll"));
            let mut ours = lower(from, &["--target", "x86_64", "--tokens", tokens, "-o", &module]);
            run(ours.args(language).arg(&source))?;
            let object = format!("{name}{level}.o");
            run(self.clang().args([level, "-x", "ir", "-c", "-o", &object, &module]))?;
            let found = self.results(&object, &kernels)?;
            if found != expected {
                return Err(difference(name, level, &found, &expected));
            }
        }
        Ok(kernels.len())
    }
}

/// Describes the first difference. The output has a line with the name of each kernel, then lines of 64 bytes.
fn difference(name: &str, level: &str, found: &[u8], expected: &[u8]) -> String {
    let (found, expected) = (String::from_utf8_lossy(found), String::from_utf8_lossy(expected));
    let (mut kernel, mut line) = ("", 0);
    for (found, expected) in found.lines().zip(expected.lines()) {
        if found != expected {
            let at = found.bytes().zip(expected.bytes()).take_while(|(a, b)| a == b).count() / 2;
            let byte = line * 64 + at;
            return format!(
                "{name}.cl, kernel {kernel}, {level}: byte {byte} of the output differs\n  ours  {found}\n  clang {expected}"
            );
        }
        if found.len() == 128 && !found.contains('_') {
            line += 1;
        } else {
            (kernel, line) = (expected, 0);
        }
    }
    format!("{name}.cl, {level}: outputs have different lengths")
}

#[test]
fn kernels_compute_the_same_results_as_with_clang() {
    let Some(bench) = Bench::new("same_results") else { return };
    let names = [
        "arithmetic",
        "conversions",
        "vectors",
        "control_flow",
        "assignments",
        "pointers",
        "records",
        "initialisers",
        "address_spaces",
        "builtins",
    ];
    let counts: Vec<Result<usize, String>> =
        names.par_iter().map(|name| bench.compare(name, &sources(), &[])).collect();
    let wrong: Vec<&String> = counts.iter().filter_map(|count| count.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.into_iter().cloned().collect::<Vec<_>>().join("\n"));
    let kernels: usize = counts.into_iter().flatten().sum();
    assert!(kernels >= 80, "{kernels} kernels were compared");
}

#[test]
fn hashcat_hashes_are_the_same_as_with_clang() {
    let Some(hashcat) = Corpus::Hashcat.folder() else { return };
    let Some(bench) = Bench::new("same_hashes") else { return };
    let mut language: Vec<String> = ["-I", "OpenCL", "-D", "VECT_SIZE=1"].map(str::to_owned).into();
    let defines = include_str!("../../hashcat.defines").lines();
    language.extend(defines.flat_map(|define| ["-D".to_owned(), define.to_owned()]));
    let kernels =
        bench.compare("hashcat_hashes", &hashcat, &language).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert_eq!(kernels, 10);
}
