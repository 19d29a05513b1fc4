//! The findings of a source that is analysed with several builds. Each finding is reported once, with the builds and
//! definitions for which it holds.
//!
//! ```text
//! builds            the `[[builds]]` tables that match the source, or one unnamed build
//!   -> branches     each build with further definitions that activate inactive branches (`Branches`)
//!   -> findings     a finding of all builds names no build; a finding of some builds names them
//! ```
//!
//! Two findings are merged if they have the same location, rule and message. Text that one build skips and another
//! includes is not reported as skipped.

use std::cmp::Reverse;

use indexmap::IndexMap;
use rustc_hash::FxHashSet;

use super::branches::{FurtherReading, packed_readings, single_group_readings};
use super::build::Named;
use super::levels::Levels;
use super::reading::Branches;
use tangle_analysis::lookup::FileContext;
use tangle_analysis::tangle::Model;
use tangle_diagnostic::{Diagnostic, Place, Severity, sort_and_dedupe};
use tangle_fix as fix;
use tangle_rules::{self as lint, groups_to_read};
use tangle_syntax::db::Database;
use tangle_syntax::items::unit;
use tangle_syntax::preprocess::{FileId, SkippedGroup};
use tangle_syntax::source::{Settings, SourceFile};

/// A build with its settings in the database.
pub type DatabaseBuild = Named<(Settings, Model)>;

/// The conditional groups that at least one reading of a source includes.
#[derive(Clone, Debug, Default)]
pub(super) struct IncludedGroups(FxHashSet<(FileId, u32)>);

impl IncludedGroups {
    pub fn add(&mut self, db: &Database, file: SourceFile, settings: Settings) {
        self.0.extend(unit(db, file, settings).0.conditions.taken());
    }

    pub fn has(&self, left_out: &SkippedGroup) -> bool {
        self.0.contains(&(left_out.file, left_out.directive))
    }
}

/// The findings that get fixes.
#[derive(Clone, Copy, Debug)]
pub struct WantedFixes<'a> {
    /// The levels of the rules of the source.
    pub levels: &'a Levels,
    /// Findings below this severity get no fixes.
    pub least: Severity,
}

impl WantedFixes<'_> {
    fn includes(&self, finding: &Diagnostic) -> bool {
        self.levels.severity(finding).is_some_and(|severity| severity >= self.least)
    }
}

/// Adds the fixes that need a search to the findings of a source. Each takes an analysis of the changed text.
struct Fixer<'a> {
    db: &'a Database,
    file: SourceFile,
    wanted: Option<WantedFixes<'a>>,
    /// What remains for the source, in all its readings.
    budget: fix::Budget,
}

impl Fixer<'_> {
    /// Adds fixes to the wanted findings of one reading. The most severe findings come first, so that notes do not use
    /// up the budget.
    fn add(&mut self, found: &mut [Diagnostic], settings: Settings, model: Model) {
        let Some(wanted) = self.wanted else { return };
        let reading = FileContext { db: self.db, root: self.file, file: self.file, settings, model };
        let mut by_severity: Vec<&mut Diagnostic> =
            found.iter_mut().filter(|finding| wanted.includes(finding)).collect();
        by_severity.sort_by_key(|finding| Reverse(wanted.levels.severity(finding)));
        for finding in by_severity {
            finding.fixes.extend(fix::of_finding(self.db, reading, finding, &mut self.budget));
        }
    }
}

