//! Which candidates the rules look at: those of which some rule may have something to say, by what is known of their values and blocks.
//!
//! ```c
//! for (int i = 0; i < n; i++) barrier(1);                  // a candidate, but no suspect: all go round together
//! for (int i = 0; i < get_local_id(0); i++) barrier(1);    // a suspect
//! ```
//!
//! That a candidate is none stays known while neither it nor what it calls changes. So a key press costs what the function at the cursor and
//! the suspects cost, however many barriers the file has.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::candidates::{BodyKey, Calls};
use super::{calls, named};
use crate::db::Db;
use crate::hir::body::StmtKind;
use crate::hir::scope::Scoped;
use crate::hir::{bodies, declared};
use crate::lint::check::bodies_in_doubt;
use crate::lint::divergent_spin_lock::takes;
use crate::source::{Settings, SourceFile};
use crate::tangle::Model;
use crate::uniformity::unit::{self, Definition, Facts, UnitFacts};

/// The suspects, and what they call and are called by, in the order of the text.
pub struct Suspects<'a> {
    pub functions: Vec<Member<'a>>,
}

pub struct Member<'a> {
    pub definition: &'a Definition<'a>,
    pub facts: Facts<'a>,
    pub suspect: bool,
}

impl<'a> Suspects<'a> {
    /// None, if there are none.
    pub fn among(
        db: &'a dyn Db,
        (file, settings, model): (SourceFile, Settings, Model),
        facts: &'a UnitFacts<'a>,
        calls: &Calls<'a>,
        candidates: &FxHashSet<BodyKey<'a>>,
    ) -> Option<Suspects<'a>> {
        let in_doubt: FxHashSet<BodyKey> = bodies_in_doubt(db, file, settings, model).collect();
        let mut members: BTreeMap<usize, Member> = BTreeMap::new();
        for &(item, body) in candidates {
            let Some(number) = facts.number(item, body).filter(|&it| !is_replaced(db, facts, it)) else {
                continue;
            };
            let definition = &facts.definitions()[number];
            let context = facts.context_of(definition);
            let suspect = in_doubt.contains(&(item, body))
                || is_suspect(db, definition.item.scoped, body, settings, context);
            // Of what cannot be lowered there is nothing to say.
            if let Some(facts) = facts.facts(definition).filter(|_| suspect) {
                members.insert(number, Member { definition, facts, suspect });
            }
        }
        if members.is_empty() {
            return None;
        }
        // Whom they may blame, and in what they may wait.
        let suspects: Vec<usize> = members.keys().copied().collect();
        with_all(db, facts, &mut members, suspects.clone(), |it| {
            let callers = calls.of_name(Some(it.definition.name));
            callers.filter_map(|(item, body)| facts.number(item, body)).collect()
        });
        with_all(db, facts, &mut members, suspects, |it| {
            let names = super::calls(it.facts.function).filter_map(|(_, _, call)| named(&call.callee));
            let convergent = names.filter(|&name| facts.is_convergent(name));
            convergent.flat_map(|name| facts.numbers(name)).copied().collect()
        });
        Some(Suspects { functions: members.into_values().collect() })
    }
}

/// Adds what is next to functions, and next to that.
fn with_all<'a>(
    db: &dyn Db,
    facts: &'a UnitFacts<'a>,
    members: &mut BTreeMap<usize, Member<'a>>,
    mut todo: Vec<usize>,
    next: impl Fn(&Member<'a>) -> Vec<usize>,
) {
    while let Some(number) = todo.pop() {
        let Some(member) = members.get(&number) else { continue };
        for number in next(member) {
            if members.contains_key(&number) || is_replaced(db, facts, number) {
                continue;
            }
            let definition = &facts.definitions()[number];
            if let Some(facts) = facts.facts(definition) {
                members.insert(number, Member { definition, facts, suspect: false });
                todo.push(number);
            }
        }
    }
}

/// Whether a later definition has the same name: of two the last holds, unless they are overloads.
fn is_replaced(db: &dyn Db, facts: &UnitFacts, number: usize) -> bool {
    let definition = &facts.definitions()[number];
    facts.numbers(definition.name).last() != Some(&number) && {
        let functions = &declared(db, definition.item.scoped.item(db)).functions;
        !functions.iter().any(|it| it.name == definition.name && it.defined && it.overloadable)
    }
}

/// Whether some rule may have something to say of a body.
///
/// What a rule finds is one of these: an operation that part of a group may not reach, as is also the case where a loop around it is left
/// apart; an argument that differs; a divergent `continue`; an atomic that takes a lock. What is asked here of facts holds for those
/// that the rules see, which know more and are never more divergent.
#[salsa::tracked(returns(copy))]
fn is_suspect<'db>(
    db: &'db dyn Db,
    scoped: Scoped<'db>,
    number: u32,
    settings: Settings,
    context: unit::Context<'db>,
) -> bool {
    let Some(facts) = unit::facts(db, scoped, number, settings, context) else { return false };
    let Facts { function, uniformity } = facts;
    let builtins = settings.builtins(db);
    let mut operates = false;
    for (block, _, call) in calls(function) {
        if takes(function, call) {
            return true;
        }
        if !context.is_convergent(db, settings, &call.callee) {
            continue;
        }
        operates = true;
        let row = named(&call.callee).and_then(|name| builtins.get(name));
        let mut of_all = row.iter().flat_map(|row| &row.uniform_arguments);
        let differs = |&argument: &usize| {
            call.arguments.get(argument).is_some_and(|(value, _)| !uniformity.values[*value].is_uniform())
        };
        if !uniformity.control[block].is_uniform() || of_all.any(differs) {
            return true;
        }
    }
    let body = &bodies(db, scoped.item(db)).0[number as usize];
    operates
        && body.stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::Continue(_)))
        && uniformity.branches.iter().any(|branch| !branch.is_uniform())
}
