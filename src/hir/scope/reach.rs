//! The functions of headers that a unit reaches.
//!
//! **Root**: an item of the main file; a kernel; and every item that is not only the definition of a function, such as a
//! variable. **Reached**: a root, or a function whose name is an identifier of a reached item. The declaration of a
//! function without a body reaches nothing by the names that it declares.
//!
//! ```c
//! // rotate.h
//! uint rotate_left(uint x) { return x << 1 | x >> 31; }    // reached, from `twice`
//! uint twice(uint x) { return rotate_left(rotate_left(x)); }
//! uint reversed(uint x) { return bit_reverse(x); }         // not reached: outlined only
//! // k.cl
//! kernel void k(global uint *p) { *p = twice(*p); }
//! ```
//!
//! The search follows identifiers, not calls, so that it needs no parse of the functions that are not reached. A local
//! variable with the name of a function reaches that function too. So does text in an inactive `#if` branch that a
//! definition could make active: whether the branch calls a convergent function decides whether it is read.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;

use super::environment::Scoped;
use super::runs::{Run, RunItem, contribution, runs_of, scoped_in, scoped_of};
use crate::declared;
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Dialect;
use tangle_syntax::items::{ChunkKey, Item, SharedChunk, tokens, unit};
use tangle_syntax::preprocess::{Chunk, FileId};
use tangle_syntax::source::{Settings, SourceFile};

/// A run, or the items of a run that a unit reaches: see the [module](self).
#[salsa::interned(debug)]
pub struct Segment<'db> {
    #[returns(copy)]
    run: Run<'db>,
    /// The numbers of the items in the run, in ascending order. `None`: all items.
    #[returns(ref)]
    reached: Option<Box<[u32]>>,
}

impl<'db> Segment<'db> {
    /// Returns the language of its items.
    pub fn dialect(self, db: &'db dyn Db) -> Dialect {
        self.run(db).chunk(db).shared(db).0.dialect
    }
}

/// The names in a run.
#[derive(Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
struct RunNames {
    /// The numbers of the outlined functions with a name.
    outlined: FxHashMap<Symbol, SmallVec<[u32; 2]>>,
    /// The names by which all other items reach functions.
    by_others: Box<[Symbol]>,
}

/// Returns the segments of a unit in order, each with its chunk. They contain the items that the settings select: see
/// [`Settings::reached_only`].
pub fn segments<'db>(
    db: &'db dyn Db,
    file: SourceFile,
    settings: Settings,
) -> Vec<(Arc<Chunk>, Segment<'db>)> {
    let main = ChunkKey::new(db, SharedChunk(unit(db, file, settings).0.clone()));
    let segments = segments_of(db, main, settings.reached_only(db)).iter();
    segments.map(|&(chunk, segment)| (chunk.shared(db).0.clone(), segment)).collect()
}

/// Returns the segments of the unit with this main chunk. `reached_only`: without the functions of headers that the unit
/// does not reach.
#[salsa::tracked]
fn segments_of<'db>(
    db: &'db dyn Db,
    main: ChunkKey<'db>,
    reached_only: bool,
) -> Box<[(ChunkKey<'db>, Segment<'db>)]> {
    db.depends_on_text();
    let runs = runs_of(db, main);
    let reached = if reached_only { reached(db, main) } else { vec![None; runs.len()] };
    let segment = |(&(chunk, run), reached)| (chunk, Segment::new(db, run, reached));
    runs.iter().zip(reached).map(segment).collect()
}

/// Returns the items of a segment, each with its first origin in the segment's chunk.
pub fn segment_items<'db>(db: &'db dyn Db, segment: Segment<'db>) -> &'db [(Scoped<'db>, u32)] {
    match segment.reached(db) {
        Some(_) => reached_items(db, segment),
        None => scoped_of(db, segment.run(db)),
    }
}

#[salsa::tracked]
fn reached_items<'db>(db: &'db dyn Db, segment: Segment<'db>) -> Box<[(Scoped<'db>, u32)]> {
    let run = segment.run(db);
    let items = &contribution(db, run).0;
    let reached = segment.reached(db).iter().flatten();
    reached.map(|&number| (scoped_in(db, run, number), items[number as usize].first)).collect()
}

/// A header with functions that are analysed only if a unit reaches them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderReach {
    pub header: FileId,
    /// Whether the unit reaches one of these functions.
    pub is_reached: bool,
}

