//! LLVM 19's optimizer changes no communication: for each kernel, the LLVM IR that tangle writes is compared with the
//! output of `opt -O2`.
//!
//! The kernels are the samples, and kernels of hashcat and darktable. A part of them is tested, and a larger part with
//! `TANGLE_THOROUGH=1`. The numbers of results are printed (`--nocapture`).
//!
//! `opt` rejects some of its own output, because a pass moved a token (`docs/lowering.md`).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rayon::prelude::*;
use tangle_referees::{Corpus, files_with, of_all};

/// A kernel file, and how it is lowered.
struct Subject {
    folder: PathBuf,
    file: String,
    target: &'static str,
    options: Vec<String>,
    /// The kernel to compare. None: all kernels of the file.
    kernel: Option<String>,
}

/// The result for a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Same,
    /// No launch could be compared: the kernel has undefined behaviour in all of them, or too many executions.
    NotCompared,
    /// The file cannot be lowered, or has no kernel.
    NotLowered,
    /// A pass of LLVM moved a token to a place where it is not allowed.
    Broken,
    /// The text shows what differs.
    Different(String),
}

/// The number of tested kernels of each corpus if tests are thorough, otherwise a tenth of it.
const KERNELS: u64 = 20;

/// Returns kernels that are spread over a corpus.
fn part_of(all: Vec<Subject>) -> Vec<Subject> {
    let wanted = of_all(KERNELS) as usize;
    let step = (all.len() / wanted).max(1);
    all.into_iter().step_by(step).take(wanted).collect()
}

/// Folders of samples whose files have errors, or are read with other files.
const LEFT_OUT: [&str; 4] = ["preprocessor", "suppression", "syntax", "unknown"];

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

impl Subject {
    fn name(&self) -> String {
        format!("{} ({})", self.folder.join(&self.file).display(), self.target)
    }

    /// Lowers and optimizes the file in a folder of its own, and compares.
    fn outcome(&self, opt: &str, number: usize) -> Outcome {
        let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("optimizer").join(number.to_string());
        fs::create_dir_all(&scratch).unwrap();
        let [old, new] = ["old.ll", "new.ll"].map(|name| scratch.join(name));
        let mut lower = Command::new(env!("CARGO_BIN_EXE_tangle"));
        lower.current_dir(&self.folder).args(["lower", "--target", self.target]).args(&self.options);
        if let Some(kernel) = &self.kernel {
            lower.args(["--function", kernel]);
        }
        let lowered = run(lower.arg(&self.file));
        if lowered.stdout.is_empty() {
            return Outcome::NotLowered;
        }
        fs::write(&old, lowered.stdout).unwrap();
        if let Some(kernel) = &self.kernel {
            // Otherwise the module has the functions of all headers.
            let kept = format!("-internalize-public-api-list={kernel}");
            let small = run(Command::new(opt)
                .args(["-S", "-passes=internalize,globaldce", &kept, "-o", "-"])
                .arg(&old));
            assert!(small.status.success(), "{}", text(&small.stderr));
            fs::write(&old, small.stdout).unwrap();
        }
        let optimized = run(Command::new(opt).args(["-S", "-O2", "-o", "-"]).arg(&old));
        if !optimized.status.success() {
            let error = text(&optimized.stderr);
            assert!(error.contains("Broken module found"), "{}: {error}", self.name());
            return Outcome::Broken;
        }
        fs::write(&new, optimized.stdout).unwrap();
        let mut diff = Command::new(env!("CARGO_BIN_EXE_tangle"));
        diff.arg("diff").args([&old, &new]).args(["--launches", "8"]);
        let compared = run(&mut diff);
        let (out, error) = (text(&compared.stdout), text(&compared.stderr));
        match compared.status.code() {
            Some(0) => Outcome::Same,
            Some(1) => {
                let lines = out.lines().skip_while(|line| !line.contains("`: difference in"));
                Outcome::Different(lines.take(3).collect::<Vec<_>>().join("\n"))
            }
            Some(2) if error.contains("no launch could be compared") => Outcome::NotCompared,
            Some(2) if error.contains("no kernel is in both files") => Outcome::NotLowered,
            _ => Outcome::Different(error),
        }
    }
}

