//! Which functions of a unit the rules may concern, found by their text alone.
//!
//! **Uncertain** call: one inside of an `if`, a loop, a `switch` or an operand, or behind a jump or `return`, or a barrier whose flags are
//! computed. **Candidate**: a function with an
//! uncertain convergent call, with one whose arguments must be the same for all, with a doubt that uniform jumps may settle, or with an
//! atomic by which locks are taken. Most kernels are none, and cost no more than the look.

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::{Token, TokenKind};

use crate::db::Db;
use crate::hir::bodies;
use crate::hir::body::{self, Body, StmtKind};
use crate::hir::builtins::Builtins;
use crate::lint::check::bodies_in_doubt;
use crate::lint::divergent_spin_lock::TAKES;
use crate::source::{Settings, SourceFile};
use crate::syntax::{ChunkKey, Item, SharedChunk, chunks, items, unit};
use crate::tangle::Model;
use crate::tangle::convergent::Convergent;

/// A body that calls something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Caller {
    /// The number of the item in the chunk.
    item: u32,
    /// The number of the body in the item.
    body: u32,
    uncertain: bool,
}

/// The bodies of a chunk by what they call; None for calls through pointers.
#[derive(Debug, PartialEq, Eq, salsa::SalsaValue)]
struct Callers(FxHashMap<Option<Symbol>, Box<[Caller]>>);

#[salsa::tracked]
fn callers<'db>(db: &'db dyn Db, chunk: ChunkKey<'db>) -> Callers {
    let mut callers: FxHashMap<Option<Symbol>, Vec<Caller>> = FxHashMap::default();
    for (item, &(source, _)) in (0..).zip(items(db, chunk)) {
        for (number, body) in (0..).zip(&bodies(db, source).0) {
            let first_jump =
                body.stmts.iter_enumerated().find(|(_, stmt)| is_jump(&stmt.kind)).map(|(id, _)| id);
            for call in &body.calls {
                let callee = match call.callee {
                    body::Callee::Named(name) => Some(name),
                    body::Callee::Pointer => None,
                };
                let behind = first_jump.is_some_and(|jump| jump < call.stmt);
                let computed = || {
                    is_barrier(callee)
                        && has_computed_argument(&source.tokens(db).0.tokens()[call.span.end as usize..])
                };
                let uncertain = behind || is_nested(body, call) || computed();
                let known = callers.entry(callee).or_default();
                match known.last_mut().filter(|last| last.item == item && last.body == number) {
                    Some(last) => last.uncertain |= uncertain,
                    None => known.push(Caller { item, body: number, uncertain }),
                }
            }
        }
    }
    Callers(callers.into_iter().map(|(callee, callers)| (callee, callers.into())).collect())
}

fn is_barrier(callee: Option<Symbol>) -> bool {
    callee.and_then(|name| Builtins::opencl().get(name)).is_some_and(|row| row.kind == "barrier")
}

/// Whether there is more than flags between the parentheses with which some tokens begin.
fn has_computed_argument(tokens: &[Token]) -> bool {
    let mut depth = 0;
    for token in tokens {
        match token.kind {
            TokenKind::LeftParen => depth += 1,
            TokenKind::RightParen if depth <= 1 => return depth == 0,
            TokenKind::RightParen => depth -= 1,
            TokenKind::Identifier => {
                let name = token.text.as_str();
                if !["CLK_", "memory_"].iter().any(|of_flag| name.starts_with(of_flag)) {
                    return true;
                }
            }
            _ if depth == 0 => return true,
            _ => {}
        }
    }
    true
}

/// Whether what follows may not be reached, other than by leaving a statement around it.
fn is_jump(kind: &StmtKind) -> bool {
    matches!(kind, StmtKind::Return | StmtKind::Goto(_) | StmtKind::ComputedGoto(_) | StmtKind::Asm(_))
}

/// Whether some statement or operand around a call decides if it is executed, or how often.
fn is_nested(body: &Body, call: &body::Call) -> bool {
    if call.operand.is_some() || body.stmts[call.stmt].kind.is_loop() {
        return true;
    }
    let mut at = body.stmts[call.stmt].parent;
    while let Some(stmt) = at {
        match body.stmts[stmt].kind {
            StmtKind::If { .. } | StmtKind::Switch { .. } => return true,
            ref kind if kind.is_loop() => return true,
            _ => at = body.stmts[stmt].parent,
        }
    }
    false
}

/// A function body: its item, and its number there.
pub type BodyKey<'db> = (Item<'db>, u32);

/// Who calls what in a unit.
pub struct Calls<'db>(Vec<(&'db [(Item<'db>, u32)], &'db Callers)>);

impl<'db> Calls<'db> {
    pub fn of(db: &'db dyn Db, file: SourceFile, settings: Settings) -> Calls<'db> {
        let of = |chunk| {
            let key = ChunkKey::new(db, SharedChunk(chunk));
            (&**items(db, key), callers(db, key))
        };
        Calls(chunks(unit(db, file, settings)).into_iter().map(of).collect())
    }

    /// The bodies that call a name; None: those that call through a pointer.
    pub fn of_name(&self, name: Option<Symbol>) -> impl Iterator<Item = BodyKey<'db>> + '_ {
        self.callers(name).map(|(key, _)| key)
    }

    fn uncertain(&self, name: Option<Symbol>) -> impl Iterator<Item = BodyKey<'db>> + '_ {
        self.callers(name).filter(|(_, uncertain)| *uncertain).map(|(key, _)| key)
    }

    fn callers(&self, name: Option<Symbol>) -> impl Iterator<Item = (BodyKey<'db>, bool)> + '_ {
        self.0.iter().flat_map(move |(items, callers)| {
            let of = |caller: &Caller| ((items[caller.item as usize].0, caller.body), caller.uncertain);
            callers.0.get(&name).into_iter().flatten().map(of)
        })
    }
}

/// In no particular order.
pub fn candidates<'db>(
    db: &'db dyn Db,
    (file, settings, model): (SourceFile, Settings, Model),
    convergent: &Convergent,
    calls: &Calls<'db>,
) -> FxHashSet<BodyKey<'db>> {
    let mut found = FxHashSet::default();
    if !convergent.is_empty() {
        let builtins = settings.builtins(db);
        let of_all = |name: Symbol| {
            let row = builtins.get(name);
            row.is_some_and(|row| row.kind != "barrier" && !row.uniform_arguments.is_empty())
        };
        for name in convergent.names() {
            match of_all(name) {
                true => found.extend(calls.of_name(Some(name))),
                false => found.extend(calls.uncertain(Some(name))),
            }
        }
        found.extend(calls.uncertain(None));
        found.extend(bodies_in_doubt(db, file, settings, model));
    }
    for (name, _) in TAKES {
        found.extend(calls.of_name(Some(Symbol::intern(name))));
    }
    found
}
