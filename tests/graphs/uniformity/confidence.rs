//! Laws of the confidence of verdicts (`docs/semantics.md` §7), for all functions of `samples/`.
//!
//! A verdict at a confidence counts only sources of at least this confidence. So a more certain divergence is never
//! greater, and what is assumed about unknown functions and names changes only the divergence that is possible.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use tangle_analysis::uniformity::analysis::{Analysis, Uniformity, UnknownAssumption};
use tangle_analysis::uniformity::unit::UnitFacts;
use tangle_analysis::uniformity::{Confidence, Fact};
use tangle_project::{Build, Language};
use tangle_syntax::db::Database;
use tangle_syntax::source::NoHeaders;

/// From the fewest sources of divergence to the most.
const ASSUMPTIONS: [UnknownAssumption; 3] =
    [UnknownAssumption::Uniform, UnknownAssumption::Usual, UnknownAssumption::Nothing];

fn facts(verdicts: &Uniformity) -> impl Iterator<Item = Fact> {
    verdicts.values.iter().chain(&verdicts.control).chain(&verdicts.branches).copied()
}

/// Checks the functions of a file. Returns the number of verdicts that differ between the assumptions.
fn check(path: &Path) -> usize {
    let text = fs::read_to_string(path).unwrap();
    let mut db = Database::new(Arc::new(NoHeaders));
    let build = Build { language: Language::of_file(path, &text), ..Build::default() };
    let (settings, _) = build.settings(&mut db);
    let file = db.set_text(&path.to_string_lossy(), &text);
    let unit = UnitFacts::of(&db, file, settings);
    let mut differ = 0;
    for (at, definition) in unit.functions().iter() {
        let verdicts = ASSUMPTIONS.map(|assumed| {
            let mut analysed = unit.analysed(at)?;
            let (graph, reads) = (analysed.analysis.model.graph.clone(), analysed.reads().clone());
            analysed.inputs.assumed = assumed;
            Some(analysed.inputs.run(|environment| {
                Analysis::with_graph(analysed.function, graph, environment, reads).result()
            }))
        });
        let [Some(uniform), Some(usual), Some(nothing)] = verdicts else { continue };
        let place = || format!("{}: {}", path.display(), definition.key);
        for ((uniform, usual), nothing) in facts(&uniform).zip(facts(&usual)).zip(facts(&nothing)) {
            for fact in [uniform, usual, nothing] {
                let [certain, likely, possible] = Confidence::ALL.map(|it| fact.divergence_at(it));
                assert!(certain <= likely && likely <= possible, "{}: {fact:?}", place());
            }
            for confidence in [Confidence::Certain, Confidence::Likely] {
                let [one, two, three] = [uniform, usual, nothing].map(|it| it.divergence_at(confidence));
                assert!(one == two && two == three, "{}: {uniform:?} {usual:?} {nothing:?}", place());
            }
            let all = [uniform, usual, nothing].map(|it| it.divergence);
            assert!(all.is_sorted(), "{}: {uniform:?} {usual:?} {nothing:?}", place());
            differ += usize::from(all[0] != all[2]);
        }
    }
    differ
}

/// Returns the paths of the samples.
pub fn samples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let opencl = tangle_referees::kernels(&root).into_iter().map(|path| root.join(path));
    let cuda = fs::read_dir(root.join("cuda")).unwrap().map(|entry| entry.unwrap().path());
    opencl.chain(cuda.filter(|path| path.is_file())).collect()
}

#[test]
fn assumptions_change_only_possible_divergence() {
    let differ: usize = samples().par_iter().map(|path| check(path)).sum();
    assert!(differ > 100, "the assumptions decide {differ} verdicts");
}
