//! Our verdicts on branches beside those of LLVM 19 (`print<uniformity>` for amdgcn, after `mem2reg`).
//!
//! LLVM sees one function at a time: what it is passed is divergent, but for kernels, and so is what a call returns. So, for the comparison, whatever
//! depends on a parameter is divergent to us, too. Where LLVM says uniform and we say divergent, the reason is one that LLVM does not look
//! for, and such branches are few ([`MORE_CAREFUL`]); where it is the other way round, all that makes the branch divergent to LLVM is something of
//! which we know more ([`excuse`](super::excuse)). What is not compared is counted.
//!
//! Of hashcat's kernels every 40th is compared; `TANGLE_EVERY=1` takes all.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use rayon::prelude::*;
use tangle_analysis::flow::BlockId;
use tangle_analysis::flow::module::{Irreducible, Options, lower};
use tangle_analysis::uniformity::analysis::{Analysis, Reason, Source};
use tangle_analysis::uniformity::cause::{Given, Question, Subject, Why, chain};
use tangle_analysis::uniformity::graph::is_branch;
use tangle_analysis::uniformity::unit::UnitFacts;
use tangle_emit::language::Of;
use tangle_emit::llvm::{self, Target};
use tangle_referees::{Corpus, kernels};
use tangle_syntax::db::Database;
use tangle_syntax::dialect::Scope;
use tangle_syntax::dialect::opencl;
use tangle_syntax::source::{Content, Loader, Macro};

use super::excuse::{Block, Comparison, read};

/// The part of all branches, in a hundred, that we may call divergent though LLVM does not.
const MORE_CAREFUL: usize = 2;

/// A reason to call a branch divergent that is not among those which LLVM does not look for.
const NOT_NAMED: &str = "no cause that LLVM does not look for";

/// What of the samples is not compared, and how often at most.
const SKIPPED_SAMPLES: &[(&str, usize)] = &[(NOT_LOWERED, 22), (OTHER_NAME, 6)];

/// Folders of samples that are not compared, and why.
const NOT_COMPARED: &[(&str, &str)] = &[
    ("unknown", "they are about what is not known, and nothing is emitted for that"),
    ("history", "what they use is defined by the builds of the projects that they were cut out of"),
];

const NOT_LOWERED: &str = "files that do not lower";
const OTHER_NAME: &str = "functions that have another name in LLVM: overloads, and kernels that are called";
const OTHER_BLOCKS: &str = "functions with other blocks in LLVM";

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
    /// LLVM: divergent; we: uniform, and each root of the divergence is one of which we know more.
    precise: usize,
    /// What we know more, by the branches for which it counts.
    known: BTreeMap<&'static str, usize>,
    /// LLVM: divergent; we: uniform, and a root of which we know nothing.
    unexplained: Vec<String>,
    /// What is not compared.
    skipped: BTreeMap<&'static str, usize>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.both_uniform += other.both_uniform;
        self.both_divergent += other.both_divergent;
        for (why, count) in other.careful {
            *self.careful.entry(why).or_default() += count;
        }
        self.precise += other.precise;
        for (own, others) in [(&mut self.known, other.known), (&mut self.skipped, other.skipped)] {
            others.into_iter().for_each(|(why, count)| *own.entry(why).or_default() += count);
        }
        self.unexplained.extend(other.unexplained);
    }

    fn all(&self) -> usize {
        let careful: usize = self.careful.values().sum();
        self.both_uniform + self.both_divergent + careful + self.precise + self.unexplained.len()
    }

    fn skip(&mut self, what: &'static str) {
        *self.skipped.entry(what).or_default() += 1;
    }
}

/// For each function by name, what LLVM says of its blocks, in order.
fn verdicts(opt: &str, module: &str) -> BTreeMap<String, Vec<Block>> {
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
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    read(&String::from_utf8(output.stderr).unwrap())
}

