//! Our verdicts on branches, compared with LLVM 19 (`print<uniformity>` for amdgcn, after `mem2reg`).
//!
//! LLVM analyses each function alone: parameters of functions other than kernels are divergent, and so are results of
//! calls. For the comparison, everything that depends on a parameter is therefore divergent for us, too. If only our
//! verdict is "divergent", the cause must be one that LLVM ignores, and such branches must be few ([`MORE_CAREFUL`]).
//! If only LLVM's is, our analysis must know more about each root ([`excuse`](super::excuse)). The rest is counted.
//!
//! Every 40th kernel of hashcat is compared; `TANGLE_EVERY=1` takes all. The samples of CUDA and the kernels that other
//! tests lower are compared for `nvptx64` and for `amdgcn`.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use rayon::prelude::*;
use tangle_analysis::flow::BlockId;
use tangle_analysis::flow::NotLowered;
use tangle_analysis::flow::module::{Irreducible, Options, lower};
use tangle_analysis::uniformity::Confidence;
use tangle_analysis::uniformity::analysis::{Analysis, DivergenceSource, Reason};
use tangle_analysis::uniformity::cause::{ArgumentProperty, LinkReason, Question, Subject, chain};
use tangle_analysis::uniformity::graph::is_branch;
use tangle_analysis::uniformity::unit::UnitFacts;
use tangle_emit::language::DialectLanguage;
use tangle_emit::llvm::{self, Language as _, Named, Target};
use tangle_execution::lowered::{FunctionLocations, LeftOut};
use tangle_referees::{Corpus, kernels};
use tangle_syntax::db::Database;
use tangle_syntax::dialect::Scope;
use tangle_syntax::dialect::{Dialect, cuda, opencl};
use tangle_syntax::source::{Content, Loader, Macro};

use super::excuse::{Block, Comparison, read};

/// The maximum percentage of branches that only we may call divergent.
const MORE_CAREFUL: usize = 2;

/// The text for a branch that we call divergent for a reason that LLVM knows as well.
const NOT_NAMED: &str = "no cause that LLVM does not look for";

/// The reasons why parts of the samples are not compared, with their maximum numbers.
const SKIPPED_SAMPLES: &[(&str, usize)] = &[(NOT_LOWERED, 22), (OTHER_NAME, 6)];

/// The same for the files of CUDA.
const SKIPPED_CUDA: &[(&str, usize)] = &[(OTHER_NAME, 20), (OTHER_BLOCKS, 20)];