/// Compares all files, and returns the number of files with each outcome.
#[track_caller]
fn check(subjects: Vec<Subject>) -> BTreeMap<&'static str, usize> {
    let Some(opt) = tangle_referees::llvm("opt") else { return BTreeMap::new() };
    let outcomes: Vec<(String, Outcome)> = subjects
        .par_iter()
        .enumerate()
        .map(|(number, subject)| (subject.name(), subject.outcome(&opt, number)))
        .collect();
    let mut counts = BTreeMap::new();
    let mut different = Vec::new();
    for (name, outcome) in outcomes {
        let kind = match outcome {
            Outcome::Same => "same",
            Outcome::NotCompared => "not compared",
            Outcome::NotLowered => "not lowered",
            Outcome::Broken => "broken by LLVM",
            Outcome::Different(how) => {
                different.push(format!("{name}:\n{how}"));
                "different"
            }
        };
        *counts.entry(kind).or_default() += 1;
    }
    println!("{counts:?}");
    assert!(different.is_empty(), "{}", different.join("\n\n"));
    counts
}

/// Returns the samples with an extension, for a target.
fn samples(extension: &str, target: &'static str) -> Vec<Subject> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let is_whole = |path: &PathBuf| LEFT_OUT.iter().all(|left_out| !path.starts_with(left_out));
    let subject = |path: PathBuf| Subject {
        folder: folder.clone(),
        file: path.to_str().unwrap().to_owned(),
        target,
        options: Vec::new(),
        kernel: None,
    };
    files_with(&folder, &[extension]).into_iter().filter(is_whole).map(subject).collect()
}

#[test]
fn llvm_changes_no_communication_of_samples() {
    let all = [("cl", "amdgcn"), ("cl", "spirv64"), ("cu", "nvptx64"), ("hip", "amdgcn")];
    let subjects = all.into_iter().flat_map(|(extension, target)| samples(extension, target));
    check(part_of(subjects.into_iter().collect()));
}

#[test]
fn llvm_changes_no_communication_of_darktable() {
    let Some(folder) = Corpus::Darktable.folder() else { return };
    let subject = |path: PathBuf| Subject {
        folder: folder.clone(),
        file: path.to_str().unwrap().to_owned(),
        target: "spirv64",
        options: vec!["-I".to_owned(), ".".to_owned()],
        kernel: None,
    };
    check(part_of(tangle_referees::kernels(&folder).into_iter().map(subject).collect()));
}

/// The first kernel with a barrier of each file.
#[test]
fn llvm_changes_no_communication_of_hashcat() {
    let Some(folder) = Corpus::Hashcat.folder() else { return };
    let mut options: Vec<String> = ["-I", "OpenCL", "-D", "VECT_SIZE=1"].map(str::to_owned).into();
    let defines = include_str!("../hashcat.defines").lines();
    let further = ["SCRYPT_N=1024", "SCRYPT_R=1", "SCRYPT_P=1", "SCRYPT_TMTO=1", "FIXED_LOCAL_SIZE_COMP=64"];
    options.extend(defines.chain(further).flat_map(|define| ["-D".to_owned(), define.to_owned()]));
    let subject = |path: PathBuf| {
        let text = fs::read_to_string(folder.join(&path)).ok()?;
        let start = text.contains("SYNC_THREADS").then(|| text.find("KERNEL_FQ"))??;
        let name = text[start..].split(['(', ')']).map(str::trim).flat_map(|part| part.split_whitespace());
        let name = name.into_iter().find(|word| word.starts_with('m') && word.contains('_'))?;
        Some(Subject {
            folder: folder.clone(),
            file: path.to_str()?.to_owned(),
            target: "amdgcn",
            options: options.clone(),
            kernel: Some(name.to_owned()),
        })
    };
    let kernels = tangle_referees::kernels(&folder).into_iter().filter(|path| path.starts_with("OpenCL"));
    check(part_of(kernels.filter_map(subject).collect()));
}
