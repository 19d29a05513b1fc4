//! The file scope, item by item: the meanings of the names that each item uses.
//!
//! **Environment**: the meanings of all file-scope names at one point of a unit. It depends only on the code before it,
//! a chain of **segments**: runs of items of one chunk. Units that begin with the same headers share the environments
//! of these headers. So 1,189 kernels look up the names of a header once.
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
//! A type can contain a record by its tag only, for example a record inside itself. The tag has the members. So an item
//! that uses such a type also receives the meaning of the tag.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock};

use dashmap::DashMap;
use rustc_hash::{FxBuildHasher, FxHashSet, FxHasher};
use salsa::plumbing::AsId;
use tangle_grammar::ast::{Ast, DeclaratorStep, ExprKind, Specifiers, TypeSpecifier};
use tangle_grammar::lexicon::Grammar;
use tangle_grammar::symbol::Symbol;
use tangle_ir::Namespace;
use tangle_ir::key::FunctionKey;

use super::check::{self, Checked};
use super::def::functions::{self, is_overloadable};
use super::def::names::{FunctionMeaning, LookupKey, Meaning, Names, Used, Using};
use super::template_arguments::TemplateArguments;
use super::types::{RecordName, Ty, TyKind};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Dialect;
use tangle_syntax::items::{ChunkKey, Item, SharedChunk, SharedTokens, Unit, parse, unit};
use tangle_syntax::preprocess::{Chunk, Part};
use tangle_syntax::source::{Settings, SourceFile};

type Map<K, V> = imbl::GenericHashMap<K, V, FxBuildHasher, imbl::shared_ptr::DefaultSharedPtr>;

/// The names that an item uses, compared by content and hashed once.
#[derive(Clone, Debug, salsa::SalsaValue)]
pub struct SharedNames {
    hash: u64,
    pub names: Arc<Names>,
}

impl SharedNames {
    fn new(names: Names) -> SharedNames {
        let mut hasher = FxHasher::default();
        names.hash(&mut hasher);
        SharedNames { hash: hasher.finish(), names: Arc::new(names) }
    }
}

impl PartialEq for SharedNames {
    fn eq(&self, other: &SharedNames) -> bool {
        self.hash == other.hash && (Arc::ptr_eq(&self.names, &other.names) || self.names == other.names)
    }
}

impl Eq for SharedNames {}

impl Hash for SharedNames {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// An item with the meanings of its names.
#[salsa::interned(debug)]
pub struct Scoped<'db> {
    #[returns(copy)]
    pub item: Item<'db>,
    pub names: SharedNames,
    /// The template arguments of the functions in the item, if a launch gives them.
    pub arguments: TemplateArguments,
}

/// The end of a run of items: parts `start` to `end` of a chunk, after the segment `before`.
#[salsa::interned(debug)]
pub struct Segment<'db> {
    #[returns(copy)]
    before: Option<Segment<'db>>,
    #[returns(copy)]
    chunk: ChunkKey<'db>,
    #[returns(copy)]
    start: u32,
    #[returns(copy)]
    end: u32,
}

impl<'db> Segment<'db> {
    /// Returns the language of its items.
    pub fn dialect(self, db: &'db dyn Db) -> Dialect {
        self.chunk(db).shared(db).0.dialect
    }
}

/// A meaning of a name in a namespace.
type Member = (Namespace, Arc<Meaning>);

/// The meanings of all names at one point of a unit. Copies share memory.
#[derive(Clone, Debug, Default)]
struct Environment {
    /// The meanings in the global namespace.
    entries: Map<LookupKey, Arc<Meaning>>,
    /// The meanings in other namespaces, in the order of the declarations.
    inside: Map<LookupKey, Arc<[Member]>>,
    usings: Arc<[Using]>,
    tags: Map<RecordName, Ty>,
    /// The classes of a name, without specialisations.
    classes: Map<Symbol, Arc<[RecordName]>>,
}

/// The items of a segment, each with its first origin.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
struct Contribution<'db>(Box<[(Scoped<'db>, u32)]>);

/// The names that an item mentions, in any scope.
#[derive(Clone, Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
struct Uses {
    entries: Box<[LookupKey]>,
    /// The ordinary names, the tags and the first segments of paths.
    heads: Box<[Symbol]>,
    usings: Box<[Using]>,
    tags: Box<[Symbol]>,
}

#[salsa::tracked]
fn uses<'db>(db: &'db dyn Db, item: Item<'db>) -> Uses {
    Uses::of(&parse(db, item).0.ast, item.dialect(db))
}

