//! Which functions of a unit the rules may concern, found by their text alone.
//!
//! **Uncertain** call: one inside of an `if`, a loop, a `switch` or an operand, or behind a jump or `return`, or a barrier whose flags are
//! computed. **Candidate**: a function with an
//! uncertain convergent call, with one whose arguments must be the same for all, with a doubt that uniform jumps may settle, or with an
//! atomic by which locks are taken. Most kernels are none, and cost no more than the look.

use rustc_hash::FxHashSet;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::{Token, TokenKind};

use crate::db::Db;
use crate::dialect::{Dialect, Kind};
use crate::hir::bodies;
use crate::hir::scope::{Segment, segment_items, segments};
use crate::lint::check::bodies_in_doubt;
use crate::lint::divergent_spin_lock::TAKES;
use crate::program::calls::{Caller, Calls, calls, targets};
use crate::program::{Convergent, DefinitionId, Functions, Target};
use crate::source::{Settings, SourceFile};
use crate::syntax::{Item, unit};
use crate::tangle::Model;

/// The bodies of a segment with a barrier whose flags are computed.
#[salsa::tracked]
fn computed_flags<'db>(db: &'db dyn Db, segment: Segment<'db>) -> Box<[(Item<'db>, u32)]> {
    let dialect = segment.dialect(db);
    let mut found = Vec::new();
    let items = segment_items(db, segment);
    for (&target, callers) in
        calls(db, segment).callers.iter().filter(|(target, _)| is_barrier(dialect, **target))
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

fn is_barrier(dialect: Dialect, target: Target) -> bool {
    let row = target.name().and_then(|name| dialect.builtins().get(name));
    row.is_some_and(|row| row.kind == Some(Kind::Barrier))
}

/// Whether there is more than flags between the parentheses with which some tokens begin.
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
pub fn candidates<'db>(
    db: &'db dyn Db,
    (file, settings, model): (SourceFile, Settings, Model),
    convergent: &Convergent,
    functions: &Functions<'db>,
) -> FxHashSet<DefinitionId> {
    let mut found = FxHashSet::default();
    let builtins = settings.builtins(db);
    let of_all = |target: Target| {
        let row = target.name().and_then(|name| builtins.get(name));
        row.is_some_and(|row| row.kind != Some(Kind::Barrier) && !row.uniform_arguments.is_empty())
    };
    let mut wanted: Vec<(Target, bool)> =
        convergent.targets().map(|target| (target, of_all(target))).collect();
    for (name, _) in TAKES {
        let name = Symbol::intern(name);
        wanted.extend([(Target::Builtin(name), true), (Target::Unresolved(name), true)]);
    }
    for (_, segment) in segments(db, unit(db, file, settings)) {
        let items = segment_items(db, segment);
        let Calls { callers, .. } = calls(db, segment);
        let mut add = |caller: &Caller| {
            found.extend(functions.of_body(items[caller.item as usize].0.item(db), caller.body));
        };
        for (target, certain) in &wanted {
            let callers = callers.get(target).into_iter().flatten();
            callers.filter(|caller| *certain || caller.uncertain).for_each(&mut add);
        }
        if convergent.targets().next().is_some() {
            let computed = computed_flags(db, segment).iter();
            found.extend(computed.filter_map(|&(item, body)| functions.of_body(item, body)));
        }
    }
    if convergent.targets().next().is_some() {
        let in_doubt = bodies_in_doubt(db, file, settings, model);
        found.extend(in_doubt.filter_map(|(item, body)| functions.of_body(item, body)));
    }
    found
}
