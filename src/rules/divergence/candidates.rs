//! Which functions of a unit the rules may concern, found by their text alone.
//!
//! **Uncertain** call: one inside of an `if`, a loop, a `switch` or an operand, or behind a jump or `return`, or one with arguments that must
//! be the same for all and are computed. **Candidate**: a function in which some rule may find what it [needs](Need): an uncertain
//! convergent call, a doubt that uniform jumps may settle, an atomic by which locks are taken. Most kernels are none, and cost no more
//! than the look.

use rustc_hash::FxHashSet;
use tangle_grammar::token::{Token, TokenKind};
use tangle_ir::key::Named;

use crate::items::bodies_in_doubt;
use crate::needs::{self, Need};
use tangle_analysis::program::calls::{Caller, Calls, calls, targets};
use tangle_analysis::program::{Called, Convergent, DefinitionId, Target, functions};
use tangle_analysis::tangle::Model;
use tangle_hir::bodies;
use tangle_hir::scope::{Segment, segment_items, segments};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Dialect;
use tangle_syntax::items::{Item, unit};
use tangle_syntax::source::{Settings, SourceFile};

/// The bodies of a segment with a call whose arguments must be the same for all, and are computed.
#[salsa::tracked]
fn computed_arguments<'db>(db: &'db dyn Db, segment: Segment<'db>) -> Box<[(Item<'db>, u32)]> {
    let dialect = segment.dialect(db);
    let mut found = Vec::new();
    let items = segment_items(db, segment);
    for (&target, callers) in
        calls(db, segment).callers.iter().filter(|(target, _)| is_for_all(dialect, **target))
    {
        for caller in callers {
            let scoped = items[caller.item as usize].0;
            let item = scoped.item(db);
            let body = &bodies(db, item).0[caller.body as usize];
            let tokens = item.tokens(db).0.tokens();
            let targets = targets(db, scoped, caller.body as usize);
            let mut own = body.calls.iter_enumerated().filter(|(id, _)| targets[*id] == target);
            if own.any(|(_, call)| has_computed_argument(dialect, &tokens[call.span.end as usize..])) {
                found.push((item, caller.body));
            }
        }
    }
    found.into()
}

/// Whether a target is a builtin of the language with arguments that must be the same for all.
fn is_for_all(dialect: Dialect, target: Target) -> bool {
    let row = target.row().and_then(|name| dialect.builtins().get(name));
    row.is_some_and(|row| row.convergent && !row.uniform_arguments.is_empty())
}

/// Whether there is more than constants between the parentheses with which some tokens begin.
fn has_computed_argument(dialect: Dialect, tokens: &[Token]) -> bool {
    let mut depth = 0;
    for token in tokens {
        match token.kind {
            TokenKind::LeftParen => depth += 1,
            TokenKind::RightParen if depth <= 1 => return depth == 0,
            TokenKind::RightParen => depth -= 1,
            TokenKind::Identifier if dialect.constant(token.text).is_none() => return true,
            _ if depth == 0 => return true,
            _ => {}
        }
    }
    true
}

/// In no particular order.
pub fn candidates(
    db: &dyn Db,
    (file, settings, model): (SourceFile, Settings, Model),
    convergent: &Convergent,
) -> FxHashSet<DefinitionId> {
    let mut found: FxHashSet<(Item, u32)> = FxHashSet::default();
    let builtins = settings.builtins(db);
    let wanted_of = |target: Target| {
        let row = match convergent.call(target) {
            Some(Called::Operation(name, _)) => builtins.get(name),
            _ => None,
        };
        // What the user adds is no part of the language: computed arguments of that are not known.
        let own = target.row().and_then(|name| builtins.own(name));
        let for_all = own.is_some_and(|row| !row.uniform_arguments.is_empty());
        let certain = for_all && needs::any(Need::DifferingArgument);
        (certain || needs::unreached(row)).then_some((target, certain))
    };
    let mut wanted: Vec<(Target, bool)> = convergent.targets().filter_map(wanted_of).collect();
    if needs::any(Need::Lock) {
        let targets = builtins
            .locks()
            .flat_map(|name| [Target::Builtin(name), Target::Unresolved(Named::Function(name))]);
        wanted.extend(targets.map(|target| (target, true)));
    }
    let some_convergent = convergent.targets().next().is_some();
    for (_, segment) in segments(db, unit(db, file, settings)) {
        let items = segment_items(db, segment);
        let Calls { callers, .. } = calls(db, segment);
        let mut add = |caller: &Caller| {
            found.insert((items[caller.item as usize].0.item(db), caller.body));
        };
        for (target, certain) in &wanted {
            let callers = callers.get(target).into_iter().flatten();
            callers.filter(|caller| *certain || caller.uncertain).for_each(&mut add);
        }
        if some_convergent && needs::any(Need::DifferingArgument) {
            found.extend(computed_arguments(db, segment).iter().copied());
        }
    }
    if some_convergent && needs::any(Need::Doubt) {
        found.extend(bodies_in_doubt(db, file, settings, model));
    }
    // Most units have none, and need not know what they define.
    if found.is_empty() {
        return FxHashSet::default();
    }
    let functions = functions(db, file, settings);
    found.into_iter().filter_map(|(item, body)| functions.of_body(item, body)).collect()
}
