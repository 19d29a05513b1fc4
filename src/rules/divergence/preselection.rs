//! The functions of a unit that the rules may report, found by their text alone.
//!
//! **Uncertain** call: a call inside an `if`, a loop, a `switch` or an operand, or after a jump or `return`. So is a
//! call with computed arguments, if some arguments must be uniform. **Candidate**: a function that may contain an
//! operation that a rule [needs](Need): an uncertain convergent call, an operation with a mask, a doubt that uniform
//! jumps may settle, or an atomic that takes a lock. Most kernels are no candidates, and cost only this search.

use rustc_hash::FxHashSet;
use tangle_grammar::token::{Token, TokenKind};
use tangle_ir::key::UnresolvedCallee;

use crate::interests::{self, Interest};
use crate::items::bodies_with_doubts;
use tangle_analysis::program::calls::{Caller, Calls, calls, instance_calls, targets};
use tangle_analysis::program::instances::template_instances;
use tangle_analysis::program::{CallTarget, Convergent, ConvergentCallee, DefinitionId, functions};
use tangle_analysis::tangle::Model;
use tangle_hir::bodies;
use tangle_hir::scope::{Scoped, Segment, segment_items, segments};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::{Builtin, BuiltinKind, Dialect};
use tangle_syntax::items::Item;
use tangle_syntax::source::{Settings, SourceFile};

/// Returns the bodies of a segment that call a builtin with uniform arguments, and pass a computed argument.
#[salsa::tracked]
fn computed_arguments<'db>(db: &'db dyn Db, segment: Segment<'db>) -> Box<[(Item<'db>, u32)]> {
    let dialect = segment.dialect(db);
    let mut found = Vec::new();
    let items = segment_items(db, segment);
    for (&target, callers) in
        calls(db, segment).callers.iter().filter(|(target, _)| has_uniform_arguments(dialect, **target))
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

/// Whether a target is a builtin of the language with arguments that must be uniform.
fn has_uniform_arguments(dialect: Dialect, target: CallTarget) -> bool {
    let row = target.row().and_then(|name| dialect.builtins().get(name));
    row.is_some_and(|row| row.convergent && !row.uniform_arguments.is_empty())
}

/// Whether the argument list at the start of some tokens contains more than constants. Also true without such a list.
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

/// Returns the candidates of a unit, in no particular order.
pub fn candidates(
    db: &dyn Db,
    (file, settings, model): (SourceFile, Settings, Model),
    convergent: &Convergent,
) -> FxHashSet<DefinitionId> {
    let mut found: FxHashSet<(Item, u32)> = FxHashSet::default();
    let builtins = settings.builtins(db);
    let wanted_of = |target: CallTarget| {
        let row = match convergent.call(target) {
            Some(ConvergentCallee::Operation(name, _)) => builtins.get(name),
            _ => None,
        };
        // `computed_arguments` does not cover builtins that the user adds: each call of such a builtin counts.
        let own = target.row().and_then(|name| builtins.own(name));
        let for_all = own.is_some_and(|row| !row.uniform_arguments.is_empty());
        let certain = for_all && interests::is_needed(Interest::DifferingArgument)
            || row.is_some_and(|row| row.mask.is_some()) && interests::is_needed(Interest::PartialMask)
            || row.is_some_and(|row| row.kind == Some(BuiltinKind::Shuffle))
                && interests::is_needed(Interest::ShuffleWidth)
            || row.is_some_and(|row| matches!(row.kind, Some(BuiltinKind::Ballot | BuiltinKind::Vote)))
                && interests::is_needed(Interest::LaneMask)
            || row.is_some_and(Builtin::yields_active_mask) && interests::is_needed(Interest::ActiveMask)
            || row.is_some_and(Builtin::is_deprecated_warp_operation)
                && interests::is_needed(Interest::Deprecated);
        (certain || interests::unreached(row)).then_some((target, certain))
    };
    let mut wanted: Vec<(CallTarget, bool)> = convergent.targets().filter_map(wanted_of).collect();
    if interests::is_needed(Interest::Lock) {
        let targets = builtins.locks().flat_map(|name| {
            [CallTarget::Builtin(name), CallTarget::Unresolved(UnresolvedCallee::Function(name))]
        });
        wanted.extend(targets.map(|target| (target, true)));
    }
    let some_convergent = convergent.targets().next().is_some();
    for (_, segment) in segments(db, file, settings) {
        let items = segment_items(db, segment);
        let Calls { callers, .. } = calls(db, segment);
        let mut add = |caller: &Caller| {
            found.insert((items[caller.item as usize].0.item(db), caller.body));
        };
        for (target, certain) in &wanted {
            let callers = callers.get(target).into_iter().flatten();
            callers.filter(|caller| *certain || caller.uncertain).for_each(&mut add);
        }
        if some_convergent && interests::is_needed(Interest::DifferingArgument) {
            found.extend(computed_arguments(db, segment).iter().copied());
        }
    }
    if some_convergent && interests::is_needed(Interest::Doubt) {
        found.extend(bodies_with_doubts(db, file, settings, model));
    }
    // The arguments of an instance decide its calls and their arguments.
    let mut instances: FxHashSet<(Scoped, u32)> = FxHashSet::default();
    for scoped in template_instances(db, file, settings).items() {
        let Calls { callers, .. } = instance_calls(db, scoped);
        for (target, callers) in callers {
            let wanted = wanted.iter().find(|(wanted, _)| wanted == target);
            let certain = wanted.is_some_and(|(_, certain)| *certain)
                || interests::is_needed(Interest::DifferingArgument)
                    && has_uniform_arguments(settings.dialect(db), *target);
            let callers = callers.iter().filter(|caller| certain || wanted.is_some() && caller.uncertain);
            instances.extend(callers.map(|caller| (scoped, caller.body)));
        }
    }
    // Most units have no candidate. The functions that they define are not needed.
    if found.is_empty() && instances.is_empty() {
        return FxHashSet::default();
    }
    let functions = functions(db, file, settings);
    let found = found.into_iter().filter_map(|(item, body)| functions.of_body(item, body));
    let of_instances = functions
        .with_instances()
        .filter(|(_, it)| it.instantiation.is_some() && instances.contains(&(it.item.scoped, it.body)));
    let of_instances = of_instances.map(|(at, _)| at);
    found.flat_map(|at| functions.instantiations(at)).chain(of_instances).collect()
}
