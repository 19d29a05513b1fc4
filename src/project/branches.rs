//! Further readings of a source: macro definitions that activate text in inactive `#if` branches.
//!
//! ```c
//! #if KERNEL == 1          // 1st reading: -D KERNEL=1
//! #elif KERNEL == 2        // 2nd reading: -D KERNEL=2
//!   #ifdef FAST            // 3rd reading: -D KERNEL=2 -D FAST=1, because `FAST` is tested only there
//!   #endif
//! #endif
//! #if defined(A) && defined(B)   // 4th reading: -D A=1 -D B=1, because one of them is not enough
//! #endif
//! ```
//!
//! **Packed** ([`packed_readings`], the default): only groups of the source itself count, and only if they contain convergent
//! operations, or early exits before such operations. Each further reading activates as many groups as possible, and
//! the number of readings is small. No reading defines two names that exclude each other in one `#if`/`#elif` chain.
//!
//! **Alone** ([`alone`], `--all-branches`): every group counts. For each group that no reading includes yet, several
//! sets of definitions are tried: each missing name alone, with each likely value, and then all missing names together.
//! For a group inside an inactive branch, the definitions for that branch are added. The first set that activates the
//! group makes a new reading. A try only preprocesses the source; a reading is also analysed. The numbers of both are
//! bounded.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::symbol::Symbol;

use super::build_findings::IncludedGroups;
use tangle_diagnostic::{Diagnostic, Place};
use tangle_rules::{TARGET_MACROS, groups_to_read, is_missing_in_builds};
use tangle_syntax::db::{Database, Db};
use tangle_syntax::items::{spans, tokens, unit};
use tangle_syntax::preprocess::{FileId, SkippedGroup, UndefinedName};
use tangle_syntax::source::{Settings, SourceFile};

/// A further reading of a source: its settings with additional macro definitions.
pub(super) struct FurtherReading {
    pub settings: Settings,
    /// The groups that this reading activates, each with its necessary definitions.
    groups: Vec<(SkippedGroup, Vec<String>)>,
}

impl FurtherReading {
    /// Returns the definitions that a finding depends on: the definitions of the groups that contain one of its
    /// locations, or otherwise all definitions.
    pub fn needed(&self, db: &Database, finding: &Diagnostic) -> Vec<String> {
        let labels = finding.related.iter().map(|label| &label.place);
        let places: Vec<&Place> = [&finding.place].into_iter().chain(labels).chain(&finding.branch).collect();
        let concerns = |group: &SkippedGroup| {
            let source = db.source(group.file);
            let spans = spans(db, source);
            let (first, last) = (spans.get(group.tokens.start), spans.get(group.tokens.end - 1));
            let is_in = |place: &&Place| {
                place.file == *source.path(db)
                    && first.start < place.range.end
                    && place.range.start < last.end
            };
            places.iter().any(is_in)
        };
        let concerned: Vec<&(SkippedGroup, Vec<String>)> =
            self.groups.iter().filter(|(group, _)| concerns(group)).collect();
        let groups = if concerned.is_empty() { self.groups.iter().collect() } else { concerned };
        let needed: IndexSet<&String> = groups.into_iter().flat_map(|(_, definitions)| definitions).collect();
        needed.into_iter().cloned().collect()
    }
}

/// The maximum number of packed readings of a source, and of sets of definitions that are tried for them.
const PACKED: usize = 3;
const PACKED_TRIES: usize = 96;

/// The maximum number of readings with [`alone`] for a source and build, and of sets of definitions that are tried.
const MAX_READINGS: usize = 64;
const MAX_TRIES: usize = 512;

/// A group that no reading activates yet.
struct PendingGroup {
    group: SkippedGroup,
    /// Sets of definitions that may activate it.
    candidates: Vec<Vec<String>>,
    /// The definitions of the reading that first evaluated its condition.
    definitions: Arc<[String]>,
}

/// Values of macro names.
type Definitions = IndexMap<Symbol, i64>;

/// A group that no packed reading activates yet.
struct PendingPackedGroup {
    group: SkippedGroup,
    missing: Vec<UndefinedName>,
    /// The definitions under which its condition is evaluated.
    definitions: Definitions,
}