/// The key by which findings are merged: location, rule and message.
type MergeKey = (Place, &'static str, String);

/// Returns the findings of a source for all builds together, in the order of output. [`lint::check`] returns the
/// findings for one build.
///
/// `fixes`: the findings that get fixes. `None`: no finding gets any.
pub fn findings(
    db: &Database,
    file: SourceFile,
    builds: &[DatabaseBuild],
    branches: Branches,
    fixes: Option<WantedFixes>,
) -> Vec<Diagnostic> {
    let mut fixer = Fixer { db, file, wanted: fixes, budget: fix::Budget::OF_A_FILE };
    let check = |settings: Settings, model: Model| lint::check(db, file, settings, model);
    if let ([Named { build: (settings, model), .. }], Branches::Active) = (builds, branches) {
        let mut found = check(*settings, *model);
        fixer.add(&mut found, *settings, *model);
        return found;
    }
    let mut merged: IndexMap<MergeKey, (Diagnostic, Vec<usize>)> = IndexMap::new();
    let mut taken = IncludedGroups::default();
    for (number, Named { build: (settings, model), .. }) in builds.iter().enumerate() {
        taken.add(db, file, *settings);
        let mut found = check(*settings, *model);
        fixer.add(&mut found, *settings, *model);
        for finding in found {
            merge(&mut merged, finding, number);
        }
    }
    let names = |numbers: &[usize]| -> Vec<String> {
        let some = if numbers.len() < builds.len() { numbers } else { &[] };
        some.iter().filter_map(|&number| builds[number].name.clone()).collect()
    };
    let mut further: IndexMap<MergeKey, (Diagnostic, Vec<usize>)> = IndexMap::new();
    let mut definitions: Vec<Vec<String>> = Vec::new();
    if branches != Branches::Active {
        // A group that one of the builds includes needs no further definitions.
        let of_builds = taken.clone();
        for (number, Named { build: (settings, model), .. }) in builds.iter().enumerate() {
            for way in ways(db, file, *settings, branches, &of_builds) {
                taken.add(db, file, way.settings);
                let mut found = check(way.settings, *model);
                found.retain(|finding| {
                    lint::is_about_execution(finding.rule) && !merged.contains_key(&identity(finding))
                });
                if branches == Branches::AsNotes {
                    found.iter_mut().for_each(|finding| finding.severity = Severity::Note);
                }
                fixer.add(&mut found, way.settings, *model);
                for finding in found {
                    let needed = way.needed(db, &finding);
                    if merge(&mut further, finding, number) {
                        definitions.push(needed);
                    }
                }
            }
        }
    }
    let mut all: Vec<Diagnostic> = merged
        .into_values()
        .map(|(finding, numbers)| finding.with_builds(names(&numbers), Vec::new()))
        .collect();
    let further = further.into_values().zip(definitions);
    all.extend(further.map(|((finding, numbers), defined)| finding.with_builds(names(&numbers), defined)));
    // Report skipped text again, without the groups that another reading includes.
    let first = builds.first().map(|first| first.build.0);
    let left_out =
        all.extract_if(.., |finding| finding.rule == lint::LEFT_OUT_TEXT && finding.suppression.is_none());
    if let (Some(settings), true) = (first, left_out.count() > 0) {
        all.extend(lint::left_out_besides(db, file, settings, &|left_out| taken.has(left_out)));
    }
    sort_and_dedupe(&mut all);
    all
}

/// Returns only the findings of further readings. For a header whose other findings are reported with the files that
/// include it.
pub fn further(
    db: &Database,
    file: SourceFile,
    builds: &[DatabaseBuild],
    branches: Branches,
    fixes: Option<WantedFixes>,
) -> Vec<Diagnostic> {
    let id = file.id(db);
    let has_inactive = |known: &DatabaseBuild| match branches {
        Branches::Active => false,
        Branches::Convergent | Branches::AsNotes => !groups_to_read(db, file, known.build.0).is_empty(),
        Branches::All => unit(db, file, known.build.0).0.left_out().any(|(group, _)| group.file == id),
    };
    if !builds.iter().any(has_inactive) {
        return Vec::new();
    }
    let mut all = findings(db, file, builds, branches, fixes);
    all.retain(|finding| !finding.definitions.is_empty());
    all
}

/// Returns the further readings of a source for a build. `taken` contains the groups that the builds include.
fn ways(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    branches: Branches,
    taken: &IncludedGroups,
) -> Vec<FurtherReading> {
    match branches {
        Branches::Active => Vec::new(),
        Branches::Convergent | Branches::AsNotes => packed_readings(db, file, settings, taken),
        Branches::All => single_group_readings(db, file, settings, &mut taken.clone()),
    }
}

fn identity(finding: &Diagnostic) -> MergeKey {
    let (place, _, message) = finding.identity();
    (place.clone(), finding.rule, message.to_owned())
}

/// Adds a finding of a build. Returns false if an equal finding already exists.
fn merge(all: &mut IndexMap<MergeKey, (Diagnostic, Vec<usize>)>, finding: Diagnostic, build: usize) -> bool {
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
            // A fix must be valid in all builds.
            known.fixes.retain(|fix| finding.fixes.contains(fix));
            // The finding is suppressed only if it is suppressed in all builds.
            known.suppression = known.suppression.take().filter(|_| finding.suppression.is_some());
            false
        }
    }
}
