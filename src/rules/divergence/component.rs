//! Components: the functions whose findings depend on each other, as the key of a query.
//!
//! **Examined** functions: the [suspects](super::suspects), and their direct and indirect callers and callees.
//! **Component**: examined functions that calls connect. A finding depends on the functions of its component, on the
//! comments in them, and on nothing else.
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

/// Examined functions that calls connect, with what the rules need to know about the rest of the unit.
#[salsa::interned(debug)]
pub(crate) struct Component<'db> {
    #[returns(copy)]
    pub settings: Settings,
    /// In source order.
    #[returns(ref)]
    pub members: Box<[Member<'db>]>,
    /// The functions of the unit that members call and that are not examined. Their numbers follow those of the members.
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

/// The suppressed findings of a unit, by file and in the order of the text.
struct SuppressedText<'c> {
    by_file: FxHashMap<SourceFile, Vec<&'c SuppressedFindings>>,
}

impl<'c> SuppressedText<'c> {
    fn of(allowed: &'c [AllowedRule]) -> SuppressedText<'c> {
        let mut by_file: FxHashMap<SourceFile, Vec<&SuppressedFindings>> = FxHashMap::default();
        for rule in allowed {
            by_file.entry(rule.file).or_default().push(&rule.scope);
        }
        SuppressedText { by_file }
    }

    /// Adds what is suppressed in the text of an item. `start`: the start of this text in its file and in the component
    /// text.
    fn add_in(
        &self,
        text: &ItemText,
        (start, in_component): (usize, usize),
        found: &mut Vec<SuppressedFindings>,
    ) {
        let end = start + text.len();
        for &scope in self.by_file.get(&text.file).into_iter().flatten() {
            match &scope.about {
                Some(about) if about.start >= end || about.end <= start => {}
                about => {
                    let moved = |at: usize| at.clamp(start, end) - start + in_component;
                    let about = about.clone().unwrap_or(start..end);
                    let about = Some(moved(about.start)..moved(about.end));
                    found.push(SuppressedFindings { about, ..scope.clone() });
                }
            }
        }
        for file in text.other_files() {
            let scopes = self.by_file.get(&file).into_iter().flatten();
            found.extend(scopes.map(|&scope| scope.clone()));
        }
    }
}
