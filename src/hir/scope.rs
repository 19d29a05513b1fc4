//! The file scope, item by item: the meanings of the names that each item uses.
//!
//! **Scoped item**: an item together with the meanings of the names that it uses. Type checking depends on the scoped
//! item, not on the unit. The meaning of a function is its type, so an edit inside a body affects no other item.
//!
//! ```c
//! typedef float real;           // exports: real = float
//! real half_of(real x);         // uses real; exports: half_of = float(float)
//! kernel void k(global real *p) // uses real, half_of
//! { *p = half_of(*p); }
//! ```
//!
//! ```text
//! environment    the meanings of all names at one point of a unit
//! runs           the items of a unit in order, with the environments between them; units share the runs of headers
//! reach          the items that a unit reaches, as segments
//! ```

mod environment;
pub mod reach;
mod runs;

use std::ops::Deref;
use std::sync::Arc;

use salsa::plumbing::AsId;
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;
use tangle_ir::Namespace;
use tangle_ir::key::FunctionKey;

use super::check::{self, Checked, TypeProblem};
use super::declared;
use super::def::names::{FunctionMeaning, LookupKey, Meaning, Names, SharedNames};
use super::def::template::FunctionTemplate;
use super::template_arguments::TemplateArguments;
use super::typed::{Global, TypedBody};
use super::types::{RecordName, Ty};
use environment::{Environment, exports, source};
use runs::{contribution, environments, runs, scoped_in, scoped_of};
use tangle_syntax::db::Db;
use tangle_syntax::items::{Unit, unit};
use tangle_syntax::preprocess::Chunk;
use tangle_syntax::source::{Settings, SourceFile};

pub use environment::Scoped;
pub use reach::{Segment, segment_items, segments};

/// An item of a unit and its location.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct ScopedItem<'db> {
    pub chunk: Arc<Chunk>,
    pub scoped: Scoped<'db>,
    /// The index in the chunk of the origin of its first token.
    pub first: u32,
}

/// Returns the items of a file and its headers in source order, with the meanings of their names.
pub fn scoped_items<'db>(db: &'db dyn Db, file: SourceFile, settings: Settings) -> Vec<ScopedItem<'db>> {
    let mut items = Vec::new();
    for &(chunk, run) in runs(db, unit(db, file, settings)) {
        let chunk = &chunk.shared(db).0;
        let found = scoped_of(db, run).iter();
        items.extend(found.map(|&(scoped, first)| ScopedItem { chunk: chunk.clone(), scoped, first }));
    }
    items
}

/// Returns the item whose first origin in a chunk is `first`, with the meanings of its names at the first inclusion of
/// the chunk in the unit.
pub fn scoped_at<'db>(db: &'db dyn Db, unit: &Unit, chunk: &Arc<Chunk>, first: u32) -> Option<Scoped<'db>> {
    let own = runs(db, unit).iter().filter(|(other, _)| Arc::ptr_eq(&other.shared(db).0, chunk));
    own.filter_map(|&(_, run)| {
        let number = contribution(db, run).0.iter().position(|item| item.first == first)?;
        // All items of the main file are analysed anyway.
        Some(match Arc::ptr_eq(&unit.0, chunk) {
            true => scoped_of(db, run)[number].0,
            false => scoped_in(db, run, number as u32),
        })
    })
    .next()
}

/// Returns the meaning of a name at file scope at the end of a unit. For locations in code that does not parse: the
/// names that such an item mentions are not all known.
pub fn meaning_at_end(db: &dyn Db, unit: &Unit, name: Symbol) -> Option<Arc<Meaning>> {
    behind(db, unit)?.all(LookupKey::Ordinary(name)).next_back().map(|(_, meaning)| meaning.clone())
}

/// Returns the type of a tag at the end of a unit.
pub fn tag_at_end(db: &dyn Db, unit: &Unit, tag: RecordName) -> Option<Ty> {
    behind(db, unit)?.tags.get(&tag).copied()
}

fn behind(db: &dyn Db, unit: &Unit) -> Option<Environment> {
    runs(db, unit).last().map(|&(_, last)| environments(db, last).after.clone())
}

/// Returns the items of segments with type errors. Units with the same headers share the result.
pub fn items_with_type_errors<'db>(
    db: &'db dyn Db,
    segments: &[(Arc<Chunk>, Segment<'db>)],
) -> Vec<ScopedItem<'db>> {
    let mut items = Vec::new();
    for &(ref chunk, segment) in segments {
        let found = segment_type_errors(db, segment).iter();
        items.extend(found.map(|&(scoped, first)| ScopedItem { chunk: chunk.clone(), scoped, first }));
    }
    items
}

#[salsa::tracked]
fn segment_type_errors<'db>(db: &'db dyn Db, segment: Segment<'db>) -> Box<[(Scoped<'db>, u32)]> {
    let items = segment_items(db, segment).iter().copied();
    items.filter(|&(scoped, _)| !typed(db, scoped).problems.is_empty()).collect()
}

/// Returns the key by which calls refer to the function that an item declares under this name.
pub fn declared_key<'db>(db: &'db dyn Db, scoped: Scoped<'db>, name: Symbol) -> FunctionKey {
    declared_function(db, scoped, name).map_or_else(|| FunctionKey::plain(name), |function| function.key)
}

/// Returns the function that an item declares under this name, outside of classes.
pub fn declared_function<'db>(db: &'db dyn Db, scoped: Scoped<'db>, name: Symbol) -> Option<FunctionMeaning> {
    exports(db, scoped).entries.iter().find_map(|(entry, _, meaning)| match &**meaning {
        Meaning::Functions(functions) if *entry == LookupKey::Ordinary(name) => functions.first().copied(),
        _ => None,
    })
}