/// Returns the packed readings of a source. `taken` contains the groups of known readings.
pub(super) fn packed_readings(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    taken: &IncludedGroups,
) -> Vec<FurtherReading> {
    let mut met: FxHashSet<u32> = FxHashSet::default();
    let mut unpacked = Vec::new();
    queue_new_groups(db, file, settings, &Definitions::default(), &mut met, &mut unpacked);
    unpacked.retain(|it| !taken.has(&it.group));
    if unpacked.is_empty() {
        return Vec::new();
    }
    let mut excluded = exclusive_names(db, file, settings);
    let (mut paths, mut tries) = (Vec::new(), 0);
    while paths.len() < PACKED && tries < PACKED_TRIES && !unpacked.is_empty() {
        let mut way = FurtherReading { settings, groups: Vec::new() };
        let mut defined = Definitions::default();
        let mut rest = Vec::new();
        let mut todo = std::mem::take(&mut unpacked);
        // Prefer the newest device.
        todo.sort_by_key(|it| Reverse(it.missing.iter().filter_map(of_target).max()));
        let mut todo = VecDeque::from(todo);
        while let Some(waiting) = todo.pop_front() {
            let mut candidates = candidates(&waiting, &defined, &excluded).into_iter();
            let found = candidates.find(|definitions| {
                tries += 1;
                tries <= PACKED_TRIES && takes(db, file, settings, definitions, &way, &waiting.group)
            });
            let Some(definitions) = found else {
                rest.push(waiting);
                continue;
            };
            let names = waiting.missing.iter().map(|missing| missing.name);
            let own = waiting.definitions.keys().copied().chain(names);
            let own: IndexSet<Symbol> = own.filter(|name| definitions.contains_key(name)).collect();
            let own = own.into_iter().map(|name| definition_text(name, definitions[&name])).collect();
            way.groups.push((waiting.group, own));
            if definitions != defined {
                defined = definitions;
                way.settings = db.with_definitions(settings, &as_options(&defined));
                // Groups inside the text of this reading are left to the next reading. In this one their names stay
                // undefined, as in a build.
                queue_new_groups(db, file, way.settings, &defined, &mut met, &mut rest);
                excluded.extend(exclusive_names(db, file, way.settings));
            }
        }
        unpacked = rest;
        if way.groups.is_empty() {
            break;
        }
        paths.push(way);
    }
    paths
}

/// Adds the groups that deserve a reading and are new.
fn queue_new_groups(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    definitions: &Definitions,
    met: &mut FxHashSet<u32>,
    waiting: &mut Vec<PendingPackedGroup>,
) {
    let groups = groups_to_read(db, file, settings).into_iter();
    let new = groups.filter(|(group, _)| met.insert(group.directive));
    waiting.extend(new.map(|(group, missing)| PendingPackedGroup {
        group,
        missing,
        definitions: definitions.clone(),
    }));
}

/// Returns the likeliest value of a macro that names the target device.
fn of_target(missing: &UndefinedName) -> Option<i64> {
    let is_target = TARGET_MACROS.contains(&missing.name.as_str());
    missing.values.first().copied().filter(|_| is_target)
}

/// Returns whether these definitions activate a group, and all groups of the reading so far.
fn takes(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    definitions: &Definitions,
    way: &FurtherReading,
    group: &SkippedGroup,
) -> bool {
    let tried = db.with_definitions(settings, &as_options(definitions));
    let taken: FxHashSet<(FileId, u32)> = unit(db, file, tried).0.conditions.taken().collect();
    let mut groups = way.groups.iter().map(|(group, _)| group).chain([group]);
    groups.all(|group| taken.contains(&(group.file, group.directive)))
}

/// Returns sets of definitions that extend `defined` and may activate a group, likeliest first.
fn candidates(waiting: &PendingPackedGroup, defined: &Definitions, excluded: &Excluded) -> Vec<Definitions> {
    let pairs = |missing: &UndefinedName| {
        let name = missing.name;
        missing.values.iter().map(move |&value| (name, value)).collect::<Vec<_>>()
    };
    let all: Vec<Vec<(Symbol, i64)>> = waiting.missing.iter().map(pairs).collect();
    let likeliest: Vec<(Symbol, i64)> = all.iter().filter_map(|values| values.first().copied()).collect();
    let alone = all.iter().flatten().map(|&pair| vec![pair]);
    let together = (likeliest.len() > 1).then_some(likeliest);
    let mut candidates = Vec::new();
    // The definitions of other groups may be sufficient.
    for more in [Vec::new()].into_iter().chain(alone).chain(together) {
        let mut definitions = defined.clone();
        let more = waiting.definitions.iter().map(|(&name, &value)| (name, value)).chain(more);
        let fits = more.into_iter().all(|(name, value)| {
            let is_free = !definitions.keys().any(|&other| excluded.contains(&(name, other)));
            is_free && *definitions.entry(name).or_insert(value) == value
        });
        if fits && !definitions.is_empty() && !candidates.contains(&definitions) {
            candidates.push(definitions);
        }
    }
    candidates
}

