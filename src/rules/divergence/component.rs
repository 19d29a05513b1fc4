//! Components: the functions whose findings depend on each other, as the key of a query.
//!
//! **Examined** functions: the [suspects](super::suspects), and their direct and indirect callers and callees.
//! **Component**: examined functions that calls connect. A finding depends only on the functions of its component, and
//! on the comments in them.
//!
//! ```c
//! void sync_if(int n) { if (n) barrier(1); }
//! kernel void k(void) { sync_if(get_local_id(0)); }                  // one component with `sync_if`
//! kernel void l(void) { if (get_local_id(0)) barrier(1); }           // another one
//! ```
//!
//! A component has no positions in files, so that its findings are computed once, although an edit above moves it.
//! **Component text**: the source texts of its functions, one after the other. Its offsets begin at [`FIRST`], which is
//! greater than any offset in a file. The findings of a component have locations in this text, and
//! [`PlacedComponent::move_to_file`] moves them to the file.

use std::ops::Range;
use std::sync::Arc;

use petgraph::unionfind::UnionFind;
use rustc_hash::{FxHashMap, FxHashSet};
use tangle_analysis::program::{CallTarget, ConvergentCallee, DefinitionId};
use tangle_analysis::uniformity::run_operations::RunOperations;
use tangle_analysis::uniformity::unit::{FunctionInContext, UnitFacts};
use tangle_diagnostic::Place;
use tangle_syntax::db::Db;
use tangle_syntax::items::ItemText;
use tangle_syntax::source::{Settings, SourceFile};

use super::suspects::{ExaminedFunctions, FunctionEntry};
use crate::comments::{AllowedRule, Comments, SuppressedFindings};

/// The first offset of a component text.
const FIRST: usize = usize::MAX / 2 + 1;

/// Examined functions that calls connect, with the facts about their callees that the rules need.
#[salsa::interned(debug)]
pub(crate) struct Component<'db> {
    #[returns(copy)]
    pub settings: Settings,
    /// In source order.
    #[returns(ref)]
    pub members: Box<[Member<'db>]>,
    /// The functions of the unit that members call and that are not examined. They are numbered after the members.
    #[returns(ref)]
    pub other_callees: Box<[FunctionInContext<'db>]>,
    /// The callees in the members, each once.
    #[returns(ref)]
    pub targets: Box<[(CallTarget, TargetFacts)]>,
    /// The findings that comments suppress, in the component text.
    #[returns(ref)]
    pub suppressed: Box<[SuppressedFindings]>,
}

/// An examined function.
#[derive(Clone, Debug, PartialEq, Eq, Hash, salsa::SalsaValue)]
pub(crate) struct Member<'db> {
    pub function: FunctionInContext<'db>,
    /// The name of the instance, if it is one of a template.
    pub instantiation: Option<Arc<str>>,
    /// Whether the rules examine it for findings of its own.
    pub suspect: bool,
    /// The text of its item.
    pub text: Arc<ItemText>,
    /// The start of this text in the component text.
    pub start: usize,
}

/// A callee, as the unit defines it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, salsa::SalsaValue)]
pub(crate) struct TargetFacts {
    /// Whether a call of it is convergent.
    pub convergent: bool,
    /// The convergent function, if the callee is one: its number in the component.
    pub function: Option<DefinitionId>,
    /// The operations that a call runs, as [`UnitFacts::runs_by`] returns them.
    pub runs: Option<RunOperations>,
    /// The function that a call runs, if types determine it: its number in the component.
    pub defined: Option<DefinitionId>,
}

/// A component in a version of a unit.
pub(crate) struct PlacedComponent<'db> {
    pub component: Component<'db>,
    /// The starts of the texts of its members in their files.
    starts: Vec<usize>,
}

