//! A source that is read in several ways: its findings, each told once, and where it holds.
//!
//! ```text
//! builds            those of `[[builds]]` that are about the source, or one
//!   -> branches     unless asked not to: each build with further definitions, so that text comes in that conditions leave out
//!   -> findings     a finding of every build says nothing more; one of some says of which
//! ```
//!
//! Two findings are one if they say the same of the same place. What a build leaves out and another takes is not told as left out.

use indexmap::IndexMap;
use rustc_hash::FxHashSet;

use super::branches::{Way, alone, packed};
use super::build::Named;
use super::reading::Branches;
use tangle_analysis::lookup::Reading;
use tangle_analysis::tangle::Model;
use tangle_diagnostic::{Diagnostic, Place, Severity, sort_and_dedupe};
use tangle_fix as fix;
use tangle_rules::{self as lint, worth_reading};
use tangle_syntax::db::Database;
use tangle_syntax::items::unit;
use tangle_syntax::preprocess::{FileId, LeftOut};
use tangle_syntax::source::{Settings, SourceFile};

/// A build that a database knows.
pub type Known = Named<(Settings, Model)>;

/// The groups of conditions that some way to read a source takes.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken(FxHashSet<(FileId, u32)>);

impl Taken {
    pub fn add(&mut self, db: &Database, file: SourceFile, settings: Settings) {
        self.0.extend(unit(db, file, settings).0.conditions.taken());
    }

    pub fn has(&self, left_out: &LeftOut) -> bool {
        self.0.contains(&(left_out.file, left_out.directive))
    }
}

/// What makes two findings one.
type Identity = (Place, &'static str, String);

/// The findings of a source that is read as each of the builds, in the order of output: as [`lint::check`] has those of one.
///
/// `wants_fixes`: whether they carry the fixes that have to be looked for, which takes an analysis for each.
pub fn findings(
    db: &Database,
    file: SourceFile,
    builds: &[Known],
    branches: Branches,
    wants_fixes: bool,
) -> Vec<Diagnostic> {
    let mut budget = fix::Budget::OF_A_FILE;
    let mut check = |settings: Settings, model: Model| {
        let mut found = lint::check(db, file, settings, model);
        if wants_fixes {
            let reading = Reading { db, root: file, file, settings, model };
            for finding in &mut found {
                finding.fixes.extend(fix::of_finding(db, reading, finding, &mut budget));
            }
        }
        found
    };
    if let ([Named { build: (settings, model), .. }], Branches::Active) = (builds, branches) {
        return check(*settings, *model);
    }
    let mut merged: IndexMap<Identity, (Diagnostic, Vec<usize>)> = IndexMap::new();
    let mut taken = Taken::default();
    for (number, Named { build: (settings, model), .. }) in builds.iter().enumerate() {
        taken.add(db, file, *settings);
        for finding in check(*settings, *model) {
            merge(&mut merged, finding, number);
        }
    }
    let names = |numbers: &[usize]| -> Vec<String> {
        let some = if numbers.len() < builds.len() { numbers } else { &[] };
        some.iter().filter_map(|&number| builds[number].name.clone()).collect()
    };
    let mut further: IndexMap<Identity, (Diagnostic, Vec<usize>)> = IndexMap::new();
    let mut definitions: Vec<Vec<String>> = Vec::new();
    if branches != Branches::Active {
        // What one build leaves out and another takes needs no definitions.
        let of_builds = taken.clone();
        for (number, Named { build: (settings, model), .. }) in builds.iter().enumerate() {
            for way in ways(db, file, *settings, branches, &of_builds) {
                taken.add(db, file, way.settings);
                let found = check(way.settings, *model).into_iter();
                for mut finding in found.filter(|finding| lint::is_about_threads(finding.rule)) {
                    if branches == Branches::AsNotes {
                        finding.severity = Severity::Note;
                    }
                    let needed = way.needed(db, &finding);
                    if !merged.contains_key(&identity(&finding)) && merge(&mut further, finding, number) {
                        definitions.push(needed);
                    }
                }
            }
        }
    }
    let mut all: Vec<Diagnostic> =
        merged.into_values().map(|(finding, numbers)| finding.holding(names(&numbers), Vec::new())).collect();
    let further = further.into_values().zip(definitions);
    all.extend(further.map(|((finding, numbers), defined)| finding.holding(names(&numbers), defined)));
    // What one way leaves out another may take.
    let first = builds.first().map(|first| first.build.0);
    let left_out =
        all.extract_if(.., |finding| finding.rule == lint::LEFT_OUT_TEXT && finding.suppression.is_none());
    if let (Some(settings), true) = (first, left_out.count() > 0) {
        all.extend(lint::left_out_besides(db, file, settings, &|left_out| taken.has(left_out)));
    }
    sort_and_dedupe(&mut all);
    all
}

/// The findings of the further readings alone, for a header whose other findings are reported with the files that include it.
pub fn further(
    db: &Database,
    file: SourceFile,
    builds: &[Known],
    branches: Branches,
    wants_fixes: bool,
) -> Vec<Diagnostic> {
    let id = file.id(db);
    let has_inactive = |known: &Known| match branches {
        Branches::Active => false,
        Branches::Convergent | Branches::AsNotes => !worth_reading(db, file, known.build.0).is_empty(),
        Branches::All => unit(db, file, known.build.0).0.left_out().any(|(group, _)| group.file == id),
    };
    if !builds.iter().any(has_inactive) {
        return Vec::new();
    }
    let mut all = findings(db, file, builds, branches, wants_fixes);
    all.retain(|finding| !finding.definitions.is_empty());
    all
}

/// The further ways to read a source of a build. `taken` has what builds take.
fn ways(db: &Database, file: SourceFile, settings: Settings, branches: Branches, taken: &Taken) -> Vec<Way> {
    match branches {
        Branches::Active => Vec::new(),
        Branches::Convergent | Branches::AsNotes => packed(db, file, settings, taken),
        Branches::All => alone(db, file, settings, &mut taken.clone()),
    }
}

fn identity(finding: &Diagnostic) -> Identity {
    let (place, _, message) = finding.identity();
    (place.clone(), finding.rule, message.to_owned())
}

/// Adds a finding of a build; false if it is there already.
fn merge(all: &mut IndexMap<Identity, (Diagnostic, Vec<usize>)>, finding: Diagnostic, build: usize) -> bool {
    match all.entry(identity(&finding)) {
        indexmap::map::Entry::Vacant(entry) => {
            entry.insert((finding, vec![build]));
            true
        }
        indexmap::map::Entry::Occupied(mut entry) => {
            let (known, builds) = entry.get_mut();
            if builds.last() != Some(&build) {
                builds.push(build);
            }
            known.severity = known.severity.max(finding.severity);
            // A fix must mend it in all of them.
            known.fixes.retain(|fix| finding.fixes.contains(fix));
            // It is not suppressed if it is not in one of the builds.
            known.suppression = known.suppression.take().filter(|_| finding.suppression.is_some());
            false
        }
    }
}