fn compare(opt: &str, path: &Path, folders: &[String], macros: &[Macro], includes: &[String]) -> Tally {
    let mut db = Database::new(Arc::new(Disk));
    let settings = db.settings(folders, macros, includes, Vec::new());
    let file = tangle_syntax::db::Db::file(&db, path.to_str().unwrap());
    // The analysis looks at cycles as the source has them.
    let irreducible = Irreducible::Anchor;
    let lowered = lower(&db, file, settings, &Options { irreducible, ..Options::default() });
    let mut tally = Tally::default();
    if !lowered.errors.is_empty() || lowered.unknown().next().is_some() {
        tally.skip(NOT_LOWERED);
        return tally;
    }
    let module = lowered.module;
    let options = llvm::Options { target: Target::Amdgcn, language: &Of(opencl()), debug: false };
    let text = llvm::emit(&module, &options, &NoPlaces).unwrap_or_else(|error| panic!("{error:?}"));
    let verdicts = verdicts(opt, &text);
    let facts = UnitFacts::of(&db, file, settings);
    for function in &module.functions {
        let Some(theirs) = verdicts.get(function.key.name.as_str()) else {
            tally.skip(OTHER_NAME);
            continue;
        };
        // A switch over wide ranges is more than one block to LLVM; and what unifies exits are blocks of their own.
        let is_ours = |block: &&Block| {
            !["range", "loop.exit", "loop.return"].iter().any(|label| block.label.starts_with(label))
        };
        let theirs: Vec<&Block> = theirs.iter().filter(is_ours).collect();
        // Of a function in which all is uniform LLVM says that, and nothing of its blocks.
        let all_uniform = theirs.is_empty();
        if !all_uniform && theirs.len() != function.blocks.len() {
            tally.skip(OTHER_BLOCKS);
            continue;
        }
        let at = facts.functions().of_key(function.key).expect("the unit defines it");
        facts.explain(at, |analysis| {
            let comparison = Comparison { analysis, environment: analysis.environment, theirs: &theirs };
            for block in function.blocks.indices().filter(|&block| is_branch(function, block)) {
                let divergent = !all_uniform && theirs[block.index()].terminator.divergent;
                match (comparison.parts(block), divergent) {
                    (true, true) => tally.both_divergent += 1,
                    (false, false) => tally.both_uniform += 1,
                    (true, false) => *tally.careful.entry(careful(analysis, block)).or_default() += 1,
                    (false, true) => match comparison.excuse(block) {
                        Ok(known) => {
                            tally.precise += 1;
                            known.into_iter().for_each(|why| *tally.known.entry(why).or_default() += 1);
                        }
                        Err(root) => tally.unexplained.push(format!(
                            "{}: {} {}: {root}",
                            path.display(),
                            function.key,
                            theirs[block.index()].label
                        )),
                    },
                }
            }
        });
    }
    tally
}

/// What we hold against a branch that LLVM calls uniform.
fn careful(analysis: &Analysis, block: BlockId) -> String {
    let of_parameter = |number| Given::ALL.map(|given| Question::Parameter(number, given));
    let questions = [Question::Within(Scope::Subgroup)].into_iter().chain((0..64).flat_map(of_parameter));
    for question in questions {
        let links = chain(analysis, Subject::Branch(block), question);
        let Some(last) = links.last() else { continue };
        return match last.reason {
            Why::Reason(Reason::Source(Source::SharedMemory(_))) => {
                "memory that other threads may write".to_owned()
            }
            Why::Reason(Reason::Source(Source::Volatile)) => "volatile memory".to_owned(),
            Why::Reason(Reason::Source(Source::Builtin)) => {
                "a builtin whose row says that its result differs".to_owned()
            }
            Why::Reason(Reason::Pointee(_)) => "memory behind a parameter".to_owned(),
            other => format!("{NOT_NAMED}: {other:?}"),
        };
    }
    NOT_NAMED.to_owned()
}