/// Returns the template that an item declares with this key: a function template, or a method of a class template.
pub fn declared_template<'db>(
    db: &'db dyn Db,
    scoped: Scoped<'db>,
    key: FunctionKey,
) -> Option<FunctionTemplate> {
    let entries = exports(db, scoped).entries.iter().filter(|(entry, ..)| match entry {
        LookupKey::Ordinary(name) | LookupKey::Methods(name) => *name == key.name,
        LookupKey::Specialisations(_) | LookupKey::Classes(_) => false,
    });
    entries
        .filter_map(|(_, _, meaning)| meaning.functions())
        .flat_map(|all| all.iter())
        .find_map(|function| function.template.filter(|_| function.key == key))
}

/// Returns an item whose functions are checked with these template arguments.
///
/// A name has its meaning at the template. A name without a meaning there depends on the arguments, and has its meaning
/// at the end of the unit, as have the methods of classes: an argument can be a class that follows the template.
pub fn instantiated<'db>(
    db: &'db dyn Db,
    unit: &Unit,
    scoped: Scoped<'db>,
    arguments: &TemplateArguments,
) -> Scoped<'db> {
    let item = scoped.item(db);
    let names = &scoped.names(db).names;
    let Some(end) = behind(db, unit) else {
        return Scoped::new(db, item, scoped.names(db).clone(), arguments.clone());
    };
    let Names { entries, usings, tags, .. } = end.names_of(db, item, names.namespace, &arguments.types());
    let is_of_template =
        |entry: LookupKey| matches!(entry, LookupKey::Ordinary(_)) && names.all(entry).next().is_some();
    let own = names.entries.iter().filter(|(entry, ..)| is_of_template(*entry)).cloned();
    let others = entries.into_iter().filter(|(entry, ..)| !is_of_template(*entry));
    let mut entries: Vec<(LookupKey, Namespace, Meaning)> = own.chain(others).collect();
    // A stable sort: the meanings of one entry stay in the order of their declarations.
    entries.sort_by_key(|(entry, ..)| *entry);
    let names = Names { namespace: names.namespace, entries: entries.into(), usings, tags };
    Scoped::new(db, item, SharedNames::new(names), arguments.clone())
}

/// Returns the names of all functions that a unit declares, whether or not something reaches them.
pub fn declared_functions<'db>(db: &'db dyn Db, unit: &Unit) -> impl Iterator<Item = Symbol> + 'db {
    let items = runs(db, unit).iter().flat_map(|&(_, run)| &contribution(db, run).0);
    items.flat_map(|item| declared(db, item.item).functions.iter().map(|function| function.name))
}

/// Returns the facts that the check of an item finds, without its typed bodies: see [`typed_bodies`].
#[salsa::tracked]
pub fn typed<'db>(db: &'db dyn Db, scoped: Scoped<'db>) -> Typed {
    let Checked { bodies, globals, problems, unknown_types } = checked(db, scoped);
    let keys = bodies.iter().map(|body| body.key).collect();
    let types = bodies.iter().map(|body| body.ty).collect();
    keep_bodies(db, scoped, bodies);
    Typed { keys, types, globals, problems, unknown_types }
}

/// The value of [`typed`].
#[derive(Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Typed {
    /// The key of each body of the item, in order.
    pub keys: Box<[FunctionKey]>,
    /// The type of each body of the item, in order.
    pub types: Box<[Ty]>,
    /// See [`Checked::globals`].
    pub globals: Box<[Global]>,
    /// See [`Checked::problems`].
    pub problems: Box<[TypeProblem]>,
    /// See [`Checked::unknown_types`].
    pub unknown_types: Box<[(Span, Symbol)]>,
}

/// See [`Checked::bodies`].
#[derive(Debug)]
pub struct TypedBodies(pub Box<[TypedBody]>);

/// One of the bodies of an item, with its types.
pub struct SharedTypedBody {
    all: Arc<TypedBodies>,
    number: usize,
}

impl Deref for SharedTypedBody {
    type Target = TypedBody;

    fn deref(&self) -> &TypedBody {
        &self.all.0[self.number]
    }
}

/// Returns the body with this number of an item, with its types. `None` if the item has fewer.
pub fn typed_body(db: &dyn Db, scoped: Scoped, number: usize) -> Option<SharedTypedBody> {
    let all = typed_bodies(db, scoped);
    (number < all.0.len()).then_some(SharedTypedBody { all, number })
}

/// Returns the bodies of an item with the types of their expressions. Most are not needed again once the flow graph and
/// the facts of [`typed`] are known, so only recent ones are kept, and the others are checked again.
pub fn typed_bodies(db: &dyn Db, scoped: Scoped) -> Arc<TypedBodies> {
    let known = || db.recent_trees().get::<TypedBodies>(scoped.as_id());
    if let Some(known) = known() {
        return known;
    }
    // The query keeps the bodies if it runs now.
    typed(db, scoped);
    known().unwrap_or_else(|| keep_bodies(db, scoped, checked(db, scoped).bodies))
}

fn checked(db: &dyn Db, scoped: Scoped) -> Checked {
    let item = scoped.item(db);
    let bodies = &super::bodies(db, item).0;
    check::check(&source(db, scoped), bodies, scoped.arguments(db), item.dialect(db))
}

fn keep_bodies(db: &dyn Db, scoped: Scoped, bodies: Box<[TypedBody]>) -> Arc<TypedBodies> {
    let bytes = bodies.iter().map(TypedBody::bytes).sum();
    let bodies = Arc::new(TypedBodies(bodies));
    db.recent_trees().keep(scoped.as_id(), bodies.clone(), bytes);
    bodies
}