impl Uses {
    fn of(ast: &Ast, dialect: Dialect) -> Uses {
        let cpp = dialect.lexicon().grammar() == Grammar::Cpp;
        let mut ordinary: FxHashSet<Symbol> = FxHashSet::default();
        let mut methods: FxHashSet<Symbol> = FxHashSet::default();
        let mut templates: FxHashSet<Symbol> = FxHashSet::default();
        let mut tags: FxHashSet<Symbol> = FxHashSet::default();
        let mut heads: FxHashSet<Symbol> = FxHashSet::default();
        for (_, expr) in ast.exprs.iter() {
            match &expr.kind {
                ExprKind::Name(name) => _ = ordinary.insert(*name),
                ExprKind::Path(path) => {
                    let last = path.last().name.text;
                    heads.extend(path.segments.first().map(|segment| segment.name.text));
                    ordinary.extend(path.segments.iter().map(|segment| segment.name.text));
                    methods.insert(last);
                    let special = path.segments.iter().filter(|segment| segment.arguments.is_some());
                    templates.extend(special.map(|segment| segment.name.text));
                }
                ExprKind::Member { name, .. } if cpp => _ = methods.insert(name.text),
                // The callee can be an object.
                ExprKind::Call { .. } if cpp => _ = methods.insert(Symbol::intern("operator()")),
                ExprKind::MemberPath { path, .. } => {
                    heads.extend(path.segments.first().map(|segment| segment.name.text));
                    methods.insert(path.last().name.text);
                }
                _ => {}
            }
        }
        let mut specifiers = |specifiers: &Specifiers| {
            for ty in &specifiers.types {
                match ty {
                    TypeSpecifier::Named(name) => _ = ordinary.insert(name.text),
                    TypeSpecifier::Path(path) => {
                        let last = path.last();
                        heads.extend(path.segments.first().map(|segment| segment.name.text));
                        ordinary.insert(last.name.text);
                        let special = last.arguments.is_some() || path.segments.len() > 1;
                        templates.extend(special.then_some(last.name.text));
                    }
                    TypeSpecifier::Record { name: Some(name), class, .. } => {
                        tags.insert(name.text);
                        let special = class.as_ref().is_some_and(|class| class.arguments.is_some());
                        templates.extend(special.then_some(name.text));
                    }
                    TypeSpecifier::Enum { name: Some(name), .. } => _ = tags.insert(name.text),
                    _ => {}
                }
            }
        };
        ast.types.iter().for_each(|(_, ty)| specifiers(&ty.specifiers));
        ast.decls.iter().for_each(|(_, decl)| specifiers(&decl.specifiers));
        // An overload needs the other overloads of its name.
        let overloads =
            ast.items.iter().map(|&id| &ast.decls[id]).filter(|decl| cpp || is_overloadable(decl));
        ordinary.extend(overloads.filter_map(|decl| decl.name).map(|name| name.text));
        if cpp {
            // Methods and their classes: other items may declare more of both.
            methods.extend(&ordinary);
            for (_, decl) in ast.decls.iter() {
                let is_function = matches!(decl.declarator.first(), Some(DeclaratorStep::Function { .. }));
                methods.extend(decl.name.filter(|_| is_function).map(|name| name.text));
                if let Some(class) = functions::written_class(decl) {
                    tags.insert(class.name.text);
                    ordinary.insert(class.name.text);
                    templates.extend(class.arguments.is_some().then_some(class.name.text));
                }
            }
        }
        let sorted = |set: FxHashSet<Symbol>| {
            let mut list: Vec<Symbol> = set.into_iter().collect();
            list.sort_unstable();
            list.into_boxed_slice()
        };
        heads.extend(&ordinary);
        heads.extend(&tags);
        let heads = sorted(heads);
        let ordinary = ordinary.into_iter().map(LookupKey::Ordinary);
        let methods = methods.into_iter().map(LookupKey::Methods);
        let templates = templates.into_iter().map(LookupKey::Specialisations);
        let mut entries: Vec<LookupKey> = ordinary.chain(methods).chain(templates).collect();
        entries.sort_unstable();
        let usings = Using::of(ast, Namespace::GLOBAL, dialect).collect();
        Uses { entries: entries.into(), heads, usings, tags: sorted(tags) }
    }
}

/// The declarations of an item at file scope.
#[derive(Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
struct Exports {
    entries: Box<[(LookupKey, Namespace, Arc<Meaning>)]>,
    usings: Box<[Using]>,
    tags: Box<[(RecordName, Ty)]>,
}

