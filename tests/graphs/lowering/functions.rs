//! Every function of hashcat with tokens survives LLVM 19's optimizer and code generators.
//!
//! The files of hashcat include the same large headers. Therefore the test takes only the functions with tokens, with
//! the functions that LLVM may inline into them ([`parts`](super::parts)). Functions that differ only in names are
//! tested once. By default the test takes every 110th file, with `TANGLE_EVERY=n` every n-th. All files take a quarter
//! of an hour on two cores. The numbers of results are printed (`--nocapture`).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use tangle_analysis::flow::module::Irreducible;
use tangle_emit::llvm;
use tangle_referees::{Corpus, is_thorough};

use super::library::{Library, emit};
use super::llvm::{hashcat_language, hashcat_names};
use super::optimizer::{Counts, MODES, TARGETS, Target, report, through};
use super::parts::Module;
use super::tools::{Llvm, scratch};

/// The number of files that share the expanded headers, and the memory for them.
const TOGETHER: usize = 50;

#[test]
fn tokens_of_hashcat_functions_survive_llvm() {
    let Some(llvm) = Llvm::find() else { return };
    let Some(folder) = Corpus::Hashcat.folder() else { return };
    let usual = if is_thorough() { 110 } else { 600 };
    let every = std::env::var("TANGLE_EVERY").map_or(usual, |every| every.parse().expect("a number"));
    let files: Vec<String> = hashcat_names(&folder).into_iter().step_by(every).collect();
    let lowered: Vec<Result<(Vec<Part>, Counts), String>> = files
        .par_chunks(TOGETHER)
        .flat_map_iter(|files| {
            let library = Library::new(&folder, &hashcat_language());
            files.iter().map(move |file| parts(&library, file))
        })
        .collect();
    let (mut counts, mut errors) = (Counts::default(), Vec::new());
    // The distinct parts. The name is that of the first function with this part.
    let mut distinct: HashMap<(Target, Vec<u8>), String> = HashMap::new();
    for file in lowered {
        let (parts, of_file) = match file {
            Ok(file) => file,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        counts = counts.join(of_file);
        for Part { target, name, module } in parts {
            if let Entry::Vacant(new) = distinct.entry((target, module)) {
                new.insert(name);
                counts.add(format!("{} distinct functions", target.0));
            }
        }
    }
    // Parts that LLVM rejects are written to this folder.
    let broken = scratch("optimizer_functions");
    let one = |((target, module), name): ((Target, Vec<u8>), String)| {
        let (begin, mut counts) = (Instant::now(), Counts::default());
        let result = through(&llvm, target, &name, target.0, &module, &mut counts);
        let about = format!("{name} {}", target.0);
        if result.is_err() {
            let file = broken.join(about.replace(['/', ' '], "_")).with_extension("ll");
            std::fs::write(file, module).unwrap();
        }
        (begin.elapsed(), about, result, counts)
    };
    let results: Vec<(Duration, String, Result<(), String>, Counts)> =
        distinct.into_par_iter().map(one).collect();
    if let Some((time, about, ..)) = results.iter().max_by_key(|result| result.0) {
        println!("hashcat: {} files; {about} took longest, {time:.0?}", files.len());
    }
    for (.., result, of_part) in results {
        counts = counts.join(of_part);
        errors.extend(result.err());
    }
    report("hashcat", errors, &counts);
}

/// A function with tokens and everything that it needs, as a module for a target.
struct Part {
    target: Target,
    /// The names of the file and of the function.
    name: String,
    module: Vec<u8>,
}

/// Returns all parts of a file, in both modes and for both targets.
fn parts(library: &Library, file: &str) -> Result<(Vec<Part>, Counts), String> {
    let (mut found, mut counts) = (Vec::new(), Counts::default());
    let mut anchored = None;
    for (mode, irreducible) in MODES.into_iter().zip([Irreducible::Anchor, Irreducible::Dispatch]) {
        let module = library.with_tokens(file, irreducible)?;
        if module.functions.is_empty() {
            counts.add(format!("{mode} files without tokens"));
            continue;
        }
        if anchored.as_ref() == Some(&module) {
            counts.add(format!("{mode} files like anchor"));
            continue;
        }
        counts.add(format!("{mode} files"));
        for (target, emitted) in TARGETS.into_iter().zip([llvm::Target::Amdgcn, llvm::Target::Nvptx64]) {
            for (function, part) in Module::read(&emit(&module, emitted)).parts() {
                counts.add(format!("{} {mode} functions", target.0));
                let name = format!("{file} {function}");
                found.push(Part { target, name, module: part.into_bytes() });
            }
        }
        anchored = Some(module);
    }
    Ok((found, counts))
}