/// Returns the headers of a file that have functions outside its segments.
pub fn incomplete_headers(db: &dyn Db, file: SourceFile, settings: Settings) -> Vec<HeaderReach> {
    let mut headers: Vec<HeaderReach> = Vec::new();
    for (chunk, segment) in segments(db, file, settings) {
        let Some(reached) = segment.reached(db) else { continue };
        let items = &contribution(db, segment.run(db)).0;
        let is_reached = reached.iter().any(|&number| items[number as usize].is_outlined(db));
        match headers.iter_mut().find(|it| it.header == chunk.file) {
            Some(known) => known.is_reached |= is_reached,
            None => headers.push(HeaderReach { header: chunk.file, is_reached }),
        }
    }
    headers
}

/// Returns the numbers of the reached items of each run. `None`: all items.
fn reached<'db>(db: &'db dyn Db, main: ChunkKey<'db>) -> Vec<Option<Box<[u32]>>> {
    let runs = runs_of(db, main);
    let mut todo: Vec<Symbol> = Vec::new();
    let mut headers: Vec<(usize, &RunNames)> = Vec::new();
    for (number, &(chunk, run)) in runs.iter().enumerate() {
        if chunk == main {
            let items = contribution(db, run).0.iter();
            items.for_each(|item| todo.extend(identifiers(db, item.item)));
            continue;
        }
        let names = names(db, run);
        todo.extend(&names.by_others);
        if !names.outlined.is_empty() {
            headers.push((number, names));
        }
    }
    for group in main.shared(db).0.conditions.left_out() {
        todo.extend(identifiers_between(db, db.source(group.file), group.tokens.start, group.tokens.end));
    }
    let mut found: Vec<FxHashSet<u32>> = vec![FxHashSet::default(); runs.len()];
    let mut seen: FxHashSet<Symbol> = FxHashSet::default();
    while let Some(name) = todo.pop() {
        if !seen.insert(name) {
            continue;
        }
        for (number, names) in &headers {
            for &item in names.outlined.get(&name).into_iter().flatten() {
                if found[*number].insert(item) {
                    let items = &contribution(db, runs[*number].1).0;
                    todo.extend(identifiers(db, items[item as usize].item));
                }
            }
        }
    }
    let mut reached: Vec<Option<Box<[u32]>>> = vec![None; runs.len()];
    for (number, names) in headers {
        let outlined: usize = names.outlined.values().map(SmallVec::len).sum();
        if found[number].len() < outlined {
            let items = (0..).zip(&contribution(db, runs[number].1).0);
            let is_reached =
                |(at, item): &(u32, &RunItem)| !item.is_outlined(db) || found[number].contains(at);
            reached[number] = Some(items.filter(is_reached).map(|(at, _)| at).collect());
        }
    }
    reached
}

#[salsa::tracked]
fn names<'db>(db: &'db dyn Db, run: Run<'db>) -> RunNames {
    db.depends_on_text();
    let mut names = RunNames::default();
    let mut by_others: Vec<Symbol> = Vec::new();
    for (number, item) in (0..).zip(&contribution(db, run).0) {
        let functions = &declared(db, item.item).functions;
        if item.is_outlined(db) {
            for function in functions {
                names.outlined.entry(function.name).or_default().push(number);
            }
            continue;
        }
        let is_declaration = functions.iter().all(|function| !function.defined);
        let is_own = |name: &Symbol| is_declaration && functions.iter().any(|own| own.name == *name);
        by_others.extend(identifiers(db, item.item).iter().filter(|name| !is_own(name)));
    }
    RunNames { by_others: sorted(by_others.into_iter()), ..names }
}

/// Returns the identifiers among the tokens of a file from `start` to `end`, each once.
#[salsa::tracked]
fn identifiers_between(db: &dyn Db, file: SourceFile, start: u32, end: u32) -> Box<[Symbol]> {
    let lexed = tokens(db, file);
    let tokens = lexed.tokens.get(start as usize..end as usize).unwrap_or_default();
    sorted(tokens.iter().filter(|token| token.kind == TokenKind::Identifier).map(|token| token.text))
}

/// Returns the identifiers of an item, each once.
#[salsa::tracked]
fn identifiers<'db>(db: &'db dyn Db, item: Item<'db>) -> Box<[Symbol]> {
    let tokens = item.tokens(db).0.tokens().iter();
    sorted(tokens.filter(|token| token.kind == TokenKind::Identifier).map(|token| token.text))
}

fn sorted(names: impl Iterator<Item = Symbol>) -> Box<[Symbol]> {
    let mut names: Vec<Symbol> = names.collect();
    names.sort_unstable();
    names.dedup();
    names.into()
}