#[salsa::tracked]
fn exports<'db>(db: &'db dyn Db, scoped: Scoped<'db>) -> Exports {
    let item = scoped.item(db);
    let names = scoped.names(db);
    let Names { entries, usings, tags, .. } =
        check::exports(&parse(db, item).0.ast, &names.names, item.dialect(db));
    Exports {
        entries: entries
            .into_iter()
            .map(|(entry, namespace, meaning)| (entry, namespace, Arc::new(meaning)))
            .collect(),
        usings,
        tags,
    }
}

impl Environment {
    /// Returns the meanings of an entry in all namespaces.
    fn all(&self, entry: LookupKey) -> impl DoubleEndedIterator<Item = (Namespace, &Arc<Meaning>)> {
        let global = self.entries.get(&entry).map(|meaning| (Namespace::GLOBAL, meaning));
        let inside = self.inside.get(&entry).map_or(&[][..], |all| all);
        global.into_iter().chain(inside.iter().map(|(namespace, meaning)| (*namespace, meaning)))
    }

    /// Returns an item with the meanings of its names in this environment.
    fn scoped<'db>(&self, db: &'db dyn Db, item: Item<'db>, namespace: Namespace) -> Scoped<'db> {
        let names = self.names_of(db, item, namespace, &[]);
        Scoped::new(db, item, SharedNames::new(names), TemplateArguments::default())
    }

    /// Returns the names of an item with their meanings in this environment, and the records that `types` mention.
    fn names_of(&self, db: &dyn Db, item: Item<'_>, namespace: Namespace, types: &[Ty]) -> Names {
        let uses = uses(db, item);
        let mut entries = Vec::new();
        let mut tags: Vec<(RecordName, Ty)> = Vec::new();
        let of_name = |tag: &Symbol| self.classes.get(tag).map_or(&[][..], |all| all);
        let mut wanted: Vec<RecordName> = uses.tags.iter().flat_map(of_name).copied().collect();
        types.iter().for_each(|&ty| wanted.extend(tags_mentioned(ty).iter().copied()));
        for &entry in &uses.entries {
            for (namespace, meaning) in self.all(entry) {
                mentioned_by(meaning, &mut wanted);
                entries.push((entry, namespace, Meaning::clone(meaning)));
            }
        }
        let mut seen: FxHashSet<RecordName> = FxHashSet::default();
        while let Some(tag) = wanted.pop() {
            if let (true, Some(&ty)) = (seen.insert(tag), self.tags.get(&tag)) {
                wanted.extend(tags_mentioned(ty).iter().copied());
                tags.push((tag, ty));
            }
        }
        tags.sort_unstable_by_key(|&(tag, _)| tag);
        // Other `using`s do not affect the names of the item. Without them, units with different headers share the
        // scoped item.
        let builtins = item.dialect(db).builtins();
        let is_inside = |path: Namespace| {
            entries.iter().any(|(_, namespace, _)| namespace.path().ends_with(&path.path()))
        };
        let is_about = |using: &&Using| match using.used {
            Used::Alias { name, .. } => uses.heads.binary_search(&name).is_ok(),
            Used::Namespace(path) => {
                let in_language = using.in_language
                    && uses.heads.iter().any(|&head| builtins.has_member(path.to_symbol(), head));
                in_language || is_inside(path)
            }
        };
        let own = uses.usings.iter().map(|using| Using { within: namespace, ..*using });
        let usings = self.usings.iter().filter(is_about).copied().chain(own).collect();
        Names { namespace, entries: entries.into(), usings, tags: tags.into() }
    }

    fn add(&mut self, exports: &Exports) {
        for (entry, namespace, meaning) in &exports.entries {
            if *namespace == Namespace::GLOBAL {
                self.entries.insert(*entry, meaning.clone());
                continue;
            }
            let known = self.inside.get(entry).map_or(&[][..], |all| all);
            let others = known.iter().filter(|(other, _)| other != namespace).cloned();
            self.inside.insert(*entry, others.chain([(*namespace, meaning.clone())]).collect());
        }
        if !exports.usings.is_empty() {
            let new = exports.usings.iter().filter(|used| !self.usings.contains(used));
            self.usings = self.usings.iter().chain(new).copied().collect();
        }
        for &(tag, ty) in &exports.tags {
            // A mention of a tag after its definition does not replace the definition.
            let defined = |ty: Ty| ty.as_record().is_none_or(|record| record.definition.is_some());
            let is_new = !self.tags.contains_key(&tag);
            if is_new && tag.arguments().is_empty() {
                let known = self.classes.get(&tag.name()).map_or(&[][..], |all| all);
                self.classes.insert(tag.name(), known.iter().copied().chain([tag]).collect());
            }
            if defined(ty) || is_new {
                self.tags.insert(tag, ty);
            }
        }
    }
}