/// Returns the components of a unit, ordered by their first suspects.
pub(crate) fn components<'db>(
    db: &'db dyn Db,
    settings: Settings,
    facts: &UnitFacts<'db>,
    examined: &ExaminedFunctions<'db>,
    comments: &Comments,
) -> Vec<PlacedComponent<'db>> {
    let functions = &examined.functions;
    let number: FxHashMap<DefinitionId, usize> =
        functions.iter().enumerate().map(|(number, it)| (it.at, number)).collect();
    let mut connected = UnionFind::<usize>::new(functions.len());
    for (caller, it) in functions.iter().enumerate() {
        for callee in facts.graph().callees(it.at) {
            if let Some(&callee) = number.get(callee) {
                connected.union(caller, callee);
            }
        }
    }
    let mut groups: FxHashMap<usize, Vec<&FunctionEntry>> = FxHashMap::default();
    for (number, it) in functions.iter().enumerate() {
        groups.entry(connected.find(number)).or_default().push(it);
    }
    let mut groups: Vec<Vec<&FunctionEntry>> = groups.into_values().collect();
    groups.sort_by_key(|group| group.iter().find(|it| it.suspect).map(|it| it.at));
    let suppressed = SuppressedText::of(&comments.allowed);
    let place = |group: Vec<&FunctionEntry<'db>>| placed(db, settings, facts, &group, &suppressed);
    groups.into_iter().map(place).collect()
}

fn placed<'db>(
    db: &'db dyn Db,
    settings: Settings,
    facts: &UnitFacts<'db>,
    group: &[&FunctionEntry<'db>],
    suppressed: &SuppressedText,
) -> PlacedComponent<'db> {
    let mut numbers: FxHashMap<DefinitionId, DefinitionId> =
        (0..).zip(group).map(|(number, it)| (it.at, DefinitionId::from_raw(number))).collect();
    let mut other_callees = Vec::new();
    let mut targets: Vec<(CallTarget, TargetFacts)> = Vec::new();
    let mut seen = FxHashSet::default();
    for callee in group.iter().flat_map(|it| it.function.context.callees(db)) {
        if !seen.insert(callee.target) {
            continue;
        }
        let mut number = |at: DefinitionId| {
            *numbers.entry(at).or_insert_with(|| {
                other_callees.push(facts.in_context(at));
                DefinitionId::from_usize(group.len() + other_callees.len() - 1)
            })
        };
        let convergent = facts.convergent().call(callee.target);
        let function = match convergent {
            Some(ConvergentCallee::Function(key)) => facts.functions().of_key(key),
            _ => None,
        };
        let known = TargetFacts {
            convergent: convergent.is_some(),
            function: function.map(&mut number),
            runs: facts.runs_by(callee.target),
            defined: facts.defined_by(callee.target).map(&mut number),
        };
        targets.push((callee.target, known));
    }
    let (mut members, mut starts) = (Vec::new(), Vec::new());
    let mut of_comments = Vec::new();
    let mut next = FIRST;
    for it in group {
        let item = it.function.scoped.item(db);
        let at = &it.definition.item;
        let (text, start) = ItemText::of(db, &at.chunk, at.first, item.tokens(db).0.tokens().len());
        suppressed.add_in(&text, (start, next), &mut of_comments);
        let end = next + text.len() + 1;
        members.push(Member {
            function: it.function,
            instantiation: it.definition.instantiation.clone(),
            suspect: it.suspect,
            text: Arc::new(text),
            start: next,
        });
        starts.push(start);
        next = end;
    }
    let component = Component::new(
        db,
        settings,
        members.into_boxed_slice(),
        other_callees.into_boxed_slice(),
        targets.into_boxed_slice(),
        of_comments.into_boxed_slice(),
    );
    PlacedComponent { component, starts }
}

impl PlacedComponent<'_> {
    /// Moves a location in the component text to the file. Other locations stay.
    pub fn move_to_file(&self, db: &dyn Db, place: &mut Place) {
        if place.range.start >= FIRST {
            let members = self.component.members(db);
            let after = members.partition_point(|member| member.start <= place.range.start);
            let (from, to) = (members[after - 1].start, self.starts[after - 1]);
            place.range = place.range.start - from + to..place.range.end - from + to;
        }
    }
}

/// The suppressed findings of a unit, by file.
struct SuppressedText<'c> {
    by_file: FxHashMap<SourceFile, SuppressedInFile<'c>>,
}

/// The suppressed findings of a file.
#[derive(Default)]
struct SuppressedInFile<'c> {
    /// The findings that are suppressed in the whole file.
    everywhere: Vec<&'c SuppressedFindings>,
    /// The findings that are suppressed in a range, by its start.
    ranges: Vec<SuppressedRange<'c>>,
}