/// Pairs of names that different groups of one `#if`/`#elif` chain test.
type Excluded = FxHashSet<(Symbol, Symbol)>;

fn exclusive_names(db: &Database, file: SourceFile, settings: Settings) -> Excluded {
    let id = file.id(db);
    let lexed = tokens(db, file);
    let (mut open, mut chain_of): (Vec<u32>, FxHashMap<u32, u32>) = Default::default();
    for &hash in &lexed.directives {
        let Some(word) = lexed.tokens.get(hash as usize + 1) else { continue };
        match word.text.as_str() {
            "if" | "ifdef" | "ifndef" => open.push(hash + 1),
            "endif" => _ = open.pop(),
            _ => {}
        }
        if let Some(&chain) = open.last() {
            chain_of.insert(hash + 1, chain);
        }
    }
    let mut chains: FxHashMap<u32, Vec<Vec<Symbol>>> = FxHashMap::default();
    for (group, missing) in unit(db, file, settings).0.left_out().filter(|(group, _)| group.file == id) {
        if let Some(&chain) = chain_of.get(&group.directive) {
            chains.entry(chain).or_default().push(missing.iter().map(|missing| missing.name).collect());
        }
    }
    let mut excluded = Excluded::default();
    for groups in chains.into_values() {
        for (number, names) in groups.iter().enumerate() {
            for (&one, &other) in
                groups[..number].iter().flatten().flat_map(|one| names.iter().map(move |it| (one, it)))
            {
                if one != other && !groups[number].contains(&one) {
                    excluded.extend([(one, other), (other, one)]);
                }
            }
        }
    }
    excluded
}

fn definition_text(name: Symbol, value: i64) -> String {
    format!("{name}={value}")
}

fn as_options(definitions: &Definitions) -> Vec<String> {
    definitions.iter().map(|(&name, &value)| definition_text(name, value)).collect()
}

/// Returns the readings of a source, one for each group. `taken` contains the groups of known readings, and the new
/// ones are added.
pub(super) fn single_group_readings(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    taken: &mut IncludedGroups,
) -> Vec<FurtherReading> {
    let mut paths = Vec::new();
    // Each group is queued once, with the definitions of the reading that first evaluates its condition.
    let mut waiting: VecDeque<PendingGroup> = VecDeque::new();
    let mut met = FxHashSet::default();
    let own = file.id(db);
    let mut wait = |waiting: &mut VecDeque<PendingGroup>, settings: Settings, definitions: Arc<[String]>| {
        let left_out = unit(db, file, settings).0.left_out();
        let new = left_out.filter(|(group, _)| met.insert((group.file, group.directive)));
        let new = new.map(|(group, missing)| PendingGroup {
            group: group.clone(),
            candidates: candidates_alone(&missing),
            definitions: definitions.clone(),
        });
        let mut new: Vec<PendingGroup> = new.collect();
        // Groups of the source itself precede groups of its headers.
        new.sort_by_key(|waiting| waiting.group.file != own);
        waiting.extend(new);
    };
    wait(&mut waiting, settings, Arc::default());
    let mut tries = 0;
    while let Some(PendingGroup { group, candidates, definitions }) = waiting.pop_front() {
        if taken.has(&group) {
            continue;
        }
        for more in candidates {
            if paths.len() >= MAX_READINGS || tries >= MAX_TRIES {
                return paths;
            }
            tries += 1;
            let all = [&definitions[..], &more].concat();
            let tried = db.with_definitions(settings, &all);
            if unit(db, file, tried).0.conditions.taken().any(|taken| taken == (group.file, group.directive))
            {
                taken.add(db, file, tried);
                wait(&mut waiting, tried, all.as_slice().into());
                paths.push(FurtherReading { settings: tried, groups: vec![(group, all)] });
                break;
            }
        }
    }
    paths
}

/// Returns sets of definitions that may activate a group, likeliest first. Macros that compilers predefine are not
/// changed.
fn candidates_alone(missing: &[&UndefinedName]) -> Vec<Vec<String>> {
    let missing = || missing.iter().filter(|missing| is_missing_in_builds(missing));
    let define = |name: &dyn std::fmt::Display, value: &i64| format!("{name}={value}");
    let alone =
        missing().flat_map(|missing| missing.values.iter().map(|value| vec![define(&missing.name, value)]));
    let mut candidates: Vec<Vec<String>> = alone.collect();
    if missing().count() > 1 {
        let likeliest = missing().filter_map(|missing| Some(define(&missing.name, missing.values.first()?)));
        candidates.push(likeliest.collect());
    }
    candidates
}
