//! Our verdicts on branches beside those of LLVM 19 (`print<uniformity>` for amdgcn, after `mem2reg`).
//!
//! LLVM sees one function at a time: what it is passed is divergent, but for kernels, and so is what a call returns. So, for the comparison, whatever
//! depends on a parameter is divergent to us, too. Where LLVM says uniform and we say divergent, the reason is one that LLVM does not look
//! for, and such branches are few ([`MORE_CAREFUL`]); where it is the other way round, what decides is a call or private memory, of which LLVM
//! knows nothing.
//!
//! Needs `opt-19`; without it the test says so and passes. Of hashcat's kernels every 40th is compared; `TANGLE_EVERY=1` takes all.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use rayon::prelude::*;
use tangle::db::Database;
use tangle::emit::language::OpenCl;
use tangle::emit::llvm::{self, Target};
use tangle::flow::module::{Options, lower};
use tangle::flow::{BlockId, Function, Op, ValueId};
use tangle::hir::builtins::Scope;
use tangle::source::{Content, Loader, Macro};
use tangle::uniformity::analysis::{Analysis, Reason, Source};
use tangle::uniformity::cause::{Question, Subject, Why, chain};
use tangle::uniformity::graph::is_branch;
use tangle::uniformity::memory::{Place, Root};
use tangle::uniformity::unit::UnitFacts;

/// The part of all branches, in a hundred, that we may call divergent though LLVM does not.
const MORE_CAREFUL: usize = 2;

struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str) -> Content {
        std::fs::read_to_string(path).map_or(Content::Missing, |text| Content::Text(text.into()))
    }
}

struct NoPlaces;

impl llvm::Places for NoPlaces {
    fn place(&self, _: usize, _: tangle_grammar::ast::Span) -> Option<llvm::Place> {
        None
    }
}

/// How many branches there are of each kind.
#[derive(Default, Debug)]
struct Tally {
    both_uniform: usize,
    both_divergent: usize,
    /// LLVM: uniform; we: divergent, and why.
    careful: BTreeMap<String, usize>,
    /// LLVM: divergent; we: uniform, and what LLVM does not know.
    precise: BTreeMap<&'static str, usize>,
    unexplained: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.both_uniform += other.both_uniform;
        self.both_divergent += other.both_divergent;
        for (why, count) in other.careful {
            *self.careful.entry(why).or_default() += count;
        }
        for (why, count) in other.precise {
            *self.precise.entry(why).or_default() += count;
        }
        self.unexplained.extend(other.unexplained);
    }

    fn all(&self) -> usize {
        let careful: usize = self.careful.values().sum();
        let precise: usize = self.precise.values().sum();
        self.both_uniform + self.both_divergent + careful + precise + self.unexplained.len()
    }
}

fn opt() -> Option<String> {
    let program = std::env::var("TANGLE_LLVM").map_or("opt-19".to_owned(), |folder| format!("{folder}/opt"));
    let found = Command::new(&program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_err() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: no {program} on this machine; set TANGLE_LLVM");
    }
    found.ok().map(|_| program)
}