fn mentioned_by(meaning: &Meaning, wanted: &mut Vec<RecordName>) {
    match meaning {
        Meaning::Type(q) => wanted.extend(tags_mentioned(q.ty).iter().copied()),
        Meaning::Global { ty, .. } => wanted.extend(tags_mentioned(*ty).iter().copied()),
        Meaning::Functions(functions) => {
            functions.iter().for_each(|function| wanted.extend(tags_mentioned(function.ty).iter().copied()));
        }
        Meaning::Specialisations(all) => wanted.extend(all.iter().copied()),
        Meaning::Enumerator { .. } | Meaning::Variable(_) | Meaning::TemplateValue { .. } => {}
    }
}

/// The records that a type contains by tag only. Cached, because they depend on the type alone.
static MENTIONS: LazyLock<DashMap<Ty, Arc<[RecordName]>, FxBuildHasher>> = LazyLock::new(DashMap::default);

fn tags_mentioned(ty: Ty) -> Arc<[RecordName]> {
    if let Some(known) = MENTIONS.get(&ty) {
        return known.clone();
    }
    let mut tags: FxHashSet<RecordName> = FxHashSet::default();
    let mut seen: FxHashSet<Ty> = FxHashSet::default();
    let mut todo = vec![ty];
    while let Some(ty) = todo.pop() {
        if !seen.insert(ty) {
            continue;
        }
        // Parts of a cached type are not visited again. This matters for long chains of typedefs.
        if let Some(known) = MENTIONS.get(&ty) {
            tags.extend(known.iter().copied());
            continue;
        }
        match ty.kind() {
            TyKind::Pointer(pointer) => todo.push(pointer.pointee),
            TyKind::Array { element: inner, .. } | TyKind::Atomic(inner) | TyKind::BlockPointer(inner) => {
                todo.push(*inner);
            }
            TyKind::Function(function) => todo.extend(function.parameters.iter().chain([&function.result])),
            TyKind::Record(record) => match &record.definition {
                Some(definition) => todo.extend(definition.fields.iter().map(|field| field.ty)),
                None => tags.extend(record.tag),
            },
            _ => {}
        }
    }
    let mut tags: Vec<RecordName> = tags.into_iter().collect();
    tags.sort_unstable();
    let tags: Arc<[RecordName]> = tags.into();
    MENTIONS.insert(ty, tags.clone());
    tags
}

#[salsa::tracked]
fn contribution<'db>(db: &'db dyn Db, segment: Segment<'db>) -> Contribution<'db> {
    db.depends_on_text();
    let mut environment = Environment::clone(&environment_after(db, segment.before(db)));
    let chunk = &segment.chunk(db).shared(db).0;
    let range = segment.start(db) as usize..segment.end(db) as usize;
    let mut items = Vec::with_capacity(range.len());
    for part in &chunk.parts[range] {
        let Part::Item { tokens, origins, namespace } = part else { continue };
        let item = Item::new(db, SharedTokens(tokens.clone()), chunk.dialect);
        let scoped = environment.scoped(db, item, *namespace);
        environment.add(exports(db, scoped));
        items.push((scoped, origins.start));
    }
    db.recent().keep(segment.as_id(), Arc::new(environment));
    Contribution(items.into())
}

/// Returns the environment after a segment. The environments of a unit together are larger than all other data about
/// it, so only recent ones are kept. The others are rebuilt from the exports of the items before.
fn environment_after<'db>(db: &'db dyn Db, segment: Option<Segment<'db>>) -> Arc<Environment> {
    let Some(last) = segment else { return Arc::default() };
    let mut missing = Vec::new();
    let mut known = None;
    let mut at = segment;
    while let Some(segment) = at {
        known = db.recent().get::<Environment>(segment.as_id());
        if known.is_some() {
            break;
        }
        missing.push(segment);
        at = segment.before(db);
    }
    let known = known.unwrap_or_default();
    if missing.is_empty() {
        return known;
    }
    let mut environment = Environment::clone(&known);
    for segment in missing.into_iter().rev() {
        contribution(db, segment).0.iter().for_each(|&(scoped, _)| environment.add(exports(db, scoped)));
    }
    let environment = Arc::new(environment);
    db.recent().keep(last.as_id(), environment.clone());
    environment
}

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
    for (chunk, segment) in segments(db, unit(db, file, settings)) {
        let found = contribution(db, segment).0.iter();
        items.extend(found.map(|&(scoped, first)| ScopedItem { chunk: chunk.clone(), scoped, first }));
    }
    items
}