/// The folders of samples that are not compared, and why.
const NOT_COMPARED: &[(&str, &str)] = &[
    ("unknown", "their code is partly unknown, so no IR is emitted"),
    ("history", "they use definitions from the builds of the original projects"),
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

impl llvm::LocationMap for NoPlaces {
    fn place(&self, _: usize, _: tangle_grammar::ast::Span) -> Option<llvm::SourceLocation> {
        None
    }
}

/// The numbers of branches of each kind.
#[derive(Default, Debug)]
struct Tally {
    both_uniform: usize,
    both_divergent: usize,
    /// Branches that only we call divergent, by the cause.
    careful: BTreeMap<String, usize>,
    /// Branches that only LLVM calls divergent, where we know more about each root.
    precise: usize,
    /// The kinds of this knowledge, each with the number of branches.
    known: BTreeMap<&'static str, usize>,
    /// Branches that only LLVM calls divergent, with a root about which we know no more.
    unexplained: Vec<String>,
    /// The parts that are not compared, by the reason.
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

/// Returns LLVM's verdicts on the blocks of each function, in order.
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

/// The language of the sources, and the target for which LLVM analyses them.
#[derive(Clone, Copy)]
struct Pair {
    dialect: Dialect,
    target: Target,
}

impl Pair {
    fn opencl() -> Pair {
        Pair { dialect: opencl(), target: Target::Amdgcn }
    }
}

fn compare(
    opt: &str,
    Pair { dialect, target }: Pair,
    path: &Path,
    folders: &[String],
    macros: &[Macro],
    includes: &[String],
) -> Tally {
    let mut db = Database::new(Arc::new(Disk));
    let builtins = dialect.builtins().with(Vec::new());
    let settings = db.settings_in(dialect, folders, macros, includes, builtins);
    let file = tangle_syntax::db::Db::file(&db, path.to_str().unwrap());
    // The analysis uses the cycles of the source.
    let irreducible = Irreducible::Anchor;
    let lowered = lower(&db, file, settings, &Options { irreducible, ..Options::default() });
    let mut tally = Tally::default();
    let mut lowered = lowered;
    let (mut left_out, places) = (LeftOut::default(), FunctionLocations::of(&db, file, settings));
    let reasons: Vec<NotLowered> = lowered.errors.iter().cloned().chain(lowered.unknown()).collect();
    if dialect != opencl() {
        left_out.remove(&mut lowered.module, &reasons, &places);
    } else if !reasons.is_empty() {
        tally.skip(NOT_LOWERED);
        return tally;
    }
    let mut module = lowered.module;
    let language = DialectLanguage(dialect);
    let options = llvm::Options { target, language: &language, debug: false };
    let text = loop {
        match llvm::emit_or_all_errors(&module, &options, &NoPlaces) {
            Ok(text) => break text,
            // A target may have no instructions for an operation of CUDA.
            Err(errors) if dialect != opencl() => {
                assert!(left_out.remove(&mut module, &errors, &places), "{errors:?}");
            }
            Err(errors) => panic!("{errors:?}"),
        }
    };
    let verdicts = verdicts(opt, &text);
    let facts = UnitFacts::of(&db, file, settings);
    for function in &module.functions {
        let symbol = match dialect == opencl() {
            true => function.key.name.to_string(),
            false => language.symbol(Named::Function(function.key), function.declared_type(), target),
        };
        let Some(theirs) = verdicts.get(&symbol) else {
            tally.skip(OTHER_NAME);
            continue;
        };
        // LLVM has further blocks for a `switch` with wide ranges, and for unified loop exits.
        let is_ours = |block: &&Block| {
            !["range", "loop.exit", "loop.return"].iter().any(|label| block.label.starts_with(label))
        };
        let theirs: Vec<&Block> = theirs.iter().filter(is_ours).collect();
        // For a function that is completely uniform, LLVM prints no blocks.
        let all_uniform = theirs.is_empty();
        if !all_uniform && theirs.len() != function.blocks.len() {
            tally.skip(OTHER_BLOCKS);
            continue;
        }
        let at = facts.functions().of_key(function.key).expect("the unit defines the function");
        facts.explain(at, |analysis| {
            let symbol = |key, ty| language.symbol(Named::Function(key), ty, target);
            let environment = analysis.environment;
            let comparison = Comparison { analysis, environment, theirs: &theirs, symbol: &symbol };
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

/// Returns the reason why we call a branch divergent that LLVM calls uniform.
fn careful(analysis: &Analysis, block: BlockId) -> String {
    let least = Confidence::Possible;
    let of_parameter = |number| ArgumentProperty::ALL.map(|given| Question::Parameter(number, given, least));
    let questions =
        [Question::Within(Scope::Subgroup, least)].into_iter().chain((0..64).flat_map(of_parameter));
    for question in questions {
        let links = chain(analysis, Subject::Branch(block), question);
        let Some(last) = links.last() else { continue };
        return match last.reason {
            LinkReason::Reason(Reason::Source(DivergenceSource::SharedMemory(_))) => {
                "memory that other threads may write".to_owned()
            }
            LinkReason::Reason(Reason::Source(DivergenceSource::Volatile)) => "volatile memory".to_owned(),
            LinkReason::Reason(Reason::Source(DivergenceSource::Builtin)) => {
                "a builtin with a divergent result, by its row".to_owned()
            }
            LinkReason::Reason(Reason::Pointee(_)) => "memory that a parameter points to".to_owned(),
            other => format!("{NOT_NAMED}: {other:?}"),
        };
    }
    NOT_NAMED.to_owned()
}

/// Prints a tally. Each difference must have a known reason, and only expected parts may be skipped.
fn judge(what: &str, tally: &Tally, skipped: &[(&str, usize)]) {
    let _ = writeln!(std::io::stderr(), "{what}: {} branches, {tally:#?}", tally.all());
    assert!(tally.all() > 0, "{what}: nothing was compared");
    assert!(tally.unexplained.is_empty(), "{what}: uniform only in our analysis, without a known reason");
    let unnamed: Vec<&String> = tally.careful.keys().filter(|why| why.starts_with(NOT_NAMED)).collect();
    assert!(unnamed.is_empty(), "{what}: divergent only in our analysis: {unnamed:#?}");
    for (why, &count) in &tally.skipped {
        let most = skipped.iter().find(|(known, _)| known == why).map_or(0, |&(_, most)| most);
        assert!(count <= most, "{what}: {count} {why} are not compared");
    }
}

fn all(
    opt: &str,
    pair: Pair,
    files: &[PathBuf],
    folders: &[String],
    macros: &[Macro],
    includes: &[String],
) -> Tally {
    let whole = Mutex::new(Tally::default());
    files.par_iter().for_each(|file| {
        let tally = compare(opt, pair, file, folders, macros, includes);
        whole.lock().unwrap().add(tally);
    });
    whole.into_inner().unwrap()
}

fn samples(opt: &str) -> Tally {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let is_known = |path: &PathBuf| !NOT_COMPARED.iter().any(|(folder, _)| path.starts_with(folder));
    let files = kernels(&root).into_iter().filter(is_known).map(|path| root.join(path));
    // Assertions of users make values uniform for us, but not for LLVM.
    let asserts =
        |path: &PathBuf| std::fs::read_to_string(path).is_ok_and(|text| text.contains("tangle: uniform("));
    let files: Vec<PathBuf> = files.filter(|path| !asserts(path)).collect();
    all(opt, Pair::opencl(), &files, &[], &[], &[])
}

/// Compares every `every`th kernel of hashcat.
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
    Some(all(opt, Pair::opencl(), &files, &[include], &macros, &[]))
}

/// The files of CUDA that are compared.
fn cuda_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let samples = std::fs::read_dir(root.join("samples/cuda")).unwrap().map(|entry| entry.unwrap().path());
    let further = ["tests/executions/emulation/kernels.cu", "tests/graphs/lowering/kernels/instructions.cu"];
    let mut files: Vec<PathBuf> = samples.chain(further.map(|file| root.join(file))).collect();
    files.sort();
    files
}

#[test]
fn branch_uniformity_of_cuda_matches_llvm() {
    let Some(opt) = tangle_referees::llvm("opt") else { return };
    for target in [Target::Nvptx64, Target::Amdgcn] {
        let tally = all(&opt, Pair { dialect: cuda(), target }, &cuda_files(), &[], &[], &[]);
        judge(&format!("CUDA for {target:?}"), &tally, SKIPPED_CUDA);
    }
}

#[test]
fn branch_uniformity_matches_llvm() {
    let Some(opt) = tangle_referees::llvm("opt") else { return };
    let mut whole = samples(&opt);
    judge("samples", &whole, SKIPPED_SAMPLES);
    let usual = if tangle_referees::is_thorough() { 40 } else { 400 };
    let every = std::env::var("TANGLE_EVERY").map_or(usual, |every| every.parse().expect("a number"));
    let Some(hashcat) = hashcat(&opt, every) else { return };
    // With the default selection of kernels, nothing may be skipped.
    let skipped: Vec<(&str, usize)> = match every {
        40 => Vec::new(),
        _ => hashcat.skipped.iter().map(|(&what, &count)| (what, count)).collect(),
    };
    judge("hashcat", &hashcat, &skipped);
    whole.add(hashcat);
    let careful: usize = whole.careful.values().sum();
    assert!(careful * 100 <= whole.all() * MORE_CAREFUL, "{careful} of {} branches", whole.all());
}