/// Prints a tally; what is uniform to us alone must have a reason, and what is skipped is what is known to be.
fn judge(what: &str, tally: &Tally, skipped: &[(&str, usize)]) {
    let _ = writeln!(std::io::stderr(), "{what}: {} branches, {tally:#?}", tally.all());
    assert!(tally.all() > 0, "{what}: nothing was compared");
    assert!(tally.unexplained.is_empty(), "{what}: uniform to us alone, and nothing says why");
    let unnamed: Vec<&String> = tally.careful.keys().filter(|why| why.starts_with(NOT_NAMED)).collect();
    assert!(unnamed.is_empty(), "{what}: divergent to us alone: {unnamed:#?}");
    for (why, &count) in &tally.skipped {
        let most = skipped.iter().find(|(known, _)| known == why).map_or(0, |&(_, most)| most);
        assert!(count <= most, "{what}: {count} {why} are not compared");
    }
}

fn all(opt: &str, files: &[PathBuf], folders: &[String], macros: &[Macro], includes: &[String]) -> Tally {
    let whole = Mutex::new(Tally::default());
    files.par_iter().for_each(|file| {
        let tally = compare(opt, file, folders, macros, includes);
        whole.lock().unwrap().add(tally);
    });
    whole.into_inner().unwrap()
}

fn samples(opt: &str) -> Tally {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let is_known = |path: &PathBuf| !NOT_COMPARED.iter().any(|(folder, _)| path.starts_with(folder));
    let files = kernels(&root).into_iter().filter(is_known).map(|path| root.join(path));
    // What users say is uniform is so to us, and LLVM knows nothing of it.
    let asserts =
        |path: &PathBuf| std::fs::read_to_string(path).is_ok_and(|text| text.contains("tangle: uniform("));
    let files: Vec<PathBuf> = files.filter(|path| !asserts(path)).collect();
    all(opt, &files, &[], &[], &[])
}

/// The kernels of hashcat, or every so many of them.
fn hashcat(opt: &str, every: usize) -> Option<Tally> {
    let folder = Corpus::Hashcat.folder()?;
    let own = kernels(&folder)
        .into_iter()
        .filter(|path| path.to_str().is_some_and(|path| path.starts_with("OpenCL/m")));
    let files: Vec<PathBuf> = own.step_by(every).map(|path| folder.join(path)).collect();
    let folder = folder.join("OpenCL");
    let defines = include_str!("../../hashcat.defines").lines().chain([
        "VECT_SIZE=1",
        "SCRYPT_N=1024",
        "SCRYPT_R=1",
        "SCRYPT_P=1",
        "SCRYPT_TMTO=1",
        "FIXED_LOCAL_SIZE_COMP=64",
    ]);
    let macros: Vec<Macro> = defines.map(Macro::Define).collect();
    let include = folder.to_str().unwrap().to_owned();
    Some(all(opt, &files, &[include], &macros, &[]))
}

#[test]
fn branches_are_to_llvm_what_they_are_to_us() {
    let Some(opt) = tangle_referees::llvm("opt") else { return };
    let mut whole = samples(&opt);
    judge("samples", &whole, SKIPPED_SAMPLES);
    let usual = if tangle_referees::is_thorough() { 40 } else { 400 };
    let every = std::env::var("TANGLE_EVERY").map_or(usual, |every| every.parse().expect("a number"));
    let Some(hashcat) = hashcat(&opt, every) else { return };
    // Of the kernels that are compared by default, all that is in them is.
    let skipped: Vec<(&str, usize)> = match every {
        40 => Vec::new(),
        _ => hashcat.skipped.iter().map(|(&what, &count)| (what, count)).collect(),
    };
    judge("hashcat", &hashcat, &skipped);
    whole.add(hashcat);
    let careful: usize = whole.careful.values().sum();
    assert!(careful * 100 <= whole.all() * MORE_CAREFUL, "{careful} of {} branches", whole.all());
}