/// Returns the item whose first origin in a chunk is `first`, with the meanings of its names at the first inclusion of
/// the chunk in the unit.
pub fn scoped_at<'db>(db: &'db dyn Db, unit: &Unit, chunk: &Arc<Chunk>, first: u32) -> Option<Scoped<'db>> {
    let own = segments(db, unit).into_iter().filter(|(other, _)| Arc::ptr_eq(other, chunk));
    own.flat_map(|(_, segment)| &contribution(db, segment).0)
        .find(|(_, other)| *other == first)
        .map(|&(scoped, _)| scoped)
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

fn behind(db: &dyn Db, unit: &Unit) -> Option<Arc<Environment>> {
    segments(db, unit).last().map(|&(_, last)| environment_after(db, Some(last)))
}

/// Returns the items of [`scoped_items`] with type errors. Units with the same headers share the result.
pub fn items_with_type_errors<'db>(db: &'db dyn Db, unit: &Unit) -> Vec<ScopedItem<'db>> {
    let mut items = Vec::new();
    for (chunk, segment) in segments(db, unit) {
        let found = segment_type_errors(db, segment).iter();
        items.extend(found.map(|&(scoped, first)| ScopedItem { chunk: chunk.clone(), scoped, first }));
    }
    items
}

#[salsa::tracked]
fn segment_type_errors<'db>(db: &'db dyn Db, segment: Segment<'db>) -> Box<[(Scoped<'db>, u32)]> {
    let items = contribution(db, segment).0.iter().copied();
    items.filter(|&(scoped, _)| !typed(db, scoped).0.problems.is_empty()).collect()
}

/// Returns the items of a segment, each with its first origin in the segment's chunk.
pub fn segment_items<'db>(db: &'db dyn Db, segment: Segment<'db>) -> &'db [(Scoped<'db>, u32)] {
    &contribution(db, segment).0
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

/// Returns the segments of a unit in order, each with its chunk.
pub fn segments<'db>(db: &'db dyn Db, unit: &Unit) -> Vec<(Arc<Chunk>, Segment<'db>)> {
    let main = ChunkKey::new(db, SharedChunk(unit.0.clone()));
    let segments = segments_of(db, main).iter();
    segments.map(|&(chunk, segment)| (chunk.shared(db).0.clone(), segment)).collect()
}

/// Returns the segments of the unit with this main chunk. Each is computed after the segments before it, so no query
/// waits for a long chain.
// A query, because salsa never frees values that are interned outside of queries.
#[salsa::tracked]
fn segments_of<'db>(db: &'db dyn Db, main: ChunkKey<'db>) -> Box<[(ChunkKey<'db>, Segment<'db>)]> {
    db.depends_on_text();
    let mut segments = Vec::new();
    let mut before = None;
    // A chunk, and the index of its first part that was not visited yet.
    let mut stack: Vec<(Arc<Chunk>, usize)> = vec![(main.shared(db).0.clone(), 0)];
    while let Some((chunk, from)) = stack.pop() {
        let parts = &chunk.parts;
        let run = parts[from..].iter().take_while(|part| matches!(part, Part::Item { .. })).count();
        let to = from + run;
        if run > 0 {
            let key = ChunkKey::new(db, SharedChunk(chunk.clone()));
            let segment = Segment::new(db, before, key, from as u32, to as u32);
            contribution(db, segment);
            segments.push((key, segment));
            before = Some(segment);
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
    segments.into()
}

/// Returns the types of an item's bodies and variables.
// The largest stored value of an item. Most are not needed again once the flow graph and the problems are known.
#[salsa::tracked(lru = 2048)]
pub fn typed<'db>(db: &'db dyn Db, scoped: Scoped<'db>) -> Typed {
    let item = scoped.item(db);
    let names = scoped.names(db);
    let bodies = &super::bodies(db, item).0;
    let arguments = scoped.arguments(db);
    Typed(check::check(&parse(db, item).0.ast, bodies, (&names.names, arguments), item.dialect(db)))
}

/// The value of [`typed`].
#[derive(Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Typed(pub Checked);
