//! Further ways to read a source, so that text comes in that conditions leave out for want of a definition.
//!
//! ```c
//! #if KERNEL == 1          // 1st way: -D KERNEL=1
//! #elif KERNEL == 2        // 2nd way: -D KERNEL=2
//!   #ifdef FAST            // 3rd way: -D KERNEL=2 -D FAST=1, since the condition is met only there
//!   #endif
//! #endif
//! #if defined(A) && defined(B)   // 4th way: -D A=1 -D B=1, since neither alone is enough
//! #endif
//! ```
//!
//! For each group that no way takes so far, definitions are tried, those of the way in which its condition was met among them: each missing name alone, with
//! each value that is thought of, and then all of them. The first with which the group is taken are a new way; what that leaves out is
//! looked at in its turn. To try is to preprocess; only a way is analysed. Both are bounded.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::several::Taken;
use crate::db::Database;
use crate::lint::is_missing_in_builds;
use crate::preprocess::{LeftOut, Missing};
use crate::source::{Settings, SourceFile};
use crate::syntax::unit;

/// How many ways there may be for one source and build, and how many definitions are tried.
const WAYS: usize = 64;
const TRIES: usize = 512;

/// A group that no way takes so far.
struct Waiting {
    group: LeftOut,
    /// Definitions with which it may be taken.
    candidates: Vec<Vec<String>>,
    /// Those of the way in which its condition was met.
    definitions: Arc<[String]>,
}

/// The ways for a source, each with its definitions. `taken` has what ways take that are known, and learns of new ones.
pub(super) fn branches(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    taken: &mut Taken,
) -> Vec<(Settings, Vec<String>)> {
    let mut ways = Vec::new();
    // Each group once, with the definitions of the way in which its condition is met first.
    let mut waiting: VecDeque<Waiting> = VecDeque::new();
    let mut met = FxHashSet::default();
    let own = file.id(db);
    let mut wait = |waiting: &mut VecDeque<Waiting>, settings: Settings, definitions: Arc<[String]>| {
        let left_out = unit(db, file, settings).0.left_out();
        let new = left_out.filter(|(group, _)| met.insert((group.file, group.directive)));
        let new = new.map(|(group, missing)| Waiting {
            group: group.clone(),
            candidates: candidates(&missing),
            definitions: definitions.clone(),
        });
        let mut new: Vec<Waiting> = new.collect();
        // The source itself before what it includes.
        new.sort_by_key(|waiting| waiting.group.file != own);
        waiting.extend(new);
    };
    wait(&mut waiting, settings, Arc::default());
    let mut tries = 0;
    while let Some(Waiting { group, candidates, definitions }) = waiting.pop_front() {
        if taken.has(&group) {
            continue;
        }
        for more in candidates {
            if ways.len() >= WAYS || tries >= TRIES {
                return ways;
            }
            tries += 1;
            let all = [&definitions[..], &more].concat();
            let tried = db.with_definitions(settings, &all);
            if unit(db, file, tried).0.conditions.taken().any(|taken| taken == (group.file, group.directive))
            {
                taken.add(db, file, tried);
                wait(&mut waiting, tried, all.as_slice().into());
                ways.push((tried, all));
                break;
            }
        }
    }
    ways
}

/// Definitions with which a group may be taken, the likeliest first. Names that compilers define stay as they are.
fn candidates(missing: &[&Missing]) -> Vec<Vec<String>> {
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