/// For each function by name, for each of its blocks in order, whether LLVM calls its terminator divergent.
fn verdicts(opt: &str, module: &str) -> BTreeMap<String, Vec<(String, bool)>> {
    let mut child = Command::new(opt)
        .args(["-passes=mem2reg,print<uniformity>", "-disable-output"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let text = module.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join();
    let mut functions: BTreeMap<String, Vec<(String, bool)>> = BTreeMap::new();
    let mut blocks: Vec<(String, bool)> = Vec::new();
    let (mut name, mut at_end) = (String::new(), false);
    for line in String::from_utf8(output.stderr).unwrap().lines() {
        if let Some(function) = line.strip_prefix("UniformityInfo for function '") {
            functions.insert(std::mem::take(&mut name), std::mem::take(&mut blocks));
            at_end = false;
            name = function.trim_end_matches(":").trim_end_matches('\'').to_owned();
        } else if let Some(block) = line.strip_prefix("BLOCK ") {
            blocks.push((block.to_owned(), false));
            at_end = false;
        } else if line == "TERMINATORS" {
            at_end = true;
        } else if at_end && line.starts_with("  DIVERGENT:") {
            blocks.last_mut().unwrap().1 = true;
        }
    }
    functions.insert(name, blocks);
    functions
}

fn compare(opt: &str, path: &Path, folders: &[String], macros: &[Macro], includes: &[String]) -> Tally {
    let mut db = Database::new(Arc::new(Disk));
    let settings = db.settings(folders, macros, includes, Vec::new());
    let file = tangle::db::Db::file(&db, path.to_str().unwrap());
    let lowered = lower(&db, file, settings, &Options::default());
    let mut tally = Tally::default();
    if !lowered.errors.is_empty() {
        return tally;
    }
    let module = lowered.module;
    let options = llvm::Options { target: Target::Amdgcn, language: &OpenCl, debug: false };
    let Ok(text) = llvm::emit(&module, &options, &NoPlaces) else { return tally };
    let verdicts = verdicts(opt, &text);
    let facts = UnitFacts::of(&db, file, settings);
    for function in &module.functions {
        // Of overloaded functions, and of kernels that are called, there are several under other names.
        let Some(theirs) = verdicts.get(function.key.name.as_str()) else { continue };
        // A switch over wide ranges is more than one block to LLVM.
        let theirs: Vec<&(String, bool)> =
            theirs.iter().filter(|(label, _)| !label.starts_with("range")).collect();
        if theirs.len() != function.blocks.len() {
            continue;
        }
        let at = facts.functions().of_key(function.key).expect("the unit defines it");
        facts.explain(at, |analysis| {
            for (block, (label, divergent)) in function.blocks.indices().zip(theirs) {
                if !is_branch(function, block) {
                    continue;
                }
                let fact = analysis.branches[block];
                let ours = fact.divergence.within(Scope::Subgroup)
                    || !fact.values.is_empty()
                    || !fact.pointees.is_empty();
                match (ours, *divergent) {
                    (true, true) => tally.both_divergent += 1,
                    (false, false) => tally.both_uniform += 1,
                    (true, false) => *tally.careful.entry(careful(analysis, block)).or_default() += 1,
                    (false, true) => match precise(analysis, block) {
                        Some(why) => *tally.precise.entry(why).or_default() += 1,
                        None => {
                            let place = format!("{}: {} {label}", path.display(), function.key);
                            tally.unexplained.push(place);
                        }
                    },
                }
            }
        });
    }
    tally
}

/// What we hold against a branch that LLVM calls uniform.
fn careful(analysis: &Analysis, block: BlockId) -> String {
    let questions = [Question::Within(Scope::Subgroup)].into_iter().chain((0..64).map(Question::Parameter));
    for question in questions {
        let links = chain(analysis, Subject::Branch(block), question);
        let Some(last) = links.last() else { continue };
        return match last.reason {
            Why::Reason(Reason::Source(Source::SharedMemory(_))) => {
                "memory that other threads may write".to_owned()
            }
            Why::Reason(Reason::Source(Source::Volatile)) => "volatile memory".to_owned(),
            Why::Reason(Reason::Pointee(_)) => "memory behind a parameter".to_owned(),
            other => format!("{other:?}"),
        };
    }
    "no cause".to_owned()
}

/// What LLVM does not know of, somewhere in what decides a branch.
fn precise(analysis: &Analysis, block: BlockId) -> Option<&'static str> {
    let function: &Function = analysis.function;
    let mut seen = vec![false; function.values.len()];
    let mut branches = vec![false; function.blocks.len()];
    let mut blocks = vec![block];
    let mut todo: Vec<ValueId> = Vec::new();
    loop {
        let Some(value) = todo.pop() else {
            // What meets at a join, or is carried out of a cycle, depends on branches: all of them, to be short.
            let block = blocks.pop()?;
            if !std::mem::replace(&mut branches[block.index()], true) {
                todo.extend(function.blocks[block].terminator.operand());
            }
            continue;
        };
        if std::mem::replace(&mut seen[value.index()], true) {
            continue;
        }
        match &function.values[value].op {
            Op::Call(_) => return Some("the result of a call"),
            Op::Load { address, .. } => match analysis.place(*address) {
                Place::Known(Root::Slot(_), _) => return Some("private memory"),
                Place::Known(Root::Parameter(_) | Root::Constant, _) if !function.kernel => {
                    return Some("memory behind a parameter");
                }
                _ => todo.push(*address),
            },
            op => {
                if matches!(op, Op::Phi(_)) {
                    blocks.extend(function.blocks.indices().filter(|&block| is_branch(function, block)));
                }
                op.operands(|&operand| todo.push(operand));
            }
        }
    }
}

/// Prints a tally; what is uniform to us alone must have a reason.
fn judge(what: &str, tally: &Tally) {
    let _ = writeln!(std::io::stderr(), "{what}: {} branches, {tally:#?}", tally.all());
    assert!(tally.all() > 0, "{what}: nothing was compared");
    assert!(tally.unexplained.is_empty(), "{what}: uniform to us alone, and nothing says why");
    assert!(!tally.careful.contains_key("no cause"), "{what}: divergent to us alone, and nothing says why");
}

fn all(opt: &str, files: &[PathBuf], folders: &[String], macros: &[Macro], includes: &[String]) -> Tally {
    let whole = Mutex::new(Tally::default());
    files.par_iter().for_each(|file| {
        let tally = compare(opt, file, folders, macros, includes);
        whole.lock().unwrap().add(tally);
    });
    whole.into_inner().unwrap()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cl"));
    files.sort();
    files
}

fn samples(opt: &str) -> Tally {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let all_files: Vec<PathBuf> = folders.iter().flat_map(|folder| files(folder)).collect();
    all(opt, &all_files, &[], &[], &[])
}

fn hashcat(opt: &str) -> Option<Tally> {
    let folder = std::env::var("TANGLE_HASHCAT").unwrap_or("/usr/share/hashcat".to_owned());
    let folder = Path::new(&folder).join("OpenCL");
    let every = std::env::var("TANGLE_EVERY").map_or(40, |every| every.parse().expect("a number"));
    let kernels = files(&folder).into_iter().filter(|path| {
        path.file_name().is_some_and(|name| name.to_str().is_some_and(|name| name.starts_with('m')))
    });
    let kernels: Vec<PathBuf> = kernels.step_by(every).collect();
    if kernels.is_empty() {
        let _ =
            writeln!(std::io::stderr(), "SKIPPED: no kernels in {}; set TANGLE_HASHCAT", folder.display());
        return None;
    }
    let defines = include_str!("../hashcat.defines").lines().chain([
        "VECT_SIZE=1",
        "SCRYPT_N=1024",
        "SCRYPT_R=1",
        "SCRYPT_P=1",
        "SCRYPT_TMTO=1",
        "FIXED_LOCAL_SIZE_COMP=64",
    ]);
    let macros: Vec<Macro> = defines.map(Macro::Define).collect();
    let include = folder.to_str().unwrap().to_owned();
    Some(all(opt, &kernels, &[include], &macros, &[]))
}

#[test]
fn branches_are_to_llvm_what_they_are_to_us() {
    let Some(opt) = opt() else { return };
    let mut whole = samples(&opt);
    judge("samples", &whole);
    let Some(hashcat) = hashcat(&opt) else { return };
    judge("hashcat", &hashcat);
    whole.add(hashcat);
    let careful: usize = whole.careful.values().sum();
    assert!(careful * 100 <= whole.all() * MORE_CAREFUL, "{careful} of {} branches", whole.all());
}