struct SuppressedRange<'c> {
    scope: &'c SuppressedFindings,
    range: Range<usize>,
    /// The greatest end of this range and of the ranges before it.
    last: usize,
}

impl<'c> SuppressedInFile<'c> {
    fn sort(&mut self) {
        self.ranges.sort_by_key(|it| it.range.start);
        let mut last = 0;
        for it in &mut self.ranges {
            last = it.range.end.max(last);
            it.last = last;
        }
    }

    /// Returns the ranges that overlap with a range of the text.
    fn overlapping(&self, text: Range<usize>) -> impl Iterator<Item = &SuppressedRange<'c>> {
        let before_end = self.ranges.partition_point(|it| it.range.start < text.end);
        let candidates = self.ranges[..before_end].iter().rev().take_while(move |it| it.last > text.start);
        candidates.filter(move |it| it.range.end > text.start)
    }
}

impl<'c> SuppressedText<'c> {
    fn of(allowed: &'c [AllowedRule]) -> SuppressedText<'c> {
        let mut by_file: FxHashMap<SourceFile, SuppressedInFile> = FxHashMap::default();
        for AllowedRule { file, scope, .. } in allowed {
            let in_file = by_file.entry(*file).or_default();
            match &scope.about {
                Some(range) => in_file.ranges.push(SuppressedRange { scope, range: range.clone(), last: 0 }),
                None => in_file.everywhere.push(scope),
            }
        }
        by_file.values_mut().for_each(SuppressedInFile::sort);
        SuppressedText { by_file }
    }

    /// Adds the findings that are suppressed in the text of an item. `start`: the start of this text in its file and in
    /// the component text.
    fn add_in(
        &self,
        text: &ItemText,
        (start, in_component): (usize, usize),
        found: &mut Vec<SuppressedFindings>,
    ) {
        let end = start + text.len();
        if let Some(in_file) = self.by_file.get(&text.file) {
            let mut add = |scope: &SuppressedFindings, range: Range<usize>| {
                let moved = |at: usize| at.clamp(start, end) - start + in_component;
                let about = Some(moved(range.start)..moved(range.end));
                found.push(SuppressedFindings { about, ..scope.clone() });
            };
            in_file.everywhere.iter().for_each(|scope| add(scope, start..end));
            in_file.overlapping(start..end).for_each(|it| add(it.scope, it.range.clone()));
        }
        let mut seen: FxHashSet<SourceFile> = FxHashSet::default();
        for file in text.other_files().filter(|&file| seen.insert(file)) {
            let Some(in_file) = self.by_file.get(&file) else { continue };
            found.extend(in_file.everywhere.iter().map(|&scope| scope.clone()));
            found.extend(in_file.ranges.iter().map(|it| it.scope.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_ranges_are_found_among_nested_ones() {
        let scope = SuppressedFindings { rule: "all", file: "k.cl".into(), about: None };
        let all: Vec<Range<usize>> = vec![0..9, 1..2, 1..4, 3..5, 6..7, 6..8];
        let ranges = all.iter().map(|range| SuppressedRange { scope: &scope, range: range.clone(), last: 0 });
        // Every subset, in reverse order.
        for subset in 0..1_usize << all.len() {
            let is_in = |number: usize| subset >> number & 1 == 1;
            let chosen = ranges.clone().enumerate().filter(|(number, _)| is_in(*number));
            let mut in_file =
                SuppressedInFile { ranges: chosen.map(|(_, it)| it).rev().collect(), ..Default::default() };
            in_file.sort();
            for (start, end) in (0..10).flat_map(|start| (start + 1..11).map(move |end| (start, end))) {
                let mut found: Vec<_> = in_file.overlapping(start..end).map(|it| it.range.clone()).collect();
                found.sort_by_key(|range| (range.start, range.end));
                let overlaps = |range: &Range<usize>| range.start < end && start < range.end;
                let chosen = all.iter().enumerate().filter(|(number, _)| is_in(*number));
                let mut expected: Vec<_> = chosen.map(|(_, range)| range.clone()).filter(overlaps).collect();
                expected.sort_by_key(|range| (range.start, range.end));
                assert_eq!(found, expected, "{start}..{end} of {subset:b}");
            }
        }
    }
}
