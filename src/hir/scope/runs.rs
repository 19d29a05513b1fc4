//! The runs of items of a unit, and the environments along them.
//!
//! **Run**: successive items of one chunk, after another run. Units that begin with the same headers share the runs of
//! these headers, and so their environments. So 1,189 kernels look up the names of a header once.
//!
//! The environments are computed from the [outlines](outline) of functions. The scoped item of a whole function is
//! computed when something asks for it: from the nearest kept environment before it, and the exports of the items
//! between.

use std::sync::Arc;

use salsa::plumbing::AsId;

use super::environment::{Environment, Exports, Scoped, exports};
use tangle_syntax::db::Db;
use tangle_syntax::items::{ChunkKey, Item, SharedChunk, SharedTokens, Unit, outline};
use tangle_syntax::preprocess::{Chunk, Part};

/// A run of items: parts `start` to `end` of a chunk, after the run `before`.
#[salsa::interned(debug)]
pub struct Run<'db> {
    #[returns(copy)]
    before: Option<Run<'db>>,
    #[returns(copy)]
    pub chunk: ChunkKey<'db>,
    #[returns(copy)]
    start: u32,
    #[returns(copy)]
    end: u32,
}

/// The items of a run.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub(super) struct Contribution<'db>(pub Box<[RunItem<'db>]>);

/// An item of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub(super) struct RunItem<'db> {
    pub item: Item<'db>,
    /// The item, or its outline, with the meanings of its names. It determines the exports.
    pub seen: Scoped<'db>,
    /// The first origin of the item in the chunk.
    pub first: u32,
}

impl RunItem<'_> {
    /// Whether the rest of the unit sees only the outline of the item.
    pub fn is_outlined(&self, db: &dyn Db) -> bool {
        self.seen.item(db) != self.item
    }
}

/// The environments at some points of a run. Copies share memory.
#[derive(Debug, Default)]
pub(super) struct Environments {
    /// Before each [`STEP`]th item.
    before: Vec<Environment>,
    pub after: Environment,
}

/// The number of items between two kept environments of a run.
const STEP: usize = 64;
#[salsa::tracked]
pub(super) fn contribution<'db>(db: &'db dyn Db, run: Run<'db>) -> Contribution<'db> {
    db.depends_on_text();
    let before = run.before(db).map(|before| environments(db, before));
    let mut environments = Environments::after(before.as_deref());
    let chunk = &run.chunk(db).shared(db).0;
    let range = run.start(db) as usize..run.end(db) as usize;
    let mut items = Vec::with_capacity(range.len());
    for part in &chunk.parts[range] {
        let Part::Item { tokens, origins, namespace } = part else { continue };
        let item = Item::new(db, SharedTokens(tokens.clone()), chunk.dialect);
        let seen = outline(db, item).unwrap_or(item);
        let seen = environments.after.scoped(db, seen, *namespace);
        environments.add(items.len(), exports(db, seen));
        items.push(RunItem { item, seen, first: origins.start });
    }
    Arc::new(environments).keep(db, run);
    Contribution(items.into())
}

impl Environments {
    /// Returns the environments at the start of a run after a run with these environments.
    fn after(before: Option<&Environments>) -> Environments {
        let after = before.map_or_else(Environment::default, |before| before.after.clone());
        Environments { before: Vec::new(), after }
    }

    /// Caches the environments of a run.
    fn keep(self: Arc<Environments>, db: &dyn Db, run: Run) -> Arc<Environments> {
        let weight = 1 + self.before.len();
        db.recent_environments().keep(run.as_id(), self.clone(), weight);
        self
    }

    /// Adds the exports of an item. `number`: its number in the run.
    fn add(&mut self, number: usize, exports: &Exports) {
        if number.is_multiple_of(STEP) {
            self.before.push(self.after.clone());
        }
        self.after.add(exports);
    }
}

/// Returns the items of a run with the meanings of their names, each with its first origin.
#[salsa::tracked]
pub(super) fn scoped_of<'db>(db: &'db dyn Db, run: Run<'db>) -> Box<[(Scoped<'db>, u32)]> {
    db.depends_on_text();
    let before = run.before(db).map(|before| environments(db, before));
    let mut environment = Environments::after(before.as_deref()).after;
    let scoped = |it: &RunItem<'db>| {
        let scoped = match it.is_outlined(db) {
            true => environment.scoped(db, it.item, it.seen.names(db).names.namespace),
            false => it.seen,
        };
        environment.add(exports(db, it.seen));
        (scoped, it.first)
    };
    contribution(db, run).0.iter().map(scoped).collect()
}

/// Returns one item of a run with the meanings of its names.
pub(super) fn scoped_in<'db>(db: &'db dyn Db, run: Run<'db>, number: u32) -> Scoped<'db> {
    let item = &contribution(db, run).0[number as usize];
    if item.is_outlined(db) { *of_outlined(db, run, number) } else { item.seen }
}

#[salsa::tracked]
fn of_outlined<'db>(db: &'db dyn Db, run: Run<'db>, number: u32) -> Scoped<'db> {
    db.depends_on_text();
    let items = &contribution(db, run).0;
    let number = number as usize;
    let environments = environments(db, run);
    let start = number - number % STEP;
    let mut environment = environments.before[number / STEP].clone();
    items[start..number].iter().for_each(|before| environment.add(exports(db, before.seen)));
    let item = items[number];
    environment.scoped(db, item.item, item.seen.names(db).names.namespace)
}

/// Returns the environments of a run. The environments of a unit together are larger than all other data about it, so
/// only recent ones are kept. The others are rebuilt from the exports of the items before.
pub(super) fn environments<'db>(db: &'db dyn Db, last: Run<'db>) -> Arc<Environments> {
    let mut missing = Vec::new();
    let mut known = None;
    let mut at = Some(last);
    while let Some(run) = at {
        known = db.recent_environments().get::<Environments>(run.as_id());
        if known.is_some() {
            break;
        }
        missing.push(run);
        at = run.before(db);
    }
    for run in missing.into_iter().rev() {
        let mut environments = Environments::after(known.as_deref());
        for (number, item) in contribution(db, run).0.iter().enumerate() {
            environments.add(number, exports(db, item.seen));
        }
        known = Some(Arc::new(environments));
    }
    let known = known.expect("the last run is missing or known");
    known.keep(db, last)
}

pub(super) fn runs<'db>(db: &'db dyn Db, unit: &Unit) -> &'db [(ChunkKey<'db>, Run<'db>)] {
    runs_of(db, ChunkKey::new(db, SharedChunk(unit.0.clone())))
}

/// Returns the runs of the unit with this main chunk. Each is computed after the runs before it, so no query waits for a
/// long chain.
// A query, because salsa never frees values that are interned outside of queries.
#[salsa::tracked]
pub(super) fn runs_of<'db>(db: &'db dyn Db, main: ChunkKey<'db>) -> Box<[(ChunkKey<'db>, Run<'db>)]> {
    db.depends_on_text();
    let mut runs = Vec::new();
    let mut before = None;
    // A chunk, and the index of its first part that was not visited yet.
    let mut stack: Vec<(Arc<Chunk>, usize)> = vec![(main.shared(db).0.clone(), 0)];
    while let Some((chunk, from)) = stack.pop() {
        let parts = &chunk.parts;
        let run = parts[from..].iter().take_while(|part| matches!(part, Part::Item { .. })).count();
        let to = from + run;
        if run > 0 {
            let key = ChunkKey::new(db, SharedChunk(chunk.clone()));
            let run = Run::new(db, before, key, from as u32, to as u32);
            contribution(db, run);
            runs.push((key, run));
            before = Some(run);
        }
        if let Some(Part::Include(included)) = parts.get(to) {
            let included = included.clone();
            stack.push((chunk, to + 1));
            // Headers without tokens are skipped: they can include each other exponentially often.
            if included.weight > 0 {
                stack.push((included, 0));
            }
        }
    }
    runs.into()
}
